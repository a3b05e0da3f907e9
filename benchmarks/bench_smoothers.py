"""Smoothers against statsmodels, SciPy and scikit-learn."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.interpolate import make_smoothing_spline
from sklearn.neighbors import KNeighborsRegressor, RadiusNeighborsRegressor
from statsmodels.nonparametric.kernel_regression import KernelReg
from statsmodels.nonparametric.smoothers_lowess import lowess

from assay.smoothers import KernelSmoother, Loess, RunningMean, SmoothingSpline
from benchmarks.harness import Race

warnings.filterwarnings("ignore", message="After 0.17", category=FutureWarning)  # statsmodels' own


def races() -> list[Race]:
    found = []
    for n, span, iterations, repeat in (
        (200, 2 / 3, 3, 20),
        (2_000, 2 / 3, 0, 1),
        (2_000, 0.1, 3, 1),
        (10_000, 0.05, 3, 1),
        (10_000, 2 / 3, 0, 1),
    ):
        found.append(loess(n, span, iterations, repeat))
    for n, repeat in ((100, 10), (1_000, 1)):
        x, y = rows(n)
        found.append(
            Race(
                "SmoothingSpline fit, λ by GCV",
                f"{n}",
                lambda x=x, y=y: SmoothingSpline().fit(x[:, None], y),
                lambda x=x, y=y: make_smoothing_spline(x, y),
                repeat,
            )
        )
    x, y = rows(4_000)
    found.append(
        Race(
            "SmoothingSpline fit, λ given",
            "4000",
            lambda: SmoothingSpline(1.0).fit(x[:, None], y),
            lambda: make_smoothing_spline(x, y, lam=1.0),
            5,
        )
    )
    found += [means(20_000, 1), means(20_000, 3), kernel(2_000)]
    return found


def rows(n: int):
    random = np.random.default_rng(n)
    x = np.sort(random.uniform(0, 10, n))
    return x, np.sin(x) + random.normal(0, 0.3, n)


def loess(n: int, span: float, iterations: int, repeat: int) -> Race:
    x, y = rows(n)
    return Race(
        "Loess fit and predict",
        f"{n}, span {span:.2g}, {iterations} robust",
        lambda: Loess(span, robust_iterations=iterations).fit(x[:, None], y).predict(x[:, None]),
        lambda: lowess(y, x, frac=span, it=iterations, is_sorted=True, return_sorted=False),
        repeat,
    )


def means(n: int, d: int) -> Race:
    random = np.random.default_rng(n)
    X, y, Q = random.uniform(0, 1, (n, d)), random.normal(size=n), random.uniform(0, 1, (2_000, d))
    if d == 1:
        ours, peer = RunningMean(0.01).fit(X, y), RadiusNeighborsRegressor(0.01).fit(X, y)
    else:
        ours, peer = RunningMean(n_neighbors=10).fit(X, y), KNeighborsRegressor(10).fit(X, y)
    name = "RunningMean predict, a window" if d == 1 else "RunningMean predict, 10 nearest"
    return Race(name, f"{n} x {d}, 2000 queries", lambda: ours.predict(Q), lambda: peer.predict(Q))


def kernel(n: int) -> Race:
    x, y = rows(n)
    ours = KernelSmoother(0.3).fit(x[:, None], y)
    peer = KernelReg(y, x, "c", reg_type="lc", bw=[0.3])
    return Race(
        "KernelSmoother predict",
        f"{n}, 500 queries",
        lambda: ours.predict(x[::4, None]),
        lambda: peer.fit(x[::4]),
    )
