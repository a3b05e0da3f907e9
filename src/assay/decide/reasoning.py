"""Explanations of a classifier around another: the inner reasoning first, then what is added to it."""

from __future__ import annotations

from assay.core.explanations import Explanations, RowValues
from assay.tables import RowNames, Table
from assay.types import Estimator, TableLike

__all__ = ["inner_reasoning"]


def inner_reasoning(model: Estimator, X: TableLike, n: int, asked: bool = True) -> Explanations:
    """What a fitted classifier says about each of n rows; just the rows if it cannot explain or is not asked to."""
    if asked and hasattr(model, "_explain_table"):
        reasoning: Explanations = model._explain_table(X)
        return reasoning
    rows = RowValues(X if isinstance(X, Table) else Table.of(X, who=type(model).__name__))
    return Explanations(type(model).__name__, [None] * n, rows, names=RowNames.of(X))
