"""Indicator expansion: the numbers that a learner without categories sees."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np

from assay.tables.encode import UNSEEN
from assay.tables.schema import Column, Schema


class Design:
    """How nominal columns become indicator columns, one per category.

    Numeric columns stay as they are; ordinal ones become their rank 0, 1, ...; a nominal column with c
    categories becomes c columns of zeros and ones, one 1 a row. With ``drop_first`` the first
    category is the reference and gets no column, so that the columns stay linearly
    independent of a constant. A nominal category that was not there in ``fit`` gives zeros only; an ordinal
    one has no rank and is missing. A nominal column without categories, all missing in ``fit``, has no
    design columns.

    Parameters
    ----------
    schema : Schema
    drop_first : bool, default False

    Examples
    --------
    >>> import pandas as pd
    >>> from assay.tables import Design, Table
    >>> table = Table.of(pd.DataFrame({"weight": [190.0, 260.0], "taste": ["sweet", "sour"]}))
    >>> design = Design(table.schema)
    >>> design.names
    ['weight', 'taste=sour', 'taste=sweet']
    >>> design.expand(table.values)
    array([[190.,   0.,   1.],
           [260.,   1.,   0.]])
    """

    def __init__(self, schema: Schema, drop_first: bool = False):
        self.schema = schema
        self.drop_first = drop_first

    @cached_property
    def names(self) -> list[str]:
        """The names of the D design columns."""
        if self.plain:
            return self.schema.names
        return [
            column.name if value is None else f"{column.name}={value[0]}"
            for _, column, value in self._columns()
        ]

    @cached_property
    def source(self) -> np.ndarray:
        """(D,) the table's column behind each design column."""
        if self.plain:
            return np.arange(len(self.schema), dtype=np.int64)
        return np.array([j for j, _, _ in self._columns()], dtype=np.int64)

    @cached_property
    def plain(self) -> bool:
        """Whether the design is the table itself."""
        return not self.schema.nominal

    def _columns(self) -> Iterator[tuple[int, Column, tuple[Any] | None]]:
        """Each design column: the table's column behind it, and the category that it indicates, in a tuple."""
        for j, column in enumerate(self.schema):
            if column.kind != "nominal":
                yield j, column, None
                continue
            for value in column.categories[self.drop_first :]:
                yield j, column, (value,)

    @property
    def _ordinal(self) -> list[int]:
        return [j for j, column in enumerate(self.schema) if column.kind == "ordinal"]

    def expand(self, values: np.ndarray) -> np.ndarray:
        """(n, d) table values to the (n, D) design; a missing category makes its columns NaN."""
        ordinal = self._ordinal
        if ordinal and (values[:, ordinal] < 0).any():
            values = values.copy()
            for j in ordinal:
                values[values[:, j] < 0, j] = np.nan
        if self.plain:
            return values
        X = np.zeros((len(values), len(self.names)))
        begins = np.arange(len(values)) * X.shape[1]  # of the rows, in one long line of cells
        start = 0
        for nominal, run in groupby(enumerate(self.schema), lambda place: place[1].kind == "nominal"):
            places = list(run)
            if not nominal:  # neighbours that stay as they are, copied row by row
                stop, j = start + len(places), places[0][0]
                X[:, start:stop] = values[:, j : j + len(places)]
                start = stop
                continue
            for j, column in places:
                width = max(len(column.categories) - self.drop_first, 0)
                codes, first = values[:, j] - self.drop_first, begins + start
                here = codes >= 0
                if not here.all():
                    X[np.isnan(codes), start : start + width] = np.nan
                    codes, first = codes[here], first[here]
                X.reshape(-1)[first + codes.astype(np.intp)] = 1.0
                start += width
        return X

    def contract(self, X: np.ndarray) -> np.ndarray:
        """(n, D) rows of the design back to (n, d) table values; the category is the largest indicator.

        >>> from assay.tables import Design, Table
        >>> table = Table.of({"weight": [190.0, 260.0], "taste": ["sweet", "sour"]})
        >>> design = Design(table.schema, drop_first=True)
        >>> design.contract(design.expand(table.values)).tolist() == table.values.tolist()
        True
        """
        if self.plain:
            return X
        values = np.empty((len(X), len(self.schema)))
        for j, column in enumerate(self.schema):
            block = X[:, self.source == j]
            if column.kind != "nominal":
                values[:, j] = block[:, 0]
            elif not block.shape[1]:
                values[:, j] = 0.0 if self.drop_first and column.categories else np.nan
            else:
                none = 0 if self.drop_first else UNSEEN
                code = np.where(block.max(axis=1) > 0, block.argmax(axis=1) + self.drop_first, none)
                values[:, j] = np.where(np.isnan(block).any(axis=1), np.nan, code)
        return values

    def __repr__(self) -> str:
        return f"Design: {len(self.schema)} columns to {len(self.names)}: {', '.join(self.names[:12])}" + (
            ", ..." if len(self.names) > 12 else ""
        )
