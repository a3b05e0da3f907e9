"""What the calculators accept: numbers or arrays of them, within limits; one number in, one number out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import DataError, ParameterError

Random = int | np.random.Generator | None
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
    found = one(counts(value, who, name, least), who, name)
    return value if type(value) is int else int(found)


def one(found: NDArray[np.float64], who: str, name: str) -> float:
    """The only number there is."""
    if found.ndim:
        raise ParameterError(f"{who}: {name} must be one number, got {found.size} of them.")
    return float(found)


def _within(value: ArrayLike, who: str, name: str, holds: Any, words: str) -> NDArray[np.float64]:
    try:
        large = type(value) is int  # Python's have no largest one
        if not large and np.asarray(value).dtype.kind not in "iuf":
            raise TypeError
        found = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"{who}: {name} must be {words}, got {value!r}.") from None
    good = holds(found)
    if not np.all(good):
        first = found[~good].ravel()[0] if found.ndim else found
        raise ParameterError(f"{who}: {name} must be {words}, got {float(first):g}.")
    return found


def plain(value: Any) -> Any:
    """A Python float for a single number, the array itself for several."""
    return float(value) if np.ndim(value) == 0 else np.asarray(value)


def whole_up(value: Any, who: str) -> Any:
    """The next whole number of rows; a hair above a whole number is that number (rounding of logarithms)."""
    found = np.asarray(value, dtype=np.float64)
    if not np.all(found < MOST_ROWS):
        raise ParameterError(f"{who}: more rows than 2^63 would be needed; ask for less.")
    rows = np.maximum(np.ceil(found * (1 - 1e-14)), 1).astype(np.int64)
    return int(rows) if rows.ndim == 0 else rows


def as_points(points: ArrayLike, who: str) -> NDArray[np.float64]:
    """(n, d) finite numbers; a plain list of numbers is n points on a line."""
    try:
        found = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{who}: points must be a table of numbers, (n, d).") from None
    found = found[:, None] if found.ndim == 1 else found
    if found.ndim != 2 or not found.size:
        raise DataError(f"{who}: points must have shape (n, d), n and d at least 1, got {np.shape(points)}.")
    if not np.isfinite(found).all():
        i, j = np.argwhere(~np.isfinite(found))[0]
        raise DataError(f"{who}: point {i} has {found[i, j]} as coordinate {j}, expected finite numbers.")
    return found


def generator(random_state: Random, who: str) -> np.random.Generator:
    """The given generator, or a new one from a seed."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(
        None if random_state is None else one_count(random_state, who, "random_state", 0)
    )
