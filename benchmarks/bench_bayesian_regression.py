"""Bayesian regression against scikit-learn; Bayesian logistic regression and Poisson regression against their modes."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn import linear_model as peers
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale

from assay import linear
from benchmarks.harness import Race, growth


def rows(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Every fifth column matters."""
    random = np.random.default_rng(n + d)
    X = random.normal(size=(n, d))
    return X, X @ (random.normal(size=d) * (np.arange(d) % 5 == 0)) + random.normal(size=n)


def races() -> list[Race]:
    warnings.simplefilter(
        "ignore", ConvergenceWarning
    )  # the peer's relevance determination wanders where n < d
    sizes = {
        "diabetes": load_diabetes(return_X_y=True),
        "200 x 10": rows(200, 10),
        "100 x 400": rows(100, 400),
    }
    sizes |= {"100000 x 50": rows(100_000, 50), "20000 x 200": rows(20_000, 200)}
    results = []
    for size, (X, y) in sizes.items():
        for name in ("BayesianRidge", "ARDRegression"):
            results += both(name, size, X, y, 20 if len(X) < 1000 else 1)
    X, y = rows(100_000, 30)
    results += modes("100000 x 30", X, y > 0, np.random.default_rng(0).poisson(np.exp(0.1 * y)))
    X, y = load_breast_cancer(return_X_y=True)
    results += modes("breast cancer", scale(X), y, y)
    return results


def both(name: str, size: str, X: np.ndarray, y: np.ndarray, repeat: int) -> list[Race]:
    ours, peer = getattr(linear, name), getattr(peers, name)
    a, b = ours().fit(X, y), peer().fit(X, y)
    return [
        Race(f"{name} fit", size, lambda: ours().fit(X, y), lambda: peer().fit(X, y), repeat),
        Race(
            f"{name} predict with deviations",
            size,
            lambda: a.predict(X, return_std=True),
            lambda: b.predict(X, return_std=True),
            repeat,
        ),
    ]


def modes(size: str, X: np.ndarray, labels: np.ndarray, counts: np.ndarray) -> list[Race]:
    """The peers find the mode alone; ours finds the posterior."""
    n = len(X)
    return [
        Race(
            "BayesianLogisticRegression fit (peer: LogisticRegression)",
            size,
            lambda: linear.BayesianLogisticRegression().fit(X, labels),
            lambda: peers.LogisticRegression(tol=1e-8, max_iter=1000).fit(X, labels),
        ),
        Race(
            "BayesianGeneralizedLinearModel fit (peer: PoissonRegressor)",
            size,
            lambda: linear.BayesianGeneralizedLinearModel("poisson").fit(X, counts),
            lambda: peers.PoissonRegressor(alpha=1 / n, tol=1e-8, max_iter=1000).fit(X, counts),
        ),
    ]


def growths() -> list[str]:
    def fit(X: np.ndarray, y: np.ndarray):
        return lambda: linear.BayesianRidge().fit(X, y)

    in_n = growth(lambda n: fit(*rows(n, 30)), [50_000, 200_000, 800_000])
    in_d = growth(lambda d: fit(*rows(20_000, d)), [32, 128, 512])
    return [f"BayesianRidge: seconds to fit grow as n^{in_n:.2f} and d^{in_d:.2f}"]
