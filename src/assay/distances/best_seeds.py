"""The best of some rows as the next seed of k-means++, by distances in single precision and few others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

import assay.distances._lloyd as _lloyd

__all__ = ["BestSeeds"]

UNIT = 2.0**-24  # by which single precision rounds
STRIP = 16  # rows beside each other in single precision
MOST_COLUMNS = 100_000  # whose rounding errors stay small


@dataclass
class BestSeeds:
    """Which of some rows is the best next seed of k-means++: only rows near to it are measured, and mostly for the best
    alone.

    Rows are shifted by the first seed and divided by the largest distance from it, so that single precision moves each
    by at most u = 2^-24. Two rows less than s apart are then less than s + 2u there, and the square of that, summed in
    single precision, grows by less than a share of (d + 3) u: the limits are twice as far away. What the seeds are
    worth is compared there, too, and measured where that leaves a doubt. So the answer is that of measuring all rows,
    but where two gains differ by rounding alone.

    >>> import numpy as np
    >>> from assay.distances.best_seeds import BestSeeds
    >>> rows = np.array([[0.0], [1.0], [9.0], [10.0], [20.0]])
    >>> search = BestSeeds.of(rows, np.empty(0), 0, np.array([0.0, 1.0, 81.0, 100.0, 400.0]))
    >>> search.take_best(np.array([1, 3, 4])), search.closest.tolist()
    (1, [0.0, 1.0, 1.0, 0.0, 100.0])
    """

    rows: np.ndarray
    weights: np.ndarray
    closest: np.ndarray  # (n,) squared distance of the nearest seed, kept up to date
    share: float  # of 1, that a distance of 1 is in the strips
    strips: np.ndarray
    shares: np.ndarray  # (16 m,) of the largest weight
    limit: np.ndarray
    places: np.ndarray
    distances: np.ndarray

    @classmethod
    def of(cls, rows: np.ndarray, weights: np.ndarray, seed: int, closest: np.ndarray) -> Self | None:
        """From the squared distances of the first seed; None where those, or the number of the columns, are beyond
        single precision."""
        n, d = rows.shape
        with np.errstate(divide="ignore", over="ignore"):
            share = float(1 / np.sqrt(closest.max()))
        if d > MOST_COLUMNS or not 0 < share < np.inf:
            return None
        strips = np.empty((-(-n // STRIP), STRIP * d), dtype=np.float32)
        limit, shares = np.empty(STRIP * len(strips), np.float32), np.zeros(0, np.float32)
        _lloyd.strips(rows, rows[seed], closest, share, strips, limit)
        if len(weights):
            shares = np.zeros(STRIP * len(strips), np.float32)
            shares[:n] = weights / weights.max()
        return cls(rows, weights, closest, share, strips, shares, limit, np.empty(n, np.int32), np.empty(n))

    def take_best(self, some: np.ndarray) -> int:
        """The number of the row among some that lowers the sum of the distances most, which is a seed from now on."""
        return _lloyd.best_seed(
            X=self.rows, w=self.weights, strips=self.strips, weight=self.shares, share=self.share,
            doubt=UNIT * (32 + 12 * (self.rows.shape[1] + 8)), rows=some, limit=self.limit, closest=self.closest,
            places=self.places, distances=self.distances,
        )  # fmt: skip
