"""A table as learners see it: one block of numbers, and the schema that says what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.errors import DataError, SchemaError
from assay.tables.schema import Column, Kind, Schema, in_order

UNSEEN = -1.0  # the code of a category that the schema does not list


@dataclass
class Table:
    """Rows as one float block plus the schema of its columns.

    Category number c is the number c, missing is NaN, a category that the schema does not
    list is -1. A sparse matrix stays sparse (CSR) and is all numeric.

    Parameters
    ----------
    values : (n, d) float array or CSR matrix
    schema : Schema
    complete : bool
        True when no entry is missing.
    unseen : dict of column name to list of unseen values

    Examples
    --------
    >>> import pandas as pd
    >>> from assay.tables import Table
    >>> table = Table.of(pd.DataFrame({"weight": [190, None], "taste": ["sweet", "sour"]}))
    >>> table.values
    array([[190.,   1.],
           [ nan,   0.]])
    >>> again = Table.like(pd.DataFrame({"taste": ["bitter"], "weight": [200]}), table.schema)
    >>> again.values, again.unseen
    (array([[200.,  -1.]]), {'taste': ['bitter']})
    """

    values: Any
    schema: Schema
    complete: bool = True
    unseen: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, int]:
        return self.values.shape

    @classmethod
    def of(cls, X: Any, kinds: Mapping[str, Kind] | None = None, who: str = "Table") -> Table:
        """Learn the schema of ``X`` and encode it.

        ``X`` is a NumPy array, a SciPy sparse matrix, a nested list, or a pandas, polars or
        pyarrow frame. ``kinds`` overrules the kind found for the columns it names.
        """
        if isinstance(X, Table):
            return X
        plain = _numeric_block(X, who)
        if plain is not None and not kinds:
            return cls(plain, Schema.numeric(plain.shape[1]), _complete(plain, who))
        names, columns, named = _columns(X, who)
        kinds = dict(kinds or {})
        for name in kinds:
            if name not in names:
                raise SchemaError(f"{who}: there is no column {name!r}. Columns: {', '.join(names)}.")
        encoded = [_learn_column(name, column, kinds.get(name), who) for name, column in zip(names, columns)]
        schema = Schema([column for column, _ in encoded], named)
        values = np.column_stack([codes for _, codes in encoded]) if encoded else np.empty((len(X), 0))
        return cls(np.ascontiguousarray(values), schema, _complete(values, who))

    @classmethod
    def like(cls, X: Any, schema: Schema, who: str = "Table") -> Table:
        """Encode ``X`` by a schema learned before; columns are matched by name."""
        if isinstance(X, Table):
            if X.schema == schema:
                return X
            X = X.to_columns()
        plain = _numeric_block(X, who)
        if plain is not None:
            if plain.shape[1] != len(schema):
                raise SchemaError(
                    f"X has {plain.shape[1]} features, but {who} is expecting {len(schema)} features as input."
                )
            if not schema.coded.any():
                return cls(plain, schema, _complete(plain, who))
        names, columns, named = _columns(X, who)
        order = _match(names, schema, who) if named and schema.named else _by_position(names, schema, who)
        values = np.empty((len(columns[0]) if columns else 0, len(schema)))
        unseen: dict[str, list[Any]] = {}
        for j, column in enumerate(schema):
            values[:, j], strange = _apply_column(column, columns[order[j]], who)
            if strange:
                unseen[column.name] = strange
        return cls(values, schema, _complete(values, who), unseen)

    def __len__(self) -> int:
        return self.values.shape[0]

    def __getitem__(self, rows: Any) -> Table:
        """The table of some rows: a slice, row numbers or a mask, so that splitters can cut a table.

        >>> from assay.tables import Table
        >>> Table.of([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])[[2, 0]].values
        array([[5., 6.],
               [1., 2.]])
        """
        if isinstance(rows, tuple):  # scikit-learn's splitters write table[rows, ...]
            if len(rows) != 2 or rows[1] is not Ellipsis:
                raise DataError("A Table is indexed by rows only: table[rows].")
            rows = rows[0]
        if isinstance(rows, (int, np.integer)):
            rows = [rows]
        values = self.values[rows]
        there = self.complete or _complete(values, "Table")
        return Table(values, self.schema, there, dict(self.unseen))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The block of numbers, if every column is numeric: codes of categories are not quantities."""
        if self.schema.coded.any():
            name = next(c.name for c in self.schema if c.coded)
            raise DataError(
                f"Table: column {name!r} holds categories, so the table is no array of numbers. Give it to a "
                "learner as it is, or expand it: Design(table.schema).expand(table.values)."
            )
        if not isinstance(self.values, np.ndarray):
            raise DataError("Table: the table is sparse; use table.values.toarray().")
        return np.array(self.values, dtype=dtype, copy=copy)

    def to_columns(self) -> dict[str, list[Any]]:
        """The table in its own values: a dict of columns, missing as None."""
        return {
            c.name: [self.schema.label(j, v) for v in self.values[:, j]] for j, c in enumerate(self.schema)
        }


