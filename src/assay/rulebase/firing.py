"""Rules made ready to be applied: their conditions as flat arrays, and which rules cover each row of a block."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import assay.rulebase._firing as _firing
from assay.core.parallel import in_threads
from assay.rulebase.conditions import Condition

__all__ = ["Firing"]

MOST_CODES = 1 << 22  # beyond, a bit for each code would take too much memory
SERIAL_CELLS = 1 << 20  # rows times conditions that stay on one thread
ROWS = 1 << 14  # rows of one piece of work


class Firing:
    """The conditions of some rules as flat arrays; rules of other kinds of conditions are applied one by one.

    Parameters
    ----------
    rules : sequence of Rule

    Examples
    --------
    >>> import numpy as np
    >>> from assay.rulebase.conditions import Condition
    >>> from assay.rulebase.firing import Firing
    >>> from assay.rulebase.rules import Rule
    >>> firing = Firing([Rule((Condition(0, high=2.0),), "a"), Rule((Condition(0, low=1.0),), "b")])
    >>> rows = np.array([[1.0], [2.0], [3.0], [np.nan]])
    >>> firing.first(rows), firing.covers(rows).astype(int).tolist()
    (array([ 0,  0,  1, -1]), [[1, 0], [1, 1], [0, 1], [0, 0]])
    """

    def __init__(self, rules: Sequence[Any]):
        self.rules = tuple(rules)
        conditions = [c for rule in self.rules for c in rule.conditions]
        self.size = len(conditions)
        self.plain = all(type(c) is Condition and _countable(c) for c in conditions)
        if self.plain:
            self._flatten(conditions)

    def first(self, values: Any) -> np.ndarray:
        """(n,) the number of the first rule that covers each row of a float block; -1 if none does."""
        if not self.plain:
            return self._first_one_by_one(_dense(values))
        out = np.empty(values.shape[0], np.int64)
        self._run(_firing.first, values, out)
        return out

    def covers(self, values: Any) -> np.ndarray:
        """(n, R) bool: which rules cover each row of a float block."""
        if not self.plain:
            return self._covers_one_by_one(_dense(values))
        out = np.empty((values.shape[0], len(self.rules)), np.uint8)
        self._run(_firing.cover, values, out)
        return out.view(bool)

    def _run(self, function: Callable[..., None], values: Any, out: np.ndarray) -> None:
        """A native function over the rows, in blocks of rows where there is much to do."""
        n, columns = values.shape[0], self.columns
        if not isinstance(values, np.ndarray) or values.dtype != np.float64 or not values.flags.c_contiguous:
            values, columns = _dense(values[:, self.used]), self.local

        def piece(a: int) -> None:
            function(X=values[a : a + ROWS], column=columns, out=out[a : a + ROWS], **self.arrays)

        if n * (self.size + 1) <= SERIAL_CELLS:
            function(X=values, column=columns, out=out, **self.arrays)
        else:
            in_threads(piece, range(0, n, ROWS))

    def _flatten(self, conditions: list[Condition]) -> None:
        words, pool, n_codes = [], [np.zeros(0, np.uint64)], []
        at = 0
        for c in conditions:
            if c.codes is None:
                words.append(-1)
                n_codes.append(0)
                continue
            bits = np.zeros(max(c.codes, default=-1) // 64 + 1, np.uint64)
            for code in c.codes:
                bits[code >> 6] |= np.uint64(1) << np.uint64(code & 63)
            words.append(at)
            n_codes.append(64 * len(bits))
            pool.append(bits)
            at += len(bits)
        start = np.cumsum([0, *(len(rule.conditions) for rule in self.rules)], dtype=np.int64)
        ends = np.array([_closed_ends(c) for c in conditions], np.float64).reshape(-1, 2)
        self.columns = np.array([c.column for c in conditions], np.int32)
        self.used, local = np.unique(self.columns, return_inverse=True)
        self.local = local.astype(np.int32).reshape(-1)
        low, high = (np.ascontiguousarray(side) for side in ends.T)
        missing = np.array([c.missing for c in conditions], np.uint8)
        words_, n_codes_ = np.array(words, np.int64), np.array(n_codes, np.int64)
        self.arrays = {
            "start": start,
            "low": low,
            "high": high,
            "word": words_,
            "codes": n_codes_,
            "missing": missing,
            "pool": np.concatenate(pool),
        }

    def _first_one_by_one(self, values: np.ndarray) -> np.ndarray:
        first, left = np.full(len(values), -1), np.arange(len(values))
        for r, rule in enumerate(self.rules):
            covered = rule.covers(values[left])
            first[left[covered]] = r
            left = left[~covered]
            if not len(left):
                break
        return first

    def _covers_one_by_one(self, values: np.ndarray) -> np.ndarray:
        masks: dict[Any, np.ndarray] = {}  # rules share conditions: each is applied once
        covered = np.ones((len(values), len(self.rules)), bool)
        for r, rule in enumerate(self.rules):
            for condition in rule.conditions:
                if condition not in masks:
                    masks[condition] = condition.covers(values)
                covered[:, r] &= masks[condition]
        return covered


def _closed_ends(c: Condition) -> tuple[float, float]:
    """The ends of the same interval as numbers that belong to it; (inf, -inf) if there are none."""
    if c.codes is not None:
        return math.inf, -math.inf
    low = c.low if c.low_in or c.low == -math.inf else math.nextafter(c.low, math.inf)
    high = c.high if c.high_in else math.nextafter(c.high, -math.inf)
    empty = (c.low == math.inf and not c.low_in) or (c.high == -math.inf and not c.high_in) or not low <= high
    return (math.inf, -math.inf) if empty else (float(low), float(high))


def _countable(c: Condition) -> bool:
    return c.codes is None or all(0 <= code < MOST_CODES for code in c.codes)


def _dense(values: Any) -> np.ndarray:
    values = values if isinstance(values, np.ndarray) else values.toarray()
    return np.ascontiguousarray(values, np.float64)
