"""Weighted counts, means and scatters per class: sums that add exactly.

Two blocks a and b of the same class combine without going back to their rows (Chan, Golub and LeVeque
1979, updating formulae for sample variances):

    n = n_a + n_b,   m = m_a + (m_b - m_a) n_b / n,   S = S_a + S_b + (m_b - m_a)^2 n_a n_b / n

so nothing cancels, whatever the mean, and the order of the blocks does not matter up to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import assay.core._moments as _moments

__all__ = ["ClassMoments", "ClassScatter", "class_moments", "class_scatter"]

_NOTHING = np.empty(0)


@dataclass
class ClassMoments:
    """Column by column: what each class weighs, where its mean lies, how far it spreads.

    Attributes
    ----------
    count : (K,)      total weight of each class
    seen : (K, d)     total weight of the rows whose entry is not missing
    mean : (K, d)     0 where nothing was seen
    scatter : (K, d)  weighted squared deviations from the mean
    total : ClassMoments or None
        The same sums over all rows as one class and without weights, kept only when there are weights.
    """

    count: np.ndarray
    seen: np.ndarray
    mean: np.ndarray
    scatter: np.ndarray
    total: ClassMoments | None = None

    def __add__(self, other: ClassMoments) -> ClassMoments:
        seen = self.seen + other.seen
        share = np.divide(other.seen, seen, out=np.zeros_like(seen), where=seen > 0)
        gap = other.mean - self.mean
        mean = np.where(self.seen > 0, self.mean + gap * share, other.mean)
        scatter = self.scatter + other.scatter + np.where(other.seen > 0, gap * gap * self.seen * share, 0.0)
        total = None if self.total is None or other.total is None else self.total + other.total
        return ClassMoments(self.count + other.count, seen, mean, scatter, total)

    def pooled(self) -> ClassMoments:
        """The same rows as one class, (1,) and (1, d)."""
        seen = self.seen.sum(axis=0)
        safe = np.where(seen > 0, seen, 1.0)
        mean = (self.seen * self.mean).sum(axis=0) / safe
        scatter = (self.scatter + self.seen * (self.mean - mean) ** 2).sum(axis=0)
        return ClassMoments(np.array([self.count.sum()]), seen[None], mean[None], scatter[None], None)


def class_moments(
    X: np.ndarray, y: np.ndarray, w: np.ndarray | None, K: int, complete: bool = True
) -> ClassMoments:
    """The moments of one block of rows.

    Parameters
    ----------
    X : (n, d) float64 or float32, NaN where missing
    y : (n,) int64 codes 0..K-1
    w : (n,) weights, or None for ones
    complete : False if X may hold NaN

    Examples
    --------
    >>> import numpy as np
    >>> from assay.core.moments import class_moments
    >>> m = class_moments(np.array([[1.0], [3.0], [7.0]]), np.array([0, 0, 1]), None, 2)
    >>> m.mean.ravel(), m.scatter.ravel()
    (array([2., 7.]), array([2., 0.]))
    """
    X = np.ascontiguousarray(X)
    y = np.ascontiguousarray(y, dtype=np.int64)
    d = X.shape[1]
    shift = _shift(X, y, K)
    count, first, second = np.zeros(K), np.zeros((K, d)), np.zeros((K, d))
    seen = np.empty((0, d)) if complete else np.zeros((K, d))
    weights = _NOTHING if w is None else np.ascontiguousarray(w, dtype=np.float64)
    _moments.sums(X, y, weights, shift, count, first, second, seen)
    if complete:
        seen = np.repeat(count[:, None], d, axis=1)
    safe = np.where(seen > 0, seen, 1.0)
    offset = first / safe
    mean = np.where(seen > 0, shift + offset, 0.0)
    scatter = np.maximum(second - first * offset, 0.0)
    total = None if w is None else class_moments(X, np.zeros(len(X), np.int64), None, 1, complete)
    return ClassMoments(count, seen, mean, scatter, total)


def _shift(X: np.ndarray, y: np.ndarray, K: int, rows: int = 64) -> np.ndarray:
    """(K, d) a point near each class: the mean of its first few rows, so that sums about it stay small."""
    head = min(len(X), rows * K)
    shift = np.zeros((K, X.shape[1]))
    for k in range(K):
        some = X[:head][y[:head] == k][:rows]
        if not len(some):
            first = np.flatnonzero(y == k)[:rows] if head < len(X) else []
            if not len(first):
                continue
            some = X[first]
        with np.errstate(invalid="ignore"):
            mean = some.mean(axis=0, dtype=np.float64)
        if np.isnan(mean).any():
            there = ~np.isnan(some)
            mean = np.where(there, some, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
        shift[k] = mean
    return shift


@dataclass
class ClassScatter:
    """Weighted counts, means and full scatter matrices, per class or pooled over classes.

    Attributes
    ----------
    count : (K,)   mean : (K, d)
    scatter : (K, d, d) one matrix a class, or (1, d, d) the sum over classes of their scatters
    """

    count: np.ndarray
    mean: np.ndarray
    scatter: np.ndarray

    def __add__(self, other: ClassScatter) -> ClassScatter:
        count = self.count + other.count
        share = np.divide(other.count, count, out=np.zeros_like(count), where=count > 0)
        gap = other.mean - self.mean
        mean = np.where(self.count[:, None] > 0, self.mean + gap * share[:, None], other.mean)
        weight = self.count * share  # n_a n_b / n
        if len(self.scatter) == len(count):
            between = weight[:, None, None] * gap[:, :, None] * gap[:, None, :]
        else:
            between = ((gap * weight[:, None]).T @ gap)[None]
        return ClassScatter(count, mean, self.scatter + other.scatter + between)


def class_scatter(X: np.ndarray, y: np.ndarray, w: np.ndarray | None, K: int, pooled: bool) -> ClassScatter:
    """The scatter matrices of one block of complete rows; ``pooled`` adds them over the classes.

    Rows are centred at their class's own mean in the block before they are multiplied, so nothing cancels.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.core.moments import class_scatter
    >>> class_scatter(np.array([[0.0], [2.0], [4.0], [6.0]]), np.array([0, 0, 1, 1]), None, 2, pooled=True).scatter
    array([[[4.]]])
    """
    from scipy.linalg.blas import dsyrk

    d = X.shape[1]
    order = np.argsort(y, kind="stable")
    cuts = np.searchsorted(y[order], np.arange(K + 1))
    Z = np.asarray(X[order], dtype=np.float64)
    weights = None if w is None else np.asarray(w, dtype=np.float64)[order]
    count, mean = np.zeros(K), np.zeros((K, d))
    scatter = np.zeros((1 if pooled else K, d, d))
    for k in range(K):
        rows = slice(cuts[k], cuts[k + 1])
        part = Z[rows]
        if weights is None:
            count[k] = len(part)
            if not len(part):
                continue
            mean[k] = part.mean(axis=0)
            part -= mean[k]
        else:
            v = weights[rows]
            count[k] = v.sum()
            if count[k] <= 0:
                part[:] = 0.0
                continue
            mean[k] = v @ part / count[k]
            part -= mean[k]
            part *= np.sqrt(v)[:, None]
        if not pooled:
            scatter[k] = _mirror(dsyrk(1.0, part.T))
    if pooled:
        scatter[0] = _mirror(dsyrk(1.0, Z.T))
    return ClassScatter(count, mean, scatter)


def _mirror(upper: np.ndarray) -> np.ndarray:
    """A symmetric matrix from its upper triangle."""
    return upper + np.triu(upper, 1).T
