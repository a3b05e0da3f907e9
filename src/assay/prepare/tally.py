"""How often each value occurs in a column: a sum from which modes and medians follow exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.stored import Each, FloatArray

__all__ = ["Tally"]

PARTS = 32  # pieces that may wait before they are counted together


@dataclass
class Tally:
    """Values and their weights, counted together only when there are many pieces.

    Memory grows with the number of distinct values, so this is small for categories and for whole numbers,
    and as long as the column for measurements.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.prepare.tally import Tally
    >>> both = Tally.of(np.array([2.0, 1.0, 2.0])) + Tally.of(np.array([7.0]))
    >>> both.mode(), both.median()
    (2.0, 2.0)
    """

    values: list[np.ndarray]
    weights: list[np.ndarray | None]  # None counts each value once
    stored = {
        "values": Each(FloatArray("*")),
        "weights": Each(FloatArray("*") | None),
    }

    @classmethod
    def of(cls, column: np.ndarray, w: np.ndarray | None = None) -> Tally:
        """Of the entries of one column that are present and have a positive weight."""
        present = ~np.isnan(column)
        if w is not None:
            present &= w > 0
        return cls([np.asarray(column[present], dtype=np.float64)], [None if w is None else w[present]])

    def __add__(self, other: Tally) -> Tally:
        both = Tally(self.values + other.values, self.weights + other.weights)
        return both.counted() if len(both.values) > PARTS else both

    def counted(self) -> Tally:
        """The same as one piece: the distinct values in ascending order, with their weights."""
        values, weights = self._together()
        if weights is None:
            values, times = np.unique(values, return_counts=True)
            return Tally([values], [times.astype(np.float64)])
        values, place = np.unique(values, return_inverse=True)
        return Tally([values], [np.bincount(place, weights=weights, minlength=len(values))])

    def _together(self) -> tuple[np.ndarray, np.ndarray | None]:
        values = self.values[0] if len(self.values) == 1 else np.concatenate(self.values)
        if all(w is None for w in self.weights):
            return values, None
        pairs = zip(self.values, self.weights)
        return values, np.concatenate([np.ones(len(v)) if w is None else w for v, w in pairs])

    def mode(self) -> float:
        """The value with the largest weight, the smallest among equals; NaN if there is none."""
        once = self.counted()
        values, weights = once.values[0], np.asarray(once.weights[0])
        return float(values[np.argmax(weights)]) if len(values) else np.nan

    def median(self, lower: bool = False) -> float:
        """Where half of the weight lies below; between two values their mean, or with ``lower`` the lower one."""
        values, weights = self._together()
        n = len(values)
        if n == 0:
            return np.nan
        if weights is None:
            middle = np.partition(values, [(n - 1) // 2, n // 2])
            a, b = middle[(n - 1) // 2], middle[n // 2]
            return float(a if lower else (a + b) / 2)
        order = np.argsort(values, kind="stable")
        values, below = values[order], np.cumsum(weights[order])
        half = below[-1] / 2
        at = int(np.searchsorted(below, half * (1 - 1e-12)))
        if lower or at + 1 == n or below[at] > half * (1 + 1e-12):
            return float(values[at])
        return float((values[at] + values[at + 1]) / 2)

    def repeated(self) -> np.ndarray:
        """The values in ascending order, each as often as it was there; weights must be whole."""
        once = self.counted()
        return np.repeat(once.values[0], np.asarray(once.weights[0], dtype=np.int64))

    def recode(self, translate: np.ndarray) -> Tally:
        """The same for new codes: value c becomes ``translate[c]``."""
        return Tally([translate[v.astype(np.intp)] for v in self.values], self.weights)
