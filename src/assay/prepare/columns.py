"""Arithmetic of a table with one number a column: quick for narrow tables, and without temporaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import assay.prepare._columns as _columns
from assay.core.parallel import in_threads

__all__ = ["columnwise", "count_missing", "extremes", "fill_missing"]

CACHE_BYTES = 1 << 17  # of a piece that goes through all steps before the next begins
THREAD_BYTES = 1 << 22  # of a piece that is worth a thread
WIDTH = 256  # numbers in a row of a piece: shorter rows are laid side by side

Step = tuple[Callable[..., Any], Any]


def columnwise(X: np.ndarray, steps: Sequence[Step], copy: bool = True) -> np.ndarray:
    """Apply ufuncs such as ``(np.subtract, mean)`` to each row of X, one after another.

    The table goes through memory once, whatever the number of steps. With ``copy=False`` the result replaces
    X where X can be written.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.prepare.columns import columnwise
    >>> columnwise(np.array([[1.0, 4.0], [3.0, 8.0]]), [(np.subtract, [2.0, 6.0]), (np.divide, [1.0, 2.0])])
    array([[-1., -1.],
           [ 1.,  1.]])
    """
    out = X if not copy and X.flags.writeable else np.empty_like(X)
    if not steps or not X.size:
        out[...] = X
        return out
    rows = [np.asarray(row, dtype=X.dtype) for _, row in steps]

    def work(part: np.ndarray, target: np.ndarray, *values: np.ndarray) -> None:
        for (function, _), value in zip(steps, values):
            function(part, value, out=target)
            part = target

    _in_pieces(work, X, out, rows)
    return out


def fill_missing(X: np.ndarray, value: np.ndarray, copy: bool = True) -> np.ndarray:
    """X with every NaN replaced by the value of its column.

    >>> import numpy as np
    >>> from assay.prepare.columns import fill_missing
    >>> fill_missing(np.array([[1.0, np.nan], [np.nan, 4.0]]), np.array([5.0, 6.0]))
    array([[1., 6.],
           [5., 4.]])
    """
    X = np.ascontiguousarray(X)
    out = X if not copy and X.flags.writeable else np.empty_like(X)
    if X.size:
        _in_pieces(lambda part, target, v: _columns.fill(part, v, target), X, out, [value.astype(X.dtype)])
    return out


def count_missing(X: np.ndarray) -> np.ndarray:
    """(d,) how many entries of each column are NaN."""
    X = np.ascontiguousarray(X)
    side = _side(X)
    count = np.zeros(side * X.shape[1], dtype=np.int64)
    whole = len(X) // side * side
    _columns.count_missing(X[:whole].reshape(-1, len(count)), count)
    count = count.reshape(side, -1).sum(axis=0)
    _columns.count_missing(X[whole:], count)
    return count


def extremes(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(d,) the smallest and the largest value of each column; inf and -inf for a column of NaN.

    >>> import numpy as np
    >>> from assay.prepare.columns import extremes
    >>> extremes(np.array([[1.0, np.nan], [3.0, np.nan]]))
    (array([ 1., inf]), array([  3., -inf]))
    """
    X = np.ascontiguousarray(X)
    side = _side(X)
    low = np.full(side * X.shape[1], np.inf, dtype=X.dtype)
    high = -low
    whole = len(X) // side * side
    _columns.extremes(X[:whole].reshape(-1, len(low)), low, high)
    low, high = low.reshape(side, -1).min(axis=0), high.reshape(side, -1).max(axis=0)
    _columns.extremes(X[whole:], low, high)
    return low, high


def _side(X: np.ndarray) -> int:
    """How many rows to lay side by side."""
    return max(1, min(WIDTH // max(1, X.shape[1]), len(X)))


def _in_pieces(work: Callable[..., None], X: np.ndarray, out: np.ndarray, rows: list[np.ndarray]) -> None:
    """``work(part of X, part of out, *rows)`` on pieces that stay in the cache, narrow rows side by side."""
    n, d = X.shape
    side = _side(X) if X.flags.c_contiguous and out.flags.c_contiguous else 1
    whole = n // side * side
    if side > 1:
        wide = [np.tile(row, side) for row in rows]
        _pieces(work, X[:whole].reshape(-1, side * d), out[:whole].reshape(-1, side * d), wide)
    else:
        whole = 0
    if whole < n:
        _pieces(work, X[whole:], out[whole:], rows)


def _pieces(work: Callable[..., None], X: np.ndarray, out: np.ndarray, rows: list[np.ndarray]) -> None:
    width = X.shape[1] * X.itemsize
    cached, threaded = max(1, CACHE_BYTES // width), max(1, THREAD_BYTES // width)

    def piece(start: int) -> None:
        stop = min(start + threaded, len(X))
        for a in range(start, stop, cached):
            b = min(a + cached, stop)
            work(X[a:b], out[a:b], *rows)

    if len(X) <= threaded:
        piece(0)
    else:
        in_threads(piece, range(0, len(X), threaded))
