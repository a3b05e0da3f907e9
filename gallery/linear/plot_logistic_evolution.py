"""
The sigmoid, and how logistic discrimination hardens it
=======================================================

Left: the sigmoid turns a score into a probability, 0.5 where the score is 0. Middle and right: gradient descent on the
cross-entropy of four points on a line, after 10, 100 and 1000 iterations. The line :math:`wx + w_0` grows steeper and
the sigmoid harder, without end, since the classes are separable; the boundary moves towards 1.5.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from assay.core.palette import class_colour
from assay.linear import LogisticDiscriminant

X, r = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
with warnings.catch_warnings():  # separable: it says that the weights would grow for ever
    warnings.simplefilter("ignore", ConvergenceWarning)
    model = LogisticDiscriminant(0.1, snapshots=[10, 100, 1000], tol=0).fit(X, r)
kept = {step.iteration: step.weights[0] for step in model.history_ if step.weights is not None}

figure, (first, middle, last) = plt.subplots(1, 3, figsize=(13, 3.8), layout="constrained")
a = np.linspace(-10, 10, 401)
first.plot(a, expit(a), color=class_colour(0), lw=2)
first.axhline(0.5, color="#5f6975", lw=0.8, ls=":")
first.axvline(0, color="#5f6975", lw=0.8, ls=":")
first.set(xlabel="a", ylabel="sigmoid(a)", xlim=(-10, 10), ylim=(-0.02, 1.02), title="sigmoid")

x = np.linspace(-0.5, 3.5, 401)
for k, (iteration, (w0, w1)) in enumerate(kept.items()):
    label, colour = f"{iteration} iterations", class_colour(k)
    middle.plot(x, w0 + w1 * x, color=colour, lw=1.8, label=label)
    last.plot(x, expit(w0 + w1 * x), color=colour, lw=1.8, label=f"boundary {-w0 / w1:.3f}")
for ax, level in ((middle, (0, 0)), (last, (0, 1))):
    ax.plot(X[r == 0], np.full(2, level[0]), "o", color="black", mfc="white", ms=8)
    ax.plot(X[r == 1], np.full(2, level[1]), "x", color="black", ms=8, mew=2)
    ax.set(xlabel="x", xlim=(-0.5, 3.5))
    ax.legend(frameon=False, loc="upper left")
middle.axhline(0, color="#5f6975", lw=0.8, ls=":")
middle.set(ylabel="w x + w0", title="the line", ylim=(-9, 12))
last.axhline(0.5, color="#5f6975", lw=0.8, ls=":")
last.set(ylabel="sigmoid(w x + w0)", title="its sigmoid", ylim=(-0.05, 1.3))
plt.show()
