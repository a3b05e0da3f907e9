"""Densities against scikit-learn and SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import gaussian_kde
from sklearn import neighbors as peers

from assay import densities
from benchmarks.harness import Race, growth

WAYS = [
    ("gaussian", 1e-4),
    ("gaussian", 1e-8),
    ("epanechnikov", 1e-4),
    ("exponential", 1e-4),
]


def clouds(n: int, d: int) -> np.ndarray:
    """Three hills of unequal spread."""
    rng = np.random.default_rng(n + d)
    return rng.normal(size=(n, d)) * rng.choice([0.3, 1.0, 2.0], (n, 1)) + rng.choice(
        [-3.0, 0.0, 4.0], (n, 1)
    )


def races() -> list[Race]:
    found = []
    X, Q = clouds(100_000, 2), clouds(10_000, 2)
    found.append(asking("KernelDensity gaussian, rtol 1e-4, many rows", X, Q, rtol=1e-4))
    for d in (1, 2, 3):
        X, Q = clouds(100_000, d), clouds(1_000, d)
        for kernel, rtol in WAYS:
            found.append(asking(f"KernelDensity {kernel}, rtol {rtol:g}", X, Q, kernel=kernel, rtol=rtol))
    X, Q = clouds(20_000, 8), clouds(2_000, 8)
    found.append(asking("KernelDensity gaussian, exact", X, Q))
    X, Q = clouds(20_000, 2), clouds(2_000, 2)
    found.append(asking("KernelDensity gaussian, exact", X, Q))
    h = 20_000 ** (-1 / 6)
    ours = densities.KernelDensity(bandwidth=h, shape="mahalanobis").fit(X)
    peer = gaussian_kde(X.T)
    found.append(
        Race(
            "Mahalanobis kernel",
            "20000 x 2, 2000 rows",
            lambda: ours.score_samples(Q),
            lambda: peer.logpdf(Q.T),
        )
    )
    found.append(
        Race(
            "KernelDensity fit",
            "100000 x 3",
            lambda: densities.KernelDensity().fit(X3).points_._tree,
            lambda: peers.KernelDensity().fit(X3),
        )
    )
    return found


X3 = clouds(100_000, 3)


def asking(name: str, X: np.ndarray, Q: np.ndarray, **settings: Any) -> Race:
    """The log densities of Q under X, both fitted outside the clock."""
    n, d = X.shape
    settings = {"bandwidth": n ** (-1 / (d + 4)), **settings}
    ours, peer = (room.KernelDensity(**settings).fit(X) for room in (densities, peers))
    ours.score_samples(Q[:1])  # the tree grows when it is first asked; its time is in the race to fit
    size = f"{n} x {d}, {len(Q)} rows"
    return Race(name, size, lambda: ours.score_samples(Q), lambda: peer.score_samples(Q))


def growths() -> list[str]:
    def ask(n: int, d: int) -> Any:
        X, Q = clouds(n, d), clouds(500, d)
        model = densities.KernelDensity(bandwidth=n ** (-1 / (d + 4)), rtol=1e-4).fit(X)
        model.score_samples(Q[:1])
        return lambda: model.score_samples(Q)

    in_n = growth(lambda n: ask(n, 2), [20_000, 80_000, 320_000])
    in_d = growth(lambda d: ask(20_000, d), [2, 4, 8, 16])
    return [f"KernelDensity, time to ask grows with n^{in_n:.2f} and d^{in_d:.2f} (rtol 1e-4, Scott's width)"]
