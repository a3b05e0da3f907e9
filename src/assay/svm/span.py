"""Leave-one-out values of a support vector machine from one fit, by the span of its support vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["JITTER", "span_values", "spans_by_columns"]

FEWEST_IN_SINGLE = 256  # free vectors from which a factor in float32 saves time that matters
LEAST_PIVOT_IN_SINGLE = 0.05  # of its diagonal, as a share of the largest
JITTER = 1e-10  # share of the mean diagonal that is added to it: copies of a row have one image
BLOCK = 1024  # bounded vectors whose spans are computed together
LEAST_HALVED = 64  # rows up to which a triangle is inverted as a whole
ALONE = 1e-8  # how near to 1 the leverage of a free vector is that the others do not span


def span_values(
    scores: np.ndarray,
    signed: np.ndarray,
    free: np.ndarray,
    bounded: np.ndarray,
    K: np.ndarray | Callable[[Any], np.ndarray],
    diagonal: np.ndarray,
    ridge: np.ndarray | None = None,
    bias: bool = True,
    most: int | None = None,
) -> np.ndarray:
    r"""What the machine would say of each row, had it not seen the row.

    If the other support vectors stay what they are (on the margin, or bounded by C) when row i is left out, its score
    falls by the multiplier times the squared span, the distance of its image to those of the free vectors:

    .. math:: f^{-i}(x_i) = f(x_i) - \alpha_i y_i S_i^2, \qquad
              S_i^2 = \frac1{(M^{-1})_{ii}} \text{ (free)}, \quad K_{ii} - v_i^TM^{-1}v_i \text{ (bounded)}, \quad
              M = \begin{pmatrix} K_{FF} & 1 \\ 1^T & 0 \end{pmatrix}, \quad v_i = (K_{Fi}, 1) \quad (1)

    Rows without a multiplier keep their score. Squared slacks add their ridge to the diagonal of M, and all vectors are
    free. Without a bias the border of M is not there. With the factor :math:`LL^T` of :math:`K_{FF}`, the last rows and
    columns of the inverse are those of the last ones of L alone. Cost: O(f^3 + f^2 b) for f free and b bounded vectors,
    a third of the first part with few spans.

    Parameters
    ----------
    scores : (n,) f of all rows      signed : (n,) y times alpha
    free, bounded : (f,), (b,) places of the support vectors strictly below their bound, and at it
    K : (f, f + b) kernel values of the free vectors with the free, then with the bounded ones; or what gives them in a
        type, float32 or float64
    diagonal : (n,) K(x_i, x_i)
    ridge : (n,) what squared slacks add to the diagonal, or None      bias : whether the machine has one
    most : of the free vectors, so many of the last ones lose their span; None for all

    Examples
    --------
    Rows -1 and 1 carry the margin of -1, 1 and 3; without one of them its place is taken by nothing, or by 3:

    >>> import numpy as np
    >>> from assay.svm.span import span_values
    >>> x, alpha_y = np.array([-1.0, 1.0, 3.0]), np.array([-0.5, 0.5, 0.0])
    >>> K = np.outer(x[:2], x[:2])
    >>> span_values(x, alpha_y, np.array([0, 1]), np.array([], dtype=int), K, x**2).round(6)
    array([ 1., -1.,  3.])

    References
    ----------
    - Vapnik, V. and Chapelle, O. (2000). Bounds on error expectation for support vector machines. Neural Computation
      12(9), 2013-2036. doi:10.1162/089976600300015042
    """
    from scipy.linalg.blas import dtrsm, strsm

    values, f = scores.copy(), len(free)
    m = f if most is None else min(most, f)
    of_type: Callable[[Any], np.ndarray] = K if callable(K) else lambda dtype: np.asarray(K)
    if not f:  # nothing to lean on
        values[bounded] -= signed[bounded] * np.maximum(diagonal[bounded], 0.0)
        return values
    scale = max(float(diagonal[free].mean()), np.finfo(float).tiny)
    shift = (
        scale if bias else 0.0
    )  # a constant more in the kernel moves nothing but the bias, and makes M definite
    extra = np.zeros(f) if ridge is None else ridge[free]
    L, K = _factor(of_type, f, shift, extra + JITTER * scale)
    last = free[f - m :]
    if L is None:  # no kernel matrix: the norm of the image bounds its span
        both = np.concatenate([last, bounded])
        values[both] -= signed[both] * np.maximum(diagonal[both], 0.0)
        return values
    solve = strsm if L.dtype == np.float32 else dtrsm
    ones = solve(1.0, L, np.ones((f, 1), L.dtype), lower=1)[:, 0]  # L^-1 1
    total = float(ones @ ones)  # 1' K^-1 1
    inverse = _inverse(L[f - m :, f - m :])
    precision = np.einsum("ij,ij->j", inverse, inverse).astype(np.float64)  # the diagonal of K^-1
    if bias:
        border = ones[f - m :] @ inverse  # K^-1 1
        precision = precision - border**2 / total
    squared_span = 1.0 / np.maximum(precision, np.finfo(float).tiny)
    if f == 1 and bias:  # no other vector holds the bias
        squared_span = diagonal[last] + extra[f - m :]
    values[last] += signed[last] * (extra[f - m :] - squared_span)  # (1)
    for start in range(0, len(bounded), BLOCK):
        some = bounded[start : start + BLOCK]
        k = np.array(K[:, f + start : f + start + len(some)].T, dtype=L.dtype, order="F")
        k += L.dtype.type(shift)
        image = solve(1.0, L, k, side=1, lower=1, trans_a=1, overwrite_b=1)  # a row for each vector
        square = diagonal[some] + shift - np.einsum("ij,ij->i", image, image).astype(np.float64)
        if bias:
            square = square + (1.0 - image @ ones) ** 2 / total
        values[some] -= signed[some] * np.maximum(square, 0.0)  # (1)
    return values


def _inverse(L: np.ndarray) -> np.ndarray:
    """The inverse of a lower triangle, by halves: most of the work is products, which LAPACK's own leaves to less."""
    from scipy.linalg.blas import dtrmm, strmm
    from scipy.linalg.lapack import dtrtri, strtri

    multiply, invert = (strmm, strtri) if L.dtype == np.float32 else (dtrmm, dtrtri)
    if len(L) <= LEAST_HALVED:
        inverse: np.ndarray = invert(L, lower=1)[0]
        return inverse
    m = len(L) // 2
    inverse = np.zeros(L.shape, L.dtype, order="F")
    inverse[:m, :m], inverse[m:, m:] = _inverse(L[:m, :m]), _inverse(L[m:, m:])
    below = multiply(-1.0, inverse[:m, :m], L[m:, :m], side=1, lower=1)
    inverse[m:, :m] = multiply(1.0, inverse[m:, m:], below, lower=1, overwrite_b=1)
    return inverse


