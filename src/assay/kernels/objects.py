"""Rows that never become a table: strings, graphs, whatever a kernel compares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from assay.errors import DataError

__all__ = ["is_column_of_objects", "objects_of"]


def objects_of(X: Any, who: str) -> np.ndarray:
    """(n,) objects of a sequence, of a column, or of an array with one column.

    >>> from assay.kernels.objects import objects_of
    >>> objects_of(["statistics", "computation"], "SVC")
    array(['statistics', 'computation'], dtype=object)
    """
    if isinstance(X, (str, bytes, Mapping)) or not isinstance(X, Iterable) or not hasattr(X, "__len__"):
        raise DataError(
            f"X must be a sequence of what the kernel compares, one for each row, got {type(X).__name__}.",
            who=who,
        )
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape) == 2 and shape[1] == 1:
        X = np.asarray(X, dtype=object)[:, 0]
    elif shape is not None and len(shape) != 1:
        raise DataError(f"X must have one object a row for this kernel, got the shape {shape}.", who=who)
    values = X.tolist() if hasattr(X, "tolist") else list(X)
    if not values:
        raise DataError("X has no rows: Found array with 0 sample(s).", who=who)
    missing = [i for i, value in enumerate(values) if value is None]
    if missing:
        raise DataError(f"row {missing[0] + 1} of X is None. Drop the row.", who=who)
    rows = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):  # not at once: a list of lists would become a table
        rows[i] = value
    return rows


def is_column_of_objects(X: Any) -> bool:
    """Whether X is a sequence of single things that are no numbers, such as texts, rather than a table.

    >>> from assay.kernels.objects import is_column_of_objects
    >>> is_column_of_objects(["a", "b"]), is_column_of_objects([[1.0], [2.0]]), is_column_of_objects([1.0, 2.0])
    (True, False, False)
    """
    if hasattr(X, "shape"):
        return len(X.shape) == 1 and getattr(X, "dtype", np.dtype(float)).kind not in "biuf"
    if not isinstance(X, (list, tuple)) or not X:
        return False
    return isinstance(X[0], str) or not (hasattr(X[0], "__len__") or np.isscalar(X[0]))
