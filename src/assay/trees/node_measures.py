"""How good a node is, and all the nodes that its splits could make, computed together.

A measure knows the targets. It answers for one set of rows (``node``, ``value``), for many stretches of an ordering
of rows (``spans``: what thresholds make of a sorted column), and for many ways of grouping categories (``groups``).
``combine`` turns the values of the branches of a split into one number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from assay.trees.criteria import Impurity
from assay.trees.range_medians import RangeExtremes, RangeMedians, weighted_median

__all__ = ["ClassMeasure", "NodeMeasure", "NumberMeasure"]

Floats = NDArray[np.float64]
RowIndices = NDArray[np.intp]
Spans = Callable[[NDArray[np.int64], NDArray[np.int64]], tuple[Floats, Floats]]


class NodeMeasure(Protocol):
    """What the search for splits needs to know about the targets."""

    ordered_groups: bool  # whether the best grouping of categories follows the order of their means

    def node(self, rows: RowIndices, w: Floats) -> float: ...

    def value(self, rows: RowIndices, w: Floats) -> Floats: ...

    def spans(self, rows: RowIndices, w: Floats) -> Spans: ...

    def groups(
        self, rows: RowIndices, w: Floats, codes: RowIndices, left: NDArray[np.bool_]
    ) -> tuple[Floats, Floats]: ...

    def means(self, rows: RowIndices, w: Floats, codes: RowIndices, r: int) -> Floats: ...

    def boundary(self, rows: RowIndices, first: NDArray[np.int64]) -> NDArray[np.bool_]: ...

    def combine(self, weight: Floats, impurity: Floats) -> Floats: ...


class ClassMeasure:
    """Class codes y and an impurity function of class counts."""

    def __init__(self, y: NDArray[np.int64], K: int, impurity: Impurity):
        self.y, self.K, self.impurity = y, K, impurity
        self.ordered_groups = K == 2

    def counts(self, rows: RowIndices, w: Floats) -> Floats:
        """(K,) the weight of each class."""
        return np.bincount(self.y[rows], weights=w, minlength=self.K).astype(float, copy=False)

    def node(self, rows: RowIndices, w: Floats) -> float:
        return float(self.impurity(self.counts(rows, w)[None])[0])

    def value(self, rows: RowIndices, w: Floats) -> Floats:
        counts = self.counts(rows, w)
        return counts / counts.sum()

    def spans(self, rows: RowIndices, w: Floats) -> Spans:
        running = np.zeros((len(rows) + 1, self.K))
        running[np.arange(1, len(rows) + 1), self.y[rows]] = w
        np.cumsum(running, axis=0, out=running)

        def of(lo: NDArray[np.int64], hi: NDArray[np.int64]) -> tuple[Floats, Floats]:
            counts = np.maximum(running[hi] - running[lo], 0.0)
            return counts.sum(axis=-1), self.impurity(counts)

        return of

    def groups(
        self, rows: RowIndices, w: Floats, codes: RowIndices, left: NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        table = self._table(rows, w, codes, left.shape[1])
        both = np.stack([left @ table, ~left @ table], axis=1)
        return both.sum(axis=-1), self.impurity(both)

    def means(self, rows: RowIndices, w: Floats, codes: RowIndices, r: int) -> Floats:
        table = self._table(rows, w, codes, r)
        return table[:, -1] / table.sum(axis=1)

    def _table(self, rows: RowIndices, w: Floats, codes: RowIndices, r: int) -> Floats:
        cells = codes * self.K + self.y[rows]
        table = np.bincount(cells, weights=w, minlength=r * self.K)
        return table.astype(float, copy=False).reshape(r, self.K)

    def boundary(self, rows: RowIndices, first: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether the two values that meet at each cut have, together, more than one class.

        ``first`` holds where each distinct value begins; only such cuts can be best.
        """
        y = self.y[rows]
        low, high = np.minimum.reduceat(y, first), np.maximum.reduceat(y, first)
        return np.minimum(low[:-1], low[1:]) < np.maximum(high[:-1], high[1:])

    def combine(self, weight: Floats, impurity: Floats) -> Floats:
        return _mean(weight, impurity)


