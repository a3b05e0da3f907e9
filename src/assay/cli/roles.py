"""Columns that do not predict but say something about rows: their group, their time, their weight."""

from __future__ import annotations

from dataclasses import replace

import click
import numpy as np

from assay.cli.data import Data
from assay.cli.words import counted
from assay.errors import did_you_mean

__all__ = ["set_apart"]


def set_apart(found: Data, column: str | None, option: str) -> tuple[Data, np.ndarray | None]:
    """The data without that column, and its entries: group codes, moments or weights as the option asks.

    >>> import numpy as np
    >>> from assay.cli.data import Data
    >>> from assay.cli.roles import set_apart
    >>> from assay.tables import Table
    >>> data = Data("it", Table.of({"ward": ["a", "b", "a"], "age": [1.0, 2.0, 3.0]}), np.array([0, 1, 1]), "ill")
    >>> rest, ward = set_apart(data, "ward", "--group")
    >>> rest.X.schema.names, ward
    (['age'], array([0., 1., 0.]))
    """
    if column is None:
        return found, None
    names = found.X.schema.names
    if column == found.target:
        raise click.BadParameter(f"{column} is what is to be predicted", param_hint=option)
    if column not in names:
        raise click.BadParameter(
            f"there is no column {column}.{did_you_mean(column, names)}", param_hint=option
        )
    if len(names) == 1:
        raise click.BadParameter(
            f"{column} is the only column, so none is left to learn from", param_hint=option
        )
    j = names.index(column)
    role = found.X.schema[column]
    if role.coded and option != "--group":
        wanted = "numbers or dates" if option == "--time" else "numbers"
        raise click.BadParameter(
            f"column {column} holds {role.kind} values such as {role.categories[0]!r}, expected {wanted}",
            param_hint=option,
        )
    values = found.X.values
    if not isinstance(values, np.ndarray):
        raise click.BadParameter("a table this large and sparse cannot spare a column", param_hint=option)
    entries = values[:, j]
    empty = int(np.isnan(entries).sum())
    if empty:
        raise click.BadParameter(f"column {column} is empty in {counted(empty, 'row')}", param_hint=option)
    others = [i for i in range(len(names)) if i != j]
    return replace(found, X=found.X.select(others)), entries
