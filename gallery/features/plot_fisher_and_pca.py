"""
What varies most need not tell classes apart
============================================

Principal components follow the spread of all rows, Fisher's direction the difference between the classes. Left the
means differ along the long axis of the clouds, and both agree; right they differ along the short axis, and the first
principal component mixes the classes.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.bayes import FisherDiscriminant
from assay.core.palette import class_colour
from assay.tables.generators import make_gaussian_classes

turn = np.array([[np.cos(0.5), -np.sin(0.5)], [np.sin(0.5), np.cos(0.5)]])
spread = turn @ np.diag([2.5, 0.25]) @ turn.T
cases = {
    "means apart along the long axis": turn[:, 0] * 7.0,
    "means apart along the short axis": turn[:, 1] * 2.2,
}

angles = {}
figure, axes = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
for axis, (name, gap) in zip(axes, cases.items()):
    data = make_gaussian_classes(1000, [[0, 0], gap], spread, random_state=5)
    X, y = data.X.values, data.codes
    fisher = FisherDiscriminant().fit(X, y).direction_
    component = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][0]
    angles[name] = np.degrees(np.arccos(min(1.0, abs(fisher @ component))))
    for k in (0, 1):
        axis.scatter(*X[y == k].T, s=5, color=class_colour(k), alpha=0.7)
    centre = X.mean(axis=0)
    for direction, look, label in [(fisher, "-", "Fisher"), (component, "--", "first principal component")]:
        axis.axline(centre, centre + direction, color="#15202b", linestyle=look, label=label)
    axis.set(aspect="equal", title=f"{name}:\n{angles[name]:.0f} degrees between the directions")
    axis.legend(loc="lower right")
plt.show()
