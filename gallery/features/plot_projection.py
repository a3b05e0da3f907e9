"""
A good and a bad direction to project on
========================================

The same two classes, projected on the direction in which both classes spread alike, and on Fisher's direction.
Fisher's criterion compares the distance of the projected means with the spread around them.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.bayes import FisherDiscriminant
from assay.stats import class_scatter, fisher_criterion, vector_projection
from assay.tables.generators import make_gaussian_classes

data = make_gaussian_classes(160, [[0, 0], [1.6, -1.2]], [[2.0, 1.6], [1.6, 2.0]], random_state=1)
X, y = data.X.values, data.codes
model = FisherDiscriminant().fit(X, y)
good = model.direction_
bad = np.array([-good[1], good[0]])
scatter = class_scatter(X, y)

figure, axes = plt.subplots(1, 2, figsize=(11, 5.5), layout="constrained")
for axis, direction, name in zip(axes, [bad, good], ["a bad direction", "Fisher's direction"]):
    centre = X.mean(axis=0)
    feet = vector_projection(X - centre, direction) + centre
    for k, colour in enumerate(["#0b5cad", "#d97706"]):
        axis.scatter(*X[y == k].T, color=colour, s=12, alpha=0.5)
        axis.scatter(*feet[y == k].T, color=colour, s=12, marker="|")
        axis.scatter(*feet[y == k].mean(axis=0), color=colour, s=90, edgecolor="black", zorder=3)
    axis.axline(centre, centre + direction, color="#555555", linewidth=0.8)
    J = fisher_criterion(direction, scatter.within, scatter.between)
    axis.set(title=f"{name}: J = {J:.4f}", aspect="equal")
plt.show()
