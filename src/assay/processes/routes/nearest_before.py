"""The nearest rows among those that come before, for all rows of a table in some order."""

from __future__ import annotations

import numpy as np

from assay.distances import searcher
from assay.distances.minkowski import Minkowski

__all__ = ["nearest_before"]

ROWS_AT_ONCE = 512  # up to this many are compared with each other
SPARE = 8  # neighbours asked for beyond twice those needed: about half of them come before


def nearest_before(Z: np.ndarray, m: int) -> np.ndarray:
    """(n, m) the nearest of the rows before each row, near to far; -1 where there are fewer.

    Rows are taken in pieces that double: a tree of all rows up to the end of a piece is asked for more neighbours than
    needed, of which at least half come before on average if the order is random; the few rows for which that was not
    enough ask again for twice as many. Cost: O(n m log n) for a random order.

    >>> import numpy as np
    >>> from assay.processes.routes.nearest_before import nearest_before
    >>> nearest_before(np.array([[0.0], [3.0], [1.0], [2.9]]), 2).tolist()
    [[-1, -1], [0, -1], [0, 1], [1, 2]]
    """
    n = len(Z)
    out = np.full((n, m), -1, dtype=np.int64)
    begin = 0
    while begin < n and m:
        end = min(n, max(2 * begin, ROWS_AT_ONCE))
        search = searcher(Z[:end], Minkowski(2.0))
        rows, k = np.arange(begin, end), min(end, 2 * m + SPARE)
        while len(rows):
            near = search.nearest(Z[rows], k)[1]
            earlier = near < rows[:, None]
            place = np.cumsum(earlier, axis=1)
            enough = (place[:, -1] >= np.minimum(rows, m)) | (k == end)
            i, j = np.nonzero(earlier & (place <= m) & enough[:, None])
            out[rows[i], place[i, j] - 1] = near[i, j]
            rows, k = rows[~enough], min(end, 2 * k)
        begin = end
    return out
