"""Several tables of the same things, such as one for each sensor, as one table and the views of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from assay.errors import DataError, ParameterError
from assay.tables import Schema, Table
from assay.types import TableLike

__all__ = ["view_tables"]


def view_tables(tables: Mapping[str, TableLike]) -> tuple[Table, dict[str, list[str]]]:
    """Put tables with the same rows side by side, so that members of a committee can have a table each.

    The columns are called by their table and their name in it. New rows are put together in the same way.

    Cost: O(n d), memory O(n d) for the table.

    Parameters
    ----------
    tables : dict of names to tables
        Arrays, sparse matrices or frames of any library, row by row about the same things.

    Returns
    -------
    table : Table of all columns
    columns : dict of the names of the tables to the names of their columns: what ``views`` of a committee takes

    Examples
    --------
    >>> from assay.bayes import GaussianNB, NaiveBayes
    >>> from assay.ensembles import VotingClassifier, view_tables
    >>> voice = {"pitch": [110.0, 120.0, 210.0, 220.0]}
    >>> hair = {"length": ["short", "long", "long", "long"], "grey": ["yes", "no", "no", "yes"]}
    >>> table, columns = view_tables({"voice": voice, "hair": hair})
    >>> columns
    {'voice': ['voice pitch'], 'hair': ['hair length', 'hair grey']}
    >>> members = [("ear", GaussianNB()), ("eye", NaiveBayes())]
    >>> views = {"ear": columns["voice"], "eye": columns["hair"]}
    >>> model = VotingClassifier(members, voting="soft", views=views).fit(table, ["m", "m", "f", "f"])
    >>> new, _ = view_tables({"voice": {"pitch": [115.0]}, "hair": {"length": ["long"], "grey": ["no"]}})
    >>> model.predict(new)
    array(['m'], dtype='<U1')

    See Also
    --------
    VotingClassifier, StackingClassifier

    References
    ----------
    - Xu, C., Tao, D. and Xu, C. (2013). A survey on multi-view learning. arXiv:1304.5634
    """
    who = "view_tables"
    if not isinstance(tables, Mapping) or not tables:
        raise ParameterError(f"a dict of names to tables is needed, got {tables!r}.", who=who)
    parts = {str(name): Table.of(table, who=who) for name, table in tables.items()}
    first, n = next((name, part.shape[0]) for name, part in parts.items())
    for name, part in parts.items():
        if part.shape[0] != n:
            raise DataError(
                f"all tables must have the same rows; {first!r} has {n} and {name!r} {part.shape[0]}.",
                who=who,
            )
    columns, views = [], {}
    for name, part in parts.items():
        named = [replace(column, name=f"{name} {column.name}") for column in part.schema]
        views[name] = [column.name for column in named]
        columns += named
    row_names = next((part.row_names for part in parts.values() if part.row_names is not None), None)
    values = _beside([part.values for part in parts.values()])
    complete = all(part.complete for part in parts.values())
    return Table(values, Schema(columns), complete, row_names=row_names), views


def _beside(blocks: list[Any]) -> Any:
    if all(isinstance(block, np.ndarray) for block in blocks):
        return np.hstack(blocks)
    from scipy.sparse import hstack

    return hstack(blocks, format="csr")
