"""Steps of nonnegative factorisation: coordinate descent for squares, multiplicative updates for beta divergences.

Both halves of X = WH are the same problem, X on the rows of one factor given the other: the second half is the first
with X transposed. Entries of a dense X may be NaN: they weigh nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import assay.reduce.factorization._nonnegative as _native
from assay.core.csr import compressed_matrix
from assay.core.parallel import in_threads
from assay.reduce.factorization.gram_product import products_at, sparse_product, sparse_rows

__all__ = ["Half", "Penalty", "beta_divergence", "beta_of", "descend", "exponent", "multiply"]

LOSSES = {"frobenius": 2.0, "kullback-leibler": 1.0, "itakura-saito": 0.0}
SMALLEST = float(np.finfo(np.float32).eps)  # products below it are taken for it where they divide
ENOUGH = 0.05  # of the first sweep's squared change, below which a row is not swept again
MOST_SWEEPS = 4  # of the rows against the same products
ENTRIES_PER_SWEEP = 3  # of a row, not 0, for each part: the products of so many cost more than another sweep
ROWS_IN_A_THREAD = 4096
BLOCK_ENTRIES = 1 << 21  # entries of WH that are in memory at one time for a sparse table
_NO_WEIGHTS = np.empty(0)


@dataclass(frozen=True)
class Penalty:
    """What entries and squares of a factor cost."""

    l1: float = 0.0
    l2: float = 0.0

    def of(self, A: np.ndarray, w: np.ndarray | None = None) -> float:
        """The whole penalty of a factor whose rows weigh w."""
        if self.l1 == 0 and self.l2 == 0:
            return 0.0
        rows = self.l1 * A.sum(axis=1) + self.l2 / 2 * np.einsum("ij,ij->i", A, A)
        return float(rows.sum() if w is None else rows @ w)


@dataclass(frozen=True)
class Half:
    """X (n, d) on the rows of a factor A (n, k): the table, the weights of its columns, and the penalty of A.

    ``entries`` is how many of a row are not 0, on average, weights counted as repeats. ``known`` is None if all of X
    is, else (n, d) true where it is; X is 0 there and NaN in ``marked``.
    """

    X: Any
    column_weights: np.ndarray | None
    penalty: Penalty
    entries: float
    known: np.ndarray | None = None
    marked: np.ndarray | None = None

    @cached_property
    def rows(self) -> Any:
        """A sparse X as native code takes it."""
        return sparse_rows(self.X)

    def weighted(self, B: np.ndarray) -> np.ndarray:
        """The other factor B (d, k), its rows times their weights."""
        return B if self.column_weights is None else B * self.column_weights[:, None]


def descend(
    half: Half,
    A: np.ndarray,
    B: np.ndarray,
    order: np.ndarray,
    products: Any = None,
    weights: np.ndarray | None = None,
) -> tuple[float, Any]:
    """Coordinate descent on A (n, k), in place: the violation before it, and the products, which hold while B stays.

    The rows of A count by their weights in the violation. The products are
    (G, C) with the objective A'GA/2 - CA of a row; None where entries are unknown.
    """
    n, k = A.shape
    row_weights = _NO_WEIGHTS if weights is None else weights
    if half.marked is not None:
        marked, columns = half.marked, _NO_WEIGHTS if half.column_weights is None else half.column_weights
        other, penalty = np.ascontiguousarray(B.T), half.penalty

        def known_rows(start: int) -> float:
            rows = (start, min(start + ROWS_IN_A_THREAD, n))
            return _native.sweep_known(
                A=A, X=marked, B=other, w=columns, weights=row_weights, order=order,
                l1=penalty.l1, l2=penalty.l2, sweeps=2, enough=ENOUGH,
                first=rows[0], last=rows[1],
            )  # fmt: skip

        return float(sum(in_threads(known_rows, range(0, n, ROWS_IN_A_THREAD)))), None
    if products is None:
        right = half.weighted(B)
        G = B.T @ right
        G.flat[:: k + 1] += half.penalty.l2
        if isinstance(half.X, np.ndarray):
            C = np.ascontiguousarray(half.X @ right, dtype=np.float64)
        else:
            C = sparse_product(half.rows, n, right)
        C -= half.penalty.l1
        products = (np.ascontiguousarray(G), C)
    G, C = products
    sweeps = min(1 + int(half.entries / (ENTRIES_PER_SWEEP * k)), MOST_SWEEPS)

    def some_rows(start: int) -> float:
        stop = min(start + ROWS_IN_A_THREAD, n)
        return _native.sweep(
            A=A,
            G=G,
            C=C,
            weights=row_weights,
            order=order,
            sweeps=sweeps,
            enough=ENOUGH,
            first=start,
            last=stop,
        )

    if n <= ROWS_IN_A_THREAD:
        return some_rows(0), products
    return float(sum(in_threads(some_rows, range(0, n, ROWS_IN_A_THREAD)))), products


def multiply(half: Half, A: np.ndarray, B: np.ndarray, beta: float) -> tuple[np.ndarray, np.ndarray]:
    r"""Numerator and denominator of the multiplicative update of A (n, k), with :math:`P = AB^T`:

    .. math:: \frac{(X \odot P^{\beta-2})\,B}{P^{\beta-1}B + \ell_1 + \ell_2A}

    A times their ratio (to the power ``exponent(beta)``) does not increase the divergence.
    """
    X, right = half.X, half.weighted(B)
    dense = isinstance(X, np.ndarray)
    if beta == 2 and half.known is None:
        above, below = np.asarray(X @ right), A @ (B.T @ right)
    elif dense:
        P = A @ B.T
        above = (X * _power(P, beta - 2)) @ right
        if beta == 1 and half.known is None:
            below = np.broadcast_to(right.sum(axis=0), A.shape)
        else:
            P = _power(P, beta - 1)
            below = (P if half.known is None else P * half.known) @ right
    else:
        ratio = X.data * _power(products_at(X, A, B.T), beta - 2)
        above = compressed_matrix("csr_matrix", ratio, X.indices, X.indptr, X.shape) @ right
        below = np.broadcast_to(right.sum(axis=0), A.shape) if beta == 1 else _below(A, B, right, beta)
    below = below + half.penalty.l1 + half.penalty.l2 * A
    return above, np.where(below == 0, SMALLEST, below)


def exponent(beta: float) -> float:
    """The power of a multiplicative step that never increases the divergence (Fevotte and Idier 2011)."""
    return 1 / (2 - beta) if beta < 1 else 1 / (beta - 1) if beta > 2 else 1.0


def beta_divergence(
    half: Half, A: np.ndarray, B: np.ndarray, beta: float, w: np.ndarray | None = None
) -> float:
    r"""The divergence of X from P = AB', rows weighted by w.

    .. math:: \sum \frac{x^\beta + (\beta-1)p^\beta - \beta xp^{\beta-1}}{\beta(\beta-1)}

    2 is half of the squared error, 1 (limit) Kullback-Leibler, 0 (limit) Itakura-Saito.
    """
    X, n = half.X, A.shape[0]
    total = 0.0
    sparse = not isinstance(X, np.ndarray)
    each = np.ones(n) if w is None else w
    if sparse and beta == 2:
        G = (A * each[:, None]).T @ A
        squares = float(X.data**2 @ np.repeat(each, np.diff(X.indptr)))
        cross = float(np.einsum("ik,ik,i->", np.asarray(X @ B), A, each))
        return max(0.0, (squares + float(np.sum(G * (B.T @ B)))) / 2 - cross)
    step = max(1, BLOCK_ENTRIES // max(1, X.shape[1]))
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        P = A[rows] @ B.T
        block = X[rows].toarray() if sparse else X[rows]
        terms = _terms(block, P, beta)
        if half.known is not None:
            terms = terms * half.known[rows]
        total += float(each[rows] @ terms.sum(axis=1))
    return total


def beta_of(loss: Any) -> float:
    """The number of a loss that may have a name."""
    return LOSSES[loss] if isinstance(loss, str) else float(loss)


def _terms(X: np.ndarray, P: np.ndarray, beta: float) -> np.ndarray:
    if beta == 2:
        return (X - P) ** 2 / 2
    positive = np.maximum(P, SMALLEST)
    some = X > SMALLEST
    safe = np.where(some, X, 1.0)
    if beta == 1:
        return np.where(some, X * np.log(safe / positive) - X, 0.0) + P
    if beta == 0:
        ratio = safe / positive
        return np.where(some, ratio - np.log(ratio) - 1, 0.0)
    power = np.where(P > 0, P, 0.0 if beta > 0 else SMALLEST) ** beta
    mixed = np.where(some, safe**beta - beta * X * positive ** (beta - 1), 0.0)
    return (mixed + (beta - 1) * power) / (beta * (beta - 1))


def _power(P: np.ndarray, p: float) -> np.ndarray:
    if p == 0:
        return np.ones_like(P)
    if p == 1:
        return P
    if p < 0:
        P = np.maximum(P, SMALLEST)
    return 1 / P if p == -1 else 1 / (P * P) if p == -2 else P**p


def _below(A: np.ndarray, B: np.ndarray, right: np.ndarray, beta: float) -> np.ndarray:
    """The denominator for a sparse table, some rows at a time: P is not sparse."""
    step = max(1, BLOCK_ENTRIES // len(B))
    parts = [_power(A[a : a + step] @ B.T, beta - 1) @ right for a in range(0, len(A), step)]
    return np.concatenate(parts)
