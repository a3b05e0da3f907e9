r"""Logistic regression on tables with many more columns than rows: the weights are sought among sums of rows.

A ridge shrinks to 0 all directions outside the span of the rows, so the best weights are :math:`W = X^TA`. With the
columns in units in which the penalty is :math:`\tfrac12\lVert W\rVert^2`, and :math:`XX^T = LL^T`, the scores are
:math:`XW = LB` and the penalty is :math:`\tfrac12\lVert B\rVert^2`, where :math:`B = L^TA`: n columns L take the
place of d.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.sums import Rows
from assay.linear.logistic.logistic_objective import LogisticObjective
from assay.linear.logistic.logistic_sums import Scale

__all__ = ["ByRows", "by_rows"]

BLOCK = 512  # columns that are multiplied at once
DEPENDENT = 1e-11  # share of the longest row's square: a row of which less is left is a sum of the others


@dataclass(frozen=True)
class ByRows:
    """An objective of many columns as one of few.

    Attributes
    ----------
    large, small : LogisticObjective
    X : (n, d) rows of the large one        rows : (r,) numbers of independent ones
    factor : (r, r) their part of L, a lower triangle
    """

    large: LogisticObjective
    small: LogisticObjective
    X: np.ndarray
    rows: np.ndarray
    factor: np.ndarray

    def inside(self, v: np.ndarray) -> np.ndarray:
        """The vector of the small objective for a vector of the large one, as far as it is in the span of the rows."""
        from scipy.linalg import solve_triangular

        U, d = v.reshape(self.large.shape), len(self.large.scale.mean)
        W = np.zeros((len(self.rows) + 1, self.large.K if self.large.K > 2 else 1))
        free = self.large.free if self.large.K > 2 else [0]
        if U.any():
            scores = self.X[self.rows] @ U[:d]
            W[:-1, free] = solve_triangular(self.factor, scores, lower=True)
        if self.large.fit_intercept:
            W[-1, free] = U[d]
        return self.small.start(W)

    def outside(self, v: np.ndarray) -> np.ndarray:
        """The vector of the large objective for a vector of the small one."""
        from scipy.linalg import solve_triangular

        W, d = self.small.weights(v), len(self.large.scale.mean)
        W = W[:, self.large.free] if self.large.K > 2 else W
        U, A = np.empty(self.large.shape), np.zeros((len(self.X), W.shape[1]))
        A[self.rows] = solve_triangular(self.factor, W[:-1], lower=True, trans="T")
        U[:d] = (self.X.T @ A) / self.large.decay[:d]
        U[d:] = W[-1]
        return U.ravel()


def by_rows(large: LogisticObjective) -> ByRows | None:
    """The small objective of one over dense rows in its own coordinates; None if some column has no penalty."""
    from scipy.linalg.lapack import dpstrf

    source, total = large.source, large.scale.total
    assert isinstance(source, Rows)
    decay = large.decay[: source.X.shape[1], 0]
    if not (decay > 1e-200).all():
        return None
    G = _products(source.X, 1.0 / np.sqrt(decay))
    top = float(G.diagonal().max(initial=0.0))
    if not 0 < top < 1e200:
        return None
    packed, order, r, _ = dpstrf(G, tol=DEPENDENT * top, lower=1)
    L = np.empty((len(G), r))
    L[order - 1] = np.tril(packed)[:, :r]
    u = np.ones(len(G)) if source.w is None else source.w
    u = u if large.class_weight is None else u * large.class_weight[source.y]
    mean = u @ L / total
    centred = large.fit_intercept and not large.intercept_strength
    small = LogisticObjective(
        source,
        large.K,
        Scale.of(mean, u @ (L - mean) ** 2 / total, total, centred),
        strength=total,
        fit_intercept=large.fit_intercept,
        intercept_strength=large.intercept_strength,
        reference=large.reference,
    ).over(Rows(L, source.y, source.w), large.class_weight)
    return ByRows(large, small, source.X, order[:r] - 1, np.tril(packed[:r, :r]))


def _products(X: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """(n, n) cross products of the rows, their columns multiplied with ``unit``."""
    G = np.zeros((len(X), len(X)))
    for start in range(0, X.shape[1], BLOCK):
        part = X[:, start : start + BLOCK] * unit[start : start + BLOCK]
        G += part @ part.T
    return G
