"""Boxes: at most one condition per column, all of which must hold; the tightest box around some rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay.core.stored import Each, Object
from assay.errors import DataError, ParameterError
from assay.rulebase.conditions import Condition
from assay.rulebase.rules import Rule
from assay.tables import Schema
from assay.tables.row_names import row_name

__all__ = ["Box", "box_between", "hull", "limited"]

Nominal = Literal["set", "value"]


@dataclass(frozen=True)
class Box:
    """A conjunction with at most one condition per column; a column without one may have any value.

    Parameters
    ----------
    conditions : tuple of Condition
        In the order of their columns.
    empty : bool
        The box that covers nothing, below all others.

    Examples
    --------
    >>> from assay.rulebase.conditions import Condition
    >>> from assay.rules.version_spaces.box import Box
    >>> from assay.tables import Schema
    >>> inner, outer = Box((Condition(0, 3, 6, "both"),)), Box((Condition(0, 1, 8, "neither"),))
    >>> outer.contains(inner), inner.contains(outer)
    (True, False)
    >>> inner.words(Schema.numeric(1)), Box().words(Schema.numeric(1))
    ('3 <= x0 <= 6', 'anything')
    """

    conditions: tuple[Condition, ...] = ()
    empty: bool = False
    stored = {"conditions": Each(Object(Condition))}

    def covers(self, X: np.ndarray) -> np.ndarray:
        """(n,) bool: which rows of a float block lie in the box."""
        return np.zeros(X.shape[0], bool) if self.empty else Rule(self.conditions, None).covers(X)

    def contains(self, other: Box) -> bool:
        """Whether every row that the other box can cover lies in this one."""
        return other.empty or (
            not self.empty and all(_within(other.on(c.column), c) for c in self.conditions)
        )

    def on(self, column: int) -> Condition | None:
        """The condition on a column; None if there is none."""
        return next((c for c in self.conditions if c.column == column), None)

    def words(self, schema: Schema) -> str:
        """The conditions in the columns' names."""
        return "nothing" if self.empty else Rule(self.conditions, None).premise(schema)


def hull(X: np.ndarray, schema: Schema, nominal: Nominal = "set") -> Box:
    """The tightest box around the rows of a float block, ends included.

    A column in which one of the rows has no value admits missing values; one without any value is left open.

    Parameters
    ----------
    nominal : "set" or "value"
        What a condition on a nominal column can be: any set of categories, or one category and no more.

    Examples
    --------
    >>> from assay.rules.version_spaces.box import hull
    >>> from assay.tables import Schema
    >>> hull(np.array([[3.0, 4.0], [6.0, 5.0]]), Schema.numeric(2)).words(Schema.numeric(2))
    '3 <= x0 <= 6 AND 4 <= x1 <= 5'
    """
    if not len(X):
        return Box(empty=True)
    conditions = []
    for j, column in enumerate(schema):
        x = X[:, j]
        known = x[~np.isnan(x)]
        gaps = len(known) < len(x)
        if not len(known):
            continue
        if column.kind != "nominal":
            conditions.append(Condition(j, float(known.min()), float(known.max()), "both", None, gaps))
            continue
        codes = tuple(np.unique(known).astype(int).tolist())
        if len(codes) == 1 if nominal == "value" else len(codes) < len(column.categories):
            conditions.append(Condition(j, codes=codes, missing=gaps))
    return Box(tuple(conditions))


def box_between(S: Box, G: Box, tau: float) -> Box:
    r"""The box whose ends lie between those of S and of G around it.

    .. math:: h = S + \tau (G - S)                                                              \quad (1)

    An end of G at infinity stays there, and a category that G admits is admitted, unless tau is 0, which is S; 1 is G.
    """
    if S.empty or tau in (0.0, 1.0):
        return S if S.empty or tau == 0.0 else G
    conditions = []
    for g in G.conditions:
        s = S.on(g.column)
        if s is None or g.codes is not None:
            conditions.append(g)
            continue
        low = -np.inf if np.isinf(g.low) else (1 - tau) * s.low + tau * g.low  # (1)
        high = np.inf if np.isinf(g.high) else (1 - tau) * s.high + tau * g.high
        low = s.low if low <= g.low and not g.low_in and not np.isinf(low) else min(low, s.low)  # rounding
        high = s.high if high >= g.high and not g.high_in and not np.isinf(high) else max(high, s.high)
        closed = "both" if not (np.isinf(low) or np.isinf(high)) else "right" if np.isinf(low) else "left"
        conditions.append(Condition(g.column, low, high, closed, None, g.missing))  # type: ignore[arg-type]
    return Box(tuple(conditions))


