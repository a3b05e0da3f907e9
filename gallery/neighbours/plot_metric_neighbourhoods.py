"""
A circle and an ellipse around a query
======================================

Which rows are near depends on the metric. Left (IML figure 8-7): the three nearest rows of the query are o's within
Euclid's circle, x's within the ellipse of a Mahalanobis metric that counts mostly the direction l. Right (DC figure
10.11): two long classes side by side; the circle around the query holds more rows of the wrong class than of its own,
the ellipse stretched along the classes holds more of the right one.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.distances import Mahalanobis, metric_of


def outline(L, centre, radius):
    """The points at this distance in the metric |L (x - centre)|."""
    angle = np.linspace(0, 2 * np.pi, 200)
    return centre[:, None] + np.linalg.inv(L) @ (radius * np.stack([np.cos(angle), np.sin(angle)]))


figure, axes = plt.subplots(1, 2, figsize=(11.5, 5.4), layout="constrained")

# IML figure 8-7
X = np.array([[-1, 0], [0, 1], [1, 2], [-0.5, 0.5], [-3, -3], [-2, -2], [3, 3], [4, 4]])
y = np.array(list("ooooxxxx"))
query = np.zeros((1, 2))
l = np.array([1, -1]) / np.sqrt(2)
M = np.outer(l, l) + 0.01 * np.eye(2)
metrics = {"Euclid": metric_of("euclidean"), "Mahalanobis": Mahalanobis(VI=M)}
maps = {"Euclid": np.eye(2), "Mahalanobis": np.linalg.cholesky(M).T}
found = {}
ax = axes[0]
for name, style in (("Euclid", "-"), ("Mahalanobis", "--")):
    apart = metrics[name].between(query, X)[0]
    near = np.argsort(apart, kind="stable")[:3]
    found[name] = (apart, "".join(y[near]))
    ax.plot(*outline(maps[name], query[0], apart[near[-1]]), style, color="black", lw=1.3, label=name)
for k, mark in enumerate("ox"):
    ax.scatter(
        *X[y == mark].T, marker=mark, s=60, color=class_colour(k), lw=2, zorder=3, label=f"class {mark}"
    )
ax.scatter(*query.T, marker="s", s=75, color="black", zorder=4, label="query")
ax.annotate("", 2.2 * l, -2.2 * l, arrowprops={"arrowstyle": "->", "color": "#8a939e"})
ax.text(*(2.45 * l), "l", color="#5f6975")
ax.set(xlim=(-5, 5), ylim=(-5, 5), aspect="equal", title="Three nearest rows: ooo or xxx")

# DC figure 10.11
rng = np.random.default_rng(11)
along, across = np.array([0.8, 0.6]), np.array([-0.6, 0.8])
steps = np.linspace(-6, 6, 25)
rows = [
    steps[:, None] * along + side * across + rng.normal(scale=0.14, size=(25, 2)) for side in (0.55, -0.55)
]
rows[0] = rows[0][np.abs(steps) > 1.3]  # class A has a gap where the query is
long_X, long_y = np.concatenate(rows), np.repeat(["A", "B"], [len(rows[0]), len(rows[1])])
asked = 0.45 * across
stretched = np.stack([along / 4, across / 0.65])
share = {}
ax = axes[1]
for name, L, style in (("circle", np.eye(2) / 1.35, "-"), ("ellipse", stretched, "--")):
    inside = np.linalg.norm((long_X - asked) @ L.T, axis=1) <= 1
    share[name] = (int(np.sum(long_y[inside] == "A")), int(np.sum(long_y[inside] == "B")))
    ax.plot(
        *outline(L, asked, 1.0),
        style,
        color="black",
        lw=1.3,
        label=f"{name}: {share[name][0]} A, {share[name][1]} B",
    )
for k, name in enumerate("AB"):
    ax.scatter(*long_X[long_y == name].T, s=32, color=class_colour(k), zorder=3, label=f"class {name}")
ax.scatter(*asked, marker="s", s=75, color="black", zorder=4, label="query (of class A)")
ax.set(xlim=(-5.5, 5.5), ylim=(-5.5, 5.5), aspect="equal", title="Two long classes")
for ax in axes:
    ax.legend(loc="upper left", fontsize=9)
plt.show()
