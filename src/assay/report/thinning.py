"""Line simplification: fewer points for the same curve."""

from __future__ import annotations

import numpy as np

__all__ = ["thinned"]


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


def _distances(points: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How far points are from the segment between a and b."""
    segment = b - a
    length = float(segment @ segment)
    if length == 0.0:
        return np.hypot(*(points - a).T)
    share = np.clip((points - a) @ segment / length, 0.0, 1.0)
    return np.hypot(*(points - a - share[:, None] * segment).T)
