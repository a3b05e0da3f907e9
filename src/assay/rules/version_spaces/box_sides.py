"""From the tightest box outwards: which negatives each side can cut off, and the boxes that cannot grow further.

A side of a box is one way to keep a negative out: a lower or an upper end of an ordered column, or a category that is
not admitted. Every negative outside the tightest box S lies beyond at least one side, and a box that holds S and no
negative chooses for each side how far out it may stand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.errors import DegenerateError
from assay.rulebase.conditions import Condition
from assay.rules.version_spaces.box import Box, Nominal
from assay.tables import Schema

__all__ = ["Sides", "maximal", "sides_of", "widest"]

OPEN = np.iinfo(np.int64).max  # a side that cuts nothing off
AT_ONCE = 1 << 22  # entries looked at together


@dataclass(frozen=True, eq=False)
class Sides:
    """What the sides of boxes around S can do about the negatives.

    Attributes
    ----------
    column : (s,) the column of each side
    kind : (s,) 0 for a lower end, 1 for an upper end, 2 for a category
    code : (s,) the category that is not admitted; -1 if all but those of S are not
    rank : (n, s) how far out each negative lies, counted in distinct values; 0 if the side cannot cut it off
    gap : (n, s) how far out in units; infinite for categories
    rows : (n,) the rows of the negatives that sides must cut off
    inside : (c,) the rows that no side can cut off: they lie in S
    known : columns in which a missing value alone keeps a negative out
    """

    column: np.ndarray
    kind: np.ndarray
    code: np.ndarray
    rank: np.ndarray
    gap: np.ndarray
    rows: np.ndarray
    inside: np.ndarray
    known: tuple[int, ...]

    def box(self, S: Box, bound: np.ndarray, N: np.ndarray, schema: Schema) -> Box:
        """The box whose side s stands at negative ``bound[s]``, a row of N, or nowhere if that is -1."""
        by_column = {j: Condition(j) for j in self.known}
        for c in S.conditions:
            at = [s for s in np.flatnonzero(self.column == c.column) if bound[s] >= 0]
            if not at:
                continue
            ends = {int(self.kind[s]): float(N[bound[s], c.column]) for s in at}
            if 2 not in ends:
                low, high = ends.get(0, -np.inf), ends.get(1, np.inf)
                by_column[c.column] = Condition(c.column, low, high, "neither", None, c.missing)
                continue
            out = {int(self.code[s]) for s in at}
            every = range(len(schema[c.column].categories))
            codes = c.codes if -1 in out else tuple(v for v in every if v not in out)
            by_column[c.column] = Condition(c.column, codes=codes, missing=c.missing)
        return Box(tuple(by_column[j] for j in sorted(by_column)))


def sides_of(S: Box, N: np.ndarray, nominal: Nominal = "set", units: str = "own") -> Sides:
    """Look at the negatives N, a float block, from the tightest box S.

    Parameters
    ----------
    units : "own" or "range"
        Gaps as they are, or as shares of the column's range.
    """
    parts: list[tuple[int, int, int, np.ndarray, np.ndarray]] = []
    away, known = np.zeros(len(N), bool), []
    for c in S.conditions:
        x = N[:, c.column]
        nan = np.isnan(x)
        if nan.any() and not c.missing:
            away |= nan
            known.append(c.column)
        if c.codes is None:
            parts += _ends(c, x, units)
        elif nominal == "value":
            out = ~nan & ~np.isin(x, c.codes)
            parts.append((c.column, 2, -1, out.astype(np.int64), np.where(out, np.inf, 0.0)))
        else:
            for v in np.setdiff1d(x[~nan], c.codes):
                out = x == v
                parts.append((c.column, 2, int(v), out.astype(np.int64), np.where(out, np.inf, 0.0)))
    rank = _columns([p[3] for p in parts], len(N), np.int64)
    beyond = (rank > 0).any(axis=1)
    rows = np.flatnonzero(beyond & ~away)
    column, kind, code = (np.array([p[i] for p in parts], np.int64) for i in range(3))
    return Sides(
        column,
        kind,
        code,
        rank[rows],
        _columns([p[4] for p in parts], len(N), np.float64)[rows],
        rows,
        np.flatnonzero(~beyond & ~away),
        tuple(known),
    )


def _ends(c: Condition, x: np.ndarray, units: str) -> list[tuple[int, int, int, np.ndarray, np.ndarray]]:
    """The lower and the upper side of an ordered column."""
    unit = 1.0
    observed = x[~np.isnan(x)]
    with np.errstate(over="ignore", invalid="ignore"):
        if units == "range" and len(observed):
            unit = max(observed.max(), c.high) - min(observed.min(), c.low)
            unit = unit if 0 < unit < np.inf else 1.0
        ends = []
        for kind, out, gap in ((0, x < c.low, c.low - x), (1, x > c.high, x - c.high)):
            gap = np.where(out, np.minimum(gap / unit, np.finfo(np.float64).max), 0.0)
            if out.any():
                rank = np.zeros(len(x), np.int64)
                ordered = -x[out] if kind == 0 else x[out]  # the nearest to S first
                rank[out] = np.unique(ordered, return_inverse=True)[1] + 1
                ends.append((c.column, kind, -2, rank, gap))
    return ends


def _columns(parts: list[np.ndarray], n: int, dtype: type) -> np.ndarray:
    return np.column_stack(parts).astype(dtype, copy=False) if parts else np.zeros((n, 0), dtype)


def widest(sides: Sides) -> tuple[np.ndarray, np.ndarray]:
    """Of the boxes that cannot grow, one whose smallest gap to S is as large as it can be.

    Each negative is worth its farthest side: no box keeps it farther off. The negative that is worth least comes
    first, and its farthest side is set at it, which cuts off others as well; at the end each side moves out as far as
    the other sides allow.

    Returns
    -------
    bound : (s,) which negative, a row of ``sides.rows``' block, each side stands at; -1 for none
    support : the negatives that had a say; without all others the box would be the same
    """
    n, s = sides.rank.shape
    at = np.full(s, OPEN)
    support: set[int] = set()
    if n:
        # among equals an order that does not depend on that of the rows: different ranks have different sums of roots
        key = sides.rank @ np.sqrt(np.arange(2.0, s + 2))
        order = np.lexsort([key, sides.gap.max(axis=1)])
        rank, best = sides.rank[order], sides.gap[order].argmax(axis=1)
        left = np.ones(n, bool)
        while left.any():
            i = int(left.argmax())
            at[best[i]] = rank[i, best[i]]
            support.add(int(order[i]))
            left &= ~((rank[:, best[i]] > 0) & (rank[:, best[i]] >= at[best[i]]))
    bound = np.full(s, -1)
    cut = (sides.rank > 0) & (sides.rank >= at)
    times = cut.sum(axis=1)  # by how many sides each negative is cut off
    for k in np.flatnonzero(at < OPEN):
        alone = np.flatnonzero(cut[:, k] & (times == 1))
        at[k] = OPEN
        if len(alone):
            bound[k] = alone[np.argmin(sides.rank[alone, k])]
            at[k] = sides.rank[bound[k], k]
            support.add(int(bound[k]))
        now = (sides.rank[:, k] > 0) & (sides.rank[:, k] >= at[k])
        times += now.astype(times.dtype) - cut[:, k]
        cut[:, k] = now
    rows = np.append(sides.rows, -1)
    return rows[bound], sides.rows[sorted(support)]


def maximal(sides: Sides, limit: int, who: str) -> list[np.ndarray]:
    """All boxes that cannot grow, each as the negatives its sides stand at.

    Negatives come one by one, the nearest first. A box that still holds one is replaced by boxes in which one side
    stands at it; of these only such stay of which every side is needed: it alone cuts off a negative at which it
    stands. More than ``limit`` boxes are an error.
    """
    if not sides.rank.size:
        return [np.full(sides.rank.shape[1], -1)]
    rows = _fence(sides.rank)
    rank = sides.rank[rows]
    at = np.full((1, rank.shape[1]), OPEN)
    for i, r in enumerate(rank):
        held = ((r == 0) | (r < at)).all(axis=1)
        if not held.any():
            continue
        ways = np.flatnonzero(r)
        if held.sum() * len(ways) > 50 * limit:
            raise _too_many(limit, who)
        new = np.repeat(at[held], len(ways), axis=0)
        new[np.arange(len(new)), np.tile(ways, int(held.sum()))] = np.tile(r[ways], int(held.sum()))
        at = np.vstack([at[~held], new[_needed(new, rank[: i + 1])]])
        if len(at) > limit:
            raise _too_many(limit, who)
    kept = []
    for box in at[np.lexsort(at.T[::-1])]:
        bound = np.full(len(box), -1)
        for k in np.flatnonzero(box < OPEN):
            bound[k] = sides.rows[rows[np.flatnonzero(rank[:, k] == box[k])[0]]]
        kept.append(bound)
    return kept


def _too_many(limit: int, who: str) -> DegenerateError:
    return DegenerateError(
        f"{who}: there are more than {limit} most general boxes. Use fewer columns, raise limit, or take one of the "
        "boxes alone: BoxClassifier(hypothesis='middle') needs no list of them."
    )


def _needed(at: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """(b,) whether each side of each box cuts off a negative at which it stands, and that no other side does."""
    good = np.empty(len(at), bool)
    step = max(1, AT_ONCE // max(rank.size, 1))
    for b in range(0, len(at), step):
        T = at[b : b + step, None, :]
        cut = (rank > 0) & (rank >= T)  # (boxes, negatives, sides)
        alone = (cut.sum(axis=2) == 1)[:, :, None] & cut & (rank == T)
        good[b : b + step] = (alone.any(axis=1) | (T[:, 0] == OPEN)).all(axis=1)
    return good


def _fence(rank: np.ndarray) -> np.ndarray:
    """The negatives that matter: whatever side cuts off one of them does not always cut off another."""
    order = np.lexsort([*rank.T[::-1], rank.sum(axis=1)])
    left, kept = order, []
    while len(left):
        r = rank[left[0]]
        kept.append(left[0])
        left = left[~((r == 0) | (rank[left] >= r)).all(axis=1)]
    return np.array(kept, np.int64)
