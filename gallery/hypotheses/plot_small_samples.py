"""
Few rows: the simple model wins
===============================

The right model has to be learned too, and from few rows it is learned badly. Left: the truth is a cubic under strong
noise; from five rows a straight line, which is wrong, errs less on new rows than a cubic, which is right. Right: two
Gaussian classes of different spreads, for which the quadratic discriminant is the right model; from a few rows a class
the linear one, which takes the spreads as equal, errs less. With more rows the order turns round.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.bayes import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from assay.linear import PolynomialRegressor

rng = np.random.default_rng(0)


def cubic(x):
    return x**3 - 2 * x


def draw_numbers(n):
    x = rng.uniform(-2, 2, n)
    return x[:, None], cubic(x) + rng.normal(scale=3, size=n)


SPREADS = np.array([np.ones(6), [2.0, 1.5, 1.0, 1.0, 0.75, 0.75]])  # of six columns in the two classes
MEANS = np.array([np.zeros(6), [1.5, 1.0, 0.5, 0.0, 0.0, 0.0]])


def draw_classes(n):
    y = np.repeat([0, 1], n)
    return MEANS[y] + SPREADS[y] * rng.normal(size=(2 * n, 6)), y


x_new = np.linspace(-2, 2, 201)[:, None]
rows = [5, 8, 12, 20, 40, 80]
errors = {1: [], 3: []}
for n in rows:
    squares = {degree: [] for degree in errors}
    for _ in range(60):
        X, r = draw_numbers(n)
        for degree in errors:
            fit = PolynomialRegressor(degree).fit(X, r)
            squares[degree].append(np.mean((fit.predict(x_new) - cubic(x_new[:, 0])) ** 2))
    for degree in errors:
        errors[degree].append(float(np.mean(squares[degree])))

X_new, y_new = draw_classes(3000)
rows_a_class = [8, 10, 15, 30, 100, 400]
wrong = {"linear": [], "quadratic": []}
models = {"linear": LinearDiscriminantAnalysis(), "quadratic": QuadraticDiscriminantAnalysis()}
for n in rows_a_class:
    found = {name: [] for name in models}
    for _ in range(40):
        X, y = draw_classes(n)
        for name, model in models.items():
            found[name].append(1 - model.fit(X, y).score(X_new, y_new))
    for name in models:
        wrong[name].append(float(np.mean(found[name])))

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
for degree, label in ((1, "line (too simple)"), (3, "cubic (the truth)")):
    left.plot(rows, errors[degree], marker="o", label=label)
left.set(xscale="log", yscale="log", xlabel="training rows", ylabel="mean squared distance from the truth")
left.set_xticks(rows, rows)
left.set_xticks([], minor=True)
left.legend()
for name in models:
    right.plot(rows_a_class, wrong[name], marker="o", label=f"{name} discriminant")
right.set(xscale="log", xlabel="training rows a class", ylabel="error on new rows")
right.set_xticks(rows_a_class, rows_a_class)
right.set_xticks([], minor=True)
right.legend()
plt.show()
