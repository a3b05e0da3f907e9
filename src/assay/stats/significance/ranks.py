"""Mid-ranks that rounding does not break, and the sizes of their ties."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def mid_ranks(X: Floats, sizes: Floats | None = None) -> Floats:
    """Ranks from 1 within each row; equal values share their mean rank.

    Neighbours closer than 1e-12 of their own size are equal: means over folds that ought to be equal differ by
    rounding alone. What is below 1e-14 of the row's median size is a rounded zero. The largest value must not
    count: one learner that diverged would make the others equal.

    Parameters
    ----------
    X : (N, k)
    sizes : (N, k), default the absolute values
        Of the numbers that X was computed from, if X holds differences.

    >>> from assay.stats.significance.ranks import mid_ranks
    >>> mid_ranks(np.array([[0.3, 0.1 + 0.2, 0.5], [1e20, 2.0, 1.0]])).tolist()
    [[1.5, 1.5, 3.0], [3.0, 2.0, 1.0]]
    """
    size = np.abs(X) if sizes is None else sizes
    N, k = X.shape
    order = np.argsort(X, axis=1, kind="stable")
    zero = 1e-14 * np.sort(size, axis=1)[:, (k - 1) // 2, None]
    size = np.take_along_axis(size, order, axis=1)
    near = np.maximum(1e-12 * np.maximum(size[:, 1:], size[:, :-1]), zero)
    starts = np.ones((N, k), dtype=bool)
    with np.errstate(over="ignore"):  # an infinite gap is a gap
        starts[:, 1:] = np.diff(np.take_along_axis(X, order, axis=1), axis=1) > near
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
