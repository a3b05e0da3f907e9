"""What rows are called, wherever one is named: by the label of a frame's index, else by number, counted from 1."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.types import RowIndex, TableLike

__all__ = ["RowNames", "row_name"]


@dataclass(frozen=True, eq=False)
class RowNames:
    """Names for the rows of a table: "index 207" by a pandas frame's index, or "row 17" by number.

    Numbers count from 1 and are those of the file or table that the rows came from, also after some rows were left
    out: ``assay explain --row 17`` takes the same number. Arrays of row numbers in Python count from 0, as everywhere.

    Parameters
    ----------
    labels : (n,) the labels or numbers, as an array or a frame's index, default None for 1, 2, ..., n
    indexed : bool
        Whether they are labels of a frame's index.

    Examples
    --------
    >>> import pandas as pd
    >>> from assay.tables import RowNames
    >>> frame = pd.DataFrame({"age": [31, 45, 28]}, index=["ann", "bob", "cy"])
    >>> RowNames.of(frame)(1), RowNames.of(frame.to_numpy())(1)
    ('index bob', 'row 2')
    >>> RowNames().take([4, 7]).listed([0, 1])
    'rows 5, 8'
    """

    labels: Any = None
    indexed: bool = False

    def __post_init__(self) -> None:
        if self.labels is not None and getattr(self.labels, "ndim", 0) != 1:
            raise DataError("RowNames: labels must be a column, one label for each row.")

    @classmethod
    def of(cls, X: TableLike) -> RowNames:
        """The names of the rows of X, whatever kind of table it is."""
        from assay.tables.table import Table

        if isinstance(X, Table):
            return X.row_names or cls()
        if hasattr(X, "iloc") and hasattr(X, "index"):
            return cls(X.index, True)
        return cls()

    @property
    def head(self) -> str:
        """The head of a column of labels: "index" or "row"."""
        return "index" if self.indexed else "row"

    def label(self, i: int) -> int | str:
        """The label of the row at place i, or its number counted from 1."""
        if self.labels is None:
            return int(i) + 1
        if not 0 <= i < len(self.labels):
            raise DataError(f"RowNames: there is no row at place {i}, only {len(self.labels)} have a name.")
        value = self.labels[i]
        return int(value) if isinstance(value, (int, np.integer)) else str(value)

    def __call__(self, i: int) -> str:
        return f"{self.head} {self.label(i)}"

    def listed(self, rows: Iterable[int], most: int = 5) -> str:
        """Several rows in one phrase, so many at most.

        >>> from assay.tables import RowNames
        >>> RowNames().listed(range(7), most=3)
        'rows 1, 2, 3 and 4 more'
        """
        places = list(rows)
        names = ", ".join(str(self.label(i)) for i in places[:most])
        more = f" and {len(places) - most} more" if len(places) > most else ""
        many = self.head if self.indexed or len(places) == 1 else "rows"
        return f"{many} {names}{more}"

    def take(self, rows: RowIndex) -> RowNames:
        """The names of some rows, by places, a mask or a slice."""
        if self.labels is not None:
            return RowNames(self.labels[rows], self.indexed)
        places = np.asarray(rows)
        if isinstance(rows, slice):
            if rows.start in (None, 0) and rows.step in (None, 1):
                return self
            if rows.stop is None or rows.stop < 0 or (rows.start or 0) < 0:
                raise ValueError("RowNames.take: a slice of unknown length; give its places.")
            places = np.arange(rows.start or 0, rows.stop, rows.step or 1)
        elif places.dtype == bool:
            places = np.flatnonzero(places)
        return RowNames(places.astype(np.int64).ravel() + 1)

    def stored(self) -> RowNames:
        """The same with labels that a model file can hold: whole numbers or text."""
        if self.labels is None:
            return self
        labels = np.asarray(self.labels)
        if labels.dtype.kind in "iu":
            return RowNames(labels.astype(np.int64), self.indexed)
        return RowNames(np.array([str(v) for v in self.labels]), self.indexed)


def row_name(i: Any, X: Any = None) -> str:
    """What the row at place i of X is called.

    >>> from assay.tables import row_name
    >>> row_name(0)
    'row 1'
    """
    return RowNames.of(X)(int(i))
