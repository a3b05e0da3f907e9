"""Coordinates as matrices: scaling, rotation, change of basis; matrices as sums of rank-one terms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import DataError
from assay.stats.checks import as_matrix

__all__ = [
    "Decomposition",
    "covariance_matrix",
    "is_orthogonal",
    "is_positive_semidefinite",
    "rotation_matrix",
    "scaling_matrix",
    "singular_decomposition",
    "spectral_decomposition",
    "transition_matrix",
]

ROUNDING = 1e-10  # of the largest entry, that counts as 0


class Decomposition(NamedTuple):
    r"""A matrix as a sum of rank-one terms, :math:`\sum_i a_iu_iv_i^T`, the largest first.

    values : (r,) eigenvalues or singular values      left, right : (r, m), (r, n) unit vectors
    """

    values: NDArray[np.float64]
    left: NDArray[np.float64]
    right: NDArray[np.float64]

    def matrix(self, k: int | None = None) -> NDArray[np.float64]:
        """The sum of the first k terms; None takes all."""
        return (self.left[:k].T * self.values[:k]) @ self.right[:k]

    def terms(self) -> NDArray[np.float64]:
        """(r, m, n) the terms."""
        return self.values[:, None, None] * self.left[:, :, None] * self.right[:, None, :]


def scaling_matrix(factors: ArrayLike) -> NDArray[np.float64]:
    """The matrix that multiplies each coordinate by its factor.

    >>> scaling_matrix([2, 3]) @ [1, 1]
    array([2., 3.])
    """
    values = np.asarray(factors, dtype=float)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise DataError("scaling_matrix: expected a list of numbers, one for each coordinate.")
    return np.diag(values)


def rotation_matrix(angle: float, plane: tuple[int, int] = (0, 1), d: int = 2) -> NDArray[np.float64]:
    """The d by d matrix that turns points by an angle (radians) from one coordinate to another.

    >>> rotation_matrix(np.pi / 2).round(12) @ [1, 0]
    array([0., 1.])
    """
    i, j = plane
    if i == j or not (0 <= i < d and 0 <= j < d):
        raise DataError(
            f"rotation_matrix: the plane must be two of the coordinates 0 to {d - 1}, got {plane}."
        )
    R = np.eye(d)
    R[[i, j], [i, j]] = np.cos(angle)
    R[j, i], R[i, j] = np.sin(angle), -np.sin(angle)
    return R


def transition_matrix(old: ArrayLike, new: ArrayLike) -> NDArray[np.float64]:
    """T with z = T x: coordinates in the basis ``new`` from those in ``old``; the rows of both are the basis vectors.

    It is orthogonal if both bases are orthonormal; an orthonormal new basis alone is not enough.

    >>> transition_matrix(np.eye(2), [[1, 0], [1, 1]])
    array([[ 1., -1.],
           [ 0.,  1.]])
    """
    A, B = as_matrix(old, "transition_matrix"), as_matrix(new, "transition_matrix")
    if A.shape != B.shape or A.shape[0] != A.shape[1]:
        raise DataError(
            f"transition_matrix: expected two bases of d vectors of length d, got {A.shape} and {B.shape}."
        )
    if np.linalg.matrix_rank(B) < len(B) or np.linalg.matrix_rank(A) < len(A):
        raise DataError("transition_matrix: the vectors of a basis must be linearly independent.")
    return np.asarray(np.linalg.solve(B.T, A.T), dtype=np.float64)  # the point is A'x = B'z


def is_orthogonal(U: ArrayLike, tol: float = ROUNDING) -> bool:
    """Whether the rows are orthonormal, and so U' the inverse.

    >>> is_orthogonal(rotation_matrix(0.3)), is_orthogonal([[1, 1], [0, 1]])
    (True, False)
    """
    M = as_matrix(U, "is_orthogonal")
    return M.shape[0] == M.shape[1] and bool(np.abs(M @ M.T - np.eye(len(M))).max() <= tol)


def is_positive_semidefinite(A: ArrayLike, tol: float = ROUNDING) -> bool:
    """Whether a matrix is symmetric and has no eigenvalue below 0, but for rounding.

    >>> is_positive_semidefinite([[2, 1], [1, 2]]), is_positive_semidefinite([[1, 2], [2, 1]])
    (True, False)
    """
    M = as_matrix(A, "is_positive_semidefinite")
    size = float(np.abs(M).max(initial=0.0))
    if M.shape[0] != M.shape[1] or np.abs(M - M.T).max(initial=0.0) > tol * size:
        return False
    return bool(np.linalg.eigvalsh((M + M.T) / 2).min(initial=0.0) >= -tol * size)


def spectral_decomposition(A: ArrayLike) -> Decomposition:
    r"""A symmetric matrix as :math:`\sum_i \lambda_iu_iu_i^T`, the largest eigenvalue first.

    >>> spectral_decomposition([[5.2, 3.6], [3.6, 5.2]]).values.round(9)
    array([8.8, 1.6])

    See Also
    --------
    singular_decomposition, is_positive_semidefinite
    """
    M = as_matrix(A, "spectral_decomposition")
    if M.shape[0] != M.shape[1] or np.abs(M - M.T).max(initial=0.0) > ROUNDING * np.abs(M).max(initial=0.0):
        raise DataError(
            "spectral_decomposition: the matrix must be symmetric. For others: singular_decomposition."
        )
    values, vectors = np.linalg.eigh((M + M.T) / 2)
    U = np.ascontiguousarray(vectors[:, ::-1].T)
    U *= np.where(U[np.arange(len(U)), np.abs(U).argmax(axis=1)] < 0, -1.0, 1.0)[:, None]
    return Decomposition(values[::-1], U, U)


def singular_decomposition(A: ArrayLike) -> Decomposition:
    r"""Any matrix as :math:`\sum_i \sigma_iu_iv_i^T`, the largest singular value first.

    :math:`\sigma_i^2` are the eigenvalues of both Gram matrices, :math:`A^TA`, with vectors v, and :math:`AA^T`, with
    vectors u; of centred rows, :math:`\sigma_i^2/(m-1)` those of the covariance matrix.

    >>> singular_decomposition([[3, 0], [4, 5]]).values.round(6)
    array([6.708204, 2.236068])

    See Also
    --------
    spectral_decomposition, covariance_matrix
    """
    U, values, V = np.linalg.svd(as_matrix(A, "singular_decomposition"), full_matrices=False)
    signs = np.where(V[np.arange(len(V)), np.abs(V).argmax(axis=1)] < 0, -1.0, 1.0)
    return Decomposition(values, np.ascontiguousarray(U.T) * signs[:, None], V * signs[:, None])


def covariance_matrix(X: ArrayLike, samples: str = "rows", *, centred: bool = False) -> NDArray[np.float64]:
    r"""The covariance matrix of the features with divisor m - 1.

    Parameters
    ----------
    X : (m, d), or (d, m) with ``samples="columns"``
    samples : "rows" or "columns"
    centred : whether the features have mean 0 already, so that it is :math:`X^TX/(m-1)`

    Examples
    --------
    >>> covariance_matrix([[1, 2], [3, 6]])
    array([[2., 4.],
           [4., 8.]])
    """
    if samples not in ("rows", "columns"):
        raise DataError(f'covariance_matrix: samples must be "rows" or "columns", got {samples!r}.')
    rows = as_matrix(X, "covariance_matrix")
    rows = rows if samples == "rows" else rows.T
    if len(rows) < 2:
        raise DataError(f"covariance_matrix: expected at least 2 samples, got {len(rows)}.")
    deviations = rows if centred else rows - rows.mean(axis=0)
    return deviations.T @ deviations / (len(rows) - 1)
