"""Selection before the split: columns that were chosen by the classes of rows that are to test.

Selectors say, while the program runs, which tables they were fitted to (by a checksum of the first rows of each column)
and which of the columns they kept; a table of these very columns and rows is recognised when it is compared.
"""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from assay.evaluate.finding import Case, Finding, listed
from assay.tables import Table

__all__ = ["note_fitted", "note_kept", "selected_beforehand"]

ROWS_SUMMED = 1024  # of each column, in its checksum
SELECTIONS_KEPT = 32  # the latest ones that are remembered


@dataclass(frozen=True)
class _Selection:
    """What a selector made of the table that it was fitted to."""

    who: str
    rows: int
    kept: frozenset[int]
    removed: frozenset[int]


_fitted: WeakKeyDictionary[Any, tuple[int, list[int]]] = (
    WeakKeyDictionary()
)  # rows and checksums, by selector
_selections: deque[_Selection] = deque(maxlen=SELECTIONS_KEPT)


def note_fitted(selector: Any, table: Table) -> None:
    """Remember the table that a selector is being fitted to, as long as the selector lives."""
    _fitted[selector] = len(table), _checksums(table)


def note_kept(selector: Any, table: Table, support: np.ndarray) -> None:
    """Remember which columns were kept, if the table is the one that the selector was fitted to."""
    fitted = _fitted.get(selector)
    if fitted is None or fitted[0] != len(table) or support.all():
        return
    sums = _checksums(table)
    if sums == fitted[1]:
        kept = frozenset(c for c, stays in zip(sums, support) if stays)
        removed = frozenset(c for c, stays in zip(sums, support) if not stays) - kept
        _selections.append(_Selection(type(selector).__name__, len(table), kept, removed))


def selected_beforehand(case: Case) -> Iterator[Finding]:
    """A table of the columns that a selector has kept, with the rows that it chose by."""
    if not _selections:
        return
    sums = _checksums(case.table)
    held = set(sums)
    for selection in reversed(_selections):
        if selection.rows != len(case.table) or not selection.kept or not selection.kept <= held:
            continue
        if selection.removed & held or not selection.removed:
            continue
        names = [c.name for c, s in zip(case.table.schema, sums) if s in selection.kept]
        plural, verb = ("", "was") if len(names) == 1 else ("s", "were")
        yield Finding(
            "selected-before-split",
            "warning",
            tuple(names),
            f"column{plural} {listed(names)} {verb} chosen out of {len(selection.kept) + len(selection.removed)} by "
            f"{selection.who} on all {selection.rows} rows, those that are to test among them: errors on them are "
            "too good.",
            "Bring all columns and choose inside each fold: make_pipeline(selector, learner), or nested_selection.",
        )
        return


def _checksums(table: Table) -> list[int]:
    """A number for each column that tells it from others."""
    values = table.values[:ROWS_SUMMED]
    dense = values if isinstance(values, np.ndarray) else values.toarray()
    columns = np.ascontiguousarray(np.asarray(dense, dtype=np.float64).T)
    return [zlib.crc32(column) for column in columns]
