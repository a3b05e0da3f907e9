"""Numbers whose powers leave the range of floating point: the same search with another unit."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import DataError, DegenerateError

__all__ = ["largest", "most", "other_units", "refuse_extremes", "scaled"]

ROOM = 1000  # the largest double is 2^1024, the smallest with all digits 2^-1022


def largest(points: Any, axis: int | None = None) -> Any:
    """The largest absolute value of dense or sparse points, or of each row (axis 1)."""
    if hasattr(points, "tocsr"):
        if axis is not None:
            return abs(points).max(axis=1).toarray().ravel().astype(np.float64)
        points = points.data
    points = np.asarray(points)
    top = np.maximum(points.max(axis=axis, initial=0.0), -points.min(axis=axis, initial=0.0)).astype(
        np.float64
    )
    if not np.isfinite(top).all():
        raise DataError(
            "Neighbours are searched among finite numbers; a row holds NaN or infinity. Impute or drop such rows, or "
            "use metric='heom', which compares what is there."
        )
    return top


def other_units(top: np.ndarray, columns: int, p: float) -> np.ndarray:
    r"""The e of units :math:`2^e` in which no sum of powers overflows or vanishes; 0 where none is needed.

    Differences are at most 2 top, so the sum of d powers is at most

    .. math:: d\,(2\,top)^p \quad (1)
    """
    power = 1.0 if np.isinf(p) else p
    vanishing = power * np.log2(np.where(top > 0, top, 1.0)) <= -ROOM + 100
    return np.where((top >= most(columns, p)) | vanishing, np.frexp(top)[1], 0)


def most(columns: int, p: float) -> float:
    """The top up to which (1) stays in range."""
    return float(2.0 ** ((ROOM - np.log2(max(columns, 1))) / (1.0 if np.isinf(p) else p) - 1))


def scaled(points: Any, e: int) -> Any:
    """The points in the unit 2^e: exact but for what is 1e300 times smaller than the largest."""
    if hasattr(points, "tocsr"):
        points = points.tocsr().astype(np.float64)  # a copy
        points.data = np.ldexp(points.data, -e)
        return points
    with np.errstate(under="ignore"):
        return np.ldexp(np.asarray(points, dtype=np.float64), -e)


def refuse_extremes(X: Any, who: str, names: list[str]) -> np.ndarray:
    """Refuse columns so wide or so narrow that the squares of their differences are no numbers; else (d,) their ranges.

    >>> import numpy as np
    >>> from assay.distances.extremes import refuse_extremes
    >>> refuse_extremes(np.array([[1e-160], [3e-160]]), "NearestCentroid", ["dose"])
    Traceback (most recent call last):
    ...
    assay.errors.DegenerateError: NearestCentroid: column dose varies by 2e-160, whose square is no number. ...
    """
    if hasattr(X, "tocsr"):
        top, low = (np.asarray(m.toarray()).ravel() for m in (X.max(axis=0), X.min(axis=0)))
    else:
        top, low = X.max(axis=0, initial=-np.inf), X.min(axis=0, initial=np.inf)
    with np.errstate(over="ignore"):
        spread = top - low
    for j in np.flatnonzero((spread > 1e140) | ((spread < 1e-140) & (spread > 0)))[:1]:
        raise DegenerateError(
            f"{who}: column {names[j]} varies by {spread[j]:.3g}, whose square is no number. Divide it by its spread "
            "first."
        )
    return spread
