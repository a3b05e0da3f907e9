"""Sparse rows as kernels read them."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import DataError

__all__ = ["csr_arrays"]


def csr_arrays(X: Any, dtype: Any = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Starts of the rows (int64), column numbers (int32) and values of a CSR matrix, once it is sure to be sound.

    Parameters
    ----------
    X : CSR matrix or array
    dtype : of the values; None leaves them as they are

    >>> import scipy.sparse as sp
    >>> from assay.core.csr import csr_arrays
    >>> csr_arrays(sp.csr_matrix([[0.0, 5.0], [0.0, 0.0]]))
    (array([0, 1, 1]), array([1], dtype=int32), array([5.]))
    """
    start = np.ascontiguousarray(X.indptr, dtype=np.int64)
    column, value = X.indices, np.ascontiguousarray(X.data, dtype=dtype)
    if (
        len(start) != X.shape[0] + 1
        or start[0] != 0
        or start[-1] > min(len(column), len(value))
        or (np.diff(start) < 0).any()
        or (len(column) and (int(column.min()) < 0 or int(column.max()) >= X.shape[1]))
    ):
        raise DataError("The sparse matrix is damaged: rows or column numbers lead outside of it.")
    m = int(start[-1])
    return start, np.ascontiguousarray(column[:m], dtype=np.int32), value[:m]
