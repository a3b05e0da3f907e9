"""Squared Euclidean distances of all pairs of rows, with all their digits."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.kernels.points import SQUARES, WIDEST, Form, Points, evaluate

__all__ = ["numbers", "squared_distances", "squared_lengths"]

CLOSE = 5e-4  # below this share of |a|^2 + |b|^2 a squared distance from a product has fewer than 12 digits
CLOSE_SHARE = 0.1  # of close pairs, from which on differences of all pairs are quicker


def numbers(X: Any) -> Any:
    """X as a float64 array, or as a sparse matrix of rows."""
    return X.tocsr() if hasattr(X, "tocsr") else np.asarray(X, dtype=np.float64)


def squared_lengths(X: Any) -> np.ndarray:
    """(n,) |x|^2 of each row."""
    if hasattr(X, "tocsr"):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    return np.einsum("ij,ij->i", X, X)


def squared_distances(A: Any, B: Any, tolerance: float = 0.0) -> np.ndarray:
    r"""(n, m) the squared distances of rows of A and of B, dense or sparse.

    .. math:: \|a - b\|^2 = \|a\|^2 + \|b\|^2 - 2 a^T b \quad (1)

    Native code adds up the squares of the differences. Beyond 128 columns (1) is quicker: the rows are centred first,
    and pairs that are close compared with their lengths, for which the terms of (1) cancel, are computed again from
    their differences, unless an absolute error of ``tolerance`` is allowed and met by (1).

    >>> import numpy as np
    >>> from assay.kernels.squared_distances import squared_distances
    >>> squared_distances(np.array([[1e8, 0.0]]), np.array([[1e8, 1e-3]]))
    array([[1.e-06]])
    """
    if hasattr(A, "tocsr") or hasattr(B, "tocsr"):
        return _sparse(numbers(A), numbers(B))
    if not A.shape[1] or not len(A) or not len(B):
        return np.zeros((len(A), len(B)))
    if A.shape[1] <= WIDEST:
        others = Points(Form(SQUARES), B, np.float64)
        out = np.empty((len(A), len(B)))
        evaluate(others.beside(A), others, out)
        return out
    centre = B.mean(axis=0)
    A, B = A - centre, B - centre
    a, b = squared_lengths(A), squared_lengths(B)
    out = A @ (-2.0 * B.T)
    out += a[:, None]
    out += b
    with np.errstate(over="ignore", invalid="ignore"):
        if not 8 * np.finfo(float).eps * (a.max() + b.max()) <= tolerance:
            _mend_close_pairs(out, A, B, a, b)
    return np.maximum(out, 0.0, out=out)


def _mend_close_pairs(out: np.ndarray, A: np.ndarray, B: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    """Compute pairs again whose squared distance is small compared with their lengths, or no number."""
    if CLOSE * (a.min() + b.min()) > out.max():  # rare: all of them
        close = np.ones(out.shape, bool)
    else:
        close = ~(out > CLOSE * a[:, None] + CLOSE * b)
    count = np.count_nonzero(close)
    if count > CLOSE_SHARE * out.size:
        from scipy.spatial.distance import cdist

        out[:] = cdist(A, B, "sqeuclidean")
    elif count:
        rows, columns = np.nonzero(close)
        size = max(1, (1 << 20) // A.shape[1])
        for start in range(0, count, size):
            i, j = rows[start : start + size], columns[start : start + size]
            difference = A[i] - B[j]
            out[i, j] = np.einsum("ij,ij->i", difference, difference)


def _sparse(A: Any, B: Any) -> np.ndarray:
    product = A @ B.T
    product = product.toarray() if hasattr(product, "toarray") else np.asarray(product)
    a, b = squared_lengths(A), squared_lengths(B)
    with np.errstate(over="ignore", invalid="ignore"):
        out = a[:, None] + b - 2.0 * product
        close = ~(out >= CLOSE * (a[:, None] + b))  # or no number
    for i in np.flatnonzero(close.any(axis=1)):
        j = np.flatnonzero(close[i])
        row = A[i].toarray().ravel() if hasattr(A, "tocsr") else A[i]
        others = B[j].toarray() if hasattr(B, "tocsr") else B[j]
        with np.errstate(over="ignore"):
            out[i, j] = squared_lengths(others - row)
    return out
