"""Components of a mixture: Gaussians by the form of their covariances, each form an object of its own.

A form knows what a pass over the rows has to add up for it, how covariances follow from these sums, how they are
factored, and the density that follows; a learner knows none of that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dtrtri

import assay.mixture._em as _em
from assay.bayes.own_covariances import quadratic_scores
from assay.errors import DegenerateError, ParameterError

__all__ = [
    "FORMS",
    "CovarianceForm",
    "Diagonal",
    "Estimates",
    "Full",
    "Moments",
    "Spherical",
    "Tied",
    "TiedSpherical",
]

NO_WEIGHTS = np.empty(0)
SMALLEST_COUNT = 10 * np.finfo(np.float64).eps  # added to the rows of a component, so that none has 0
COLLAPSED = (
    "Fitting the mixture model failed because some components have ill-defined empirical covariance (for instance "
    "caused by singleton or collapsed samples). Try to decrease the number of components, increase reg_covar, or "
    "scale the input data."
)


@dataclass(frozen=True)
class Moments:
    """What one block of rows adds: expected counts, sums and squares about the current means, and two totals."""

    counts: np.ndarray  # (K,)
    first: np.ndarray  # (K, d)
    second: np.ndarray  # as the form has it
    log_evidence: float  # sum of the log densities
    entropy: float  # of the responsibilities

    def __add__(self, other: Moments) -> Moments:
        return Moments(
            self.counts + other.counts,
            self.first + other.first,
            self.second + other.second,
            self.log_evidence + other.log_evidence,
            self.entropy + other.entropy,
        )


@dataclass(frozen=True)
class Estimates:
    """Expected counts (K,), means (K, d) of the components, and the scatter about them, as the form has it."""

    counts: np.ndarray
    means: np.ndarray
    scatter: np.ndarray


class CovarianceForm:
    """What all forms share; (1) the density of component k, with :math:`\\Lambda_k = U_kU_k^T` and U upper triangular.

    .. math:: \\ln p_k(x) = -\\tfrac d2\\ln 2\\pi + \\ln|U_k| - \\tfrac12\\lVert U_k^T(x-m_k)\\rVert^2   \\quad (1)
    """

    name: str
    rank: int  # dimensions of the array of covariances
    correlated = False  # whether covariances are matrices

    def shape(self, K: int, d: int) -> tuple[int, ...]:
        """The shape of the covariances of K components in d columns."""
        raise TypeError(f"{type(self).__name__} must define shape")

    def expect(
        self, X: np.ndarray, w: Any, means: np.ndarray, roots: np.ndarray, constants: np.ndarray
    ) -> Moments:
        """The sums of the expectation step; ``constants`` is what (1) lacks: log weights and log determinants."""
        K, d = means.shape
        factors = self._factors(roots, K, d)
        counts, first, second, totals = np.zeros(K), np.zeros((K, d)), np.zeros(factors.shape), np.zeros(2)
        _em.expect(
            X=X,
            w=NO_WEIGHTS if w is None else w,
            means=np.ascontiguousarray(means, dtype=np.float64),
            factors=factors,
            constants=np.ascontiguousarray(constants, dtype=np.float64),
            counts=counts,
            first=first,
            second=second,
            totals=totals,
        )
        return Moments(counts, first, self._gathered(second, K, d), float(totals[0]), float(totals[1]))

    def _factors(self, roots: np.ndarray, K: int, d: int) -> np.ndarray:
        """The roots as the native code takes them: (K d, d) lower triangles, or (K, d) diagonals."""
        raise TypeError(f"{type(self).__name__} must define _factors")

    def _gathered(self, second: np.ndarray, K: int, d: int) -> np.ndarray:
        return second

    def estimates(self, moments: Moments, means: np.ndarray) -> Estimates:
        """New means, and the scatter about them, from sums about the old ones."""
        counts = moments.counts + SMALLEST_COUNT
        shift = moments.first / counts[:, None]
        return Estimates(counts, means + shift, self._about(moments, shift))

    def _about(self, moments: Moments, shift: np.ndarray) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _about")

    def estimates_of(self, X: np.ndarray, responsibilities: np.ndarray) -> Estimates:
        """The same from responsibilities (n, K), in two passes over rows in memory."""
        counts = responsibilities.sum(axis=0) + SMALLEST_COUNT
        means = responsibilities.T @ X / counts[:, None]
        return Estimates(counts, means, self._scatter(X, responsibilities, means))

    def _scatter(self, X: np.ndarray, responsibilities: np.ndarray, means: np.ndarray) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _scatter")

    def covariances(self, estimates: Estimates, reg_covar: float) -> np.ndarray:
        """Maximum likelihood, with ``reg_covar`` added to the variances."""
        raise TypeError(f"{type(self).__name__} must define covariances")

    def next_covariances(
        self, estimates: Estimates, reg_covar: float, before: np.ndarray | None
    ) -> np.ndarray:
        """The same, no less likely than the covariances before, where they are found by iterations."""
        return self.covariances(estimates, reg_covar)

    def widened(self, estimates: Estimates, reg_covar: float) -> np.ndarray:
        """The scatter with ``reg_covar`` added to the variances for each row."""
        return estimates.scatter + estimates.counts[:, None] * reg_covar

    def of_matrix(self, matrix: np.ndarray) -> np.ndarray:
        """What the form keeps of one covariance matrix (d, d)."""
        return matrix

    def with_prior(
        self, scale: np.ndarray, scatter: np.ndarray, pull: np.ndarray, gaps: np.ndarray
    ) -> np.ndarray:
        """The scatter with a prior's scale, as the form has one, and ``pull`` (K, 1) times the squared gaps (K, d)."""
        raise TypeError(f"{type(self).__name__} must define with_prior")

    def roots(self, covariances: np.ndarray) -> np.ndarray:
        """U of (1), as scikit-learn's ``precisions_cholesky_``."""
        if not (np.isfinite(covariances) & (covariances > 0)).all():
            raise DegenerateError(COLLAPSED)
        return 1 / np.sqrt(covariances)

    def roots_of_precisions(self, precisions: np.ndarray) -> np.ndarray:
        """The same from precisions."""
        return np.sqrt(precisions)

    def precisions(self, roots: np.ndarray) -> np.ndarray:
        """The inverse covariances."""
        return roots**2

    def log_det(self, roots: np.ndarray, d: int) -> np.ndarray:
        """(K,) or a scalar: the logarithm of the determinant of U."""
        raise TypeError(f"{type(self).__name__} must define log_det")

    def quadratic(
        self, X: np.ndarray, means: np.ndarray, roots: np.ndarray, constants: np.ndarray
    ) -> np.ndarray:
        """(n, K) constants less half the squared distances of (1)."""
        X = np.ascontiguousarray(X, dtype=np.float64)
        K, d = means.shape
        out = np.empty((len(X), K))
        quadratic_scores(X, np.ascontiguousarray(means), self._triangles(roots, K, d), constants, out)
        return out

    def _triangles(self, roots: np.ndarray, K: int, d: int) -> np.ndarray:
        """(K d, d) the transposed roots, lower triangles, one below the other."""
        scales = self._factors(roots, K, d)
        return (scales[:, :, None] * np.eye(d)).reshape(K * d, d)

    def covariance_parameters(self, K: int, d: int) -> int:
        """Free numbers in the covariances."""
        return int(np.prod(self.shape(K, d)))

    def of_component(self, covariances: np.ndarray, k: int, d: int) -> np.ndarray:
        """(d, d) the covariance of component k."""
        return covariances[k] * np.eye(d)

    def keep(self, values: np.ndarray, kept: np.ndarray) -> np.ndarray:
        """The covariances, or their roots, of some components."""
        return values[kept]

    def check_precisions(self, precisions: Any, K: int, d: int, who: str) -> np.ndarray:
        """Precisions that a user gave, as an array; a ParameterError if they are none."""
        values = np.asarray(precisions, dtype=np.float64)
        if values.shape != self.shape(K, d):
            raise ParameterError(
                f"The parameter '{self.name} precision' should have the shape of {self.shape(K, d)}, "
                f"but got {values.shape}",
                who=who,
            )
        if not self.correlated:
            if not (values > 0).all():
                raise ParameterError(f"'{self.name} precision' should be positive", who=who)
            return values
        matrices = values if values.ndim == 3 else values[None]
        symmetric = np.allclose(matrices, matrices.transpose(0, 2, 1))
        if not symmetric or not (np.linalg.eigvalsh(matrices) > 0).all():
            raise ParameterError(f"'{self.name} precision' should be symmetric, positive-definite", who=who)
        return values


