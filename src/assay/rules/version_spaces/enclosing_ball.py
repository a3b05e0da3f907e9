"""The smallest ball around points, and the largest ball around some points that holds none of others."""

from __future__ import annotations

import numpy as np

from assay.errors import DegenerateError

__all__ = ["largest_consistent_ball", "smallest_ball"]

LARGEST_IN = 4  # columns up to which all corners of the polyhedron of balls are visited


def smallest_ball(P: np.ndarray) -> tuple[np.ndarray, float]:
    r"""Centre and radius of the smallest ball around the rows of P, in any number of columns.

    The ball is determined by at most d + 1 points on its surface whose convex hull holds the centre. From the ball
    around one point, the centre moves towards the centre of the points on the surface until the surface meets another
    point, which joins them; a point that the centre has left behind (a negative coefficient) is dropped. The radius
    only shrinks.

    Returns
    -------
    centre : (d,)      radius : float, the distance of the farthest row

    Examples
    --------
    >>> from assay.rules.version_spaces.enclosing_ball import smallest_ball
    >>> centre, radius = smallest_ball(np.array([[3.0, 3], [4, 5], [6, 4], [5, 6]]))
    >>> centre.round(7), round(radius, 7)
    (array([4.2142857, 4.3571429]), 1.8210784)
    """
    shift = (
        P.min(axis=0) / 2 + P.max(axis=0) / 2
    )  # rows close together far from 0 differ only in their last digits
    scale = float(np.abs(P - shift).max()) or 1.0
    Q = np.unique((P - shift) / scale, axis=0)
    centre = Q[0].copy()
    surface = [int(np.argmax(((Q - centre) ** 2).sum(axis=1)))]
    for _ in range(
        20 * (len(Q) + P.shape[1])
    ):  # rounding may make equal steps; the ball is right at any time
        goal, shares = _nearest_on(Q[surface], centre)
        if ((goal - centre) ** 2).sum() <= 1e-24 * max(1.0, ((Q[surface[0]] - centre) ** 2).sum()):
            if shares.min() >= -1e-12 or len(surface) == 1:
                break
            del surface[int(np.argmin(shares))]
            continue
        step, hit = _how_far(Q, centre, goal, surface)
        centre = centre + step * (goal - centre)
        if hit >= 0:
            surface.append(hit)
    radius = float(np.sqrt(((Q - centre) ** 2).sum(axis=1).max()))
    return centre * scale + shift, radius * scale


def _nearest_on(T: np.ndarray, centre: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The point nearest to the centre on the flat through the rows of T, and its coefficients on them."""
    if len(T) == 1:
        return T[0], np.ones(1)
    B = (T[1:] - T[0]).T
    weights = np.linalg.lstsq(B, centre - T[0], rcond=None)[0]
    return T[0] + B @ weights, np.concatenate([[1 - weights.sum()], weights])


def _how_far(Q: np.ndarray, centre: np.ndarray, goal: np.ndarray, surface: list[int]) -> tuple[float, int]:
    """How far the centre can move towards the goal until the surface meets another point, and which one.

    A point q is met where it is as far from the moving centre as a point p of the surface:
    t = (r^2 - |q - c|^2) / (2 (goal - c) . (p - q)).
    """
    p = Q[surface[0]]
    outside = np.ones(len(Q), bool)
    outside[surface] = False
    slope = 2 * (p - Q) @ (goal - centre)
    room = ((p - centre) ** 2).sum() - ((Q - centre) ** 2).sum(axis=1)
    meets = outside & (slope > 1e-15)
    if not meets.any():
        return 1.0, -1
    t = np.full(len(Q), np.inf)
    t[meets] = np.maximum(room[meets], 0.0) / slope[meets]
    q = int(np.argmin(t))
    return (float(t[q]), q) if t[q] < 1.0 else (1.0, -1)


def largest_consistent_ball(P: np.ndarray, N: np.ndarray) -> tuple[np.ndarray, float]:
    r"""Centre and radius of the largest ball that holds all rows of P and none of N inside.

    With :math:`u = r^2 - |c|^2` the balls that agree with all rows are a polyhedron in (c, u),

    .. math:: |p|^2 - 2 p^T c \le u \le |n|^2 - 2 n^T c \quad\text{for all } p, n,                  \quad (1)

    and :math:`r^2 = u + |c|^2` is largest at one of its corners. If the polyhedron is unbounded, a plane parts the
    classes and balls can be of any size. All corners are visited, which is quick for up to 4 columns.

    Raises
    ------
    DegenerateError
        If no ball agrees with all rows, if there is no largest one, or if there are too many columns.
    """
    d = P.shape[1]
    if d > LARGEST_IN:
        raise DegenerateError(
            f"The largest ball is found for up to {LARGEST_IN} columns, there are {d}. Use hypothesis='middle'."
        )
    if not len(N):
        raise DegenerateError("There is no row of another class, so there is no largest ball.")
    shift = P.mean(axis=0)
    scale = float(max(np.abs(P - shift).max(), np.abs(N - shift).max())) or 1.0
    A, B = (P - shift) / scale, (N - shift) / scale
    half = np.vstack(  # rows a: a[:-1] . (c, u) + a[-1] <= 0, from (1)
        [
            np.column_stack([-2 * A, -np.ones(len(A)), (A**2).sum(axis=1)]),
            np.column_stack([2 * B, np.ones(len(B)), -(B**2).sum(axis=1)]),
        ]
    )
    inner = _inside(half)
    _refuse_unbounded(half)
    from scipy.spatial import HalfspaceIntersection

    corners = HalfspaceIntersection(half, inner).intersections
    corners = corners[np.isfinite(corners).all(axis=1)]
    size = corners[:, -1] + (corners[:, :-1] ** 2).sum(axis=1)
    top = np.flatnonzero(size >= size.max() - 1e-12 * abs(size.max()))
    centre = corners[top[np.lexsort(corners[top].T[::-1])[0]], :-1]
    return centre * scale + shift, float(np.sqrt(size.max())) * scale


def _inside(half: np.ndarray) -> np.ndarray:
    """A point well inside all half spaces."""
    from scipy.optimize import linprog

    norm = np.linalg.norm(half[:, :-1], axis=1, keepdims=True)
    cost = np.append(np.zeros(half.shape[1] - 1), -1.0)
    bounds = [(None, None)] * (half.shape[1] - 1) + [(None, 1.0)]
    solution = linprog(cost, np.hstack([half[:, :-1], norm]), -half[:, -1], bounds=bounds)
    if not solution.success or solution.x[-1] <= 1e-10:
        raise DegenerateError(
            "No ball holds all rows of the class and none of the others. Use hypothesis='specific', which counts those "
            "inside."
        )
    return solution.x[:-1]


def _refuse_unbounded(half: np.ndarray) -> None:
    """Raise if some direction leads on for ever: a plane parts the classes."""
    from scipy.optimize import linprog

    directions = half[:, :-1]
    for axis in range(directions.shape[1]):
        for sign in (1.0, -1.0):
            cost = np.zeros(directions.shape[1])
            cost[axis] = sign
            solution = linprog(cost, directions, np.zeros(len(directions)), bounds=[(-1.0, 1.0)] * len(cost))
            if solution.success and solution.fun < -1e-9:
                raise DegenerateError(
                    "A plane parts the class from the others, so there is no largest ball. Use hypothesis='middle'."
                )
