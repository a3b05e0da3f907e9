"""Dates stay dates in explanations: days since 1970 that a section gives for a date column become dates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assay.core.explanation import Section
from assay.tables.schema import Schema, moment

__all__ = ["LARGEST_DAY", "VALUE_HEADS", "dated", "is_row"]

VALUE_HEADS = {"value", "here", "there"}  # heads of the columns of a section that hold values of rows
LARGEST_DAY = 2e7  # days from 1970 that dates can have


def is_row(head: str) -> bool:
    """Whether a section has the values of a row under this head."""
    return head == "this row" or head.startswith(("row ", "index "))


def dated(section: Section, schema: Schema) -> Section:
    """The section with days since 1970 as dates, wherever it gives a row's value in a date column.

    >>> from assay.core.dated import dated
    >>> from assay.core.explanation import Section
    >>> from assay.tables import Column, Schema
    >>> schema = Schema([Column("when", date=True), Column("size")])
    >>> dated(Section("Terms", ["term", "value", "weight"], [["when", 18262.0, 0.5], ["size", 2.0, 1.0]]), schema).rows
    [['when', '2020-01-01', 0.5], ['size', 2.0, 1.0]]
    """
    dates = {column.name for column in schema if column.date}
    places = [t for t, head in enumerate(section.columns) if head in VALUE_HEADS or is_row(head)]
    if not dates or not places:
        return section
    rows = []
    for row in section.rows:
        cells: list[Any] = list(row)
        if cells and isinstance(cells[0], str) and cells[0] in dates:
            for t in places:
                if isinstance(cells[t], float) and abs(cells[t]) < LARGEST_DAY:
                    cells[t] = moment(cells[t])
        rows.append(cells)
    return replace(section, rows=rows)
