"""Arithmetic of a block with one number a column, quick for narrow tables and without temporaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from assay.core.parallel import in_threads

__all__ = ["columnwise"]

CACHE_BYTES = 1 << 17  # of a piece that goes through all steps before the next begins
THREAD_BYTES = 1 << 22  # of a piece that is worth a thread
WIDTH = 256  # numbers in a row of a piece: shorter rows are laid side by side

Step = tuple[Callable[..., Any], np.ndarray]


def columnwise(X: np.ndarray, steps: Sequence[Step], copy: bool = True) -> np.ndarray:
    """Apply ufuncs such as ``(np.subtract, mean)`` to each row of X, one after another.

    The table goes through memory once, whatever the number of steps. With ``copy=False`` the result replaces
    X where X can be written.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.prepare.columnwise import columnwise
    >>> columnwise(np.array([[1.0, 4.0], [3.0, 8.0]]), [(np.subtract, np.array([2.0, 6.0])), (np.divide, [1.0, 2.0])])
    array([[-1., -1.],
           [ 1.,  1.]])
    """
    out = X if not copy and X.flags.writeable else np.empty_like(X)
    n, d = X.shape
    steps = [(function, np.asarray(row, dtype=X.dtype)) for function, row in steps]
    if not steps or not X.size:
        out[...] = X
        return out
    flat = X.flags.c_contiguous and out.flags.c_contiguous
    side = max(1, WIDTH // d) if flat else 1
    whole = n // side * side
    if side > 1 and whole:
        wide = [(function, np.tile(row, side)) for function, row in steps]
        _in_pieces(X[:whole].reshape(-1, side * d), wide, out[:whole].reshape(-1, side * d))
    else:
        whole = 0
    if whole < n:
        _in_pieces(X[whole:], steps, out[whole:])
    return out


def _in_pieces(X: np.ndarray, steps: list[Step], out: np.ndarray) -> None:
    width = X.shape[1] * X.itemsize
    cached, threaded = max(1, CACHE_BYTES // width), max(1, THREAD_BYTES // width)

    def piece(start: int) -> None:
        for a in range(start, min(start + threaded, len(X)), cached):
            b = min(a + cached, start + threaded, len(X))
            (function, row), *rest = steps
            function(X[a:b], row, out=out[a:b])
            for function, row in rest:
                function(out[a:b], row, out=out[a:b])

    in_threads(piece, range(0, len(X), threaded))
