"""
Rows in the order of their scores
=================================

A classifier with scores ranks the rows. In the ideal ranking all positives come before all negatives; real ones mix
them around the border, and wherever the ranking is cut, some rows fall on the wrong side. Logistic regression on
114 test rows of the breast cancer data; below, a tree with three leaves, whose rows tie.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from assay.linear import LogisticRegression
from assay.plots import RankStripDisplay
from assay.trees import DecisionTreeClassifier

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=2020)
centre, spread = X_train.mean(axis=0), X_train.std(axis=0)
Z_train, Z_test = (X_train - centre) / spread, (X_test - centre) / spread
regression = LogisticRegression(C=1.0, tol=1e-8).fit(Z_train, y_train)
tree = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0).fit(Z_train, y_train)
scores = {
    "logistic regression": regression.predict_proba(Z_test)[:, 1],
    "tree of three leaves": tree.predict_proba(Z_test)[:, 1],
}
labels = ["malignant", "benign"]
display = RankStripDisplay.from_predictions([labels[k] for k in y_test], scores, pos_label="benign")
plt.show()
