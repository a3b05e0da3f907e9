"""Fewer points for the same picture: lines without needless points, clouds of rows as hexagons."""

from __future__ import annotations

import numpy as np

__all__ = ["hexagons", "thinned"]


def thinned(points: np.ndarray, tolerance: float = 0.002) -> np.ndarray:
    r"""The points of a line that are needed to draw it, first and last included (Douglas and Peucker 1973).

    Of the points between two kept ones, the farthest from the straight line between them is kept if its distance
    exceeds the tolerance,

    .. math:: d = \frac{|(b - a) \times (p - a)|}{\lVert b - a\rVert} > \text{tolerance}         \quad (1)

    and the two halves are treated alike. So no dropped point is farther than the tolerance from the drawn line.

    Parameters
    ----------
    points : (m, 2) coordinates, in the units of the tolerance
    tolerance : float

    Examples
    --------
    >>> import numpy as np
    >>> from assay.report.thinning import thinned
    >>> thinned(np.array([[0, 0], [1, 0.0001], [2, 0], [3, 2.0]]))
    array([[0., 0.],
           [2., 0.],
           [3., 2.]])
    """
    points = np.asarray(points, dtype=np.float64)
    if len(points) < 3:
        return points
    keep = np.zeros(len(points), dtype=bool)
    keep[[0, -1]] = True
    pending = [(0, len(points) - 1)]
    while pending:
        first, last = pending.pop()
        if last - first < 2:
            continue
        inside = points[first + 1 : last]
        distances = _distances(inside, points[first], points[last])
        farthest = int(np.argmax(distances))
        if distances[farthest] > tolerance:  # (1)
            middle = first + 1 + farthest
            keep[middle] = True
            pending += [(first, middle), (middle, last)]
    return points[keep]


def hexagons(points: np.ndarray, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """The centres of the hexagons, one corner up, that hold points, and how many each holds (Carr et al. 1987).

    Every point belongs to the nearer one of two centres: those of a rectangular grid, and of the same grid shifted by
    half a step both ways.

    Parameters
    ----------
    points : (n, 2) coordinates
    radius : from the centre of a hexagon to its corners

    Examples
    --------
    >>> import numpy as np
    >>> from assay.report.thinning import hexagons
    >>> centres, counts = hexagons(np.array([[0.1, 0.0], [0.0, 0.1], [9.0, 9.0]]), 1.0)
    >>> counts, centres[0]
    (array([2, 1]), array([0., 0.]))
    """
    step = np.array([np.sqrt(3.0), 3.0]) * radius
    even = np.round(points / step)
    odd = np.floor(points / step) + 0.5
    nearer = np.hypot(*(points - even * step).T) <= np.hypot(*(points - odd * step).T)
    cells = np.where(nearer[:, None], even, odd)
    kept, counts = np.unique(np.round(2 * cells).astype(np.int64), axis=0, return_counts=True)
    return kept / 2 * step, counts


def _distances(points: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How far points are from the segment between a and b."""
    segment = b - a
    length = float(segment @ segment)
    if length == 0.0:
        return np.hypot(*(points - a).T)
    share = np.clip((points - a) @ segment / length, 0.0, 1.0)
    return np.hypot(*(points - a - share[:, None] * segment).T)
