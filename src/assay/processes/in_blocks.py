"""Cholesky factors and inverses of large matrices in steps of a fraction of a second, so that Ctrl-C is heard."""

from __future__ import annotations

import numpy as np

__all__ = ["factor_in_blocks", "invert_in_blocks"]


def factor_in_blocks(L: np.ndarray, size: int = 512) -> bool:
    """Write the Cholesky factor of a symmetric matrix to its lower triangle; whether it has one.

    What stands above the diagonal is left as it is.

    Parameters
    ----------
    L : (n, n) C-ordered array
    size : int, rows of a block

    >>> import numpy as np
    >>> from assay.processes.in_blocks import factor_in_blocks
    >>> L = np.array([[4.0, 2.0], [2.0, 2.0]])
    >>> factor_in_blocks(L, 1), L
    (True, array([[2., 2.],
           [1., 1.]]))
    """
    from scipy.linalg.blas import dtrsm
    from scipy.linalg.lapack import dpotrf

    n = len(L)
    for start in range(0, n, size):
        stop = min(start + size, n)
        corner, singular = dpotrf(L[start:stop, start:stop].T, lower=0, clean=1)
        if singular:
            return False
        _write_lower(L[start:stop, start:stop], corner.T)
        panel = dtrsm(1.0, corner, L[stop:, start:stop].T, lower=0, trans_a=1).T  # below the corner
        L[stop:, start:stop] = panel
        for left in range(stop, n, size):
            right = min(left + size, n)
            some = panel[left - stop : right - stop]
            _write_lower(L[left:right, left:right], L[left:right, left:right] - some @ some.T)
            L[right:, left:right] -= panel[right - stop :] @ some.T
    return True


def invert_in_blocks(L: np.ndarray, size: int = 512) -> None:
    r"""Write the lower triangle of :math:`(LL^T)^{-1}` in the place of that of L.

    >>> import numpy as np
    >>> from assay.processes.in_blocks import invert_in_blocks
    >>> L = np.array([[2.0, 9.0], [1.0, 1.0]])  # of [[4, 2], [2, 2]]
    >>> invert_in_blocks(L, 1)
    >>> np.tril(L)
    array([[ 0.5,  0. ],
           [-0.5,  1. ]])
    """
    _invert_triangle(L, size)
    n = len(L)
    for start in range(0, n, size):  # the product of the transposed triangle with itself, from the top
        stop = min(start + size, n)
        column = L[start:, start:stop].copy()
        column[: stop - start] = np.tril(column[: stop - start])
        L[start:stop, :start] = column.T @ L[start:, :start]
        _write_lower(L[start:stop, start:stop], column.T @ column)


def _invert_triangle(L: np.ndarray, size: int) -> None:
    """Write the inverse of the lower triangle in its place, from the last block of columns to the first."""
    from scipy.linalg.lapack import dtrtri

    n = len(L)
    for start in reversed(range(0, n, size)):
        stop = min(start + size, n)
        corner = np.tril(dtrtri(L[start:stop, start:stop].T, lower=0)[0].T)
        below = L[stop:, start:stop] @ corner
        for top in reversed(range(stop, n, size)):  # rows below need the rows above as they were
            bottom = min(top + size, n)
            product = np.tril(L[top:bottom, top:bottom]) @ below[top - stop : bottom - stop]
            L[top:bottom, start:stop] = -(product + L[top:bottom, stop:top] @ below[: top - stop])
        _write_lower(L[start:stop, start:stop], corner)


def _write_lower(block: np.ndarray, values: np.ndarray) -> None:
    """The values on and below the diagonal of a block."""
    np.copyto(block, values, where=np.tri(len(block), dtype=bool))
