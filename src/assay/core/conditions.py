"""Conditions on rows: what a branch of a tree or a part of a rule asks, in words, in SQL, in Python, and applied."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np

from assay.core.words import date_floor, listed, number, one_line, plain_label, quoted, shorter
from assay.tables import Column, Schema

__all__ = ["Condition", "LinearCondition", "RowTest", "known", "missing"]

Closed = Literal["right", "left", "both", "neither"]
_INF = math.inf


class RowTest(Protocol):
    """What a condition can do; rules hold any objects that can do it."""

    def covers(self, X: Any) -> np.ndarray:
        """(n,) bool: which rows of a float block meet the condition."""

    def words(self, schema: Schema, missing: bool = True) -> str:
        """The condition in the columns' names, exactly as it is applied."""

    def sql(self, schema: Schema) -> str:
        """The condition as an SQL expression."""

    def python(self, schema: Schema, variables: dict[int, str]) -> str:
        """The condition as a Python expression of variables that hold the columns' values."""

    def columns(self) -> tuple[int, ...]:
        """The columns that it looks at."""


@dataclass(frozen=True)
class Condition:
    """What one column's value must be: in an interval, or one of some categories.

    A missing value (NaN, or a category that the schema does not list) meets the condition only if ``missing``
    says so.

    Parameters
    ----------
    column : int
        Its place in the schema.
    low, high : float
        The ends of the interval; infinite ends are open to that side. Ordered categories are meant by their codes.
    closed : "right", "left", "both" or "neither"
        Which ends belong to the interval: by default low < x <= high.
    codes : tuple of int or None
        For a category: the codes that meet the condition. An empty tuple leaves only missing values.
    missing : bool

    Examples
    --------
    >>> import numpy as np
    >>> from assay.core.conditions import Condition
    >>> from assay.tables import Column, Schema
    >>> schema = Schema([Column("age"), Column("job", "nominal", ("A", "B", "C"))])
    >>> young, job = Condition(0, high=38.5), Condition(1, codes=(0,))
    >>> young.words(schema), job.words(schema)
    ('age <= 38.5', "job = 'A'")
    >>> young.covers(np.array([[38.5, 0.0], [38.6, 0.0], [np.nan, 1.0]]))
    array([ True, False, False])
    >>> (young & Condition(0, low=20.0)).words(schema)
    '20 < age <= 38.5'
    """

    column: int
    low: float = -_INF
    high: float = _INF
    closed: Closed = "right"
    codes: tuple[int, ...] | None = None
    missing: bool = False

    def covers(self, X: Any) -> np.ndarray:
        """(n,) bool: which rows of a float block (categories as codes, missing as NaN) meet the condition."""
        x = X[:, self.column] if isinstance(X, np.ndarray) else X[:, [self.column]].toarray().ravel()
        if self.codes is not None:
            inside = np.isin(x, self.codes)
            gone = np.isnan(x) | (x < 0)
        else:
            above = x >= self.low if self.closed in ("left", "both") else x > self.low
            below = x <= self.high if self.closed in ("right", "both") else x < self.high
            if self.low == -_INF:
                above = ~np.isnan(x)
            inside, gone = above & below, np.isnan(x)
        return inside | gone if self.missing else inside & ~gone

    def __and__(self, other: Condition) -> Condition:
        """The condition that holds when both hold; they are about the same column."""
        if self.column != other.column:
            raise ValueError("Condition: only conditions on the same column can be merged.")
        missing = self.missing and other.missing
        if self.codes is not None and other.codes is not None:
            both = tuple(c for c in self.codes if c in set(other.codes))
            return replace(self, codes=both, missing=missing)
        if self.codes is not None or other.codes is not None:
            codes, interval = (self, other) if self.codes is not None else (other, self)
            kept = tuple(c for c in codes.codes or () if interval._holds(c))
            return replace(codes, codes=kept, missing=missing)
        low, low_in = max((self.low, not self._low_in), (other.low, not other._low_in))
        high, high_in = min((self.high, self._high_in), (other.high, other._high_in))
        return Condition(self.column, low, high, _closed(not low_in, high_in), None, missing)

    @property
    def _low_in(self) -> bool:
        return self.closed in ("left", "both")

    @property
    def _high_in(self) -> bool:
        return self.closed in ("right", "both")

    def _holds(self, x: float) -> bool:
        above = x >= self.low if self._low_in else x > self.low
        return above and (x <= self.high if self._high_in else x < self.high)

    def columns(self) -> tuple[int, ...]:
        """The columns that it looks at: one."""
        return (self.column,)

    def of_codes(self, column: Column) -> Condition:
        """The same condition on a nominal column, as a list of its codes."""
        if self.codes is not None or column.kind != "nominal":
            return self
        held = tuple(c for c in range(len(column.categories)) if self._holds(c))
        return replace(self, low=-_INF, high=_INF, codes=held)

    # ------------------------------------------------------------------ for people

    def words(self, schema: Schema, missing: bool = True, quote: bool = True) -> str:
        """The condition in the column's name and labels; numbers read back as exactly those that are applied.

        Parameters
        ----------
        missing : bool, default True
            Say so when missing values meet the condition as well.
        quote : bool, default True
            Text labels between quotes; False leaves them plain where nothing can be mistaken.
        """
        column, name = schema[self.column], one_line(schema[self.column].name)
        said = self.of_codes(column)._said(column, name, quote)
        return f"{said} or missing" if missing and self.missing and said != f"{name} is missing" else said

    def _said(self, column: Column, name: str, quote: bool) -> str:
        if self.codes is not None:
            if not self.codes:
                return f"{name} is {'missing' if self.missing else 'none of its categories'}"
            kept, rest = self._sides(column)
            show = quoted if quote else plain_label
            if len(kept) > 6 and 0 < len(rest) < len(kept):
                return (
                    f"{name} != {show(rest[0])}"
                    if len(rest) == 1
                    else f"{name} not in {listed([show(v) for v in rest])}"
                )
            return (
                f"{name} = {show(kept[0])}"
                if len(kept) == 1
                else f"{name} in {listed([show(v) for v in kept])}"
            )
        low, high = self._ends(column, quote)
        if low is None and high is None:
            return f"{name} is known"
        if low is None:
            return f"{name} {'<=' if self._high_in else '<'} {high}"
        if high is None:
            return f"{name} {'>=' if self._low_in else '>'} {low}"
        if self.low == self.high and self.closed == "both":
            return f"{name} = {low}"
        return f"{low} {'<=' if self._low_in else '<'} {name} {'<=' if self._high_in else '<'} {high}"

    def label(self, schema: Schema, digits: int = 6, limit: int = 4) -> str:
        """The condition without the column's name, as short as an edge of a drawing needs it."""
        column = schema[self.column]
        self = self.of_codes(column)
        if self.codes is not None:
            kept, _ = self._sides(column)
            if not kept:
                return "missing" if self.missing else "never"
            shown = [one_line(v, 18) for v in kept[:limit]]
            return ", ".join(shown) + (f", {len(kept) - limit} more" if len(kept) > limit else "")
        low, high = self._ends(column, False, digits)
        if low is None and high is None:
            return "known"
        if low is None:
            return f"{'≤' if self._high_in else '<'} {high}"
        if high is None:
            return f"{'≥' if self._low_in else '>'} {low}"
        return f"{low} to {high}"

    def _sides(self, column: Column) -> tuple[list[Any], list[Any]]:
        """The labels that meet a condition on categories, and those that do not."""
        held = set(self.codes or ())
        kept = [v for c, v in enumerate(column.categories) if c in held]
        return kept, [v for c, v in enumerate(column.categories) if c not in held]

    def _ends(self, column: Column, quote: bool, digits: int | None = None) -> tuple[str | None, str | None]:
        """Both ends of the interval in words; None where it has no end."""
        if column.coded:  # ordered categories: x <= 1.5 is "not above the category of code 1"
            last = len(column.categories) - 1
            show = quoted if quote else plain_label
            low = None if self.low < 0 else show(column.categories[min(math.floor(self.low), last)])
            high = None if self.high >= last else show(column.categories[max(math.floor(self.high), 0)])
            return low, high

        def said(x: float) -> str:
            if column.date:
                return date_floor(x)
            return number(x) if digits is None else shorter(x, digits)

        return (None if self.low == -_INF else said(self.low)), (
            None if self.high == _INF else said(self.high)
        )

    # ------------------------------------------------------------------ for machines

    def sql(self, schema: Schema) -> str:
        """The condition as an SQL expression; a NULL meets it only if missing values do."""
        column = schema[self.column]
        name, at = _sql_name(column.name), self.of_codes(column)
        if column.coded:
            kept, rest = at._as_codes(column)._sides(column)
            if self.missing:  # what no row of the training table had is missing, too
                return (
                    f"({name} NOT IN ({_sql_list(rest)}) OR {name} IS NULL)"
                    if rest
                    else f"({name} = {name} OR {name} IS NULL)"
                )
            return f"{name} IN ({_sql_list(kept)})" if kept else "1 = 0"
        parts = []
        if self.codes is None:
            show = _sql_moment if column.date else number
            if self.low != -_INF:
                parts.append(f"{name} {'>=' if self._low_in else '>'} {show(self.low)}")
            if self.high != _INF:
                parts.append(f"{name} {'<=' if self._high_in else '<'} {show(self.high)}")
            if not parts:
                parts.append(f"{name} IS NOT NULL")
        said = " AND ".join(parts)
        if not self.missing:
            return said or "1 = 0"
        return f"({said} OR {name} IS NULL)" if len(parts) < 2 and said else _sql_missing(said, name)

    def python(self, schema: Schema, variables: dict[int, str]) -> str:
        """The condition as a Python expression of a variable that holds the value, NaN if it is missing."""
        column, v = schema[self.column], variables[self.column]
        at = self.of_codes(column)
        if column.coded:
            kept, rest = at._as_codes(column)._sides(column)
            held = rest if self.missing else kept
            inside = "(" + ", ".join(map(repr, map(_native, held))) + ("," if len(held) == 1 else "") + ")"
            return f"{v} {'not in' if self.missing else 'in'} {inside}"
        if self.codes is not None:
            return f"{v} != {v}" if self.missing else "False"
        low = f"{self.low!r} {'<=' if self._low_in else '<'} " if self.low != -_INF else ""
        high = f" {'<=' if self._high_in else '<'} {self.high!r}" if self.high != _INF else ""
        said = f"{low}{v}{high}" if low or high else f"{v} == {v}"
        return f"({said} or {v} != {v})" if self.missing else said

    def _as_codes(self, column: Column) -> Condition:
        """An interval of ordered categories as the list of those inside."""
        return (
            self
            if self.codes is not None
            else self.of_codes(Column(column.name, "nominal", column.categories))
        )


