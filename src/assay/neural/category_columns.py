"""Nominal columns as codes, beside columns of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.core.stored import FloatArray, IntArray
from assay.tables import Schema

__all__ = ["CategoryColumns"]


@dataclass(frozen=True)
class CategoryColumns:
    """Which columns of a table are numbers and which are categories; the last code means missing or unseen.

    Attributes
    ----------
    numbers : (p,) columns of numbers      nominal : (c,) columns of categories
    levels : (c,) codes of each, that of missing and unseen ones included
    shares : (sum of levels,) the shares of the training rows that have each code, column by column

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural.category_columns import CategoryColumns
    >>> from assay.tables import Table
    >>> table = Table.of({"weight": [190.0, 260.0], "taste": ["sweet", None]})
    >>> columns = CategoryColumns.learn(np.asarray(table.values), table.schema, None)
    >>> columns.apply(np.asarray(table.values))
    (array([[190.],
           [260.]]), array([[0.],
           [1.]]))
    >>> columns.shares
    array([0.5, 0.5])
    """

    numbers: np.ndarray
    nominal: np.ndarray
    levels: np.ndarray
    shares: np.ndarray
    stored = {
        "numbers": IntArray("p", low=0),
        "nominal": IntArray("c", low=0),
        "levels": IntArray("c", low=1),
        "shares": FloatArray("*", low=0, high=1, finite=True),
    }

    @classmethod
    def learn(cls, X: np.ndarray, schema: Schema, w: np.ndarray | None) -> CategoryColumns:
        """The columns of a table, with the shares of the categories among its rows."""
        columns = cls.of(schema)
        codes = columns.apply(X)[1].astype(np.int64)
        parts = [
            np.bincount(code, weights=w, minlength=int(size)) for code, size in zip(codes.T, columns.levels)
        ]
        if not parts:
            return columns
        return replace(columns, shares=np.concatenate([part / part.sum() for part in parts]))

    @classmethod
    def of(cls, schema: Schema) -> CategoryColumns:
        """The columns of a table, without shares."""
        is_nominal = np.array([column.kind == "nominal" for column in schema])
        numbers, nominal = np.flatnonzero(~is_nominal), np.flatnonzero(is_nominal)
        levels = schema.category_counts()[nominal].astype(np.int64) + 1
        return cls(numbers, nominal, levels, np.zeros(int(levels.sum())))

    def apply(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n, p) the numbers of rows, and (n, c) their codes."""
        codes, numbers = X[:, self.nominal], X[:, self.numbers]
        known = (codes >= 0) & (codes < self.levels - 1)
        return numbers, np.where(known, codes, self.levels - 1).astype(X.dtype, copy=False)

    def mean_inputs(self, numbers: np.ndarray, tables: Sequence[np.ndarray]) -> np.ndarray:
        """(D,) the mean inputs of a network with these tables: mean numbers, then mean numbers of the categories."""
        cuts = np.cumsum(self.levels)[:-1]
        parts = np.split(self.shares, cuts) if len(self.levels) else []
        return np.concatenate([numbers, *(share @ table for share, table in zip(parts, tables))])

    def gathered(self, adds: np.ndarray, width: int) -> np.ndarray:
        """(n, d, K) contributions of the columns of the table, from those of numbers and of ``width`` a category."""
        p, n = len(self.numbers), len(adds)
        gathered = np.zeros((n, p + len(self.nominal), adds.shape[2]))
        gathered[:, self.numbers] = adds[:, :p]
        of_categories = adds[:, p:].reshape(n, len(self.nominal), width, adds.shape[2])
        gathered[:, self.nominal] = of_categories.sum(axis=2)
        return gathered

    def check(self, columns: int) -> None:
        """Raise for arrays that do not belong to a table of that many columns."""
        if not np.array_equal(np.sort(np.concatenate([self.numbers, self.nominal])), np.arange(columns)):
            raise ValueError("the columns of numbers and of categories are not those of the table")
        if len(self.levels) != len(self.nominal) or len(self.shares) != int(self.levels.sum()):
            raise ValueError("the categories do not have a share each")
