"""
Discriminants and posteriors as surfaces
========================================

Three classes in the plane. Above: their linear discriminants, three planes. Below: the softmax of them, the
posteriors, each close to 1 where its plane is on top. On the right a class that is an interval: a quadratic
discriminant is negative between 2 and 4, and its sigmoid below 0.5 there.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit, softmax

from assay.core.palette import class_colour
from assay.linear import LogisticDiscriminant

rng = np.random.default_rng(0)
centres = np.array([[-2.0, -1.0], [2.0, -1.0], [0.0, 2.0]])
y = np.repeat([0, 1, 2], 40)
X = centres[y] + rng.normal(size=(120, 2))
model = LogisticDiscriminant(max_iter=5000).fit(X, y)

side = np.linspace(-4, 4, 33)
grid = np.stack(np.meshgrid(side, side), axis=-1)
scores = model.decision_function(grid.reshape(-1, 2)).reshape(33, 33, 3)
posterior = softmax(scores, axis=-1)

figure = plt.figure(figsize=(12, 8))
above = figure.add_axes((0.02, 0.5, 0.5, 0.44), projection="3d")
below = figure.add_axes((0.02, 0.01, 0.5, 0.44), projection="3d")
for ax, heights, title in ((above, scores, "discriminants"), (below, posterior, "softmax posteriors")):
    for k in range(3):
        ax.plot_surface(*np.moveaxis(grid, -1, 0), heights[..., k], color=class_colour(k), alpha=0.55)
    ax.set(xlabel="x1", ylabel="x2", title=title)
    ax.view_init(32, -70)

x = np.linspace(0, 6, 601)
g = (x - 3) ** 2 - 1
boundaries = x[1:][np.diff(np.sign(np.round(g, 12))) != 0]
for place, curve, level, title in ((2, g, 0, "g = (x - 3)² - 1"), (4, expit(g), 0.5, "sigmoid of g")):
    ax = figure.add_axes((0.57, 0.56 if place == 2 else 0.08, 0.4, 0.36))
    ax.plot(x, curve, color=class_colour(0), lw=2)
    ax.axhline(level, color="#5f6975", lw=0.8)
    ax.axvspan(2, 4, color=class_colour(1), alpha=0.15)
    ax.set(xlabel="x", title=title, xlim=(0, 6))
plt.show()
