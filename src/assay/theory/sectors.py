"""The orders in which a turning line meets points of the plane, exactly; what lines and triangles can cut off."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Sectors", "Vector"]

Vector = tuple[int, int]


@dataclass(frozen=True)
class Sectors:
    """All orders of n points along a direction that turns once around.

    The order changes only where the direction is at right angles to the line through two points. These directions,
    each with its opposite, divide the circle into M sectors; sector s + M/2 is opposite to sector s. Coordinates are
    taken as the exact fractions that floats are, so that collinear points and parallel lines are seen as such.

    Attributes
    ----------
    starts : (M,) integer vectors, the direction at which each sector begins, counter-clockwise
    ranks : (M, n) of each point, its place along the directions of a sector; equal places for equal points
    """

    starts: list[Vector]
    ranks: NDArray[np.int64]

    @classmethod
    def of(cls, points: NDArray[np.float64]) -> Sectors:
        """The sectors of (n, 2) points."""
        exact = _whole(points)
        turns = []
        for (ax, ay), (bx, by) in combinations(sorted(set(exact)), 2):
            turns += [(ay - by, bx - ax), (by - ay, ax - bx)]
        starts = _once(sorted(turns, key=cmp_to_key(_by_angle)))
        inner = []
        for s, u in enumerate(starts):
            v = starts[(s + 1) % len(starts)]
            inner.append((u[0] + v[0], u[1] + v[1]) if len(starts) > 2 else (-u[1], u[0]))
        ranks = [_ranks([u[0] * x + u[1] * y for x, y in exact]) for u in inner] or [[0] * len(exact)]
        return cls(starts, np.array(ranks, dtype=np.int64))

    def by_lines(self) -> NDArray[np.bool_]:
        """(2^n,) which labellings a line can separate, one side positive."""
        realised = np.zeros(2 ** self.ranks.shape[1], dtype=bool)
        for rank in self.ranks:
            for least in range(int(rank.max()) + 2):
                realised[int((rank >= least) @ (1 << np.arange(len(rank))))] = True
        return realised

    def cuts(self, label: NDArray[np.bool_]) -> NDArray[np.int64]:
        """(M,) of each sector, as bits: the negatives that lie beyond all positives along its directions."""
        beyond = self.ranks > np.max(self.ranks[:, label], axis=1, keepdims=True)
        return (beyond & ~label) @ (1 << np.arange(len(label)))

    def triples(self) -> NDArray[np.int64]:
        """(T, 3) three sectors each that hold directions without a gap of half a turn: the sides of a triangle.

        Of two sectors s and t, directions less than half a turn apart exist exactly if t - s <= M/2.
        """
        M = len(self.ranks)
        if M == 1:  # one place alone: any directions
            return np.zeros((1, 3), dtype=np.int64)
        i, j, k = (axis.ravel() for axis in np.indices((M, M, M)))
        ordered = (i <= j) & (j <= k)
        i, j, k = i[ordered], j[ordered], k[ordered]
        closed = (j - i <= M // 2) & (k - j <= M // 2) & (i + M - k <= M // 2)
        return np.column_stack([i, j, k])[closed]


def _whole(points: NDArray[np.float64]) -> list[Vector]:
    """The points in units so small that every coordinate is a whole number."""
    exact = [[Fraction(float(v)) for v in p] for p in points]
    unit = max(v.denominator for p in exact for v in p)  # powers of two, so the largest serves all
    return [(int(p[0] * unit), int(p[1] * unit)) for p in exact]


def _half(u: Vector) -> int:
    return 0 if u[1] > 0 or (u[1] == 0 and u[0] > 0) else 1


def _by_angle(u: Vector, v: Vector) -> int:
    if _half(u) != _half(v):
        return _half(u) - _half(v)
    cross = u[0] * v[1] - u[1] * v[0]
    return (cross < 0) - (cross > 0)


def _once(turns: list[Vector]) -> list[Vector]:
    """Without those that point where the one before points."""
    return [u for i, u in enumerate(turns) if i == 0 or _by_angle(turns[i - 1], u)]


def _ranks(values: list[int]) -> list[int]:
    place = {v: r for r, v in enumerate(sorted(set(values)))}
    return [place[v] for v in values]