def spans_by_columns(Z: np.ndarray, free: np.ndarray, bounded: np.ndarray, bias: bool = True) -> np.ndarray:
    r"""The squared spans of `span_values` for K = ZZ', from the columns of Z: rounding is that of Z, not of its square.

    With a bias they are distances to the affine hull of the free vectors, else to their linear one. A free vector that
    the others span has none. Cost: O(n r^2) for r columns.

    Parameters
    ----------
    Z : (n, r)      free, bounded : places of the support vectors strictly below their bound, and at it

    Examples
    --------
    >>> import numpy as np
    >>> from assay.svm.span import spans_by_columns
    >>> spans_by_columns(np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 3.0]]), np.array([0, 1]), np.array([2]))
    array([1., 1., 9.])
    """
    from scipy.linalg import svd

    squared = np.zeros(len(Z))
    if not len(free):  # nothing to lean on
        squared[bounded] = np.einsum("ij,ij->i", Z[bounded], Z[bounded])
        return squared
    middle = Z[free].mean(axis=0) if bias else np.zeros(Z.shape[1])
    U, size, Vt = svd(Z[free] - middle, full_matrices=False)
    rank = int(np.count_nonzero(size > max(len(free), Z.shape[1]) * np.finfo(float).eps * size[0]))
    U, size, Vt = U[:, :rank], size[:rank], Vt[:rank]
    leverage = np.einsum("ij,ij->i", U, U) + (1 / len(free) if bias else 0.0)
    precision = np.einsum("ij,ij->i", U / size, U / size)
    alone = (leverage > 1 - ALONE) & (precision > 0)
    squared[free[alone]] = 1 / precision[alone]
    if len(free) == 1 and bias:  # no other vector holds the bias
        squared[free] = np.einsum("ij,ij->i", Z[free], Z[free])
    residual = Z[bounded] - middle
    for _ in range(2):  # the second time what the first left over in rounding
        residual -= (residual @ Vt.T) @ Vt
    squared[bounded] = np.einsum("ij,ij->i", residual, residual)
    return squared


def _factor(
    of_type: Callable[[Any], np.ndarray], f: int, shift: float, ridge: np.ndarray
) -> tuple[np.ndarray | None, np.ndarray]:
    """(f, f) L of LL' = K + shift + diag(ridge), and K: in float32 if that loses no more than a share of 1e-3.

    None if the matrix is not positive definite.
    """
    from scipy.linalg.lapack import dpotrf, spotrf

    K = np.empty((0, 0))
    for dtype, factor in ((np.float32, spotrf), (np.float64, dpotrf)):
        if dtype is np.float32 and f < FEWEST_IN_SINGLE:
            continue
        K = of_type(dtype)
        M: Any = np.array(K[:, :f].T, dtype=dtype, order="F")  # which is symmetric
        M += dtype(shift)
        M.flat[:: f + 1] += ridge.astype(dtype)
        lower, failed = factor(M, lower=1, clean=1, overwrite_a=1)
        if failed:
            continue
        pivots = np.diagonal(lower)
        if dtype is np.float64 or float(pivots.min()) > LEAST_PIVOT_IN_SINGLE * float(pivots.max()):
            return lower, K
    return None, K
