"""Curves that are trained: a measure over the number of training rows, and over what makes a learner flexible.

Both refit on some splits of the comparison, so no tested row has taught. What these splits show is the difference from
the learner as it was compared, on the same splits; added to its mean over all splits, it gives curves that go through
the number of the ranking.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from assay.errors import DataError
from assay.evaluate import Comparison
from assay.evaluate.curves import both_sides, nested_order
from assay.evaluate.design import Split
from assay.metrics.measure import Measure

__all__ = ["SHARES", "CurvePoint", "TrainedCurve", "complexity_curve", "complexity_grid", "learning_curve"]

SHARES = (0.1, 0.2, 0.35, 0.6, 1.0)  # of the training rows
# What makes a learner more or less flexible, and values worth trying, from stiff to flexible.
COMPLEXITY: dict[str, tuple[Any, ...]] = {
    "n_neighbors": (101, 51, 25, 15, 9, 5, 3, 1),
    "C": (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0),
    "max_depth": (1, 2, 3, 4, 6, 9, 14),
}


@dataclass(frozen=True)
class CurvePoint:
    """One place on a curve: the measure on tested rows and on the rows that taught, averaged over splits."""

    at: float
    tested: float
    taught: float
    low: float
    high: float


@dataclass(frozen=True)
class TrainedCurve:
    """A measure over the number of training rows, or over a parameter (``over``), with the value ``used``.

    Attributes
    ----------
    folds : on how many splits learners were fitted again
    anchored : whether the curve goes through the number of the ranking; else it is the mean of these splits alone
    """

    over: str
    metric: str
    points: list[CurvePoint]
    folds: int
    used: float | None = None
    anchored: bool = False


def learning_curve(result: Comparison, name: str, metric: Measure, folds: list[Split]) -> TrainedCurve | None:
    """The measure at growing shares of the training rows; None where there are too few rows for two points."""
    assert result.source is not None
    candidate, points = result.candidates[name], []
    data, seed = result.source, result.settings["seed"]
    orders = [
        nested_order(s, data, result.design, np.random.default_rng([seed, j])) for j, s in enumerate(folds)
    ]
    for share in SHARES:
        sizes = [round(share * len(order)) for order in orders]
        if sizes[0] < 2 * len(result.classes):
            continue
        parts = [s._replace(train=np.sort(o[:n])) for s, o, n in zip(folds, orders, sizes)]
        points.append(_point(result, float(np.mean(sizes)), candidate, metric, parts))
    known = [p for p in points if p is not None]
    if len(known) < 2:
        return None
    return TrainedCurve("training rows", metric.name, known, len(folds), anchored=_anchored(result, metric))


def complexity_grid(result: Comparison, name: str) -> tuple[str, list[Any]]:
    """The parameter that makes a learner flexible, and the values to try; ("", []) where there is none."""
    estimator = result.candidates[name].estimator
    known = estimator.get_params() if hasattr(estimator, "get_params") else {}
    for word, values in COMPLEXITY.items():
        for key in sorted(known, key=len):
            if key.split("__")[-1] == word:
                n = min((p[2] for p in result.places), default=0)
                return key, [v for v in values if word != "n_neighbors" or v <= n // 2]
    return "", []


def complexity_curve(
    result: Comparison, name: str, metric: Measure, folds: list[Split]
) -> TrainedCurve | None:
    """The measure over the learner's complexity; None for a learner without such a parameter."""
    key, values = complexity_grid(result, name)
    candidate, points = result.candidates[name], []
    for value in values:
        changed = replace(candidate, estimator=clone(candidate.estimator).set_params(**{key: value}))
        points.append(_point(result, float(value), changed, metric, folds))
    known = [p for p in points if p is not None]
    if len(known) < 2:
        return None
    used = candidate.estimator.get_params()[key]
    used = float(used) if isinstance(used, (int, float)) and not isinstance(used, bool) else None
    anchored = _anchored(result, metric)
    return TrainedCurve(key.split("__")[-1], metric.name, known, len(folds), used, anchored)


def _point(
    result: Comparison, at: float, candidate: Any, metric: Measure, splits: list[Split]
) -> CurvePoint | None:
    """Fit on each split; a split on which the learner fails is left out, None if all are.

    The mean of the ranking plus the mean difference from the learner as it was compared, on the same splits; its
    interval, with the smallest and the largest difference. For a metric that was not compared, the mean of the splits.
    """
    assert result.source is not None
    anchored = _anchored(result, metric)
    compared = dict(zip(result.places, result.values(candidate.name, metric.name))) if anchored else {}
    by_place = {place[:2]: value for place, value in compared.items()}
    sides = []
    for split in splits:
        try:
            taught, tested = both_sides(candidate, result.source, split, metric, result.settings["seed"])
        except DataError:
            continue
        base = float(by_place.get((split.repetition, split.fold), np.nan)) if anchored else 0.0
        sides.append((taught, tested - base))
    known = np.array([side for side in sides if np.isfinite(side[1])])
    if not len(known):
        return None
    taught, gap = known.T
    if not anchored:
        return CurvePoint(at, float(gap.mean()), float(taught.mean()), float(gap.min()), float(gap.max()))
    s = next(s for s in result.ranking(metric.name) if s.learner == candidate.name)
    low, high = np.nan_to_num([s.low, s.high], nan=s.mean)
    ends = (s.mean + gap.mean(), low + gap.min(), high + gap.max())
    tested, low, high = np.clip(ends, *metric.bounds)
    return CurvePoint(at, float(tested), float(taught.mean()), float(low), float(high))


def _anchored(result: Comparison, metric: Measure) -> bool:
    """Whether the metric was compared, so that there is a number to go through."""
    return metric.name in {m.name for m in result.metrics}