class Full(CovarianceForm):
    """A covariance matrix for each component, (K, d, d)."""

    name = "full"
    rank = 3
    correlated = True

    def shape(self, K: int, d: int) -> tuple[int, ...]:
        return K, d, d

    def widened(self, estimates: Estimates, reg_covar: float) -> np.ndarray:
        extra = estimates.counts[:, None, None] * reg_covar
        return estimates.scatter + extra * np.eye(estimates.means.shape[1])

    def _factors(self, roots: np.ndarray, K: int, d: int) -> np.ndarray:
        return np.ascontiguousarray(roots.transpose(0, 2, 1), dtype=np.float64).reshape(K * d, d)

    _triangles = _factors

    def _gathered(self, second: np.ndarray, K: int, d: int) -> np.ndarray:
        matrices = second.reshape(K, d, d)
        lower = np.tril(matrices, -1)
        return matrices if d == 1 else np.tril(matrices) + lower.transpose(0, 2, 1)

    def _about(self, moments: Moments, shift: np.ndarray) -> np.ndarray:
        return moments.second - moments.counts[:, None, None] * shift[:, :, None] * shift[:, None, :]

    def _scatter(self, X: np.ndarray, responsibilities: np.ndarray, means: np.ndarray) -> np.ndarray:
        out = np.empty((len(means), X.shape[1], X.shape[1]))
        for k, mean in enumerate(means):
            touched = np.flatnonzero(responsibilities[:, k])
            gaps = X[touched] - mean
            out[k] = (responsibilities[touched, k, None] * gaps).T @ gaps
        return out

    def with_prior(
        self, scale: np.ndarray, scatter: np.ndarray, pull: np.ndarray, gaps: np.ndarray
    ) -> np.ndarray:
        return scale + scatter + pull[:, :, None] * gaps[:, :, None] * gaps[:, None, :]

    def covariances(self, estimates: Estimates, reg_covar: float) -> np.ndarray:
        covariances = estimates.scatter / estimates.counts[:, None, None]
        return covariances + reg_covar * np.eye(covariances.shape[1])

    def roots(self, covariances: np.ndarray) -> np.ndarray:
        return np.array([_upper_root(covariance) for covariance in covariances])

    def roots_of_precisions(self, precisions: np.ndarray) -> np.ndarray:
        return np.array([_reversed_cholesky(precision) for precision in precisions])

    def precisions(self, roots: np.ndarray) -> np.ndarray:
        return roots @ roots.transpose(0, 2, 1)

    def log_det(self, roots: np.ndarray, d: int) -> np.ndarray:
        return np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)

    def covariance_parameters(self, K: int, d: int) -> int:
        return K * d * (d + 1) // 2

    def of_component(self, covariances: np.ndarray, k: int, d: int) -> np.ndarray:
        return covariances[k]


