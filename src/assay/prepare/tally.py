"""How often each value occurs in a column: a sum from which modes and medians follow exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
    weights: list[np.ndarray]

    @classmethod
    def of(cls, column: np.ndarray, w: np.ndarray | None = None) -> Tally:
        """Of the entries of one column that are there and weigh something."""
        there = ~np.isnan(column)
        if w is not None:
            there &= w > 0
        values = np.asarray(column[there], dtype=np.float64)
        return cls([values], [np.ones(len(values)) if w is None else w[there]])

    def __add__(self, other: Tally) -> Tally:
        both = Tally(self.values + other.values, self.weights + other.weights)
        return both.counted() if len(both.values) > PARTS else both

    def counted(self) -> Tally:
        """The same as one piece: the distinct values in ascending order."""
        values, place = np.unique(np.concatenate(self.values), return_inverse=True)
        total = np.bincount(place, weights=np.concatenate(self.weights), minlength=len(values))
        return Tally([values], [total])

    def mode(self) -> float:
        """The value with the largest weight, the smallest among equals; NaN if there is none."""
        once = self.counted()
        values, weights = once.values[0], once.weights[0]
        return float(values[np.argmax(weights)]) if len(values) else np.nan

    def median(self, lower: bool = False) -> float:
        """Where half of the weight lies below; between two values their mean, or with ``lower`` the lower one."""
        once = self.counted()
        values, weights = once.values[0], once.weights[0]
        if not len(values):
            return np.nan
        below = np.cumsum(weights)
        half = below[-1] / 2
        at = int(np.searchsorted(below, half * (1 - 1e-12)))
        if lower or at + 1 == len(values) or below[at] > half * (1 + 1e-12):
            return float(values[at])
        return float((values[at] + values[at + 1]) / 2)

    def repeated(self) -> np.ndarray:
        """The values in ascending order, each as often as it was there; weights must be whole."""
        once = self.counted()
        return np.repeat(once.values[0], once.weights[0].astype(np.int64))

    def recode(self, translate: np.ndarray) -> Tally:
        """The same for new codes: value c becomes ``translate[c]``."""
        return Tally([translate[v.astype(np.intp)] for v in self.values], self.weights)
