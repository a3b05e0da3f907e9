"""Rows and columns of a table of any kind: how many rows there are, and some of them as a table of the same kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.tables.table import Table

__all__ = ["entries_of_rows", "row_count", "take_columns", "take_rows", "with_column", "with_numbers"]


def take_rows(X: Any, rows: Any) -> Any:
    """Some rows of X, given by their places: a frame of a frame, a Table of a Table, a list of a list.

    >>> from assay.tables.rows import take_rows
    >>> take_rows({"age": [31, 45, 28]}, [2, 0])
    {'age': [28, 31]}
    """
    if isinstance(X, (np.ndarray, Table)):
        return X[rows]
    if hasattr(X, "tocsr"):
        return (X if X.format in ("csr", "csc") else X.tocsr())[rows]
    if isinstance(X, Mapping):
        return {name: take_rows(column, rows) for name, column in X.items()}
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if isinstance(X, (list, tuple)):
        return [X[i] for i in rows]
    import narwhals.stable.v2 as nw

    frame = nw.from_native(X, eager_only=True, allow_series=True, pass_through=True)
    if frame is X:  # of no frame library: an array of another one, or encoded labels
        return X[rows] if hasattr(X, "shape") else np.asarray(X)[rows]
    return frame[np.asarray(rows).tolist()].to_native()


def take_columns(X: Any, columns: Any) -> Any:
    """Some columns of X, given by their places; all of them in their order are X itself.

    >>> import numpy as np
    >>> from assay.tables.rows import take_columns
    >>> take_columns(np.array([[1, 2, 3]]), [2, 0])
    array([[3, 1]])
    """
    if np.array_equal(columns, np.arange(X.shape[1])):
        return X
    if isinstance(X, Table):
        return X.select(columns)
    if hasattr(X, "tocsr") and X.format not in ("csr", "csc"):
        X = X.tocsr()
    return X.iloc[:, columns] if hasattr(X, "iloc") else X[:, columns]


def with_column(X: Any, j: int, rows: Any) -> Any:
    """X with the values of column j taken from other rows, a row for each; of the same kind as X.

    >>> from assay.tables.rows import with_column
    >>> with_column({"age": [31, 45], "job": ["cook", "nurse"]}, 1, [1, 1])
    {'age': [31, 45], 'job': ['nurse', 'nurse']}
    """
    if isinstance(X, Table):
        return X.replaced(values=with_column(X.values, j, rows))
    if hasattr(X, "tocsr"):
        moved = X.tolil(copy=True)
        moved[:, [j]] = X.tocsr()[rows][:, [j]]
        return moved.tocsr()
    if hasattr(X, "iloc"):
        column = X.iloc[rows, j]
        column.index = X.index
        return _assigned(X, j, column)
    if isinstance(X, Mapping):
        name = list(X)[j]
        return {**X, name: take_rows(X[name], rows)}
    if isinstance(X, (np.ndarray, list, tuple)):
        array = np.array(X)
        array[:, j] = array[rows, j]
        return array
    import narwhals.stable.v2 as nw

    frame = nw.from_native(X, eager_only=True)
    name = frame.columns[j]
    return frame.with_columns(frame[np.asarray(rows).tolist()][name].alias(name)).to_native()


def with_numbers(X: Any, j: int, numbers: Any) -> Any:
    """X with a number in column j, the same in all rows or one for each; of the same kind as X.

    >>> from assay.tables.rows import with_numbers
    >>> with_numbers([[1, 2], [3, 4]], 0, 0.5)
    array([[0.5, 2. ],
           [0.5, 4. ]])
    """
    if isinstance(X, Table):
        return X.replaced(values=with_numbers(X.values, j, numbers))
    values = np.broadcast_to(np.asarray(numbers, dtype=np.float64), row_count(X, "with_numbers"))
    if hasattr(X, "tocsr"):
        moved = X.astype(np.float64).tolil(copy=True)
        moved[:, [j]] = values[:, None]
        return moved.tocsr()
    if hasattr(X, "iloc"):
        return _assigned(X, j, values)
    if isinstance(X, Mapping):
        return {**X, list(X)[j]: values}
    if isinstance(X, (np.ndarray, list, tuple)):
        array = np.array(X)
        array = array.astype(np.float64) if array.dtype.kind in "biu" else array
        array[:, j] = values
        return array
    import narwhals.stable.v2 as nw

    frame = nw.from_native(X, eager_only=True)
    column = nw.new_series(frame.columns[j], values.copy(), backend=frame.implementation)
    return frame.with_columns(column).to_native()


def _assigned(X: Any, j: int, values: Any) -> Any:
    """A pandas frame with other values in one column."""
    made = X.copy()
    made[X.columns[j]] = values
    return made


def entries_of_rows(arguments: Mapping[str, Any], rows: Any, n: int) -> dict[str, Any]:
    """Arguments for some of the n rows: what has one entry a row is cut to size, all else stays as it is.

    >>> import numpy as np
    >>> from assay.tables.rows import entries_of_rows
    >>> entries_of_rows({"groups": np.array([7, 8, 9]), "beta": 2}, np.array([0, 2]), 3)
    {'groups': array([7, 9]), 'beta': 2}
    """
    return {
        name: take_rows(value, rows) if _length(value) == n else value for name, value in arguments.items()
    }


def _length(value: Any) -> int | None:
    if isinstance(value, (str, bytes, Mapping)):
        return None
    shape = getattr(value, "shape", None)
    if shape is not None:
        return shape[0] if len(shape) else None
    return len(value) if hasattr(value, "__len__") else None


def row_count(X: Any, who: str) -> int:
    """How many rows a table of any kind has.

    >>> from assay.tables.rows import row_count
    >>> row_count({"age": [31, 45, 28]}, "Learner")
    3
    """
    if isinstance(X, Mapping) and not hasattr(X, "shape"):  # a sparse matrix may be a dict, too
        return len(next(iter(X.values()), ()))
    X = X if hasattr(X, "shape") or not hasattr(X, "__array__") else np.asarray(X)
    if getattr(getattr(X, "dtype", None), "kind", "") == "c":
        raise DataError("Complex data not supported. Split it into real and imaginary columns.", who=who)
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape):
        return int(shape[0])
    if not hasattr(X, "__len__"):
        raise DataError(f"X must be a table of rows and columns, got {type(X).__name__}.", who=who)
    return len(X)
