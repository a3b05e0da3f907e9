"""
Iris on its two discriminants
=============================

Three classes have two discriminants: the directions that part the class means most, measured by the spread within the
classes. The first one has nearly all of the separation. Then versicolor and virginica alone: two classes have one
discriminant only, but Fisher's second direction, at a right angle to the first, makes a plane of it.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from assay.bayes import FisherDirections, LinearDiscriminantAnalysis
from assay.core.palette import class_colour

iris = load_iris()
X, y = iris.data, iris.target
model = LinearDiscriminantAnalysis().fit(X, y)
plane = model.transform(X)
two = FisherDirections(n_components=2).fit(X[y > 0], y[y > 0])
pair = two.transform(X[y > 0])

figure, axes = plt.subplots(1, 2, figsize=(12, 4.8), layout="constrained")
for k, name in enumerate(iris.target_names):
    axes[0].scatter(*plane[y == k].T, color=class_colour(k), marker="os^"[k], s=22, label=name)
    if k:
        axes[1].scatter(*pair[y[y > 0] == k].T, color=class_colour(k), marker="os^"[k], s=22, label=name)
shares = model.explained_variance_ratio_
axes[0].set(xlabel=f"first discriminant ({shares[0]:.1%})", ylabel=f"second discriminant ({shares[1]:.1%})")
axes[0].set_title("two discriminants of three classes")
axes[1].set(xlabel=f"FS = {two.criteria_[0]:.2f}", ylabel=f"FS = {two.criteria_[1]:.2f}")
axes[1].set_title("two orthogonal directions of two classes")
for axis in axes:
    axis.legend()
plt.show()
