"""
One table, four maps
====================

The measurements of breast tumours as maps in two dimensions. Principal components keep large distances, t-SNE keeps
neighbours: of the maps of the standardised table its trustworthiness is the highest. The raw table, whose variance two
columns have nearly all of, is almost flat. Colours are classes, which no map has seen.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from assay.plots import EmbeddingDisplay
from assay.reduce import PCA, SNE, TSNE, trustworthiness

data = load_breast_cancer()
classes = data.target_names[data.target]
X = StandardScaler().fit_transform(data.data)
maps = {
    "PCA": PCA(2),
    "PCA, raw (classical scaling)": PCA(2),
    "SNE": SNE(max_iter=100),
    "t-SNE": TSNE(),
}

trust = {}
figure, axes = plt.subplots(2, 2, figsize=(10, 9), layout="constrained")
for axis, (name, method) in zip(axes.flat, maps.items()):
    rows = data.data if "raw" in name else X
    Z = method.fit(rows).transform(rows)
    trust[name] = trustworthiness(rows, Z)
    EmbeddingDisplay.from_coordinates(
        Z, classes, name=f"{name}: trustworthiness {trust[name]:.3f}", ax=axis, size=6
    )
plt.show()
