"""Explanations of a model of z-scores, in the units of the table."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.dated import LARGEST_DAY, VALUE_HEADS, is_row
from assay.core.explanation import Section
from assay.core.words import shorter
from assay.prepare.standard_scaler import StandardScaler
from assay.tables.schema import Schema, moment

__all__ = ["in_original_units"]

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?")
STEPS = {"change"}  # heads of columns of changes, which are scaled but not shifted


def in_original_units(section: Section, scaler: StandardScaler, schema: Schema) -> Section:
    """The section with the numbers of scaled columns as the table has them; weights and products stay.

    >>> from assay.core.explanation import Section
    >>> from assay.prepare import StandardScaler
    >>> from assay.prepare.original_units import in_original_units
    >>> scaler = StandardScaler().fit({"age": [30.0, 50.0]})
    >>> terms = Section("Terms", ["term", "value", "weight", "product"], [["age", 1.5, 2.0, 3.0]])
    >>> in_original_units(terms, scaler, scaler.schema_).rows
    [['age', 55.0, 2.0, 3.0]]
    """
    mean, scale = scaler.mean_, scaler.scale_
    if mean is None or scale is None:
        return section
    place = {column.name: j for j, column in enumerate(schema) if column.kind == "numeric"}
    section = _conditions_back(section, place, mean, scale, schema)
    places = [t for t, head in enumerate(section.columns) if head in VALUE_HEADS or is_row(head)]
    steps = [t for t, head in enumerate(section.columns) if head in STEPS]
    rows, converted = [], False
    for row in section.rows:
        cells, j = list(row), place.get(row[0])
        if j is not None and np.isfinite([mean[j], scale[j]]).all():
            for t in places:
                cells[t] = _back(cells[t], scale[j], mean[j])
            for t in steps:
                cells[t] = _back(cells[t], scale[j], 0.0)
            converted = converted or bool(places)
        rows.append(cells)
    if not converted:
        return section
    note = section.note.replace("in their own units", "in standard deviations")
    if not steps:
        note = f"{note} Each number counts as (value - mean) / standard deviation of its column.".strip()
    elif "standard deviations" not in note:
        note = f"{note} Distances are in standard deviations of the columns.".strip()
    return replace(section, rows=rows, note=note)


def _conditions_back(
    section: Section, place: dict[str, int], mean: np.ndarray, scale: np.ndarray, schema: Schema
) -> Section:
    """The section with its conditions, such as ``age > 0.53``, in the units of the table."""
    known = [n for n, j in place.items() if np.isfinite([mean[j], scale[j]]).all()]
    if not known:
        return section
    names = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
    pattern = re.compile(
        rf"(?<!\S)({names}) (<=|>=|<|>|≤|≥|=) (-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)(?![\w.])"
    )

    def unscaled(name: str, number: str) -> str:
        j = place[name]
        value = _back(float(number), scale[j], mean[j])
        return moment(value) if schema[j].date and abs(value) < LARGEST_DAY else shorter(value, 6)

    rows = []
    for row in section.rows:
        cells = [
            pattern.sub(lambda m: f"{m[1]} {m[2]} {unscaled(m[1], m[3])}", c) if isinstance(c, str) else c
            for c in row
        ]
        if "now" in section.columns and "change" in section.columns:
            change, now = section.columns.index("change"), section.columns.index("now")
            condition = pattern.fullmatch(str(row[change]))
            if condition and _NUMBER.fullmatch(str(row[now])):
                cells[now] = unscaled(condition[1], str(row[now]))
        rows.append(cells)
    return section if rows == section.rows else replace(section, rows=rows)


def _back(cell: Any, scale: float, mean: float) -> Any:
    """z s + m, without the last digits that this cannot know; what is no number stays."""
    if not isinstance(cell, float):
        return cell
    x = cell * scale + mean
    size = max(abs(cell * scale), abs(mean))
    return float(round(x, 13 - int(np.floor(np.log10(size))))) if size > 0 and np.isfinite(x) else float(x)
