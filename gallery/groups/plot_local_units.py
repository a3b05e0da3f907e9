"""
Local units: bells, shares, codes
=================================

A Gaussian unit responds near its centre and hardly anywhere else. Shared out, units divide the line among them. A local
code names the region that a point is in; a distributed code says on which side of each line it lies. Two round units,
or one oblique ellipse, solve exclusive or.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Ellipse

from assay.core.palette import class_colour
from assay.local import Units

figure, axes = plt.subplots(2, 3, figsize=(13, 7.6), layout="constrained")

# One bell, m = 0 and s = 1: three spreads away from the centre nothing is left.
x = np.linspace(-5, 5, 401)[:, None]
bell = Units.of([[0.0]], 1.0).activations(x)[:, 0]
axes[0, 0].plot(x[:, 0], bell, color=class_colour(0), lw=2)
for edge in (-3, 3):
    axes[0, 0].axvline(edge, color="0.6", lw=0.8, ls=":")
axes[0, 0].set(title="a bell, and three spreads", xlabel="x", ylabel="p(x)")

# Three units before and after they share out what is one.
centers = np.array([[-2.0], [0.0], [2.5]])
units = Units.of(centers, [0.8, 0.6, 1.0])
for h, (p, g) in enumerate(zip(units.activations(x).T, units.shares(x).T)):
    axes[0, 1].plot(x[:, 0], p, color=class_colour(h), lw=1.8)
    axes[0, 1].plot(x[:, 0], g, color=class_colour(h), lw=1.4, ls="--")
axes[0, 1].plot(centers[:, 0], np.zeros(3), "k*", ms=9)
axes[0, 1].set(title="units, and (dashed) their shares", xlabel="x")

# Two round units for exclusive or: the output is p1 + p2 - 0.5.
corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
grid = np.linspace(-0.6, 1.6, 161)
plane = np.array([[a, b] for b in grid for a in grid])
round_units = Units.of([[0.0, 1.0], [1.0, 0.0]], 0.5)
oblique = Units.of([[0.5, 0.5]], 0.25 * np.array([[[1.0, -0.8], [-0.8, 1.0]]]))
scores = {
    "two round units": (round_units.activations(plane).sum(axis=1) - 0.5, axes[0, 2]),
    "one oblique unit": (oblique.activations(plane)[:, 0] - 0.3, axes[1, 2]),
}
for title, (score, ax) in scores.items():
    ax.contourf(grid, grid, score.reshape(161, 161), levels=[-9, 0, 9], colors=["#eef2f6", "#fff0d5"])
    ax.contour(grid, grid, score.reshape(161, 161), levels=[0], colors="0.3", linewidths=1.2)
    for corner in corners:
        other = corner[0] != corner[1]
        ax.scatter(*corner, s=90, color=class_colour(int(other)), marker="s" if other else "o", zorder=3)
    ax.set(title=f"exclusive or: {title}", xlabel="x1", ylabel="x2", aspect="equal")

# The same points in a local code (which units are on) and in a distributed one (on which side of each line).
points = np.array(
    [
        [2.0, 8.2],
        [2.9, 5.6],
        [1.6, 2.4],
        [4.6, 9.2],
        [4.8, 3.4],
        [6.6, 8.0],
        [8.4, 6.6],
        [8.2, 1.6],
        [5.6, 5.5],
    ]
)
places = np.array([[2.5, 7.0], [7.5, 7.5], [5.0, 2.5]])
lines = np.array([[1.0, -0.3, -3.2], [0.2, 1.0, -5.6], [-1.0, -0.6, 9.8]])
local = Units.of(places, 2.2).squares(points) < 1
distributed = points @ lines[:, :2].T + lines[:, 2] > 0
for ax, codes, title in (
    (axes[1, 0], local, "a local code"),
    (axes[1, 1], distributed, "a distributed code"),
):
    ax.scatter(*points.T, s=18, color="0.2", zorder=3)
    for point, code in zip(points, codes):
        ax.annotate(
            "".join(map(str, code.astype(int))), point, xytext=(4, 4), textcoords="offset points", fontsize=9
        )
    ax.set(title=title, xlim=(0, 10), ylim=(0, 10), aspect="equal", xlabel="x1", ylabel="x2")
for h, place in enumerate(places):
    axes[1, 0].add_patch(Ellipse(place, 4.4, 4.4, fill=False, color=class_colour(h), lw=1.8))
across = np.linspace(0, 10, 2)
for h, (a, b, c) in enumerate(lines):
    axes[1, 1].plot(across, -(a * across + c) / b, color=class_colour(h), lw=1.8)
plt.show()
