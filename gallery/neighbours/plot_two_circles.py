"""
A class that flips with k
=========================

The same query, two circles: the one that holds the three nearest rows says one class, the one that holds the seven
nearest says the other (C3 figure 3-9). How many neighbours vote is a choice, and cross-validation can make it.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.neighbors import KNeighborsClassifier

inner = [(0.5, 0.2), (-0.35, 0.6), (0.1, -0.75)]
outer = [(1.1, 0.9), (-1.25, 0.5), (-0.9, -1.0), (0.7, -1.3), (1.5, -0.3)]
far = [(2.4, 1.6), (-2.3, 1.4), (2.2, -1.9), (-2.1, -1.8), (0.2, 2.4), (-0.5, -2.5)]
X = np.array(inner + outer + far)
y = np.array(
    ["triangle"] * 2
    + ["disc"]
    + ["disc"] * 5
    + ["triangle", "disc", "triangle", "triangle", "disc", "triangle"]
)
query = np.zeros((1, 2))
said, radii = {}, {}
angle = np.linspace(0, 2 * np.pi, 200)
ring = np.stack([np.cos(angle), np.sin(angle)])

figure, ax = plt.subplots(figsize=(5.8, 5.6), layout="constrained")
for k, style in ((3, "-"), (7, "--")):
    model = KNeighborsClassifier(k).fit(X, y)
    radii[k] = float(model.kneighbors(query)[0][0, -1])
    posterior = dict(zip(model.classes_, model.predict_proba(query)[0]))
    said[k] = str(model.predict(query)[0])
    word = f"k = {k}: {said[k]} ({posterior[said[k]]:.2f})"
    ax.plot(*((radii[k] + 0.08) * ring), style, color="black", lw=1.5, label=word)
for c, (name, mark) in enumerate((("disc", "o"), ("triangle", "^"))):
    ax.scatter(*X[y == name].T, marker=mark, s=62, color=class_colour(c), zorder=3, label=name)
ax.scatter(0, 0, marker="s", s=75, color="black", zorder=3, label="query")
ax.set(xlim=(-3, 3), ylim=(-3, 3), aspect="equal", xlabel="$x_1$", ylabel="$x_2$")
ax.legend(loc="upper right", fontsize=9)
plt.show()
