"""Objects made of labelled parts with links between them: trees and graphs, many at a time."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

import assay.kernels.structures._pairs as _pairs
from assay.kernels.structures.bags import entries_of

__all__ = ["Parts"]


class Parts:
    """n objects one after the other.

    Attributes
    ----------
    first : (n + 1,) where the parts of each object begin
    label : (parts,) uint64
    start : (parts + 1,) where the links of each part begin
    link : (links,) the parts that they lead to, counted from the first one of the object
    weight : (links,), or empty for ones
    """

    def __init__(self, first: Any, label: Any, start: Any, link: Any, weight: Any = ()):
        self.first = np.ascontiguousarray(first, dtype=np.int64)
        self.label = np.ascontiguousarray(label, dtype=np.uint64)
        self.start = np.ascontiguousarray(start, dtype=np.int64)
        self.link = np.ascontiguousarray(link, dtype=np.int64)
        self.weight = np.ascontiguousarray(weight, dtype=np.float64)

    @property
    def shape(self) -> tuple[int]:
        return (len(self.first) - 1,)

    def __len__(self) -> int:
        return len(self.first) - 1

    def __getitem__(self, rows: Any) -> Parts:
        if not isinstance(rows, slice):
            some, nodes = entries_of(self.first, np.asarray(rows))
            begin, of_nodes = entries_of(self.start, nodes)
            weight = self.weight[of_nodes] if len(self.weight) else ()
            return Parts(some, self.label[nodes], begin, self.link[of_nodes], weight)
        a, b, _ = rows.indices(len(self))
        first = self.first[a : max(a, b) + 1]
        start = self.start[first[0] : first[-1] + 1]
        links = slice(start[0], start[-1])
        return Parts(
            first - first[0],
            self.label[first[0] : first[-1]],
            start - start[0],
            self.link[links],
            self.weight[links] if len(self.weight) else (),
        )

    @property
    def owner(self) -> np.ndarray:
        """(parts,) the object of each part."""
        return np.repeat(np.arange(len(self)), np.diff(self.first))

    @cached_property
    def native(self) -> _pairs.Parts:
        """The same for native code, checked once."""
        return _pairs.Parts(
            first=self.first, label=self.label, start=self.start, link=self.link, weight=self.weight
        )
