"""A few eigenvectors of a large symmetric matrix that is known by its products alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

__all__ = ["Leading", "approximate_eigenvectors", "leading_eigenvectors", "orthonormal"]

EXACT = 1e-12  # of the largest eigenvalue, that the residual of a vector may have where all digits are wanted
BLOCKS_KEPT = 6  # blocks of vectors that are in memory at one time
LOST = 1e-11  # length of a vector that is rounding once its share in the others is taken away
SAME_SQUARE = (
    1e-12  # squared length outside of the last block, below which one of the block before adds nothing
)


class Leading(NamedTuple):
    """values : (k,) the largest first      vectors : (d, k)      residual : of the largest      products : how many"""

    values: np.ndarray
    vectors: np.ndarray
    residual: float
    products: int


def leading_eigenvectors(
    product: Callable[[np.ndarray], np.ndarray],
    start: np.ndarray,
    k: int,
    tol: float = EXACT,
    max_products: int = 200,
) -> Leading:
    r"""The k largest eigenvalues of a positive semidefinite matrix S and their vectors, by block Krylov steps.

    From a block V the vectors :math:`V, SV, S^2V, \dots` are orthonormalised to Q, and the eigenvectors of the small
    matrix :math:`Q^TSQ` give the best approximations in their span. Each step multiplies a whole block, which costs
    little more than one vector; when memory is used up, the best vectors so far stay and the steps go on.

    Parameters
    ----------
    product : function from (d, b) to S times it
    start : (d, b) block to begin with, b >= k; some columns more than k make steps fewer
    k : number of eigenvalues
    tol : stop when no residual :math:`|Sv - \lambda v|` exceeds this share of the largest eigenvalue
    max_products : the most steps

    Examples
    --------
    >>> import numpy as np
    >>> from assay.stats.multivariate.leading_eigenvectors import leading_eigenvectors
    >>> S = np.diag(np.arange(100.0))
    >>> start = np.random.default_rng(0).normal(size=(100, 4))
    >>> leading_eigenvectors(lambda V: S @ V, start, 2).values.round(8)
    array([99., 98.])
    """
    d, b = start.shape
    V = orthonormal(start)
    basis, images = V, np.empty((d, 0))
    for step in range(1, max_products + 1):
        images = np.hstack([images, product(V)])
        T = basis.T @ images
        values, U = np.linalg.eigh((T + T.T) / 2)
        values, U = values[::-1][:k], U[:, ::-1]
        left = images @ U[:, :k] - (basis @ U[:, :k]) * values
        residual = float(np.sqrt(np.einsum("ij,ij->j", left, left).max(initial=0.0)))
        if residual <= tol * abs(values[0]) or step == max_products or basis.shape[1] == d:
            break
        V = _new_directions(images[:, -V.shape[1] :], basis)
        if not V.shape[
            1
        ]:  # the span is its own image: what is not in it has eigenvalue 0 for all that is known
            break
        if basis.shape[1] + V.shape[1] > BLOCKS_KEPT * b:
            best = U[:, : max(k, b)]
            basis, images = basis @ best, images @ best
        V = V[:, : max(0, d - basis.shape[1])]
        basis = np.hstack([basis, V])
    return Leading(values, basis[:, : len(U)] @ U[:, :k], residual, step)


def approximate_eigenvectors(
    product: Callable[[np.ndarray], np.ndarray], start: np.ndarray, k: int, products: int
) -> Leading:
    """The same from a fixed number of products: power steps of a block, and the best of the span of the last two.

    It needs the memory of four blocks. With as many products, and less work between them, it is more exact than power
    steps alone (Halko, Martinsson and Tropp 2011), which use the last block only.
    """
    V, before = orthonormal(start), None
    for step in range(max(1, products)):
        images = product(V)
        if step < products - 1:
            before, V = (V, images), orthonormal(images)
    if before is not None:
        overlap = V.T @ before[0]
        other, its_images = before[0] - V @ overlap, before[1] - images @ overlap
        squares, U = np.linalg.eigh(other.T @ other)
        U = U[:, squares > SAME_SQUARE] / np.sqrt(squares[squares > SAME_SQUARE])
        room = len(V) - V.shape[1]
        U = U[:, max(0, U.shape[1] - room) :]
        V, images = np.hstack([V, other @ U]), np.hstack([images, its_images @ U])
    T = V.T @ images
    values, U = np.linalg.eigh((T + T.T) / 2)
    values, U = values[::-1][:k], U[:, ::-1][:, :k]
    return Leading(values, V @ U, np.nan, max(1, products))


def orthonormal(V: np.ndarray) -> np.ndarray:
    """Orthonormal columns with the span of those of V (d, b), by way of V'V where its digits suffice."""
    from scipy.linalg import LinAlgError, cholesky, solve_triangular

    try:
        for _ in range(2):  # the second time takes away what rounding of the first left
            R = cholesky(V.T @ V, check_finite=False)
            if not R.diagonal().min() ** 2 > SAME_SQUARE * R.diagonal().max() ** 2:
                return np.linalg.qr(V)[0]
            V = solve_triangular(R, V.T, trans="T", check_finite=False).T
    except LinAlgError:
        return np.linalg.qr(V)[0]
    return np.ascontiguousarray(V)


def _new_directions(Y: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """Orthonormal vectors of the part of Y outside of the span of the basis."""
    size = np.sqrt(np.einsum("ij,ij->j", Y, Y))
    Y = Y / np.where(size > 0, size, 1.0)
    for _ in range(2):  # once more takes away what rounding left
        Y = Y - basis @ (basis.T @ Y)
    Q, R = np.linalg.qr(Y)
    Q = Q[:, np.abs(np.diag(R)) > LOST]
    return np.linalg.qr(Q - basis @ (basis.T @ Q))[0]
