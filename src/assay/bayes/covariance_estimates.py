"""Covariances of classes from sums: plain, shrunk by a given share, by Ledoit and Wolf's, or by an estimator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.bayes.low_rank import LowRank
from assay.core.moments import ClassScatter, RowScatter
from assay.core.sums import Rows, Source
from assay.errors import ParameterError
from assay.types import Estimator

__all__ = [
    "BlendedRows",
    "Covariances",
    "empirical",
    "from_estimator",
    "ledoit_wolf",
    "ledoit_wolf_of_rows",
    "shrunk",
    "shrunk_rows",
    "total_scatter",
]


@dataclass(frozen=True)
class Covariances:
    """of_classes : (K, d, d) one a class, zero where a class has no rows;  total : (d, d) of all rows as one class."""

    of_classes: np.ndarray
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
    covariances = np.concatenate([plain.of_classes, plain.total[None]])
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
    return _share_of(np.sum(C * C), np.trace(C), fourth, n, len(C))


def _share_of(square: float, trace: float, fourth: float, n: float, d: int) -> float:
    """(1), from the sums of squares and the trace of C."""
    if d == 1:
        return 0.0
    delta = (square - trace**2 / d) / d
    delta = delta if delta > 1e-14 * square / d else 0.0  # the rest of a difference of equals
    beta = min((fourth / n - square) / (d * n), delta)
    return max(beta / delta, 0.0) if delta > 0 else 0.0  # (1)


@dataclass(frozen=True)
class BlendedRows:
    """The covariance F' F + diag(diagonal) of few deviations F (m, d)."""

    F: np.ndarray
    diagonal: np.ndarray

    def shape(self) -> LowRank:
        """The same as axes and a variance across them."""
        if not (self.diagonal > 0).all():
            from assay.bayes.low_rank import whitening_of_rows

            return whitening_of_rows(self.F)
        return LowRank.of_rows(self.F, 1.0, np.sqrt(self.diagonal))

    def dense(self) -> np.ndarray:
        """(d, d) the matrix."""
        return self.F.T @ self.F + np.diag(self.diagonal)


def shrunk_rows(F: np.ndarray, share: float) -> BlendedRows:
    """`shrunk`, of the covariance F' F of deviations F (m, d)."""
    d = F.shape[1]
    mean = np.einsum("ij,ij->", F, F) / d
    return BlendedRows(np.sqrt(1 - share) * F, np.full(d, share * mean))


def ledoit_wolf_of_rows(sums: RowScatter, priors: np.ndarray) -> BlendedRows:
    """The classes' covariances, each shrunk as `ledoit_wolf` shrinks it, weighed by the priors."""
    parts, diagonal, classes = [], np.zeros(sums.mean.shape[1]), sums.classes
    for k in np.flatnonzero(sums.count > 0):
        F = sums.deviations[classes == k] / np.sqrt(sums.count[k])
        variance = np.einsum("ij,ij->j", F, F)
        scale = np.sqrt(np.where(variance > 0, variance, 1.0))
        Z = F / scale
        lengths = np.einsum("ij,ij->i", Z, Z) * sums.count[k] / sums.roots[classes == k]  # w_i^(1/2) |z_i|^2
        gram = Z @ Z.T
        share = _share_of(
            np.sum(gram * gram), np.trace(gram), float(lengths @ lengths), sums.count[k], len(scale)
        )
        parts.append(np.sqrt(priors[k] * (1 - share)) * F)
        diagonal += priors[k] * share * np.einsum("ij,ij->", Z, Z) / F.shape[1] * scale**2
    return BlendedRows(np.vstack(parts), diagonal)


def from_estimator(who: str, estimator: Estimator, source: Source, K: int) -> Covariances:
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

    of_classes = np.array([estimate(source.X[source.y == k]) for k in range(K)])
    return Covariances(of_classes, estimate(source.X))
