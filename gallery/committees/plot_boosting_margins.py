"""
Boosting goes on widening the margins
=====================================

AdaBoost on stumps: the training error is zero after a dozen rounds, yet hundreds more do not spoil the answers for new
rows. What still changes are the margins: rows whose vote was close move to the right, until none is close.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from assay.ensembles import AdaBoostClassifier
from assay.ensembles.boosting_theory import margins
from assay.plots import MarginDisplay, StagedErrorDisplay

X, y = load_breast_cancer(return_X_y=True)
train = np.random.default_rng(0).permutation(len(y)) % 2 == 0
rounds = [5, 50, 300]
models = {t: AdaBoostClassifier(n_estimators=t).fit(X[train], y[train]) for t in rounds}
last = models[rounds[-1]]

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
data = {"training": (X[train], y[train]), "new rows": (X[~train], y[~train])}
staged = StagedErrorDisplay.from_estimator(last, data, ax=left, log=True)
bound = np.array([record["bound"] for record in last.history_])
left.plot(np.arange(1, len(bound) + 1), bound, ":", color="black", lw=1, label="bound of the training error")
left.set_ylim(0, 0.12)
left.legend(frameon=False)
shown = {f"{t} rounds": margins(m, X[train], y[train]) for t, m in models.items()}
MarginDisplay.from_margins(shown, ax=right)
plt.show()
