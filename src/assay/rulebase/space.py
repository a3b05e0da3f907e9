"""The space of all rows, cut at the ends of the conditions of some rules.

Each column is cut at the ends of all conditions on it. Between two neighbouring cuts no condition changes, so
one number stands for all of them: a row made of such numbers stands for a whole box of rows, and a box that a check
returns has a row that shows it. A weighted sum of columns is cut alike, as if it were a column; whether a box that
is made of sums has any row at all is a linear programme.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.rulebase.conditions import Condition, LinearCondition

if TYPE_CHECKING:
    from assay.rulebase.rules import RuleBase

__all__ = ["MOST_BOXES", "MOST_PROGRAMMES", "Space"]

MOST_BOXES = 20_000  # looked at before a check gives up
MOST_LOOKS = 2_000_000  # at a rule in a box before a check gives up
MOST_PROGRAMMES = 2_000  # linear programmes before a check gives up
_Key = int | tuple[tuple[int, float], ...]  # a column, or the terms of a sum


class Space:
    """The space of all rows, cut at the ends of the conditions."""

    def __init__(self, base: RuleBase, missing: bool):
        self.base, self.schema, self.missing = base, base.schema, missing
        self.programmes = 0
        self.asked: list[dict[_Key, list[Any]]] = []
        for rule in base.rules:
            asked: dict[_Key, list[Any]] = {}
            for c in rule.conditions:
                if isinstance(c, LinearCondition):
                    asked.setdefault(c.terms, []).append(c)
                elif isinstance(c, Condition):
                    asked.setdefault(c.column, []).append(c)
                else:
                    raise TypeError(f"RuleBase: a {type(c).__name__} cannot be checked.")
            self.asked.append(asked)
        keys = list(dict.fromkeys(key for asked in self.asked for key in asked))
        self.keys = sorted(keys, key=lambda k: (isinstance(k, tuple), str(k)))
        self.sums = [key for key in self.keys if isinstance(key, tuple)]
        for key in self.sums:  # a sum asks for its columns, too
            for j, _ in key:
                if j not in self.keys:
                    self.keys.append(j)
        self.ends: dict[_Key, frozenset[float]] = {}
        self.values = {key: self._cut(key) for key in self.keys}
        made: dict[Any, np.ndarray] = {}  # rules share conditions
        for column, tests in {(k, tuple(t)): None for asked in self.asked for k, t in asked.items()}:
            made[column, tests] = self._mask(column, tests)
        self.masks = [{key: made[key, tuple(tests)] for key, tests in asked.items()} for asked in self.asked]

    def _cut(self, key: _Key) -> np.ndarray:
        """One number for each piece of a column or sum; last NaN for a missing value."""
        if isinstance(key, int) and self.schema[key].coded:
            return np.array([*range(len(self.schema[key].categories)), math.nan])
        tests = [c for asked in self.asked for c in asked.get(key, ())]
        ends = sorted({v for c in tests for v in (c.low, c.high) if math.isfinite(v)})
        if not ends:
            return np.array([0.0, math.nan])
        pieces = [_below(ends[0])]
        for a, b in zip(ends, [*ends[1:], math.inf]):
            pieces += [a, _between(a, b)]
        self.ends[key] = frozenset(ends)
        return np.array([*(p for p in pieces if not math.isnan(p)), math.nan])

    def _mask(self, key: _Key, tests: tuple[Any, ...]) -> np.ndarray:
        """Which pieces meet all these conditions."""
        values = self.values[key]
        held = np.ones(len(values), bool)
        for c in tests:
            if isinstance(c, LinearCondition):
                held &= (values > c.low if c.low != -math.inf else ~np.isnan(values)) & (values <= c.high)
            else:
                held &= replace(c, column=0).covers(values[:, None])
        return held

    def everything(self) -> dict[_Key, np.ndarray]:
        """The box of all rows."""
        box = {key: np.ones(len(values), bool) for key, values in self.values.items()}
        if not self.missing:
            for mask in box.values():
                mask[-1] = False
        return box

    def box(self, r: int) -> dict[_Key, np.ndarray]:
        """The box of the rows that a rule covers."""
        return self.meet(self.everything(), self.masks[r])

    def meet(self, a: dict[_Key, np.ndarray], b: dict[_Key, np.ndarray]) -> dict[_Key, np.ndarray]:
        return {key: mask & b[key] if key in b else mask for key, mask in a.items()}

    # ------------------------------------------------------------------ pairs of rules

    def overlaps(self) -> np.ndarray:
        """(R, R) bool above the diagonal: which pairs of rules share a piece of every column."""
        R = len(self.masks)
        shared = np.triu(np.ones((R, R), bool), 1)
        for key in self.keys:
            rules = [r for r in range(R) if key in self.masks[r]]
            if not rules:
                continue
            allowed = self.everything()[key]
            held = np.array([self.masks[r][key] & allowed for r in rules], np.float32)
            shared[np.ix_(rules, rules)] &= held @ held.T > 0
            never = [r for r, row in zip(rules, held) if not row.any()]
            shared[never, :] = shared[:, never] = False
        return shared

    def inside(self) -> np.ndarray:
        """(R, R) bool: whether the rule of the row covers nothing that the rule of the column does not cover."""
        R = len(self.masks)
        within = ~np.eye(R, dtype=bool)
        for key in self.keys:
            rules = [r for r in range(R) if key in self.masks[r]]
            if not rules:
                continue
            held = np.ones((R, len(self.values[key])), np.float32)
            for r in rules:
                held[r] = self.masks[r][key]
            within &= held @ (1 - held).T == 0
        empty = [r for r in range(R) if any(not mask.any() for mask in self.masks[r].values())]
        within[empty, :] = True  # a rule that covers nothing is inside of every other
        np.fill_diagonal(within, False)
        return within

    # ------------------------------------------------------------------ what is left over

    def uncovered(self, start: dict[_Key, np.ndarray], rules: list[int]) -> tuple[Any, bool]:
        """A row of the box that none of the rules covers, or None; and whether that is sure.

        A box that a rule covers as a whole is done; a box that no rule touches is searched for a row; any other box
        is cut in two where the fewest rules lie on both sides.
        """
        todo, looked, sure = [(start, rules)], 0, True
        looks = 0
        while todo:
            box, live = todo.pop()
            looked, looks = looked + 1, looks + len(live)
            if looked > MOST_BOXES or looks > MOST_LOOKS or self.programmes > MOST_PROGRAMMES:
                return None, False
            if any(not mask.any() for mask in box.values()):
                continue
            touching = [r for r in live if all((box[k] & m).any() for k, m in self.masks[r].items())]
            if any(all(m[box[k]].all() for k, m in self.masks[r].items()) for r in touching):
                continue
            if not touching:
                row = self.row_in(box)
                if row is not None:
                    return row, True
                sure = sure and self.last_was_sure
                continue
            key, side = self._best_cut(box, touching)
            todo += [({**box, key: box[key] & ~side}, touching), ({**box, key: box[key] & side}, touching)]
        return None, sure

    def _best_cut(self, box: dict[_Key, np.ndarray], rules: list[int]) -> tuple[_Key, np.ndarray]:
        """A column and the pieces of one side of a cut of it."""
        best: tuple[Any, _Key, np.ndarray] | None = None
        for key in self.keys:
            asking = [self.masks[r][key] & box[key] for r in rules if key in self.masks[r]]
            asking = [m for m in asking if not m[box[key]].all()]
            if not asking:
                continue
            held, others = np.array(asking), len(rules) - len(asking)
            for side in self._sides(key, box[key], held):
                left, right = (held & side).any(axis=1).sum(), (held & ~side).any(axis=1).sum()
                score = (left + right + 2 * others, max(left, right))
                if best is None or score < best[0]:
                    best = score, key, side
        assert best is not None  # a rule that touches a box but does not cover it asks something there
        return best[1], best[2]

    def _sides(self, key: _Key, mask: np.ndarray, held: np.ndarray) -> list[np.ndarray]:
        """Ways to cut the pieces of a column in two: missing or known, by threshold, or by a set of categories."""
        sides = []
        if mask[-1] and mask[:-1].any():
            side = np.zeros(len(mask), bool)
            side[-1] = True
            return [side]
        if isinstance(key, int) and self.schema[key].kind == "nominal":
            sides = list(np.unique(held, axis=0)[:64])
        else:
            inside = np.flatnonzero(mask)
            steps = np.flatnonzero((held[:, inside[1:]] != held[:, inside[:-1]]).any(axis=0))
            if len(steps) > 64:
                steps = steps[np.linspace(0, len(steps) - 1, 64).astype(int)]
            for step in steps:
                side = np.zeros(len(mask), bool)
                side[inside[: step + 1]] = True
                sides.append(side)
        return [s for s in sides if (s & mask).any() and (mask & ~s).any()]

    # ------------------------------------------------------------------ a row of a box

    def row_in(self, box: dict[_Key, np.ndarray]) -> np.ndarray | None:
        """(d,) a row of the box, or None; ``last_was_sure`` is whether that is certain."""
        self.last_was_sure = True
        if any(not mask.any() for mask in box.values()):
            return None
        row = np.full(len(self.schema), np.nan)
        for j, column in enumerate(self.schema):
            row[j] = 0.0 if not column.coded or column.categories else np.nan
        must = {key for key in self.sums if not box[key][-1]}  # sums whose columns must all be known
        known = {j for key in must for j, _ in key}
        for key in self.sums:  # sums of which one column must be missing: any that may be
            if box[key][:-1].any() or any(not box[j][:-1].any() for j, _ in key):
                continue
            free = [j for j, _ in key if box[j][-1] and j not in known]
            if not free:
                return None
            box = {**box, free[0]: _only_last(box[free[0]])}
        for key in self.sums:  # sums that are limited where their columns are known
            if not box[key].all() and box[key][:-1].any() and all(box[j][:-1].any() for j, _ in key):
                must.add(key)
                known |= {j for j, _ in key}
        for j in (k for k in self.keys if isinstance(k, int)):
            if j in known and not box[j][:-1].any():
                return None
            row[j] = self.values[j][int(np.argmax(box[j]))]  # the first piece; missing is the last
        if not must:
            return row
        return self._solve(box, row, must, known)

    def _solve(self, box: Any, row: np.ndarray, must: set[Any], known: set[int]) -> np.ndarray | None:
        """Numbers for the columns of the sums such that all of them lie inside of the box.

        At first away from all ends, where rounding does no harm; if there is no such place, at ends that are closed.
        """
        columns = sorted(known)
        place = {j: i for i, j in enumerate(columns)}
        upper, limits, strict, loose = [], [], [], []
        wanted: list[tuple[Any, _Key]] = [(((j, 1.0),), j) for j in columns]
        for terms, key in [*wanted, *((key, key) for key in must)]:
            weights = np.zeros(len(columns))
            for j, w in terms:
                weights[place[j]] += w
            low, low_in, high, high_in = self.span(key, box[key])
            for end, weight, inside in ((high, weights, high_in), (-low, -weights, low_in)):
                if math.isfinite(end):
                    upper, limits = [*upper, weight], [*limits, end]
                    strict, loose = [*strict, not inside], [*loose, low < high]
        for away in [loose, strict] if loose != strict else [strict]:
            solution = self._programme(upper, limits, away, len(columns))
            if solution.status == 0 and (not any(away) or solution.x[-1] > 0):
                for digits in (None, 12, 9, 6, 3, 0):
                    x = solution.x[:-1]
                    row[columns] = x if digits is None else np.round(x, digits)
                    if self._inside(box, row):
                        return row
                self.last_was_sure = False
                continue
            self.last_was_sure = self.last_was_sure and solution.status in (0, 2)
        return None

    def _programme(self, upper: list[Any], limits: list[float], away: list[bool], d: int) -> Any:
        """The linear programme of d columns: as far away from some of the limits as can be."""
        from scipy.optimize import linprog

        self.programmes += 1
        scale = [max(abs(limit), 1.0) for limit in limits]
        rows = np.array([np.append(w, s * f) for w, s, f in zip(upper, away, scale)]).reshape(-1, d + 1)
        bounds = [(None, None)] * d + [(0.0, 1.0)]
        cost = np.append(np.zeros(d), -1.0)
        return linprog(cost, rows if len(rows) else None, limits or None, bounds=bounds)

    def _inside(self, box: Any, row: np.ndarray) -> bool:
        """Whether the row, as conditions see it, lies in the box."""
        for key, mask in box.items():
            x = row[key] if isinstance(key, int) else float(sum(w * row[j] for j, w in key))
            if not mask[self.piece(key, x)]:
                return False
        return True

    def piece(self, key: _Key, x: float) -> int:
        """The number of the piece that a value lies in."""
        values = self.values[key]
        if math.isnan(x):
            return len(values) - 1
        if isinstance(key, int) and self.schema[key].coded:
            return int(x) if 0 <= x < len(values) - 1 else len(values) - 1
        at = int(np.searchsorted(values[:-1], x))  # pieces take turns: a gap, an end, a gap, ...
        if at == len(values) - 1:
            return at - 1
        return at if values[at] == x or values[at] not in self.ends.get(key, ()) else max(at - 1, 0)

    def span(self, key: _Key, mask: np.ndarray) -> tuple[float, bool, float, bool]:
        """The interval that the chosen pieces make: its ends, and whether they belong to it."""
        values, ends = self.values[key][:-1], self.ends.get(key, frozenset())
        chosen = np.flatnonzero(mask[:-1])
        first, last = int(chosen[0]), int(chosen[-1])
        low, high = float(values[first]), float(values[last])
        low_in, high_in = low in ends, high in ends  # a gap is open towards the end beside it
        if not low_in:
            low = float(values[first - 1]) if first else -math.inf
        if not high_in:
            high = float(values[last + 1]) if last + 1 < len(values) else math.inf
        return low, low_in, high, high_in

    def shown(self, row: np.ndarray) -> dict[str, Any]:
        """The row in the columns' own values: those of columns that occur in a rule."""
        asked = sorted(
            {j for key in self.keys for j in ([key] if isinstance(key, int) else [j for j, _ in key])}
        )
        return {self.schema[j].name: self.schema.label(j, row[j]) for j in asked}


def _below(x: float) -> float:
    return x - max(1.0, abs(x) * 0.5) if abs(x) < 1e300 else math.nextafter(x, -math.inf)


def _between(a: float, b: float) -> float:
    """A number between two ends, a round one if there is any; NaN if there is none."""
    if b == math.inf:
        up = a + max(1.0, abs(a) * 0.5)
        return up if up < math.inf else math.nextafter(a, math.inf)
    middle = a / 2 + b / 2
    whole = math.floor(middle) if abs(middle) < 1e15 else middle
    if a < whole < b:
        return float(whole)
    if a < middle < b:
        return middle
    up = math.nextafter(a, math.inf)
    return up if up < b else math.nan


def _only_last(mask: np.ndarray) -> np.ndarray:
    only = np.zeros(len(mask), bool)
    only[-1] = mask[-1]
    return only
