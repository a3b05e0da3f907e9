"""
A sum of curves
===============

An additive model finds the curve of each column, given the others. Two of the three columns here go together; only
one of the two matters, and the model tells them apart: the band of the other, which says how sure the curve is, holds
the line at zero everywhere.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.smoothers import AdditiveModel

rng = np.random.default_rng(2)
X = rng.uniform(-1, 1, (300, 3))
X[:, 2] = 0.7 * X[:, 0] + 0.3 * X[:, 2]
terms = np.c_[np.sin(3 * X[:, 0]), X[:, 1] ** 2, np.zeros(300)]
y = 5 + terms.sum(axis=1) + rng.normal(0, 0.3, 300)

model = AdditiveModel().fit(X, y)
curves, bands = model.curves(X), model.curve_bands(X)
figure, axes = plt.subplots(1, 3, figsize=(12, 4), sharey=True, layout="constrained")
for j, ax in enumerate(axes):
    order = np.argsort(X[:, j])
    left = y - model.predict(X) + curves[:, j]
    ax.plot(X[:, j], left, "x", ms=4, color="#9aa3ad", label="what the others leave")
    low, high = bands[j].low[order], bands[j].high[order]
    ax.fill_between(X[order, j], low, high, color=class_colour(0), alpha=0.25, lw=0, label="95 % for each x")
    ax.plot(X[order, j], curves[order, j], color=class_colour(0), lw=2, label="curve found")
    ax.plot(
        X[order, j], (terms[:, j] - terms[:, j].mean())[order], color="#15202b", lw=1, ls="--", label="truth"
    )
    ax.set_title(f"column {j}")
axes[0].legend(frameon=False)
plt.show()
