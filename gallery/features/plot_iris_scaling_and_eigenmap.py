"""
All distances or only near ones: two maps of Iris
=================================================

Multidimensional scaling keeps all distances, so the map is that of principal components. A Laplacian eigenmap keeps
neighbours together and nothing else: groups become dense and far apart. With fewer than 25 neighbours the graph of
Iris falls into two components, and the eigenmap would show no more than which is which; 60 leave no bottleneck.
"""

import matplotlib.pyplot as plt

from assay.core.palette import class_colour
from assay.reduce import ClassicalMDS, SpectralEmbedding, graph_connectivity
from assay.tables.data import load_iris

data = load_iris()
needed = graph_connectivity(data.X, n_neighbors=10).connecting_neighbors
maps = {
    "multidimensional scaling": ClassicalMDS().fit_transform(data.X),
    "Laplacian eigenmap, 60 neighbours": SpectralEmbedding(
        affinity="heat", n_neighbors=60, normalized=False
    ).fit_transform(data.X),
}

figure, axes = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
for axis, (name, Z) in zip(axes, maps.items()):
    for k, (kind, marker) in enumerate(zip(data.classes, "os^")):
        axis.scatter(
            *Z[data.codes == k].T, s=22, marker=marker, color=class_colour(k), alpha=0.75, label=kind
        )
    axis.set(title=name, xlabel="first coordinate", ylabel="second coordinate")
axes[0].legend()
plt.show()
