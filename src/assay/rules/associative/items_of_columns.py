"""The columns of a table as items: each category is one, and each interval of a column of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from assay.core.parameters import Accepted, Any_, Choice
from assay.errors import DataError, ParameterError
from assay.rulebase.conditions import Condition
from assay.stats.information.mdl_cuts import cut_between, mdl_cuts
from assay.tables import Schema

__all__ = ["CUTS", "Items", "items_of_columns"]

CUTS: Accepted = Choice("mdl") | Any_(
    "a dict of column names and their cuts", lambda value: isinstance(value, Mapping)
)


@dataclass(frozen=True, eq=False)
class Items:
    """The items of a table: conditions on single columns of which a row meets at most one for each column.

    Parameters
    ----------
    conditions : tuple of Condition
        The condition of each item; the items of a column stand together, columns in the order of the schema.
    cuts : dict of column number and ascending cuts
        Where columns of numbers and of ordered categories are cut; an interval holds its upper end.
    sizes : (d,) int64
        How many items each column has.

    Examples
    --------
    >>> from assay.rules.associative.items_of_columns import items_of_columns
    >>> from assay.tables import Table
    >>> table = Table.of({"age": [20.0, 30.0, 60.0, None], "job": ["a", "b", "b", "a"]})
    >>> items = items_of_columns(table.values, np.array([0, 0, 1, 1]), None, table.schema, {"age": [50]})
    >>> [item.words(table.schema) for item in items.conditions]
    ['age <= 50', 'age > 50', "job = 'a'", "job = 'b'"]
    >>> items.codes(table.values)
    array([[ 0,  2],
           [ 0,  3],
           [ 1,  3],
           [-1,  2]], dtype=int32)
    """

    conditions: tuple[Condition, ...]
    cuts: dict[int, np.ndarray]
    sizes: np.ndarray

    def __len__(self) -> int:
        return len(self.conditions)

    @cached_property
    def column(self) -> np.ndarray:
        """(m,) int32: the column of each item."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes).astype(np.int32)

    def codes(self, X: np.ndarray) -> np.ndarray:
        """(n, d) int32: the item of each entry, -1 where a value is missing or its column has no items."""
        codes = np.full(X.shape, -1, np.int32)
        first = np.concatenate([[0], np.cumsum(self.sizes)])
        for j in np.flatnonzero(self.sizes).tolist():
            x = np.asarray(X[:, j], np.float64)
            known = ~np.isnan(x)
            at = np.searchsorted(self.cuts[j], x[known]) if j in self.cuts else x[known].astype(np.int64)
            codes[known, j] = first[j] + at
        return codes


def items_of_columns(
    X: np.ndarray,
    y: np.ndarray,
    w: np.ndarray | None,
    schema: Schema,
    cuts: Any = "mdl",
    who: str = "items_of_columns",
) -> Items:
    """Make the items of a block of training rows.

    A nominal column has an item for each category. A column of numbers, or of ordered categories, has one for each
    interval between its cuts; a column without cuts is uninformative and has no item. A missing value is no item.

    Parameters
    ----------
    X : (n, d) float block      y : (n,) class codes      w : (n,) weights or None
    cuts : "mdl", or dict of column name and cuts
        "mdl" cuts where the classes change (:func:`assay.stats.mdl_cuts`), and a column of two numbers between them;
        so are columns that the dict does not name. An empty list leaves a column of numbers out.
    who : str
        Who speaks when a cut cannot be used.
    """
    fixed = {} if isinstance(cuts, str) else _checked(cuts, schema, who)
    conditions: list[Condition] = []
    cuts_of: dict[int, np.ndarray] = {}
    sizes = np.zeros(len(schema), np.int64)
    for j, column in enumerate(schema):
        if column.kind == "nominal":
            new = [Condition(j, codes=(c,)) for c in range(len(column.categories))]
        else:
            at = fixed[j] if j in fixed else _cuts(np.asarray(X[:, j], np.float64), y, w)
            if not len(at):
                continue
            cuts_of[j] = at
            ends = [-np.inf, *at.tolist(), np.inf]
            new = [Condition(j, low, high) for low, high in pairwise(ends)]
        sizes[j] = len(new)
        conditions += new
    return Items(tuple(conditions), cuts_of, sizes)


def _cuts(x: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> np.ndarray:
    observed = x[~np.isnan(x)] if w is None else x[~np.isnan(x) & (w > 0)]
    low, high = (observed.min(), observed.max()) if len(observed) else (0.0, 0.0)
    if low < high and ((observed == low) | (observed == high)).all():
        return np.array([cut_between(low, high)])
    return mdl_cuts(x, y, w)


def _checked(cuts: Mapping[Any, Any], schema: Schema, who: str) -> dict[int, np.ndarray]:
    names, checked = schema.names, {}
    for name, values in cuts.items():
        if name not in names:
            raise DataError(f"{who}: cuts name the column {name!r}, which is not in the table.")
        column = schema[names.index(name)]
        if column.kind == "nominal":
            raise DataError(
                f"{who}: cuts name the column {name!r}, whose values are categories without order."
            )
        try:
            at = np.asarray(values, np.float64).ravel()
        except (TypeError, ValueError):
            at = np.array([np.nan])
        if not np.isfinite(at).all():
            raise ParameterError(
                f"{who}: the cuts of column {name!r} must be a list of numbers, got {values!r}."
            )
        checked[names.index(name)] = np.unique(at)
    return checked
