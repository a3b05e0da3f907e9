"""
How many groups?
================

Three ways to describe the same rows by Gaussians. EM uses as many components as it is given. A variational mixture may
leave some empty, but its steps alone stop with a group shared between components; with moves, which merge, empty and
split components as long as the bound rises, the three groups are found. Ellipses hold 95 % of a component.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Ellipse

from assay.core.palette import class_colour
from assay.mixture import BayesianGaussianMixture, GaussianMixture

rng = np.random.default_rng(4)
parts = [
    ((0, 0), [[1.2, 0.9], [0.9, 1.2]]),
    ((4, 1), [[0.4, 0], [0, 1.6]]),
    ((1, 5), [[2.0, -0.6], [-0.6, 0.5]]),
]
X = np.concatenate([rng.multivariate_normal(mean, covariance, 600) for mean, covariance in parts])

models = {
    "EM, six components": GaussianMixture(6, random_state=0),
    "variational, at most six": BayesianGaussianMixture(n_components=6, random_state=0),
    "variational, with moves": BayesianGaussianMixture(n_components=6, moves=True, random_state=0),
}
figure, axes = plt.subplots(1, 3, figsize=(12, 4), sharex=True, sharey=True, layout="constrained")
for ax, (title, model) in zip(axes, models.items()):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the steps of the second do not converge is the point
        model.fit(X)
    colours = [class_colour(k) for k in range(6)]
    ax.scatter(*X.T, s=6, c=[colours[k] for k in model.predict(X)], alpha=0.5, lw=0)
    used = np.flatnonzero(model.weights_ > 0.01)
    for k in used:
        variances, sides = np.linalg.eigh(model.covariances_[k])
        width, height = 2 * np.sqrt(5.991 * variances)
        angle = np.degrees(np.arctan2(sides[1, 0], sides[0, 0]))
        ax.add_patch(Ellipse(model.means_[k], width, height, angle=angle, fill=False, ec=colours[k], lw=2))
    ax.set_title(f"{title}: {len(used)} used")
plt.show()
