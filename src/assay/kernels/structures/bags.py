"""Rows as bags: counts of features, of which there is no list."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

import assay.kernels.structures._bags as _bags
from assay.core.parallel import in_threads

__all__ = ["Bags", "entries_of", "feature_number", "mix"]

PAIRS_A_BLOCK = 1 << 20  # in one piece of work


class Bags:
    """n rows, each with features (numbers of 64 bits) and their values: counts, weights.

    Features are numbers that a good hash gives to words, substrings or shapes, so that no list of them is needed and
    new rows may have new ones. Two of a million features have the same number with a chance of 3e-8.

    Parameters
    ----------
    start : (n + 1,) where the features of each row begin      feature : (e,) uint64      value : (e,)
    merged : bool, default False
        Whether the features of each row are ascending and distinct already.
    """

    def __init__(self, start: Any, feature: Any, value: Any = None, merged: bool = False):
        self.start = np.ascontiguousarray(start, dtype=np.int64)
        self.feature = np.ascontiguousarray(feature, dtype=np.uint64)
        self.value = (
            np.ones(len(self.feature)) if value is None else np.ascontiguousarray(value, dtype=np.float64)
        )
        if not merged:
            if not self.feature.flags.writeable or self.feature is feature:
                self.feature = self.feature.copy()
            if self.value is value:
                self.value = self.value.copy()
            self.start = np.asarray(_bags.merged(self.start, self.feature, self.value), dtype=np.int64)
            self.feature, self.value = self.feature[: self.start[-1]], self.value[: self.start[-1]]

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[int]]) -> Bags:
        """Those of lists of features.

        >>> from assay.kernels.structures.bags import Bags
        >>> A = Bags.of_rows([[7, 8, 7], [9]])
        >>> A.products(A)
        array([[5., 0.],
               [0., 1.]])
        """
        sizes = np.array([0, *map(len, rows)], dtype=np.int64)
        features = np.fromiter((f for row in rows for f in row), dtype=np.uint64, count=int(sizes.sum()))
        return cls(np.cumsum(sizes), features)

    @property
    def shape(self) -> tuple[int]:
        return (len(self.start) - 1,)

    def __len__(self) -> int:
        return len(self.start) - 1

    def __getitem__(self, rows: Any) -> Bags:
        places = np.arange(len(self))[rows]
        if isinstance(rows, slice) and rows.step in (None, 1) and len(places):
            a, b = places[0], places[-1] + 1
            some = slice(self.start[a], self.start[b])
            return Bags(self.start[a : b + 1] - self.start[a], self.feature[some], self.value[some], True)
        start, entries = entries_of(self.start, places)
        return Bags(start, self.feature[entries], self.value[entries], True)

    @cached_property
    def index(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The same by feature: features ascending, where each begins, rows, values."""
        order = np.argsort(self.feature, kind="stable")
        rows = np.repeat(np.arange(len(self)), np.diff(self.start))[order]
        keys, first = np.unique(self.feature[order], return_index=True)
        return keys, np.append(first, len(order)).astype(np.int64), rows.astype(np.int64), self.value[order]

    def products(self, other: Bags) -> np.ndarray:
        """(n, m) the sums of products of the values of shared features."""
        n, m = len(self), len(other)
        out = np.empty((n, m))
        keys, first, rows, values = other.index
        size = max(1, PAIRS_A_BLOCK // max(m, 1))

        def some(begin: int) -> None:
            part = self[begin : begin + size]
            _bags.products(
                start=part.start,
                feature=part.feature,
                value=part.value,
                keys=keys,
                first=first,
                rows=rows,
                values=values,
                out=out[begin : begin + size],
            )

        in_threads(some, range(0, n, size))
        return out

    def squares(self) -> np.ndarray:
        """(n,) the sums of squares of the values."""
        return np.bincount(
            np.repeat(np.arange(len(self)), np.diff(self.start)), self.value**2, minlength=len(self)
        )

    def sums(self, other: Bags, coef: np.ndarray) -> np.ndarray:
        """(n, k) products with ``other``, times (m, k) coefficients: one weight for each feature, no pairs."""
        keys, first, rows, values = other.index
        out = np.zeros((len(self), coef.shape[1]))
        if not len(keys):
            return out
        places = np.minimum(np.searchsorted(keys, self.feature), len(keys) - 1)
        shared = keys[places] == self.feature
        owner = np.repeat(np.arange(len(self)), np.diff(self.start))[shared]
        for k in range(coef.shape[1]):
            weights = np.add.reduceat(values * coef[rows, k], first[:-1])
            out[:, k] = np.bincount(owner, self.value[shared] * weights[places[shared]], minlength=len(self))
        return out


def entries_of(start: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where some of the rows of a ragged array begin once they stand alone, and the places of their entries.

    >>> import numpy as np
    >>> from assay.kernels.structures.bags import entries_of
    >>> entries_of(np.array([0, 2, 2, 5]), np.array([2, 0]))
    (array([0, 3, 5]), array([2, 3, 4, 0, 1]))
    """
    sizes = np.diff(start)[rows]
    begin = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return begin, np.repeat(start[:-1][rows] - begin[:-1], sizes) + np.arange(begin[-1])


def mix(x: np.ndarray) -> np.ndarray:
    """Numbers of 64 bits that differ in about half of their bits where x differs in one (splitmix64)."""
    x = np.asarray(x, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def feature_number(value: Any) -> int:
    """A number of 64 bits for a word, a label or a tuple of such, the same on every machine and in every run.

    >>> from assay.kernels.structures.bags import feature_number
    >>> feature_number("cat") == feature_number("cat") != feature_number(("c", "at"))
    True
    """
    from hashlib import blake2b

    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # equal labels are the same feature
    text = f"{type(value).__name__}:{value!r}" if not isinstance(value, bool) else f"int:{int(value)}"
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
