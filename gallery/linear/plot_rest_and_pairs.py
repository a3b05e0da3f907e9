"""
One against the rest, and pair by pair
======================================

Left: each class against all others; thin lines where a member's score is 0, thick ones where the largest score
changes. Middle: the same with refusals, hatched, where none or several members say yes. Right: three classes in a row.
No line parts the middle one from the rest, yet every pair is parted, and no training row is refused.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.ensembles import OneVsOneClassifier, OneVsRestClassifier
from assay.linear import LogisticRegression
from assay.plots import BoundaryDisplay
from assay.tables.generators import make_gaussian_classes

corners = make_gaussian_classes(120, [[0, 0], [3, 0.5], [1.2, 2.8]], np.diag([0.3, 0.3]), random_state=0)
X, y = corners.X.values, np.array(["C1", "C2", "C3"])[corners.codes]
line = make_gaussian_classes(90, [[-2, -0.5], [0, 0.3], [2, 1]], np.diag([0.08, 0.12]), random_state=1)
X_row, y_row = line.X.values, np.array(["C1", "C2", "C3"])[line.codes]

rest = OneVsRestClassifier(LogisticRegression(C=10)).fit(X, y)
careful = OneVsRestClassifier(LogisticRegression(C=10), decision="reject").fit(X, y)
pairwise = OneVsOneClassifier(LogisticRegression(C=10), decision="all").fit(X_row, y_row)
row_rest = OneVsRestClassifier(LogisticRegression(C=10), decision="reject").fit(X_row, y_row)

figure, axes = plt.subplots(1, 3, figsize=(15, 4.8), layout="constrained")
BoundaryDisplay.from_estimator(rest, X, y, ax=axes[0], normals=True, margin=0.15)
axes[0].set_title("one against the rest, the largest score")
BoundaryDisplay.from_estimator(careful, X, y, ax=axes[1], margin=0.15)
axes[1].set_title("one against the rest, with refusals")
display = BoundaryDisplay.from_estimator(pairwise, X_row, y_row, ax=axes[2], margin=0.15)
axes[2].set_title("pair by pair: the class that wins all its duels")
for axis in axes:
    axis.legend(loc="lower left")
plt.show()
