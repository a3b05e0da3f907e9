"""Row deletion: keep the rows without missing values."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import DataError
from assay.prepare.missing_indicator import is_missing
from assay.tables import Table
from assay.types import TableLike

__all__ = ["drop_missing"]


def drop_missing(X: TableLike, *others: Any, missing_values: float | str | None = np.nan) -> Any:
    """The rows of X without missing values, and the same rows of everything that goes with X.

    Deletion is right when there are plenty of rows and values are missing completely at random. It is a function and
    not a transformer, because y and the weights must lose the same rows.

    Parameters
    ----------
    X : array, Table or frame
    others : arrays, series or frames of the same length, such as y and sample_weight
    missing_values : what else stands for a missing value besides NaN, None and null

    Returns
    -------
    X alone, or (X, *others), each of its own type

    Examples
    --------
    >>> from assay.prepare import drop_missing
    >>> X, y = drop_missing([[1.0, 2.0], [None, 3.0], [4.0, 5.0]], ["a", "b", "c"])
    >>> X, y
    (array([[1., 2.],
           [4., 5.]]), ['a', 'c'])
    """
    table = Table.of(X, who="drop_missing")
    n, missing = len(table), is_missing(table, missing_values)
    rows = np.flatnonzero(~missing.any(axis=1))
    for k, other in enumerate(others):
        if len(other) != n:
            raise DataError(f"drop_missing: X has {n} rows and argument {k + 1} has {len(other)}.")
    if isinstance(X, (list, tuple)):
        X = table.values if not table.schema.coded.any() else X
    kept = [_rows(part, rows) for part in (X, *others)]
    return tuple(kept) if others else kept[0]


def _rows(part: Any, rows: np.ndarray) -> Any:
    """Some rows of anything that has rows."""
    if isinstance(part, (Table, np.ndarray)):
        return part[rows]
    if hasattr(part, "iloc"):
        return part.iloc[rows]
    if hasattr(part, "take"):  # pyarrow
        return part.take(rows)
    return [part[i] for i in rows] if isinstance(part, (list, tuple)) else part[rows]