class Tied(CovarianceForm):
    """One covariance matrix for all components, (d, d).

    Rows are made white once a pass, then every component is a sphere; the scatter is that of all rows about one point,
    less what lies between the components.
    """

    name = "tied"
    rank = 2
    correlated = True

    def shape(self, K: int, d: int) -> tuple[int, ...]:
        return d, d

    def widened(self, estimates: Estimates, reg_covar: float) -> np.ndarray:
        return estimates.scatter + estimates.counts.sum() * reg_covar * np.eye(estimates.means.shape[1])

    def expect(
        self, X: np.ndarray, w: Any, means: np.ndarray, roots: np.ndarray, constants: np.ndarray
    ) -> Moments:
        K, d = means.shape
        center = means.mean(axis=0)
        centred, gaps = X - center, means - center
        white = DIAGONAL.expect(
            np.ascontiguousarray(centred @ roots), w, gaps @ roots, np.ones((K, d)), constants
        )
        first = solve_triangular(roots, white.first.T, trans="T").T
        total = centred.T @ (centred if w is None else centred * w[:, None])
        between = first.T @ gaps
        second = total - between - between.T - (white.counts * gaps.T) @ gaps
        return Moments(white.counts, first, second, white.log_evidence, white.entropy)

    def _triangles(self, roots: np.ndarray, K: int, d: int) -> np.ndarray:
        return np.tile(roots.T, (K, 1))

    def _about(self, moments: Moments, shift: np.ndarray) -> np.ndarray:
        return moments.second - (moments.counts * shift.T) @ shift

    def _scatter(self, X: np.ndarray, responsibilities: np.ndarray, means: np.ndarray) -> np.ndarray:
        counts = responsibilities.sum(axis=0)
        center = means.mean(axis=0)
        centred, gaps = X - center, means - center
        sums = responsibilities.T @ centred - counts[:, None] * gaps
        total = (responsibilities.sum(axis=1) * centred.T) @ centred
        return total - sums.T @ gaps - gaps.T @ sums - (counts * gaps.T) @ gaps

    def with_prior(
        self, scale: np.ndarray, scatter: np.ndarray, pull: np.ndarray, gaps: np.ndarray
    ) -> np.ndarray:
        return scale + scatter + (pull * gaps).T @ gaps

    def covariances(self, estimates: Estimates, reg_covar: float) -> np.ndarray:
        return estimates.scatter / estimates.counts.sum() + reg_covar * np.eye(len(estimates.scatter))

    def roots(self, covariances: np.ndarray) -> np.ndarray:
        return _upper_root(covariances)

    def roots_of_precisions(self, precisions: np.ndarray) -> np.ndarray:
        return _reversed_cholesky(precisions)

    def precisions(self, roots: np.ndarray) -> np.ndarray:
        return roots @ roots.T

    def log_det(self, roots: np.ndarray, d: int) -> np.ndarray:
        return np.log(np.diag(roots)).sum()

    def covariance_parameters(self, K: int, d: int) -> int:
        return d * (d + 1) // 2

    def of_component(self, covariances: np.ndarray, k: int, d: int) -> np.ndarray:
        return covariances

    def keep(self, values: np.ndarray, kept: np.ndarray) -> np.ndarray:
        return values


