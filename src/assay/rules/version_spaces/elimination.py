"""The steps of candidate elimination: S and all most general boxes as arrays, and what one more row does to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import DegenerateError
from assay.rulebase.conditions import Condition
from assay.rules.version_spaces.box import Box, in_order
from assay.rules.version_spaces.box_sides import AT_ONCE
from assay.rules.version_spaces.version_space import VersionSpace
from assay.tables import Schema

__all__ = ["Bounds", "learned"]


@dataclass
class Bounds:
    """S and the general boxes as arrays: closed ends of S, open ends of each G, and which categories are admitted."""

    schema: Schema
    nominal: str
    has_positive: bool  # whether there was a positive row
    S: tuple[np.ndarray, np.ndarray, np.ndarray]  # (d,) low, (d,) high, (c,) admitted
    low: np.ndarray  # (g, d)
    high: np.ndarray  # (g, d)
    held: np.ndarray  # (g, c)

    @classmethod
    def of(cls, space: VersionSpace) -> Bounds:
        d, c = len(space.schema), int(_starts(space.schema)[-1])
        boxes = [space.specific, *space.general]
        low, high = np.full((len(boxes), d), -np.inf), np.full((len(boxes), d), np.inf)
        held = np.ones((len(boxes), c), bool)
        at = _starts(space.schema)
        for b, box in enumerate(boxes):
            for condition in box.conditions:
                j = condition.column
                if condition.codes is None:
                    low[b, j], high[b, j] = condition.low, condition.high
                else:
                    held[b, at[j] : at[j + 1]] = False
                    held[b, at[j] + np.array(condition.codes, int)] = True
        S = low[0], high[0], held[0]
        return cls(space.schema, space.nominal, not space.specific.empty, S, low[1:], high[1:], held[1:])

    def space(self, old: VersionSpace) -> VersionSpace:
        """The same as boxes, in an order that does not depend on the order of the rows."""
        at = _starts(self.schema)
        boxes = []
        for low, high, held, closed in [
            (*self.S, "both"),
            *((*g, "neither") for g in zip(self.low, self.high, self.held)),
        ]:
            conditions = []
            for j, column in enumerate(self.schema):
                codes = np.flatnonzero(held[at[j] : at[j + 1]])
                if column.kind == "nominal":
                    single = self.nominal == "value" and closed == "both" and len(codes) == 1
                    if single or len(codes) < len(column.categories):
                        conditions.append(Condition(j, codes=tuple(codes.tolist())))
                elif np.isfinite(low[j]) or np.isfinite(high[j]):
                    conditions.append(Condition(j, float(low[j]), float(high[j]), closed))  # type: ignore[arg-type]
            boxes.append(Box(tuple(conditions)))
        general = in_order(boxes[1:], len(self.schema))
        S = boxes[0] if self.has_positive else Box(empty=True)
        return VersionSpace(self.schema, S, general, (), old.positive, old.nominal)

    def positive(self, x: np.ndarray) -> bool:
        """Let S grow to a row; False if no general box covers it, and then nothing changes."""
        codes = self._codes(x)
        keep = self._cover(x, codes)
        if not keep.any():
            return False
        self._choose(keep)
        numbers = np.array([c.kind != "nominal" for c in self.schema])
        low, high, held = self.S
        if not self.has_positive:
            self.S = np.where(numbers, x, -np.inf), np.where(numbers, x, np.inf), codes
            self.has_positive = True
            return True
        held = held | codes
        if self.nominal == "value":
            at = _starts(self.schema)
            for j in np.flatnonzero(~numbers):
                part = held[at[j] : at[j + 1]]
                part[:] = part if part.sum() == 1 else True
        self.S = (
            np.where(numbers, np.minimum(low, x), low),
            np.where(numbers, np.maximum(high, x), high),
            held,
        )
        return True

    def negative(self, x: np.ndarray) -> bool:
        """Let the general boxes shrink from a row; False if it lies in S, and then nothing changes."""
        codes = self._codes(x)
        low, high, held = self.S
        if self.has_positive and bool(((low <= x) & (x <= high)).all() and (held | ~codes).all()):
            return False
        cover = self._cover(x, codes)
        if not cover.any():
            return True
        old = self.low[cover], self.high[cover], self.held[cover]
        parts = [(self.low[~cover], self.high[~cover], self.held[~cover])]
        at = _starts(self.schema)
        for j, column in enumerate(self.schema):
            if column.kind != "nominal":
                for side, ends in (
                    (0, not self.has_positive or x[j] < low[j]),
                    (1, not self.has_positive or x[j] > high[j]),
                ):
                    if ends:
                        parts.append(_with(old, side, j, x[j]))
                continue
            for part in self._restricted(old, slice(at[j], at[j + 1]), int(x[j])):
                parts.append(part)
        self.low, self.high, self.held = (np.concatenate([p[i] for p in parts]) for i in range(3))
        self._choose(self._largest(len(parts[0][0])))
        return len(self.low) > 0

    def _restricted(self, old: Any, at: slice, v: int) -> Any:
        """The boxes with category v of a column not admitted, in each way that leaves S inside."""
        specific = self.S[2][at]
        if self.has_positive and specific[v]:
            return
        if self.nominal == "set":
            without = _copy(old)
            without[2][:, at.start + v] = False
            some = without[2][:, at].any(axis=1)
            yield tuple(a[some] for a in without)
            return
        free = old[2][:, at].all(axis=1)  # a column that already has one category has no smaller condition
        for c in range(at.stop - at.start):
            if c != v and (not self.has_positive or specific[c]):
                restricted = _copy(tuple(a[free] for a in old))
                restricted[2][:, at] = False
                restricted[2][:, at.start + c] = True
                yield restricted

    def _codes(self, x: np.ndarray) -> np.ndarray:
        """(c,) the row's categories, one after the other, as indicators."""
        at = _starts(self.schema)
        codes = np.zeros(int(at[-1]), bool)
        for j, column in enumerate(self.schema):
            if column.kind == "nominal":
                codes[at[j] + int(x[j])] = True
        return codes

    def _cover(self, x: np.ndarray, codes: np.ndarray) -> np.ndarray:
        nominal = np.array([c.kind == "nominal" for c in self.schema])
        inside = nominal | ((self.low < x) & (x < self.high))
        return inside.all(axis=1) & (self.held | ~codes).all(axis=1)

    def _choose(self, keep: np.ndarray) -> None:
        self.low, self.high, self.held = self.low[keep], self.high[keep], self.held[keep]

    def _largest(self, old: int) -> np.ndarray:
        """(g,) which boxes lie in no other; of equal ones the first. The first ``old`` ones do not."""
        g = len(self.low)
        keep = np.asarray((self.low < self.high).all(axis=1))
        step = max(1, AT_ONCE // max(1, g * (self.low.shape[1] + self.held.shape[1])))
        for b in range(old, g, step):
            some = slice(b, b + step)
            inside = (self.low[None] <= self.low[some, None]).all(axis=2)
            inside &= (self.high[None] >= self.high[some, None]).all(axis=2)
            inside &= (self.held[None] | ~self.held[some, None]).all(axis=2)
            later = np.arange(g)[None] >= np.arange(b, min(b + step, g))[:, None]
            keep[some] &= ~(inside & ~(later & self._hold(some)) & keep).any(axis=1)
        return keep

    def _hold(self, some: slice) -> np.ndarray:
        """(some, g) whether each of some boxes holds each of all."""
        held = (self.low[some, None] <= self.low[None]).all(axis=2)
        held &= (self.high[some, None] >= self.high[None]).all(axis=2)
        return held & (self.held[some, None] | ~self.held[None]).all(axis=2)


def _starts(schema: Schema) -> np.ndarray:
    """(d + 1,) where the categories of each nominal column begin."""
    sizes = [len(c.categories) if c.kind == "nominal" else 0 for c in schema]
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _copy(arrays: Any) -> Any:
    return tuple(a.copy() for a in arrays)


def _with(old: Any, side: int, j: int, value: float) -> Any:
    made = _copy(old)
    made[side][:, j] = value
    return made


def learned(space: VersionSpace, row: np.ndarray, positive: bool) -> VersionSpace:
    """A version space after one more row of a float block; a row that contradicts the others is an error."""
    state = Bounds.of(space)
    x = np.asarray(row, np.float64)
    if not (state.positive(x) if positive else state.negative(x)):
        raise DegenerateError("The row contradicts the rows before it: no box agrees with all of them.")
    return state.space(space)