@dataclass(frozen=True)
class LinearCondition:
    """What a weighted sum of columns must be: low < sum of weight times value <= high.

    A row in which one of the columns is missing does not meet it.

    Examples
    --------
    >>> from assay.core.conditions import LinearCondition
    >>> from assay.tables import Column, Schema
    >>> schema = Schema([Column("Age"), Column("Salary")])
    >>> LinearCondition(((0, 0.02), (1, 2e-05)), high=2.0).words(schema)
    '0.02 Age + 2e-05 Salary <= 2'
    """

    terms: tuple[tuple[int, float], ...]
    low: float = -_INF
    high: float = _INF

    def covers(self, X: Any) -> np.ndarray:
        """(n,) bool: which rows of a float block meet the condition."""
        dense = X if isinstance(X, np.ndarray) else X.toarray()
        total = np.zeros(dense.shape[0])
        for j, w in self.terms:
            total += w * dense[:, j]
        above = total > self.low if self.low != -_INF else ~np.isnan(total)
        return above & (total <= self.high)

    def columns(self) -> tuple[int, ...]:
        """The columns that it looks at."""
        return tuple(j for j, _ in self.terms)

    def words(self, schema: Schema, missing: bool = True) -> str:
        """The condition in the columns' names."""
        said = weighted_sum([(w, one_line(schema[j].name)) for j, w in self.terms])
        if self.low == -_INF:
            return f"{said} <= {number(self.high)}"
        if self.high == _INF:
            return f"{said} > {number(self.low)}"
        return f"{number(self.low)} < {said} <= {number(self.high)}"

    def sql(self, schema: Schema) -> str:
        """The condition as an SQL expression."""
        said = " + ".join(f"{number(w)} * {_sql_name(schema[j].name)}" for j, w in self.terms) or "0"
        ends = [f"{said} > {number(self.low)}"] if self.low != -_INF else []
        ends += [f"{said} <= {number(self.high)}"] if self.high != _INF else []
        return " AND ".join(ends) or "1 = 1"

    def python(self, schema: Schema, variables: dict[int, str]) -> str:
        """The condition as a Python expression."""
        said = " + ".join(f"{w!r} * {variables[j]}" for j, w in self.terms) or "0.0"
        low = f"{self.low!r} < " if self.low != -_INF else ""
        high = f" <= {self.high!r}" if self.high != _INF else ""
        return f"{low}{said}{high}" if low or high else "True"


