"""Kernel ridge regression and learned metrics against their peers."""

from __future__ import annotations

import numpy as np
from sklearn import kernel_ridge as peers

from assay import svm
from benchmarks.harness import Race, growth


def numbers(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n + d)
    X = rng.normal(size=(n, d))
    return X, np.sin(X[:, 0]) + rng.normal(0, 0.1, n)


def races() -> list[Race]:
    made = []
    for kernel, n in (("rbf", 500), ("rbf", 2_000), ("rbf", 4_000), ("poly", 2_000), ("linear", 4_000)):
        X, y = numbers(n, 20)
        Q = numbers(2_001, 20)[0]
        ours, peer = (room.KernelRidge(kernel=kernel).fit(X, y) for room in (svm, peers))
        size = f"{n} x 20"
        made.append(fitting(kernel, size, X, y))
        made.append(answering(kernel, size, ours, peer, Q))
    return made


def fitting(kernel: str, size: str, X: np.ndarray, y: np.ndarray) -> Race:
    return Race(
        f"KernelRidge fit, {kernel}",
        size,
        lambda: svm.KernelRidge(kernel=kernel).fit(X, y),
        lambda: peers.KernelRidge(kernel=kernel).fit(X, y),
    )


def answering(kernel: str, size: str, ours: svm.KernelRidge, peer: peers.KernelRidge, Q: np.ndarray) -> Race:
    return Race(
        f"KernelRidge predict, {kernel}",
        f"{size}, 2001 rows",
        lambda: ours.predict(Q),
        lambda: peer.predict(Q),
    )


def growths() -> list[str]:
    def ridge(n: int):
        X, y = numbers(n, 20)
        return lambda: svm.KernelRidge(kernel="rbf").fit(X, y)

    in_n = growth(ridge, [500, 1_000, 2_000, 4_000])
    return [f"KernelRidge: seconds of a fit with the kernel rbf grow as n^{in_n:.2f}"]
