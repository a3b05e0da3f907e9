"""Bins of columns: where histogram boosting cuts numbers, and how it numbers categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import assay.ensembles._hist_bins as _hist_bins
from assay.core.parallel import in_threads

__all__ = ["Bins", "Codes", "find_bins"]

SUBSAMPLE = 200_000  # rows from which thresholds are found
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

    @property
    def width(self) -> int:
        """Columns of a panel: a power of two, at most the 64 bytes of a cache line."""
        return min(64, max(4, 1 << (int((self.place >= 0).sum()) - 1).bit_length()))

    @property
    def wide_start(self) -> np.ndarray:
        """(d16 + 1,) where columns of 16 bits begin in a histogram, after 256 cells for each of the others."""
        narrow = int((self.place >= 0).sum())
        widths = self.bins[self.place < 0].astype(np.int64) + 1
        return np.concatenate([[0], np.cumsum(widths)]) + -(-narrow // 8) * 8 * BYTE

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
        n, width = len(X), self.width
        narrow = int((self.place >= 0).sum())
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

    Of more than 200,000 rows, a sample of that many (drawn with replacement, by weight) decides where to cut.
    """
    n, d = X.shape
    nominal = n_categories > 0
    X = np.ascontiguousarray(X)
    sample, weights = X, w
    if n > SUBSAMPLE:
        chance = None if w is None else w / w.sum()
        chosen = np.random.RandomState(seed).choice(n, SUBSAMPLE, p=chance, replace=True)
        sample, weights = X.take(np.sort(chosen), axis=0), None

    def one(j: int) -> Any:
        if nominal[j]:
            return _bins_of_categories(X[:, j], int(n_categories[j]), max_bins)
        return _thresholds(sample, j, max_bins, weights)

    per_column = in_threads(one, range(d), None if sample.size > 50_000 else 1)
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


def _thresholds(X: np.ndarray, j: int, max_bins: int, w: np.ndarray | None) -> np.ndarray:
    """Where to cut numeric column j: strictly increasing, at most max_bins - 1."""
    x, w = _in_order(X, j, w)
    first = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]])) if len(x) else []
    if len(first) <= 1:
        return np.empty(0)
    if len(first) <= max_bins:
        distinct = x[first]
        return (distinct[:-1] + distinct[1:]) / 2
    shares = np.linspace(0, 100, max_bins + 1)[1:-1] / 100
    return np.unique(_quantiles(x, w, shares))


def _in_order(X: np.ndarray, j: int, w: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None]:
    """The values of column j that are there and count, sorted, with their weights."""
    n = len(X)
    if w is None:
        out = np.empty(n)
        m = _hist_bins.sort_column(X, j, out, np.empty(n, np.uint64), np.empty(n, np.uint64))
        return out[:m], None
    x = X[:, j].astype(np.float64)
    keep = ~np.isnan(x) & (w != 0)
    order = np.argsort(x[keep], kind="stable")
    return x[keep][order], w[keep][order]


def _quantiles(x: np.ndarray, w: np.ndarray | None, shares: np.ndarray) -> np.ndarray:
    """Quantiles of sorted x: the value where the weight so far passes the share; midway if it hits it exactly."""
    if w is None:
        rank = len(x) * shares - 1
        below = np.floor(rank).astype(np.intp)
        above = np.minimum(below + 1, len(x) - 1)
        return np.where(rank == below, x[above] - (x[above] - x[below]) * 0.5, x[above])
    sums = np.cumsum(w)
    goal = shares * sums[-1]
    at = np.minimum(np.searchsorted(sums, goal), len(x) - 1)
    after = np.minimum(at + 1, len(x) - 1)
    exact = sums[at] - goal <= np.finfo(np.float64).eps
    return np.where(exact, (x[at] + x[after]) / 2, x[at])


def _bins_of_categories(codes: np.ndarray, categories: int, max_bins: int) -> np.ndarray:
    """(categories,) the bin of each category."""
    if categories <= max_bins:
        return np.arange(categories)
    counts = np.bincount(codes[~np.isnan(codes)].astype(np.intp), minlength=categories)
    frequent = counts >= MIN_ROWS
    if frequent.sum() > 65_000:
        order = np.argsort(-counts, kind="stable")
        frequent = np.zeros(categories, dtype=bool)
        frequent[order[:65_000]] = True
    return np.where(frequent, np.cumsum(frequent) - 1, frequent.sum())
