"""
The cells of the nearest neighbour
==================================

Each stored row answers for its own cell of the plane, the points that are nearer to it than to any other row (dashed).
The boundary of the classes (solid) runs along sides of cells between rows of different classes. Rows whose cell does
not touch it, nor would outside of the frame, (stars) could be dropped without any change (IML figure 8-5).
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial import Voronoi

from assay.core.palette import class_colour
from assay.neighbors import KNeighborsClassifier
from assay.neighbors.redundant_instances import redundant_instances

rng = np.random.default_rng(4)
X = rng.uniform(0, 10, size=(34, 2))
y = (X[:, 1] > 5 + 1.6 * np.sin(0.7 * X[:, 0])).astype(int)
needed = redundant_instances(X, y, method="cells").needed

mirrored = [
    X,
    *(X * s + t for s, t in (([-1, 1], [0, 0]), ([-1, 1], [20, 0]), ([1, -1], [0, 0]), ([1, -1], [0, 20]))),
]
cells = Voronoi(np.concatenate(mirrored))  # mirror images close the cells at the frame
sides = [
    (cells.vertices[ends], pair % len(X))
    for pair, ends in zip(cells.ridge_points, cells.ridge_vertices)
    if min(pair) < len(X) and -1 not in ends
]
boundary = [ends for (ends, (a, b)) in sides if y[a] != y[b]]

figure, ax = plt.subplots(figsize=(6.4, 6.2), layout="constrained")
for ends, _ in sides:
    ax.plot(*ends.T, color="#8a939e", lw=0.9, ls="--", zorder=1)
for ends in boundary:
    ax.plot(*ends.T, color="black", lw=2.2, zorder=2)
for k, name in enumerate(("class A", "class B")):
    for mark, size, which, word in (("o", 46, needed, ""), ("*", 130, ~needed, ", not needed")):
        rows = (y == k) & which
        ax.scatter(
            *X[rows].T,
            marker=mark,
            s=size,
            color=class_colour(k),
            ec="black",
            lw=0.6,
            zorder=3,
            label=name + word,
        )
ax.set(
    xlim=(0, 10),
    ylim=(0, 10),
    aspect="equal",
    xlabel="$x_1$",
    ylabel="$x_2$",
    title="1-nn: cells and boundary",
)
figure.legend(loc="outside lower center", ncols=2, frameon=False)

whole = KNeighborsClassifier(1).fit(X, y)
few = KNeighborsClassifier(1).fit(X[needed], y[needed])
plane = np.stack(np.meshgrid(np.linspace(0, 10, 120), np.linspace(0, 10, 120)), axis=-1).reshape(-1, 2)
changed = int(np.sum(whole.predict(plane) != few.predict(plane)))
print(f"{np.sum(~needed)} of {len(X)} rows can be dropped; answers that change: {changed}")
plt.show()
