"""
A Gaussian process learns row by row
====================================

The same Gaussian kernel with more and more training rows: the band is narrow where rows are, and wide where they are
few. Each panel adds rows to the model of the panel before it by ``partial_fit``; thin lines are draws of the function
(IML 16.9).
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.kernels import RBF
from assay.processes import GaussianProcessRegressor

rng = np.random.default_rng(7)
x = rng.uniform(-0.5, 6, 40)
y = np.sin(1.3 * x) + rng.normal(scale=0.2, size=len(x))
grid = np.linspace(-1, 8, 181)

figure, axes = plt.subplots(2, 2, figsize=(10.5, 7), layout="constrained", sharex=True, sharey=True)
model = GaussianProcessRegressor(RBF(0.5), alpha=0.1, optimizer=None)
widths, before = [], 0
for ax, rows in zip(axes.flat, (2, 5, 10, 40)):
    model.partial_fit(x[before:rows, None], y[before:rows])
    mean, sd = model.predict(grid[:, None]), np.sqrt(model.variances(grid[:, None]).latent)
    ax.fill_between(grid, mean - sd, mean + sd, color="#2166ac", alpha=0.2, label="one standard deviation")
    draws = model.sample_y(grid[:, None], 3, random_state=0)
    ax.plot(grid, draws, color="#2166ac", linewidth=0.6, alpha=0.6)
    ax.plot(grid, mean, color="#2166ac", label="mean")
    ax.plot(x[:rows], y[:rows], "o", color="#b35806", label="training rows")
    ax.set_title(f"{rows} training rows", fontsize=10, loc="left")
    widths.append(float(sd.mean()))
    before = rows
for ax in axes[1]:
    ax.set_xlabel("x")
axes[0, 0].legend(frameon=False, loc="lower right")
plt.show()
