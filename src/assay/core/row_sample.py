"""A uniform sample of the rows of blocks: those with the smallest random numbers, which belong to the rows' numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.row_draws import row_uniforms
from assay.core.sums import Source

__all__ = ["RowSample", "sample_rows"]


@dataclass
class RowSample:
    """At most ``limit`` of the rows so far, each set of rows of that size as likely as any other.

    Two samples add up to the sample of all their rows. Which rows are drawn depends on the seed and on their numbers
    alone, so they are the same however the table is cut into blocks; of at most ``limit`` rows all are drawn.

    Attributes
    ----------
    key : (m,) the random numbers of the rows      number : (m,) which rows they are
    entries : arrays with an entry for each of the rows, or None
    count : how many rows there were

    Examples
    --------
    >>> import numpy as np
    >>> from assay.core.row_sample import RowSample
    >>> x = np.arange(1000)
    >>> whole = RowSample.of((x,), 0, limit=3, seed=0)
    >>> parts = RowSample.of((x[:400],), 0, limit=3, seed=0) + RowSample.of((x[400:],), 400, limit=3, seed=0)
    >>> whole.in_order().number.tolist() == parts.in_order().number.tolist(), parts.count
    (True, 1000)
    """

    limit: int
    key: np.ndarray
    number: np.ndarray
    entries: tuple[Any, ...]
    count: int

    @classmethod
    def of(cls, entries: tuple[Any, ...], start: int, limit: int, seed: int) -> RowSample:
        """The sample of one block of rows, the first of which has the number ``start``."""
        n = entries[0].shape[0]
        key, number = row_uniforms(seed, 0, start, n), np.arange(start, start + n, dtype=np.int64)
        return cls(limit, key, number, entries, n)._cut()

    def __add__(self, other: RowSample) -> RowSample:
        return RowSample(
            self.limit,
            np.concatenate([self.key, other.key]),
            np.concatenate([self.number, other.number]),
            tuple(
                _together(a, b, len(self.key), len(other.key)) for a, b in zip(self.entries, other.entries)
            ),
            self.count + other.count,
        )._cut()

    def _cut(self) -> RowSample:
        if len(self.key) <= self.limit:
            return self
        rows = np.sort(np.lexsort((self.number, self.key))[: self.limit])
        return RowSample(self.limit, self.key[rows], self.number[rows], self._some(rows), self.count)

    def _some(self, rows: np.ndarray) -> tuple[Any, ...]:
        return tuple(None if values is None else values[rows] for values in self.entries)

    def in_order(self) -> RowSample:
        """The same with the rows in the order of their numbers."""
        rows = np.argsort(self.number)
        return RowSample(self.limit, self.key[rows], self.number[rows], self._some(rows), self.count)


def sample_rows(source: Source, limit: int, seed: int) -> RowSample:
    """At most ``limit`` rows of a source, drawn at random, in their order; the entries are X, y and the weights."""
    sample = source.numbered().add_up(lambda b: RowSample.of((b.X, b.y, b.w), b.start, limit, seed))
    return sample.in_order()


def _together(a: Any, b: Any, n: int, m: int) -> Any:
    """The n and then the m values; what only one of the two has are weights, and the other rows count once."""
    if a is None and b is None:
        return None
    a, b = np.ones(n) if a is None else a, np.ones(m) if b is None else b
    if isinstance(a, np.ndarray):
        return np.concatenate([a, b])
    from scipy.sparse import vstack

    return vstack([a, b], format="csr")
