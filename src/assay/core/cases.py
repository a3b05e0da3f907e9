"""Stored rows as cases: what they are called, and their values beside those of the row in question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from assay.core.explanation import Section
from assay.core.stored import Kind, Object
from assay.tables import Design, RowNames, Schema

__all__ = ["RowKeeper", "values_beside"]

MOST_CASES = 5  # stored rows whose values are shown
MOST_COLUMNS = 20  # columns that are shown of them


class RowKeeper:
    """What a learner adds that keeps its training rows: it remembers what they were called.

    Attributes
    ----------
    row_names_ : RowNames of the training rows
    """

    stored: ClassVar[Mapping[str, Kind]] = {"row_names_": Object(RowNames)}

    schema_: Schema
    row_names_: RowNames

    def _admit(self, X: Any, fitting: bool = False) -> Any:
        if fitting:
            self.row_names_ = RowNames.of(X).stored()
        return super()._admit(X, fitting)  # type: ignore[misc]

    @property
    def _cases(self) -> RowNames:
        """The names of the training rows; numbers for a model of an earlier version, which did not keep them."""
        return getattr(self, "row_names_", RowNames())

    def _beside(self, row: dict[str, Any], stored: Any, places: Sequence[int]) -> list[Section]:
        """The values of stored rows, as the mathematics sees them, beside the row's; nothing for distances alone.

        Parameters
        ----------
        row : the row in question, by column
        stored : (m, D) some of the rows kept, dense or sparse
        places : (m,) their places among the training rows
        """
        names = [self._cases(int(i)) for i in places]
        return values_beside(self.schema_, getattr(self, "design_", None), row, stored, names)


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
