"""
The shapes of kernels
=====================

A kernel says how similar two rows are, and with it which functions a machine can learn. For each kernel: its values
with the point 1 (thick), and three functions drawn at random from the Gaussian process of that kernel, which look as
its predictions will. Short length scales give wild functions, Matern's nu says how smooth they are, periodic kernels
repeat, inner products give lines and parabolas, and sums and products of kernels have the traits of both.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.kernels import (
    RBF,
    DotProduct,
    ExpSineSquared,
    Laplacian,
    Matern,
    MixedKernel,
    Polynomial,
    RationalQuadratic,
    check_gram,
)

# %%
# Nine kernels of one column. A kernel prints itself as a formula.
x = np.linspace(-3, 3, 301)[:, None]
kernels = {
    "Gaussian": RBF(1.0),
    "Gaussian, short scale": RBF(0.3),
    "Laplacian": Laplacian(1.0),
    "Matern, nu = 3/2": Matern(1.0, nu=1.5),
    "Rational quadratic": RationalQuadratic(0.5, 0.5),
    "Periodic": ExpSineSquared(1.0, 2.0),
    "Inner product": DotProduct(0.7),
    "Polynomial": Polynomial(2, gamma=0.5, coef0=0.5),
    "Trend + season": 0.2 * DotProduct(0.5) + 0.5 * ExpSineSquared(0.8, 1.5) * RBF(4.0),
}

# %%
# Values with 1, and functions drawn at random.
rng = np.random.default_rng(5)
figure, axes = plt.subplots(3, 3, figsize=(11.5, 8.2), sharex=True, layout="constrained")
reports = {}
for axis, (name, kernel) in zip(axes.flat, kernels.items()):
    K = kernel(x)
    reports[name] = check_gram(K)
    root = np.linalg.cholesky(K + 1e-8 * np.trace(K) / len(K) * np.eye(len(K)))
    for k, function in enumerate((root @ rng.normal(size=(len(x), 3))).T):
        axis.plot(x, function, color=class_colour(k), lw=1.0, alpha=0.8)
    axis.plot(x, kernel([[1.0]], x)[0], color="black", lw=2.4, label="K(1, x)")
    axis.axhline(0, color="#c8ced6", lw=0.8, zorder=0)
    axis.set_title(name if len(repr(kernel)) > 50 else f"{name}\n{kernel!r}", fontsize=10)
axes[0, 0].legend(loc="upper left", fontsize=9)
for axis in axes[-1]:
    axis.set_xlabel("x")
plt.show()

# %%
# Categories and missing values have kernels as well: the similarities of five customers, column by column and together.
customers = np.array([[25, 0], [30, 0], [60, 0], [28, 1], [np.nan, 1]])
mixed = {
    "age": MixedKernel().learn(customers[:, :1])(customers[:, :1]),
    "city": MixedKernel(kinds=[1]).learn(customers[:, 1:])(customers[:, 1:]),
    "age and city": MixedKernel(kinds=[0, 1]).learn(customers)(customers),
}
labels = ["25, Rome", "30, Rome", "60, Rome", "28, Oslo", "?, Oslo"]
figure, axes = plt.subplots(1, 3, figsize=(11.5, 4.2), layout="constrained")
for axis, (name, K) in zip(axes, mixed.items()):
    axis.imshow(K, cmap="Blues", vmin=0, vmax=1.2)
    for i, j in np.ndindex(K.shape):
        axis.text(
            j, i, f"{K[i, j]:.2f}", ha="center", va="center", color="white" if K[i, j] > 0.7 else "black"
        )
    axis.set(title=name, xticks=range(5), yticks=range(5), yticklabels=labels)
    axis.set_xticklabels(labels, rotation=35, ha="right")
plt.show()
