"""A few eigenvectors of a large symmetric matrix that is known by its products alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

__all__ = ["Leading", "approximate_eigenvectors", "leading_eigenvectors", "orthonormal"]

EXACT = 1e-12  # of the largest eigenvalue, that the residual of a vector may have where all digits are wanted
BLOCKS_KEPT = 6  # blocks of vectors, or
VECTORS_KEPT = (3, 30)  # so many times those wanted and so many more, that are in memory at one time
STEPS_BETWEEN = 3  # looks at whether the vectors are exact enough
LOST = 1e-11  # length of a vector that is rounding once its share in the others is taken away
SAME_SQUARE = 1e-8  # of squared lengths, the share below which products of vectors leave too few digits
WELL_CONDITIONED = (
    0.01  # ratio of a triangle's diagonal, above which one step by V'V loses no digits that count
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
    matrix :math:`Q^TSQ` give the best approximations in their span. Each step multiplies a whole block; when memory is
    used up, the best vectors so far stay and the steps go on. Of an eigenvalue that occurs more often than the block
    has columns, as many copies are found as it has columns.

    Parameters
    ----------
    product : function from (d, b) to S times it
    start : (d, b) block to begin with; more columns make steps fewer
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
    most = min(d, max(BLOCKS_KEPT * b, VECTORS_KEPT[0] * k + VECTORS_KEPT[1], k + 2 * b))
    basis, images = np.empty((d, most), order="F"), np.empty((d, most), order="F")
    T = np.empty((most, most))
    V, m = orthonormal(start)[0], 0
    for step in range(1, max_products + 1):
        old, m = m, m + V.shape[1]
        basis[:, old:m], images[:, old:m] = V, product(V)
        inner = basis[:, :m].T @ images[:, old:m]
        T[:m, old:m], T[old:m, :old] = inner, inner[:old].T
        V = _new_directions(images[:, old:m], basis[:, :m])[:, : d - m]
        full = m + V.shape[1] > most
        ends = step == max_products or not V.shape[1]
        if not (full or ends or step % STEPS_BETWEEN == 0):
            continue
        values, U = np.linalg.eigh((T[:m, :m] + T[:m, :m].T) / 2)
        values, U = values[::-1], U[:, ::-1]
        best = U[:, :k]
        left = images[:, :m] @ best - (basis[:, :m] @ best) * values[:k]
        residual = float(np.sqrt(np.einsum("ij,ij->j", left, left).max(initial=0.0)))
        if ends or (m >= k and residual <= tol * abs(values[0])):
            break  # the span may be its own image: what is not in it has eigenvalue 0 for all that is known
        if full:
            stay = min(max(k, b) + (most - max(k, b)) // 3, m, most - b)
            basis[:, :stay], images[:, :stay] = basis[:, :m] @ U[:, :stay], images[:, :m] @ U[:, :stay]
            T[:stay, :stay], m = np.diag(values[:stay]), stay
    return Leading(values[:k], basis[:, :m] @ best, residual, step)


def approximate_eigenvectors(
    product: Callable[[np.ndarray], np.ndarray], start: np.ndarray, k: int, products: int
) -> Leading:
    r"""The same from a fixed number of products: power steps of a block, and the best of the span of the last two.

    With as many products it is more exact than power steps alone (Halko, Martinsson and Tropp 2011), which use the
    last block only. The block before it, V, costs no product: with :math:`SV = QR`, Q the last block, the matrices

    .. math::
        \begin{pmatrix}Q & V\end{pmatrix}^T\begin{pmatrix}Q & V\end{pmatrix} =
            \begin{pmatrix}I & C\\ C^T & I\end{pmatrix}, \quad
        \begin{pmatrix}Q & V\end{pmatrix}^TS\begin{pmatrix}Q & V\end{pmatrix} =
            \begin{pmatrix}Q^TSQ & R\\ R^T & C^TR\end{pmatrix}, \quad C = Q^TV

    are all that the best vectors of both spans need.
    """
    V, (Q, R) = None, orthonormal(start)
    for _ in range(products - 1):
        V, (Q, R) = Q, orthonormal(product(Q))
    inner = Q.T @ product(Q)
    directions = np.eye(Q.shape[1])
    if V is not None:
        C = Q.T @ V
        inner = np.block([[inner, R], [R.T, C.T @ R]])
        squares, U = np.linalg.eigh(np.eye(C.shape[1]) - C.T @ C)  # what V adds to the span of Q
        large = squares > SAME_SQUARE
        large[: max(0, Q.shape[1] + V.shape[1] - len(V))] = False
        U = U[:, large] / np.sqrt(squares[large])
        directions = np.block([[directions, -C @ U], [np.zeros((V.shape[1], Q.shape[1])), U]])
    T = directions.T @ inner @ directions
    values, U = np.linalg.eigh((T + T.T) / 2)
    U = directions @ U[:, ::-1][:, :k]
    vectors = Q @ U[: Q.shape[1]]
    if V is not None:
        vectors += V @ U[Q.shape[1] :]
    return Leading(values[::-1][:k], orthonormal(vectors)[0], np.nan, max(1, products))


def orthonormal(V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Orthonormal columns Q with the span of those of V (d, b), and R with V = QR.

    By way of V'V where its digits suffice, a second time unless the first left nothing but rounding.
    """
    from scipy.linalg import LinAlgError, cholesky, solve_triangular

    Q, R = V, np.eye(V.shape[1])
    try:
        for _ in range(2):
            step = cholesky(Q.T @ Q, check_finite=False)
            sizes = step.diagonal()
            if not sizes.min() ** 2 > SAME_SQUARE * sizes.max() ** 2:
                return _by_reflections(V)
            Q = Q @ solve_triangular(step, np.eye(len(step)), check_finite=False)
            R = step @ R
            if sizes.min() > WELL_CONDITIONED * sizes.max():
                break
    except LinAlgError:
        return _by_reflections(V)
    return Q, R


def _by_reflections(V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    Q, R = np.linalg.qr(V)
    return Q, R


def _new_directions(Y: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """Orthonormal vectors of the part of Y outside of the span of the basis."""
    size = np.sqrt(np.einsum("ij,ij->j", Y, Y))
    Y = Y / np.where(size > 0, size, 1.0)
    for _ in range(2):  # once more takes away what rounding left
        Y = Y - basis @ (basis.T @ Y)
    Q, R = np.linalg.qr(Y)
    Q = Q[:, np.abs(np.diag(R)) > LOST]
    return np.linalg.qr(Q - basis @ (basis.T @ Q))[0]
