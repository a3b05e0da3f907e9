"""Mid-ranks that rounding does not break, and the sizes of their ties."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def mid_ranks(X: Floats, scale: float | None = None) -> Floats:
    """Ranks from 1 within each row; equal values share their mean rank.

    Neighbours closer than 1e-12 of the row's largest size (or of ``scale``) are equal: means over folds that
    ought to be equal differ by rounding alone.

    >>> from assay.stats._ranks import mid_ranks
    >>> mid_ranks(np.array([[0.3, 0.1 + 0.2, 0.5]])).tolist()
    [[1.5, 1.5, 3.0]]
    """
    size = (
        np.max(np.abs(X), axis=1, keepdims=True, initial=0.0)
        if scale is None
        else np.full((len(X), 1), scale)
    )
    X = X / np.where(size > 0, size, 1.0)
    order = np.argsort(X, axis=1, kind="stable")
    N, k = X.shape
    starts = np.ones((N, k), dtype=bool)
    starts[:, 1:] = np.diff(np.take_along_axis(X, order, axis=1), axis=1) > 1e-12
    group = np.cumsum(starts.ravel()) - 1  # a new group at the start of every row
    count = np.bincount(group)
    first = np.flatnonzero(starts.ravel()) % k
    ranks = np.empty((N, k))
    np.put_along_axis(ranks, order, (first + (count + 1) / 2)[group].reshape(N, k), axis=1)
    return ranks


def tie_sum(ranks: Floats) -> float:
    """Sum of t^3 - t over the groups of equal ranks within each row."""
    ordered = np.sort(ranks, axis=1)
    starts = np.ones(ordered.shape, dtype=bool)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    size = np.bincount(np.cumsum(starts.ravel()) - 1).astype(float)
    return float(np.sum(size**3 - size))
