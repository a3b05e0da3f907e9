"""Conditions on rows: the tests of tree branches and rules, as text and applied."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal, Protocol

import numpy as np

from assay.core.stored import Each, Integer, Plain
from assay.core.words import (
    bare_label,
    column_word,
    date_ceil,
    date_floor,
    label_word,
    listed,
    number,
    one_line,
    round_date,
    shorter,
)
from assay.tables import Column, Schema
from assay.types import TableLike

__all__ = ["Condition", "LinearCondition", "RowTest", "known", "missing"]

Closed = Literal["right", "left", "both", "neither"]
_INF = math.inf


class RowTest(Protocol):
    """The interface of a condition."""

    def covers(self, X: np.ndarray) -> np.ndarray:
        """(n,) bool: which rows of a float block meet the condition."""

    def words(self, schema: Schema, missing: bool = True) -> str:
        """The condition in the columns' names, exactly as it is applied."""

    def columns(self) -> tuple[int, ...]:
        """The columns that it uses."""


@dataclass(frozen=True)
class Condition:
    """A condition on one column: its value is in an interval, or one of some categories.

    A missing value (NaN; in a block also categories that the schema does not list) meets the condition only if
    ``missing`` is true.

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
    >>> from assay.rulebase.conditions import Condition
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
    stored = {
        "column": Integer(),
        "codes": Each(Integer(high=2**31)) | None,
    }

    def covers(self, X: TableLike) -> np.ndarray:
        """(n,) bool: which rows of a float block (categories as codes, missing as NaN) meet the condition."""
        x = _column(X, self.column)
        if self.codes is not None:
            inside = np.isin(x, self.codes)
        else:
            above = x >= self.low if self.closed in ("left", "both") else x > self.low
            below = x <= self.high if self.closed in ("right", "both") else x < self.high
            if self.low == -_INF:
                above = ~np.isnan(x)
            inside = above & below  # comparisons with NaN are false
        return inside | np.isnan(x) if self.missing else inside

    def __and__(self, other: Condition) -> Condition:
        """The condition that holds when both hold; they are about the same column."""
        if self.column != other.column:
            raise ValueError("Condition: only conditions on the same column can be merged.")
        missing = self.missing and other.missing
        if self.codes is not None and other.codes is not None:
            others = set(other.codes)
            both = tuple(c for c in self.codes if c in others)
            return replace(self, codes=both, missing=missing)
        if self.codes is not None or other.codes is not None:
            codes, interval = (self, other) if self.codes is not None else (other, self)
            kept = tuple(c for c in codes.codes or () if interval._holds(c))
            return replace(codes, codes=kept, missing=missing)
        low, low_out = max((self.low, not self.low_in), (other.low, not other.low_in))  # the tighter ends
        high, high_in = min((self.high, self.high_in), (other.high, other.high_in))
        return Condition(self.column, low, high, _closed(not low_out, high_in), None, missing)

    @property
    def low_in(self) -> bool:
        """Whether the lower end itself meets the condition."""
        return self.closed in ("left", "both")

    @property
    def high_in(self) -> bool:
        """Whether the upper end itself meets the condition."""
        return self.closed in ("right", "both")

    def check(self) -> None:
        """Raise if it, which may come from a file, is no condition."""
        if self.closed not in ("right", "left", "both", "neither"):
            raise ValueError(f"Condition: closed must be right, left, both or neither, got {self.closed!r}.")
        if math.isnan(self.low) or math.isnan(self.high):
            raise ValueError("Condition: the ends of an interval must be numbers.")
        if self.codes is not None and not all(isinstance(c, Integral) for c in self.codes):
            raise TypeError("Condition: codes must be whole numbers.")

    def _holds(self, x: float) -> bool:
        above = x >= self.low if self.low_in else x > self.low
        return above and (x <= self.high if self.high_in else x < self.high)

    def columns(self) -> tuple[int, ...]:
        """The columns that it uses: one."""
        return (self.column,)

    def of_codes(self, column: Column) -> Condition:
        """The same condition; on a nominal column, and for none or exactly one ordered category, a list of codes."""
        if self.codes is not None or not column.coded:
            return self
        codes = self.as_codes(column)
        single = self.low == self.high and self.closed == "both"
        return codes if column.kind == "nominal" or single or not codes.codes else self

    def words(self, schema: Schema, missing: bool = True, quote: bool = True) -> str:
        """The condition in the column's name and labels; numbers read back as exactly those that are applied.

        Parameters
        ----------
        missing : bool, default True
            Mention it when missing values meet the condition as well.
        quote : bool, default True
            Text labels between quotes; False leaves them plain where nothing can be mistaken.
        """
        column = schema[self.column]
        name = column_word(column.name) if quote else one_line(column.name)
        text = self.of_codes(column)._text(column, name, quote)
        return f"{text} or missing" if missing and self.missing and text != f"{name} is missing" else text

    def _text(self, column: Column, name: str, quote: bool) -> str:
        if self.codes is None:
            low, high = self._ends(column, quote)
            if self.low == self.high and self.closed == "both":
                return f"{name} = {high.removeprefix('<= ')}"
            if low and high:  # 20 < age <= 38.5
                sign, _, end = low.partition(" ")
                return f"{end} {'<=' if sign == '>=' else '<'} {name} {high}"
            return f"{name} {low or high or 'is known'}"
        values = self._kept(column)
        show = label_word if quote else bare_label
        if not values:
            return f"{name} is {'missing' if self.missing else 'none of its categories'}"
        sign, within = "=", "in"
        if len(values) > 6 and 0 < len(column.categories) - len(values) < len(
            values
        ):  # what it is not is shorter
            sign, within, values = "!=", "not in", self.sides(column)[1]
        if len(values) == 1:
            return f"{name} {sign} {show(values[0])}"
        return f"{name} {within} {listed([show(v) for v in values])}"

    def label(self, schema: Schema, digits: int = 6, limit: int = 4) -> str:
        """The condition without the column's name, as short as an edge of a drawing needs it."""
        column = schema[self.column]
        at = self.of_codes(column)
        if at.codes is None:
            low, high = (end.replace("<=", "≤").replace(">=", "≥") for end in at._ends(column, False, digits))
            return (
                f"{low.partition(' ')[2]} to {high.partition(' ')[2]}"
                if low and high
                else low or high or "known"
            )
        kept = at._kept(column)
        if not kept:
            return "missing" if at.missing else "never"
        shown = [one_line(v, 18) for v in kept[:limit]]
        return ", ".join(shown) + (f", {len(kept) - limit} more" if len(kept) > limit else "")

    def sides(self, column: Column) -> tuple[list[Any], list[Any]]:
        """The labels that meet a condition on categories, and those that do not."""
        held = set(self.codes or ())
        return self._kept(column), [v for c, v in enumerate(column.categories) if c not in held]

    def _kept(self, column: Column) -> list[Any]:
        """The labels that meet a condition on categories, without a look at all others."""
        return [
            column.categories[c] for c in sorted(set(self.codes or ())) if 0 <= c < len(column.categories)
        ]

    def _ends(self, column: Column, quote: bool, digits: int | None = None) -> tuple[str, str]:
        """Both ends of the interval with their signs, as in ``> 20`` and ``<= 38.5``; empty where it has no end."""
        if column.coded:  # ordered categories: up to the last one inside, above the last one before
            held = self.as_codes(column).codes or ()
            show = label_word if quote else bare_label
            low = f"> {show(column.categories[held[0] - 1])}" if held and held[0] > 0 else ""
            inside = held and held[-1] < len(column.categories) - 1
            return low, (f"<= {show(column.categories[held[-1]])}" if inside else "")

        def word(x: float, later: bool) -> str:
            if (
                column.date
            ):  # held to the microsecond: between two of them, the one that leaves the same rows inside
                return date_ceil(x) if later else date_floor(x)
            return number(x) if digits is None else shorter(x, digits)

        low = "" if self.low == -_INF else f"{'>=' if self.low_in else '>'} {word(self.low, self.low_in)}"
        high = f"{'<=' if self.high_in else '<'} {word(self.high, not self.high_in)}"
        return low, "" if self.high == _INF else high

    def canonical(self, column: Column) -> Condition:
        """The canonical form: equal for two conditions that print the same text.

        >>> from assay.rulebase.conditions import Condition
        >>> from assay.tables import Column
        >>> size = Column("size", "ordinal", ("small", "medium", "large"))
        >>> Condition(0, high=0.5).canonical(size) == Condition(0, high=0.2, closed="both").canonical(size)
        True
        """
        at = self.of_codes(column)
        if at.codes is not None:
            held = tuple(sorted({c for c in at.codes if 0 <= c < len(column.categories)}))
            return Condition(self.column, codes=held, missing=self.missing)
        if column.coded:
            held = at.as_codes(column).codes or ()
            low = float(held[0] - 1) if held[0] > 0 else -_INF
            high = float(held[-1]) if held[-1] < len(column.categories) - 1 else _INF
            return Condition(self.column, low, high, missing=self.missing)
        low, high = self.low + 0.0, self.high + 0.0  # no minus before a zero
        closed = _closed(self.low_in and low != -_INF, self.high_in or high == _INF)
        return Condition(self.column, low, high, closed, None, self.missing)

    def as_codes(self, column: Column) -> Condition:
        """An interval of categories as the list of those inside."""
        if self.codes is not None:
            return self
        held = tuple(c for c in range(len(column.categories)) if self._holds(c))
        return replace(self, low=-_INF, high=_INF, codes=held)


