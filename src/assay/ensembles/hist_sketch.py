"""What the bins of columns follow from: sums over rows, so that they do not depend on how the rows are cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import assay.ensembles._hist_bins as _hist_bins
from assay.core.exact_sum import ExactSum
from assay.core.parallel import in_threads, threads
from assay.core.row_draws import row_uniforms
from assay.ensembles.hist_losses import weight_unit

__all__ = ["BinSketch", "RowSample"]

SUBSAMPLE = 200_000  # rows from which thresholds are found
_STREAM = 1  # of the numbers that rows are drawn by


@dataclass(frozen=True)
class RowSample:
    r"""Which rows the thresholds are found from, and what they count there.

    All rows, while there are at most m = 200,000. Of more, row i is in the sample with the probability

    .. math:: p_i = \min(1,\ m w_i / W),\qquad W = \sum_i w_i                                      \quad (1)

    (without weights m / n) and counts :math:`w_i / p_i`. It is drawn by its number and the seed, so that the sample is
    the same in memory, in blocks and on a cluster. By the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart the
    share of rows below any value is off by more than 0.5 % with a probability of about 1e-4
    (:math:`2 e^{-2 m \epsilon^2}`), where no weight stands out.

    Parameters
    ----------
    n : training rows
    seed : whole number
    total, heaviest : sum and largest of the weights; None without weights
    """

    n: int
    seed: int
    total: float | None = None
    heaviest: float = 1.0

    @classmethod
    def of(cls, n: int, seed: int, w: np.ndarray | None) -> RowSample:
        return cls(n, seed) if w is None else cls(n, seed, float(ExactSum(w)), float(w.max(initial=0.0)))

    @property
    def is_all(self) -> bool:
        return self.n <= SUBSAMPLE

    @property
    def unit(self) -> float:
        """A power of two, in which weights become whole numbers whose sums are exact as floats."""
        most = (
            self.heaviest if self.is_all or self.total is None else max(self.heaviest, self.total / SUBSAMPLE)
        )
        rows = min(self.n, 2 * SUBSAMPLE)
        return weight_unit(most, rows)

    def draw(self, start: int, w: np.ndarray | None, n: int) -> tuple[Any, np.ndarray | None]:
        """Of n rows from number ``start`` on: which are drawn (a slice or numbers), and what they count, in units."""
        if w is None:
            if self.is_all:
                return slice(None), None
            return np.flatnonzero(row_uniforms(self.seed, _STREAM, start, n) < SUBSAMPLE / self.n), None
        chosen = w > 0
        if not self.is_all:
            least = self.total / SUBSAMPLE  # type: ignore[operator]
            chosen &= row_uniforms(self.seed, _STREAM, start, n) * least < w  # (1)
            w = np.maximum(w, least)
        some = np.flatnonzero(chosen)
        return some, np.rint(w[some] / self.unit)


@dataclass
class BinSketch:
    """Values of columns and how often they occur, in the sample of rows; in all rows, where there are few.

    Attributes
    ----------
    values, weights : for each column the distinct values, block after block, and their weights in units of the sample
        (without weights the rows of each, in the smallest type that holds them)
    few : for each column its distinct values in all rows, None if they are more than the bins (or the sample is all)
    counts : for each nominal column of more categories than bins the rows of each category, else None
    """

    values: list[list[np.ndarray]]
    weights: list[list[np.ndarray]]
    few: list[np.ndarray | None]
    counts: list[np.ndarray | None]
    max_bins: int

    @classmethod
    def of(
        cls,
        X: np.ndarray,
        n_categories: np.ndarray,
        max_bins: int,
        sample: RowSample,
        w: np.ndarray | None = None,
        start: int = 0,
        learn: np.ndarray | None = None,
    ) -> BinSketch:
        """The sketch of some rows, of which the first has the number ``start``; of those to ``learn`` from alone."""
        X = np.ascontiguousarray(X)
        n, d = X.shape
        rows, weights = sample.draw(start, w, n)
        if learn is not None:
            keep = learn[rows]
            rows = np.arange(n)[rows][keep]
            weights = None if weights is None else weights[keep]
        some = X if isinstance(rows, slice) else _take(X, rows)
        if learn is not None:
            X, w = X[learn], None if w is None else w[learn]
        heavy = X if w is None or sample.is_all or (w > 0).all() else X[w > 0]

        def column(j: int, room: np.ndarray) -> tuple[Any, ...]:
            if n_categories[j]:
                categories = int(n_categories[j])
                counts = _category_counts(X[:, j], categories) if categories > max_bins else None
                return np.empty(0), np.empty(0), None, counts
            few = None if sample.is_all else _few_values(heavy, j, max_bins)
            values, each = _distinct(some, j, weights, room)
            return values, each, few, None

        def columns_of(lot: np.ndarray) -> list[tuple[Any, ...]]:
            room = np.empty(
                (3, len(some)), np.uint64
            )  # the same for all columns: memory that is new costs time
            return [column(j, room) for j in lot.tolist()]

        lots = np.array_split(np.arange(d), threads() if some.size > 50_000 else 1)
        columns = [result for results in in_threads(columns_of, lots) for result in results]
        values, each, few, counts = zip(*columns) if d else ((), (), (), ())
        return cls(
            [[v] for v in values],
            [[v] for v in each],
            list(few),
            list(counts),
            max_bins,
        )

    def __add__(self, other: BinSketch) -> BinSketch:
        return BinSketch(
            [a + b for a, b in zip(self.values, other.values)],
            [a + b for a, b in zip(self.weights, other.weights)],
            [_both(a, b, self.max_bins) for a, b in zip(self.few, other.few)],
            [None if a is None or b is None else a + b for a, b in zip(self.counts, other.counts)],
            self.max_bins,
        )

    def column(self, j: int) -> tuple[np.ndarray, np.ndarray]:
        """The distinct values of column j in rising order, and their weights."""
        if len(self.values[j]) == 1:
            return self.values[j][0], self.weights[j][0].astype(np.float64, copy=False)
        values = np.concatenate(self.values[j])
        order = np.argsort(values, kind="stable")  # merges what is sorted in parts
        values, weights = values[order], np.concatenate(self.weights[j])[order]
        first = _first_of_equals(values)
        if len(first) == len(values):
            return values, weights.astype(np.float64)
        return values[first], np.add.reduceat(weights, first, dtype=np.float64)


def _both(a: np.ndarray | None, b: np.ndarray | None, limit: int) -> np.ndarray | None:
    if a is None or b is None:
        return None
    union = np.union1d(a, b)
    return union if len(union) <= limit else None


def _few_values(X: np.ndarray, j: int, limit: int) -> np.ndarray | None:
    out = np.empty(limit)
    m = _hist_bins.few_values(X, j, out)
    return None if m < 0 else np.sort(out[:m])


def _take(X: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Some rows of a table in C order.

    They are taken as bytes: of numbers that do not begin at multiples of their size, as in tables that Dask has
    received, NumPy would copy the whole table first.
    """
    n, d = X.shape
    whole = X.view(np.dtype((np.void, d * X.itemsize))).reshape(n) if d else X
    return whole.take(rows, axis=0).view(X.dtype).reshape(len(rows), d)


