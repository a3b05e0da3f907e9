"""Perceptrons against scikit-learn's: passes over dense and sparse rows, and small tables."""

from __future__ import annotations

import numpy as np
from scipy.sparse import random_array
from sklearn.datasets import load_iris
from sklearn.linear_model import Perceptron as Peer

from assay.linear import Perceptron, PerceptronRule
from benchmarks.harness import Race, growth

PASSES = {"max_iter": 5, "tol": None}


def clouds(n: int, d: int, K: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes that overlap, so that corrections go on."""
    rng = np.random.default_rng(n + d + K)
    X = rng.normal(size=(n, d))
    return X, (X @ rng.normal(size=(d, K)) + 2 * rng.gumbel(size=(n, K))).argmax(axis=1)


def races() -> list[Race]:
    X, y = load_iris(return_X_y=True)
    found = both("Perceptron", "iris", X, y, repeat=50)
    found += both("Perceptron", "iris, two classes", X[:100], y[:100], repeat=50)
    for n, d, K in ((1_000, 10, 2), (100_000, 20, 2), (100_000, 20, 5), (20_000, 200, 2)):
        X, y = clouds(n, d, K)
        found += both(
            "Perceptron, 5 passes", f"{n} x {d}, {K} classes", X, y, repeat=20 if n <= 1000 else 1, **PASSES
        )
    X, y = clouds(100_000, 20, 2)
    ordered = Race(
        "PerceptronRule fit, 5 passes in order",
        "100000 x 20",
        lambda: PerceptronRule(max_iter=5, average=True).fit(X, y),
        lambda: Peer(shuffle=False, **PASSES).fit(X, y),
    )
    rng = np.random.default_rng(0)
    rows = random_array((50_000, 20_000), density=0.0025, format="csr", rng=rng)
    labels = (rows @ rng.normal(size=20_000) > 0).astype(int)
    return [
        *found,
        ordered,
        *both("Perceptron, sparse, 5 passes", "50000 x 20000, 50 a row", rows, labels, repeat=1, **PASSES),
    ]


def both(name, size, X, y, repeat, **settings):
    ours, peer = Perceptron(**settings).fit(X, y), Peer(**settings).fit(X, y)
    return [
        Race(
            f"{name} fit",
            size,
            lambda: Perceptron(**settings).fit(X, y),
            lambda: Peer(**settings).fit(X, y),
            repeat,
        ),
        Race(f"{name} predict", size, lambda: ours.predict(X), lambda: peer.predict(X), repeat),
    ]


def growths() -> list[str]:
    def fit(X, y):
        return lambda: Perceptron(**PASSES).fit(X, y)

    in_n = growth(lambda n: fit(*clouds(n, 20, 2)), [20_000, 80_000, 320_000])
    in_d = growth(lambda d: fit(*clouds(20_000, d, 2)), [16, 64, 256])
    return [f"Perceptron: seconds of a pass grow as n^{in_n:.2f} and d^{in_d:.2f}"]
