"""
Curves drawn from a posterior, and their average
================================================

Polynomials of degree 3, 5 and 8 through thirteen points of a cubic with noise, both weights and noise unknown. Each
thin curve is one draw from the posterior: by itself no better than the fit of maximum likelihood (dashed), which bends
more with every degree. The average of the draws is smooth.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.linear import BayesianLinearRegression, PolynomialRegressor

x = np.arange(-1.5, 1.51, 0.25)[:, None]
r = np.array([-1.09, -0.11, 0.66, 0.73, 0.49, 0.45, 0.33, -0.12, -0.80, -1.02, -0.66, 0.09, 0.54])
grid = np.linspace(-1.5, 1.5, 200)[:, None]
truth = grid[:, 0] ** 3 - 1.5 * grid[:, 0]

errors = {}
figure, axes = plt.subplots(1, 3, figsize=(11, 3.8), sharey=True, layout="constrained")
for degree, ax in zip((3, 5, 8), axes):
    model = BayesianLinearRegression(
        1.0, "gamma", a_0=1.0, b_0=0.1, degree=degree, penalize_intercept=True
    ).fit(x, r)
    draws = model.sample_y(grid, 10, random_state=1, noise=False)
    likely = PolynomialRegressor(degree).fit(x, r).predict(grid)
    average = draws.mean(axis=1)
    errors[degree] = [float(np.mean((curve - truth) ** 2)) for curve in (*draws.T, average, likely)]
    ax.plot(grid, draws, color=class_colour(0), lw=0.7, alpha=0.5)
    ax.plot(grid, average, color=class_colour(0), lw=2.6, label="average of ten draws")
    ax.plot(grid, likely, "--", color="#5f6975", lw=1.3, label="maximum likelihood")
    ax.plot(x, r, "o", color="#1f2933", ms=4, mfc="none")
    ax.set(title=f"degree {degree}", xlabel="x")
axes[0].legend(frameon=False, fontsize=8, loc="upper center")
plt.show()