def _numeric_block(X: Any, who: str) -> Any:
    """X as a float block if it is a plain numeric or sparse matrix, else None."""
    kind = getattr(getattr(X, "dtype", None), "kind", None)
    if kind is not None and hasattr(X, "__array__") and not hasattr(X, "columns"):
        if kind not in "fiubc":
            return None
    elif _is_sparse(X):
        pass
    elif hasattr(X, "columns") or hasattr(X, "column_names") or isinstance(X, Mapping):
        return None
    elif isinstance(X, (list, tuple)) and _mentions_text(X):
        return None
    from sklearn.utils import check_array

    return check_array(
        X,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        ensure_all_finite=False,
        estimator=who,
        input_name="X",
    )


def _is_sparse(X: Any) -> bool:
    module = type(X).__module__
    return module.startswith("scipy.sparse") or (hasattr(X, "tocsr") and hasattr(X, "nnz"))


def _mentions_text(rows: list[Any] | tuple[Any, ...]) -> bool:
    """Whether a nested list holds anything but numbers; NumPy would turn all of it to text."""
    return any(
        isinstance(v, (str, bytes)) or v is None
        for row in rows
        for v in (row if isinstance(row, (list, tuple)) else (row,))
    )


def _complete(values: Any, who: str) -> bool:
    """Whether nothing is missing; infinite entries are refused."""
    numbers = values.data if _is_sparse(values) else values
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.add.reduce(numbers, axis=None)):  # one pass: NaN and inf survive a sum
            return True
    if np.isinf(numbers).any():
        raise DataError(
            f"{who}: X contains infinity or a value too large (inf). Replace it by a number or by NaN (missing)."
        )
    return not np.isnan(numbers).any()


def _columns(X: Any, who: str) -> tuple[list[str], list[Any], bool]:
    """Names and columns of a frame, a mapping or an array of objects; whether the names are its own."""
    if isinstance(X, Mapping):
        lengths = {len(column) for column in X.values()}
        if len(lengths) > 1:
            raise DataError(f"{who}: the columns differ in length: {sorted(lengths)}.")
        return [str(name) for name in X], [_series(column) for column in X.values()], True
    if hasattr(X, "columns") or hasattr(X, "column_names"):
        return _frame_columns(X, who)
    if isinstance(X, np.ndarray):
        block = X if X.dtype.kind == "O" else X.astype(object)
    else:
        rows = list(X)
        widths = {len(row) if isinstance(row, (list, tuple, np.ndarray)) else 0 for row in rows}
        if len(widths) > 1:
            raise DataError(f"{who}: the rows differ in length: {sorted(widths)}.")
        block = np.empty((len(rows), max(widths, default=0)), dtype=object)
        for i, row in enumerate(rows):
            block[i] = row
    if block.ndim != 2 or 0 in block.shape:
        from sklearn.utils import check_array  # for its words on shapes

        check_array(block, dtype=None, ensure_all_finite=False, estimator=who, input_name="X")
    return [f"x{j}" for j in range(block.shape[1])], list(block.T), False


def _frame_columns(X: Any, who: str) -> tuple[list[str], list[Any], bool]:
    import narwhals.stable.v2 as nw

    labels = list(X.columns) if not hasattr(X, "column_names") else list(X.column_names)
    names = [str(label) for label in labels]
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise SchemaError(f"{who}: column {twice!r} is there more than once. Column names must differ.")
    if any(not isinstance(label, str) for label in labels) and hasattr(X, "set_axis"):
        X = X.set_axis(names, axis=1)
    frame = nw.from_native(X, eager_only=True)
    n, d = frame.shape
    if n == 0:
        raise DataError(
            f"{who}: found array with 0 sample(s) (shape=({n}, {d})) while a minimum of 1 is required."
        )
    if d == 0:
        raise DataError(
            f"{who}: found array with 0 feature(s) (shape=({n}, {d})) while a minimum of 1 is required."
        )
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


