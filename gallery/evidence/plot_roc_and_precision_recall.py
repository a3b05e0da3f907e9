"""
Four rankings, two views
========================

A hundred rows, five of them positive, ranked by two algorithms, by lot and by an oracle. The areas under the ROC
curves of A and B are the same, 441/475: A finds its first positive at once, B the last ones sooner. Precision and
recall show the early part, where A is far ahead.
"""

import matplotlib.pyplot as plt

from assay.metrics import RocCurve
from assay.plots import PrecisionRecallDisplay, RocCurveDisplay
from assay.tables.data import load_ranks

data = load_ranks()
positive = data.y == "positive"
rankings = {name: (positive, -data.X.values[:, j]) for j, name in enumerate(data.feature_names)}  # 1 is best

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5.2), layout="constrained")
roc = RocCurveDisplay.from_scores(rankings, ax=left, interval=False)
precision_recall = PrecisionRecallDisplay.from_scores(rankings, ax=right)
right.legend(loc="upper right", bbox_to_anchor=(0.98, 0.9))
dominance = RocCurve.of(*rankings["A"]).against(RocCurve.of(*rankings["B"]))
left.set_title("A and B cross: neither dominates")
right.set_title("precision is not monotone")
plt.show()
