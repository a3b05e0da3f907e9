"""Recursive elimination: fit, drop the weakest columns, fit again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.parallel import end_if_abandoned
from assay.select.embedded.column_fits import ColumnFits

__all__ = ["EliminationPath", "eliminate"]


@dataclass(frozen=True)
class EliminationPath:
    """What an elimination did, from all columns to the fewest.

    Attributes
    ----------
    support : (d,) bool, the columns left      ranking : (d,) 1 for these, 2 for the last that went, and so on
    model : fitted to the columns left
    sizes : list of how many columns each model had
    supports, rankings : (models, d) as they were when it was fitted
    scores : list of what ``score`` said of each; empty without it
    """

    support: np.ndarray
    ranking: np.ndarray
    model: Any
    sizes: list[int]
    supports: np.ndarray
    rankings: np.ndarray
    scores: list[float]


def eliminate(
    fits: ColumnFits,
    importances: Callable[[Any], np.ndarray],
    keep: int,
    step: int,
    score: Callable[[Any, np.ndarray], float] | None = None,
    tell: Callable[[int], None] | None = None,
) -> EliminationPath:
    """Drop ``step`` columns of the least importance at a time (the first of equals), until ``keep`` are left.

    Parameters
    ----------
    fits : the estimator and its rows
    importances : of a fitted model, one number for each of its columns, not negative
    score : of a model and the numbers of its columns
    tell : called with the number of columns before each fit that judges them
    """
    d = fits.d
    support, ranking = np.ones(d, bool), np.ones(d, np.int64)
    sizes: list[int] = []
    supports: list[np.ndarray] = []
    rankings: list[np.ndarray] = []
    scores: list[float] = []
    before: tuple[Any, np.ndarray] | None = None
    while True:
        end_if_abandoned()
        columns = np.flatnonzero(support)
        last = len(columns) <= keep
        if tell is not None and not last:
            tell(len(columns))
        model = fits.fit(columns, None if last and score is None else before)
        sizes.append(len(columns))
        supports.append(support.copy())
        rankings.append(ranking.copy())
        if score is not None:
            scores.append(score(model, columns))
        if last:
            return EliminationPath(
                support, ranking, model, sizes, np.array(supports), np.array(rankings), scores
            )
        weakest = np.argsort(importances(model), kind="stable")[: min(step, len(columns) - keep)]
        support[columns[weakest]] = False
        ranking[~support] += 1
        before = model, columns