class Diagonal(CovarianceForm):
    """A variance for each component and column, (K, d)."""

    name = "diag"
    rank = 2

    def shape(self, K: int, d: int) -> tuple[int, ...]:
        return K, d

    def of_matrix(self, matrix: np.ndarray) -> np.ndarray:
        return np.diag(matrix)

    def _factors(self, roots: np.ndarray, K: int, d: int) -> np.ndarray:
        return np.ascontiguousarray(roots, dtype=np.float64)

    def _about(self, moments: Moments, shift: np.ndarray) -> np.ndarray:
        return np.maximum(moments.second - moments.counts[:, None] * shift**2, 0.0)

    def _scatter(self, X: np.ndarray, responsibilities: np.ndarray, means: np.ndarray) -> np.ndarray:
        out = np.empty(means.shape)
        for k, mean in enumerate(means):
            touched = np.flatnonzero(responsibilities[:, k])  # of hard labels a part of the rows
            gaps = X[touched] - mean
            out[k] = responsibilities[touched, k] @ (gaps * gaps)
        return out

    def with_prior(
        self, scale: np.ndarray, scatter: np.ndarray, pull: np.ndarray, gaps: np.ndarray
    ) -> np.ndarray:
        return scale + scatter + pull * gaps**2

    def covariances(self, estimates: Estimates, reg_covar: float) -> np.ndarray:
        return estimates.scatter / estimates.counts[:, None] + reg_covar

    def log_det(self, roots: np.ndarray, d: int) -> np.ndarray:
        return np.log(roots).sum(axis=1)

    def of_component(self, covariances: np.ndarray, k: int, d: int) -> np.ndarray:
        return np.diag(covariances[k])


class Spherical(CovarianceForm):
    """A variance for each component, the same in all columns, (K,)."""

    name = "spherical"
    rank = 1

    def shape(self, K: int, d: int) -> tuple[int, ...]:
        return (K,)

    def of_matrix(self, matrix: np.ndarray) -> np.ndarray:
        return np.diag(matrix).mean()

    def widened(self, estimates: Estimates, reg_covar: float) -> np.ndarray:
        return estimates.scatter + estimates.counts * reg_covar

    def _factors(self, roots: np.ndarray, K: int, d: int) -> np.ndarray:
        return np.tile(np.asarray(roots, dtype=np.float64)[:, None], (1, d))

    def _about(self, moments: Moments, shift: np.ndarray) -> np.ndarray:
        return DIAGONAL._about(moments, shift).mean(axis=1)

    def _scatter(self, X: np.ndarray, responsibilities: np.ndarray, means: np.ndarray) -> np.ndarray:
        return DIAGONAL._scatter(X, responsibilities, means).mean(axis=1)

    def with_prior(
        self, scale: np.ndarray, scatter: np.ndarray, pull: np.ndarray, gaps: np.ndarray
    ) -> np.ndarray:
        return scale + scatter + (pull * gaps**2).mean(axis=1)

    def covariances(self, estimates: Estimates, reg_covar: float) -> np.ndarray:
        return estimates.scatter / estimates.counts + reg_covar

    def log_det(self, roots: np.ndarray, d: int) -> np.ndarray:
        return d * np.log(roots)


class TiedSpherical(Spherical):
    """One variance for all components and columns, repeated for each, (K,)."""

    name = "tied_spherical"

    def covariances(self, estimates: Estimates, reg_covar: float) -> np.ndarray:
        pooled = estimates.scatter.sum() / estimates.counts.sum() + reg_covar
        return np.full(len(estimates.counts), pooled)

    def covariance_parameters(self, K: int, d: int) -> int:
        return 1


def _upper_root(covariance: np.ndarray) -> np.ndarray:
    """U with U U' the inverse of the covariance."""
    try:
        lower = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        raise DegenerateError(COLLAPSED) from None
    if not np.isfinite(lower).all():
        raise DegenerateError(COLLAPSED)
    return dtrtri(lower, lower=1)[0].T


def _reversed_cholesky(precision: np.ndarray) -> np.ndarray:
    """U with U U' the precision: Cholesky of the matrix turned about its centre, turned back."""
    return np.linalg.cholesky(precision[::-1, ::-1])[::-1, ::-1]


DIAGONAL = Diagonal()
FORMS: dict[str, CovarianceForm] = {
    form.name: form for form in (Full(), Tied(), DIAGONAL, Spherical(), TiedSpherical())
}
