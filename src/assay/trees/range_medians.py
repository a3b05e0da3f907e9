"""Medians, extremes and absolute deviations of many stretches of one sequence at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["RangeExtremes", "RangeMedians", "weighted_median"]

Floats = NDArray[np.float64]
SLACK = 1e-12  # weights that differ by less are the same weight


def weighted_median(y: Floats, w: Floats) -> float:
    """The value with half of the weight on either side; the mean of two where any value between them is one.

    With equal weights this is the ordinary median.

    >>> weighted_median(np.array([1.0, 2.0, 10.0, 20.0]), np.ones(4))
    6.0
    """
    order = np.argsort(y, kind="stable")
    below = np.cumsum(w[order])
    half = below[-1] / 2
    lower = np.searchsorted(below, half * (1 - SLACK))
    upper = np.searchsorted(below, half * (1 + SLACK), side="right")
    return float((y[order[lower]] + y[order[min(upper, len(y) - 1)]]) / 2)


class RangeMedians:
    r"""Weighted medians of ``y[lo:hi]`` for arrays of ``lo`` and ``hi``, and absolute deviations from any point.

    The ranks of y are sorted bit by bit, highest first, as a radix sort does; for each bit the running weights and
    sums of the zeros are kept. A question then walks down the bits, all ranges together: O(log n) vector steps.

    >>> medians = RangeMedians(np.array([5.0, 1.0, 3.0, 9.0]), np.ones(4))
    >>> medians.median(np.array([0, 0, 1]), np.array([2, 3, 4]))
    array([3., 3., 3.])
    """

    def __init__(self, y: Floats, w: Floats):
        self.values, rank = np.unique(y, return_inverse=True)
        self.weight, self.sum = _running(w), _running(w * y)
        self.levels: list[tuple[int, NDArray[np.int64], Floats, Floats]] = []
        for b in reversed(range(len(self.values).bit_length())):
            zero = (rank >> b) & 1 == 0
            count = np.concatenate(([0], np.cumsum(zero)))
            self.levels.append((b, count, _running(w * zero), _running(w * y * zero)))
            order = np.argsort(~zero, kind="stable")
            rank, w, y = rank[order], w[order], y[order]

    def median(self, lo: NDArray[np.int64], hi: NDArray[np.int64]) -> Floats:
        """The median of each stretch; none may be empty."""
        half = (self.weight[hi] - self.weight[lo]) / 2
        lower = self._value_at(lo, hi, half * (1 - SLACK), at_equality=False)
        upper = self._value_at(lo, hi, half * (1 + SLACK), at_equality=True)
        return (lower + upper) / 2

    def deviation(self, lo: NDArray[np.int64], hi: NDArray[np.int64], centre: Floats) -> Floats:
        r"""Weighted mean of :math:`|y - c|` over each stretch."""
        weight, total = self.weight[hi] - self.weight[lo], self.sum[hi] - self.sum[lo]
        below_weight, below_sum = self._below(lo, hi, np.searchsorted(self.values, centre))
        spread = centre * (2 * below_weight - weight) + total - 2 * below_sum
        return np.maximum(spread, 0.0) / np.where(weight > 0, weight, 1.0)

    def _value_at(
        self, lo: NDArray[np.int64], hi: NDArray[np.int64], mass: Floats, at_equality: bool
    ) -> Floats:
        """The smallest value up to which a stretch weighs at least (or, at equality, more than) ``mass``."""
        rank, passed = np.zeros(lo.shape, np.int64), np.zeros(lo.shape)
        for b, count, weight, _ in self.levels:
            zeros = weight[hi] - weight[lo]
            right = (passed + zeros <= mass) if at_equality else (passed + zeros < mass)
            passed = passed + np.where(right, zeros, 0.0)
            rank += right.astype(np.int64) << b
            lo, hi = _descend(lo, hi, right, count)
        return self.values[np.minimum(rank, len(self.values) - 1)]

    def _below(
        self, lo: NDArray[np.int64], hi: NDArray[np.int64], rank: NDArray[np.int64]
    ) -> tuple[Floats, Floats]:
        """Weight and weighted sum of the values whose rank is below the given one."""
        below_weight, below_sum = np.zeros(lo.shape), np.zeros(lo.shape)
        for b, count, weight, total in self.levels:
            right = (rank >> b) & 1 == 1
            below_weight += np.where(right, weight[hi] - weight[lo], 0.0)
            below_sum += np.where(right, total[hi] - total[lo], 0.0)
            lo, hi = _descend(lo, hi, right, count)
        return below_weight, below_sum


class RangeExtremes:
    """Smallest and largest of ``y[lo:hi]`` for arrays of ``lo`` and ``hi``, from those of stretches of length 2^k.

    >>> extremes = RangeExtremes(np.array([5.0, 1.0, 3.0, 9.0]))
    >>> extremes.low(np.array([0, 2]), np.array([4, 3])), extremes.high(np.array([0, 2]), np.array([4, 3]))
    (array([1., 3.]), array([9., 3.]))
    """

    def __init__(self, y: Floats):
        self.lows, self.highs = [y], [y]
        while 2 ** len(self.lows) <= len(y):
            half = 2 ** (len(self.lows) - 1)
            self.lows.append(np.minimum(self.lows[-1][:-half], self.lows[-1][half:]))
            self.highs.append(np.maximum(self.highs[-1][:-half], self.highs[-1][half:]))

    def low(self, lo: NDArray[np.int64], hi: NDArray[np.int64]) -> Floats:
        """The smallest value of each stretch; none may be empty."""
        return self._of(self.lows, np.minimum, lo, hi)

    def high(self, lo: NDArray[np.int64], hi: NDArray[np.int64]) -> Floats:
        """The largest value of each stretch; none may be empty."""
        return self._of(self.highs, np.maximum, lo, hi)

    def _of(
        self, tables: list[Floats], pick: np.ufunc, lo: NDArray[np.int64], hi: NDArray[np.int64]
    ) -> Floats:
        result = np.empty(np.shape(lo))
        power = np.frexp(hi - lo)[1] - 1  # the largest k with 2^k <= hi - lo
        for k in np.unique(power):
            at = power == k
            result[at] = pick(tables[k][lo[at]], tables[k][hi[at] - 2**k])
        return result


def _running(values: Floats) -> Floats:
    return np.concatenate(([0.0], np.cumsum(values)))


def _descend(
    lo: NDArray[np.int64], hi: NDArray[np.int64], right: NDArray[np.bool_], count: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the zeros, or to the right the ones, of each stretch stand once sorted by this bit."""
    return tuple(np.where(right, count[-1] + at - count[at], count[at]) for at in (lo, hi))  # type: ignore[return-value]
