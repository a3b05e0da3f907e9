"""New columns and classifiers that know the classes: Karhunen-Loeve expansion, common principal components."""
