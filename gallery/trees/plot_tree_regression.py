"""
Regression trees for three error thresholds
===========================================

The same noisy sample, and trees that stop splitting when the squared error at a node falls below a threshold. The
smaller the threshold, the more leaves; each tree refines the one before, since all make the same greedy splits.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.plots import TreeDisplay
from assay.trees import TextbookTreeRegressor

rng = np.random.default_rng(1)
x = np.sort(rng.uniform(0, 8, 60))
r = np.sin(1.2 * x) * 1.6 + 0.25 * x + rng.normal(0, 0.25, 60)
thresholds = [0.5, 0.2, 0.05]
models = {t: TextbookTreeRegressor(error_threshold=t).fit({"x": x}, r) for t in thresholds}
grid = np.linspace(0, 8, 2001)

figure, axes = plt.subplots(3, 2, figsize=(13, 11), width_ratios=[1, 2], layout="constrained")
for (left, right), (t, model) in zip(axes, models.items()):
    left.plot(x, r, "o", ms=4, color="#5f6975")
    left.plot(grid, model.predict({"x": grid}), color=class_colour(0), lw=1.8)
    left.set_title(f"threshold {t}: {model.get_n_leaves()} leaves")
    TreeDisplay.from_estimator(model, ax=right, max_leaves=8)
plt.show()
