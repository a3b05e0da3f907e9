r"""Quantiles of more values than fit in memory, from sketches of blocks that add up.

A sketch of few values is the values themselves, and its quantiles are exact. Of many values it keeps a hierarchy of
samples: as soon as level h holds more than ``limit`` values of total weight W, they are replaced by the k = limit / 16
values at the ranks

.. math:: (i + \tfrac12)\,W/k, \quad i = 0, \dots, k-1                                   \quad (1)

of weight W/k each, which go to level h + 1. The weight of the values at most x is then wrong by at most W/(2k), and
since each row passes each level once, after H levels by at most H/(2k) of the total weight. With the limit of 65,536
values, k is 4,096 and a level holds 16 times as many rows as the one below it: a million rows are off by at most 0.012
per cent of the rows, a hundred million by 0.037 and a hundred thousand million by 0.073.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from numpy.typing import ArrayLike

from assay.core.stored import Each, FloatArray, Integer, Scalar
from assay.errors import ParameterError
from assay.types import Floats, Weights

__all__ = ["QuantileSketch"]

LIMIT = 1 << 16  # values of one level; up to as many rows are kept as they are
FAN_IN = 16  # a full level becomes one value in so many


@dataclass(frozen=True, eq=False)
class QuantileSketch:
    """The values of one column, from which quantiles follow: exactly while they are few, else within a known bound.

    Make one of each block with :meth:`of` and add them up with ``+``, in any order. Up to ``limit`` rows, or up to half
    as many distinct values, the sketch is exact, and the same however the rows were cut. Beyond, ``rank_error`` says by
    which share of the rows a quantile may be off.

    Cost: O(n log n) for a block of n values; memory O(limit) for each factor of 16 in the number of rows.

    Attributes
    ----------
    values, weights : for each level, its values and what they count (None counts each once)
    low, high : the smallest and the largest value, exact; infinity and minus infinity if there is none
    error : the most by which the weight of the values up to some point may be wrong
    limit : values of one level

    Examples
    --------
    >>> import numpy as np
    >>> from assay.stats import QuantileSketch
    >>> rng = np.random.default_rng(0)
    >>> small = QuantileSketch.of([1.0, 2.0, np.nan]) + QuantileSketch.of([4.0, 5.0])
    >>> small.quantile([0.25, 0.5]), small.rank_error
    (array([1.5, 3. ]), 0.0)
    >>> large = sum((QuantileSketch.of(rng.normal(size=100_000)) for _ in range(10)), QuantileSketch.of([]))
    >>> bool(abs(large.quantile(0.5)) < 0.01), large.rank_error < 0.00013
    (True, True)

    References
    ----------
    - Manku, G. S., Rajagopalan, S. and Lindsay, B. G. (1998). Approximate medians and other quantiles in one pass and
      with limited memory. ACM SIGMOD International Conference on Management of Data, 426-435.
      doi:10.1145/276304.276342
    - Agarwal, P. K., Cormode, G., Huang, Z., Phillips, J. M., Wei, Z. and Yi, K. (2013). Mergeable summaries. ACM
      Transactions on Database Systems 38(4), 26. doi:10.1145/2500128
    """

    values: list[np.ndarray]
    weights: list[np.ndarray | None]
    low: float
    high: float
    error: float
    limit: int
    stored = {
        "values": Each(FloatArray("*")),
        "weights": Each(FloatArray("*") | None),
        "low": Scalar(),
        "high": Scalar(),
        "error": Scalar(low=0),
        "limit": Integer(low=FAN_IN),
    }

    @classmethod
    def of(cls, values: ArrayLike, weights: Weights | None = None, limit: int = LIMIT) -> QuantileSketch:
        """The sketch of some values; missing ones (NaN) and those of weight zero are left out.

        Parameters
        ----------
        values : (n,) numbers      weights : (n,) what each counts, or None for once
        limit : how many values a level holds, at least 16
        """
        if limit < FAN_IN:
            raise ParameterError(f"limit must be at least {FAN_IN}, got {limit}.", who="QuantileSketch")
        column = np.asarray(values, dtype=np.float64)
        counted = ~np.isnan(column)
        if weights is not None:
            weights = np.asarray(weights, dtype=np.float64)
            counted &= weights > 0
            weights = weights[counted]
        column = column[counted]
        low, high = column.min(initial=np.inf), column.max(initial=-np.inf)
        return cls([column], [weights], float(low), float(high), 0.0, limit)._carried()

    def __add__(self, other: QuantileSketch) -> QuantileSketch:
        if self.limit != other.limit:
            raise ParameterError(
                f"sketches of different limits do not add up: {self.limit} and {other.limit}.",
                who="QuantileSketch",
            )
        pairs = [
            _together(a, b)
            for a, b in zip_longest(self._levels(), other._levels(), fillvalue=(np.empty(0), None))
        ]
        return QuantileSketch(
            [values for values, _ in pairs],
            [weights for _, weights in pairs],
            min(self.low, other.low),
            max(self.high, other.high),
            self.error + other.error,
            self.limit,
        )._carried()

    def _levels(self) -> list[tuple[np.ndarray, np.ndarray | None]]:
        return list(zip(self.values, self.weights))

    def _carried(self) -> QuantileSketch:
        """The same with every level within the limit."""
        if all(len(values) <= self.limit for values in self.values):
            return self
        levels, error, k = self._levels(), self.error, self.limit // FAN_IN
        for h in range(len(levels) + 1):  # a level more at most: k values never fill an empty one
            if h == len(levels) or len(levels[h][0]) <= self.limit:
                continue
            values, weights = _counted(*levels[h])
            levels[h] = (values, weights)
            if len(values) <= self.limit // 2:
                continue
            below = np.cumsum(weights)
            chosen = np.searchsorted(below, (np.arange(k) + 0.5) * (below[-1] / k))  # (1)
            error += float(below[-1]) / (2 * k)
            sample = (values[chosen], np.full(k, below[-1] / k))
            levels[h] = (np.empty(0), None)
            levels[h + 1 : h + 2] = [_together(levels[h + 1], sample) if h + 1 < len(levels) else sample]
        return QuantileSketch(
            [values for values, _ in levels],
            [weights for _, weights in levels],
            self.low,
            self.high,
            error,
            self.limit,
        )

    def distribution(self) -> tuple[Floats, Floats]:
        """The distinct values in ascending order, and the weight of each; all of them while the sketch is exact."""
        together: tuple[np.ndarray, np.ndarray | None] = (np.empty(0), None)
        for level in self._levels():
            together = _together(together, level)
        return _counted(*together)

    @property
    def weight(self) -> float:
        """The total weight, which without weights is the number of values."""
        return float(sum(len(v) if w is None else w.sum() for v, w in self._levels()))

    @property
    def rank_error(self) -> float:
        """The share of the weight by which a quantile may be off; 0 if it is exact."""
        return self.error / self.weight if self.error else 0.0

    def quantile(self, shares: ArrayLike) -> Floats:
        """The values below which the given shares of the weight lie; midway between two finite ones if both will do.

        Of a share p, weight W and :attr:`error` e, the values below the answer weigh at most pW + e, and those up to it
        at least pW - e. NaN if there are no values.
        """
        p = np.asarray(shares, dtype=np.float64)
        if p.size and not ((p >= 0) & (p <= 1)).all():
            raise ParameterError(f"shares must lie from 0 to 1, got {shares!r}.", who="QuantileSketch")
        values, weights = self.distribution()
        if not len(values):
            return np.full(p.shape, np.nan)
        below = np.cumsum(weights)
        goal = p * below[-1]
        at = np.minimum(np.searchsorted(below, goal * (1 - 1e-12)), len(values) - 1)
        after = np.minimum(at + 1, len(values) - 1)
        tied = (below[at] <= goal * (1 + 1e-12)) & np.isfinite(values[at]) & np.isfinite(values[after])
        answers = np.where(tied, values[at] / 2 + np.where(tied, values[after], 0.0) / 2, values[at])
        return np.where(p == 0, self.low, np.where(p == 1, self.high, answers))


def _together(
    a: tuple[np.ndarray, np.ndarray | None], b: tuple[np.ndarray, np.ndarray | None]
) -> tuple[np.ndarray, np.ndarray | None]:
    """The values of both, one after the other, with their weights."""
    if not len(a[0]) or not len(b[0]):
        return a if len(a[0]) else b
    values = np.concatenate([a[0], b[0]])
    if a[1] is None and b[1] is None:
        return values, None
    return values, np.concatenate([np.ones(len(v)) if w is None else w for v, w in (a, b)])


def _counted(values: np.ndarray, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Distinct values in ascending order, with their weights, which are added from the smallest up."""
    if weights is None:
        values, times = np.unique(values, return_counts=True)
        return values, times.astype(np.float64)
    order = np.lexsort((weights, values))
    values, weights = values[order], weights[order]
    first = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]])[: len(values)])
    return values[first], np.add.reduceat(weights, first) if len(first) else weights
