"""How CPAR grows the rules of one class: by weighted gain, branching where items are nearly as good as the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import assay.rules.associative._class_sets as _class_sets
from assay.core.parallel import end_if_abandoned
from assay.rulebase.measures import foil_gain

__all__ = ["ClassGrowth", "GrowthSettings"]

BRANCHES = 64  # rules that one growth may end in; redundant columns could give any number
EQUAL = 1e-12  # gains that differ by less, in parts, are equal
AFRESH = 0.5  # sums are added up anew when so much of the weight is left, before what was subtracted leaves its mark


@dataclass(frozen=True)
class GrowthSettings:
    """When a rule and a class are done: see the parameters of CPARClassifier."""

    decay: float
    min_weight: float
    min_gain: float
    similarity: float
    base: float


class Branch(NamedTuple):
    """A rule that grows: its items, the rows that it covers (None: all), the weight of its class and of others."""

    items: tuple[int, ...]
    rows: np.ndarray | None
    p: float
    n: float


class ClassGrowth:
    """The rows of a table, some of the class and some not, and what those of the class still weigh.

    Parameters
    ----------
    codes : (n, d) int32, the items of each row, -1 for none      column : (m,) the column of each item
    positive : (n,) bool, rows of the class      weight : (n,) float64, changed while rules are found
    """

    def __init__(
        self,
        codes: np.ndarray,
        column: np.ndarray,
        positive: np.ndarray,
        weight: np.ndarray,
        settings: GrowthSettings,
    ):
        self.codes, self.column, self.positive, self.weight, self.settings = (
            codes,
            column,
            positive,
            weight,
            settings,
        )
        self.by_column = np.ascontiguousarray(codes.T)
        self.side = positive.astype(np.uint8)
        self.everything = np.arange(len(positive))
        self.against = float(weight[~positive].sum())
        self.loss = np.zeros(len(positive))
        self._add_up()

    def rules(self) -> list[tuple[int, ...]]:
        """All rules of the class, as sets of items, in the order in which they are found; some come again."""
        rules, enough = [], self.settings.min_weight * self.left * (1 + EQUAL)
        while self.left > enough:
            end_if_abandoned()
            finished = self._grow()
            if not finished:
                break
            for items, rows in finished:
                self._decay(rows)
                rules.append(items)
            if self.left < AFRESH * self.fresh:
                self._add_up()
        return rules

    def _add_up(self) -> None:
        """The weight of the class, and of each item's rows in it and outside."""
        self.sums = self._sums(self.everything)
        self.left = self.fresh = float(self.weight[self.positive].sum())

    def _sums(self, rows: np.ndarray) -> np.ndarray:
        sums = np.zeros((len(self.column), 2))
        _class_sets.item_weights(self.codes, rows, self.side, self.weight, sums)
        return sums

    def _decay(self, rows: np.ndarray) -> None:
        """Rows of the class that a finished rule covers count less from now on."""
        hit = rows[self.positive[rows]]
        lost = self.weight[hit] * (1 - self.settings.decay)
        self.weight[hit] -= lost
        self.loss[hit] = lost
        change = np.zeros_like(self.sums)
        _class_sets.item_weights(self.codes, hit, self.side, self.loss, change)
        self.sums -= change
        self.left -= float(lost.sum())

    def _grow(self) -> list[tuple[tuple[int, ...], np.ndarray]]:
        """The rules that begin with the best items, each with the rows that it covers; none if no item gains enough."""
        finished: list[tuple[tuple[int, ...], np.ndarray]] = []
        todo, ways = [Branch((), None, self.left, self.against)], set()
        while todo:
            branch = todo.pop()
            sums = self.sums if branch.rows is None else None
            if branch.rows is not None and branch.n > 0:
                sums = self._sums(branch.rows)
            literals = self._literals(branch, sums)
            if not len(literals) and branch.rows is not None:
                finished.append((tuple(sorted(branch.items)), branch.rows))
            free = max(1, BRANCHES - len(finished) - len(todo))
            for x in literals[:free][::-1].tolist():  # the best is on top
                way = tuple(sorted((*branch.items, x)))
                if way not in ways and sums is not None:
                    ways.add(way)
                    todo.append(Branch((*branch.items, x), self._rows(branch.rows, x), *sums[x].tolist()))
        return finished

    def _literals(self, branch: Branch, sums: np.ndarray | None) -> np.ndarray:
        """The items that a rule may grow by, the best first."""
        if sums is None or branch.n <= 0 or not len(sums):
            return np.zeros(0, np.int64)
        settings = self.settings
        gain = foil_gain(branch.p, branch.n, *np.maximum(sums, 0.0).T) * (np.log(2) / np.log(settings.base))
        least = max(settings.min_gain, settings.similarity * gain.max()) * (1 - EQUAL)
        good = np.flatnonzero(gain >= least)
        return good[np.argsort(-gain[good].round(9), kind="stable")]

    def _rows(self, rows: np.ndarray | None, x: int) -> np.ndarray:
        """Those of some rows that hold an item."""
        values = self.by_column[self.column[x]]
        return np.flatnonzero(values == x) if rows is None else rows[values[rows] == x]
