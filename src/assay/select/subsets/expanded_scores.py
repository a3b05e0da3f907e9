"""Subsets of mixed tables for learners that expand categories: a nominal column is the set of its indicators."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from importlib import import_module
from itertools import chain
from typing import Any

import numpy as np

from assay.core import Learner
from assay.select.subsets.folds import Folds
from assay.select.subsets.subset_scores import Subset, SubsetScores
from assay.tables import Design, Schema, Table

__all__ = ["ExpandedScores", "expanded_scores"]

WHERE = (
    "least_squares",
    "logistic",
)  # scores of design columns; indicators leave discriminants no covariance
COUNTS_COLUMNS = ("adjusted r2",)  # measures that depend on how many columns the table has


class ExpandedScores(SubsetScores):
    """Scores of subsets of the table's columns, from those of subsets of the design's columns.

    Cost: that of a subset of design columns for each candidate with several of them, else that of one column more.
    """

    def __init__(self, inner: SubsetScores, columns: Sequence[Sequence[int]]):
        self.inner, self.columns = inner, [list(some) for some in columns]
        self.d, self.n_folds, self.sign, self.measure = len(columns), inner.n_folds, inner.sign, inner.measure

    def scores(self, subsets: Sequence[Subset]) -> np.ndarray:
        return self.inner.scores([self._design(subset) for subset in subsets])

    def additions(self, base: Subset, candidates: Sequence[int]) -> np.ndarray:
        return self._moves(base, candidates, adding=True)

    def removals(self, base: Subset, candidates: Sequence[int]) -> np.ndarray:
        return self._moves(base, candidates, adding=False)

    def _moves(self, base: Subset, candidates: Sequence[int], adding: bool) -> np.ndarray:
        out = np.empty((len(candidates), self.n_folds))
        alone = [i for i, c in enumerate(candidates) if len(self.columns[c]) == 1]
        others = [i for i, c in enumerate(candidates) if len(self.columns[c]) != 1]
        if alone:
            ask = self.inner.additions if adding else self.inner.removals
            out[alone] = ask(self._design(base), [self.columns[candidates[i]][0] for i in alone])
        if others:
            moved = [
                [*base, candidates[i]] if adding else [j for j in base if j != candidates[i]] for i in others
            ]
            out[others] = self.scores(moved)
        return out

    def _design(self, subset: Subset) -> list[int]:
        return sorted(chain.from_iterable(self.columns[j] for j in subset))


def expanded_scores(estimator: Any, folds: Folds) -> SubsetScores | None:
    """The scores of an estimator of ours that expands nominal columns into indicators, if they need no refitting.

    Examples
    --------
    >>> import pandas as pd
    >>> from assay.linear import Ridge
    >>> from assay.select.subsets.expanded_scores import expanded_scores
    >>> from assay.select.subsets.folds import Folds
    >>> from assay.tables import Table
    >>> frame = pd.DataFrame({"kind": list("abcabc"), "size": [1.0, 2.0, 4.0, 3.0, 5.0, 5.0]})
    >>> folds = Folds.of(Ridge(), Table.of(frame), [1.0, 2.0, 9.0, 3.0, 4.0, 11.0], cv=2, scoring="rmse")
    >>> expanded_scores(Ridge(), folds).columns
    [[0, 1, 2], [3]]
    """
    schema = _common_schema(estimator, folds)
    if schema is None or folds.measure is None or folds.measure.name in COUNTS_COLUMNS:
        return None
    design = Design(schema, bool(estimator.reference_category))
    columns = [np.flatnonzero(design.source == j).tolist() for j in range(len(schema))]
    if not all(columns):
        return None
    ready = copy(folds)
    ready.parts, ready.prepared = (
        [
            part._replace(
                X_train=Table.of(design.expand(part.X_train.values)),
                X_test=Table.of(design.expand(part.X_test.values)),
            )
            for part in folds.parts
        ],
        True,
    )
    for name in WHERE:
        implementation = import_module(f"assay.select.subsets.{name}").Scores
        if implementation.claims(estimator, ready):
            return ExpandedScores(implementation.of(estimator, ready), columns)
    return None


def _common_schema(estimator: Any, folds: Folds) -> Schema | None:
    """The columns of all folds, if some are nominal, none has missing values, and all categories are in all folds."""
    if not isinstance(estimator, Learner) or "nominal" in estimator.takes or not isinstance(folds.X, Table):
        return None
    schema: Schema = folds.parts[0].X_train.schema
    if not any(column.kind == "nominal" for column in schema):
        return None
    for part in folds.parts:
        for table in (part.X_train, part.X_test):
            if not isinstance(table.values, np.ndarray) or not table.complete or table.unseen:
                return None
        if not _same(schema, part.X_train.schema) or not _same(schema, part.X_test.schema):
            return None
    return schema


def _same(a: Schema, b: Schema) -> bool:
    return len(a) == len(b) and all(
        x.kind == y.kind and x.categories == y.categories for x, y in zip(a, b, strict=True)
    )
