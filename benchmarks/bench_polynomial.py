"""Polynomial features against scikit-learn."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn import preprocessing

from assay import prepare
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
    return found


def race(name, size, X, parameters, repeat):
    return Race(
        name,
        size,
        lambda: prepare.PolynomialFeatures(**parameters).fit_transform(X),
        lambda: preprocessing.PolynomialFeatures(**parameters).fit_transform(X),
        repeat,
    )
