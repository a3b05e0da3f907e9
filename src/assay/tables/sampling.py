"""Some rows of a file that is larger than memory, drawn at random in one pass."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.types import Codes

__all__ = ["Sample", "sample_blocks"]

MOST_CLASSES = 20  # distinct values of a target that are taken for classes, whose shares are kept


@dataclass(frozen=True)
class Sample:
    """Rows that were drawn without replacement, in the order of the file.

    Attributes
    ----------
    frame : pyarrow table
    rows : (n,) their numbers in the file, from 0
    total : the rows of the file
    stratified : whether each class has its share of the file's rows, up to rounding
    seed : int
    """

    frame: Any
    rows: Codes
    total: int
    stratified: bool
    seed: int

    def __str__(self) -> str:
        n = len(self.rows)
        if n == self.total:
            return f"The sample is all of the {self.total:,} rows."
        how = ", each class in its share" if self.stratified else ""
        return f"A random sample of {n:,} of {self.total:,} rows was used (seed {self.seed}{how})."


def sample_blocks(blocks: Iterable[Any], n: int, seed: int = 0, target: str | None = None) -> Sample:
    """Draw n rows from blocks, all rows with equal chances, in one pass and in memory for the sample.

    Every row gets a random number; those with the n lowest are drawn. With a target of at most 20 distinct values, each
    class gets its share of the n rows (largest remainders), and within it those with the lowest numbers are drawn; for
    that up to n rows of each class are held.

    Parameters
    ----------
    blocks : iterable of pyarrow tables with the same columns, such as ``read_blocks`` gives
    n : the number of rows; all of them if there are fewer
    seed : whole number; the same seed draws the same rows, however the blocks are cut
    target : name of the column whose classes keep their shares, if it has classes

    Examples
    --------
    >>> import pyarrow as pa
    >>> from assay.tables.sampling import sample_blocks
    >>> block = pa.table({"x": list(range(100)), "kind": ["a"] * 80 + ["b"] * 20})
    >>> sample = sample_blocks([block, block], 10, target="kind")
    >>> print(sample)
    A random sample of 10 of 200 rows was used (seed 0, each class in its share).
    >>> sample.frame["kind"].to_pylist().count("b")
    2
    """
    pool, total, rng = _Pool(n, target), 0, np.random.default_rng(seed)
    for block in blocks:
        pool.add(block, rng.random(block.num_rows), np.arange(total, total + block.num_rows))
        total += block.num_rows
    if not pool.frames:
        raise DataError("There are no rows to draw a sample from.")
    return Sample(*pool.drawn(), total, pool.counts is not None, seed)


class _Pool:
    """The rows that may still be drawn."""

    def __init__(self, n: int, target: str | None):
        self.n, self.target = n, target
        self.counts: dict[Any, int] | None = None if target is None else {}
        self.frames: list[Any] = []
        self.keys: list[np.ndarray] = []
        self.rows: list[np.ndarray] = []
        self.limit = 4 * n

    def add(self, block: Any, keys: np.ndarray, rows: np.ndarray) -> None:
        import pyarrow.compute as pc

        if self.counts is not None:
            for entry in pc.value_counts(_flat(block[self.target])).to_pylist():
                self.counts[entry["values"]] = self.counts.get(entry["values"], 0) + entry["counts"]
            if len(self.counts) > MOST_CLASSES:
                self.counts = None  # numbers, or names: no classes
        self._hold(block, keys, rows)
        if sum(map(len, self.keys)) > self.limit:
            self._prune(dict.fromkeys(self.counts, self.n) if self.counts is not None else None)
            self.limit = max(self.limit, 2 * sum(map(len, self.keys)))

    def drawn(self) -> tuple[Any, np.ndarray]:
        self._prune(None if self.counts is None else _shares(self.counts, self.n))
        return self.frames[0], self.rows[0]

    def _hold(self, block: Any, keys: np.ndarray, rows: np.ndarray) -> None:
        self.frames.append(block)
        self.keys.append(keys)
        self.rows.append(rows)

    def _prune(self, most: dict[Any, int] | None) -> None:
        """Keep the rows with the lowest keys: n of them, or so many of each class."""
        import pyarrow as pa

        frame, keys, rows = (
            pa.concat_tables(self.frames),
            np.concatenate(self.keys),
            np.concatenate(self.rows),
        )
        if most is None:
            kept = np.argsort(keys, kind="stable")[: self.n]
        else:
            labels = _flat(frame[self.target]).dictionary_encode(null_encoding="encode").combine_chunks()
            codes = np.asarray(labels.indices)
            parts = []
            for k, label in enumerate(labels.dictionary.to_pylist()):
                members = np.flatnonzero(codes == k)
                parts.append(members[np.argsort(keys[members], kind="stable")[: most[label]]])
            kept = np.concatenate(parts)
        kept = np.sort(kept)
        self.frames, self.keys, self.rows = [frame.take(kept)], [keys[kept]], [rows[kept]]


def _flat(column: Any) -> Any:
    """A column without a dictionary."""
    from pyarrow import types

    return column.cast(column.type.value_type) if types.is_dictionary(column.type) else column


def _shares(counts: dict[Any, int], n: int) -> dict[Any, int]:
    """n in proportion to the counts, by largest remainders; equal ones go to what came first."""
    total = sum(counts.values())
    n = min(n, total)
    exact = np.array([n * count / total for count in counts.values()])
    whole = np.floor(exact).astype(np.int64)
    whole[np.argsort(whole - exact, kind="stable")[: n - int(whole.sum())]] += 1
    return dict(zip(counts, whole.tolist()))
