"""
Four separators, and labels that are wrong
==========================================

Above, two classes that a line can part, and the line of each learner: dashed as learned from the right labels, full
after the labels of 5 % of the rows were turned round (circled). Below, the error on 2000 new rows, over 30 such sets.
The perceptron goes on correcting wrong labels until it has to stop, wherever that is; the others weigh all rows against
each other: their lines turn, but stay between the classes.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from assay.bayes import FisherDiscriminant
from assay.core.palette import class_colour
from assay.linear import Hyperplane, LogisticRegression, PerceptronRule, SGDClassifier
from assay.tables.generators import make_gaussian_classes

learners = {
    "perceptron": PerceptronRule(max_iter=100),
    "logistic regression": LogisticRegression(),
    "Fisher": FisherDiscriminant(),
    "hinge with margin": SGDClassifier(alpha=0.01, average=True, random_state=0),
}


def draw(n, seed):
    data = make_gaussian_classes(n, [[0, 0], [4, 4]], [[1.0, 0.4], [0.4, 0.5]], random_state=seed)
    return data.X.values, data.codes


def flipped(y, seed, share=0.05):
    """The labels with a share of them turned round, and which."""
    rows = np.random.default_rng(seed).choice(len(y), round(share * len(y)), replace=False)
    noisy = y.copy()
    noisy[rows] = 1 - y[rows]
    return noisy, rows


X_new, y_new = draw(2000, 999)
models, errors = {}, {name: np.empty((30, 2)) for name in learners}
for seed in range(30):
    X, y = draw(200, seed)
    for column, labels in enumerate((y, flipped(y, seed)[0])):
        for name, learner in learners.items():
            with warnings.catch_warnings():  # that the perceptron has to stop is what is shown
                warnings.simplefilter("ignore", ConvergenceWarning)
                model = models[seed, column, name] = clone(learner).fit(X, labels)
            errors[name][seed, column] = np.mean(model.predict(X_new) != y_new)

shown = 1
X, y = draw(200, shown)
rows = flipped(y, shown)[1]
figure, axes = plt.subplots(2, 4, figsize=(12, 6), sharey="row", height_ratios=[1.2, 1], layout="constrained")
for (top, bottom), name in zip(axes.T, learners):
    for k, mark in enumerate("ox"):
        top.scatter(*X[y == k].T, marker=mark, color=class_colour(k), s=14)
    top.scatter(*X[rows].T, s=70, facecolors="none", edgecolors="black", lw=0.8)
    for column, style in enumerate(["--", "-"]):
        model = models[shown, column, name]
        plane = Hyperplane(model.coef_[0], model.intercept_[0])
        top.plot(*plane.line((-3, 8), (-3, 7)).T, style, color="black", lw=1.6)
    top.set(title=name, xlim=(-3, 8), ylim=(-3, 7))
    bottom.boxplot(100 * errors[name], tick_labels=["right", "5 % wrong"], widths=0.5)
axes[1, 0].set(ylabel="error on new rows, %", yscale="log", ylim=(0.05, 100))
plt.show()
