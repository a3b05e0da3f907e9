"""Which learners suit a table when nobody named any."""

from __future__ import annotations

from assay.learners import Entry, learners
from assay.tables import Table

__all__ = ["not_tried", "suitable", "why_not_tried"]

ON_REQUEST = "on request"


def suitable(table: Table, kind: str = "classifier") -> list[Entry]:
    """The learners of a kind that are tried on a table when nobody named any."""
    return [entry for entry in learners(kind).values() if not why_not_tried(entry, table)]


def why_not_tried(entry: Entry, table: Table) -> str:
    """Why a learner is tried on a table only if it is named; "" for one that is tried.

    >>> from assay.evaluate.learners import why_not_tried
    >>> from assay.learners import find_learner
    >>> from assay.tables import Table
    >>> why_not_tried(find_learner("lda"), Table.of({"taste": ["sweet", "sour"]}))
    'it needs numeric columns'
    """
    coded = table.schema.coded
    if entry.suits == ON_REQUEST:
        return ON_REQUEST
    if entry.suits == "numeric" and coded.all():
        return "it needs numeric columns"
    if entry.suits == "all numeric" and coded.any():
        return "it needs numeric columns alone"
    if entry.most_rows is not None and len(table) > entry.most_rows:
        return f"it is slow on more than {entry.most_rows:,} rows"
    if entry.most_columns is not None and _expanded_columns(table) > entry.most_columns:
        return f"it does not suit more than {entry.most_columns} columns"
    return ""


def _expanded_columns(table: Table) -> int:
    """Columns, with one for each category."""
    return sum(len(column.categories) if column.coded else 1 for column in table.schema)


def not_tried(table: Table, kind: str = "classifier") -> str:
    """The sentence about the learners that are tried only if named, and why.

    >>> from assay.evaluate.learners import not_tried
    >>> from assay.tables import Table
    >>> not_tried(Table.of([[1.0], [2.0]]))
    'Not tried unless named: ... more that are tried on request alone; assay learners lists them.'
    """
    reasons = {entry.name: why_not_tried(entry, table) for entry in learners(kind).values()}
    by_reason: dict[str, list[str]] = {}
    for name, why in reasons.items():
        if why and why != ON_REQUEST:
            by_reason.setdefault(why, []).append(name)
    parts = [f"{', '.join(names)} ({why})" for why, names in by_reason.items()]
    asked = sum(why == ON_REQUEST for why in reasons.values())
    parts += [f"{asked} more that are tried on request alone; assay learners lists them"] if asked else []
    return f"Not tried unless named: {', '.join(parts)}." if parts else ""
