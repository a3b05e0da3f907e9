"""
Several separators of one set
=============================

Where one line separates two classes, many do. The perceptron stops at the first that it meets, so that the order of the
rows decides; the widest margin and the fit of posteriors are two reasons to prefer one of them.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.linear import Hyperplane, PerceptronRule
from assay.linear.discriminants.convergence import convergence_bound

rng = np.random.default_rng(3)
y = np.repeat([0, 1], 25)
X = rng.normal(size=(50, 2)) * 0.7 + np.where(y[:, None] == 1, [1.6, 1.6], [-1.6, -1.6])
rules = [PerceptronRule(order="random", random_state=seed).fit(X, y) for seed in (0, 1, 5)]
planes = {f"perceptron, order {k}": model.hyperplane() for k, model in enumerate(rules, 1)}
w = convergence_bound(X, y).separator
planes["widest margin of (1, x)"] = Hyperplane(w[1:], w[0])

figure, ax = plt.subplots(figsize=(6, 4.8), layout="constrained")
for k, mark in enumerate("ox"):
    ax.scatter(*X[y == k].T, marker=mark, color=class_colour(k), s=30)
box = (-4.0, 4.0), (-4.0, 5.0)
for k, (name, plane) in enumerate(planes.items()):
    widest = name.startswith("widest")
    colour, width = ("black", 2.2) if widest else (class_colour(k + 2), 1.4)
    ax.plot(*plane.line(*box).T, color=colour, lw=width, label=name)
ax.set(xlim=box[0], ylim=box[1], xlabel="x1", ylabel="x2", title="all four lines separate the classes")
ax.legend(frameon=False, loc="upper right")
plt.show()
