"""Checks of arguments: numbers or arrays of them, within limits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import DataError, ParameterError

MOST_ROWS = 2.0**63  # a sample that nobody can draw


def above_zero(value: ArrayLike, who: str, name: str) -> NDArray[np.float64]:
    """Finite numbers above 0."""
    return _within(value, who, name, lambda v: (v > 0) & np.isfinite(v), "a number above 0")


def share(value: ArrayLike, who: str, name: str) -> NDArray[np.float64]:
    """Numbers strictly between 0 and 1."""
    return _within(value, who, name, lambda v: (v > 0) & (v < 1), "a number above 0 and below 1")


def rate(value: ArrayLike, who: str, name: str) -> NDArray[np.float64]:
    """Numbers from 0 to 1."""
    return _within(value, who, name, lambda v: (v >= 0) & (v <= 1), "a number from 0 to 1")


def not_negative(value: ArrayLike, who: str, name: str) -> NDArray[np.float64]:
    """Finite numbers from 0 up."""
    return _within(value, who, name, lambda v: (v >= 0) & np.isfinite(v), "a number from 0 up")


def counts(value: ArrayLike, who: str, name: str, least: int = 1) -> NDArray[np.float64]:
    """Whole numbers from ``least`` up, as floats."""

    def whole(v: NDArray[np.float64]) -> NDArray[np.bool_]:
        return (v >= least) & np.isfinite(v) & (v == np.floor(v))

    return _within(value, who, name, whole, f"a whole number from {least} up")


def one_count(value: Any, who: str, name: str, least: int = 1) -> int:
    """A single whole number from ``least`` up."""
    number = scalar(counts(value, who, name, least), who, name)
    return value if type(value) is int else int(number)


def scalar(values: NDArray[np.float64], who: str, name: str) -> float:
    """The value of an array with a single number."""
    if values.ndim:
        raise ParameterError(f"{who}: {name} must be one number, got {values.size} of them.")
    return float(values)


def _within(value: ArrayLike, who: str, name: str, holds: Any, words: str) -> NDArray[np.float64]:
    try:
        large = type(value) is int  # Python's have no largest one
        if not large and np.asarray(value).dtype.kind not in "iuf":
            raise TypeError
        values = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"{who}: {name} must be {words}, got {value!r}.") from None
    good = holds(values)
    if not np.all(good):
        first = values[~good].ravel()[0] if values.ndim else values
        raise ParameterError(f"{who}: {name} must be {words}, got {float(first):g}.")
    return values


def plain(value: Any) -> Any:
    """A Python float for a single number, the array itself for several."""
    return float(value) if np.ndim(value) == 0 else np.asarray(value)


def whole_up(value: Any, who: str) -> Any:
    """The next whole number of rows; a hair above a whole number is that number (rounding of logarithms)."""
    values = np.asarray(value, dtype=np.float64)
    if not np.all(values < MOST_ROWS):
        raise ParameterError(f"{who}: more rows than 2^63 would be needed; ask for less.")
    rows = np.maximum(np.ceil(values * (1 - 1e-14)), 1).astype(np.int64)
    return int(rows) if rows.ndim == 0 else rows


def as_points(points: ArrayLike, who: str) -> NDArray[np.float64]:
    """(n, d) finite numbers; a plain list of numbers is n points on a line."""
    try:
        rows = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{who}: points must be a table of numbers, (n, d).") from None
    rows = rows[:, None] if rows.ndim == 1 else rows
    if rows.ndim != 2 or not rows.size:
        raise DataError(f"{who}: points must have shape (n, d), n and d at least 1, got {np.shape(points)}.")
    if not np.isfinite(rows).all():
        i, j = np.argwhere(~np.isfinite(rows))[0]
        raise DataError(f"{who}: point {i} has {rows[i, j]} as coordinate {j}, expected finite numbers.")
    return rows
