"""
Gaussian processes with three kernels
=====================================

A Gaussian process gives each x a mean and a standard deviation. With a linear kernel its functions are straight lines,
with a quadratic one parabolas, whose uncertainty grows away from the rows. With a Gaussian kernel they bend as the rows
ask for, and far from all rows mean and band return to what was believed before: 0, plus and minus 1 (IML 16.9).
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.kernels import RBF, Polynomial
from assay.processes import GaussianProcessRegressor

rng = np.random.default_rng(4)
x = np.sort(rng.uniform(-0.5, 6, 9))
y = np.sin(1.3 * x) + rng.normal(scale=0.2, size=len(x))
grid = np.linspace(-1, 8, 361)

kernels = {
    "Linear": Polynomial(1, gamma=1.0, coef0=1.0),
    "Quadratic": Polynomial(2, gamma=1.0, coef0=1.0),
    "Gaussian, s² = 0.5": RBF(0.5),  # exp(-d^2 / s^2) with s^2 = 2 times the squared length scale
}
figure, axes = plt.subplots(1, 3, figsize=(12.5, 4), layout="constrained", sharey=True)
bands = {}
for ax, (name, kernel) in zip(axes, kernels.items()):
    model = GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None).fit(x[:, None], y)
    mean, sd = model.predict(grid[:, None]), np.sqrt(model.variances(grid[:, None]).latent)
    ax.fill_between(grid, mean - sd, mean + sd, color="#2166ac", alpha=0.2, label="one standard deviation")
    ax.plot(grid, mean, color="#2166ac", label="mean")
    ax.plot(x, y, "o", color="#b35806", label="training rows")
    ax.set(xlabel="x", ylim=(-3, 3))
    ax.set_title(name, fontsize=10, loc="left")
    bands[name] = sd
axes[0].set_ylabel("y")
axes[0].legend(frameon=False, loc="lower left")
plt.show()
