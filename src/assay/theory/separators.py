"""Classes whose hypotheses are half-spaces, of the points or of the points and their squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.theory.labellings import Hypotheses, Labels, Points, Rule
from assay.theory.sectors import Sectors

__all__ = ["Balls", "HalfSpaces", "frame", "separated"]


@dataclass(frozen=True, repr=False)
class HalfSpaces(Hypotheses):
    r"""One side of a line, plane, hyperplane: :math:`w \cdot x + w_0 > 0`.

    In one and two dimensions all labellings are listed exactly, in the order in which a line that turns meets the
    points; above, a linear programme per labelling decides whether
    :math:`y_i (w \cdot x_i + w_0) \ge 1` can be had (to about 1e-7 of the points' spread).
    VC dimension d + 1; d with ``bias=False``, when all must pass through the origin.

    Examples
    --------
    >>> from assay.theory import HalfSpaces, shatters
    >>> result = shatters(HalfSpaces(), [(0, 0), (1, 0), (0, 1)])
    >>> result.count, result.rule([True, False, False])(result.points)
    (8, array([ True, False, False]))
    """

    bias: bool = True
    most = 12

    @property
    def name(self) -> str:  # type: ignore[override]
        return "half-spaces" if self.bias else "half-spaces through the origin"

    def rule(self, points: Points, label: Labels) -> Rule | None:
        centre, scale = frame(points, self.bias)
        w = separated((points - centre) / scale, label, self.bias)
        if w is None:
            return None
        return lambda X: ((X - centre) / scale) @ w[1:] + w[0] > 0

    def realised(self, points: Points) -> Labels:
        if self.bias and points.shape[1] <= 2:
            flat = points if points.shape[1] == 2 else np.column_stack([points, np.zeros(len(points))])
            return Sectors.of(flat).by_lines()
        return self.either_sign(points)

    def vc(self, d: int) -> float:
        return float(d + self.bias)


@dataclass(frozen=True, repr=False)
class Balls(Hypotheses):
    r"""Circles, spheres: positive within a radius of a centre. VC dimension d + 1.

    A ball is a half-space in the coordinates :math:`(x, \|x\|^2)`, with a coefficient of the last one that is not
    positive; a linear programme per labelling decides.

    Examples
    --------
    >>> from assay.theory import Balls, shatters
    >>> shatters(Balls(), [(0, 0), (4, 0), (0, 4), (1, 1)]).count
    15
    """

    name, most = "balls", 12

    def rule(self, points: Points, label: Labels) -> Rule | None:
        centre, scale = frame(points, True)
        lift: Any = lambda X: np.column_stack([Z := (X - centre) / scale, (Z**2).sum(axis=1)])  # noqa: E731
        w = separated(lift(points), label, True, round_last=True)
        return None if w is None else lambda X: lift(X) @ w[1:] + w[0] > 0

    def vc(self, d: int) -> float:
        return float(d + 1)


def frame(points: Points, shift: bool) -> tuple[Points, float]:
    """Where the points are and how far they spread, so that a linear programme sees numbers near 1."""
    centre = points.mean(axis=0) if shift else np.zeros(points.shape[1])
    return centre, float(np.abs(points - centre).max()) or 1.0


def separated(X: Points, label: Labels, bias: bool, round_last: bool = False) -> Points | None:
    """(d + 1,) weights, bias first, with y (w . x + w_0) >= 1 for all rows; None if there are none.

    Of all such weights those with the least sum of sizes: the widest margin, where distance is the largest step along
    an axis.
    """
    from scipy.optimize import linprog

    n, d = X.shape
    sign = np.where(label, 1.0, -1.0)
    eye, none = np.eye(d), np.zeros((d, 1))
    rows = np.column_stack([-sign[:, None] * np.column_stack([np.ones(n), X]), np.zeros((n, d))])
    sizes = np.vstack([np.hstack([none, eye, -eye]), np.hstack([none, -eye, -eye])])  # -s <= w <= s
    limits: list[tuple[float | None, float | None]] = [(None, None) if bias else (0, 0)]
    limits += [(None, None)] * (d - 1) + [(None, 0 if round_last else None)] + [(0, None)] * d
    solution = linprog(
        np.r_[np.zeros(d + 1), np.ones(d)],
        A_ub=np.vstack([rows, sizes]),
        b_ub=np.r_[-np.ones(n), np.zeros(2 * d)],
        bounds=limits,
        method="highs",
    )
    return solution.x[: d + 1] if solution.status == 0 else None
