"""How many baskets hold given sets: columns of bits, and their common ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from assay.associations.baskets import Baskets
from assay.core.progress import track

__all__ = ["ItemBits", "count_sets"]


class ItemBits:
    """For each item the baskets that hold it, eight to a byte.

    >>> from assay.associations import Baskets
    >>> from assay.associations.set_counts import ItemBits
    >>> bits = ItemBits(Baskets.from_lists([["milk", "tea"], ["tea"], []]))
    >>> bits.count(["tea"]), bits.count(["tea", "milk"]), bits.count([]), bits.count(["beer"])
    (2, 1, 3, 0)
    """

    def __init__(self, baskets: Baskets):
        self.baskets = baskets
        self._codes = {name: code for code, name in enumerate(baskets.items)}
        order = np.argsort(baskets.indices, kind="stable")
        owner = np.repeat(np.arange(baskets.n), baskets.sizes)[order]
        ends = np.searchsorted(baskets.indices[order], np.arange(len(baskets.items) + 1))
        self._rows = [owner[a:b] for a, b in pairwise(ends)]
        self._bits: dict[Any, np.ndarray] = {}

    def of(self, item: Any) -> np.ndarray:
        """The bits of one item; none is set if no basket has heard of it."""
        if item not in self._bits:
            held = np.zeros(self.baskets.n, bool)
            if item in self._codes:
                held[self._rows[self._codes[item]]] = True
            self._bits[item] = np.packbits(held)
        return self._bits[item]

    def common(self, items: Sequence[Any]) -> np.ndarray:
        """The bits of the baskets that hold all of these items."""
        if not items:
            return np.packbits(np.ones(self.baskets.n, bool))
        bits = self.of(items[0])
        for item in items[1:]:
            bits = bits & self.of(item)
        return bits

    def weigh(self, bits: np.ndarray) -> Any:
        """How many baskets some bits mark, or what they weigh."""
        if self.baskets.weights is None:
            return int(np.bitwise_count(bits).sum())
        return float(self.baskets.weights[np.unpackbits(bits, count=self.baskets.n).view(bool)].sum())

    def count(self, items: Sequence[Any]) -> Any:
        """How many baskets hold all of these items, or what they weigh."""
        return self.weigh(self.common(items))


def count_sets(baskets: Baskets, sets: Iterable[Sequence[Any]]) -> np.ndarray:
    """In how many baskets (or in what weight of them) each set of names is.

    >>> from assay.associations import Baskets
    >>> from assay.associations.set_counts import count_sets
    >>> count_sets(Baskets.from_lists([["milk", "tea"], ["tea"]]), [["tea"], ["milk", "tea"]])
    array([2, 1])
    """
    bits = ItemBits(baskets)
    sets = list(sets)
    counts = [bits.count(list(names)) for names in track(sets, "counting sets")]
    return np.array(counts, np.int64 if baskets.weights is None else np.float64)
