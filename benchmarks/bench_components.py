"""Principal components and factors against scikit-learn: few rows, many rows, many columns, kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import decomposition

import assay.reduce as ours
from benchmarks.harness import Race

SIZES = [(150, 10, 2), (2_000, 50, 5), (20_000, 50, 5)]


def rows(n: int, d: int, k: int = 5, seed: int = 0) -> np.ndarray:
    """Rows of k hidden numbers and noise of another size in each column."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(n, k)) @ rng.normal(size=(k, d))
    return hidden + rng.normal(size=(n, d)) * rng.uniform(0.5, 2.0, d)


def races() -> list[Race]:
    compared = []
    for n, d, k in SIZES:
        X, repeat = rows(n, d, k), 20 if n < 1000 else 1
        for name in ("PCA", "IncrementalPCA", "FactorAnalysis"):
            compared.append(race(f"{name} fit, k = {k}", name, X, repeat, n_components=k))
        compared.append(transforming(X, k, repeat))
    rng = np.random.default_rng(0)
    tall = rng.normal(size=(1_000_000, 50)) @ rng.normal(size=(50, 50))
    wide = rng.normal(size=(2000, 5000)) * np.linspace(1, 3, 5000)
    compared += [
        Race(
            "PCA, covariance",
            "1M x 50",
            lambda: ours.PCA(10).fit(tall),
            lambda: decomposition.PCA(10, svd_solver="covariance_eigh").fit(tall),
        ),
        Race(
            "PCA, exact, against full SVD",
            "2000 x 5000, k = 20",
            lambda: ours.PCA(20).fit(wide),
            lambda: decomposition.PCA(20, svd_solver="full").fit(wide),
        ),
    ]
    for n, k in ((150, 2), (1_000, 5), (3_000, 20)):
        X = rng.normal(size=(n, 20)) @ rng.normal(size=(20, 20))
        settings = {"n_components": k, "kernel": "rbf", "gamma": 0.0005}
        compared.append(race(f"KernelPCA, rbf, k = {k}", "KernelPCA", X, 20 if n < 1000 else 1, **settings))
    return compared


def race(title: str, name: str, X: np.ndarray, repeat: int, **settings: Any) -> Race:
    return Race(
        title,
        f"{len(X)} x {X.shape[1]}",
        lambda: getattr(ours, name)(**settings).fit(X),
        lambda: getattr(decomposition, name)(**settings).fit(X),
        repeat,
    )


def transforming(X: np.ndarray, k: int, repeat: int) -> Race:
    a, b = ours.PCA(k).fit(X), decomposition.PCA(k).fit(X)
    size = f"{len(X)} x {X.shape[1]}"
    return Race(f"PCA transform, k = {k}", size, lambda: a.transform(X), lambda: b.transform(X), repeat)


def growths() -> list[str]:
    """Why some ratios are what they are."""
    return [
        "PCA of 1M x 50: the product of the table with itself, by BLAS, takes 0.69 of the peer's whole "
        "fit, so that no route over the covariance can be much faster",
        "FactorAnalysis: what follows the one pass over the rows does not depend on their number, so the "
        "ratio falls with it, to 0.04 at 20000 rows",
        "KernelPCA of fewer than 10 components: the peer takes ARPACK, one vector at a time; ours takes "
        "two, so that an eigenvalue which occurs twice is seen, and is level with it. At 1000 rows and "
        "5 components the kernel matrix and its centring take 0.27 of the peer's whole fit, the 36 "
        "products with the matrix (the peer: 35) 0.34, and to keep the vectors orthogonal the rest: 0.3 "
        "leaves no time for a single product. From 10 components "
        "the peer computes all",
    ]