def _learn_column(name: str, values: Any, kind: Kind | None, who: str) -> tuple[Column, np.ndarray]:
    """What a column is, and its numbers."""
    found, data = _classify(name, values, who)
    if found == "numeric" and kind in (None, "numeric"):
        return Column(name), data
    if found == "date" and kind in (None, "numeric"):
        return Column(name, date=True), data
    if found in ("numeric", "date"):  # numbers that the caller declares to be categories
        levels, codes = np.unique(data, return_inverse=True)
        there = ~np.isnan(levels)
        codes = np.where(np.isnan(data), np.nan, codes)
        numbers = tuple(int(v) if float(v).is_integer() else float(v) for v in levels[there])
        return Column(name, kind or "nominal", numbers), codes
    if kind == "numeric":
        raise SchemaError(f"{who}: column {name!r} holds text, expected numbers.")
    categories, codes = data
    return Column(name, kind or found, categories), codes  # type: ignore[arg-type]


def _apply_column(column: Column, values: Any, who: str) -> tuple[np.ndarray, list[Any]]:
    """A column's numbers by a schema learned before, and the values it did not know."""
    found, data = _classify(column.name, values, who)
    if not column.coded:
        if found in ("numeric", "date"):
            return data, []
        categories, codes = data
        if not categories:  # nothing but holes
            return codes, []
        if column.date:
            return _dates_from_text(column.name, categories, codes, who), []
        raise SchemaError(
            f"{who}: column {column.name!r} was numeric when the model was fitted, now it holds {categories[0]!r}."
        )
    if found in ("numeric", "date"):
        levels, inverse = np.unique(data, return_inverse=True)
        codes = np.where(np.isnan(data), np.nan, inverse)
        categories = tuple(levels[~np.isnan(levels)].tolist())
    else:
        categories, codes = data
    if categories == column.categories:
        return codes, []
    known = {value: float(code) for code, value in enumerate(column.categories)}
    table = np.array([known.get(value, UNSEEN) for value in categories])
    there = ~np.isnan(codes)
    translated = np.full(len(codes), np.nan)
    if there.any():
        translated[there] = table[codes[there].astype(np.intp)]
    used = np.unique(codes[translated == UNSEEN]).astype(np.intp)
    return translated, [categories[c] for c in used]


def _classify(name: str, values: Any, who: str) -> tuple[str, Any]:
    """("numeric" or "date", floats) or ("nominal" or "ordinal", (categories, codes as floats))."""
    if isinstance(values, np.ndarray):
        if values.dtype.kind in "fiub":
            return "numeric", values.astype(np.float64)
        if values.dtype.kind == "M":
            return "date", _days(values)
        return _classify_objects(name, values.astype(object), who)
    import narwhals.stable.v2 as nw

    dtype = values.dtype
    if dtype.is_numeric() or dtype == nw.Boolean:
        return "numeric", _numbers(values)
    if dtype in (nw.Categorical, nw.Enum):
        return _classify_categories(values, ordered=_is_ordered(values))
    if dtype == nw.String:
        return "nominal", _dictionary(values.to_arrow())
    if dtype in (nw.Date, nw.Datetime):
        return "date", _days(values.cast(nw.Datetime("us")).to_numpy().astype("datetime64[us]"))
    if dtype == nw.Duration:
        micro = values.to_numpy().astype("timedelta64[us]")
        return "numeric", np.where(np.isnat(micro), np.nan, micro.astype(np.float64) / 86400e6)
    if dtype == nw.Object or dtype == nw.Unknown:
        return _classify_objects(name, np.asarray(values.to_numpy(), dtype=object), who)
    raise SchemaError(
        f"{who}: column {name!r} has type {dtype}, expected numbers, text, categories or dates. Drop or convert it."
    )


def _numbers(series: Any) -> np.ndarray:
    """Numbers and booleans as floats, nulls as NaN."""
    import narwhals.stable.v2 as nw

    if series.dtype == nw.Boolean and series.null_count():
        return np.array([np.nan if v is None else float(v) for v in series.to_list()])
    if series.dtype != nw.Float64:
        series = series.cast(nw.Float64)
    return np.array(series.to_numpy(), dtype=np.float64)


def _is_ordered(series: Any) -> bool:
    native = series.to_native()
    return bool(getattr(getattr(native, "cat", None), "ordered", False))


