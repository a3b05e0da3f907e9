"""Baskets prepared for mining: frequent items only, rare ones first; weights as whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

import assay.associations._apriori as _apriori
import assay.associations._baskets as _baskets
from assay.associations.baskets import Baskets
from assay.errors import DataError

__all__ = ["Ranked", "rank_items", "whole_weights"]

MOST_BITS = 1 << 25  # words: 256 MB
MOST_ITEMS = 2048  # whose pairs are counted all at once: 16 MB
WORTH_MERGING = 4096  # baskets from which on it pays to look for equal ones
PRECISION = 52  # bits that the total weight takes as a whole number


@dataclass(eq=False)
class Ranked:
    """Frequent items by rank, and where they are.

    Attributes
    ----------
    start : (n + 1,) int64       ranks : int32      the items of each basket, ascending
    tid_start : (m + 1,) int64   tids : int32       the baskets of each item, ascending
    weights : (n,) int64, or empty: each basket counts 1
    codes : (m,) int32
        The item behind each rank: the rarest first, among equals by code.
    counts : (m,) int64
    total : int
        What all baskets weigh.
    """

    start: np.ndarray
    ranks: np.ndarray
    tid_start: np.ndarray
    tids: np.ndarray
    weights: np.ndarray
    codes: np.ndarray
    counts: np.ndarray
    total: int

    @cached_property
    def native(self) -> _baskets.Baskets:
        """What native code takes: all of these, the bits, and the pairs; weights filled up to whole words of bits."""
        weights, bits = self.weights, self.bits
        if len(weights) and len(bits):
            weights = np.zeros(64 * bits.shape[1], np.int64)
            weights[: len(self.weights)] = self.weights
        return _baskets.Baskets(
            start=self.start,
            rank=self.ranks,
            tid_start=self.tid_start,
            tid=self.tids,
            weight=weights,
            count=self.counts,
            bits=bits,
            pairs=self.pairs,
        )

    @property
    def n(self) -> int:
        """The number of baskets."""
        return len(self.start) - 1

    @cached_property
    def bits(self) -> np.ndarray:
        """(m, words) uint64: the baskets of each item as bits; empty if that took too much memory."""
        m, words = len(self), (self.n + 63) // 64
        bits = np.zeros((m if m * words <= MOST_BITS else 0, words), np.uint64)
        if len(bits):
            _baskets.as_bits(self.tid_start, self.tids, bits)
        return bits

    @cached_property
    def pairs(self) -> np.ndarray:
        """int64: what the baskets of each pair weigh, where baskets are short; empty if it is easier to count bits."""
        m = len(self)
        if m > MOST_ITEMS or m < 2 or 16.0 * len(self.ranks) ** 2 >= (float(m) * self.n) ** 2:
            return np.empty(0, np.int64)
        pairs = np.zeros(m * (m - 1) // 2, np.int64)
        _apriori.count_pairs(
            start=self.start, items=self.ranks, weight=self.weights, m=m, first=0, last=m, counts=pairs
        )
        return pairs

    @cached_property
    def universal(self) -> int:
        """How many items are in all baskets; they have the last ranks."""
        return int(np.count_nonzero(self.counts == self.total))

    def __len__(self) -> int:
        return len(self.codes)


def rank_items(baskets: Baskets, least: int, weights: np.ndarray | None = None) -> Ranked:
    """The items that weigh at least ``least``, by ascending weight; many baskets that hold the same become one.

    Parameters
    ----------
    baskets : Baskets
    least : int
    weights : (n,) int64 or None
        Whole weights, see :func:`whole_weights`; baskets that weigh nothing are left out.
    """
    if weights is not None and (weights == 0).any():
        baskets, weights = baskets[weights > 0], weights[weights > 0]
    if baskets.n >= 2**31:
        raise DataError(f"Baskets: {baskets.n:,} baskets are more than can be mined in memory; mine blocks.")
    d = len(baskets.items)
    counts = item_counts(baskets, weights)
    rows = counts if weights is None else item_counts(baskets, None)
    codes = np.lexsort((np.arange(d), counts))
    codes = codes[counts[codes] >= max(least, 1)].astype(np.int32)
    rank = np.full(d, len(codes), np.int32)
    rank[codes] = np.arange(len(codes), dtype=np.int32)
    tid_start = _starts(rows[codes])
    tids, sizes = _tids(baskets, rank, tid_start)
    start = _starts(sizes)
    ranks = np.empty(start[-1], np.int32)
    _baskets.by_basket(tid_start, tids, start, ranks)
    total = baskets.n if weights is None else int(weights.sum())
    none = np.empty(0, np.int64)
    ranked = Ranked(
        start, ranks, tid_start, tids, none if weights is None else weights, codes, counts[codes], total
    )
    return _merged(ranked) if baskets.n >= WORTH_MERGING else ranked


def _merged(ranked: Ranked) -> Ranked:
    """Baskets that hold the same as one that weighs as much, if that leaves a quarter of them or less."""
    first, sample = _baskets.alike(ranked.start, ranked.ranks, ranked.n // WORTH_MERGING)
    if 4 * len(first) > len(sample):
        return ranked
    first, which = _baskets.alike(ranked.start, ranked.ranks, 1)
    if 4 * len(first) > ranked.n:
        return ranked
    weights = np.zeros(len(first), np.int64)
    np.add.at(weights, which, ranked.weights if len(ranked.weights) else 1)
    few = Baskets(ranked.start, ranked.ranks, tuple(range(len(ranked))))[first]
    tid_start = _starts(np.bincount(few.indices, minlength=len(ranked)))
    tids = _tids(few, np.arange(len(ranked), dtype=np.int32), tid_start)[0]
    arrays = few.indptr, few.indices, tid_start, tids, weights
    return Ranked(*arrays, ranked.codes, ranked.counts, ranked.total)


def _tids(baskets: Baskets, rank: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The baskets of each item, and how many items each basket keeps."""
    tids, sizes = np.empty(start[-1] + 1, np.int32), np.empty(baskets.n, np.int64)
    _baskets.by_item(baskets.indptr, baskets.indices, rank, start, tids, sizes)
    return tids[:-1], sizes


def item_counts(baskets: Baskets, weights: np.ndarray | None) -> np.ndarray:
    """(d,) int64: the number, or the whole weight, of the baskets that hold each item."""
    counts = np.zeros(len(baskets.items), np.int64)
    if weights is None:
        _baskets.count_items(baskets.indices, counts)
        return counts
    np.add.at(counts, baskets.indices, np.repeat(weights, baskets.sizes))
    return counts


def whole_weights(weights: np.ndarray, total: float) -> tuple[np.ndarray, float]:
    """Weights as multiples of a power of two, the grain, so that all sums of them are exact in any order.

    The grain is about 2^-52 of the total, so whole numbers and short binary fractions stay what they are.

    >>> import numpy as np
    >>> from assay.associations.ranked import whole_weights
    >>> whole, grain = whole_weights(np.array([1.0, 2.5]), 3.5)
    >>> (whole * grain).tolist()
    [1.0, 2.5]
    """
    grain = 2.0 ** (np.ceil(np.log2(total)) - PRECISION)
    return np.rint(weights / grain).astype(np.int64), float(grain)


def _starts(sizes: np.ndarray) -> np.ndarray:
    start = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=start[1:])
    return start
