"""Collects the item sets of several threads, up to a limit."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

import assay.associations._item_sets as _item_sets

__all__ = ["Collector"]

SIZE = 16  # items of a set, on average, that the limit allows for

Part = tuple[np.ndarray, np.ndarray, np.ndarray]  # items, sizes, counts


class Collector:
    """Gathers sets from several threads; when there are more than the limit, it calls ``too_many``.

    Parameters
    ----------
    limit : int
        The most sets to keep; of their items, 16 times as many.
    too_many : function of the number found so far, which raises
    """

    def __init__(self, limit: int, too_many: Callable[[int], None]):
        self.limit, self._too_many = limit, too_many
        self._parts: list[Part] = []
        self._lock = threading.Lock()
        self.found = self.items = 0

    @property
    def room(self) -> int:
        """How many sets a miner may find before it comes back: one above what is left shows that it is too little."""
        return max(1, min(self.limit - self.found + 1, 1 << 40))

    def add(self, items: np.ndarray, sizes: np.ndarray, counts: np.ndarray) -> None:
        """Some more sets: items one after another, and a size and a count for each."""
        with self._lock:
            self.found += len(sizes)
            self.items += len(items)
            self._parts.append((items, sizes, counts))
        if self.found > self.limit or self.items > SIZE * self.limit:
            self._too_many(self.found)

    def include(self, required: np.ndarray, count: int) -> None:
        """Add the given items to all sets so far, and the set of them alone, which has that count."""
        k = np.int32(len(required))
        parts = [(required, np.array([k], np.int32), np.array([count], np.int64))]
        for items, sizes, counts in self._parts:
            owner = np.concatenate(
                [np.repeat(np.arange(len(sizes)), sizes), np.repeat(np.arange(len(sizes)), k)]
            )
            both = np.concatenate([items, np.tile(required, len(sizes))])
            parts.append((both[np.lexsort((both, owner))], sizes + k, counts))
        self._parts, self.found = parts, self.found + 1

    def in_order(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """indptr, indices and counts of all sets: by size, then by falling count, then by their items."""
        items, sizes, counts = (
            np.concatenate([*(part[k] for part in self._parts), np.empty(0, kind)])
            for k, kind in enumerate((np.int32, np.int32, np.int64))
        )
        self._parts.clear()
        start = np.zeros(len(sizes) + 1, np.int64)
        np.cumsum(sizes, out=start[1:])
        order = np.empty(len(sizes), np.int64)
        _item_sets.in_order(start, items, counts, order)
        indptr = np.zeros_like(start)
        np.cumsum(sizes[order], out=indptr[1:])
        indices = np.empty_like(items)
        _item_sets.gather(start, items, order, indptr, indices)
        return indptr, indices, counts[order]