@dataclass(frozen=True)
class LinearCondition:
    """A condition on a weighted sum of columns: low < sum of weight times value <= high.

    A row in which one of the columns is missing does not meet it.

    Examples
    --------
    >>> from assay.rulebase.conditions import LinearCondition
    >>> from assay.tables import Column, Schema
    >>> schema = Schema([Column("Age"), Column("Salary")])
    >>> LinearCondition(((0, 0.02), (1, 2e-05)), high=2.0).words(schema)
    '0.02 Age + 2e-05 Salary <= 2'
    """

    terms: tuple[tuple[int, float], ...]
    low: float = -_INF
    high: float = _INF
    stored = {"terms": Each(Plain(tuple))}

    def covers(self, X: np.ndarray) -> np.ndarray:
        """(n,) bool: which rows of a float block meet the condition."""
        total = np.zeros(X.shape[0])
        for j, w in self.terms:
            total += w * _column(X, j)
        above = total > self.low if self.low != -_INF else ~np.isnan(total)
        return above & (total <= self.high)

    def columns(self) -> tuple[int, ...]:
        """The columns that it uses."""
        return tuple(j for j, _ in self.terms)

    def check(self) -> None:
        """Raise if it, which may come from a file, is no condition."""
        if math.isnan(self.low) or math.isnan(self.high) or not all(math.isfinite(w) for _, w in self.terms):
            raise ValueError("LinearCondition: ends must be numbers, and weights finite ones.")

    def words(self, schema: Schema, missing: bool = True) -> str:
        """The condition in the columns' names."""
        text = weighted_sum([(w, column_word(schema[j].name)) for j, w in self.terms])
        if self.low == -_INF:
            return f"{text} <= {number(self.high)}"
        if self.high == _INF:
            return f"{text} > {number(self.low)}"
        return f"{number(self.low)} < {text} <= {number(self.high)}"


