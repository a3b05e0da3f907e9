"""Mid-ranks that rounding does not break, and the sizes of their ties."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def mid_ranks(X: Floats) -> Floats:
    """Ranks from 1 within each row; equal values share their mean rank.

    Values that agree to twelve digits of the row's largest are equal: means over folds that ought to be equal
    differ by rounding alone.

    >>> from assay.stats._ranks import mid_ranks
    >>> mid_ranks(np.array([[0.3, 0.1 + 0.2, 0.5]])).tolist()
    [[1.5, 1.5, 3.0]]
    """
    X = even(X)
    order = np.argsort(X, axis=1, kind="stable")
    ordered = np.take_along_axis(X, order, axis=1)
    N, k = X.shape
    starts = np.ones((N, k), dtype=bool)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    group = np.cumsum(starts.ravel()) - 1  # a new group at the start of every row
    size = np.bincount(group)
    first = np.flatnonzero(starts.ravel()) % k
    ranks = np.empty((N, k))
    np.put_along_axis(ranks, order, (first + (size + 1) / 2)[group].reshape(N, k), axis=1)
    return ranks


def even(X: Floats) -> Floats:
    """X rounded to twelve digits of the largest value in its row."""
    scale = np.max(np.abs(X), axis=1, keepdims=True, initial=0.0)
    scale = np.where(scale > 0, 10.0 ** np.ceil(np.log10(np.where(scale > 0, scale, 1.0))), 1.0)
    return np.round(X / scale, 12)


def tie_sum(ranks: Floats) -> float:
    """Sum of t^3 - t over the groups of equal ranks within each row."""
    ordered = np.sort(ranks, axis=1)
    starts = np.ones(ordered.shape, dtype=bool)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    size = np.bincount(np.cumsum(starts.ravel()) - 1).astype(float)
    return float(np.sum(size**3 - size))
