"""Columns with a role other than feature: group, time or weight of each row."""

from __future__ import annotations

from dataclasses import replace

import click
import numpy as np

from assay.cli.data import LabelledTable
from assay.cli.words import counted
from assay.errors import did_you_mean

__all__ = ["set_apart"]


def set_apart(
    dataset: LabelledTable, column: str | None, option: str
) -> tuple[LabelledTable, np.ndarray | None]:
    """The data without that column, and its values: group codes, times or weights, by the option.

    >>> import numpy as np
    >>> from assay.cli.data import LabelledTable
    >>> from assay.cli.roles import set_apart
    >>> from assay.tables import Table
    >>> table = Table.of({"ward": ["a", "b", "a"], "age": [1.0, 2.0, 3.0]})
    >>> data = LabelledTable("it", table, np.array([0, 1, 1]), "ill")
    >>> features, ward = set_apart(data, "ward", "--group")
    >>> features.X.schema.names, ward
    (['age'], array([0., 1., 0.]))
    """
    if column is None:
        return dataset, None
    names = dataset.X.schema.names
    if column == dataset.target:
        raise click.BadParameter(f"{column} is the target", param_hint=option)
    if column not in names:
        raise click.BadParameter(
            f"there is no column {column}.{did_you_mean(column, names)}", param_hint=option
        )
    if len(names) == 1:
        raise click.BadParameter(
            f"{column} is the only column, so none is left to learn from", param_hint=option
        )
    j = names.index(column)
    schema = dataset.X.schema[column]
    if schema.coded and option != "--group":
        expected = "numbers or dates" if option == "--time" else "numbers"
        raise click.BadParameter(
            f"column {column} holds {schema.kind} values such as {schema.categories[0]!r}, expected {expected}",
            param_hint=option,
        )
    values = dataset.X.values
    if not isinstance(values, np.ndarray):
        raise click.BadParameter("a table this large and sparse cannot spare a column", param_hint=option)
    entries = values[:, j]
    empty = int(np.isnan(entries).sum())
    if empty:
        raise click.BadParameter(f"column {column} has {counted(empty, 'missing value')}", param_hint=option)
    remaining = [i for i in range(len(names)) if i != j]
    return replace(dataset, X=dataset.X.select(remaining)), entries
