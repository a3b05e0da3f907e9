"""Generalised linear models against scikit-learn's and statsmodels'."""

from __future__ import annotations

from typing import Any

import numpy as np
import statsmodels.api as sm
from sklearn import linear_model as peers

from assay import linear
from benchmarks.harness import Race

SIZES = [(100, 5, 50), (2_000, 10, 20), (10_000, 20, 10), (1_000_000, 20, 1)]


def table(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Counts whose logarithm of the mean is linear."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, d))
    return X, rng.poisson(np.exp(X @ (0.1 * rng.normal(size=d)))).astype(float)


def races() -> list[Race]:
    gathered = []
    for n, d, repeat in SIZES:
        X, y = table(n, d)
        for name, target, settings in (
            ("PoissonRegressor", y, {}),
            ("GammaRegressor", y + 0.5, {}),
            ("TweedieRegressor", y, {"power": 1.5}),
        ):
            if n < 1_000_000 or name == "PoissonRegressor":
                gathered.append(against_scikit_learn(name, X, target, settings, repeat))
    X, y = table(100_000, 20)
    gathered.append(
        Race(
            "GeneralizedLinearModel fit, Poisson, against statsmodels",
            "100000 x 20",
            lambda: linear.GeneralizedLinearModel(family="poisson").fit(X, y),
            lambda: sm.GLM(y, sm.add_constant(X), family=sm.families.Poisson()).fit(),
        )
    )
    return gathered


def against_scikit_learn(name: str, X: Any, y: np.ndarray, settings: dict[str, Any], repeat: int) -> Race:
    return Race(
        f"{name} fit",
        f"{X.shape[0]} x {X.shape[1]}",
        lambda: getattr(linear, name)(**settings).fit(X, y),
        lambda: getattr(peers, name)(**settings).fit(X, y),
        repeat,
    )


def growths() -> list[str]:
    """Where the searches end."""
    return [
        "fits of smaller tables end at a ten-thousandth of a standard error (on many rows a thousandth), those of "
        "scikit-learn at a gradient of 1e-4: on 10000 rows a hundredth of a standard error",
        "GammaRegressor: Fisher scoring takes six steps on 2000 rows, of which each is a pass and a small linear "
        "system; the peer five passes for gradients alone, no standard errors",
    ]
