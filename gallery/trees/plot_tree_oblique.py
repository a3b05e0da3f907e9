"""
One oblique test instead of many upright ones
=============================================

Two classes on both sides of a slanted line. A univariate tree climbs the line in steps; a tree whose test is a
weighted sum of the columns draws it at once.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from assay.plots import PartitionDisplay, TreeDisplay
from assay.trees import LinearCombinationTreeClassifier, TextbookTreeClassifier

i, j = np.meshgrid(np.arange(10), np.arange(10))
X = pd.DataFrame({"x1": i.ravel().astype(float), "x2": j.ravel().astype(float)})
y = np.where(X["x1"] + X["x2"] > 9, "C2", "C1")
models = {
    "tests of one column": TextbookTreeClassifier().fit(X, y),
    "tests of weighted sums": LinearCombinationTreeClassifier(random_state=0).fit(X, y),
}

figure, axes = plt.subplots(2, 2, figsize=(13, 8), width_ratios=[1, 1.9], layout="constrained")
for (left, right), (name, model) in zip(axes, models.items()):
    PartitionDisplay.from_estimator(model, X, y, ax=left)
    left.set_title(f"{name}: {model.get_n_leaves()} leaves")
    TreeDisplay.from_estimator(model, ax=right, max_leaves=8)
plt.show()
