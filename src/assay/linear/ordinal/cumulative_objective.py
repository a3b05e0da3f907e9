r"""Minus the mean log likelihood of a cumulative link model, as a sum over rows.

With thresholds :math:`\theta_1<\dots<\theta_{K-1}`, a distribution function F and the row weights v of sum S

.. math:: E = -\frac1S\sum_i v_i\ln\bigl[F(\theta_{y_i}-w^Tx_i)-F(\theta_{y_i-1}-w^Tx_i)\bigr]
              + \tfrac\alpha2\lVert w\rVert^2                                                      \quad (1)

which is convex in (w, theta) where F' is log-concave (all links but the cauchit). Gradient and curvature follow by the
chain rule from the derivatives by the two ends. The optimiser moves in coordinates in which every column has mean 0 and
spread 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.sums import Block, Rows, Source
from assay.linear.logistic.logistic_objective import Scale, grams
from assay.linear.ordinal.cumulative_links import CumulativeLink, between

__all__ = ["CumulativeObjective"]

COPIED_BYTES = 1 << 28  # tables up to this size are copied into the inner coordinates once


@dataclass
class CumulativeSums:
    """What blocks add up to: loss, (d,) and (K-1,) gradients, the three parts of the curvature."""

    loss: float
    of_weights: np.ndarray
    of_thresholds: np.ndarray
    gram: np.ndarray  # (d, d) inside
    mixed: np.ndarray  # (d + 1, K-1) of the columns as they are, and of a constant
    tridiagonal: np.ndarray  # (K-1, K-1)

    def __add__(self, other: CumulativeSums) -> CumulativeSums:
        return CumulativeSums(
            self.loss + other.loss,
            self.of_weights + other.of_weights,
            self.of_thresholds + other.of_thresholds,
            self.gram + other.gram,
            self.mixed + other.mixed,
            self.tridiagonal + other.tridiagonal,
        )


class CumulativeObjective:
    """(1) over the rows of a source; the vector is the d inner weights, then the K-1 inner thresholds.

    Parameters
    ----------
    source : gives blocks (X, y, w); y is the number of the class from 0 up
    K : number of classes      link : CumulativeLink      scale : Scale of the columns      alpha : the penalty
    """

    def __init__(self, source: Source, K: int, link: CumulativeLink, scale: Scale, alpha: float):
        self.K, self.link, self.scale, self.alpha = K, link, scale, alpha
        self.source, self.seen = source, scale
        if isinstance(source, Rows) and isinstance(source.X, np.ndarray) and source.X.nbytes <= COPIED_BYTES:
            self.source, self.seen = Rows(scale.apply(source.X), source.y, source.w), scale.plain()
        self.d = len(scale.mean)
        self.decay = alpha / scale.spread**2

    def start(self, count: np.ndarray) -> np.ndarray:
        """No effect of any column: thresholds at the quantiles of the (K,) class weights."""
        shares = np.cumsum(count)[:-1] / count.sum()
        return np.append(np.zeros(self.d), self.link.quantile(shares))

    def outside(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(d,) weights and (K-1,) thresholds for the columns as they are."""
        w = v[: self.d] / self.scale.spread
        return w, v[self.d :] + self.scale.mean @ w

    def inside(self, w: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
        """The vector of these weights and thresholds."""
        return np.append(w * self.scale.spread, thresholds - self.scale.mean @ w)

    @property
    def outside_matrix(self) -> np.ndarray:
        """(P, P) from the vector to weights and thresholds for the columns as they are."""
        d = self.d
        T = np.eye(d + self.K - 1)
        T[:d, :d] = np.diag(1 / self.scale.spread)
        T[d:, :d] = self.scale.mean / self.scale.spread
        return T

    def value_gradient(self, v: np.ndarray, /) -> tuple[float, np.ndarray]:
        """(1) and its gradient."""
        return self.curvature(v)[:2]

    def curvature(self, v: np.ndarray, /) -> tuple[float, np.ndarray, np.ndarray]:
        """(1), its gradient and its second derivatives; infinite where thresholds are out of order."""
        P = self.d + self.K - 1
        total, mean, spread, d = self.scale.total, self.seen.mean, self.seen.spread, self.d
        w = v[:d] / spread
        thresholds = v[d:] + mean @ w
        if (np.diff(thresholds) <= 0).any() or not np.isfinite(v).all():
            return np.inf, np.zeros(P), np.eye(P)
        sums = self.source.add_up(lambda block: self._part(block, w, thresholds))
        value = sums.loss / total + 0.5 * float(self.decay @ v[:d] ** 2)
        along = (sums.of_weights + mean * sums.of_thresholds.sum()) / spread
        g = np.append(along, sums.of_thresholds) / total
        g[:d] += self.decay * v[:d]
        H = np.zeros((P, P))
        H[:d, :d] = sums.gram
        H[:d, d:] = (sums.mixed[:d] - np.outer(mean, sums.mixed[d])) / spread[:, None]
        H[d:, :d] = H[:d, d:].T
        H[d:, d:] = sums.tridiagonal
        H /= total
        H.flat[: d * (P + 1) : P + 1] += self.decay
        return value, g, H

    def _part(self, block: Block, w: np.ndarray, thresholds: np.ndarray) -> CumulativeSums:
        X, y, K = block.X, block.y, self.K
        v = np.ones(len(y)) if block.w is None else block.w
        row = between(self.link, np.asarray(X @ w), y, thresholds)
        r = v * (row.upper + row.lower)
        upper, lower = v * (row.upper_twice + row.mixed), v * (row.lower_twice + row.mixed)

        def by_class(terms: np.ndarray) -> np.ndarray:
            return np.bincount(y, weights=terms, minlength=K)

        along = np.zeros(
            (len(y), K + 1)
        )  # the thresholds below the first and above the last are no parameters
        rows = np.arange(len(y))
        along[rows, y + 1] = upper
        along[rows, y] = lower
        along = along[:, 1:K]
        tridiagonal = np.diag(-by_class(v * row.upper_twice)[:-1] - by_class(v * row.lower_twice)[1:])
        beside = -by_class(v * row.mixed)[1:-1]
        at = np.arange(K - 2)
        tridiagonal[at, at + 1] = tridiagonal[at + 1, at] = beside
        return CumulativeSums(
            -float(v @ row.log_probability),
            np.asarray(X.T @ r),
            -by_class(v * row.upper)[:-1] - by_class(v * row.lower)[1:],
            self._gram(X, -(upper + lower)),
            np.vstack((np.asarray(X.T @ along), along.sum(axis=0))),
            tridiagonal,
        )

    def _gram(self, X: Any, h: np.ndarray) -> np.ndarray:
        """(d, d) the sum of h x x', x inside; h may be below 0 where the likelihood is not concave."""
        if self.link.name != "cauchit":
            return grams(X, [np.maximum(h, 0.0)], self.seen, False)[0]
        positive, negative = grams(X, [np.maximum(h, 0.0), np.maximum(-h, 0.0)], self.seen, False)
        return positive - negative