def limited(box: Box, domain: Any, schema: Schema, who: str) -> Box:
    """The box with its infinite ends at the limits of what values there can be.

    Parameters
    ----------
    domain : dict {column name: (low, high)}, or None
    """
    if not domain or box.empty:
        return box
    if not isinstance(domain, Mapping):
        raise ParameterError(f"{who}: domain must be a dict {{column: (low, high)}} or None, got {domain!r}.")
    by_column = {c.column: c for c in box.conditions}
    for name, ends in domain.items():
        if name not in schema.names:
            raise ParameterError(
                f"{who}: domain names the column {name!r}, but there are: {', '.join(schema.names)}."
            )
        j = schema.names.index(name)
        low, high = _ends(name, ends, who)
        at = by_column.get(j, Condition(j))
        if at.codes is not None or schema[j].kind == "nominal":
            raise ParameterError(f"{who}: domain is for ordered columns; {name!r} is nominal.")
        by_column[j] = at & Condition(j, low, high, "both", None, at.missing)
    return Box(tuple(by_column[j] for j in sorted(by_column)))


def _ends(name: str, ends: Any, who: str) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in ends)
    except (TypeError, ValueError):
        low = high = np.nan
    if not low < high:
        raise ParameterError(
            f"{who}: the domain of {name!r} must be two numbers, the lower one first, got {ends!r}."
        )
    return low, high


def refuse_outside(X: np.ndarray, domain: Any, schema: Schema, who: str) -> None:
    """Rows outside the stated limits would make the limits wrong."""
    inside = limited(Box(), domain, schema, who)
    for c in inside.conditions:
        x = X[:, c.column]
        out = (x < c.low) | (x > c.high)
        if out.any():
            i = int(np.argmax(out))
            raise DataError(
                f"{who}: {row_name(i)} has {schema[c.column].name} = {x[i]:g}, outside of its domain "
                f"[{c.low:g}, {c.high:g}]. Widen the domain."
            )


def joined(conditions: Iterable[Condition]) -> Box:
    """The box of conditions, those on the same column merged."""
    by_column: dict[int, Condition] = {}
    for c in conditions:
        by_column[c.column] = by_column[c.column] & c if c.column in by_column else c
    return Box(tuple(by_column[j] for j in sorted(by_column)))


def in_order(boxes: Iterable[Box], d: int) -> tuple[Box, ...]:
    """Boxes over d columns, sorted by their ends, column by column."""

    def key(box: Box) -> list[Any]:
        by_column = {c.column: c for c in box.conditions}
        at = [by_column.get(j, Condition(j)) for j in range(d)]
        return [(c.low, c.high, (np.inf,) if c.codes is None else c.codes) for c in at]

    return tuple(sorted(boxes, key=key))


def _within(a: Condition | None, b: Condition) -> bool:
    """Whether all that meets a meets b; None is met by anything."""
    if a is None:
        return b.codes is None and np.isinf(b.low) and np.isinf(b.high) and b.missing
    if a.missing and not b.missing:
        return False
    if a.codes is not None or b.codes is not None:
        if a.codes is None:
            return False  # an interval among categories without an order
        if b.codes is None:
            return all(b._holds(c) for c in a.codes)
        return set(a.codes) <= set(b.codes)
    above = a.low > b.low or (a.low == b.low and (b.low_in or not a.low_in or np.isinf(a.low)))
    below = a.high < b.high or (a.high == b.high and (b.high_in or not a.high_in or np.isinf(a.high)))
    return bool(above and below)
