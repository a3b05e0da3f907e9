"""Least squares, ridge and robust regression against scikit-learn."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn import linear_model as peers
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.exceptions import ConvergenceWarning

from assay import linear
from assay.errors import DegenerateWarning
from benchmarks.harness import Race, growth

SIZES = [(1_000_000, 30, 1), (100_000, 200, 1), (1_000, 2_000, 1), (100_000, 30, 10)]


def rows(n: int, d: int, q: int = 1, tails: float = 1e9) -> tuple[np.ndarray, np.ndarray]:
    """Columns far from zero, and linear targets with noise; few degrees of freedom in ``tails`` make outliers."""
    rng = np.random.default_rng(n + d + q)
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    Y = X @ rng.normal(size=(d, q)) + rng.standard_t(tails, size=(n, q))
    return X, Y[:, 0] if q == 1 else Y


def races() -> list[Race]:
    warnings.simplefilter("ignore", DegenerateWarning)  # fewer rows than columns
    warnings.simplefilter(
        "ignore", ConvergenceWarning
    )  # the peer's Huber regression of diabetes needs more steps
    X, y = load_diabetes(return_X_y=True)
    found = []
    for name in ("LinearRegression", "Ridge", "RidgeCV", "HuberRegressor", "QuantileRegressor"):
        found += both(name, "diabetes", X, y, 20 if name == "QuantileRegressor" else 100)
    for n, d, q in SIZES:
        X, y = rows(n, d, q)
        size = f"{n} x {d}" + (f", {q} outputs" if q > 1 else "")
        for name in ("LinearRegression", "Ridge"):
            found += both(name, size, X, y)
    for n, d in ((100_000, 50), (20_000, 200), (300, 1_000)):
        found += both("RidgeCV", f"{n} x {d}", *rows(n, d))
    X, y = load_breast_cancer(return_X_y=True)
    found += both("RidgeClassifier", "breast cancer", X, y, 100)
    X, y = rows(100_000, 30)
    found += both(
        "RidgeClassifier", "100000 x 30, 5 classes", X, np.digitize(y, np.quantile(y, [0.2, 0.4, 0.6, 0.8]))
    )
    for n, d in ((20_000, 20), (200_000, 30)):
        found += both("HuberRegressor", f"{n} x {d}, outliers", *rows(n, d, tails=2))
    found += both("QuantileRegressor", "2000 x 10, outliers", *rows(2_000, 10, tails=2))
    return found


def both(name: str, size: str, X: np.ndarray, y: np.ndarray, repeat: int = 1) -> list[Race]:
    settings = {"alpha": 0.0} if name == "QuantileRegressor" else {}
    ours, peer = getattr(linear, name), getattr(peers, name)
    a, b = ours(**settings).fit(X, y), peer(**settings).fit(X, y)
    return [
        Race(
            f"{name} fit",
            size,
            lambda: ours(**settings).fit(X, y),
            lambda: peer(**settings).fit(X, y),
            repeat,
        ),
        Race(
            f"{name} predict",
            size,
            lambda: a.predict(X),
            lambda: b.predict(X),
            20 * repeat if len(X) < 5000 else repeat,
        ),
    ]


def growths() -> list[str]:
    def fit(X: np.ndarray, y: np.ndarray):
        return lambda: linear.LinearRegression().fit(X, y)

    in_n = growth(lambda n: fit(*rows(n, 30)), [50_000, 200_000, 800_000])
    in_d = growth(lambda d: fit(*rows(20_000, d)), [32, 128, 512])
    return [f"LinearRegression: seconds to fit grow as n^{in_n:.2f} and d^{in_d:.2f}"]
