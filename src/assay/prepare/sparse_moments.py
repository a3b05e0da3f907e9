"""Means and variances of the columns of a sparse matrix, whose zeros count as zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.prepare._sparse_moments as _sparse_moments
from assay.core.moments import ClassMoments

__all__ = ["sparse_moments"]


def sparse_moments(X: Any, w: np.ndarray | None, y: np.ndarray | None = None, K: int = 1) -> ClassMoments:
    """The moments of the columns of a CSR matrix in each class; a stored NaN is missing, what is not stored is 0.

    Two passes over the stored entries: the mean first, then the squared deviations from it, those of the zeros in one
    product; a third where nothing but rounding may be left of them.

    Parameters
    ----------
    X : (n, d) CSR matrix      w : (n,) weights, or None for ones
    y : (n,) codes 0..K-1, or None for one class

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_matrix
    >>> from assay.prepare.sparse_moments import sparse_moments
    >>> m = sparse_moments(csr_matrix([[0.0, 1.0], [4.0, 1.0]]), None)
    >>> m.mean, m.scatter
    (array([[2., 1.]]), array([[8., 0.]]))
    """
    n, d = X.shape
    codes = np.zeros(n, dtype=np.int64) if y is None else np.ascontiguousarray(y, dtype=np.int64)
    indices = np.ascontiguousarray(X.indices)
    rows: dict[str, Any] = {
        "data": np.ascontiguousarray(X.data if X.dtype.kind == "f" else X.data.astype(np.float64)),
        "indices": indices,
        "indptr": np.ascontiguousarray(X.indptr, indices.dtype),
        "y": codes,
        "w": np.empty(0) if w is None else np.ascontiguousarray(w, dtype=np.float64),
    }
    stored, entries, mean, missing = np.zeros((4, K, d))
    _sparse_moments.totals(**rows, known=stored, entries=entries, sum=mean, missing=missing)
    total = np.bincount(codes, w, minlength=K).astype(np.float64)
    count = np.bincount(codes if w is None else codes[w > 0], minlength=K)
    known = total[:, None] - missing
    safe = np.where(known > 0, known, 1.0)
    mean /= safe
    # entries are counted, since a difference of weights rounds
    zeros = np.where(entries < count[:, None], np.maximum(known - stored, 0.0), 0.0)
    first, second = np.zeros((2, K, d))
    _sparse_moments.deviations(**rows, mean=mean, first=first, second=second)
    step = (first - zeros * mean) / safe  # what rounding left out of the mean
    scatter = np.maximum(second + zeros * mean**2 - known * step**2, 0.0)
    mean += step
    if ((zeros == 0) & (step != 0)).any():  # a constant is its own mean, and has no scatter
        second[:] = 0.0
        _sparse_moments.deviations(**rows, mean=mean, first=first, second=second)
        scatter = np.where(zeros == 0, second, scatter)
    return ClassMoments(total, known, mean, scatter)
