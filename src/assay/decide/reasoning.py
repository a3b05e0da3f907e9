"""Explanations of a classifier around another: the inner reasoning first, then what is added to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.core.explanation import Explanation, Section
from assay.tables import Table
from assay.tables.rows import take_rows

__all__ = ["add_to", "inner_reasoning"]


def inner_reasoning(model: Any, X: Any, n: int, told: bool = True) -> list[Explanation]:
    """What a fitted classifier says about each of n rows; just the rows if it cannot explain or is not asked to."""
    if told and hasattr(model, "explain"):
        found = model.explain(X)
        return found if isinstance(found, list) else [found]
    return [Explanation(type(model).__name__, None, {}, _row(X, i)) for i in range(n)]


def add_to(
    inner: Sequence[Explanation],
    who: str,
    answers: Sequence[Any],
    posteriors: Sequence[dict[Any, float]],
    added: Sequence[Sequence[Section]],
) -> Explanation | list[Explanation]:
    """Each inner explanation with the outer answer, posterior and sections; one alone if there is one row."""
    found = [
        Explanation(f"{who} of {e.learner}", answer, posterior, e.row, [*e.sections, *sections])
        for e, answer, posterior, sections in zip(inner, answers, posteriors, added)
    ]
    return found[0] if len(found) == 1 else found


def _row(X: Any, i: int) -> dict[str, Any]:
    return X.row(i) if isinstance(X, Table) else Table.of(take_rows(X, [i])).row(0)
