"""Covariances of classes from sums: plain, shrunk by a given share, by Ledoit and Wolf's, or by an estimator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.moments import ClassScatter
from assay.core.sums import Rows, Source
from assay.errors import ParameterError

__all__ = ["Covariances", "empirical", "from_estimator", "ledoit_wolf", "shrunk", "total_scatter"]


@dataclass(frozen=True)
class Covariances:
    """own : (K, d, d) one a class, zero where a class has no rows;  total : (d, d) of all rows as one class."""

    own: np.ndarray
    total: np.ndarray


def empirical(sums: ClassScatter) -> Covariances:
    """Maximum likelihood: scatter over weight."""
    safe = np.where(sums.count > 0, sums.count, 1.0)
    return Covariances(sums.scatter / safe[:, None, None], total_scatter(sums) / sums.count.sum())


def total_scatter(sums: ClassScatter) -> np.ndarray:
    """(d, d) the scatter of all rows about their common mean: within plus between the classes."""
    gap = sums.mean - sums.count @ sums.mean / sums.count.sum()
    gap = gap if sums.low is None else gap + sums.low
    return sums.scatter.sum(axis=0) + (gap * sums.count[:, None]).T @ gap


def shrunk(S: np.ndarray, share: float) -> np.ndarray:
    r""":math:`(1-\lambda)S + \lambda\,\frac{\mathrm{tr}S}{d}I`, for one matrix or a stack of them.

    >>> import numpy as np
    >>> from assay.bayes.covariance_estimates import shrunk
    >>> shrunk(np.array([[1.0, 1.0], [1.0, 3.0]]), 0.5)
    array([[1.5, 0.5],
           [0.5, 2.5]])
    """
    d = S.shape[-1]
    mean = np.trace(S, axis1=-2, axis2=-1)[..., None, None] / d
    return (1 - share) * S + share * mean * np.eye(d)


def ledoit_wolf(source: Source, sums: ClassScatter) -> Covariances:
    r"""Shrunk by the share that Ledoit and Wolf (2004) found to minimise the expected squared error.

    Columns are brought to unit variance first, and back afterwards. With z the standardised rows of a class,
    n their weight, C their covariance and :math:`\mu=\mathrm{tr}C/d`,

    .. math:: \lambda = \frac{\min(\beta,\delta)}{\delta},\qquad
              \delta = \tfrac1d\lVert C-\mu I\rVert_F^2,\qquad
              \beta = \tfrac1{dn}\Bigl(\tfrac1n\sum_i\lVert z_i\rVert^4-\lVert C\rVert_F^2\Bigr)     \quad (1)

    The fourth powers need the means and variances, so this is a second pass over the rows.
    """
    plain = empirical(sums)
    mean = np.vstack([sums.mean, sums.count @ sums.mean / sums.count.sum()])
    count = np.append(sums.count, sums.count.sum())
    covariances = np.concatenate([plain.own, plain.total[None]])
    variance = np.diagonal(covariances, axis1=1, axis2=2)
    scale = np.sqrt(np.where(variance > 0, variance, 1.0))
    K = len(sums.count)

    def fourth_powers(block: Any) -> np.ndarray:
        w = np.ones(len(block.y)) if block.w is None else block.w
        total = np.empty(K + 1)
        total[:K] = np.bincount(block.y, w * _squared(block.X, mean, scale, block.y) ** 2, minlength=K)
        total[K] = w @ _squared(block.X, mean, scale, np.full(len(w), K)) ** 2
        return total

    fourth = source.add_up(fourth_powers)
    for k in np.flatnonzero(count > 0):
        C = covariances[k] / np.outer(scale[k], scale[k])
        share = _best_share(C, fourth[k], count[k])
        covariances[k] = shrunk(C, share) * np.outer(scale[k], scale[k])
    return Covariances(covariances[:-1], covariances[-1])


def _squared(X: np.ndarray, mean: np.ndarray, scale: np.ndarray, y: np.ndarray) -> np.ndarray:
    Z = (X - mean[y]) / scale[y]
    return np.einsum("ij,ij->i", Z, Z)


def _best_share(C: np.ndarray, fourth: float, n: float) -> float:
    d = len(C)
    if d == 1:
        return 0.0
    square = np.sum(C * C)
    delta = np.sum((C - np.trace(C) / d * np.eye(d)) ** 2) / d
    beta = min((fourth / n - square) / (d * n), delta)
    return max(beta / delta, 0.0) if delta > 0 else 0.0  # (1)


def from_estimator(who: str, estimator: Any, source: Source, K: int) -> Covariances:
    """What an object with ``fit`` and ``covariance_``, such as those of scikit-learn, makes of the rows."""
    from sklearn.base import clone

    if not isinstance(source, Rows) or source.w is not None:
        raise ParameterError(
            f"{who}: covariance_estimator sees the rows themselves, so it works on rows in memory and without "
            "sample_weight. Use shrinkage instead."
        )

    def estimate(rows: np.ndarray) -> np.ndarray:
        fitted = clone(estimator, safe=False)
        fitted.fit(rows)
        if not hasattr(fitted, "covariance_"):
            raise ParameterError(f"{who}: {type(estimator).__name__} does not have a covariance_ attribute.")
        return np.atleast_2d(fitted.covariance_)

    own = np.array([estimate(source.X[source.y == k]) for k in range(K)])
    return Covariances(own, estimate(source.X))
