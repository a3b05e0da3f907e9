"""
Classification by a Gaussian process
====================================

Behind the classes stands a smooth function, the log odds, and how uncertain it is. Near the training rows the
probability follows them; far away it returns to one half, which a logistic regression or a support vector machine never
does. On the left the log odds along a line with a band of two standard deviations, and the probability that averages
the logistic curve over it; on the right the probability in the plane, and the standard deviation of the log odds.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.kernels import RBF
from assay.processes import GaussianProcessClassifier

# %%
# A line: two classes that alternate, and nothing known beyond 6.
rng = np.random.default_rng(3)
x = np.sort(rng.uniform(-6, 6, 45))[:, None]
side = (np.sin(1.2 * x[:, 0]) + 0.35 * rng.normal(size=45) > 0).astype(int)
line = GaussianProcessClassifier(4.0 * RBF(1.0)).fit(x, side)
grid = np.linspace(-12, 12, 401)[:, None]
mean, variance = line.latent_mean_and_variance(grid)
probability = line.predict_proba(grid)[:, 1]

# %%
# The plane: a class inside another.
plane = rng.normal(size=(120, 2)) * 1.3
inside = np.where((plane**2).sum(axis=1) + 0.4 * rng.normal(size=120) < 1.4, "inside", "outside")
model = GaussianProcessClassifier(1.0 * RBF([1.0, 1.0])).fit(plane, inside)
steps = np.linspace(-7, 7, 121)
a, b = np.meshgrid(steps, steps)
points = np.column_stack([a.ravel(), b.ravel()])
outside = model.predict_proba(points)[:, 1].reshape(a.shape)
spread = np.sqrt(model.latent_mean_and_variance(points)[1]).reshape(a.shape)

# %%
figure, axes = plt.subplots(2, 2, figsize=(11.0, 7.6), layout="constrained")
sd = np.sqrt(variance)
axes[0, 0].fill_between(grid[:, 0], mean - 2 * sd, mean + 2 * sd, alpha=0.25, label="two standard deviations")
axes[0, 0].plot(grid[:, 0], mean, label="log odds")
axes[0, 0].axhline(0, color="#c8ced6", lw=0.8, zorder=0)
axes[0, 0].set_ylabel("log odds")
axes[0, 0].set(ylim=(-14, 19))
axes[0, 0].legend(loc="upper left", ncols=2, fontsize=8)
axes[1, 0].plot(grid[:, 0], probability, color="black", label="probability of class 1")
for k in (0, 1):
    rows = side == k
    axes[1, 0].scatter(
        x[rows, 0], np.full(rows.sum(), float(k)), color=class_colour(k), s=18, label=f"class {k}"
    )
axes[1, 0].axhline(0.5, color="#c8ced6", lw=0.8, zorder=0)
axes[1, 0].set(xlabel="x", ylabel="probability", ylim=(-0.05, 1.28))
axes[1, 0].legend(loc="upper left", ncols=3, fontsize=8)
for axis, values, words in (
    (axes[0, 1], outside, "probability of outside"),
    (axes[1, 1], spread, "standard deviation of the log odds"),
):
    image = axis.contourf(a, b, values, levels=12, cmap="viridis")
    figure.colorbar(image, ax=axis, label=words)
    for k, label in enumerate(model.classes_):
        rows = inside == label
        axis.scatter(
            *plane[rows].T, s=12, color=class_colour(k), edgecolor="white", linewidth=0.4, label=label
        )
axes[0, 1].contour(a, b, outside, levels=[0.5], colors="black", linewidths=1.2)
axes[0, 1].legend(loc="upper left")
plt.show()

# %%
# Why one row is answered as it is: the training rows that contributed most.
print(model.explain(plane[:1]))
