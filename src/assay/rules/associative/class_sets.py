"""Rows as bits: the sets of items that they hold, and their classes, mined, counted and gone through in order."""

from __future__ import annotations

from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np

import assay.rules.associative._class_sets as _class_sets
from assay.core.parallel import in_threads
from assay.core.progress import progress
from assay.errors import ParameterError
from assay.rules.associative.set_rules import SetRules

__all__ = ["ClassSets"]

EXACT = 1 - 1e-12  # a threshold is met by what equals it, whatever the rounding of a product
BUDGET = 100_000_000  # words that one call of the native code goes through before Python is asked again
ROOM = 1 << 14  # sets that one call can write down
WORTH_THREADS = 20_000_000  # words
CELLS = 1 << 20  # rules times classes that are gone through at a time
PROBES = 200  # walks that the number of sets is estimated from


class ClassSets:
    """Training rows as bitsets, one for each item, the rows of a class side by side.

    Parameters
    ----------
    codes : (n, d) int32
        The items of each row, -1 for none.
    column : (m,) int32
        The column of each item.
    y : (n,) class codes      K : int      w : (n,) positive weights or None
    """

    def __init__(
        self, codes: np.ndarray, column: np.ndarray, y: np.ndarray, K: int, w: np.ndarray | None = None
    ):
        self.column, self.y, self.K, self.w = column, y, K, w
        rows = np.bincount(y, minlength=K)
        self.bounds = np.concatenate([[0], np.cumsum((rows + 63) // 64)]).astype(np.int64)
        by_class = np.argsort(y, kind="stable")
        self.place = np.empty(len(y), np.int64)
        self.place[by_class] = np.arange(len(y)) + np.repeat(
            self.bounds[:-1] * 64 - np.concatenate([[0], np.cumsum(rows)[:-1]]), rows
        )
        W = int(self.bounds[-1])
        self.bits = np.zeros((len(column), W), np.uint64)
        _class_sets.set_bits(np.ascontiguousarray(codes), self.place, self.bits)
        self.all = np.zeros((1, W), np.uint64)
        _class_sets.set_bits(np.zeros((len(y), 1), np.int32), self.place, self.all)
        self.weight = np.zeros(0)
        if w is not None:
            self.weight = np.zeros(W * 64)
            self.weight[self.place] = w
        self.totals = np.bincount(y, w, minlength=K).astype(np.float64)
        self.total = float(self.totals.sum())
        self.rank = np.empty(
            K, np.int32
        )  # of classes with equal counts, the one with the larger prior, then the first
        self.rank[np.lexsort((np.arange(K), -self.totals))] = np.arange(K)

    @cached_property
    def _rows(self) -> _class_sets.ClassRows:
        return _class_sets.ClassRows(bits=self.bits, bounds=self.bounds, weight=self.weight)

    def counts(self, start: np.ndarray, items: np.ndarray) -> np.ndarray:
        """(R, K) the weight of the rows that hold each set, per class."""
        counts = np.zeros((len(start) - 1, self.K))
        _class_sets.set_counts(self._rows, self.all[0], start, np.ascontiguousarray(items, np.int32), counts)
        return counts

    def majority(self, counts: np.ndarray) -> Any:
        """The most frequent class of some counts; among equals that with the larger prior, then the first."""
        counts = np.atleast_2d(counts)
        best = counts >= counts.max(axis=1, keepdims=True) * EXACT
        return np.where(best, self.rank, self.K).argmin(axis=1)

    def mine(
        self,
        min_count: float,
        sure: float,
        *,
        max_length: int | None = None,
        by_antecedent: bool = False,
        stop_at_sure: bool = True,
        limit: int = 5_000_000,
        who: str = "ClassSets",
    ) -> SetRules:
        """All sets that are frequent, and sure enough of their most frequent class.

        Parameters
        ----------
        min_count : float
            The least weight of the rows that hold the set and are of its class.
        sure : float
            The least confidence.
        by_antecedent : bool
            Of all rows that hold the set instead.
        stop_at_sure : bool
            No set that holds a smaller one of confidence 1.
        limit : int
            How many sets may be counted; where more are to be expected, an error says so beforehand.
        """
        m = len(self.column)
        counts = self.counts(np.arange(m + 1), np.arange(m, dtype=np.int32))
        n, answer = counts.sum(axis=1), self.majority(counts) if m else np.zeros(0, np.int64)
        correct = counts[np.arange(m), answer]
        frequent = ((n if by_antecedent else correct) >= min_count * EXACT) & (n > 0)
        items = np.flatnonzero(frequent & (correct >= sure * EXACT * n))
        single = SetRules(
            np.arange(len(items) + 1),
            items.astype(np.int32),
            answer[items].astype(np.int32),
            correct[items],
            n[items],
        )
        if stop_at_sure:
            frequent &= (counts > 0).sum(axis=1) > 1
        order = np.flatnonzero(frequent).astype(np.int32)
        order = order[
            np.argsort(n[order], kind="stable")
        ]  # rare items first: they have the fewest extensions
        depth = min(max_length or m, len(np.unique(self.column[order])))
        if depth < 2:
            return single
        search = {
            "min_count": min_count * EXACT,
            "min_confidence": sure * EXACT,
            "by_antecedent": by_antecedent,
            "stop_at_sure": stop_at_sure,
            "max_length": depth,
        }
        self._refuse_too_many(order, search, limit, who)
        walk = _Walk(self, order, search, limit, who)
        return SetRules.join([single, *walk.run()])

    def _refuse_too_many(self, order: np.ndarray, search: dict[str, Any], limit: int, who: str) -> None:
        """An error before the work if the sets that must be counted are far more than the limit allows."""
        width = np.bincount(self.column[order]).astype(np.float64)
        possible = np.zeros(search["max_length"] + 1)  # ways to take an item of each of so many columns
        possible[0] = 1
        for items in width:
            possible[1:] += items * possible[:-1]
        if possible[1:].sum() <= limit:
            return
        expected = self._estimate(order, search)
        if expected > 2 * limit:
            about = f"about {expected:.1g} item sets"
            raise ParameterError(_too_many(about, limit, search["max_length"], who))

    def _estimate(self, order: np.ndarray, search: dict[str, Any]) -> float:
        """How many sets the walk will count, from some random ways down its tree.

        A way takes a child with probability p and goes on; what it sees below stands for 1/p times as much. Early
        children have more to come behind them, and are taken the more often for it.
        """
        rng, depth = np.random.default_rng(0), search["max_length"]
        total = 0.0
        for _ in range(PROBES):
            held, candidates, share = self.all[0], order, 1.0
            for size in range(1, depth + 1):
                counts = np.empty((len(candidates), self.K))
                _class_sets.set_counts(self._rows, held, np.arange(len(candidates) + 1), candidates, counts)
                total += share * len(candidates)
                enough = (counts.sum(axis=1) if search["by_antecedent"] else counts.max(axis=1)) >= search[
                    "min_count"
                ]
                if search["stop_at_sure"]:
                    enough &= (counts > 0).sum(axis=1) > 1
                candidates = candidates[enough]
                if size == depth or len(candidates) < 2:
                    break
                p = np.arange(len(candidates) - 1, -1, -1, dtype=np.float64) ** min(2, depth - size)
                at = int(rng.choice(len(p), p=p / p.sum()))
                share *= p.sum() / p[at]
                x, candidates = candidates[at], candidates[at + 1 :]
                held = held & self.bits[x]
                candidates = np.ascontiguousarray(candidates[self.column[candidates] != self.column[x]])
        return total / PROBES

    def cover(self, rules: SetRules, enough: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Go through rules in order; a row leaves when ``enough`` kept rules have covered it.

        Returns
        -------
        kept : (r,) which rules were kept: each is right on at least one row that was still there
        counts : (r, K) the weight of the rows that each kept rule covered among them, per class
        left : (K,) the weight of the rows that no kept rule covered, per class
        """
        uncovered, covered = self.all[0].copy(), np.zeros(self.all.size * 64, np.int32)
        which, class_counts = [np.zeros(0, np.int64)], [np.zeros((0, self.K))]
        step = max(1, CELLS // self.K)
        for first in range(0, len(rules), step):  # so that counts of rules that are not kept take little room
            some = slice(first, first + step)
            kept = np.zeros(len(rules.answer[some]), np.uint8)
            counts = np.zeros((len(kept), self.K))
            start = rules.start[first : first + step + 1]
            _class_sets.cover_in_order(
                rows=self._rows,
                start=start,
                items=rules.items,
                classes=rules.answer[some],
                enough=enough,
                left=uncovered,
                covered=covered,
                kept=kept,
                counts=counts,
            )
            which.append(first + np.flatnonzero(kept))
            class_counts.append(counts[kept > 0])
            if not uncovered.any():
                break
        left = self._class_counts(covered[self.place] == 0)
        return np.concatenate(which), np.concatenate(class_counts), left

    def left_over(self, rules: SetRules) -> np.ndarray:
        """(K,) the weight of the rows that hold none of the sets, per class."""
        held = np.zeros(self.bits.shape[1], np.uint64)
        for r in np.argsort(rules.size, kind="stable"):  # short sets are held by most rows
            held |= np.bitwise_and.reduce(self.bits[rules.items[rules.start[r] : rules.start[r + 1]]])
            if np.array_equal(held, self.all[0]):
                break
        return self._class_counts(~self.rows(held))

    def rows(self, held: np.ndarray) -> np.ndarray:
        """(n,) bool: the rows of a bitset."""
        return (held[self.place >> 6] >> (self.place & 63).astype(np.uint64) & np.uint64(1)).astype(bool)

    def _class_counts(self, rows: np.ndarray) -> np.ndarray:
        w = None if self.w is None else self.w[rows]
        return np.bincount(self.y[rows], w, minlength=self.K).astype(np.float64)


class _Walk:
    """The walk through all frequent sets, one first item after the other."""

    def __init__(self, sets: ClassSets, order: np.ndarray, search: dict[str, Any], limit: int, who: str):
        self.sets, self.order, self.limit, self.who = sets, order, limit, who
        self.depth, self.search = search["max_length"], _class_sets.Search(**search)
        self.counted, self.lock = 0, Lock()
        self.words = sets.bits.shape[1]

    def run(self) -> list[SetRules]:
        first = range(len(self.order) - 1)
        big = len(self.order) ** 2 * self.words > WORTH_THREADS
        with progress(len(first), "frequent sets") as self.bar:
            return [part for parts in in_threads(self.below, first, None if big else 1) for part in parts]

    def below(self, first: int) -> list[SetRules]:
        """The sets that begin with one item."""
        m, depth = len(self.order), self.depth
        room = max(ROOM, m)
        items, size = np.empty(room * depth, np.int32), np.empty(room, np.int32)
        answer, count = np.empty(room, np.int32), np.empty((room, 2))
        path, over, parts = np.zeros(depth + 1, np.int32), False, []
        while not over:
            counted, written, used, over = _class_sets.mine_below(
                rows=self.sets._rows,
                column=self.sets.column,
                order=self.order,
                first=first,
                rank=self.sets.rank,
                search=self.search,
                budget=max(1, BUDGET // self.words),
                path=path,
                out_items=items,
                out_size=size,
                out_class=answer,
                out_count=count,
            )
            with self.lock:
                self.counted += counted
            if self.counted > self.limit:
                raise ParameterError(
                    _too_many(f"more than {self.limit} item sets", self.limit, depth, self.who)
                )
            if written:
                start = np.concatenate([[0], np.cumsum(size[:written])]).astype(np.int64)
                correct, n = count[:written].T.copy()
                parts.append(SetRules(start, items[:used].copy(), answer[:written].copy(), correct, n))
        self.bar.advance()
        return parts


def _too_many(what: str, limit: int, depth: int, who: str) -> str:
    return (
        f"{who}: {what} of up to {depth} items would have to be counted, and limit allows {limit}. "
        "Raise min_support, lower max_length, or raise limit."
    )
