"""
More rows, more complexity
==========================

The three-way trade-off. Left: with more rows the error on rows not seen falls, the error on rows that taught rises,
and they meet. Right: a deeper tree never errs more on the rows that taught it, but from some depth on it learns
their noise; the ring marks the smallest error on rows not seen.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.evaluate import complexity_curve, learning_curve
from assay.plots import LearningCurveDisplay, ValidationCurveDisplay
from assay.trees import DecisionTreeClassifier

random = np.random.default_rng(1)
X = random.uniform(-1, 1, size=(600, 2))
inside = X[:, 0] ** 2 + X[:, 1] ** 2 < 0.5
y = np.where(inside ^ (random.random(600) < 0.15), "inside", "outside")

learned = [learning_curve(name, X, y, design="3x5") for name in ("qda", "cart")]
grown = complexity_curve(
    DecisionTreeClassifier(),
    X,
    y,
    param_name="max_depth",
    param_range=[1, 2, 3, 4, 5, 6, 8, 10, 12],
    design="3x5",
)

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
LearningCurveDisplay.from_curves(learned, ax=left)
ValidationCurveDisplay.from_curves(grown, ax=right)
for axis in (left, right):
    axis.axhline(0.15, color="#5f6975", lw=0.8, ls=":")
    axis.set_ylim(bottom=0)
left.annotate("labels flipped", (600 * 0.8, 0.15), va="bottom", ha="right", color="#5f6975", size=9)
plt.show()
