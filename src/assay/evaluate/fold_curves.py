"""Curves and areas of a comparison, fold by fold: models of different folds need not share a scale of scores.

A learner that gives every row of a fold the same probability ranks nothing, and has the area 0.5 in every fold; put
together, the folds would seem ranked by their different shares of the classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.metrics.estimate import Estimate
from assay.metrics.forms import OfScores
from assay.metrics.gains import GainCurve
from assay.metrics.measure import measure_named
from assay.metrics.outcome import Outcome
from assay.metrics.precision_recall import PrecisionRecallCurve
from assay.metrics.roc import RocCurve

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = ["POSITIVE", "FoldScores", "fold_estimate", "fold_scores", "mean_curve"]

POSITIVE = 1  # of two classes the second counts as positive, as in the metrics of the table


class FoldScores(NamedTuple):
    """Of the test rows of one split: whether each is of the class, its probability, and what it weighs."""

    split: int
    truth: np.ndarray  # (n,) bool
    score: np.ndarray  # (n,)
    weight: np.ndarray | None


def fold_scores(result: Comparison, learner: str, k: int) -> list[FoldScores]:
    """The splits whose probabilities were kept and that test rows of class k and of others.

    Where each row is tested alone, no split ranks anything; then all rows together are taken for one split.
    """
    scores = [
        FoldScores(j, outcome.truth == k, np.asarray(outcome.posterior)[:, k], outcome.weight)
        for j, outcome in _outcomes(result, learner).items()
    ]
    return [f for f in scores if len(np.unique(_counted(f))) == 2]


def _counted(fold: FoldScores) -> np.ndarray:
    return fold.truth if fold.weight is None else fold.truth[fold.weight > 0]


def mean_curve(kind: Any, result: Comparison, learner: str, k: int) -> Any:
    """The mean over the folds of a RocCurve, PrecisionRecallCurve or GainCurve of class k; None without any.

    >>> from assay import compare
    >>> from assay.evaluate.fold_curves import mean_curve
    >>> from assay.metrics import RocCurve
    >>> from assay.tables.data import load_dataset
    >>> result = compare(["majority"], load_dataset("german_credit"), design="10-fold", metrics=["auc"])
    >>> mean_curve(RocCurve, result, "majority", k=1).area == result.ranking()[0].mean == 0.5
    True
    """
    folds = fold_scores(result, learner, k)
    curves = [kind.of(f.truth, f.score, pos_label=True, sample_weight=f.weight) for f in folds]
    return kind.mean(curves) if curves else None


_MEASURED = {RocCurve: "auc", PrecisionRecallCurve: "average precision", GainCurve: "lift"}


def fold_estimate(result: Comparison, learner: str, metric: Any, k: int | None = None) -> Estimate:
    """A metric as a mean over the splits, with the interval that the table would have.

    If the comparison measured it, it is the number of the table, over all splits; else it is over the splits whose
    probabilities were kept, those of the first repetition, by the same function.

    Parameters
    ----------
    metric : the name of a measure that needs probabilities, or the kind of a curve, whose area is meant
    k : the class against all others; None for the metric of all classes, as the table has it

    Examples
    --------
    >>> from assay import compare
    >>> from assay.evaluate.fold_curves import fold_estimate
    >>> from assay.tables.data import load_dataset
    >>> result = compare(["naive bayes"], load_dataset("german_credit"), design="10-fold", metrics=["error", "auc"])
    >>> fold_estimate(result, "naive bayes", "auc").value == result.ranking("auc")[0].mean
    True
    """
    name = metric if isinstance(metric, str) else _MEASURED[metric]
    m, classes = measure_named(name), list(result.classes)
    positive = m.of.positive(classes) if isinstance(m.of, OfScores) else POSITIVE
    whole = k is None or (len(classes) == 2 and k == positive)
    if whole and name in {measured.name for measured in result.metrics}:
        low, high = result.interval(learner, name)
        mean = next(s.mean for s in result.ranking(name) if s.learner == learner)
        return Estimate(mean, low, high, f"mean of {len(result.places)} splits", result.alpha)
    values = np.full(len(result.places), np.nan)
    if whole:
        outcomes = _outcomes(result, learner)
    else:
        outcomes = {f.split: _two_classes(f) for f in fold_scores(result, learner, k or 0)}
    for j, outcome in outcomes.items():
        values[j] = m.of(outcome)
    known = values[np.isfinite(values)]
    if not len(known):
        return Estimate(np.nan, alpha=result.alpha, why="no split tests rows of the class and of others")
    if len(outcomes) == 1:
        return m.estimate(next(iter(outcomes.values())), alpha=result.alpha, resamples=500)
    low, high = np.clip(result._over_splits(values), *m.bounds)
    return Estimate(
        float(known.mean()), float(low), float(high), f"mean of {len(known)} splits", result.alpha
    )


def _outcomes(result: Comparison, learner: str) -> dict[int, Outcome]:
    """What the learner said on the splits whose probabilities were kept; rows tested alone are one split."""
    K, kept, labels = len(result.classes), {}, np.asarray(result.classes)
    for j, cell in enumerate(result.cells[learner]):
        if cell.posterior is not None and cell.answer is not None:
            weight = result.weights[j] if result.weights else None
            answer = np.asarray(cell.answer, dtype=np.int64)
            kept[j] = Outcome(
                result.truths[j], answer, np.asarray(cell.posterior), K, weight=weight, labels=labels
            )
    if not result._tested_alone or not kept:
        return kept
    parts = list(kept.values())
    weight = np.concatenate([p.weight for p in parts]) if result.weights else None
    truth, answer, posterior = (
        np.concatenate([getattr(p, v) for p in parts]) for v in ("truth", "answer", "posterior")
    )
    return {0: Outcome(truth, answer, posterior, K, weight=weight, labels=labels)}


def _two_classes(fold: FoldScores) -> Outcome:
    """The rows of a split as those of two classes: the one asked for, and all others."""
    truth = fold.truth.astype(np.int64)
    answer = (fold.score > 0.5).astype(np.int64)
    posterior = np.column_stack([1 - fold.score, fold.score])
    return Outcome(truth, answer, posterior, 2, weight=fold.weight)
