"""Polynomial features and polynomial regression against scikit-learn."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn import linear_model, preprocessing
from sklearn.pipeline import make_pipeline

from assay import linear, prepare
from benchmarks.harness import Race

DENSE = {
    "100k x 20": ((100_000, 20), {}, 1),
    "100k x 20, interactions": ((100_000, 20), {"interaction_only": True, "include_bias": False}, 1),
    "100k x 20, order F": ((100_000, 20), {"order": "F"}, 1),
    "20k x 10, degree 3": ((20_000, 10), {"degree": 3}, 1),
    "150 x 4": ((150, 4), {}, 100),
}
SPARSE = {
    "100k x 1000, 10 per row": ((100_000, 1000, 0.01), {}, 1),
    "20k x 200, 10 per row, degree 3": ((20_000, 200, 0.05), {"degree": 3}, 1),
    "150 x 40, 4 per row": ((150, 40, 0.1), {}, 50),
}


def races() -> list[Race]:
    found = []
    for size, ((n, d), parameters, repeat) in DENSE.items():
        X = np.random.default_rng(n).normal(size=(n, d))
        found.append(race("PolynomialFeatures fit_transform", size, X, parameters, repeat))
    for size, ((n, d, density), parameters, repeat) in SPARSE.items():
        X = sp.random(n, d, density, format="csr", random_state=0)
        found.append(race("PolynomialFeatures fit_transform, sparse", size, X, parameters, repeat))
    for n, d, degree, repeat in ((20, 1, 3, 50), (100_000, 1, 5, 1), (100_000, 5, 2, 1)):
        random = np.random.default_rng(n)
        X, y = random.normal(size=(n, d)), random.normal(size=n)
        found += fits(f"{n} x {d}, degree {degree}", X, y, degree, repeat)
    return found


def fits(size, X, y, degree, repeat):
    def ours():
        return linear.PolynomialRegressor(degree).fit(X, y)

    def peer():
        steps = preprocessing.PolynomialFeatures(degree, include_bias=False), linear_model.LinearRegression()
        return make_pipeline(*steps).fit(X, y)

    a, b = ours(), peer()
    return [
        Race("PolynomialRegressor fit", size, ours, peer, repeat),
        Race("PolynomialRegressor predict", size, lambda: a.predict(X), lambda: b.predict(X), repeat),
    ]


def race(name, size, X, parameters, repeat):
    return Race(
        name,
        size,
        lambda: prepare.PolynomialFeatures(**parameters).fit_transform(X),
        lambda: preprocessing.PolynomialFeatures(**parameters).fit_transform(X),
        repeat,
    )
