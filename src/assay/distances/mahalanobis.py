"""Mahalanobis' distance, and that of any matrix: Euclid's after a linear map."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from assay.core.stored import FloatArray, Plain
from assay.core.targets import row_counts
from assay.distances.metric import Metric
from assay.distances.minkowski import apart
from assay.errors import DataError, ParameterError
from assay.types import PointsLike, TableLike

__all__ = ["Mahalanobis", "covariance_of", "inverse_of", "mean_of", "root_of"]


@dataclass(frozen=True, eq=False)
class Mahalanobis(Metric):
    r"""The distance of a matrix A that is positive (semi)definite.

    .. math:: D(a, b) = \sqrt{(a-b)^T A\, (a-b)} = \|L a - L b\|, \quad A = L^T L \quad (1)

    With :math:`A = \Sigma^{-1}` columns of any scale count alike and correlated columns do not count twice; with the
    identity it is Euclid's; with an L of few rows it is Euclid's in that many directions.

    Parameters
    ----------
    VI : (d, d) the matrix A itself
    V : (d, d) the covariance :math:`\Sigma` to invert
    L : (r, d) the map of (1)
        At most one of the three. Without any, the covariance of the training rows (divisor n - 1) is taken. If it is
        singular, its pseudo-inverse is: directions in which the rows do not vary count nothing.

    Attributes
    ----------
    L_ : (r, d) the map of (1), after ``learn``

    Examples
    --------
    >>> from assay.distances import Mahalanobis
    >>> Mahalanobis(VI=[[4.0, 0.0], [0.0, 0.0]]).between([[0.0, 0.0]], [[3.0, 7.0]])
    array([[6.]])

    See Also
    --------
    Standardized, Minkowski

    References
    ----------
    - Mahalanobis, P. C. (1936). On the generalised distance in statistics. Proceedings of the National Institute of
      Sciences of India 2(1), 49-55.
    """

    triangle: ClassVar[bool] = True

    V: Any = None
    VI: np.ndarray | None = None
    L: np.ndarray | None = None
    L_: np.ndarray | None = None
    stored = {
        "V": FloatArray("d", "d", finite=True) | Plain((list, tuple)) | None,
        "VI": FloatArray("d", "d", finite=True) | Plain((list, tuple)) | None,
        "L": FloatArray("*", "*", finite=True) | Plain((list, tuple)) | None,
        "L_": FloatArray("*", "*", finite=True) | None,
    }

    def __post_init__(self) -> None:
        names = [name for name in ("V", "VI", "L") if getattr(self, name) is not None]
        if len(names) > 1:
            raise ParameterError(f"mahalanobis: give V, VI or L, got {' and '.join(names)}.")
        for name in names:
            M = np.asarray(getattr(self, name), dtype=np.float64)
            square = M.ndim == 2 and (name == "L" or M.shape[0] == M.shape[1])
            if not square or not np.isfinite(M).all():
                raise ParameterError(
                    f"mahalanobis: {name} must be a {'' if name == 'L' else 'square '}matrix."
                )
            object.__setattr__(self, name, M)
        if names and self.L_ is None:
            if self.L is not None:
                root = self.L
            else:
                root = root_of(self.VI if self.VI is not None else inverse_of(self.V), "mahalanobis")
            object.__setattr__(self, "L_", root)

    @property
    def power(self) -> float | None:
        return 2.0

    def learn(self, X: TableLike, y: np.ndarray | None = None, w: np.ndarray | None = None) -> Metric:
        if self.L_ is not None:
            return self
        V = covariance_of(self._dense(X), w)
        return replace(self, L_=root_of(inverse_of(V), "mahalanobis"))

    def points(self, X: Any) -> Any:
        if self.L_ is None:
            raise DataError(
                "mahalanobis: the distance is not known before it learns from rows. Give V or VI, or call learn(X)."
            )
        if X.shape[1] != self.L_.shape[1]:
            raise DataError(
                f"{self.name}: the matrix is for {self.L_.shape[1]} columns, the table has {X.shape[1]}."
            )
        # not a product of matrices, whose rounding depends on where a row stands: equal rows must be equal points
        return np.einsum("ij,rj->ir", X, self.L_)

    def between(self, A: PointsLike, B: PointsLike) -> np.ndarray:
        A, B = self._dense(A), self._dense(B)
        known: Any = self if self.L_ is not None else self.learn(np.concatenate([A, B]))
        return Metric.between(known, A, B)

    def _prepared(self, X: Any) -> Any:
        return self.points(self._dense(X))

    def _block(self, A: Any, B: Any) -> np.ndarray:
        return apart(A, B, 2.0)


def covariance_of(X: np.ndarray, w: np.ndarray | None = None) -> np.ndarray:
    """(d, d) the covariance with the divisor N - 1, where a row of weight 2 is two of the N rows; zeros of one row.

    >>> from assay.distances.mahalanobis import covariance_of
    >>> covariance_of(np.array([[0.0], [3.0], [9.0]]), np.array([2.0, 1.0, 0.0]))
    array([[3.]])
    """
    counts = np.ones(len(X)) if w is None else row_counts(w)
    X, counts = X[counts > 0], counts[counts > 0]
    if counts.sum() <= 1:
        return np.zeros((X.shape[1],) * 2)
    R = X - mean_of(X, counts)
    return (counts[:, None] * R).T @ R / (counts.sum() - 1)


def mean_of(X: np.ndarray, w: np.ndarray | None = None) -> np.ndarray:
    """(d,) the means of the columns; a constant column has its own value, from which rounding cannot make it differ.

    The inverse of a covariance would take such a difference for a spread: a column of seven 0.1 has the variance 2e-34.

    >>> from assay.distances.mahalanobis import mean_of
    >>> X = np.full((7, 1), 0.1)
    >>> bool((X.mean(axis=0) == 0.1).all()), bool((mean_of(X) == 0.1).all())
    (False, True)
    """
    if w is not None and w.any():
        X, w = X[w > 0], w[w > 0]
        mean = w @ X / w.sum()
    else:
        mean = X.mean(axis=0, dtype=np.float64)
    still = np.flatnonzero(X[0] == X[-1])
    still = still[(X[:, still] == X[0, still]).all(axis=0)]
    mean[still] = X[0, still]
    return mean


def inverse_of(V: np.ndarray) -> np.ndarray:
    """The inverse of a covariance; of a singular one the pseudo-inverse, whatever the scales of its columns."""
    spread = np.sqrt(np.maximum(np.diag(V), 0))
    scale = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    correlation = V * scale[:, None] * scale
    return (
        np.linalg.pinv((correlation + correlation.T) / 2, rcond=1e-12, hermitian=True)
        * scale[:, None]
        * scale
    )


def root_of(A: np.ndarray, who: str) -> np.ndarray:
    """(r, d) an L with L^T L = A, r the rank of A; refused if A has a negative direction.

    >>> from assay.distances.mahalanobis import root_of
    >>> abs(root_of(np.array([[4.0, 0.0], [0.0, 0.0]]), "metric"))
    array([[2., 0.]])
    """
    size = np.sqrt(np.abs(np.diag(A)))
    size[size == 0] = 1.0
    values, vectors = np.linalg.eigh(
        (A + A.T) / 2 / size[:, None] / size
    )  # whatever the scales of the columns
    if values[0] < -1e-9 * max(abs(values[0]), abs(values[-1])):
        raise ParameterError(
            f"{who}: the matrix must be positive semidefinite, its least eigenvalue is "
            f"{np.linalg.eigvalsh((A + A.T) / 2)[0]:.3g}."
        )
    kept = values > 1e-14 * values[-1]
    if not kept.any():
        return np.zeros((1, len(A)))
    return np.sqrt(values[kept])[:, None] * vectors[:, kept].T * size
