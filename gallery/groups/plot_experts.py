"""
Experts and their gate
======================

A Bayesian mixture of experts learns several lines and where each of them holds. Left: the slope changes with the
region, and the gate finds where. Right: both lines hold everywhere, so the predictive density has two ridges, and its
mean, between them, is a value that hardly ever occurs.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.mixture import BayesianMixtureOfExperts

rng = np.random.default_rng(0)
x = rng.uniform(-2, 2, (250, 1))
bends = np.where(x[:, 0] < 0.3, -0.8 * x[:, 0], 1.5 * x[:, 0] - 0.7) + 0.12 * rng.normal(size=250)
crosses = np.where(rng.uniform(size=250) < 0.5, x[:, 0], -x[:, 0]) + 0.12 * rng.normal(size=250)

grid, levels = np.linspace(-2.2, 2.2, 160), np.linspace(-2.8, 3.2, 160)
figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
for ax, y, title in zip(axes, (bends, crosses), ("one line here, another there", "two lines everywhere")):
    model = BayesianMixtureOfExperts(2, random_state=0).fit(x, y)
    plane = np.repeat(grid, len(levels))[:, None]
    density = np.exp(model.predict_distribution(plane).logpdf(np.tile(levels, len(grid))))
    ax.pcolormesh(grid, levels, density.reshape(len(grid), -1).T, cmap="Greys", vmax=2.0, rasterized=True)
    speaks = model.predict_experts(x).argmax(axis=1) if title.startswith("one") else np.zeros(250, dtype=int)
    ax.scatter(x[:, 0], y, s=9, c=[class_colour(k) for k in speaks], lw=0)
    ax.plot(grid, model.predict(grid[:, None]), color=class_colour(3), lw=2, label="mean")
    ax.set(title=title, xlabel="x", ylabel="y")
    ax.legend(frameon=False, loc="upper left")
plt.show()
