"""
How well upright cuts follow slanted and round borders
======================================================

Trees of depth 2, 4 and 8 for a diagonal and a circular concept, from 50, 500 and 5000 rows. Deep trees follow the
border in steps, and need many rows to do so; from few rows even a deep tree is rough.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.plots import PartitionDisplay
from assay.trees import DecisionTreeClassifier

concepts = {
    "diagonal": lambda X: X[:, 0] + X[:, 1] > 0,
    "circle": lambda X: (X**2).sum(axis=1) < 0.5,
}
depths, sizes = [2, 4, 8], [50, 500, 5000]
test = np.random.default_rng(1).uniform(-1, 1, (20000, 2))
errors = {}
figure, axes = plt.subplots(6, 3, figsize=(9, 17), sharex=True, sharey=True, layout="constrained")
for block, (name, inside) in enumerate(concepts.items()):
    for column, n in enumerate(sizes):
        X = np.random.default_rng(0).uniform(-1, 1, (n, 2))
        y = inside(X).astype(int)
        for row, depth in enumerate(depths):
            model = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
            errors[name, n, depth] = np.mean(model.predict(test) != inside(test))
            axis = axes[3 * block + row, column]
            PartitionDisplay.from_estimator(
                model, X, y, ax=axis, grid=160, size={50: 12, 500: 5, 5000: 1.5}[n]
            )
            axis.set(
                xlabel="", ylabel="", title=f"{n} rows, depth {depth}: error {errors[name, n, depth]:.1%}"
            )
            axis.set(xlim=(-1, 1), ylim=(-1, 1))
            axis.set_aspect("equal")
            axis.title.set_fontsize(9)
plt.show()
