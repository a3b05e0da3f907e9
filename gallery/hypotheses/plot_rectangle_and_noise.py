"""
A simple and a complex hypothesis under noise
=============================================

The class is a rectangle, but one label in ten is wrong. A rectangle with four parameters makes some errors on the
training rows; the nearest neighbour makes none, with a boundary that winds around every wrong label. On new rows the
simple one is the better one.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle
from sklearn.neighbors import KNeighborsClassifier

from assay.core.palette import class_colour
from assay.rules import ThresholdRuleClassifier

rng = np.random.default_rng(1)


def draw(n, noise):
    X = rng.uniform(0, 10, (n, 2))
    y = ((X > [2.5, 3]) & (X < [7, 7.5])).all(axis=1)
    return X, y ^ (rng.random(n) < noise)


X, y = draw(150, 0.1)
X_new, y_new = draw(5000, 0.0)
low_high = np.column_stack([X, -X])
rule = ThresholdRuleClassifier(positive=True).fit(low_high, y)
ends = {c.column: c.low for c in rule.rules_[0].conditions}
simple = lambda Z: rule.predict(np.column_stack([Z, -Z]))  # noqa: E731
wiggly = KNeighborsClassifier(1).fit(X, y)
errors = {
    "rectangle": (np.mean(simple(X) != y), np.mean(simple(X_new) != y_new)),
    "nearest neighbour": (np.mean(wiggly.predict(X) != y), np.mean(wiggly.predict(X_new) != y_new)),
}

figure, axis = plt.subplots(figsize=(6.5, 6), layout="constrained")
side = np.linspace(0, 10, 400)
grid = np.array(np.meshgrid(side, side)).reshape(2, -1).T
axis.contour(
    side,
    side,
    wiggly.predict(grid).reshape(400, 400).astype(float),
    [0.5],
    colors=[class_colour(5)],
    linewidths=1.4,
)
left, bottom, right, top = ends.get(0, 0), ends.get(1, 0), -ends.get(2, -10), -ends.get(3, -10)
axis.add_patch(Rectangle((left, bottom), right - left, top - bottom, fill=False, lw=2.2, ec=class_colour(0)))
for k, mark in ((True, "+"), (False, "_")):
    axis.scatter(*X[y == k].T, marker=mark, s=55, color="#333333", linewidths=1.6)
for name, colour in (("rectangle", 0), ("nearest neighbour", 5)):
    train, new = errors[name]
    axis.plot(
        [],
        [],
        color=class_colour(colour),
        lw=2,
        label=f"{name}: {train:.0%} wrong here, {new:.0%} on new rows",
    )
axis.set(xlim=(0, 10), ylim=(0, 10), xlabel="x1", ylabel="x2")
axis.legend(loc="upper center", bbox_to_anchor=(0.5, 1.12))
plt.show()
