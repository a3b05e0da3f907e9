"""Apriori: frequent sets size by size; what one block of baskets adds is a vector of counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import assay.associations._apriori as _apriori
from assay.associations.collector import Collector
from assay.core.parallel import end_if_abandoned
from assay.core.stored import Integer, declare
from assay.core.sums import Block, Source

__all__ = ["Level", "Levels", "apriori"]

MOST_COUNTS = 1 << 24  # candidates counted in one pass: 128 MB
MOST_BITS = 1 << 23  # words of bits of one piece of a block: 64 MB
PIECE = 1 << 16  # baskets of one piece, at most
LOOK_AHEAD_SETS = 20_000  # frequent sets of one size, after which it pays to look ahead
CANDIDATES_PER_CHECK = 1 << 14  # candidates made or counted between two checks for Ctrl-C

ItemsOf = Callable[[Any], tuple[np.ndarray, np.ndarray]]


class Level(NamedTuple):
    """One size: candidates joined from smaller sets, pruned uncounted, counted, and found frequent."""

    size: int
    joined: int
    pruned: int
    counted: int
    frequent: int


declare(Level, dict.fromkeys(Level._fields, Integer()))


class Levels(NamedTuple):
    """What Apriori did, and what all baskets weigh."""

    levels: tuple[Level, ...]
    total: int


def apriori(
    source: Source,
    items_of: ItemsOf,
    n_items: int,
    least_of: Callable[[int], int],
    collector: Collector,
    max_size: int | None = None,
    look: Callable[[], None] = lambda: None,
) -> Levels:
    """Find the frequent sets, one pass over the source for each size, and give them to the collector.

    From the frequent sets of k items come the candidates of k + 1: two sets with the same first k - 1 items are
    joined, and a candidate with a subset that is not frequent is pruned without being counted, since a set is never
    in more baskets than its subsets are. Counts are sums over blocks of baskets, so it does not matter where they are.

    Parameters
    ----------
    source : Source
        Blocks of baskets, which can be gone through again and again; weights are whole numbers or None.
    items_of : function from a block's X to (indptr, indices)
        The items of each of its baskets, ascending.
    n_items : int
    least_of : function of the total weight
        What a set must weigh.
    collector : Collector
    max_size : int or None
        The most items of a set.
    look : function
        Called once when there are many frequent sets of one size; it may raise.
    """
    counting = _Counting(items_of, np.arange(n_items, dtype=np.int32))
    first = source.add_up(lambda block: counting.items(block, n_items))
    counts, total = first[:-1], int(first[-1])
    least = max(1, least_of(total))
    codes = np.flatnonzero(counts >= least).astype(np.int32)
    collector.add(codes, np.ones(len(codes), np.int32), counts[codes])
    levels = [Level(1, n_items, 0, n_items, len(codes))]
    counting = _Counting(items_of, _numbers(codes, n_items))
    frequent = np.arange(len(codes), dtype=np.int32)[:, None]
    while len(frequent) > 1 and (max_size is None or frequent.shape[1] < max_size):
        step = _pairs if frequent.shape[1] == 1 else _larger
        size, row, tallies, next_sets = frequent.shape[1] + 1, 0, np.zeros(2, np.int64), []
        while row < len(frequent):  # once, unless the candidates are too many for one pass
            row, joined, counted, sets, weights = step(source, counting, frequent, row, least)
            tallies += joined, counted
            collector.add(codes[sets].ravel(), np.full(len(sets), size, np.int32), weights)
            next_sets.append(sets)
        if len(frequent) < LOOK_AHEAD_SETS <= sum(map(len, next_sets)):
            look()
        frequent = np.concatenate(next_sets)
        joined, counted = tallies.tolist()
        if joined:
            levels.append(Level(size, joined, joined - counted, counted, len(frequent)))
    return Levels(tuple(levels), total)


Step = tuple[
    int, int, int, np.ndarray, np.ndarray
]  # row to go on with, joined, counted, frequent sets, weights


def _pairs(source: Source, counting: _Counting, frequent: np.ndarray, first: int, least: int) -> Step:
    """Frequent pairs whose first item is from ``first`` on: every pair is a candidate, as many as memory allows."""
    m = len(frequent)
    start = np.concatenate(
        [[0], np.cumsum(m - 1 - np.arange(first, m))]
    )  # where the pairs of each first item begin
    last = min(m, first + max(1, int(np.searchsorted(start, MOST_COUNTS, side="right")) - 1))
    sums = source.add_up(lambda block: counting.pairs(block, m, first, last))
    place = np.flatnonzero(sums >= least)
    a = np.searchsorted(start, place, side="right") - 1
    sets = np.column_stack([a + first, place - start[a] + a + first + 1]).astype(np.int32)
    return last, len(sums), len(sums), sets, sums[place]


def _larger(source: Source, counting: _Counting, frequent: np.ndarray, first: int, least: int) -> Step:
    """Frequent sets of one item more, from row ``first`` of the smaller ones on, as many as memory allows."""
    row, joined, made, size = first, 0, 0, frequent.shape[1] + 1
    parts = []
    while row < len(frequent) and made < MOST_COUNTS * size:
        end_if_abandoned()
        row, together, flat = _apriori.join(frequent, row, CANDIDATES_PER_CHECK)
        joined, made = joined + together, made + len(flat)
        parts.append(flat)
    sets = np.concatenate(parts).reshape(-1, size)
    if not len(sets):  # all pruned: no pass at all
        return row, joined, 0, sets, np.empty(0, np.int64)
    sums = source.add_up(lambda block: counting.sets(block, sets))
    return row, joined, len(sets), sets[sums >= least], sums[sums >= least]


class _Counting:
    """What one block of baskets adds to the counts.

    Parameters
    ----------
    items_of : function from a block's X to (indptr, indices)
    number : (d,) int32
        The new number of each item, -1 for one that is left out.
    """

    def __init__(self, items_of: ItemsOf, number: np.ndarray):
        self._items_of, self._number = items_of, number

    def items(self, block: Block, d: int) -> np.ndarray:
        """(d + 1,) what the baskets of each item weigh, and what all weigh."""
        indptr, indices = self._items_of(block.X)
        w = _weights(block)
        if not len(w):
            return np.append(np.bincount(indices, minlength=d), len(indptr) - 1)
        counts = np.zeros(d + 1, np.int64)
        np.add.at(counts, indices, np.repeat(w, np.diff(indptr)))
        counts[d] = w.sum()
        return counts

    def pairs(self, block: Block, m: int, first: int, last: int) -> np.ndarray:
        """What the baskets of each pair weigh, pair after pair."""
        start, items = self._kept(block, self._number)
        n, w = len(start) - 1, _weights(block)
        if 64.0 * len(items) ** 2 > (float(m) * n) ** 2:  # long baskets: bits are quicker
            every = np.concatenate(
                [np.column_stack([np.full(m - 1 - k, k), np.arange(k + 1, m)]) for k in range(first, last)]
            )
            return _in_bits(start, items, w, m, every.astype(np.int32))
        counts = np.zeros((last - first) * (2 * m - 1 - first - last) // 2, np.int64)
        for a, b in _pieces(n, PIECE):
            end_if_abandoned()
            _apriori.count_pairs(
                start=start[a : b + 1], items=items, weight=w[a:b], m=m, first=first, last=last, counts=counts
            )
        return counts

    def sets(self, block: Block, sets: np.ndarray) -> np.ndarray:
        """(c,) what the baskets of each set weigh."""
        used = np.unique(sets)  # only these need bits
        number = np.full(len(self._number), -1, np.int32)
        number[np.flatnonzero(self._number >= 0)[used]] = np.arange(len(used), dtype=np.int32)
        again = np.searchsorted(used, sets).astype(np.int32)
        return _in_bits(*self._kept(block, number), _weights(block), len(used), again)

    def _kept(self, block: Block, number: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The baskets with new numbers of items, those left out gone."""
        indptr, indices = self._items_of(block.X)
        start, items = np.empty(len(indptr), np.int64), np.empty(len(indices) + 1, np.int32)
        left = _apriori.keep(indptr, indices, number, start, items)
        return start, items[:left]


def _in_bits(start: np.ndarray, items: np.ndarray, w: np.ndarray, m: int, sets: np.ndarray) -> np.ndarray:
    """What the baskets of each set weigh, by bits, some baskets and some sets at a time."""
    counts = np.zeros(len(sets), np.int64)
    rows = min(PIECE, max(64, MOST_BITS * 64 // m))
    for a, b in _pieces(len(start) - 1, rows):
        piece = start[a : b + 1] - start[a], items[start[a] : start[b]], w[a:b]
        for c, e in _pieces(len(sets), CANDIDATES_PER_CHECK):
            end_if_abandoned()
            _apriori.count_sets(*piece, m, sets[c:e], counts[c:e])
    return counts


def _weights(block: Block) -> np.ndarray:
    return np.empty(0, np.int64) if block.w is None else np.ascontiguousarray(block.w, dtype=np.int64)


def _numbers(codes: np.ndarray, d: int) -> np.ndarray:
    number = np.full(d, -1, np.int32)
    number[codes] = np.arange(len(codes), dtype=np.int32)
    return number


def _pieces(n: int, size: int) -> list[tuple[int, int]]:
    return [(a, min(a + size, n)) for a in range(0, n, size)]
