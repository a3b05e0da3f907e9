"""
Newton's method against gradient descent
========================================

Logistic regression of two kinds of iris flowers, from zero. Newton's method is at the optimum after nine steps;
gradient descent with a fixed rate has not got there after ten thousand, and the best step along each gradient, found
by bisection, is not much better: the valley is long and narrow.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from assay.core.palette import class_colour
from assay.optimize import Bisection, MarginError, gradient_descent, newton

X, kind = load_iris(return_X_y=True)
error = MarginError(X[50:], np.where(kind[50:] == 2, 1, -1), "log_loss")
start = np.zeros(5)
ways = {
    "Newton": newton(error, start, tol=1e-9),
    "gradient, rate 0.001": gradient_descent(error, start, 0.001, max_iter=10_000),
    "gradient, best step": gradient_descent(error, start, Bisection(), max_iter=1_000),
}
least = min(way.value for way in ways.values())

figure, ax = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
for k, (name, way) in enumerate(ways.items()):
    above = np.array([record.value for record in way.history]) - least
    ax.plot(np.arange(1, len(above) + 1), np.maximum(above, 1e-12), color=class_colour(k), lw=1.8, label=name)
ax.set(
    xscale="log",
    yscale="log",
    xlabel="steps, the start being 1",
    ylabel="above the least cross-entropy",
)
ax.set_ylim(1e-10, 200)
ax.legend(frameon=False)
plt.show()
