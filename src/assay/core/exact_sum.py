"""Sums of numbers that do not depend on their order, nor on how they are cut into blocks."""

from __future__ import annotations

import numpy as np

import assay.core._exact_sum as _exact_sum

__all__ = ["ExactSum"]

PARTS = 4096


class ExactSum:
    """A sum of floats without rounding: mantissas are added up as whole numbers, by exponent.

    Two of them are added exactly, and ``float`` rounds once, at the end. Cost: O(n), some nanoseconds a number; 32 kB.

    Parameters
    ----------
    x : (n,) numbers
    w : (n,) weights, default None; then the products, each rounded as a float, are added up

    Examples
    --------
    >>> from assay.core.exact_sum import ExactSum
    >>> float(ExactSum([1e100, 1.0, -1e100])), sum([1e100, 1.0, -1e100])
    (1.0, 0.0)
    >>> float(ExactSum([0.1]) + ExactSum([0.2, 0.3]))
    0.6
    """

    def __init__(self, x: np.ndarray | list[float] = (), w: np.ndarray | None = None):  # type: ignore[assignment]
        self.parts = np.zeros(PARTS, dtype=np.int64)
        weights = None if w is None else np.ascontiguousarray(w, dtype=np.float64)
        _exact_sum.add(np.ascontiguousarray(x, dtype=np.float64), weights, self.parts)

    def __add__(self, other: ExactSum) -> ExactSum:
        total = ExactSum()
        total.parts = self.parts + other.parts
        return total

    def __float__(self) -> float:
        high, low = self.parts[0::2], self.parts[1::2]
        if high[-1] or low[-1]:
            return float("nan")
        total = 0  # in units of 2^-1074
        for e in np.flatnonzero((high != 0) | (low != 0)).tolist():
            total += ((int(high[e]) << 26) + int(low[e])) << max(e - 1, 0)
        try:
            return total / (1 << 1074)
        except OverflowError:
            return float("inf") if total > 0 else float("-inf")
