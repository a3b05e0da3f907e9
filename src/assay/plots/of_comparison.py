"""Out-of-fold predictions of a comparison, as true labels and scores of one class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.core.words import quoted
from assay.errors import DataError, ParameterError
from assay.evaluate.candidates import known_as
from assay.evaluate.fold_curves import fold_estimate, mean_curve
from assay.metrics.estimate import Estimate
from assay.plots._checks import both_classes
from assay.types import Label

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = ["OverFolds", "Scored", "chosen_learners", "over_folds", "positive_class", "row_weights", "scored"]


class Scored(NamedTuple):
    """Of one learner, for every test row: whether it is of the class, and its predicted probability."""

    learner: str
    truth: np.ndarray  # (n,) bool
    score: np.ndarray  # (n,)
    weight: np.ndarray | None = None  # (n,), if the comparison has weights


def positive_class(comparison: Comparison, positive: Label, who: str) -> int:
    """The code of the class that counts as positive; of two classes the second, as in scikit-learn."""
    classes = list(comparison.classes)
    if positive is None:
        if len(classes) == 2:
            return 1
        raise ParameterError(
            f"{who}: there are {len(classes)} classes; name the one that counts as positive: "
            f"positive={quoted(classes[0])}. Classes: {', '.join(quoted(c) for c in classes[:10])}."
        )
    for k, label in enumerate(classes):
        if label == positive or str(label) == str(positive):
            return k
    raise ParameterError(
        f"{who}: there is no class {positive!r}. Classes: {', '.join(quoted(c) for c in classes[:10])}."
    )


def chosen_learners(comparison: Comparison, learners: Sequence[str] | str | None, who: str) -> list[str]:
    """The requested learners, or all that finished; best first."""
    order = [s.learner for s in comparison.ranking() if not s.failure]
    if learners is None:
        if not order:
            raise DataError(f"{who}: no learner of the comparison finished. See its failures.")
        return order
    asked = [learners] if isinstance(learners, str) else list(learners)
    requested = [known_as(name, order, comparison.task) or name for name in asked]
    for name in requested:
        if name not in order:
            raise ParameterError(f"{who}: {name!r} is not among the finished learners: {', '.join(order)}.")
    if not requested:
        raise ParameterError(f"{who}: no learner was asked for. There are: {', '.join(order)}.")
    return requested


def row_weights(comparison: Comparison, rows: np.ndarray) -> np.ndarray | None:
    """(n,) weights of these rows; None without weights."""
    if not comparison.weights:
        return None
    weight = np.zeros(comparison.data.rows)
    for test, w in zip(comparison.tests, comparison.weights):
        weight[test] = w
    return weight[rows]


class OverFolds(NamedTuple):
    """Of one learner: the mean curve over the folds, and its number as the table of the comparison has it."""

    learner: str
    curve: Any
    estimate: Estimate


def over_folds(
    kind: Any, comparison: Comparison, learners: Sequence[str] | str | None, positive: Label, who: str
) -> tuple[Any, list[OverFolds]]:
    """The label of the positive class, and of each learner its mean curve of that kind.

    Folds are averaged, not pooled: their models need not share a scale of scores.
    """
    label, rows = scored(comparison, learners, positive, who)
    k = positive_class(comparison, positive, who)
    for row in rows:
        both_classes(row.truth, who)
    curves = []
    for row in rows:
        curve = mean_curve(kind, comparison, row.learner, k)
        if curve is None:
            raise DataError(
                f"{who}: no split tests rows of {label!r} and of other classes, so there is no curve."
            )
        curves.append(OverFolds(row.learner, curve, fold_estimate(comparison, row.learner, kind, k)))
    return label, curves


def scored(
    comparison: Comparison, learners: Sequence[str] | str | None, positive: Label, who: str
) -> tuple[Any, list[Scored]]:
    """The label of the positive class, and of each learner the true labels and scores of test rows.

    Learners without probabilities are left out unless they were named.
    """
    k = positive_class(comparison, positive, who)
    by_learner = []
    for name in chosen_learners(comparison, learners, who):
        rows = comparison.out_of_fold(name)
        if rows.posterior is not None:
            weight = row_weights(comparison, rows.rows)
            by_learner.append(Scored(name, rows.truth == k, rows.posterior[:, k], weight))
        elif learners is not None:
            raise DataError(f"{who}: {name} gave no probabilities, so its rows cannot be ranked.")
    if not by_learner:
        raise DataError(
            f"{who}: the comparison keeps no probabilities. Run compare(..., probabilities=True) with "
            "learners that have predict_proba."
        )
    return comparison.classes[k], by_learner
