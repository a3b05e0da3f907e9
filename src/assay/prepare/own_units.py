"""Explanations of a model that saw z-scores, told in the units of the table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.explanation import Section
from assay.prepare.standard_scaler import StandardScaler
from assay.tables.schema import Schema

__all__ = ["in_own_units"]

PLACES = {"value", "here", "there"}  # heads under which a section tells where a row is in a column ...
STEPS = {"change"}  # ... and how far it would have to move


def in_own_units(section: Section, scaler: StandardScaler, schema: Schema) -> Section:
    """The section with the numbers of scaled columns as the table has them; weights and products stay.

    >>> from assay.core.explanation import Section
    >>> from assay.prepare import StandardScaler
    >>> from assay.prepare.own_units import in_own_units
    >>> scaler = StandardScaler().fit({"age": [30.0, 50.0]})
    >>> told = Section("Terms", ["term", "value", "weight", "product"], [["age", 1.5, 2.0, 3.0]])
    >>> in_own_units(told, scaler, scaler.schema_).rows
    [['age', 55.0, 2.0, 3.0]]
    """
    mean, scale = scaler.mean_, scaler.scale_
    if mean is None or scale is None:
        return section
    place = {column.name: j for j, column in enumerate(schema) if column.kind == "numeric"}
    places = [t for t, head in enumerate(section.columns) if head in PLACES or _is_row(head)]
    steps = [t for t, head in enumerate(section.columns) if head in STEPS]
    rows, told = [], False
    for row in section.rows:
        cells, j = list(row), place.get(row[0])
        if j is not None and np.isfinite([mean[j], scale[j]]).all():
            for t in places:
                cells[t] = _back(cells[t], scale[j], mean[j])
            for t in steps:
                cells[t] = _back(cells[t], scale[j], 0.0)
            told = told or bool(places)
        rows.append(cells)
    if not told:
        return section
    note = section.note.replace("in their own units", "in standard deviations")
    if not steps:
        note = f"{note} Each number counts as (value - mean) / standard deviation of its column.".strip()
    elif "standard deviations" not in note:
        note = f"{note} Distances are in standard deviations of the columns.".strip()
    return replace(section, rows=rows, note=note)


def _is_row(head: str) -> bool:
    """Whether the head of a column names a row, whose values stand below it."""
    return head == "this row" or head.startswith(("row ", "index "))


def _back(cell: Any, scale: float, mean: float) -> Any:
    """z s + m, without the last digits that this cannot know; what is no number stays."""
    if not isinstance(cell, float):
        return cell
    x = cell * scale + mean
    size = max(abs(cell * scale), abs(mean))
    return float(round(x, 13 - int(np.floor(np.log10(size))))) if size > 0 and np.isfinite(x) else float(x)
