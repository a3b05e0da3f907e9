"""
The line between two classes, and distances from it
===================================================

A linear discriminant cuts the plane in two. Left: two classes, the line :math:`g = 0`, its normal and the signed
distances of three points. Right: the parts of the geometry for :math:`w = (3, 4)` and :math:`w_0 = -10`: the normal,
the distance r of a point, its foot, and the distance :math:`r_0` of the origin.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.linear import Hyperplane, LogisticRegression
from assay.plots import BoundaryDisplay
from assay.tables.generators import make_gaussian_classes

data = make_gaussian_classes(80, [[0, 0], [2.6, 1.8]], [[0.7, 0.2], [0.2, 0.5]], random_state=3)
X, y = data.X.values, np.where(data.codes == 0, "g < 0", "g > 0")
model = LogisticRegression().fit(X, y)
points = np.array([[0.0, 1.6], [3.2, 0.4], [1.4, -1.0]])

figure, axes = plt.subplots(1, 2, figsize=(11.5, 5), layout="constrained")
display = BoundaryDisplay.from_estimator(model, X, y, ax=axes[0], normals=True, distances=points)
axes[0].scatter(*points.T, color="black", marker="*", s=70, zorder=4)
axes[0].legend(loc="upper left")
axes[0].set(aspect="equal", title="two classes, and the line g = 0")

plane = Hyperplane([3.0, 4.0], -10.0)
x = np.array([4.0, 3.0])
foot, origin = plane.project(x), plane.project(np.zeros(2))
ends = plane.line((-1, 5), (-1, 4))
right = axes[1]
right.plot(*ends.T, color="black", linewidth=2)
right.text(3.1, -0.55, "g = 0")
look = {"arrowstyle": "-|>", "color": "#0072b2", "lw": 2, "shrinkA": 0, "shrinkB": 0}
base = foot - np.array([1.2, -0.9])
right.annotate("", xy=base + 0.9 * plane.normal / 5, xytext=base, arrowprops=look)
right.text(*(foot - [0.95, -1.55]), "w", color="#0072b2")
right.plot(*np.column_stack((x, foot)), color="#d55e00", linestyle="--")
right.scatter(*np.column_stack((x, foot)), color="#d55e00", zorder=3)
right.text(4.1, 3.0, "x = (4, 3)")
right.text(2.45, 0.5, "foot (2.32, 0.76)")
right.text(2.55, 2.0, f"r = {plane.distance(x):.1f}", color="#d55e00")
right.plot(*np.column_stack((np.zeros(2), origin)), color="#555555", linestyle=":")
right.scatter(0, 0, color="#555555")
right.text(0.15, 1.05, f"$r_0$ = {plane.origin_distance:.0f}", color="#555555")
right.set(
    xlim=(-1, 5.5), ylim=(-1, 4), aspect="equal", xlabel="x1", ylabel="x2", title="w = (3, 4), w0 = -10"
)
plt.show()
