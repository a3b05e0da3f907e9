"""
Networks drawn, and what their weights look like
================================================

Above: a perceptron that computes AND, the network that computes the exclusive or (shaded by its values for 1, 0), and a
network for the irises. Below: the hidden units of a digit network as templates (weights above 0 in one colour, below 0
in the other), the histogram of its weights, and the digits in the plane of two hidden units.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from assay.core.palette import class_colour
from assay.neural import MLPClassifier, boolean_network, gate
from assay.plots import ComponentPicturesDisplay, NetworkDisplay, WeightsDisplay
from assay.tables.data import load_iris

figure = plt.figure(figsize=(12, 8), layout="constrained")
above, below = figure.subfigures(2, 1, height_ratios=(1, 1.15))
first, second, third = above.subplots(1, 3, width_ratios=(0.8, 1, 1.2))
NetworkDisplay.from_estimator(gate("and"), ax=first)
NetworkDisplay.from_estimator(boolean_network([0, 1, 1, 0]), row=[1, 0], ax=second)
iris = load_iris()
model = MLPClassifier(3, "tanh", solver="lbfgs", scale="standard", alpha=0.1, max_iter=500, random_state=0)
NetworkDisplay.from_estimator(model.fit(iris.X, iris.y), ax=third)

X, y = load_digits(return_X_y=True)
X = X / 16
templates = MLPClassifier(
    8, learning_rate="cosine", learning_rate_init=0.01, alpha=10, max_iter=60, random_state=0
)
templates.fit(X, y)
plane = MLPClassifier(
    2, "logistic", learning_rate="cosine", learning_rate_init=0.05, max_iter=150, random_state=3
)
plane.fit(X, y)
left, middle, right = below.subfigures(1, 3, width_ratios=(1.1, 1, 1.1))
ComponentPicturesDisplay(templates.coefs_[0].T).plot(left.subplots(2, 4).ravel(), columns=4)
weights = WeightsDisplay.from_estimator(templates, ax=middle.subplots())
weights.ax_.legend(loc="center right", fontsize="small")  # beside the column of weights near 0
scatter = right.subplots()
chosen = np.random.default_rng(0).permutation(len(X))[:150]
Z = plane.hidden(X)
for i in chosen:
    scatter.text(*Z[i], str(y[i]), color=class_colour(int(y[i])), fontsize=8, ha="center", va="center")
scatter.set(xlim=(-0.05, 1.05), ylim=(-0.05, 1.05), xlabel="hidden unit 1", ylabel="hidden unit 2")
plt.show()
