"""Means and variances of the columns of a sparse matrix, whose zeros count as zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.moments import ClassMoments

__all__ = ["sparse_moments"]


def sparse_moments(X: Any, w: np.ndarray | None) -> ClassMoments:
    """The moments of the columns of a CSR matrix as one class; a stored NaN is missing, what is not stored is 0.

    Two passes over the stored entries: the mean first, then the squared deviations from it, those of the zeros
    in one product.

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
    rows = np.repeat(np.arange(n), np.diff(X.indptr))
    weights = np.ones(n) if w is None else w
    present = ~np.isnan(X.data)
    j, x, v = X.indices[present], X.data[present].astype(np.float64), weights[rows[present]]

    def add(values: np.ndarray, columns: np.ndarray = j) -> np.ndarray:
        return np.bincount(columns, weights=values, minlength=d)

    total = weights.sum()
    missing = add(weights[rows[~present]], X.indices[~present])
    known = total - missing
    mean = add(v * x) / np.where(known > 0, known, 1.0)
    stored = np.bincount(
        X.indices[weights[rows] > 0], minlength=d
    )  # counted, since a difference of weights rounds
    zeros = np.where(stored < np.count_nonzero(weights), np.maximum(known - add(v), 0.0), 0.0)
    mean += (add(v * (x - mean[j])) - zeros * mean) / np.where(
        known > 0, known, 1.0
    )  # a constant is its own mean
    scatter = add(v * (x - mean[j]) ** 2) + zeros * mean**2
    return ClassMoments(np.array([total]), known[None], mean[None], scatter[None])
