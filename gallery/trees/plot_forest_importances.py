"""
Which columns a forest uses
===========================

The decrease of impurity that each column brings, as the mean over the trees of a forest, with its spread: single
trees differ much more than the forest.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from assay.ensembles import RandomForestClassifier
from assay.plots import ImportanceDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
model = RandomForestClassifier(n_estimators=60, random_state=0).fit(X, y)
display = ImportanceDisplay.from_estimator(model, max_columns=12)
plt.show()