class NumberMeasure:
    r"""Numbers y, an error, and the constant that a leaf answers with.

    ===========  ===========================================================================
    "squared"    :math:`\frac1N \sum_t (r_t - g)^2`, mean over the branches
    "absolute"   :math:`\frac1N \sum_t |r_t - g|`, mean over the branches
    "worst"      :math:`\max_t |r_t - g|`, maximum over the branches
    "deviation"  :math:`\sqrt{\frac1N \sum_t (r_t - g)^2}`, mean over the branches (as M5 has it)
    ===========  ===========================================================================

    with g the ``leaf`` value: "mean", "median" or "midrange".
    """

    def __init__(self, y: Floats, error: str, leaf: str):
        self.y, self.error, self.leaf = y, error, leaf
        self.ordered_groups = (
            error in ("squared", "deviation") and leaf == "mean"
        )  # as M5 has it for the latter

    def node(self, rows: RowIndices, w: Floats) -> float:
        y = self.y[rows]
        if y.min() == y.max():
            return 0.0
        off = np.abs(y - self.value(rows, w)[0])
        if self.error == "worst":
            return float(off.max())
        mean = float(w @ (off if self.error == "absolute" else off**2)) / float(w.sum())
        return float(np.sqrt(mean)) if self.error == "deviation" else mean

    def value(self, rows: RowIndices, w: Floats) -> Floats:
        y = self.y[rows]
        if self.leaf == "median":
            return np.array([weighted_median(y, w)])
        low, high = float(y.min()), float(y.max())
        mean = float(w @ (y - low)) / float(w.sum()) + low
        return np.array([(low + high) / 2 if self.leaf == "midrange" else min(max(mean, low), high)])

    def spans(self, rows: RowIndices, w: Floats) -> Spans:
        y = self.y[rows] - float(np.mean(self.y[rows]))  # squares of numbers far from zero lose digits
        weight, first, second = (np.concatenate(([0.0], np.cumsum(v))) for v in (w, w * y, w * y * y))
        medians = RangeMedians(y, w) if self.error == "absolute" or self.leaf == "median" else None
        extremes = RangeExtremes(y) if self.error == "worst" or self.leaf == "midrange" else None

        def of(lo: NDArray[np.int64], hi: NDArray[np.int64]) -> tuple[Floats, Floats]:
            N = weight[hi] - weight[lo]
            mean = (first[hi] - first[lo]) / np.where(N > 0, N, 1.0)
            if self.leaf == "mean":
                g = mean
            elif medians is not None and self.leaf == "median":
                g = medians.median(lo, hi)
            else:
                assert extremes is not None
                g = (extremes.low(lo, hi) + extremes.high(lo, hi)) / 2
            if self.error == "absolute":
                assert medians is not None
                return N, medians.deviation(lo, hi, g)
            if self.error == "worst":
                assert extremes is not None
                return N, np.maximum(extremes.high(lo, hi) - g, g - extremes.low(lo, hi))
            spread = (second[hi] - second[lo]) / np.where(N > 0, N, 1.0) - mean**2 + (mean - g) ** 2
            spread = np.maximum(spread, 0.0)
            return N, np.sqrt(spread) if self.error == "deviation" else spread

        return of

    def groups(
        self, rows: RowIndices, w: Floats, codes: RowIndices, left: NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        if self.ordered_groups:
            return self._groups_by_sums(rows, w, codes, left)
        weight, error = np.empty((len(left), 2)), np.empty((len(left), 2))
        for i, members in enumerate(left):
            for side in (0, 1):
                at = members[codes] == (side == 0)
                weight[i, side], error[i, side] = w[at].sum(), self.node(rows[at], w[at])
        return weight, error

    def _groups_by_sums(
        self, rows: RowIndices, w: Floats, codes: RowIndices, left: NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        """The same for errors about the mean: sums over the categories of a group are all it takes."""
        r, y = left.shape[1], self.y[rows] - float(np.mean(self.y[rows]))
        sums = np.column_stack([np.bincount(codes, v, r) for v in (w, w * y, w * y * y)])
        N, first, second = np.moveaxis(np.stack([left @ sums, ~left @ sums], axis=1), -1, 0)
        spread = np.maximum(second / N - (first / N) ** 2, 0.0)
        return N, np.sqrt(spread) if self.error == "deviation" else spread

    def means(self, rows: RowIndices, w: Floats, codes: RowIndices, r: int) -> Floats:
        return np.bincount(codes, w * self.y[rows], r) / np.bincount(codes, w, r)

    def boundary(self, rows: RowIndices, first: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Every cut can be best where targets are numbers."""
        return np.ones(len(first) - 1, dtype=bool)

    def combine(self, weight: Floats, impurity: Floats) -> Floats:
        if self.error == "worst":
            return np.max(np.where(weight > 0, impurity, 0.0), axis=-1)
        return _mean(weight, impurity)


def _mean(weight: Floats, impurity: Floats) -> Floats:
    total = weight.sum(axis=-1)
    return np.sum(weight * impurity, axis=-1) / np.where(total > 0, total, 1.0)
