"""Counterfactual explanations: the smallest changes of a row that lead to another answer."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from assay.rulebase.conditions import Condition, LinearCondition
from assay.rulebase.posterior import best_order, rules_numbers, rules_posterior
from assay.rulebase.rules import RuleBase

__all__ = ["OtherAnswer", "other_answers"]

MOST_STEPS = 1000  # rows tried for one answer
MOST_WORK = 500_000  # rows times rules for all answers
MOST_BOXES = 4_000  # boxes kept in mind for one answer
MOST_RULES = 200  # of a class that are taken into account, the nearest to the row; of fewer all
MOST_ANSWERS = 8  # other answers that are looked for
Answer = Callable[[np.ndarray], np.ndarray]  # what a model answers for the rows of a block
Box = np.ndarray  # (pieces of all columns, one after the other) bool: which of them a row may lie in
Boxes = np.ndarray  # (m, pieces) bool
Test = Callable[[np.ndarray], np.ndarray]  # which rows of a block are wanted


@dataclass(frozen=True)
class OtherAnswer:
    """An answer and the conditions, one a column, that a row would have to meet for it; the rest of it stays.

    ``row`` is such a row, and was tried: the model answers so.
    """

    answer: Any
    conditions: tuple[Condition, ...]
    row: np.ndarray


def other_answers(base: RuleBase, x: np.ndarray, answer: Answer | None = None) -> list[OtherAnswer]:
    """For each other answer the smallest change of the row that leads to it, those of few columns first.

    The search goes through boxes of rows, at first that of all rows. In a box the row that differs least from x is
    tried. If the model answers something else there, the box is replaced by smaller ones: without the rules that
    decided, or inside of rules that would decide otherwise. A box whose rows differ in fewer columns comes first, so
    that the first success has the fewest changes. A search that takes too long is given up; of very many rules only
    the nearest ones count. For rules about weighted sums, changes of one column are tried.

    Parameters
    ----------
    base : RuleBase
    x : (d,) the row as a float block has it
    answer : function of a block, or None
        What the model answers; None asks the rules.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.rulebase.rules import RuleBase
    >>> from assay.rules.other_answers import other_answers
    >>> from assay.tables import Schema
    >>> base = RuleBase.parse("x0 > 2 and x1 <= 5 => yes" + chr(10) + "else no", Schema.numeric(2))
    >>> (other,) = other_answers(base, np.array([1.0, 3.0]))
    >>> str(other.answer), [c.words(base.schema) for c in other.conditions]
    ('yes', ['x0 > 2'])
    """
    predict = partial(_predicted_by_rules, base) if answer is None else answer
    now = predict(x[None, :])[0]
    if any(isinstance(c, LinearCondition) for rule in base.rules for c in rule.conditions):
        return _one_column(base, x, predict, now)
    search = _Search(base, x, predict)
    if base.classes is None:
        return search.numbers() if base.policy == "first" else []
    wanted = _wanted(base, now)
    search.share = max(1, len(wanted))
    return sorted(search.towards(wanted), key=lambda result: len(result.conditions))


def _predicted_by_rules(base: RuleBase, block: np.ndarray) -> np.ndarray:
    """What the rules answer; where no rule holds and no default is, the class that is most frequent, or NaN."""
    if base.default is not None:
        return base.predict_block(block)
    if base.classes is None:
        return rules_numbers(base, block)
    return np.array(base.classes, dtype=object)[rules_posterior(base, block).argmax(axis=1)]


def _wanted(base: RuleBase, now: Any) -> list[Any]:
    """The other classes that any rule or the default names, the most probable ones if they are many."""
    named = {rule.answer for rule in base.rules} | {base.default}
    if base.policy == "counts":  # rules add to classes that they do not name
        named |= {c for c, votes in zip(base.classes or (), base._ballots.sum(axis=0)) if votes}
    posterior = base._given[-1] if not base.rules else base._given[: len(base.rules)].max(axis=0)
    order = np.argsort(-posterior, kind="stable")
    classes: Any = base.classes
    return [classes[k] for k in order if classes[k] in named and classes[k] != now][:MOST_ANSWERS]


class _Search:
    """Boxes of rows around one row."""

    def __init__(self, base: RuleBase, x: np.ndarray, answer: Answer):
        self.base, self.x, self.answer, self.share = base, x, answer, 1
        self.space = base._space
        self.at = {j: self.space.piece(j, float(x[j])) for j in self.space.keys if isinstance(j, int)}
        self.order = best_order(base) if base.policy == "best" else np.arange(len(base.rules))
        self.turn = np.empty(len(base.rules), int)
        self.turn[self.order] = np.arange(len(base.rules))
        everything = self.space.everything()
        for j, mask in everything.items():
            mask[-1] = self.at[j] == len(mask) - 1  # type: ignore[index]  # a change to missing is never suggested
        self.columns: list[Any] = list(everything)
        ends = np.cumsum([len(mask) for mask in everything.values()], dtype=int)
        self.first = ends - [len(mask) for mask in everything.values()]
        self.part = {
            j: slice(low, high) for j, low, high in zip(self.columns, self.first.tolist(), ends.tolist())
        }
        self.here = self.first + np.array([self.at[j] for j in self.columns], int)  # where x lies
        self.start: Box = np.concatenate([np.empty(0, bool), *everything.values()])
        self.boxes: dict[int, Box] = {}  # of rules that were needed so far
        self.outsides: dict[int, Boxes] = {}  # the same
        self.length = np.array([len(mask) for mask in everything.values()])
        self.by_number = np.array([self._takes_first(j) for j in self.columns], bool)
        pieces = [
            np.arange(len(mask)) if self._takes_first(j) else np.abs(np.arange(len(mask)) - self.at[j])  # type: ignore[index]
            for j, mask in everything.items()
        ]
        self.rank = np.concatenate([np.empty(0), *pieces])  # the piece of a column with the least is taken
        missed = [sum(not m[self.at[k]] for k, m in masks.items()) for masks in self.space.masks]  # type: ignore[index]
        self.missed = np.array(missed, int)  # columns that must change before the rule holds
        self.nearest = np.argsort(self.missed, kind="stable")

    def towards(self, wanted: list[Any]) -> list[OtherAnswer]:
        """The smallest changes that make the model answer these classes, in their order."""
        groups: dict[
            tuple[bytes, bytes], list[Any]
        ] = {}  # classes for which the same rules help: one search finds all
        helpful = {c: self._helpful(c) for c in wanted}
        for c, (comes, goes) in helpful.items():
            groups.setdefault((comes.tobytes(), goes.tobytes()), []).append(c)
        results: list[OtherAnswer] = []
        for members in groups.values():
            comes, goes = helpful[members[0]]
            near = self.nearest[comes[self.nearest]][:MOST_RULES]
            results += self._first(self.start, self.answer, members, lambda row: self._ways(row, near, goes))  # noqa: B023
        place = {c: k for k, c in enumerate(wanted)}
        return sorted(results, key=lambda result: place[result.answer])

    def _helpful(self, wanted: Any) -> tuple[Any, Any]:
        """(R,) bool twice: rules that can lead to the wanted class if they begin, and if they cease, to hold."""
        R, classes = len(self.base.rules), self.base.classes or ()
        if self.base.policy in ("first", "best"):
            named = np.array([rule.answer == wanted for rule in self.base.rules], bool)
            return named, ~named
        if self.base.top is not None or self.base.policy == "laplace":
            # any rule can exclude another one from the vote, or lower the mean of its class
            return np.ones(R, bool), np.ones(R, bool)
        k, votes = classes.index(wanted), self.base._ballots
        votes_for, others = votes[:, [k]], np.delete(votes, k, axis=1)
        level = (votes_for >= others).all(axis=1)  # where no rule holds, the first of equal classes wins
        return level | (votes_for > others).any(axis=1), (votes_for <= others).any(axis=1)

    def numbers(self) -> list[OtherAnswer]:
        """For rules of numbers: the nearest other rules that would decide."""
        now = self.base.firing_block(self.x[None, :])[0]
        results: list[OtherAnswer] = []
        for r in self.nearest.tolist():
            if r == now:
                continue
            if len(results) >= 3 and sorted(len(known.conditions) for known in results)[2] <= self.missed[r]:
                break  # no rule that is further away needs fewer changes
            box = self.start & self._box(r)
            results += self._first(box, self.base.firing_block, [r], self._before)
        return sorted(results, key=lambda known: len(known.conditions))[:3]

    def _box(self, r: int) -> Box:
        """The box of the rows that a rule covers."""
        if r not in self.boxes:
            self.boxes[r] = np.ones(len(self.start), bool)
            for j, mask in self.space.masks[r].items():
                self.boxes[r][self.part[j]] = mask  # type: ignore[index]
        return self.boxes[r]

    def _outside(self, r: int) -> Boxes:
        """Boxes that together hold the rows that a rule does not cover: one for each of its columns."""
        if r not in self.outsides:
            masks = self.space.masks[r]
            self.outsides[r] = np.ones((len(masks), len(self.start)), bool)
            for box, (j, mask) in zip(self.outsides[r], masks.items()):
                box[self.part[j]] = ~mask  # type: ignore[index]
        return self.outsides[r]

    def _first(
        self, start: Box, outcome: Answer, wanted: list[Any], ways: Callable[[np.ndarray], Boxes]
    ) -> list[OtherAnswer]:
        """The smallest change for each wanted outcome that is found; ``ways`` gives the limits of smaller boxes."""
        todo: list[Any] = []
        visited: set[bytes] = set()
        results: list[OtherAnswer] = []
        left = list(wanted)

        def push(boxes: Boxes) -> None:
            boxes = boxes[np.logical_or.reduceat(boxes, self.first, axis=1).all(axis=1)]
            changed, far = self._costs(boxes)
            for box, key, *cost in zip(boxes, np.packbits(boxes, axis=1), changed.tolist(), far.tolist()):
                if (name := key.tobytes()) not in visited:
                    visited.add(name)
                    heapq.heappush(todo, (*cost, len(visited), box))

        push(start[None, :])
        for _ in range(min(MOST_STEPS, 20 + MOST_WORK // (self.share * (len(self.base.rules) + 1)))):
            if not todo or len(visited) > MOST_BOXES:
                break
            box = heapq.heappop(todo)[-1]
            row = self._nearest(box)
            now = outcome(row[None, :])[0]
            for goal in [goal for goal in left if goal == now]:
                left.remove(goal)
                results.append(self._described(box, row, partial(_equal_to, outcome, goal)))
            if not left:
                break
            push(box & ways(row))
        return results

    def _ways(self, row: np.ndarray, near: np.ndarray, goes: np.ndarray) -> Boxes:
        """Limits of smaller boxes that hold every row of this one that gets the wanted class."""
        fired = self.base.covers_block(row[None, :])[0]
        top = {"first": 1, "best": 1, "laplace": None}.get(self.base.policy, self.base.top)
        heard = self.order[fired[self.order]][:top].tolist()
        last = len(fired) if top is None or len(heard) < top else self.turn[heard[-1]]
        inside = [self._box(r)[None, :] for r in near.tolist() if not fired[r] and self.turn[r] < last]
        outside = [self._outside(r) for r in [r for r in heard if goes[r]][:MOST_RULES]]
        return np.concatenate([self.start[None, :][:0], *inside, *outside])

    def _before(self, row: np.ndarray) -> Boxes:
        """Boxes without the rule that decides now."""
        return self._outside(int(self.base.firing_block(row[None, :])[0]))

    def _changes(self, box: Box) -> list[Any]:
        """The columns in which every row of the box differs from x."""
        return [self.columns[c] for c in (~box[self.here]).nonzero()[0].tolist()]

    def _costs(self, boxes: Boxes) -> tuple[np.ndarray, np.ndarray]:
        """(m,) how many columns must change, and then by how many pieces of the columns; no box is empty."""
        changed = ~boxes[:, self.here]
        least = np.minimum.reduceat(np.where(boxes, self.rank, np.inf), self.first, axis=1)
        pieces = np.where(self.by_number, np.abs(least - (self.here - self.first)), least)
        return changed.sum(axis=1), (changed * pieces / self.length).sum(axis=1)

    def _takes_first(self, j: Any) -> bool:
        """Whether the nearest piece of a column is the first allowed one: categories, or a missing value in x."""
        return (
            self.base.schema[j].kind == "nominal" or self.at[j] == self.part[j].stop - self.part[j].start - 1
        )

    def _near(self, j: int, mask: np.ndarray) -> int:
        """The allowed piece that is nearest to that of the row, which is not allowed; of two the lower one."""
        if self._takes_first(j):
            return int(mask.argmax())
        at = self.at[j]
        down, up = int(mask[at::-1].argmax()), int(mask[at:].argmax())  # 0 where no piece is allowed
        return at - down if down and (down <= up or not up) else at + up

    def _nearest(self, box: Box) -> np.ndarray:
        row = self.x.copy()
        for j in self._changes(box):
            row[j] = self.space.values[j][self._near(j, box[self.part[j]])]
        return row

    # ------------------------------------------------------------------ in words

    def _described(self, box: Box, row: np.ndarray, good: Test) -> OtherAnswer:
        """The change as conditions, each as wide as the answer allows."""
        changed = self._changes(box)
        wide = {j: self._wide(j, box[self.part[j]], row, good) for j in changed}
        sizes = math.prod(int(mask.sum()) for mask in wide.values())
        if len(changed) > 1 and (sizes > 256 or not good(self._rows(wide, row)).all()):
            for j in changed:  # wide one by one, yet not all together
                only = np.zeros(len(wide[j]), bool)
                only[self.space.piece(j, row[j])] = True
                wide[j] = only
        conditions = tuple(self._condition(j, mask) for j, mask in wide.items())
        return OtherAnswer(self.answer(row[None, :])[0], conditions, row)

    def _wide(self, j: int, mask: np.ndarray, row: np.ndarray, good: Test) -> np.ndarray:
        """The pieces of a column that lead to the same answer: around that of the row, or any categories."""
        mask, here = mask.copy(), self.space.piece(j, row[j])
        mask[-1] = False
        fits = np.zeros(len(mask), bool)
        fits[mask] = good(self._rows({j: mask}, row))
        if self.base.schema[j].kind == "nominal":
            return fits
        gaps = np.flatnonzero(~fits)
        low, high = gaps[gaps < here].max(initial=-1), gaps[gaps > here].min(initial=len(fits))
        fits[: low + 1] = fits[high:] = False
        return fits

    def _rows(self, wide: dict[int, np.ndarray], row: np.ndarray) -> np.ndarray:
        """The row with every combination of the pieces of some columns."""
        pieces = np.array(list(product(*(np.flatnonzero(mask) for mask in wide.values()))), int)
        rows = np.tile(row, (len(pieces), 1))
        for c, j in enumerate(wide):
            rows[:, j] = self.space.values[j][pieces[:, c]]
        return rows

    def _condition(self, j: int, mask: np.ndarray) -> Condition:
        column = self.base.schema[j]
        if column.kind == "nominal":
            return Condition(j, codes=tuple(np.flatnonzero(mask).tolist()))
        if column.coded:
            held = np.flatnonzero(mask)
            return Condition(j, float(held[0]), float(held[-1]), "both").canonical(column)
        low, low_in, high, high_in = self.space.span(j, mask)
        closed = {
            (True, True): "both",
            (True, False): "left",
            (False, True): "right",
            (False, False): "neither",
        }
        return Condition(j, low, high, closed[low_in, high_in]).canonical(column)  # type: ignore[arg-type]


def _equal_to(outcome: Answer, goal: Any, rows: np.ndarray) -> np.ndarray:
    """(n,) whether each row of a block has this outcome."""
    return np.array([now == goal for now in outcome(rows)], bool)


def _one_column(base: RuleBase, x: np.ndarray, answer: Answer, now: Any) -> list[OtherAnswer]:
    """For rules about weighted sums: changes of one column that suffice, the nearest number or any category."""
    best: dict[Any, tuple[float, OtherAnswer]] = {}
    tests = [c for rule in base.rules for c in rule.conditions]
    for j in sorted({j for c in tests for j in c.columns()}):
        column = base.schema[j]
        values = np.arange(float(len(column.categories))) if column.coded else _crossings(tests, j, x)
        if not len(values):
            continue
        rows = np.tile(x, (len(values), 1))
        rows[:, j] = values
        scale = np.abs(values).max() + 1e-300
        for value, new in zip(values, answer(rows)):
            far = 1.0 if column.coded or math.isnan(x[j]) else abs(value - x[j]) / scale
            if new != now and (new not in best or far < best[new][0]):
                condition = (
                    Condition(j, codes=(int(value),)) if column.coded else Condition(j, value, value, "both")
                )
                row = x.copy()
                row[j] = value
                best[new] = far, OtherAnswer(new, (condition,), row)
    return [result for _, result in best.values()][:MOST_ANSWERS]


def _crossings(tests: list[Any], j: int, x: np.ndarray) -> np.ndarray:
    """Numbers of a column at and beside the places where any condition changes its mind, all else as in x."""
    places = []
    for c in tests:
        ends = [v for v in (c.low, c.high) if math.isfinite(v)]
        if isinstance(c, Condition):
            places += ends if c.column == j and c.codes is None else []
            continue
        weight = sum(w for i, w in c.terms if i == j)
        constant = sum(w * x[i] for i, w in c.terms if i != j)
        if weight and math.isfinite(constant):
            places += [(end - constant) / weight for end in ends]
    steps = [v + s * max(abs(v), 1.0) * 1e-6 for v in places for s in (-1, 0, 1)]
    return np.unique([v for v in steps if math.isfinite(v)])
