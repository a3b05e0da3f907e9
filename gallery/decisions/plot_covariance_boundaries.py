"""
What is assumed of the covariances draws the boundary
=====================================================

One sample of two classes, and four assumptions about their covariances: different (a quadratic boundary), shared,
shared and diagonal, spherical (all linear). ``GaussianClassifierCV`` chooses among them by cross-validation.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.bayes import (
    LinearDiscriminantAnalysis,
    NearestMean,
    QuadraticDiscriminantAnalysis,
    SharedDiagonalNB,
)
from assay.tables.generators import make_gaussian_classes

data = make_gaussian_classes(
    200, [[0, 0], [2.2, 1.2]], [[[1.0, 0.7], [0.7, 1.2]], [[1.4, -0.5], [-0.5, 0.5]]], random_state=3
)
X, y = data.X.values, data.codes
models = {
    "different covariances: quadratic": QuadraticDiscriminantAnalysis(store_covariance=True),
    "shared covariance: linear": LinearDiscriminantAnalysis(solver="lsqr", store_covariance=True),
    "shared, diagonal: naive Bayes": SharedDiagonalNB(),
    "spherical: nearest mean": NearestMean(),
}
x1, x2 = np.meshgrid(np.linspace(-4, 6, 161), np.linspace(-4, 5, 161))
grid = np.column_stack([x1.ravel(), x2.ravel()])
figure, axes = plt.subplots(2, 2, figsize=(10, 9), sharex=True, sharey=True, layout="constrained")
errors = {}
for axis, (name, model) in zip(axes.ravel(), models.items()):
    posterior = model.fit(X, y).predict_proba(grid)[:, 1].reshape(x1.shape)
    errors[name] = 1 - model.score(X, y)
    axis.contourf(x1, x2, posterior, levels=np.linspace(0, 1, 11), cmap="PuOr_r", alpha=0.5)
    axis.contour(x1, x2, posterior, levels=[0.5], colors="black")
    for k, colour in enumerate(["#4c2a85", "#b35806"]):
        axis.scatter(*X[y == k].T, s=8, color=colour)
    axis.set_title(f"{name}, training error {errors[name]:.1%}")
plt.show()
