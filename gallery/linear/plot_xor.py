"""
The exclusive or, before and after a map
========================================

Left: no line separates the exclusive or; the quadrants of the cross do. Right: with :math:`\\varphi_1 = 2(x_1 - 0.5)`
and :math:`\\varphi_2 = 4(x_1 - 0.5)(x_2 - 0.5)` the line :math:`\\varphi_2 = 0` does, which the perceptron finds from
zero after two corrections; from other starts it finds other lines (dashed).
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.linear import PerceptronRule

X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
phi = np.column_stack([2 * (X[:, 0] - 0.5), 4 * (X[:, 0] - 0.5) * (X[:, 1] - 0.5)])
rule = PerceptronRule().fit(phi, y)
others = [
    PerceptronRule(start=start, rate=rate).fit(phi, y) for start, rate in (([0, 1, 0], 0.3), ([0, 1, 0], 1.0))
]

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
for corner in ((-0.5, 0.5), (0.5, -0.5)):
    left.add_patch(plt.Rectangle(corner, 1, 1, color=class_colour(1), alpha=0.15))
left.axvline(0.5, color="black", ls="--", lw=1.2)
left.axhline(0.5, color="black", ls="--", lw=1.2)
box = (-2.0, 2.0), (-2.0, 2.0)
right.axhspan(-2, 0, color=class_colour(1), alpha=0.15)
for model, style in ((rule, "-"), *((other, "--") for other in others)):
    right.plot(*model.hyperplane().line(*box).T, color="black", ls=style, lw=2 if style == "-" else 1)
for ax, points in ((left, X), (right, phi)):
    for k, mark in enumerate("ox"):
        ax.scatter(
            *points[y == k].T, marker=mark, s=90, color=class_colour(k), lw=2, zorder=3, label="-+"[k] + "1"
        )
    ax.set_aspect("equal")
left.set(xlim=(-0.5, 1.5), ylim=(-0.5, 1.5), xlabel="x1", ylabel="x2", title="not separable by a line")
right.set(xlim=box[0], ylim=box[1], xlabel="φ1", ylabel="φ2", title="separable after the map")
left.legend(frameon=False, loc="upper right")
plt.show()
