"""
The smallest ball that holds most rows
======================================

Support vector data description looks for the smallest ball around the rows, some of which may stay outside at a price
C. Among the columns themselves it is a circle (left). In the space of a Gaussian kernel the ball becomes a region that
follows the rows, the more closely the narrower the kernel (middle and right). Circles are support vectors on the
boundary, squares those outside (IML 13.12).
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.kernels import RBF
from assay.svm import SVDD

rng = np.random.default_rng(0)
angle = rng.uniform(0.2, np.pi - 0.2, 50)
rows = np.column_stack([2 * np.cos(angle), 2 * np.sin(angle)]) + rng.normal(scale=0.25, size=(50, 2))
rows = np.vstack([rows, [[2.6, 3.2], [-0.2, -0.6]]])

balls = {"circle": "linear", "Gaussian, variance 1": RBF(1.0), "Gaussian, variance 0.1": RBF(np.sqrt(0.1))}
u, v = np.meshgrid(np.linspace(-3.6, 3.6, 241), np.linspace(-1.6, 4.2, 201))
figure, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained", sharey=True)
for ax, (name, kernel) in zip(axes, balls.items()):
    model = SVDD(C=0.06, kernel=kernel, tol=1e-8).fit(rows)
    score = model.decision_function(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
    ax.contourf(u, v, score, levels=[0, score.max()], colors=["#2166ac"], alpha=0.12)
    ax.contour(u, v, score, levels=[0], colors=["#2166ac"])
    ax.plot(*rows.T, "x", color="#333b45", markersize=4)
    outside = model.predict(rows) == -1
    edge = np.setdiff1d(model.support_, np.flatnonzero(outside))
    ax.plot(
        *rows[edge].T, "o", mfc="none", color="#333b45", markersize=8, label=f"{len(edge)} on the boundary"
    )
    ax.plot(
        *rows[outside].T, "s", mfc="none", color="#b35806", markersize=8, label=f"{outside.sum()} outside"
    )
    ax.set_title(f"{name}, C = 0.06", fontsize=10, loc="left")
    ax.set_aspect("equal")
    ax.legend(frameon=False, fontsize=8, loc="lower left")
plt.show()