def _first_of_equals(x: np.ndarray) -> np.ndarray:
    """Where in sorted numbers each value stands first."""
    is_new = np.empty(len(x), dtype=bool)
    is_new[:1] = True
    np.not_equal(x[1:], x[:-1], out=is_new[1:])
    return np.flatnonzero(is_new)


def _distinct(X: np.ndarray, j: int, w: np.ndarray | None, room: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct values of column j that are not missing, sorted, and their weights (counts, without weights).

    ``room`` is (3, n) numbers of 64 bits to work in.
    """
    if w is None:
        out = room[0].view(np.float64)
        x = out[: _hist_bins.sort_column(X, j, out, room[1], room[2])]
        first = _first_of_equals(x)
        counts = np.diff(first, append=len(x))
        return x[first], counts.astype(
            np.min_scalar_type(counts.max(initial=0))
        )  # a byte each, as a rule: they travel
    x = X[:, j].astype(np.float64)
    observed = ~np.isnan(x)
    values, place = np.unique(x[observed], return_inverse=True)
    return values, np.bincount(place, weights=w[observed], minlength=len(values))


def _category_counts(codes: np.ndarray, categories: int) -> np.ndarray:
    return np.bincount(codes[~np.isnan(codes)].astype(np.intp), minlength=categories)
