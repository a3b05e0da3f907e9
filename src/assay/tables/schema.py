"""What the columns of a table are: names, kinds, categories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np

from assay.errors import SchemaError

MOST_COLUMNS = 50_000_000  # each takes some memory of its own

Kind = Literal["numeric", "nominal", "ordinal"]


@dataclass(frozen=True)
class Column:
    """One column: its name, its kind, and for categories their values in code order.

    Parameters
    ----------
    name : str
        The column's name, as messages print it.
    kind : "numeric", "nominal" or "ordinal"
        Ordinal columns have ordered categories; nominal ones do not.
    categories : tuple, default ()
        The values a nominal or ordinal column may take; value number c has code c.
    date : bool, default False
        A numeric column that holds days since 1970-01-01, read from dates.

    Examples
    --------
    >>> from assay.tables import Column
    >>> Column("taste", "nominal", ("sour", "sweet"))
    Column('taste', nominal: sour, sweet)
    """

    name: str
    kind: Kind = "numeric"
    categories: tuple[Any, ...] = ()
    date: bool = False

    @property
    def coded(self) -> bool:
        """Whether the column's numbers are codes of categories."""
        return self.kind != "numeric"

    @property
    def empty(self) -> bool:
        """Whether no value was ever seen: text without a category."""
        return self.kind == "nominal" and not self.categories

    def __repr__(self) -> str:
        if not self.coded:
            return f"Column({self.name!r}, {'date' if self.date else 'numeric'})"
        shown = ", ".join(map(str, self.categories[:6])) + (", ..." if len(self.categories) > 6 else "")
        return f"Column({self.name!r}, {self.kind}: {shown})"

    def merge(self, other: Column) -> Column:
        """The column that holds the values of both; one that was all missing takes the other's kind."""
        if self == other or (other.empty and self.name == other.name):
            return self
        if self.empty and self.name == other.name:
            return other
        if (self.kind, self.name, self.date) != (other.kind, other.name, other.date):
            raise SchemaError(f"Column {self.name!r} is {self!r} in one block and {other!r} in another.")
        return Column(self.name, self.kind, _union(self.categories, other.categories))


@dataclass(frozen=True)
class Schema:
    """The columns of a table, learned in ``fit`` and matched by name in ``predict``.

    Parameters
    ----------
    columns : sequence of Column
    named : bool, default True
        False when the names were made up (``x0``, ``x1``, ...) because the table had none;
        such columns are matched by position.

    Examples
    --------
    >>> import pandas as pd
    >>> from assay.tables import Table
    >>> frame = pd.DataFrame({"weight": [190.0, 260.0], "taste": ["sweet", "sour"]})
    >>> Table.of(frame).schema
    Schema: 2 columns
      weight  numeric
      taste   nominal  sour, sweet
    """

    columns: tuple[Column, ...]
    named: bool = True

    def __init__(self, columns: Sequence[Column], named: bool = True):
        object.__setattr__(self, "columns", tuple(columns))
        object.__setattr__(self, "named", bool(named))

    @classmethod
    @lru_cache(maxsize=8)  # nobody can change it, and 50,000 columns take a tenth of a second to make
    def numeric(cls, d: int) -> Schema:
        """``d`` unnamed numeric columns, as a NumPy array has."""
        if d > MOST_COLUMNS:
            raise SchemaError(f"A table can have at most {MOST_COLUMNS:,} columns, got {d:,}.")
        return cls([Column(f"x{j}") for j in range(d)], named=False)

    @property
    def names(self) -> list[str]:
        return [c.name for c in self.columns]

    @cached_property
    def coded(self) -> np.ndarray:
        """(d,) bool: which columns hold codes of categories."""
        coded = np.array([c.coded for c in self.columns], dtype=bool)
        coded.flags.writeable = False
        return coded

    @cached_property
    def nominal(self) -> bool:
        """Whether one of the columns is nominal."""
        return any(column.kind == "nominal" for column in self.columns)

    def category_counts(self, ordered: bool = True) -> np.ndarray:
        """(d,) int32: how many categories each column has; 0 for numbers.

        With ``ordered=False`` also 0 for ordinal columns, whose categories have an order as numbers do.

        >>> from assay.tables import Column, Schema
        >>> schema = Schema([Column("size", "ordinal", ("S", "L")), Column("taste", "nominal", ("sour", "sweet"))])
        >>> schema.category_counts(), schema.category_counts(ordered=False)
        (array([2, 2], dtype=int32), array([0, 2], dtype=int32))
        """
        return np.array(
            [len(c.categories) * (ordered or c.kind != "ordinal") for c in self.columns], np.int32
        )

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __getitem__(self, which: int | str) -> Column:
        if isinstance(which, str):
            which = self.index(which)
        return self.columns[which]

    def index(self, name: str) -> int:
        """The position of the column called ``name``."""
        try:
            return self.names.index(name)
        except ValueError:
            raise SchemaError(f"There is no column {name!r}. Columns: {', '.join(self.names)}.") from None

    def merge(self, other: Schema) -> Schema:
        """The schema that holds the rows of both: same columns, all categories."""
        if self.names != other.names:
            raise SchemaError(f"Blocks differ in their columns: {self.names} and {other.names}.")
        return Schema([a.merge(b) for a, b in zip(self, other)], self.named and other.named)

    def label(self, j: int, value: float) -> Any:
        """The value of column ``j`` behind its number: a category for its code, None if missing."""
        column = self.columns[j]
        if np.isnan(value) or (column.coded and value < 0):
            return None
        if column.date:
            return moment(value)
        return column.categories[int(value)] if column.coded else float(value)

    def average(self, j: int, value: float) -> Any:
        """The same for a mean or a median of column ``j``: a date to the day, since its time says nothing.

        >>> from assay.tables import Column, Schema
        >>> schema = Schema([Column("when", date=True)])
        >>> schema.label(0, 18262.8), schema.average(0, 18262.8)
        ('2020-01-01T19:12:00', '2020-01-02')
        """
        return self.label(j, round(value) if self.columns[j].date and np.isfinite(value) else value)

    def __repr__(self) -> str:
        width = max((len(c.name) for c in self), default=0)
        lines = [f"Schema: {len(self)} column{'' if len(self) == 1 else 's'}"]
        for c in self.columns[:30]:
            kind = "date" if c.date else c.kind
            shown = ", ".join(map(str, c.categories[:8])) + (", ..." if len(c.categories) > 8 else "")
            lines.append(f"  {c.name:<{width}}  {kind:<8} {shown}".rstrip())
        if len(self) > 30:
            lines.append(f"  ... and {len(self) - 30} more")
        return "\n".join(lines)


def moment(days: float) -> str:
    """Days since 1970-01-01 as ISO text: the day, with the time if there is one, to the microsecond."""
    text = str(np.datetime64(round(float(days) * 86400e6), "us"))
    return text.removesuffix(".000000").removesuffix("T00:00:00")


def in_order(values: Sequence[Any]) -> tuple[Any, ...]:
    """Sorted if the values can be compared with each other, by type and text otherwise."""
    try:
        return tuple(sorted(values))
    except TypeError:
        return tuple(sorted(values, key=lambda v: (type(v).__name__, str(v))))


def _union(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    """All values of both; sorted if both were, else b's new values after a's."""
    known = set(a)
    both = (*a, *(v for v in b if v not in known))
    return in_order(both) if a == in_order(a) and b == in_order(b) else both
