"""A table as learners see it: one block of numbers, and the schema that says what they mean."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from assay.errors import DataError, SchemaError
from assay.tables.encode import UNSEEN, OddCell, apply_column, learn_column
from assay.tables.row_names import RowNames, row_name
from assay.tables.schema import Column, Kind, Schema

__all__ = ["UNSEEN", "Table"]

INFINITE_AS = 1e300  # what stands for infinite numbers, for learners that take them


class Table:
    """Rows as one float block plus the schema of its columns: checked once, and handed on without another check.

    Category number c is the number c, missing is NaN, a category that the schema does not
    list is -1. A sparse matrix stays sparse (CSR) and is all numeric. Rows of a table are a table, and what is known
    of all rows (their columns, that none has a missing value) is known of some.

    Parameters
    ----------
    values : (n, d) float array or CSR matrix
    schema : Schema
    complete : bool or None
        True when no entry is missing; None for not known yet, then the values are looked through when it is asked for.
    unseen : dict of column name to list of unseen values
    row_names : RowNames, what the rows are called; None for their numbers, counted from 1

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

    def __init__(
        self,
        values: Any,
        schema: Schema,
        complete: bool | None = True,
        unseen: Mapping[str, list[Any]] | None = None,
        row_names: RowNames | None = None,
    ):
        self.values, self.schema, self._complete = values, schema, complete
        self.unseen: Mapping[str, list[Any]] = {} if unseen is None else unseen
        self.row_names = row_names

    @property
    def complete(self) -> bool:
        """Whether no entry is missing."""
        if self._complete is None:
            self._complete = not has_missing(self.values)
        return self._complete

    def replaced(self, **changes: Any) -> Table:
        """The same table with another schema, other row names, or other values of which as much is known.

        >>> from assay.tables import Column, Schema, Table
        >>> Table.of([[1.0], [2.0]]).replaced(schema=Schema([Column("weight")])).schema.names
        ['weight']
        """
        known = {
            "values": self.values,
            "schema": self.schema,
            "complete": self._complete,
            "unseen": self.unseen,
            "row_names": self.row_names,
        }
        return Table(**{**known, **changes})

    @property
    def shape(self) -> tuple[int, int]:
        return self.values.shape

    @classmethod
    def of(
        cls, X: Any, kinds: Mapping[str, Kind] | None = None, who: str = "Table", infinite: bool = False
    ) -> Table:
        """Learn the schema of ``X`` and encode it.

        ``X`` is a NumPy array, a SciPy sparse matrix, a nested list, or a pandas, polars or
        pyarrow frame. ``kinds`` overrules the kind found for the columns it names. Infinite numbers are an error, or
        with ``infinite`` stand beyond all others, at 1e300 and -1e300.
        """
        if isinstance(X, Table):
            return X._as(kinds, who) if kinds else X
        X = as_columns(X, who)
        plain = _numeric_block(X, who)
        plain = _bounded(plain) if infinite else plain
        if plain is not None and not kinds:
            schema = Schema.numeric(plain.shape[1])
            return cls(plain, schema, _complete(plain, schema, who))
        names, columns, named = _columns(X, who)
        kinds = dict(kinds or {})
        for name in kinds:
            if name not in names:
                raise SchemaError(f"there is no column {name!r}. Columns: {', '.join(names)}.", who=who)
        with _rows_named(X):
            encoded = [learn_column(n, column, kinds.get(n), who) for n, column in zip(names, columns)]
        schema = Schema([column for column, _ in encoded], named)
        values = _block([codes for _, codes in encoded])
        values = _bounded(values) if infinite else values
        return cls(values, schema, _complete(values, schema, who, X), row_names=_indexed(X))

    @classmethod
    def like(cls, X: Any, schema: Schema, who: str = "Table", infinite: bool = False) -> Table:
        """Encode ``X`` by a schema learned before; columns are matched by name. ``infinite`` as in :meth:`of`."""
        if isinstance(X, Table):
            if X.schema is schema or X.schema == schema:
                return X
            X = X.values if _is_sparse(X.values) and not X.schema.named else X.to_columns()
        X = as_columns(X, who, schema)
        plain = _numeric_block(X, who)
        plain = _bounded(plain) if infinite else plain
        if plain is not None:
            if plain.shape[1] != len(schema):
                raise SchemaError(
                    f"X has {plain.shape[1]} features, but {who} is expecting {len(schema)} features as input."
                )
            if not schema.coded.any():
                return cls(plain, schema, _complete(plain, schema, who))
            if _is_sparse(plain):
                raise DataError(
                    "X is sparse, but some columns held categories. Give a frame or an array.", who=who
                )
        names, columns, named = _columns(X, who)
        order = _match(names, schema, who) if named and schema.named else _by_position(names, schema, who)
        unseen: dict[str, list[Any]] = {}
        encoded = []
        with _rows_named(X):
            for j, column in enumerate(schema):
                codes, strange = apply_column(column, columns[order[j]], who)
                encoded.append(codes)
                if strange:
                    unseen[column.name] = strange
        values = _bounded(_block(encoded)) if infinite else _block(encoded)
        return cls(values, schema, _complete(values, schema, who, X), unseen, _indexed(X))

    def _as(self, kinds: Mapping[str, Kind], who: str) -> Table:
        """The same rows, some columns taken as another kind."""
        for name in kinds:
            self.schema.index(name)
        columns, values = list(self.schema.columns), self.values.copy()
        for j, column in enumerate(columns):
            kind = kinds.get(column.name, column.kind)
            if column.coded and kind != "numeric":
                columns[j] = Column(column.name, kind, column.categories)
            elif kind != column.kind:
                if column.coded:
                    labels = np.array([self.schema.label(j, v) for v in values[:, j]], dtype=object)
                    with _rows_named(self):
                        columns[j], values[:, j] = learn_column(column.name, labels, kind, who)
                    continue
                columns[j], values[:, j] = learn_column(column.name, values[:, j], kind, who)
        return self.replaced(values=values, schema=Schema(columns, self.schema.named))

    def __len__(self) -> int:
        return self.values.shape[0]

    def __repr__(self) -> str:
        """Names, kinds and the first rows.

        >>> from assay.tables import Table
        >>> Table.of({"weight": [190.0, None], "taste": ["sweet", "sour"]})
        Table: 2 rows, 2 columns
          weight   taste
          numeric  nominal
              190  sweet
          missing  sour
        """
        from assay.tables.table_text import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from assay.tables.table_text import as_html

        return as_html(self)

    def to_pandas(self) -> Any:
        """The table as a pandas frame: numbers as floats, dates as dates, categories as categoricals in their order.

        >>> from assay.tables import Table
        >>> Table.of([[1.0, "x"], [None, "y"]]).to_pandas()
            x0 x1
        0  1.0  x
        1  NaN  y
        """
        return self._frame("pandas")

    def to_polars(self) -> Any:
        """The table as a polars frame, as ``to_pandas``; categories are an Enum."""
        return self._frame("polars")

    def to_arrow(self) -> Any:
        """The table as a pyarrow table, as ``to_pandas``; categories are a dictionary."""
        return self._frame("pyarrow")

    def _frame(self, library: str) -> Any:
        from assay.tables.frames import to_frame

        return to_frame(self, library)

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
        places = np.arange(len(self))[rows] if isinstance(rows, slice) else rows
        names = RowNames.of(self).take(places)
        return Table(self.values[rows], self.schema, self._complete or None, self.unseen, names)

    def select(self, columns: Any) -> Table:
        """The table of some columns, given by their places; one that is given again gets a name of its own.

        >>> from assay.tables import Table
        >>> Table.of({"weight": [190.0], "taste": ["sweet"], "size": [7.5]}).select([2, 0, 2]).schema.names
        ['size', 'weight', 'size (2)']
        """
        chosen, unseen, times = [], {}, Counter[int]()
        for j in map(int, columns):
            column = self.schema[j]
            times[j] += 1
            if times[j] > 1:
                column = replace(column, name=f"{column.name} ({times[j]})")
            if self.schema[j].name in self.unseen:
                unseen[column.name] = self.unseen[self.schema[j].name]
            chosen.append(column)
        schema = Schema(chosen, self.schema.named)
        return Table(self.values[:, columns], schema, self._complete or None, unseen, self.row_names)

    def unseen_as_missing(self) -> Table:
        """The table in which a category that the schema does not list is a missing value.

        >>> from assay.tables import Table
        >>> fruit = Table.of({"taste": ["sweet", "sour"]})
        >>> Table.like({"taste": ["bitter"]}, fruit.schema).unseen_as_missing().values
        array([[nan]])
        """
        if not self.unseen:
            return self
        values = np.where((self.values == UNSEEN) & self.schema.coded, np.nan, self.values)
        return Table(values, self.schema, None, None, self.row_names)

    def row(self, i: int) -> dict[str, Any]:
        """Row i by column, in its own values: categories, dates, None where missing.

        >>> from assay.tables import Table
        >>> Table.of({"weight": [190.0, None], "taste": ["sweet", "sour"]}).row(1)
        {'weight': None, 'taste': 'sour'}
        """
        values = self.values[i] if isinstance(self.values, np.ndarray) else self.values[[i]].toarray()[0]
        return {c.name: self.schema.label(j, v) for j, (c, v) in enumerate(zip(self.schema, values))}

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
        values = self.values.toarray() if _is_sparse(self.values) else self.values
        return {c.name: [self.schema.label(j, v) for v in values[:, j]] for j, c in enumerate(self.schema)}


