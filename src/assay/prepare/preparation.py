"""What preparations share: the same kind of table comes out as went in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from assay.core import SumLearner, Transformer
from assay.core.sum_learner import WithoutTarget
from assay.prepare.as_given import as_given
from assay.tables import Column, Schema, Table
from assay.types import TableLike

__all__ = ["Preparation", "Summed", "without_dates"]


def without_dates(table: Table) -> Table:
    """The table with its date columns as plain numbers: what is scaled is no date any more.

    >>> from assay.prepare.preparation import without_dates
    >>> from assay.tables import Column, Schema, Table
    >>> import numpy as np
    >>> without_dates(Table(np.array([[1.5]]), Schema([Column("when", date=True)]))).schema
    Schema: 1 column
      when  numeric
    """
    schema = table.schema
    if not any(column.date for column in schema):
        return table
    columns = [Column(column.name) if column.date else column for column in schema]
    return table.replaced(schema=Schema(columns, schema.named))


class Preparation(Transformer):
    """A transformer from a table to a table: a frame stays a frame of its library, an array an array.

    The author writes ``_learn(X, y, w)`` (or, after :class:`Summed`, ``_summarize`` and ``_solve``) and
    ``_convert(table, copy)``, which returns the new table. A column that comes out unchanged is handed back as it
    was, with its type.
    """

    takes = frozenset({"nominal", "missing"})

    def transform(self, X: TableLike) -> Any:
        """The rows of X, prepared; a frame of the same library, an array for an array, a Table for a Table."""
        table = self._read(X)
        copy = getattr(self, "copy", True) or not isinstance(X, np.ndarray)
        return as_given(X, table, self._convert(table, copy))

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """The names of the new table's columns."""
        names = super().get_feature_names_out(input_features)  # checks them against those of fit
        if input_features is None:
            return names
        return np.array(self._names_out(list(map(str, input_features))), dtype=object)

    def _names_out(self, names: list[str] | None = None) -> list[str]:
        return self.schema_.names if names is None else names

    def _convert(self, table: Table, copy: bool) -> Table:
        """The new table; with ``copy`` False the old one's numbers may be overwritten."""
        raise TypeError(f"{type(self).__name__} must define _convert")


class Summed(WithoutTarget, SumLearner):
    """A preparation that is a sum over rows and does not look at y."""

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # type: ignore[override]
        """Add some rows to what was learned so far; y is ignored."""
        return super().partial_fit(X, sample_weight=sample_weight)
