"""
Groups: k-means, a dendrogram, a mixture, colours
=================================================

The way of k-means from a start: crosses are centres, rows have the colour of the nearest.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.cluster import KMeans, choose_clusters, merge_rows, quantize_colors
from assay.mixture import GaussianMixture
from assay.plots import ClusterPathDisplay, DendrogramDisplay, MixtureDisplay, SilhouetteDisplay

rng = np.random.default_rng(3)
X = np.concatenate(
    [
        rng.multivariate_normal([0, 0], [[1, 0.7], [0.7, 1]], 80),
        rng.multivariate_normal([4, 1], [[0.5, -0.2], [-0.2, 1.5]], 80),
    ]
)
start = np.array([[-1.0, 2.5], [0.5, 3.0]])
model = KMeans(2, init=start, tol=0, keep_path=True).fit(X)
ClusterPathDisplay.from_estimator(model, X)
print(choose_clusters(X, max_clusters=6))

# %%
# The same rows as a mixture of Gaussians by EM: ellipses at one and two deviations, and the curve on which both
# components are equally probable.

mixture = GaussianMixture(2, means_init=model.cluster_centers_, random_state=0).fit(X)
MixtureDisplay(X, mixture).plot()

# %%
# Six points merged by single linkage, and a cut: chains of steps no longer than its height.

points = np.array([[0, 0], [1, 0], [5, 0], [5, 2], [3, 6], [7, 1]], dtype=float)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
left.scatter(points[:, 0], points[:, 1], s=0)
for name, (x, y) in zip("abcdef", points):
    left.text(x, y, name, ha="center", va="center", fontsize=13)
left.set(aspect="equal", xlim=(-1, 8), ylim=(-1, 7))
DendrogramDisplay(merge_rows(points, "single", names="abcdef"), height=3).plot(right)

# %%
# How far rows are inside of their groups.

SilhouetteDisplay.from_estimator(model, X)

# %%
# A picture of 24 bits a pixel in 64, 8 and 2 colours: the nearest of the colours that k-means finds.

y, x = np.mgrid[0:120, 0:160] / 120
picture = np.stack([255 * x / 1.34, 255 * y, 255 * np.exp(-((x - 0.7) ** 2 + (y - 0.5) ** 2) * 8)], axis=2)
figure, axes = plt.subplots(1, 4, figsize=(11, 2.5), layout="constrained")
axes[0].imshow(picture.astype(int))
axes[0].set_title("24 bits")
for ax, colours in zip(axes[1:], (64, 8, 2)):
    coded = quantize_colors(picture, colours)
    ax.imshow(coded.decode().astype(int))
    ax.set_title(f"{colours} colours, {coded.bits_per_vector} bits, ratio {coded.ratio:.1f}")
for ax in axes:
    ax.axis("off")