def _classify_categories(series: Any, ordered: bool) -> tuple[str, Any]:
    """A declared categorical keeps its declared categories and their order."""
    native = series.to_native()
    accessor = getattr(native, "cat", None)
    if hasattr(accessor, "categories"):  # pandas: the values may be of any type
        codes = np.asarray(accessor.codes, dtype=np.float64)
        codes[codes < 0] = np.nan
        return "ordinal" if ordered else "nominal", (tuple(accessor.categories.tolist()), codes)
    import narwhals.stable.v2 as nw

    if series.dtype == nw.Enum:
        categories = tuple(series.dtype.categories)
        position = {value: float(code) for code, value in enumerate(categories)}
        return "nominal", (categories, np.array([position.get(v, np.nan) for v in series.to_list()]))
    return "nominal", _dictionary(series.cast(nw.String).to_arrow())


def _dictionary(column: Any) -> tuple[tuple[Any, ...], np.ndarray]:
    """Sorted distinct values of an Arrow column and each row's position among them."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_null(column.type):  # nothing but holes has no categories
        return (), np.full(len(column), np.nan)
    encoded = column.dictionary_encode()
    values = encoded.dictionary.to_pylist()
    categories = in_order(values)
    position = {value: code for code, value in enumerate(categories)}
    table = np.array([position[v] for v in values], dtype=np.float64)
    rows = encoded.indices.to_numpy(zero_copy_only=False).astype(np.float64)
    there = ~np.isnan(rows)
    codes = np.full(len(rows), np.nan)
    codes[there] = table[rows[there].astype(np.intp)]
    return categories, codes


def _classify_objects(name: str, values: np.ndarray, who: str) -> tuple[str, Any]:
    """Python objects: numbers if all are numbers, dates if all are dates, else categories."""
    missing = np.array([v is None or v != v or str(v) in ("<NA>", "NaT") for v in values], dtype=bool)
    there = values[~missing]
    if all(isinstance(v, (int, float, np.number, np.bool_)) for v in there):
        numbers = np.full(len(values), np.nan)
        numbers[~missing] = there.astype(np.float64)
        return "numeric", numbers
    if all(isinstance(v, np.datetime64) or hasattr(v, "isoformat") for v in there):
        return "date", _days(np.array([None if m else v for v, m in zip(values, missing)], "datetime64[us]"))
    try:
        categories = in_order(set(there.tolist()))
    except TypeError:
        strange = next(v for v in there if type(v).__hash__ is None)
        raise DataError(
            f"{who}: column {name!r} holds {strange!r}; argument must be a string or a number."
        ) from None
    position = {value: code for code, value in enumerate(categories)}
    codes = np.full(len(values), np.nan)
    codes[~missing] = [position[v] for v in there.tolist()]
    return "nominal", (categories, codes)


def _days(moments: np.ndarray) -> np.ndarray:
    """Days since 1970-01-01, NaT as NaN."""
    micro = moments.astype("datetime64[us]")
    return np.where(np.isnat(micro), np.nan, micro.astype(np.int64) / 86400e6)


def _dates_from_text(name: str, categories: tuple[Any, ...], codes: np.ndarray, who: str) -> np.ndarray:
    """A date column given as ISO text."""
    try:
        days = _days(np.array(categories, dtype="datetime64[us]"))
    except ValueError:
        raise SchemaError(
            f"{who}: column {name!r} held dates when the model was fitted, now it holds {categories[0]!r}."
        ) from None
    there = ~np.isnan(codes)
    result = np.full(len(codes), np.nan)
    result[there] = days[codes[there].astype(np.intp)]
    return result


def _match(names: list[str], schema: Schema, who: str) -> list[int]:
    """Where each of the schema's columns stands in a table with its own column names."""
    lost = [name for name in schema.names if name not in set(names)]
    extra = [name for name in names if name not in set(schema.names)]
    if lost or extra:
        parts = [f"missing: {', '.join(lost)}"] if lost else []
        parts += [f"not seen in fit: {', '.join(extra)}"] if extra else []
        raise SchemaError(f"{who}: the columns differ from those of fit ({'; '.join(parts)}).")
    position = {name: j for j, name in enumerate(names)}
    return [position[name] for name in schema.names]


def _by_position(names: list[str], schema: Schema, who: str) -> list[int]:
    if len(names) != len(schema):
        raise SchemaError(
            f"X has {len(names)} features, but {who} is expecting {len(schema)} features as input."
        )
    return list(range(len(schema)))
