"""Multilayer perceptrons against scikit-learn: the same seed, the same passes, the same weights."""

from __future__ import annotations

import warnings

import numpy as np
from scipy import sparse
from sklearn import neural_network as peers
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning

from assay import neural
from benchmarks.harness import Race, growth

PASSES = {"tol": 0.0, "n_iter_no_change": 10**6, "random_state": 0}


def clouds(n: int, d: int, K: int, dtype: type = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """K classes by a random network."""
    rng = np.random.default_rng(n + d)
    X = rng.normal(size=(n, d)).astype(dtype)
    return X, (
        np.tanh(X[:, : min(d, 30)] @ rng.normal(size=(min(d, 30), 20))) @ rng.normal(size=(20, K))
    ).argmax(1)


def races() -> list[Race]:
    warnings.simplefilter("ignore", ConvergenceWarning)
    iris, digits = load_iris(return_X_y=True), load_digits(return_X_y=True)
    jobs = [
        fitting("MLPClassifier, to the end", "iris", *iris, {"random_state": 0, "tol": 1e-4}, 1),
        fitting("MLPClassifier, 100 passes", "iris", *iris, {"max_iter": 100}, 1),
        fitting("MLPClassifier, lbfgs", "iris", *iris, {"solver": "lbfgs", "max_iter": 100}, 1),
        fitting("MLPClassifier, 20 passes", "digits", *digits, {"max_iter": 20}, 1),
        fitting("MLPClassifier, lbfgs, 50 steps", "digits", *digits, {"solver": "lbfgs", "max_iter": 50}, 1),
        fitting("MLPClassifier, sgd, 20 passes", "digits", *digits, {"solver": "sgd", "max_iter": 20}, 1),
        fitting(
            "MLPClassifier, early stopping", "digits", *digits, {"early_stopping": True, "max_iter": 20}, 1
        ),
    ]
    for dtype, bits in ((np.float64, 64), (np.float32, 32)):
        X, y = clouds(20_000, 50, 5, dtype)
        jobs.append(fitting(f"MLPClassifier, 3 passes, {bits} bits", "20000 x 50", X, y, {"max_iter": 3}))
        X, y = clouds(20_000, 784, 10, dtype)
        wide = {"hidden_layer_sizes": (256, 128), "max_iter": 1}
        jobs.append(fitting(f"MLPClassifier (256, 128), 1 pass, {bits} bits", "20000 x 784", X, y, wide))
    X, y = clouds(20_000, 50, 5)
    jobs.append(
        fitting(
            "MLPRegressor, 3 passes", "20000 x 50", X, X[:, 0] * X[:, 1], {"max_iter": 3}, 1, "MLPRegressor"
        )
    )
    jobs.append(
        fitting("MLPClassifier, lbfgs, 10 steps", "20000 x 50", X, y, {"solver": "lbfgs", "max_iter": 10})
    )
    S = sparse.random(5_000, 5_000, density=0.01, random_state=0, format="csr")
    jobs.append(
        fitting(
            "MLPClassifier (20), sparse, 1 pass",
            "5000 x 5000, 1 %",
            S,
            y[:5000],
            {"hidden_layer_sizes": 20, "max_iter": 1},
        )
    )
    ours = neural.MLPClassifier(max_iter=2, random_state=0).fit(X, y)
    peer = peers.MLPClassifier(max_iter=2, random_state=0).fit(X, y)
    jobs.append(
        Race(
            "MLPClassifier predict_proba",
            "20000 x 50",
            lambda: ours.predict_proba(X),
            lambda: peer.predict_proba(X),
            3,
        )
    )
    row = X[:1]
    jobs.append(
        Race(
            "MLPClassifier predict_proba",
            "one row",
            lambda: ours.predict_proba(row),
            lambda: peer.predict_proba(row),
            500,
        )
    )
    return jobs


def fitting(name, size, X, y, setting, repeat=1, learner="MLPClassifier"):
    setting = {**PASSES, **setting}
    return Race(
        f"{name} fit",
        size,
        lambda: getattr(neural, learner)(**setting).fit(X, y),
        lambda: getattr(peers, learner)(**setting).fit(X, y),
        repeat,
    )


def growths() -> list[str]:
    def fit(X, y):
        return lambda: neural.MLPClassifier(max_iter=2, **PASSES).fit(X, y)

    in_n = growth(lambda n: fit(*clouds(n, 20, 3)), [4_000, 16_000, 64_000])
    in_d = growth(lambda d: fit(*clouds(4_000, d, 3)), [16, 64, 256])
    return [f"MLPClassifier: seconds of a pass grow as n^{in_n:.2f} and d^{in_d:.2f}"]