@contextmanager
def _rows_named(X: Any) -> Iterator[None]:
    """Errors about a cell name its row as the owner of the table knows it."""
    try:
        yield
    except OddCell as odd:
        raise odd.error(RowNames.of(X)) from None


def as_columns(X: Any, who: str, schema: Schema | None = None) -> Any:
    """Rows that come as dicts, one row alone, or a data set: as something that has columns.

    A dict of single values and a pandas Series are one row where the columns are known (``schema``).

    >>> from assay.tables.table import as_columns
    >>> as_columns([{"a": 1, "b": "x"}, {"a": 2}], "Learner")
    {'a': [1, 2], 'b': ['x', None]}
    """
    if type(X) is np.ndarray or _is_sparse(X):
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
    """Say what a list or an array of single numbers lacks to be a table."""
    bare = isinstance(X, (list, tuple)) and not any(hasattr(v, "__len__") for v in X[:1])
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


def _block(columns: list[np.ndarray]) -> np.ndarray:
    """Columns as one block, row after row; filled some rows at a time, which stay in the cache."""
    n, some = len(columns[0]), 8192
    values = np.empty((n, len(columns)))
    for a in range(0, n, some):
        for j, column in enumerate(columns):
            values[a : a + some, j] = column[a : a + some]
    return values


