"""A table as a data frame of the library that the reader likes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.errors import MissingExtraError, ParameterError
from assay.tables.schema import Column
from assay.tables.table import Table

__all__ = ["LIBRARIES", "arrow_column", "to_frame"]

LIBRARIES = ("pandas", "polars", "pyarrow")


def to_frame(table: Table, library: str = "pandas", extra: Mapping[str, Any] | None = None) -> Any:
    """The table as a frame: numbers as floats, categories as the library's own categorical type, in their order.

    Parameters
    ----------
    table : Table
    library : "pandas", "polars" or "pyarrow"
    extra : columns to put after the table's own, such as the target

    Examples
    --------
    >>> from assay.tables import Table
    >>> from assay.tables.frames import to_frame
    >>> table = Table.of({"weight": [190.0, None], "taste": ["sweet", "sour"]})
    >>> to_frame(table, "pyarrow").column_names
    ['weight', 'taste']
    >>> to_frame(table, "pandas")
       weight  taste
    0   190.0  sweet
    1     NaN   sour
    """
    if library not in LIBRARIES:
        raise ParameterError(f"to_frame: library must be one of {', '.join(LIBRARIES)}, got {library!r}.")
    import pyarrow as pa

    values = table.values if isinstance(table.values, np.ndarray) else table.values.toarray()
    columns = {c.name: arrow_column(c, values[:, j]) for j, c in enumerate(table.schema)}
    for name, column in (extra or {}).items():
        columns[name] = pa.array(column.tolist() if isinstance(column, np.ndarray) else list(column))
    frame = pa.table(columns)
    if library == "pyarrow":
        return frame
    try:
        if library == "pandas":
            return frame.to_pandas()
        import polars as pl
    except ImportError:
        raise MissingExtraError(f"A {library} frame needs one more package: pip install {library}.") from None
    declared = {
        c.name: pl.Enum(c.categories)
        for c in table.schema
        if c.coded and all(isinstance(v, str) for v in c.categories)
    }
    return pl.DataFrame(frame).with_columns(pl.col(name).cast(kind) for name, kind in declared.items())


def arrow_column(column: Column, numbers: np.ndarray) -> Any:
    """One column of a table's numbers as an Arrow array: floats, dates or a dictionary; NaN is null."""
    import pyarrow as pa

    missing = np.isnan(numbers)
    if column.date:
        micro = np.where(missing, 0.0, numbers * 86400e6).round().astype(np.int64)
        return pa.array(micro, pa.timestamp("us"), mask=missing)
    if not column.coded:
        return pa.array(np.asarray(numbers, dtype=np.float64), mask=missing)
    missing |= numbers < 0
    codes = pa.array(np.where(missing, 0, numbers).astype(np.int32), mask=missing)
    try:
        categories = pa.array(list(column.categories))
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # values of several types are distinguished by their text
        categories = pa.array([str(value) for value in column.categories])
    return pa.DictionaryArray.from_arrays(codes, categories, ordered=column.kind == "ordinal")
