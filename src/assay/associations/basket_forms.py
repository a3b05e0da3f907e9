"""The forms in which baskets come: lists, long tables, flags, slots, attributes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from assay.associations.baskets import Baskets
from assay.associations.wide_forms import FORMS, NO, YES, flag_columns, wide_form
from assay.core.csr import csr_arrays
from assay.errors import DataError, ParameterError
from assay.rulebase.conditions import Condition
from assay.tables import Schema, Table
from assay.tables.row_names import row_name
from assay.tables.schema import in_order

__all__ = ["attribute_items", "attribute_pairs", "from_pairs", "of_lists", "of_long", "of_table", "of_wide"]

WHO = "Baskets"


def of_lists(lists: Iterable[Iterable[Any]], weights: Any, ids: Sequence[Any] | None) -> Baskets:
    """A list of items for each basket."""
    rows = [list(row) for row in lists]
    flat = [name for row in rows for name in row]
    owner = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    try:
        known = [name for name in set(flat) if not _missing(name)]
    except TypeError:
        raise DataError(f"{WHO}: the names of items must be text, numbers or tuples.") from None
    items = in_order(known)
    code = {name: c for c, name in enumerate(items)}.get
    codes = np.array([code(name, -1) for name in flat], dtype=np.int64)
    return from_pairs(owner, codes, len(rows), items, weights, ids)


def of_long(table: Any, basket: str, item: str, weights: str | None) -> Baskets:
    """One row of the table for each item of a basket."""
    named = [basket, item] if weights is None else [basket, item, weights]
    if len(set(named)) < len(named):
        raise ParameterError(
            f"{WHO}: basket, item and weights are different columns, got {', '.join(named)}."
        )
    parsed = Table.of(_columns_of(table, named), {basket: "nominal", item: "nominal"}, WHO)
    owner, codes = parsed.values[:, 0], parsed.values[:, 1]
    if np.isnan(owner).any():
        row = int(np.flatnonzero(np.isnan(owner))[0])
        raise DataError(
            f"{WHO}: {row_name(row)} does not say which basket it is ({basket!r} is missing). Drop such rows."
        )
    owner = owner.astype(np.int64)
    ids, items = (parsed.schema[j].categories for j in (0, 1))
    codes = np.where(np.isnan(codes), -1, codes).astype(np.int64)
    w = None if weights is None else _weight_of_each(owner, parsed.values[:, 2], ids, weights)
    return from_pairs(owner, codes, len(ids), items, w, ids)


def of_wide(table: Any, weights: Any, form: str, items: Sequence[Any] | None) -> Baskets:
    """One row for each basket, in one of the wide forms."""
    if form != "auto" and form not in FORMS:
        raise ParameterError(f"{WHO}: form must be 'auto', {', '.join(map(repr, FORMS))}, got {form!r}.")
    parsed = Table.of(table, who=WHO)
    names = tuple(parsed.schema.names if items is None else items)
    if len(names) != len(parsed.schema) or len(set(names)) < len(names):
        raise ParameterError(f"{WHO}: items must name the {len(parsed.schema)} columns, each differently.")
    if form == "auto":
        form = wide_form(parsed)
    if form == "slots":
        return _of_slots(parsed, weights)
    if form == "attributes":
        return of_table(parsed, None, weights)
    if form == "mixed":
        return _of_mixed(parsed, weights)
    if not isinstance(parsed.values, np.ndarray):
        start, codes, values = csr_arrays(parsed.values)
        owner = np.repeat(np.arange(len(start) - 1), np.diff(start))
        _check_quantities(values, codes, names)
        return from_pairs(owner[values > 0], codes[values > 0], len(start) - 1, names, weights)
    X = _flags(parsed)
    i, j = np.nonzero(X > 0)  # false for NaN
    return from_pairs(i, j, len(X), names, weights, distinct=True)


def of_table(table: Any, cuts: int | Mapping[str, Any] | None, weights: Any) -> Baskets:
    """One row of attributes for each basket, with items "column = value"."""
    parsed = Table.of(table, who=WHO)
    if not isinstance(parsed.values, np.ndarray):
        raise DataError(f"{WHO}: a sparse matrix has no attributes; use Baskets.from_wide.")
    conditions = attribute_items(parsed, cuts)
    i, j = attribute_pairs(parsed.values, conditions)
    names = tuple(c.words(parsed.schema) for c in conditions)
    baskets = from_pairs(i, j, len(parsed), names, weights, distinct=True)
    baskets.conditions = tuple(conditions)
    return baskets


def attribute_items(table: Table, cuts: int | Mapping[str, Any] | None) -> list[Condition]:
    """What a row of attributes can hold: a category of a nominal column, an interval of a numeric one."""
    cuts_of_columns = dict(cuts) if isinstance(cuts, Mapping) else {}
    for name in cuts_of_columns:
        table.schema.index(name)
    conditions = []
    for j, column in enumerate(table.schema):
        if column.coded:
            conditions += [Condition(j, codes=(c,)) for c in range(len(column.categories))]
            continue
        asked = cuts_of_columns.get(column.name, None if isinstance(cuts, Mapping) else cuts)
        if asked is None:
            raise DataError(
                f"column {column.name!r} holds numbers, which hardly repeat.",
                who=WHO,
                remedy=f"Say where to cut them: cuts=4, or cuts={{{column.name!r}: [10, 20]}}.",
                code="uncut-numbers",
            )
        ends = [-math.inf, *_cut_points(asked, table.values[:, j], column.name), math.inf]
        conditions += [Condition(j, low=a, high=b) for a, b in pairwise(ends)]
    return conditions


def attribute_pairs(X: np.ndarray, conditions: Sequence[Condition]) -> tuple[np.ndarray, np.ndarray]:
    """Row and item numbers of all that hold, row by row."""
    held = [np.flatnonzero(condition.covers(X)) for condition in conditions]
    i = np.concatenate([*held, np.empty(0, np.int64)]).astype(np.int64)
    j = np.repeat(np.arange(len(held)), [len(rows) for rows in held])
    order = np.argsort(i, kind="stable")
    return i[order], j[order]


def from_pairs(
    owner: np.ndarray,
    codes: np.ndarray,
    n: int,
    items: Sequence[Any],
    weights: Any = None,
    ids: Sequence[Any] | None = None,
    distinct: bool = False,
) -> Baskets:
    """Baskets from pairs of basket and item numbers; item -1 is none. ``distinct``: in order already, each once."""
    if not distinct:
        d = max(len(items), 1)
        present = codes >= 0
        pairs = np.sort(owner[present].astype(np.int64) * d + codes[present])
        pairs = pairs[np.append(True, pairs[1:] != pairs[:-1])] if len(pairs) else pairs
        owner, codes = pairs // d, pairs % d
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(owner, minlength=n), out=indptr[1:])
    return Baskets(indptr, codes.astype(np.int32), tuple(items), weights, None if ids is None else tuple(ids))


def _columns_of(table: Any, names: list[str]) -> dict[str, Any]:
    known = [
        str(c)
        for c in (
            table.keys()
            if isinstance(table, Mapping)
            else getattr(table, "column_names", getattr(table, "columns", ()))
        )
    ]
    for name in names:
        if name not in known:
            raise DataError(f"{WHO}: there is no column {name!r}. Columns: {', '.join(known)}.")
    return {name: table[name] for name in names}


def _weight_of_each(owner: np.ndarray, weights: np.ndarray, ids: Sequence[Any], name: str) -> np.ndarray:
    w = np.zeros(len(ids))
    w[owner] = weights
    if not np.array_equal(w[owner], weights):
        odd = ids[owner[np.flatnonzero(w[owner] != weights)[0]]]
        raise DataError(f"{WHO}: basket {odd!r} has several weights in column {name!r}, expected one.")
    return w


def _flags(table: Table) -> np.ndarray:
    """The table as quantities: words that mean yes are 1."""
    X = table.values
    for j, column in enumerate(table.schema):
        if column.coded:
            words = [str(v).strip().lower() for v in column.categories]
            odd = [v for v in words if v not in YES | NO]
            if odd:
                raise DataError(
                    f"{WHO}: column {column.name!r} holds {odd[0]!r}, expected yes or no, true or false, 1 or 0."
                )
            X = X.copy() if X is table.values else X
            yes = np.array([w in YES for w in words] + [False], dtype=np.float64)
            codes = np.where(np.isnan(X[:, j]), len(words), X[:, j]).astype(np.int64)
            X[:, j] = yes[codes]
    _check_quantities(X, None, table.schema.names)
    return X


def _check_quantities(values: np.ndarray, columns: np.ndarray | None, names: Sequence[Any]) -> None:
    odd = (values < 0) | (values != np.floor(values)) & ~np.isnan(values)
    if odd.any():
        at = np.argwhere(odd)[0]
        name, value = names[int(at[1]) if columns is None else int(columns[at[0]])], values[tuple(at)]
        raise DataError(
            f"column {str(name)!r} holds {value:g}, expected 0, 1 or a quantity of the item.",
            who=WHO,
            remedy='For attributes use Baskets.from_table: it makes items "column = value".',
            code="table-of-attributes",
        )


def _of_mixed(table: Table, weights: Any) -> Baskets:
    """Flags are items by the name of their column; other columns give items "column = value"."""
    flags = flag_columns(table)
    others = [j for j in range(len(table.schema)) if j not in flags]
    i, j = np.nonzero(_flags(_some_columns(table, flags)) > 0)  # false for NaN
    attributes = _some_columns(table, others)
    conditions = attribute_items(attributes, None)
    rows, places = attribute_pairs(attributes.values, conditions)
    names = [table.schema[k].name for k in flags] + [c.words(attributes.schema) for c in conditions]
    owner, codes = np.concatenate([i, rows]), np.concatenate([j, places + len(flags)])
    return from_pairs(owner, codes, len(table), names, weights)


def _some_columns(table: Table, chosen: list[int]) -> Table:
    schema = Schema([table.schema[j] for j in chosen], table.schema.named)
    values = table.values[:, chosen]
    return Table(values, schema, None)


def _of_slots(table: Table, weights: Any) -> Baskets:
    for column in table.schema:
        if not column.coded:
            raise DataError(f"{WHO}: column {column.name!r} holds numbers, expected names of items.")
    items = in_order(list({v for c in table.schema for v in c.categories}))
    code = {name: c for c, name in enumerate(items)}
    codes = np.full(table.shape, -1, dtype=np.int64)
    for j, column in enumerate(table.schema):
        present = ~np.isnan(table.values[:, j])
        known = np.array([code[v] for v in column.categories], dtype=np.int64)
        codes[present, j] = known[table.values[present, j].astype(np.int64)]
    owner = np.repeat(np.arange(len(codes)), codes.shape[1])
    return from_pairs(owner, codes.ravel(), len(codes), items, weights)


def _cut_points(asked: Any, x: np.ndarray, name: str) -> list[float]:
    if isinstance(asked, (int, np.integer)) and not isinstance(asked, bool):
        if asked < 1:
            raise ParameterError(f"{WHO}: cuts must be a whole number from 1 up, got {asked}.")
        x = np.sort(x[~np.isnan(x)])
        if len(x) == 0:
            return []
        cuts = np.unique(x[[len(x) * q // asked - 1 for q in range(1, asked) if len(x) * q >= asked]])
        return [float(c) for c in cuts if c < x[-1]]
    try:
        points = [float(c) for c in asked]
    except (TypeError, ValueError):
        points = [math.nan]
    if any(not math.isfinite(c) for c in points) or any(a >= b for a, b in pairwise(points)):
        raise ParameterError(
            f"{WHO}: cuts of {name!r} must be a whole number or ascending numbers, got {asked!r}."
        )
    return points


def _missing(name: Any) -> bool:
    return (
        name is None
        or (isinstance(name, (float, np.floating)) and math.isnan(name))
        or type(name).__name__ in ("NAType", "NaTType")
    )
