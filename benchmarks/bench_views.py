"""Canonical correlations and partial least squares against scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import cross_decomposition as peers

from assay import reduce
from benchmarks.harness import Race, growth

SIZES = [(500, 10, 5), (20_000, 50, 20), (100_000, 30, 30)]
WIDE = (100, 2_000, 3)


def tables(n: int, p: int, q: int) -> tuple[np.ndarray, np.ndarray]:
    """Two tables with five hidden numbers in common."""
    rng = np.random.default_rng(n + p + q)
    hidden = rng.normal(size=(n, 5))
    X = hidden @ rng.normal(size=(5, p)) + rng.normal(size=(n, p))
    return X, hidden @ rng.normal(size=(5, q)) + 2 * rng.normal(size=(n, q))


def fitting(room: Any, name: str, X: np.ndarray, Y: np.ndarray, k: int) -> Callable[[], Any]:
    """A fit that may stop before it has converged."""

    def fit() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return getattr(room, name)(n_components=k).fit(X, Y)

    return fit


def races() -> list[Race]:
    made = []
    for size in (*SIZES, WIDE):
        X, Y = tables(*size)
        for name in ("CCA", "PLSRegression", "PLSCanonical", "PLSSVD"):
            if name == "CCA" and size == WIDE:
                continue  # as many columns as rows correlate perfectly
            n, p, q = size
            k = min(5, q)
            sides = (fitting(room, name, X, Y, k) for room in (reduce, peers))
            made.append(Race(name, f"{n} x {p} and {q}, k = {k}", *sides, 20 if n < 1000 else 1))
    X, Y = tables(20_000, 50, 20)
    ours, peer = (fitting(room, "CCA", X, Y, 5)() for room in (reduce, peers))
    made.append(
        Race("CCA transform", "20000 x 50", lambda: ours.transform(X, Y), lambda: peer.transform(X, Y))
    )
    return made


def growths() -> list[str]:
    def fit(n: int, p: int) -> Callable[[], Any]:
        return fitting(reduce, "CCA", *tables(n, p, 10), 5)

    in_n = growth(lambda n: fit(n, 30), [20_000, 40_000, 80_000])
    in_p = growth(lambda p: fit(10_000, p), [50, 100, 200])
    return [f"CCA, time to fit grows with n^{in_n:.2f} and p^{in_p:.2f}"]
