"""A table as learners see it: one block of numbers, and the schema that says what they mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from assay.errors import DataError, SchemaError
from assay.sentence import in_notebook
from assay.tables.encode import UNSEEN, OddCell, apply_column, learn_column
from assay.tables.float_blocks import has_missing, is_complete, is_sparse, joined_columns, without_infinity
from assay.tables.input_columns import (
    as_columns,
    matched_by_name,
    matched_by_position,
    named_columns,
    numeric_block,
)
from assay.tables.row_names import RowNames
from assay.tables.schema import Column, Kind, Schema
from assay.types import TableLike

__all__ = ["UNSEEN", "Table"]


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
        shape: tuple[int, int] = self.values.shape
        return shape

    @classmethod
    def of(
        cls, X: TableLike, kinds: Mapping[str, Kind] | None = None, who: str = "Table", infinite: bool = False
    ) -> Table:
        """Learn the schema of ``X`` and encode it.

        ``X`` is a NumPy array, a SciPy sparse matrix, a nested list, or a pandas, polars or
        pyarrow frame. ``kinds`` overrules the kind found for the columns it names. Infinite numbers are an error, or
        with ``infinite`` stand beyond all others, at 1e300 and -1e300.
        """
        if isinstance(X, Table):
            return X._as(kinds, who) if kinds else X
        if hasattr(X, "__assay_table__"):  # sequences: a line for each
            X = X.__assay_table__()
        X = as_columns(X, who)
        plain = numeric_block(X, who)
        plain = without_infinity(plain) if infinite else plain
        if plain is not None and not kinds:
            schema = Schema.numeric(plain.shape[1])
            return cls(plain, schema, is_complete(plain, schema, who))
        names, columns, named = named_columns(X, who)
        kinds = dict(kinds or {})
        for name in kinds:
            if name not in names:
                raise SchemaError(f"there is no column {name!r}. Columns: {', '.join(names)}.", who=who)
        with _rows_named(X):
            encoded = [learn_column(n, column, kinds.get(n), who) for n, column in zip(names, columns)]
        schema = Schema([column for column, _ in encoded], named)
        values = joined_columns([codes for _, codes in encoded])
        values = without_infinity(values) if infinite else values
        return cls(values, schema, is_complete(values, schema, who, X), row_names=_indexed(X))

    @classmethod
    def like(cls, X: TableLike, schema: Schema, who: str = "Table", infinite: bool = False) -> Table:
        """Encode ``X`` by a schema learned before; columns are matched by name. ``infinite`` as in :meth:`of`."""
        if isinstance(X, Table):
            if X.schema is schema or X.schema == schema:
                return X
            X = X.values if is_sparse(X.values) and not X.schema.named else X.to_columns()
        if hasattr(X, "__assay_table__"):
            X = X.__assay_table__()
        X = as_columns(X, who, schema)
        plain = numeric_block(X, who)
        plain = without_infinity(plain) if infinite else plain
        if plain is not None:
            if plain.shape[1] != len(schema):
                raise SchemaError(
                    f"X has {plain.shape[1]} features, but {who} is expecting {len(schema)} features as input."
                )
            if not schema.coded.any():
                return cls(plain, schema, is_complete(plain, schema, who))
            if is_sparse(plain):
                raise DataError(
                    "X is sparse, but some columns held categories. Give a frame or an array.", who=who
                )
        names, columns, named = named_columns(X, who)
        order = (
            matched_by_name(names, schema, who)
            if named and schema.named
            else matched_by_position(names, schema, who)
        )
        unseen: dict[str, list[Any]] = {}
        encoded = []
        with _rows_named(X):
            for j, column in enumerate(schema):
                codes, strange = apply_column(column, columns[order[j]], who)
                encoded.append(codes)
                if strange:
                    unseen[column.name] = strange
        values = without_infinity(joined_columns(encoded)) if infinite else joined_columns(encoded)
        return cls(values, schema, is_complete(values, schema, who, X), unseen, _indexed(X))

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
        return int(self.values.shape[0])

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

        return in_notebook(as_html(self))

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

    def select(self, columns: Iterable[int]) -> Table:
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
        values = self.values.toarray() if is_sparse(self.values) else self.values
        return {c.name: [self.schema.label(j, v) for v in values[:, j]] for j, c in enumerate(self.schema)}


@contextmanager
def _rows_named(X: Any) -> Iterator[None]:
    """Errors about a cell name its row as the owner of the table knows it."""
    try:
        yield
    except OddCell as odd:
        raise odd.error(RowNames.of(X)) from None


def _indexed(X: Any) -> RowNames | None:
    """The labels of a frame's index; None where rows have numbers alone."""
    names = RowNames.of(X)
    return names if names.indexed else None
