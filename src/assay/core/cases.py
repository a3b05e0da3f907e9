"""Stored rows as cases: what they are called, and their values beside those of the row in question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.core.explanation import Section
from assay.tables import Design, Schema

__all__ = ["beside", "values_beside"]

MOST_CASES = 5  # stored rows whose values are shown
MOST_COLUMNS = 20  # columns that are shown of them


def beside(learner: Any, row: dict[str, Any], stored: Any, places: Sequence[int]) -> list[Section]:
    """The values of stored rows, as the mathematics sees them, beside the row's; nothing for distances alone.

    Parameters
    ----------
    learner : one with ``keeps_row_names``
    row : the row in question, by column
    stored : (m, D) some of the rows kept, dense or sparse
    places : (m,) their places among the training rows
    """
    names = [learner._cases(int(i)) for i in places]
    return values_beside(learner.schema_, getattr(learner, "design_", None), row, stored, names)


def values_beside(
    schema: Schema, design: Design | None, row: dict[str, Any], stored: Any, names: Sequence[str]
) -> list[Section]:
    """A section with one line per column: its value in the row in question, and in the nearest stored rows.

    >>> import numpy as np
    >>> from assay.core.cases import values_beside
    >>> from assay.tables import Table
    >>> table = Table.of({"weight": [190.0, 260.0], "taste": ["sweet", "sour"]})
    >>> asked = {"weight": 200.0, "taste": "sweet"}
    >>> (section,) = values_beside(table.schema, None, asked, table.values, ["row 1", "row 2"])
    >>> section.columns, section.rows[1]
    (['column', 'this row', 'row 1', 'row 2'], ['taste', 'sweet', 'sweet', 'sour'])
    """
    values = np.asarray(
        stored[:MOST_CASES].toarray() if hasattr(stored, "toarray") else stored[:MOST_CASES], float
    )
    if design is not None and values.shape[1] == len(design.names):
        values = design.contract(values)
    if values.shape[1] != len(schema) or not len(values):
        return []
    lines = [
        [column.name, row.get(column.name), *(schema.label(j, v) for v in values[:, j])]
        for j, column in list(enumerate(schema))[:MOST_COLUMNS]
    ]
    left = len(schema) - len(lines)
    note = f"{left} more column{' is' if left == 1 else 's are'} not shown." if left else ""
    heads = ["column", "this row", *names[: len(values)]]
    return [Section("Their values beside this row's", heads, lines, note)]
