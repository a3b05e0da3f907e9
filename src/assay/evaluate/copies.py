"""Rows that are equal in every column, found by a number per row."""

from __future__ import annotations

import numpy as np

__all__ = ["equal_rows", "rounded", "row_hashes"]


def row_hashes(block: np.ndarray) -> np.ndarray:
    """(n,) 64-bit numbers, equal for equal rows; for different rows equal once in 1e19 pairs. Missing equals missing.

    >>> import numpy as np
    >>> from assay.evaluate.copies import row_hashes
    >>> a, b, c = row_hashes(np.array([[1.0, np.nan], [1.0, np.nan], [1.0, 0.0]]))
    >>> bool(a == b), bool(a == c)
    (True, False)
    """
    total = np.zeros(len(block), dtype=np.uint64)
    for column in block.T:
        column = column.astype(np.float64, copy=False)
        bits = (np.where(np.isnan(column), np.inf, column) + 0.0).view(np.uint64)  # + 0.0: minus zero is zero
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        total = total * np.uint64(0x9E3779B97F4A7C15) + (bits ^ (bits >> np.uint64(31)))
    return total


def equal_rows(block: np.ndarray) -> np.ndarray:
    """(n,) a number for each row, the same for equal rows, from 0 up without gaps.

    >>> import numpy as np
    >>> from assay.evaluate.copies import equal_rows
    >>> len(set(equal_rows(np.array([[1.0], [2.0], [1.0]]))))
    2
    """
    return np.unique(row_hashes(block), return_inverse=True)[1]


def rounded(known: np.ndarray) -> bool:
    """Whether all numbers are as large as 64-bit integers that have no double of their own.

    >>> import numpy as np
    >>> from assay.evaluate.copies import rounded
    >>> rounded(np.array([2.0**53, 2.0**60])), rounded(np.array([1.0, 2.0**60]))
    (True, False)
    """
    if not len(known) or abs(known[0]) < 2**53:
        return False
    size = np.abs(known)
    return bool(size.min() >= 2**53 and size.max() <= 2**64)
