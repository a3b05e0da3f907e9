"""
Other hypotheses: circles, ellipses, and several rectangles
===========================================================

Left: the smallest circle around the positive examples, the largest one without a negative, and the middle between the
smallest and the nearest negative. Middle: where the columns are correlated, a tilted ellipse. Right: two clusters of
one class need two rectangles, a disjunction of conjunctions.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Circle, Rectangle

from assay.core.palette import class_colour
from assay.rules import BallClassifier, BoxUnionClassifier

blue, orange = class_colour(0), class_colour(5)
cars = np.array([[3, 3], [4, 5], [6, 4], [5, 6], [1, 4], [8, 5], [4, 1], [5, 9], [8, 8]], float)
family = np.array([1] * 4 + [0] * 5)
circles = {
    name: BallClassifier(name, positive=1).fit(cars, family) for name in ("specific", "middle", "general")
}

rng = np.random.default_rng(2)
band = rng.multivariate_normal([5, 5], [[2.2, 1.9], [1.9, 2.2]], 40)
around = rng.uniform(0, 10, (60, 2))
apart = np.abs((around - 5) @ [1, -1]) > 2.6
X = np.vstack([band, around[apart]])
y = np.repeat([1, 0], [len(band), int(apart.sum())])
ellipse = BallClassifier(shape="tilted", positive=1).fit(X, y)

two = np.vstack([rng.uniform([1, 1], [4, 3.5], (15, 2)), rng.uniform([6, 6], [9, 9], (15, 2))])
rest = rng.uniform(0, 10, (70, 2))
rest = rest[~(((rest > 0.6) & (rest < [4.4, 3.9])).all(axis=1) | (rest > 5.6).all(axis=1))]
Z, z = np.vstack([two, rest]), np.repeat([1, 0], [30, len(rest)])
union = BoxUnionClassifier(hypothesis="specific").fit(Z, z)
boxes = [rule for rule in union.rules_ if rule.answer == 1]

figure, axes = plt.subplots(1, 3, figsize=(14, 4.8), layout="constrained")
for axis, points, labels in zip(axes, (cars, X, Z), (family, y, z)):
    axis.scatter(*points[labels == 1].T, marker="+", s=70, color=blue, linewidths=1.8, zorder=3)
    axis.scatter(*points[labels == 0].T, marker="_", s=60, color=orange, linewidths=1.8, zorder=3)
    axis.set(xlim=(0, 10), ylim=(0, 10), xlabel="x1", ylabel="x2", aspect="equal")
for (name, model), style in zip(circles.items(), ("-", "--", ":")):
    axes[0].add_patch(Circle(model.centers_[0], model.radii_[0], fill=False, lw=1.8, ls=style, ec=blue))
    axes[0].plot([], [], style, color=blue, label=f"{name}, radius {model.radii_[0]:.2f}")
axes[0].legend(loc="upper left", fontsize=8)
axes[0].set_title("circles")
side = np.linspace(0, 10, 300)
grid = np.array(np.meshgrid(side, side)).reshape(2, -1).T
inside = (ellipse.predict(grid) == 1).reshape(300, 300).astype(float)
axes[1].contour(side, side, inside, [0.5], colors=[blue], linewidths=1.8)
axes[1].set_title("a tilted ellipse")
for rule in boxes:
    across, up = rule.conditions
    axes[2].add_patch(
        Rectangle(
            (across.low, up.low), across.high - across.low, up.high - up.low, fill=False, lw=1.8, ec=blue
        )
    )
axes[2].set_title(f"{len(boxes)} rectangles")
plt.show()