def known(column: int) -> Condition:
    """The condition that a column's value is there."""
    return Condition(column)


def missing(column: int) -> Condition:
    """The condition that a column's value is missing."""
    return Condition(column, codes=(), missing=True)


def weighted_sum(terms: list[tuple[float, str]], digits: int | None = None) -> str:
    """``2 a - 0.5 b``: weights before names.

    >>> from assay.core.conditions import weighted_sum
    >>> weighted_sum([(1.0, "a"), (-0.5, "b")]), weighted_sum([])
    ('a - 0.5 b', '0')
    """
    said = ""
    for w, name in terms:
        size = number(abs(w)) if digits is None else shorter(abs(w), digits)
        sign = ("-" if w < 0 else "") if not said else (" - " if w < 0 else " + ")
        said += sign + (name if size == "1" else f"{size} {name}")
    return said or "0"


def _closed(low: bool, high: bool) -> Closed:
    return ("both" if high else "left") if low else ("right" if high else "neither")


def _sql_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _sql_value(value: Any) -> str:
    value = _native(value)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        return number(value) if isinstance(value, float) else str(value)
    return "'" + str(value).replace("'", "''") + "'"


def _sql_list(values: list[Any]) -> str:
    return ", ".join(_sql_value(v) for v in values)


def _sql_moment(days: float) -> str:
    return f"TIMESTAMP '{date_floor(days).replace('T', ' ')}'"


def _sql_missing(said: str, name: str) -> str:
    return f"(({said}) OR {name} IS NULL)" if said else f"{name} IS NULL"


def _native(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
