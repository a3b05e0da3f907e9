"""Classifiers of class association rules: CBA, CMAR, CPAR and their relatives."""