def _numeric_block(X: Any, who: str) -> Any:
    """X as a float block if it is a plain numeric or sparse matrix, else None."""
    if type(X) is np.ndarray and X.ndim == 2 and X.size and X.dtype in (np.float64, np.float32):
        return X  # as scikit-learn's check would say, without its 30 microseconds
    if isinstance(X, np.ma.MaskedArray) and X.dtype.kind in "fiub":
        X = np.ma.filled(X.astype(np.float64), np.nan)
    kind = getattr(getattr(X, "dtype", None), "kind", None)
    if kind is not None and hasattr(X, "__array__") and not hasattr(X, "columns"):
        if kind not in "fiubc":
            return None
    elif not _is_sparse(X) and (_is_frame(X) or (isinstance(X, (list, tuple)) and _mentions_text(X))):
        return None
    from sklearn.utils import check_array

    _refuse_one_dimension(X, who)
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


def _is_sparse(X: Any) -> bool:
    module = type(X).__module__
    return module.startswith("scipy.sparse") or (hasattr(X, "tocsr") and hasattr(X, "nnz"))


def _mentions_text(rows: list[Any] | tuple[Any, ...]) -> bool:
    """Whether a nested list holds anything but numbers; NumPy would turn all of it to text."""
    return any(
        v is None or isinstance(v, (str, bytes, dt.date, dt.timedelta, np.datetime64, np.timedelta64))
        for row in rows
        for v in (row if isinstance(row, (list, tuple)) else (row,))
    )


def _indexed(X: Any) -> RowNames | None:
    """The labels of a frame's index; None where rows have numbers alone."""
    names = RowNames.of(X)
    return names if names.indexed else None


def _bounded(values: Any) -> Any:
    """The same numbers with infinite ones at the ends of the scale; None stays None."""
    if values is None or _is_sparse(values):
        return values
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.add.reduce(values, axis=None)):
            return values
    if not np.isinf(values).any():
        return values
    return np.nan_to_num(values, nan=np.nan, posinf=INFINITE_AS, neginf=-INFINITE_AS)


def has_missing(values: Any) -> bool:
    """Whether a block, dense or sparse, has a missing value."""
    return bool(np.isnan(values.data if _is_sparse(values) else values).any())


def _complete(values: Any, schema: Schema, who: str, X: Any = None) -> bool:
    """Whether nothing is missing; infinite entries are refused."""
    numbers = values.data if _is_sparse(values) else values
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


def _columns(X: Any, who: str) -> tuple[list[str], list[Any], bool]:
    """Names and columns of a frame, a mapping or an array of objects; whether the names are its own."""
    if isinstance(X, Mapping):
        return _mapped_columns(X, who)
    if _is_frame(X):
        return _frame_columns(X, who)
    if isinstance(X, np.ndarray):
        block = (
            np.ma.filled(X, None)
            if isinstance(X, np.ma.MaskedArray) and X.dtype.kind == "O"
            else X.astype(object)
        )
    else:
        rows = list(X)
        widths = {len(row) if isinstance(row, (list, tuple, np.ndarray)) else 0 for row in rows}
        if len(widths) > 1:
            raise DataError(f"the rows differ in length: {sorted(widths)}.", who=who)
        block = np.empty((len(rows), max(widths, default=0)), dtype=object)
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


def _match(names: list[str], schema: Schema, who: str) -> list[int]:
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


def _by_position(names: list[str], schema: Schema, who: str) -> list[int]:
    if len(names) != len(schema):
        raise SchemaError(
            f"X has {len(names)} features, but {who} is expecting {len(schema)} features as input."
        )
    return list(range(len(schema)))
