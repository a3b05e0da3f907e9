"""Input checks: finite samples, finite matrices, numbers within limits."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import DataError, ParameterError
from assay.tables.row_names import row_name
from assay.types import TableLike

ESTIMATES = ("predictive", "bayes", "map")  # what a belief can be turned into a density by


def as_sample(x: ArrayLike, who: str) -> NDArray[np.float64]:
    """One-dimensional, non-empty, finite floats."""
    values = _as_floats(x, who)
    if values.ndim != 1 or not len(values):
        raise DataError(f"expected a non-empty one-dimensional sample, got shape {values.shape}.", who=who)
    return _finite(values, who, lambda place: row_name(place[0]))


def as_points(x: ArrayLike, who: str) -> NDArray[np.float64]:
    """Finite floats of any shape: points at which a density is evaluated."""
    return _finite(
        _as_floats(x, who), who, lambda place: f"value {', '.join(str(k + 1) for k in place)}".strip()
    )


def as_matrix(X: ArrayLike, who: str) -> NDArray[np.float64]:
    """(n, d) finite floats, n and d at least 1; a missing value is named by row and column."""
    matrix = _as_floats(X, who)
    if matrix.ndim != 2 or not matrix.size:
        raise DataError(f"expected a table of n rows and d columns, got shape {matrix.shape}.", who=who)
    bad = ~np.isfinite(matrix)
    if bad.any():
        i, j = np.argwhere(bad)[0]
        raise DataError(
            f"{row_name(i)}, column {column_name(X, j)} is {matrix[i, j]}; "
            f"{int(bad.sum())} such values in all. "
            "Statistics from the pairs that happen to be there need not fit together: "
            "drop those rows or impute them first.",
            who=who,
        )
    return matrix


def column_name(X: TableLike, j: int) -> str:
    """The column's own name if X is a data frame, else its number."""
    columns = getattr(X, "columns", None)
    return str(j) if columns is None else f'"{columns[j]}"'


def one_of(value: str, options: tuple[str, ...], who: str, parameter: str) -> str:
    """The value, if it is one of the options."""
    if not isinstance(value, str) or value not in options:
        raise ParameterError(f"{parameter} must be one of {', '.join(options)}, got {value!r:.80}.", who=who)
    return value


def tail_of(level: float, who: str) -> float:
    """Probability left on either side of a central interval."""
    single = np.ndim(level) == 0 and np.asarray(level).dtype.kind in "fiu"
    if not single or not 0 < level < 1:
        raise ParameterError(f"level must lie between 0 and 1, got {level!r}.", who=who)
    return (1 - level) / 2


def as_numbers(who: str, **values: Any) -> tuple[float, ...]:
    """The values as floats, each a single number, perhaps infinite; else an error that names the parameter."""
    for name, value in values.items():
        if np.ndim(value) or np.asarray(value).dtype.kind not in "biuf" or np.isnan(value):
            raise ParameterError(f"{name} must be a number", who=who, got=value)
    return tuple(float(value) for value in values.values())


def as_shares(values: ArrayLike | None, m: int, who: str, parameter: str) -> NDArray[np.float64]:
    """(m,) probabilities that sum to 1; equal ones for None."""
    if values is None:
        return np.full(m, 1 / m)
    shares = as_points(values, who)
    if shares.shape != (m,) or (shares < 0).any() or abs(shares.sum() - 1) > 1e-8:
        raise ParameterError(
            f"{parameter} must be {m} probabilities that sum to 1, got {np.array2string(shares, threshold=8)}.",
            who=who,
        )
    return shares / shares.sum()


def _as_floats(x: ArrayLike, who: str) -> NDArray[np.float64]:
    try:
        if isinstance(x, np.ma.MaskedArray):
            return np.ma.filled(x.astype(float), np.nan)  # what is masked is missing
        if np.asarray(x).dtype.kind in "mMc":  # dates, durations and complex numbers would lose their unit
            raise TypeError
        return np.asarray(x, dtype=float)
    except (TypeError, ValueError):
        raise DataError(
            f"expected numbers, got {type(x).__name__} that does not turn into floats.", who=who
        ) from None


def _finite(
    values: NDArray[np.float64], who: str, name: Callable[[tuple[int, ...]], str]
) -> NDArray[np.float64]:
    bad = ~np.isfinite(values)
    if bad.any():
        i = tuple(int(k) for k in np.argwhere(bad)[0])
        raise DataError(
            f"{name(i)} is {values[i]}, expected finite numbers. Drop or impute it first.", who=who
        )
    return values


def is_number(value: Any) -> bool:
    """A finite number, of Python or NumPy; no truth value, no text, no array."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        return False
    try:
        return isfinite(value)
    except OverflowError:  # whole numbers beyond the largest float
        return False


def is_whole(value: Any, least: int = 0) -> bool:
    """A whole number from ``least`` on, also if written 3.0."""
    return is_number(value) and value == int(value) and value >= least
