"""Bins of columns: where histogram boosting cuts numbers, and how it numbers categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import assay.ensembles._hist_bins as _hist_bins
from assay.core.parallel import in_threads
from assay.ensembles.hist_sketch import BinSketch, RowSample

__all__ = ["Bins", "Codes", "bins_of", "find_bins"]

BYTE = 256  # codes of a narrow column, the missing one included
MIN_ROWS = 10  # a category with fewer cannot be placed by itself (see split.hpp, SUPPORT)
BLOCK = 16384  # rows that one thread bins at a time


@dataclass(frozen=True)
class Codes:
    """A table as bins: see ``histogram.hpp`` for the layout."""

    panels: np.ndarray  # (n_panels * n, width) uint8
    columns: np.ndarray  # (d8, n) uint8
    wide: np.ndarray  # (d16, n) uint16
    missing: np.ndarray  # (d,) uint8: whether the column has missing values

    def __len__(self) -> int:
        return self.columns.shape[1]


@dataclass(frozen=True)
class Bins:
    r"""How each column becomes small whole numbers.

    A numeric column of at most ``max_bins`` distinct values is cut midway between them, any other at its
    quantiles :math:`k/\text{max\_bins}`; value x has the code b when threshold b-1 < x <= threshold b. In a
    nominal column each category is a bin. If there are more than ``max_bins`` categories, those with fewer than
    10 rows share one bin, since alone they could not be distinguished from noise; if more than 65,000
    remain, so do the rarest of them. The code after the last bin is for missing values.

    Attributes
    ----------
    bins : (d,) how many, without the one for missing values
    thresholds : (d, 256) upper ends of the bins, then infinity
    nominal : (d,) which columns hold categories
    bin_of, category_start : the bins of the categories of column j are bin_of[category_start[j] : category_start[j+1]]
    place : (d,) column j is the p-th of those with 8 bits (p >= 0), or the ~p-th of those with 16
    dense : whether panels are as narrow as the columns allow, for tables that are kept on disk

    Examples
    --------
    >>> import numpy as np
    >>> from assay.ensembles.hist_bins import find_bins
    >>> X = np.array([[1.0], [2.0], [4.0], [np.nan]])
    >>> bins = find_bins(X, np.array([0]), max_bins=255)
    >>> bins.thresholds[0, :3], bins.codes(X).columns
    (array([1.5, 3. , inf]), array([[0, 1, 2, 3]], dtype=uint8))
    """

    bins: np.ndarray
    thresholds: np.ndarray
    nominal: np.ndarray
    bin_of: np.ndarray
    category_start: np.ndarray
    place: np.ndarray
    dense: bool = False

    @property
    def narrow(self) -> int:
        """How many columns have codes of 8 bits."""
        return int((self.place >= 0).sum())

    @property
    def width(self) -> int:
        """Columns of a panel, at most the 64 bytes of a cache line: a power of two, or if dense a multiple of 4."""
        if self.dense:
            return min(64, max(4, -(-self.narrow // 4) * 4))
        return min(64, max(4, 1 << (self.narrow - 1).bit_length()))

    @property
    def wide_start(self) -> np.ndarray:
        """(d16 + 1,) where columns of 16 bits begin in a histogram, after 256 cells for each of the others."""
        widths = self.bins[self.place < 0].astype(np.int64) + 1
        return np.concatenate([[0], np.cumsum(widths)]) + -(-self.narrow // 8) * 8 * BYTE

    @property
    def native(self) -> _hist_bins.Binned:
        """What native code takes."""
        return _hist_bins.Binned(
            bins=self.bins,
            place=self.place,
            nominal=self.nominal,
            thresholds=self.thresholds,
            bin_of=self.bin_of,
            category_start=self.category_start,
            wide_start=self.wide_start,
            width=self.width,
        )

    def codes(self, X: np.ndarray) -> Codes:
        """The rows of X as bins."""
        n, width, narrow = len(X), self.width, self.narrow
        panels = np.zeros((max(1, -(-narrow // width)) * n, width), dtype=np.uint8)
        columns = np.empty((narrow, n), dtype=np.uint8)
        wide = np.empty((len(self.place) - narrow, n), dtype=np.uint16)

        binned = self.native

        def bin_block(a: int) -> None:
            b = min(a + BLOCK, n)
            _hist_bins.bin_rows(X=X, a=a, b=b, binned=binned, panels=panels, columns=columns, wide=wide)

        X = np.ascontiguousarray(X)
        in_threads(bin_block, range(0, n, BLOCK))
        missing = np.zeros(len(self.bins), dtype=np.uint8)
        for j, (p, none) in enumerate(zip(self.place.tolist(), self.bins.tolist())):
            missing[j] = (columns[p] == none).any() if p >= 0 else (wide[~p] == none).any()
        return Codes(panels, columns, wide, missing)


def find_bins(
    X: np.ndarray, n_categories: np.ndarray, max_bins: int, w: np.ndarray | None = None, seed: int = 0
) -> Bins:
    """Bins of the columns of X; column j is nominal if it has ``n_categories[j]`` > 0 categories.

    Of more than 200,000 rows, a sample of about that many (:class:`assay.ensembles.hist_sketch.RowSample`) decides
    where to cut; a column of at most ``max_bins`` distinct values is cut between them all.
    """
    sample = RowSample.of(len(X), seed, w)
    return bins_of(BinSketch.of(X, n_categories, max_bins, sample, w), n_categories, max_bins, sample)


def bins_of(sketch: BinSketch, n_categories: np.ndarray, max_bins: int, sample: RowSample) -> Bins:
    """Bins that follow from the sketch of all rows."""
    d, nominal = len(n_categories), n_categories > 0

    def one(j: int) -> Any:
        if nominal[j]:
            return _bins_of_categories(sketch.counts[j], int(n_categories[j]))
        if sketch.few[j] is not None:
            return _midways(sketch.few[j])  # type: ignore[arg-type]
        unit = None if sample.total is None else sample.unit
        return _thresholds(*sketch.column(j), max_bins, unit)

    per_column = [one(j) for j in range(d)]
    thresholds = np.full((d, BYTE), np.inf)
    bins = np.ones(d, dtype=np.int32)
    for j, what in enumerate(per_column):
        if nominal[j]:
            bins[j] = what.max() + 1
        else:
            thresholds[j, : len(what)] = what
            bins[j] = len(what) + 1
    tables = [what for j, what in enumerate(per_column) if nominal[j]]
    narrow = bins < BYTE
    place = np.where(narrow, np.cumsum(narrow) - 1, ~(np.cumsum(~narrow) - 1))
    return Bins(
        bins,
        thresholds,
        nominal.astype(np.uint8),
        np.concatenate([*tables, np.zeros(0)]).astype(np.int32),
        np.concatenate([[0], np.cumsum(n_categories)]).astype(np.int64),
        place.astype(np.int32),
    )


def _midways(values: np.ndarray) -> np.ndarray:
    return (values[:-1] + values[1:]) / 2


def _thresholds(values: np.ndarray, weights: np.ndarray, max_bins: int, unit: float | None) -> np.ndarray:
    """Where to cut a column of these distinct values: strictly increasing, at most max_bins - 1."""
    if len(values) <= max_bins:
        return _midways(values)
    shares = np.linspace(0, 100, max_bins + 1)[1:-1] / 100
    return np.unique(_quantiles(values, weights, shares, unit))


def _quantiles(values: np.ndarray, weights: np.ndarray, shares: np.ndarray, unit: float | None) -> np.ndarray:
    """Quantiles: the value where the weight so far passes the share; midway if it hits it exactly.

    Weights are counts of rows, or whole numbers in a unit: so the sums are exact.
    """
    sums = np.cumsum(weights)
    if unit is None:
        n = int(sums[-1])
        rank = n * shares - 1
        below = np.floor(rank).astype(np.intp)
        low, high = (values[np.searchsorted(sums, k, "right")] for k in (below, np.minimum(below + 1, n - 1)))
        return np.where(rank == below, high - (high - low) * 0.5, high)
    sums = sums * unit
    goal = shares * sums[-1]
    at = np.minimum(np.searchsorted(sums, goal), len(values) - 1)
    after = np.minimum(at + 1, len(values) - 1)
    exact = sums[at] - goal <= np.finfo(np.float64).eps
    return np.where(exact, (values[at] + values[after]) / 2, values[at])


def _bins_of_categories(counts: np.ndarray | None, categories: int) -> np.ndarray:
    """(categories,) the bin of each category; counts of their rows where there are more than bins."""
    if counts is None:
        return np.arange(categories)
    frequent = counts >= MIN_ROWS
    if frequent.sum() > 65_000:
        order = np.argsort(-counts, kind="stable")
        frequent = np.zeros(categories, dtype=bool)
        frequent[order[:65_000]] = True
    return np.where(frequent, np.cumsum(frequent) - 1, frequent.sum())
