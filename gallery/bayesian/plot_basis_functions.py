"""
Basis functions and error bars
==============================

The same points with the basis functions (1, x), (1, x, x²) and (1, x, ..., x⁶). Every fit comes with its own error
bars: one standard deviation of a new point. The line cannot bend and calls what it misses noise; the degree six knows
that it does not know what happens beyond the points.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.linear import BayesianLinearRegression

random = np.random.default_rng(5)
x = np.sort(random.uniform(-1, 1, 14))[:, None]
r = 0.3 + 0.8 * x[:, 0] - 1.6 * x[:, 0] ** 2 + random.normal(0, 0.2, 14)
grid = np.linspace(-1.5, 1.5, 200)[:, None]

models = {}
figure, axes = plt.subplots(1, 3, figsize=(11, 3.8), sharey=True, layout="constrained")
for degree, ax in zip((1, 2, 6), axes):
    model = BayesianLinearRegression(degree=degree).fit(x, r)
    models[degree] = model
    mean, sd = model.predict(grid, return_std=True)
    ax.fill_between(grid[:, 0], mean - sd, mean + sd, color=class_colour(0), alpha=0.2, lw=0)
    ax.plot(grid, mean, color=class_colour(0), lw=2)
    ax.plot(x, r, "o", color="#1f2933", ms=4)
    ax.set(title=f"degree {degree}, log evidence {model.log_evidence_:.1f}", xlabel="x", ylim=(-4.5, 2))
plt.show()
