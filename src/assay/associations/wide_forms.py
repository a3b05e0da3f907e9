"""Which form a wide table of baskets has: flags, names of items in slots, attributes, or flags beside attributes."""

from __future__ import annotations

import numpy as np

from assay.errors import DataError
from assay.tables import Table

__all__ = ["FORMS", "NO", "YES", "flag_columns", "wide_form"]

YES = {"t", "true", "yes", "y", "1", "x"}
FULL = 0.9  # the share of cells from which on rows count as equally long
NO = {"f", "false", "no", "n", "0", "?", ""}

FORMS = {
    "flags": "one column for each item, yes or no, 1 or 0 or a quantity",
    "slots": "columns that hold names of items",
    "attributes": "a table of attributes, with items COLUMN = VALUE",
    "mixed": "flags for items, and other columns with items COLUMN = VALUE",
}


def wide_form(table: Table) -> str:
    """The form of a table with one row for each basket, detected from its columns; one of FORMS.

    Columns of yes and no, of true and missing, or of numbers, and no others: "flags". Only names: "slots" if the
    columns share their names and rows seldom repeat one, as lists of items do, else "attributes". Flags that are
    either true or missing (or 1 and 0) beside columns of names: "mixed". Flags with a written "no" beside
    columns of names are answers rather than items: "attributes".

    >>> from assay.associations.wide_forms import wide_form
    >>> from assay.tables import Table
    >>> wide_form(Table.of({"tea": ["t", None], "milk": ["t", "t"], "total": ["high", "low"]}))
    'mixed'
    >>> wide_form(Table.of({"budget": ["y", "n"], "crime": ["n", "y"], "party": ["left", "right"]}))
    'attributes'
    """
    schema = table.schema
    named = [
        j for j, column in enumerate(schema) if column.coded and not _words(column.categories) <= YES | NO
    ]
    if not named:
        return "flags"
    numbers = [j for j, column in enumerate(schema) if not column.coded]
    for j in numbers:
        if not _zero_one(table.values[:, j]):
            raise DataError(
                f"column {schema[j].name!r} holds numbers and others hold text, so these are neither flags nor slots.",
                who="Baskets",
                remedy='For items "column = value" use Baskets.from_table.',
                code="table-of-attributes",
            )
    if not numbers and _shared_names(table):
        return "slots"
    flags = [column for j, column in enumerate(schema) if column.coded and j not in named]
    if numbers or (flags and all(_words(column.categories) <= YES for column in flags)):
        return "mixed"
    return "attributes"


def flag_columns(table: Table) -> list[int]:
    """The columns of a mixed table that stand for an item: words for yes and no, or numbers.

    >>> from assay.associations.wide_forms import flag_columns
    >>> from assay.tables import Table
    >>> flag_columns(Table.of({"tea": ["t", None], "total": ["high", "low"], "milk": [1, 0]}))
    [0, 2]
    """
    return [
        j
        for j, column in enumerate(table.schema)
        if not column.coded or _words(column.categories) <= YES | NO
    ]


def _words(categories: tuple[object, ...]) -> set[str]:
    return {str(value).strip().lower() for value in categories}


def _zero_one(values: np.ndarray) -> bool:
    return bool((np.isnan(values) | (values == 0) | (values == 1)).all())


def _shared_names(table: Table) -> bool:
    """Whether the columns hold names from one list.

    Rows seldom repeat a name; and most names occur in several columns, or some do and rows are filled from the left.
    """
    if table.shape[1] == 1:
        return True
    code: dict[object, int] = {}
    codes = np.full(table.shape, -1, dtype=np.int64)
    for j, column in enumerate(table.schema):
        known = np.array([code.setdefault(v, len(code)) for v in column.categories], dtype=np.int64)
        present = ~np.isnan(table.values[:, j])
        codes[present, j] = known[table.values[present, j].astype(np.int64)]
    columns_with = np.zeros(len(code), dtype=np.int64)
    for j in range(codes.shape[1]):
        columns_with[np.unique(codes[codes[:, j] >= 0, j])] += 1
    names = np.array([str(name).strip().lower() not in YES | NO for name in code])
    present = codes >= 0
    cells = codes[present]
    shared = np.count_nonzero((columns_with[cells] > 1) & names[cells])
    from_the_left = bool((np.diff(present.astype(np.int8), axis=1) <= 0).all()) and present.mean() < FULL
    if not shared or not (from_the_left or 2 * shared > np.count_nonzero(names[cells])):
        return False
    ordered = np.sort(codes, axis=1)
    repeats = ((np.diff(ordered, axis=1) == 0) & (ordered[:, 1:] >= 0)).any(axis=1)
    several = present.sum(axis=1) > 1
    return bool(2 * repeats.sum() <= several.sum())
