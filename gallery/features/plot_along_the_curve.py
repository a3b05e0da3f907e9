"""
Distance along the data
=======================

A pendulum swings in a plane, yet its place is one number. Principal components need two, since they see the straight
line between two places; Isomap measures along the neighbours and finds the angle. On the S-curve it unrolls the sheet,
and locally linear embedding does so from neighbourhoods alone.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_s_curve

from assay.reduce import PCA, Isomap, LocallyLinearEmbedding

theta = np.linspace(-np.pi / 3, np.pi / 3, 61)
pendulum = np.c_[np.sin(theta), -np.cos(theta)]
shares = PCA().fit(pendulum).explained_variance_ratio_
swing = Isomap(n_neighbors=2, n_components=1).fit(pendulum)
angle = swing.embedding_[:, 0] * np.sign(swing.embedding_[-1, 0])

X, along = make_s_curve(1000, random_state=0)
maps = {
    "principal components": PCA(2).fit_transform(X),
    "Isomap": Isomap(n_neighbors=12).fit_transform(X),
    "locally linear embedding": LocallyLinearEmbedding(n_neighbors=12).fit_transform(X),
}

figure, axes = plt.subplots(2, 3, figsize=(12.6, 7.4), layout="constrained")
axes[0, 0].plot(*pendulum.T, "o", ms=3, color="#1f4e79", label="places of the pendulum")
axes[0, 0].plot(*pendulum[[0, -1]].T, "--", color="#c0392b", label=f"straight: {np.sqrt(3):.2f}")
axes[0, 0].plot([], [], "-", color="#1f4e79", label=f"along the neighbours: {swing.dist_matrix_[0, -1]:.2f}")
axes[0, 0].set(title=f"components: {shares[0]:.1%} and {shares[1]:.1%} of the variance")
axes[0, 0].set_aspect("equal", adjustable="datalim")
axes[0, 0].legend(fontsize=8, loc="upper center")
axes[0, 1].plot(theta, angle, color="#1f4e79")
axes[0, 1].set(xlabel="angle", ylabel="Isomap's one coordinate", title="the angle, recovered")
axes[0, 2].remove()
solid = figure.add_subplot(2, 3, 3, projection="3d")
solid.scatter(*X.T, c=along, s=4, cmap="viridis")
solid.set(title="the S-curve", xticks=[], yticks=[], zticks=[])
for axis, (name, Z) in zip(axes[1], maps.items()):
    best = max(abs(np.corrcoef(Z[:, j], along)[0, 1]) for j in range(2))
    axis.scatter(*Z.T, c=along, s=5, cmap="viridis")
    axis.set(xticks=[], yticks=[])
    axis.set_title(f"{name}:\ncorrelation {best:.5f} with the way along it", fontsize=11)
plt.show()
