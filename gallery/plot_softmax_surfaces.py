"""
Discriminants and posteriors as surfaces
========================================

Three classes in the plane. Left: their linear discriminants, three planes. Right: the softmax of them, the posteriors,
each close to 1 where its plane is on top.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import softmax

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

figure, (left, right) = plt.subplots(
    1, 2, figsize=(11, 4.8), subplot_kw={"projection": "3d"}, layout="constrained"
)
for ax, heights, title in ((left, scores, "discriminants"), (right, posterior, "softmax posteriors")):
    for k in range(3):
        ax.plot_surface(*np.moveaxis(grid, -1, 0), heights[..., k], color=class_colour(k), alpha=0.55)
    ax.set(xlabel="x1", ylabel="x2", title=title)
    ax.view_init(32, -70)
plt.show()
