"""A new table in the form of the old one: array for array, frame for frame of the same library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.tables import Column, Table
from assay.tables.frames import arrow_column

__all__ = ["as_given", "beside", "with_text_names"]


def as_given(X: Any, old: Table, new: Table) -> Any:
    """The table ``new`` in the form in which X, whose table is ``old``, was given.

    Columns of a frame that have not changed are handed back as they were, with their type and the frame's
    index; changed numbers are floats, changed categories keep text as text and categories as categories.

    Examples
    --------
    >>> import pandas as pd
    >>> from assay.prepare.as_given import as_given
    >>> from assay.tables import Table
    >>> frame = pd.DataFrame({"weight": [190, 260], "taste": ["sweet", "sour"]}, index=["a", "b"])
    >>> old = Table.of(frame)
    >>> as_given(frame, old, Table(old.values * [0.5, 1], old.schema))
       weight  taste
    a    95.0  sweet
    b   130.0   sour
    """
    if isinstance(X, Table):
        return new
    if hasattr(X, "columns") or hasattr(X, "column_names"):
        return _frame(X, old, new)
    if isinstance(X, Mapping) and not hasattr(X, "tocsr"):  # a sparse matrix of keys is a mapping, too
        return new.to_columns()
    if not new.schema.coded.any():
        return new.values
    block = np.empty(new.shape, dtype=object)
    for j in range(new.shape[1]):
        block[:, j] = [new.schema.label(j, v) for v in new.values[:, j]]
    return block


def with_text_names(X: Any) -> tuple[Any, list[Any]]:
    """A frame for narwhals, its columns named by text, and the names that they had."""
    import narwhals.stable.v2 as nw

    labels = list(X.column_names) if hasattr(X, "column_names") else list(X.columns)
    if not all(isinstance(label, str) for label in labels):
        X = X.set_axis([str(label) for label in labels], axis=1)
    return nw.from_native(X, eager_only=True), labels


def beside(frame: Any, columns: list[Any]) -> Any:
    """A frame of these columns with the rows and the index of another, also where there is no column."""
    rows = frame[frame.columns[0]].alias("\0")
    return frame.select(rows).with_columns(*columns).drop("\0").to_native()


def _frame(X: Any, old: Table, new: Table) -> Any:
    frame, labels = with_text_names(X)
    # without names in fit, columns are matched by position, and the frame's own names are kept
    frame_names = {} if old.schema.named else dict(zip(old.schema.names, map(str, labels)))
    place = {name: i for i, name in enumerate(old.schema.names)}
    columns = []
    for j, column in enumerate(new.schema):
        name, i, numbers = frame_names.get(column.name, column.name), place.get(column.name), new.values[:, j]
        if i is None:
            columns.append(_fresh(frame, name, numbers))
        elif column == old.schema[i] and np.array_equal(old.values[:, i], numbers, equal_nan=True):
            columns.append(frame[name])
        else:
            columns.append(_changed(frame[name], column, numbers).alias(name))
    result = beside(frame, columns)
    original = {str(label): label for label in labels}
    if any(not isinstance(label, str) for label in labels):
        result.columns = [original.get(name, name) for name in result.columns]
    return result


def _changed(series: Any, column: Column, numbers: np.ndarray) -> Any:
    """The numbers as a series of the kind that the old series was."""
    import narwhals.stable.v2 as nw

    library = series.implementation
    if column.date:
        moments = np.where(np.isnan(numbers), np.nan, numbers * 86400e6)
        micro = np.where(np.isnan(moments), np.iinfo(np.int64).min, moments.round()).astype("datetime64[us]")
        dates = nw.new_series(column.name, micro, nw.Datetime("us"), backend=library)
        return dates.cast(series.dtype) if series.dtype.is_temporal() else dates
    if not column.coded:
        return nw.new_series(column.name, np.asarray(numbers, np.float64), nw.Float64, backend=library)
    if series.dtype == nw.Categorical and hasattr(series.to_native(), "cat") and library.is_pandas_like():
        native = arrow_column(column, numbers).to_pandas()
        return nw.from_native(native, series_only=True)
    labels = [None if not v >= 0 else column.categories[int(v)] for v in numbers]  # NaN is not >= 0
    if series.dtype == nw.Enum:
        return nw.new_series(column.name, labels, nw.Enum(column.categories), backend=library)
    dtype = series.dtype if series.dtype in (nw.String, nw.Categorical) else None
    return nw.new_series(column.name, labels, dtype, backend=library)


def _fresh(frame: Any, name: str, numbers: np.ndarray) -> Any:
    """A numeric column that the old table did not have."""
    import narwhals.stable.v2 as nw

    return nw.new_series(name, np.asarray(numbers, np.float64), nw.Float64, backend=frame.implementation)
