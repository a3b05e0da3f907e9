"""Trees against scikit-learn."""

from __future__ import annotations

import numpy as np
from sklearn import tree as peers
from sklearn.datasets import load_diabetes, load_iris

from assay import trees
from benchmarks.harness import Race, growth

SIZES = [(1_000, 10, 3), (5_000, 200, 2), (100_000, 20, 2), (100_000, 20, 5)]


def clouds(n: int, d: int, K: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes whose borders are no axis-parallel boxes, with a fifth of the labels drawn at random."""
    rng = np.random.default_rng(n + d + K)
    X = rng.normal(size=(n, d))
    score = X @ rng.normal(size=(d, K)) + np.sin(2 * X @ rng.normal(size=(d, K)))
    y = score.argmax(axis=1)
    noisy = rng.random(n) < 0.2
    y[noisy] = rng.integers(0, K, noisy.sum())
    return X, y


def races() -> list[Race]:
    found = []
    X, y = load_iris(return_X_y=True)
    found += both("DecisionTreeClassifier", "iris", X, y, classifiers(), repeat=50)
    for n, d, K in SIZES:
        X, y = clouds(n, d, K)
        repeat = 20 if n <= 1000 else 1
        found += both("DecisionTreeClassifier", f"{n} x {d}, {K} classes", X, y, classifiers(), repeat)
    X, y = clouds(100_000, 20, 2)
    w = np.random.default_rng(1).uniform(0.5, 2, len(y))
    with_missing = np.where(np.random.default_rng(2).random(X.shape) < 0.1, np.nan, X)
    found += [
        fitting("DecisionTreeClassifier, weights", "100000 x 20", classifiers(), X, y, w),
        fitting("DecisionTreeClassifier, 10 % missing", "100000 x 20", classifiers(), with_missing, y),
        fitting("DecisionTreeClassifier, entropy", "100000 x 20", classifiers(criterion="entropy"), X, y),
        fitting("DecisionTreeClassifier, depth 6", "100000 x 20", classifiers(max_depth=6), X, y),
        fitting("DecisionTreeClassifier, 1000 leaves", "100000 x 20", classifiers(max_leaf_nodes=1000), X, y),
        fitting("ExtraTreeClassifier", "100000 x 20", extra(), X, y),
    ]
    found += both(
        "DecisionTreeRegressor", "diabetes", *load_diabetes(return_X_y=True), regressors(), repeat=20
    )
    target = X @ np.arange(20.0) + np.random.default_rng(3).normal(size=len(y))
    found += both("DecisionTreeRegressor", "100000 x 20", X, target, regressors(), repeat=1)
    few = slice(0, 5000)
    found.append(
        fitting(
            "DecisionTreeRegressor, absolute error",
            "5000 x 20",
            regressors(criterion="absolute_error"),
            X[few],
            target[few],
        )
    )
    return found


def classifiers(**settings):
    return (
        lambda: trees.DecisionTreeClassifier(random_state=0, **settings),
        lambda: peers.DecisionTreeClassifier(random_state=0, **settings),
    )


def regressors(**settings):
    return (
        lambda: trees.DecisionTreeRegressor(random_state=0, **settings),
        lambda: peers.DecisionTreeRegressor(random_state=0, **settings),
    )


def extra():
    return (
        lambda: trees.ExtraTreeClassifier(random_state=0),
        lambda: peers.ExtraTreeClassifier(random_state=0),
    )


def fitting(name, size, pair, X, y, w=None):
    return Race(
        f"{name} fit",
        size,
        lambda: pair[0]().fit(X, y, sample_weight=w),
        lambda: pair[1]().fit(X, y, sample_weight=w),
    )


def both(name, size, X, y, pair, repeat):
    ours, peer = pair[0]().fit(X, y), pair[1]().fit(X, y)
    return [
        Race(f"{name} fit", size, lambda: pair[0]().fit(X, y), lambda: pair[1]().fit(X, y), repeat),
        Race(f"{name} predict", size, lambda: ours.predict(X), lambda: peer.predict(X), repeat),
    ]


def growths() -> list[str]:
    def fit(X, y, **settings):
        return lambda: trees.DecisionTreeClassifier(**settings).fit(X, y)

    in_n = growth(lambda n: fit(*clouds(n, 20, 2)), [20_000, 80_000, 320_000])
    in_d = growth(lambda d: fit(*clouds(20_000, d, 2)), [16, 64, 256])
    in_depth = growth(lambda depth: fit(*clouds(100_000, 20, 2), max_depth=depth), [2, 4, 8])
    return [
        f"DecisionTreeClassifier: seconds to fit grow as n^{in_n:.2f}, d^{in_d:.2f} and depth^{in_depth:.2f}"
    ]
