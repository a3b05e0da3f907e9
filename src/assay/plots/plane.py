"""A grid over two columns of a table, and its rows as a model takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.parameters import check_count
from assay.errors import DataError
from assay.tables import Table
from assay.types import Estimator, Labels, TableLike

__all__ = ["Plane", "codes_of", "plane_over"]


@dataclass(frozen=True)
class Plane:
    """A grid of rows over two columns; made by `plane_over`.

    columns : numbers of the two columns      names : their names
    x, y : (g,) grid      points : (n, 2) the data
    middle : (d,) fixed values of the other columns
    grid_rows : g * g rows, as the model takes them
    """

    columns: list[int]
    names: list[str]
    x: np.ndarray
    y: np.ndarray
    points: np.ndarray
    middle: np.ndarray
    grid_rows: Any


def plane_over(
    who: str,
    estimator: Estimator,
    X: TableLike,
    columns: Sequence[int | str] | None,
    grid: int,
    margin: float,
) -> Plane:
    """A grid over two columns of X, the others at their medians, or at their commonest category.

    >>> from assay.plots.plane import plane_over
    >>> plane = plane_over("Display", None, [[0.0, 0.0, 5.0], [1.0, 2.0, 7.0]], [0, 1], grid=2, margin=0.0)
    >>> plane.grid_rows
    array([[0., 0., 6.],
           [1., 0., 6.],
           [0., 2., 6.],
           [1., 2., 6.]])
    """
    check_count(who, "grid", grid, low=2)
    table = Table.of(X, who=who)
    values = table.values if isinstance(table.values, np.ndarray) else table.values.toarray()
    pair = _pair(who, table, columns)
    points = values[:, pair]
    x, y = (_side(points[:, c], grid, margin) for c in (0, 1))
    middle = _middle(table, values)
    rows = np.tile(middle, (grid * grid, 1))
    first, second = np.meshgrid(x, y)
    rows[:, pair[0]], rows[:, pair[1]] = first.ravel(), second.ravel()
    grid_rows = Table(rows, table.schema) if table.schema.named and hasattr(estimator, "schema_") else rows
    return Plane(pair, [table.schema[c].name for c in pair], x, y, points, middle, grid_rows)


def codes_of(labels: np.ndarray, classes: Labels) -> np.ndarray:
    """The number of each label among the classes, -1 for any other."""
    place = {label: k for k, label in enumerate(np.asarray(classes).tolist())}
    return np.array([place.get(label, -1) for label in labels.tolist()])


def _pair(who: str, table: Table, columns: Sequence[int | str] | None) -> list[int]:
    """The two columns that span the plane."""
    if columns is None:
        if len(table.schema) != 2:
            n = len(table.schema)
            if n == 1:
                raise DataError(f"{who}: the table has 1 column, a plane needs two.")
            raise DataError(f"{who}: the table has {n} columns; name the two to show, columns=[...].")
        columns = [0, 1]
    indices = [table.schema.index(c) if isinstance(c, str) else int(c) for c in columns]
    if len(indices) != 2:
        raise DataError(f"{who}: a plane has two columns, got {len(indices)}.")
    for j in indices:
        if table.schema[j].coded:
            raise DataError(f"{who}: column {table.schema[j].name!r} holds categories, expected numbers.")
    return indices


def _side(values: np.ndarray, grid: int, margin: float) -> np.ndarray:
    low, high = np.nanmin(values), np.nanmax(values)
    room = margin * ((high - low) or 1.0)
    return np.linspace(low - room, high + room, grid)


def _middle(table: Table, values: np.ndarray) -> np.ndarray:
    """(d,) medians; of categories, between whose numbers there is nothing, the commonest."""
    middle = np.empty(values.shape[1])
    for j, column in enumerate(table.schema):
        present = values[~np.isnan(values[:, j]), j]
        if not len(present):
            middle[j] = np.nan
        elif column.coded:
            middle[j] = np.bincount(present.astype(np.int64)).argmax()
        else:
            middle[j] = np.median(present)
    return middle
