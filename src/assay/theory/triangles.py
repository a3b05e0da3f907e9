"""Triangles in the plane as hypotheses: which labellings they realise, exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.theory.labellings import Hypotheses, Labels, Points, Rule, labellings
from assay.theory.sectors import Sectors, Vector

__all__ = ["Triangles"]


@dataclass(frozen=True, repr=False)
class Triangles(Hypotheses):
    """Triangles in the plane, inside positive. VC dimension 7.

    A side cuts off the negatives that lie beyond all positives along its outward direction. A labelling is realised
    if three directions cut off all negatives together and leave no gap of half a turn, so that the sides close.
    Which points a direction can cut off changes only at finitely many directions, so all can be tried; the
    arithmetic is exact. The triangle that ``rule`` hands out is made of floats: it needs points whose distances are
    within about 1e15 of each other.

    Examples
    --------
    >>> from assay.theory import Triangles, shatters
    >>> shatters(Triangles(), [(0, 0), (1, 0), (0, 1), (1, 1)]).count
    16
    """

    name, columns, most = "triangles", 2, 10

    def realised(self, points: Points) -> Labels:
        sectors = Sectors.of(points)
        triples = sectors.triples()
        return np.array([_sides(sectors, triples, label).any() for label in labellings(len(points))])

    def rule(self, points: Points, label: Labels) -> Rule | None:
        triangle = self.triangle(points, label)
        if triangle is None:
            return None
        u, reach = triangle
        return lambda X: (reach >= X @ u.T).all(axis=1)

    def triangle(
        self, points: Points, label: Labels
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """(3, 2) outward directions and (3,) reaches: inside where u . x <= reach for all three; None if there is none.

        Without a positive it is a small triangle beside all points.
        """
        if not label.any():
            size = max(1.0, float(np.abs(points).max()))
            beside = points.max(axis=0) + size
            u = np.array([[-1.0, 0.0], [0.0, -1.0], [1.0, 1.0]])
            return u, u @ beside + np.array([0.0, 0.0, size])
        sectors = Sectors.of(points)
        triples = sectors.triples()
        good = _sides(sectors, triples, label)
        if not good.any():
            return None
        triple, angle = _angles(sectors, triples[good])
        u = np.column_stack([np.cos(angle), np.sin(angle)])
        along = points @ u.T  # (n, 3)
        last = along[label].max(axis=0)
        cut = np.where(
            sectors.ranks[triple][:, label].max(axis=1) < sectors.ranks[triple].T, along, np.inf
        ).min(axis=0)
        room = np.where(np.isfinite(cut), (cut - last) / 2, 1.0 + np.ptp(points))
        return u, last + room

    def corners(self, points: Points, label: Labels) -> NDArray[np.float64] | None:
        """(3, 2) the corners of a triangle with these labels, to draw it; None if there is none."""
        triangle = self.triangle(points, label)
        if triangle is None:
            return None
        u, reach = triangle
        return np.array([np.linalg.solve(u[[i, (i + 1) % 3]], reach[[i, (i + 1) % 3]]) for i in range(3)])

    def vc(self, d: int) -> float:
        return 7.0


def _sides(sectors: Sectors, triples: NDArray[np.int64], label: Labels) -> NDArray[np.bool_]:
    """(T,) whether the cuts of the three sectors leave no negative."""
    if not label.any():
        return np.ones(len(triples), dtype=bool)
    cuts = sectors.cuts(label)
    wanted = int((~label) @ (1 << np.arange(len(label))))
    return (cuts[triples[:, 0]] | cuts[triples[:, 1]] | cuts[triples[:, 2]]) == wanted


def _angle(u: Vector) -> float:
    most = max(map(abs, u))  # whole numbers may be larger than any float
    return float(np.arctan2(u[1] / most, u[0] / most))


def _angles(sectors: Sectors, triples: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The roomiest of the triples, and (3,) a direction in each of its sectors.

    The directions are as far from the sectors' ends, and from being half a turn apart, as can be: t at least, with
    low + t <= a <= high - t and a_next - a <= pi - t.
    """
    from scipy.optimize import linprog

    if not sectors.starts:  # one place alone: any three directions will do
        return triples[0], np.array([0.0, 2.0, 4.0])
    begin = np.mod([_angle(u) for u in sectors.starts], 2 * np.pi)  # from 0 on, as the starts are in order
    begin = np.append(begin, begin[0] + 2 * np.pi)
    low, high = begin[triples], begin[triples + 1]
    turn = np.array([0.0, 0.0, 2 * np.pi])  # from the third side on to the first
    room = np.minimum((high - low) / 2, (np.pi + high - np.roll(low, -1, axis=1) - turn) / 3).min(axis=1)
    best = int(np.argmax(room))
    A, b = [], []
    for i in range(3):
        e = np.eye(3)[i]
        A += [[*-e, 1.0], [*e, 1.0], [*(np.roll(e, 1) - e), 1.0]]
        b += [-low[best, i], high[best, i], np.pi - turn[i]]
    solution = linprog([0.0, 0.0, 0.0, -1.0], A_ub=A, b_ub=b, bounds=[(None, None)] * 4, method="highs")
    return triples[best], solution.x[:3]
