"""Whatever X is, a frame, a dict, rows, an array: as a block of numbers, or as columns with names."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from assay.errors import DataError, SchemaError
from assay.tables.float_blocks import is_sparse
from assay.tables.schema import Schema

__all__ = ["as_columns", "matched_by_name", "matched_by_position", "named_columns", "numeric_block"]


def as_columns(X: Any, who: str, schema: Schema | None = None) -> Any:
    """Rows that come as dicts, one row alone, or a data set: as something that has columns.

    A dict of single values and a pandas Series are one row where the columns are known (``schema``).

    >>> from assay.tables.input_columns import as_columns
    >>> as_columns([{"a": 1, "b": "x"}, {"a": 2}], "Learner")
    {'a': [1, 2], 'b': ['x', None]}
    """
    if type(X) is np.ndarray or is_sparse(X):
        return X
    if X is None or isinstance(X, (str, bytes, PathLike)):
        what = "None" if X is None else repr(X if isinstance(X, (str, bytes)) else str(X))
        file = "" if X is None else " If it names a file: X = assay.tables.read_table(path).X."
        raise DataError(f"X is {what[:80]}, expected a table of rows and columns.{file}", who=who)
    if isinstance(X, (list, tuple)) and X and all(isinstance(row, Mapping) for row in X):
        names = list(dict.fromkeys(name for row in X for name in row))
        return {name: [row.get(name) for row in X] for name in names}
    if isinstance(X, Mapping) and X and not any(_is_column(value) for value in X.values()):
        if schema is None:
            raise DataError(
                "X is a dict of single values, expected columns of values. For one row give a list of one "
                "dict: [row].",
                who=who,
            )
        return {name: [value] for name, value in X.items()}
    if _is_series(X):
        return _row_of_series(X, who, schema)
    if hasattr(X, "X") and hasattr(X, "y") and not hasattr(X, "columns"):
        raise DataError(
            f"X is a {type(X).__name__}, rows and target in one. Take it apart: X, y = data.", who=who
        )
    return X


def _is_column(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes))


def _is_series(X: Any) -> bool:
    return type(X).__name__ == "Series" and hasattr(X, "to_frame") and not hasattr(X, "columns")


def _row_of_series(X: Any, who: str, schema: Schema | None) -> Any:
    """A pandas Series as one row, if its index names the columns."""
    labels = [str(label) for label in X.index] if hasattr(X, "index") else []
    if schema is not None and labels and set(labels) == set(schema.names):
        return {name: [value] for name, value in zip(labels, X.tolist())}
    raise DataError(
        "Expected 2D array, got 1D array instead: X is a Series. Give a frame: for one row df.iloc[[i]] or "
        "X.to_frame().T, for one column X.to_frame().",
        who=who,
    )


def _refuse_one_dimension(X: Any, who: str) -> None:
    """Say what a list or an array of single values lacks to be a table."""
    bare = isinstance(X, (list, tuple)) and not any(_is_column(v) for v in X[:1])
    if not bare and getattr(X, "ndim", 2) != 1:
        return
    n = len(X)
    raise DataError(
        f"Expected 2D array, got 1D array instead: X holds {n} single value{'' if n == 1 else 's'}, no rows."
        if n
        else "Expected 2D array, got 1D array instead: X is empty, it has no rows and no columns.",
        who=who,
        remedy="Reshape your data: one row is [x] or X[[i]], one column x.reshape(-1, 1), no rows at all X[:0].",
        code="one-dimension",
    )


def _refuse_ragged_rows(rows: Any, who: str) -> None:
    widths = {len(row) if _is_column(row) else 0 for row in rows}
    if len(widths) > 1:
        raise DataError(f"the rows differ in length: {sorted(widths)}.", who=who)


def numeric_block(X: Any, who: str) -> Any:
    """X as a float block if it is a plain numeric or sparse matrix, else None."""
    if type(X) is np.ndarray and X.ndim == 2 and X.size and X.dtype in (np.float64, np.float32):
        return X  # as scikit-learn's check would say, without its 30 microseconds
    if isinstance(X, np.ma.MaskedArray) and X.dtype.kind in "fiub":
        X = np.ma.filled(X.astype(np.float64), np.nan)
    kind = getattr(getattr(X, "dtype", None), "kind", None)
    if kind is not None and hasattr(X, "__array__") and not hasattr(X, "columns"):
        if kind not in "fiubc":
            return None
    elif not is_sparse(X) and (_is_frame(X) or (isinstance(X, (list, tuple)) and _mentions_text(X))):
        return None
    from sklearn.utils import check_array

    _refuse_one_dimension(X, who)
    if isinstance(X, (list, tuple)):
        _refuse_ragged_rows(X, who)
    return check_array(
        X,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        ensure_all_finite=False,
        estimator=who,
        input_name="X",
    )


def _is_frame(X: Any) -> bool:
    # a lazy frame of polars works out its columns when asked for them, so it is known by its name
    lazy = type(X).__name__ == "LazyFrame"
    return lazy or isinstance(X, Mapping) or hasattr(X, "columns") or hasattr(X, "column_names")


def _mentions_text(rows: list[Any] | tuple[Any, ...]) -> bool:
    """Whether a nested list holds anything but numbers; NumPy would turn all of it to text."""
    return any(
        v is None or isinstance(v, (str, bytes, dt.date, dt.timedelta, np.datetime64, np.timedelta64))
        for row in rows
        for v in (row if isinstance(row, (list, tuple)) else (row,))
    )


def named_columns(X: Any, who: str) -> tuple[list[str], list[Any], bool]:
    """Names and columns of a frame, a mapping or an array of objects; whether the names are its own."""
    if isinstance(X, Mapping):
        return _mapped_columns(X, who)
    if _is_frame(X):
        return _frame_columns(X, who)
    _refuse_one_dimension(X, who)
    if isinstance(X, np.ndarray):
        block = (
            np.ma.filled(X, None)
            if isinstance(X, np.ma.MaskedArray) and X.dtype.kind == "O"
            else X.astype(object)
        )
    else:
        rows = list(X)
        _refuse_ragged_rows(rows, who)
        block = np.empty((len(rows), len(rows[0]) if rows else 0), dtype=object)
        for i, row in enumerate(rows):
            block[i] = row
    if block.ndim != 2 or 0 in block.shape:
        from sklearn.utils import check_array  # for its words on shapes

        check_array(block, dtype=None, ensure_all_finite=False, estimator=who, input_name="X")
    return [f"x{j}" for j in range(block.shape[1])], list(block.T), False


def _mapped_columns(X: Mapping[Any, Any], who: str) -> tuple[list[str], list[Any], bool]:
    names = [str(name) for name in X]
    _check_names(names, who)
    for name, column in X.items():
        if isinstance(column, (str, bytes)) or not hasattr(column, "__len__"):
            raise DataError(
                f"{str(name)!r} is one value ({column!r}), expected a column of values as the others are.",
                who=who,
            )
    lengths = {len(column) for column in X.values()}
    if len(lengths) > 1:
        raise DataError(f"the columns differ in length: {sorted(lengths)}.", who=who)
    _check_shape(max(lengths, default=0), len(names), who)
    return names, [_series(column) for column in X.values()], True


def _check_names(names: list[str], who: str) -> None:
    if len(set(names)) != len(names):
        twice = next(name for j, name in enumerate(names) if name in set(names[:j]))
        raise SchemaError(f"column {twice!r} is there more than once. Column names must differ.", who=who)


def _check_shape(n: int, d: int, who: str) -> None:
    for count, what in ((d, "feature"), (n, "sample")):
        if count == 0:
            raise DataError(
                f"found array with 0 {what}(s) (shape=({n}, {d})) while a minimum of 1 is required.", who=who
            )


def _frame_columns(X: Any, who: str) -> tuple[list[str], list[Any], bool]:
    import narwhals.stable.v2 as nw

    if type(X).__name__ == "LazyFrame":
        raise DataError("X is a lazy frame. Load its rows first: X.collect().", who=who)
    labels = list(X.columns) if not hasattr(X, "column_names") else list(X.column_names)
    names = [str(label) for label in labels]
    _check_names(names, who)
    if any(not isinstance(label, str) for label in labels) and hasattr(X, "set_axis"):
        X = X.set_axis(names, axis=1)
    try:
        frame = nw.from_native(X, eager_only=True)
    except TypeError:
        raise DataError(
            f"X is a frame of an unknown kind ({type(X).__module__}.{type(X).__qualname__}). Give a frame of "
            "pandas, polars or pyarrow.",
            who=who,
        ) from None
    n, d = frame.shape
    _check_shape(n, d, who)
    return names, [frame[name] for name in names], all(isinstance(label, str) for label in labels)


def _series(values: Any) -> Any:
    """A column as a narwhals series if it comes from a frame library, else as an object array."""
    import narwhals.stable.v2 as nw

    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return series
    if isinstance(values, np.ndarray) and values.dtype.kind != "O":
        return values
    column = np.empty(len(values), dtype=object)
    column[:] = list(values)
    return column


def matched_by_name(names: list[str], schema: Schema, who: str) -> list[int]:
    """Where each of the schema's columns stands in a table with its own column names."""
    present, known = set(names), set(schema.names)
    lost = [name for name in schema.names if name not in present]
    extra = [name for name in names if name not in known]
    if lost or extra:
        parts = [f"missing: {', '.join(lost)}"] if lost else []
        parts += [f"not seen in fit: {', '.join(extra)}"] if extra else []
        raise SchemaError(f"the columns differ from those of fit ({'; '.join(parts)}).", who=who)
    position = {name: j for j, name in enumerate(names)}
    return [position[name] for name in schema.names]


def matched_by_position(names: list[str], schema: Schema, who: str) -> list[int]:
    """The same where one of the two has no names of its own: their number is checked."""
    if len(names) != len(schema):
        raise SchemaError(
            f"X has {len(names)} features, but {who} is expecting {len(schema)} features as input."
        )
    return list(range(len(schema)))
