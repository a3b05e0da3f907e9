"""Principal components against scikit-learn: many rows, many columns, kernels."""

from __future__ import annotations

import numpy as np
from sklearn import decomposition

from assay.reduce import PCA, KernelPCA
from benchmarks.harness import Race


def races() -> list[Race]:
    rng = np.random.default_rng(0)
    tall = rng.normal(size=(1_000_000, 50)) @ rng.normal(size=(50, 50))
    wide = rng.normal(size=(2000, 5000)) * np.linspace(1, 3, 5000)
    rows = rng.normal(size=(3000, 20)) @ rng.normal(size=(20, 20))
    kernel = {"n_components": 20, "kernel": "rbf", "gamma": 0.0005}
    return [
        Race(
            "PCA, covariance",
            "1M x 50",
            lambda: PCA(10).fit(tall),
            lambda: decomposition.PCA(10, svd_solver="covariance_eigh").fit(tall),
        ),
        Race(
            "PCA, exact, against full SVD",
            "2000 x 5000, k = 20",
            lambda: PCA(20).fit(wide),
            lambda: decomposition.PCA(20, svd_solver="full").fit(wide),
        ),
        Race(
            "KernelPCA, rbf, k = 20",
            "3000 x 20",
            lambda: KernelPCA(**kernel).fit(rows),
            lambda: decomposition.KernelPCA(**kernel).fit(rows),
        ),
    ]
