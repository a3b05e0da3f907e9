"""
The naive assumption, broken on purpose
=======================================

Naive Bayes counts a column as often as it is there. Copies of a column change few labels, but the probabilities
become far too sure of themselves.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.bayes import GaussianNB
from assay.tables.data import load_iris

data = load_iris()
rows = np.flatnonzero(data.codes > 0)  # versicolor and virginica
X, y = data.X.values[rows][:, :2], data.y[rows]
copies = [1, 2, 5, 20]
posteriors, labels = {}, {}
for times in copies:
    table = np.repeat(X, times, axis=1)
    model = GaussianNB().fit(table, y)
    posteriors[times] = model.predict_proba(table)[:, 1]
    labels[times] = model.predict(table)

figure, axis = plt.subplots(figsize=(7, 4.5), layout="constrained")
for times in copies:
    changed = np.mean(labels[times] != labels[1])
    axis.plot(np.sort(posteriors[times]), label=f"each column {times} x, {changed:.0%} labels changed")
axis.set(xlabel="row, sorted", ylabel="P(virginica)")
axis.legend()
plt.show()
