"""
Bivariate normal densities
==========================

A surface, and the contours of four covariances: none and equal variances, none and unequal variances, positive,
negative. The long axis of the ellipse rises with positive and falls with negative covariance.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.stats import MultivariateGaussian

covariances = {
    "no covariance, equal variances": [[1.0, 0.0], [0.0, 1.0]],
    "no covariance, Var(x1) > Var(x2)": [[2.0, 0.0], [0.0, 0.5]],
    "positive covariance": [[1.5, 0.9], [0.9, 1.0]],
    "negative covariance": [[1.5, -0.9], [-0.9, 1.0]],
}
axis_points = np.linspace(-3.5, 3.5, 141)
x1, x2 = np.meshgrid(axis_points, axis_points)
grid = np.column_stack([x1.ravel(), x2.ravel()])
density = {
    name: np.exp(MultivariateGaussian([0, 0], cov).logpdf(grid)).reshape(x1.shape)
    for name, cov in covariances.items()
}
major_axis = {name: np.linalg.eigh(cov)[1][:, 1] for name, cov in covariances.items()}

# %%
# The surface of the third one.
figure = plt.figure(figsize=(6, 5), layout="constrained")
surface = figure.add_subplot(projection="3d")
surface.plot_surface(x1, x2, density["positive covariance"], cmap="viridis", linewidth=0)
surface.set(xlabel="x1", ylabel="x2", zlabel="p(x1, x2)")
plt.show()

# %%
# Contours of all four.
figure, axes = plt.subplots(2, 2, figsize=(8, 8), layout="constrained")
for axis, (name, values) in zip(axes.ravel(), density.items()):
    axis.contour(x1, x2, values, levels=6)
    axis.set(title=name, aspect="equal", xlabel="x1", ylabel="x2")
plt.show()
