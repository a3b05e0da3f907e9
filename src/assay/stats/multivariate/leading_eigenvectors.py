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
LOST_SQUARE = 1e-15  # of the largest, below which eigenvalues of a small matrix are rounding
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
    product: Callable[[np.ndarray], np.ndarray],
    start: np.ndarray,
    k: int,
    products: int,
    inner: Callable[[np.ndarray], np.ndarray],
) -> Leading:
    r"""The same from a fixed number of products: power steps of a block, and the best of the images of the last two.

    Of the last block V and the one before it, U, all products are known, :math:`SV = QR` and :math:`SU = VP`. They
    give the approximation of S by Nystrom (Halko, Martinsson and Tropp 2011, section 5.5):

    .. math::
        S \approx Y(B^TSB)^+Y^T, \quad B = \begin{pmatrix}V & U\end{pmatrix}, \quad
        Y = SB = \begin{pmatrix}Q & V\end{pmatrix}\begin{pmatrix}R & 0\\ 0 & P\end{pmatrix}, \quad
        B^TSB = \begin{pmatrix}V^TQR & P\\ P^T & U^TVP\end{pmatrix}                                    \quad (1)

    So the image of the last product counts as well: of the span of Q and V as many leading vectors are taken as the
    block has columns, without a product of Q. In their span the best k are found with S itself.

    Parameters
    ----------
    product : function from (d, b) to S times it
    start : (d, b) block to begin with
    k : number of eigenvalues
    products : the number of calls of ``product``, at least 1
    inner : function from V (d, b) to V'SV, which costs half a product where S is X'X; called once

    Examples
    --------
    >>> import numpy as np
    >>> from assay.stats.multivariate.leading_eigenvectors import approximate_eigenvectors
    >>> S = np.diag(0.5 ** np.arange(100))
    >>> start = np.random.default_rng(0).normal(size=(100, 4))
    >>> approximate_eigenvectors(lambda V: S @ V, start, 2, 5, lambda V: V.T @ S @ V).values.round(8)
    array([1. , 0.5])
    """
    from scipy.linalg import eigh

    U, P = None, np.empty((0, 0))
    V = start if products > 2 else orthonormal(start)[0]  # else it is neither U nor V in the end
    Q, R = orthonormal(product(V))
    for _ in range(products - 1):
        U, P, V = V, R, Q
        Q, R = orthonormal(product(V))
    C = Q.T @ V
    if U is None:
        basis = known = np.eye(len(R))
        images, T = R, C.T @ R
    else:
        E = V.T @ U
        (basis, inside), (known, _) = _joined(C, len(V)), _joined(E, len(V))
        nothing = np.zeros_like(C)
        images = inside @ np.block([[R, nothing], [nothing, P]])
        T = np.block([[C.T @ R, P], [P.T, E.T @ P]])
    T = known.T @ T @ known
    values, W = np.linalg.eigh((T + T.T) / 2)
    large = values > LOST_SQUARE * values[-1]
    F = images @ (known @ (W[:, large] / np.sqrt(values[large])))  # (1) is FF'
    W = basis @ np.linalg.eigh(F @ F.T)[1][:, : -len(R) - 1 : -1]
    vectors = Q @ W[: len(R)]
    if U is not None:
        vectors += V @ W[len(R) :]
    T = inner(vectors)
    values, W = eigh((T + T.T) / 2, vectors.T @ vectors)
    return Leading(values[::-1][:k], vectors @ W[:, ::-1][:, :k], np.nan, products)


def _joined(C: np.ndarray, d: int) -> tuple[np.ndarray, np.ndarray]:
    """J that makes (A B)J orthonormal, and J'(A B)'(A B), for blocks of orthonormal vectors (d, .) with A'B = C."""
    b, c = C.shape
    squares, W = np.linalg.eigh(np.eye(c) - C.T @ C)  # what B adds to the span of A
    large = squares > SAME_SQUARE
    large[: max(0, b + c - d)] = False
    lengths, W = np.sqrt(squares[large]), W[:, large]
    return (
        np.block([[np.eye(b), -C @ (W / lengths)], [np.zeros((c, b)), W / lengths]]),
        np.block([[np.eye(b), C], [np.zeros((len(lengths), b)), (W * lengths).T]]),
    )


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
