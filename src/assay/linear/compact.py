"""Conversion of small sparse tables to dense ones."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["compact"]

DENSE_ENTRIES = 1 << 17  # entries up to which a table is solved faster, and to the last digit, as a dense one


def compact(X: Any) -> Any:
    """The rows as an array where that is small, or takes no more memory than a sparse table does; else as CSR.

    Columns of a dense table can be centred, so that those far from 0 cost neither steps nor digits.

    Parameters
    ----------
    X : (n, d) array, or SciPy sparse matrix

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from assay.linear.compact import compact
    >>> compact(csr_array([[0.0, 2.0], [1.0, 0.0]]))
    array([[0., 2.],
           [1., 0.]])
    """
    if isinstance(X, np.ndarray):
        return X
    X = X.tocsr()
    entries = X.shape[0] * X.shape[1]
    if (
        entries > DENSE_ENTRIES and 3 * X.nnz < 2 * entries
    ):  # a stored number takes 12 bytes, an entry of an array 8
        return X
    X.check_format(full_check=True)  # toarray follows the indices
    return X.toarray()