def canonical_test(test: RowTest, schema: Schema) -> RowTest:
    """A condition in the one form that its words have."""
    if isinstance(test, Condition):
        column = schema[test.column]
        form = test.canonical(column)
        if column.date and form.codes is None:
            low, high = (round_date(form.low, form.low_in), round_date(form.high, not form.high_in))
            form = replace(form, low=low, high=high)
        return form
    if isinstance(test, LinearCondition) and len(test.terms) == 1 and test.terms[0][1] == 1.0:
        return Condition(test.terms[0][0], test.low, test.high).canonical(schema[test.terms[0][0]])
    return test


def known(column: int) -> Condition:
    """The condition that a column's value is there."""
    return Condition(column)


def missing(column: int) -> Condition:
    """The condition that a column's value is missing."""
    return Condition(column, codes=(), missing=True)


def weighted_sum(terms: list[tuple[float, str]], digits: int | None = None) -> str:
    """``2 a - 0.5 b``: weights before names.

    >>> from assay.rulebase.conditions import weighted_sum
    >>> weighted_sum([(1.0, "a"), (-0.5, "b")]), weighted_sum([])
    ('a - 0.5 b', '0')
    """
    text = ""
    for w, name in terms:
        size = number(abs(w)) if digits is None else shorter(abs(w), digits)
        sign = ("-" if w < 0 else "") if not text else (" - " if w < 0 else " + ")
        text += sign + (name if size == "1" else f"{size} {name}")
    return text or "0"


def _column(X: Any, j: int) -> np.ndarray:
    """A column of a dense or sparse block in double precision, in which conditions are applied."""
    x = X[:, j] if isinstance(X, np.ndarray) else X[:, [j]].toarray().ravel()
    return np.asarray(x, np.float64)


def _closed(low: bool, high: bool) -> Closed:
    return ("both" if high else "left") if low else ("right" if high else "neither")
