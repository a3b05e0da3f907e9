"""Gaussian processes of many rows: on a line against celerite2, in the plane and beyond against GPBoost.

Whole fits, parameters included, from the same start. celerite2 has no derivatives by itself: L-BFGS takes differences,
as its users do. GPBoost conditions on 20 neighbours, ours on 30. Of the fits by few points both have 200.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from celerite2 import GaussianProcess, terms
from gpboost import GPModel
from scipy.optimize import minimize

from assay.kernels import RBF, Matern, WhiteKernel
from assay.processes import GaussianProcessRegressor, SparseGaussianProcessRegressor
from benchmarks.harness import Race

NOISE = WhiteKernel(0.1)


def races() -> list[Race]:
    return [
        *(line(n) for n in (1_000, 10_000, 100_000)),
        plane(2_000),
        plane(10_000),
        friedman(5_000),
    ]


def growths() -> list[str]:
    return [
        "GaussianProcessRegressor on a line, 1000 rows: 4.5 ms, of which the passes over the rows are 2; the rest is "
        "reading the table, checks and the search itself, in Python"
    ]


def line(n: int) -> Race:
    random = np.random.default_rng(n)
    x = np.sort(random.uniform(0, n / 100, n))
    y = np.sin(x) + 0.5 * np.sin(3.1 * x) + 0.3 * random.normal(size=n)
    kernel = 1.0 * Matern(nu=1.5) + NOISE
    return Race(
        "GaussianProcessRegressor fit on a line, Matern 3/2",
        f"{n}",
        lambda: GaussianProcessRegressor(kernel, alpha=0, method="line").fit(x[:, None], y),
        lambda: celerite(x, y),
    )


def celerite(x: np.ndarray, y: np.ndarray) -> Any:
    def loss(theta: np.ndarray) -> float:
        sigma, rho, noise = np.exp(theta)
        process = GaussianProcess(terms.Matern32Term(sigma=sigma, rho=rho))
        process.compute(x, diag=np.full(len(x), noise), quiet=True)
        value = process.log_likelihood(y)
        return -value if np.isfinite(value) else 1e25

    return minimize(loss, np.log([1.0, 1.0, 0.1]), method="L-BFGS-B")


def plane(n: int) -> Race:
    random = np.random.default_rng(n)
    X = random.uniform(0, 1, (n, 2))
    y = np.sin(6 * X[:, 0]) + X[:, 1] ** 2 + 0.3 * random.normal(size=n)
    kernel = 1.0 * Matern([0.3, 0.3], nu=1.5) + NOISE
    settings = {"cov_function": "matern_ard", "cov_fct_shape": 1.5, "gp_approx": "vecchia"}
    return Race(
        "GaussianProcessRegressor fit by neighbours, Matern 3/2, two length scales",
        f"{n} x 2",
        lambda: GaussianProcessRegressor(kernel, alpha=0, method="vecchia").fit(X, y),
        lambda: boosted(X, y, num_neighbors=20, **settings),
    )


def friedman(n: int) -> Race:
    random = np.random.default_rng(n)
    X = random.uniform(0, 1, (n, 5))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    y = (y + random.normal(size=n) - y.mean()) / y.std()
    kernel = 1.0 * RBF(np.ones(5)) + NOISE
    return Race(
        "SparseGaussianProcessRegressor fit, RBF, five length scales, 200 points",
        f"{n} x 5",
        lambda: SparseGaussianProcessRegressor(kernel, n_inducing=200).fit(X, y),
        lambda: boosted(X, y, cov_function="gaussian_ard", gp_approx="fitc", num_ind_points=200),
    )


def boosted(X: np.ndarray, y: np.ndarray, **settings: Any) -> Any:
    return GPModel(gp_coords=X, num_parallel_threads=1, **settings).fit(y=y)
