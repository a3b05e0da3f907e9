"""Sparse rows as native code reads them, and SciPy matrices made of arrays that may come from a model file.

SciPy believes the arrays of a compressed matrix: a column number beyond its shape is read and written as it stands,
past the end of what was allocated. So a matrix is never made of (data, indices, indptr) but here, after a look.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import DataError

__all__ = ["COMPRESSED", "compressed_matrix", "csr_arrays"]

COMPRESSED = ("csr_array", "csr_matrix", "csc_array", "csc_matrix")  # kinds of SciPy's compressed matrices


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
    if not _sound(value, column, start, X.shape):
        raise DataError("The sparse matrix is damaged: rows or column numbers lead outside of it.")
    m = int(start[-1])
    return start, np.ascontiguousarray(column[:m], dtype=np.int32), value[:m]


def compressed_matrix(kind: str, data: Any, indices: Any, indptr: Any, shape: tuple[int, int]) -> Any:
    """A SciPy matrix of these arrays, once they are sure to lie within its shape.

    Parameters
    ----------
    kind : "csr_array", "csr_matrix", "csc_array" or "csc_matrix"
    data, indices, indptr : as SciPy takes them: values, column (or row) numbers, where each row (or column) begins
    shape : rows and columns

    Examples
    --------
    >>> from assay.core.csr import compressed_matrix
    >>> compressed_matrix("csr_array", [5.0], [1], [0, 1, 1], (2, 2)).toarray()
    array([[0., 5.],
           [0., 0.]])
    >>> compressed_matrix("csr_array", [5.0], [7], [0, 1, 1], (2, 2))
    Traceback (most recent call last):
        ...
    assay.errors.DataError: The arrays do not make up a csr_array of 2 x 2: rows or columns lead outside of it.
    """
    import scipy.sparse

    if kind not in COMPRESSED:
        raise DataError(f"A compressed sparse matrix is one of {', '.join(COMPRESSED)}, got {kind!r}.")
    data, indices, indptr = np.asarray(data), np.asarray(indices), np.asarray(indptr)
    whole = indices.dtype.kind in "iu" or not indices.size
    if not whole or not _sound(data, indices, indptr, shape if kind.startswith("csr") else shape[::-1]):
        raise DataError(
            f"The arrays do not make up a {kind} of {shape[0]} x {shape[1]}: rows or columns lead outside of it."
        )
    m = int(indptr[-1])
    return getattr(scipy.sparse, kind)((data[:m], indices[:m], indptr), shape=shape)


def _sound(value: np.ndarray, column: np.ndarray, start: np.ndarray, shape: tuple[int, int]) -> bool:
    """Whether starts rise from 0 to the end of the values, and all columns are there."""
    return bool(
        value.ndim == column.ndim == start.ndim == 1
        and start.dtype.kind in "iu"
        and len(start) == shape[0] + 1
        and start[0] == 0
        and start[-1] <= min(len(column), len(value))
        and (start[1:] >= start[:-1]).all()
        and (not len(column) or 0 <= int(column.min()) <= int(column.max()) < shape[1])
    )
