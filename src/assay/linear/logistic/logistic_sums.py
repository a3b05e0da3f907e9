"""Sums over rows of the logistic cross-entropy, its gradient and its curvature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import assay.linear.logistic._logistic as _logistic
from assay.core.sums import Block
from assay.types import TableLike

__all__ = ["CurvatureSums", "Scale", "curvature_part", "gradient_part", "grams", "pairs", "scatter_part"]

FUSED_CLASSES = 16  # classes up to which the fused native loop is quicker than BLAS
NO_VALUES = np.empty(0)


@dataclass(frozen=True)
class Scale:
    """Where the columns lie and how far they spread.

    Attributes
    ----------
    mean, spread : (d,)      total : float, sum of the row weights
    """

    mean: np.ndarray
    spread: np.ndarray
    total: float

    @classmethod
    def of(cls, mean: np.ndarray, square: np.ndarray, total: float, centred: bool) -> Scale:
        """From the means and mean squared deviations; columns that do not vary keep their unit."""
        if not centred:
            square = square + mean * mean
        spread = np.sqrt(square)
        usable = np.isfinite(spread) & (spread > 1e-150) & (spread > 1e-13 * np.abs(mean))
        return cls(mean if centred else np.zeros_like(mean), np.where(usable, spread, 1.0), total)

    def plain(self) -> Scale:
        """Of rows that are in these coordinates already."""
        return Scale(np.zeros_like(self.mean), np.ones_like(self.spread), self.total)

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Rows in these coordinates."""
        out = X - self.mean
        out /= self.spread
        return out


@dataclass
class CurvatureSums:
    """What :func:`curvature_part` adds up: a number, (d + 1, columns), (number of pairs, p, p)."""

    loss: float
    gradient: np.ndarray
    blocks: np.ndarray

    def __add__(self, other: CurvatureSums) -> CurvatureSums:
        return CurvatureSums(
            self.loss + other.loss, self.gradient + other.gradient, self.blocks + other.blocks
        )


def gradient_part(block: Block, W: np.ndarray, K: int, class_weight: np.ndarray | None) -> np.ndarray:
    """What a block adds to S E and its gradient by W and b: the loss, then (d + 1, columns) flat."""
    X, y, w = prepared(block, class_weight)
    out = np.zeros(1 + W.size)
    d, columns = W.shape[0] - 1, W.shape[1]
    dense = isinstance(X, np.ndarray)
    if dense and K == 2:
        out[0] = _logistic.two_classes(X, y, w, W[:d, 0], float(W[d, 0]), out[1:])
    elif dense and K <= FUSED_CLASSES:
        wide = 4 if K <= 4 else 8 if K <= 8 else FUSED_CLASSES
        padded, G = np.zeros((d + 1, wide)), np.zeros((d + 1, wide))
        padded[:, :K] = W
        out[0] = _logistic.few_classes(X, y, w, K, padded, G)
        out[1:] = G[:, :K].ravel()
    else:
        Z = scores(X, W)
        if K == 2:
            out[0] = _logistic.two_residuals(Z.reshape(-1), y, w, NO_VALUES)
        else:
            out[0] = _logistic.residuals(Z, y, w, np.empty((0, columns)))
        G = out[1:].reshape(W.shape)
        G[:d] = X.T @ Z
        G[d] = Z.sum(axis=0)
    return out


def curvature_part(
    block: Block,
    W: np.ndarray,
    products: list[tuple[int, int]],
    K: int,
    class_weight: np.ndarray | None,
    scale: Scale,
    intercept: bool,
) -> CurvatureSums:
    """What a block adds to S E, to its gradient, and for each (j, k) to the sum of w p_j p_k x x', x inside.

    (k, k) means w p_k (1 - p_k), and so does (0, 1) of two classes.
    """
    X, y, w = prepared(block, class_weight)
    Z = scores(X, W)
    if K == 2:
        h = np.empty(len(y))
        loss = _logistic.two_residuals(Z.reshape(-1), y, w, h)
        factors = [h]
    else:
        P = np.empty_like(Z)
        loss = _logistic.residuals(Z, y, w, P)
        V = P * w[:, None] if len(w) else P
        factors = [V[:, j] * (P[:, k] if j != k else 1.0 - P[:, k]) for j, k in products]
    G = np.empty(W.shape)
    G[:-1] = X.T @ Z
    Z.sum(axis=0, out=G[-1])
    return CurvatureSums(loss, G, grams(X, factors, scale, intercept))


def scatter_part(block: Block, class_weight: np.ndarray | None, scale: Scale, intercept: bool) -> np.ndarray:
    """The sum of w x x' of a block, x inside."""
    X, y, w = prepared(block, class_weight)
    return grams(X, [w if len(w) else np.ones(len(y))], scale, intercept)[0]


def grams(X: Any, factors: list[np.ndarray], scale: Scale, intercept: bool) -> np.ndarray:
    """(m, p, p) for each of m vectors h the sum of h_i x_i x_i', x_i inside, with a 1 at its end for an intercept."""
    n, d = X.shape
    out = np.empty((len(factors), d + intercept, d + intercept))
    if isinstance(X, np.ndarray):
        A = scale.apply(X) if scale.mean.any() or (scale.spread != 1).any() else X
        B = np.empty((n, d))
        for h, gram in zip(factors, out):
            np.multiply(A, np.sqrt(h)[:, None], out=B)
            gram[:d, :d] = B.T @ B  # NumPy sees the symmetry
            if intercept:
                gram[d, :d] = gram[:d, d] = h @ A
                gram[d, d] = h.sum()
        return out
    middle = scale.mean / scale.spread
    for h, gram in zip(factors, out):
        first, total = (X.T @ h) / scale.spread, float(h.sum())
        gram[:d, :d] = (X.T @ X.multiply(h[:, None])).todense() / scale.spread[:, None] / scale.spread
        gram[:d, :d] += total * np.outer(middle, middle) - np.outer(first, middle) - np.outer(middle, first)
        if intercept:
            gram[d, :d] = gram[:d, d] = first - total * middle
            gram[d, d] = total
    return out


def prepared(block: Block, class_weight: np.ndarray | None) -> tuple[Any, np.ndarray, np.ndarray]:
    """X, y and w as the native code takes them; w is empty if every row counts once."""
    X = block.X
    if isinstance(X, np.ndarray) and (X.dtype not in (np.float64, np.float32) or not X.flags.c_contiguous):
        X = np.ascontiguousarray(X, dtype=np.float64)
    y = np.ascontiguousarray(block.y, dtype=np.int64)
    w = NO_VALUES if block.w is None else np.ascontiguousarray(block.w, dtype=np.float64)
    if class_weight is not None:
        w = class_weight[y] * w if len(w) else class_weight[y]
    return X, y, w


def scores(X: TableLike, W: np.ndarray) -> np.ndarray:
    """(n, columns) in C order; scores that leave the range of floats end at its border."""
    with np.errstate(over="ignore", invalid="ignore"):
        Z = np.asarray(X @ W[:-1]) + W[-1]
    return np.ascontiguousarray(Z, dtype=np.float64)


def pairs(K: int) -> list[tuple[int, int]]:
    """All j < k below K."""
    return [(j, k) for j in range(K) for k in range(j + 1, K)]
