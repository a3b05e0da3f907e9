"""
Far away on the right side
==========================

Least squares wants every row of a class to have the score 1, so that rows far on the right side pull the line towards
themselves; logistic regression is content with them. The same classes without and with such rows.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.linear import LeastSquaresClassifier, LogisticRegression
from assay.plots import BoundaryDisplay
from assay.tables.generators import make_gaussian_classes

data = make_gaussian_classes(120, [[0, 0], [2, 2]], np.diag([0.3, 0.3]), random_state=4)
far = np.random.default_rng(0).normal([8, 8], 0.4, (40, 2))
plain = data.X.values, data.codes
wide = np.vstack((plain[0], far)), np.append(plain[1], np.ones(40, dtype=int))
learners = {"least squares": LeastSquaresClassifier(), "logistic regression": LogisticRegression()}

errors = {}
figure, axes = plt.subplots(2, 2, figsize=(10, 8), layout="constrained")
for row, (name, learner) in zip(axes, learners.items()):
    for axis, (X, y), what in zip(row, (plain, wide), ("without", "with")):
        model = learner.fit(X, y)
        errors[name, what] = int((model.predict(plain[0]) != plain[1]).sum())
        BoundaryDisplay.from_estimator(model, wide[0], ax=axis, grid=150, size=0, lines=False)
        for k, (colour, mark) in enumerate([("#0072b2", "o"), ("#e69f00", "s")]):
            axis.scatter(*X[y == k].T, s=14, color=colour, marker=mark)
        axis.set_title(f"{name} {what} far rows: {errors[name, what]} of 120 wrong")
plt.show()
