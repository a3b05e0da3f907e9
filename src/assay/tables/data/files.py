"""The data files of the package: attribute lines, then rows, in the plainest subset of ARFF."""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import Any

import numpy as np

from assay.tables.schema import Column, Schema
from assay.tables.table import Table

__all__ = ["read_packaged"]


def read_packaged(name: str) -> tuple[Table, dict[str, list[Any]]]:
    """The table in ``packaged/<name>.arff``, and its columns of text (``string``) by name.

    The files are ours, so nothing is checked here; files of others are read by ``assay.tables.readers``.
    """
    text = files("assay.tables.data").joinpath("packaged", f"{name}.arff").read_text(encoding="utf-8")
    head, _, body = text.partition("@data\n")
    declared = [_attribute(line) for line in head.splitlines() if line.startswith("@attribute")]
    rows = list(csv.reader(body.splitlines(), quotechar="'", skipinitialspace=True))
    columns, numbers, strings = [], [], {}
    for (attribute, kind), cells in zip(declared, zip(*rows)):
        if kind == "string":
            strings[attribute] = list(cells)
        elif kind == "numeric":
            columns.append(Column(attribute))
            numbers.append([np.nan if cell == "?" else float(cell) for cell in cells])
        else:
            columns.append(Column(attribute, "nominal", kind))
            code = {value: float(c) for c, value in enumerate(kind)}
            numbers.append([np.nan if cell == "?" else code[cell] for cell in cells])
    values = np.ascontiguousarray(np.array(numbers).T)
    return Table(values, Schema(columns), None), strings


def _attribute(line: str) -> tuple[str, Any]:
    """The name of an attribute line, and "numeric", "string" or the tuple of its values."""
    _, name, kind = line.split(" ", 2)
    if not kind.startswith("{"):
        return name, kind
    inside = kind.strip("{} ")
    return name, tuple(v.strip() for v in next(csv.reader([inside], quotechar="'", skipinitialspace=True)))
