"""Gaussian process regression against scikit-learn's."""

from __future__ import annotations

import numpy as np
from sklearn import gaussian_process as peers
from sklearn.gaussian_process import kernels as peer_kernels

from assay.kernels import RBF, ConstantKernel, WhiteKernel
from assay.processes import GaussianProcessRegressor
from benchmarks.harness import Race, growth

COLUMNS = 5


def friedman(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Friedman's first function of five columns, with noise, normalised."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n, COLUMNS))
    f = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    y = f + rng.normal(size=n)
    return X, (y - y.mean()) / y.std()


def ours() -> GaussianProcessRegressor:
    return GaussianProcessRegressor(
        ConstantKernel(1.0) * RBF([1.0] * COLUMNS) + WhiteKernel(0.1), method="exact"
    )


def theirs() -> peers.GaussianProcessRegressor:
    kernel = 1.0 * peer_kernels.RBF([1.0] * COLUMNS) + peer_kernels.WhiteKernel(0.1)
    return peers.GaussianProcessRegressor(kernel)


def races() -> list[Race]:
    made = []
    for n in (20, 100, 300, 1_000, 2_000):
        X, y = friedman(n)
        made.append(
            Race(
                "GaussianProcessRegressor fit, a length scale a column",
                f"{n} x {COLUMNS}",
                lambda X=X, y=y: ours().fit(X, y),
                lambda X=X, y=y: theirs().fit(X, y),
            )
        )
    for n in (100, 1_000):
        X, y = friedman(n)
        model, peer = (
            ours().set_params(optimizer=None).fit(X, y),
            theirs().set_params(optimizer=None).fit(X, y),
        )
        Q = friedman(2_001)[0]
        made.append(
            Race(
                "GaussianProcessRegressor predict with standard deviations",
                f"{n} x {COLUMNS}, 2001 rows",
                lambda model=model, Q=Q: model.predict(Q, return_std=True),
                lambda peer=peer, Q=Q: peer.predict(Q, return_std=True),
            )
        )
    return made


def growths() -> list[str]:
    def fit(n: int):
        X, y = friedman(n)
        return lambda: ours().fit(X, y)

    in_n = growth(fit, [500, 1_000, 2_000])
    return [f"GaussianProcessRegressor: seconds of a fit by the whole matrix grow as n^{in_n:.2f}"]
