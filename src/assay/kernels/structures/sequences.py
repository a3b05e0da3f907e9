"""Strings and other sequences as arrays of codes."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import DataError
from assay.kernels.objects import objects_of
from assay.kernels.structures.bags import entries_of, feature_number

__all__ = ["Sequences"]


class Sequences:
    """The codes of all sequences one after the other.

    Attributes
    ----------
    codes : (c,) uint64      start : (n + 1,) where each sequence begins
    """

    def __init__(self, codes: np.ndarray, start: np.ndarray):
        self.codes, self.start = codes, start

    @property
    def shape(self) -> tuple[int]:
        return (len(self.start) - 1,)

    def __len__(self) -> int:
        return len(self.start) - 1

    def __getitem__(self, rows: Any) -> Sequences:
        if not isinstance(rows, slice):
            start, entries = entries_of(self.start, np.asarray(rows))
            return Sequences(self.codes[entries], start)
        a, b, _ = rows.indices(len(self))
        start = self.start[a : max(a, b) + 1]
        return Sequences(self.codes[start[0] : start[-1]], start - start[0])

    @classmethod
    def of(cls, X: Any, who: str) -> Sequences:
        """Characters of strings, or items of lists and tuples, as numbers; equal ones have equal numbers.

        >>> from assay.kernels.structures.sequences import Sequences
        >>> rows = Sequences.of(["ab", "b"], "Spectrum")
        >>> rows.codes, rows.start
        (array([97, 98, 98], dtype=uint64), array([0, 2, 3]))
        """
        rows = objects_of(X, who)
        if all(isinstance(row, str) for row in rows):
            sizes = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
            text = np.frombuffer("".join(rows).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
            return cls(text.astype(np.uint64), np.concatenate([[0], np.cumsum(sizes)]))
        numbers: dict[Any, int] = {}
        parts = [[_number(item, numbers) for item in _items(row, i, who)] for i, row in enumerate(rows)]
        start = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
        return cls(np.array([code for part in parts for code in part], dtype=np.uint64), start)


def _items(row: Any, i: int, who: str) -> Any:
    if not isinstance(row, (str, list, tuple, np.ndarray)):
        raise DataError(
            f"row {i + 1} must be a string or a sequence of items, got {type(row).__name__}.", who=who
        )
    return row


def _number(item: Any, numbers: dict[Any, int]) -> int:
    if isinstance(item, str) and len(item) == 1:
        return ord(item)
    if item not in numbers:
        numbers[item] = feature_number(item)
    return numbers[item]
