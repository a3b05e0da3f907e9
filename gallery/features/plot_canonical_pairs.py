"""
Two tables and their pairs
==========================

Sepals and petals of 150 irises: the first pair of weighted sums, one of each table, has a correlation of 0.94, the
second one of 0.12, which could be chance. With the classes as the second table, canonical correlation analysis gives
the directions of linear discriminant analysis.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.plots import DiscriminantDisplay
from assay.reduce import CCA
from assay.tables.data import load_iris

iris = load_iris()
X, codes = np.asarray(iris.X), iris.codes
cca = CCA().fit(X[:, :2], X[:, 2:])
a, b = cca.transform(X[:, :2], X[:, 2:])

figure, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
for j in (0, 1):
    for k in range(3):
        axes[j].scatter(
            a[codes == k, j], b[codes == k, j], s=12, color=class_colour(k), label=iris.classes[k]
        )
    result = cca.test()[j]
    axes[j].set(
        xlabel="of the sepals",
        ylabel="of the petals",
        title=f"pair {j + 1}: correlation {result.estimate:.3f}, p = {result.p:.2g}",
    )
axes[0].legend(frameon=False)
labels = CCA().fit(X, np.eye(3)[codes])
DiscriminantDisplay(labels.transform(X), iris.y).plot(axes[2])
axes[2].set(title="measurements and species")
plt.show()
