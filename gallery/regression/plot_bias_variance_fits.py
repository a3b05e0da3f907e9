"""
Fits to five samples, and their mean
====================================

Samples of 20 rows from 2 sin(1.5 x) with noise, and polynomials of degree 1, 3 and 5. Lines agree with each other and
are all wrong: bias. Curves of degree 5 are right on average and disagree: variance. Degree 3 is the compromise.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.stats import bias_variance, polynomial_model

grid = np.linspace(0, 5, 200)
degrees = [1, 3, 5]
random = np.random.default_rng(2)
result = bias_variance(
    lambda x: 2 * np.sin(1.5 * x),
    1.0,
    lambda random, n: random.uniform(0, 5, n),
    20,
    5,
    {k: polynomial_model(k) for k in degrees},
    grid,
    random,
)
x = random.uniform(0, 5, 20)
r = 2 * np.sin(1.5 * x) + random.normal(size=20)

figure, axes = plt.subplots(2, 2, figsize=(10, 7), sharex=True, sharey=True, layout="constrained")
first, *others = axes.ravel()
first.plot(x, r, "o", ms=5, color="#5f6975", label="one sample")
first.set_title("f and one sample")
for k, fits, mean, ax in zip(degrees, result.fits, result.mean_fits, others):
    ax.plot(grid, fits.T, color=class_colour(0), lw=0.9, alpha=0.7)
    ax.plot(grid, mean, "--", color=class_colour(1), lw=2, label="mean of the fits")
    ax.set_title(f"degree {k}")
for ax in axes.ravel():
    ax.plot(grid, result.truth, color="#1f2933", lw=1.3, label="f(x) = 2 sin(1.5 x)")
    ax.set_ylim(-5, 5)
    ax.legend(frameon=False, loc="upper right", fontsize=8)
plt.show()
