"""Kernel functions against scikit-learn: matrices of values, gradients and their sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.gaussian_process.kernels as peers
import sklearn.metrics.pairwise as functions

from assay import kernels
from benchmarks.harness import Race, growth

OBJECTS = {  # the same expression in both rooms
    "RBF": lambda room: room.RBF(2.0),
    "RBF, one scale a column": lambda room: room.RBF(np.full(10, 2.0)),
    "Matern 3/2": lambda room: room.Matern(2.0, nu=1.5),
    "RationalQuadratic": lambda room: room.RationalQuadratic(2.0, 0.7),
    "ExpSineSquared": lambda room: room.ExpSineSquared(2.0),
    "2 * RBF + WhiteKernel": lambda room: 2.0 * room.RBF(2.0) + room.WhiteKernel(0.1),
}
FUNCTIONS = (
    "linear_kernel", "polynomial_kernel", "rbf_kernel", "laplacian_kernel", "sigmoid_kernel", "cosine_similarity",
    "chi2_kernel",
)  # fmt: skip


def normal(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(n + seed).normal(size=(n, 10))


def races() -> list[Race]:
    contests = []
    for n, repeat in ((200, 50), (2_000, 2), (5_000, 1)):
        X, Y, size = normal(n), normal(n, 1), f"{n} x 10"
        for name, make in OBJECTS.items():
            contests.append(Race(f"{name}, matrix", size, of(make(kernels), X), of(make(peers), X), repeat))
        for name in FUNCTIONS:
            rows = (np.abs(X), np.abs(Y)) if name == "chi2_kernel" else (X, Y)
            ours, peer = getattr(kernels, name), getattr(functions, name)
            contests.append(Race(name, size, of(ours, *rows), of(peer, *rows), repeat))
    X, W = normal(2_000), np.ones((2_000, 2_000))
    for name in ("RBF, one scale a column", "Matern 3/2", "2 * RBF + WhiteKernel"):
        ours, peer = OBJECTS[name](kernels), OBJECTS[name](peers)
        contests.append(
            Race(
                f"{name}, sums of derivatives",
                "2000 x 10",
                of(ours.parameter_sums, X, W),
                lambda peer=peer: np.einsum("ij,ijp->p", W, peer(X, eval_gradient=True)[1]),
            )
        )
    return contests


def of(call: Callable[..., Any], *arguments: Any) -> Callable[[], Any]:
    return lambda: call(*arguments)


def growths() -> list[str]:
    rows = np.random.default_rng(0)
    in_n = growth(lambda n: of(kernels.RBF(2.0), normal(n)), [500, 1_000, 2_000])
    in_d = growth(lambda d: of(kernels.RBF(2.0), rows.normal(size=(1_000, d))), [16, 64, 256])
    return [f"RBF: seconds of a kernel matrix grow as n^{in_n:.2f} and d^{in_d:.2f}"]
