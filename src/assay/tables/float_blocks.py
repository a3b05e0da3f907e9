"""Blocks of floats, dense or sparse: what is missing in them, what is infinite."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import DataError
from assay.tables.row_names import row_name
from assay.tables.schema import Schema

__all__ = ["has_missing", "is_complete", "is_sparse", "joined_columns", "without_infinity"]

INFINITE_AS = 1e300  # what stands for infinite numbers, for learners that take them


def is_sparse(X: Any) -> bool:
    """Whether X is a sparse matrix or array of SciPy, or behaves as one."""
    module = type(X).__module__
    return module.startswith("scipy.sparse") or (hasattr(X, "tocsr") and hasattr(X, "nnz"))


def joined_columns(columns: list[np.ndarray]) -> np.ndarray:
    """Columns as one block, row after row; filled some rows at a time, which stay in the cache."""
    n, some = len(columns[0]), 8192
    values = np.empty((n, len(columns)))
    for a in range(0, n, some):
        for j, column in enumerate(columns):
            values[a : a + some, j] = column[a : a + some]
    return values


def without_infinity(values: Any) -> Any:
    """The same numbers with infinite ones at the ends of the scale; None stays None."""
    if values is None or is_sparse(values):
        return values
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.add.reduce(values, axis=None)):
            return values
    if not np.isinf(values).any():
        return values
    return np.nan_to_num(  # the ends of the scale are no numbers of single precision
        np.asarray(values, dtype=np.float64), nan=np.nan, posinf=INFINITE_AS, neginf=-INFINITE_AS
    )


def has_missing(values: Any) -> bool:
    """Whether a block, dense or sparse, has a missing value."""
    return bool(np.isnan(values.data if is_sparse(values) else values).any())


def is_complete(values: Any, schema: Schema, who: str, X: Any = None) -> bool:
    """Whether nothing is missing; infinite entries are refused."""
    numbers = values.data if is_sparse(values) else values
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.add.reduce(numbers, axis=None)):  # one pass: NaN and inf survive a sum
            return True
    if np.isinf(numbers).any():
        where = abs(values) == np.inf  # also of a sparse matrix
        i, j = (int(places[0]) for places in where.nonzero())
        raise DataError(
            f"X contains infinity or a value too large (inf): column {schema[j].name}, {row_name(i, X)}. "
            "Replace it by "
            "a number or by NaN (missing).",
            who=who,
        )
    return not has_missing(values)
