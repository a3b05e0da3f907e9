"""Curves that are trained: a measure over the number of rows that teach, and over what makes a learner flexible.

Both refit on splits of the comparison's first repetition, so no tested row has taught.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from assay.evaluate import Comparison, Metric
from assay.evaluate.design import Split
from assay.evaluate.fold import Cell, Task, run_cell
from assay.evaluate.metrics import Outcome

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
    """A measure over the number of training rows, or over a parameter (``over``), with the value ``used``."""

    over: str
    metric: str
    points: list[CurvePoint]
    folds: int
    used: float | None = None


def learning_curve(result: Comparison, name: str, metric: Metric, folds: list[Split]) -> TrainedCurve | None:
    """The measure at growing shares of the training rows; None where there are too few rows for two points."""
    assert result.source is not None
    candidate, points = result.candidates[name], []
    for share in SHARES:
        parts = [s._replace(train=_share(s.train, result.source.codes, share)) for s in folds]
        if len(parts[0].train) < 2 * len(result.classes):
            continue
        cells = [_measured(result, candidate, metric, part) for part in parts]
        points.append(_point(float(np.mean([len(p.train) for p in parts])), cells))
    known = [p for p in points if p is not None]
    return TrainedCurve("training rows", metric.name, known, len(folds)) if len(known) > 1 else None


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
    result: Comparison, name: str, metric: Metric, folds: list[Split]
) -> TrainedCurve | None:
    """The measure over the learner's complexity; None for a learner without such a parameter."""
    key, values = complexity_grid(result, name)
    candidate, points = result.candidates[name], []
    for value in values:
        changed = replace(candidate, estimator=clone(candidate.estimator).set_params(**{key: value}))
        points.append(_point(float(value), [_measured(result, changed, metric, s) for s in folds]))
    known = [p for p in points if p is not None]
    if len(known) < 2:
        return None
    used = candidate.estimator.get_params()[key]
    used = float(used) if isinstance(used, (int, float)) and not isinstance(used, bool) else None
    return TrainedCurve(key.split("__")[-1], metric.name, known, len(folds), used)


def _measured(result: Comparison, candidate: Any, metric: Metric, split: Split) -> Cell:
    both = split._replace(test=np.concatenate([split.test, split.train]))
    assert result.source is not None
    return run_cell(
        candidate, result.source.fold(both), _task(metric, len(split.test), result.settings["seed"])
    )


def _task(metric: Metric, cut: int, seed: int) -> Task:
    """Measure the first rows (tested) and the others (they taught) apart."""

    def part(seen: Outcome, rows: slice) -> float:
        posterior = None if seen.posterior is None else seen.posterior[rows]
        return float(metric.of(Outcome(seen.truth[rows], seen.answer[rows], posterior, seen.K)))

    pair = [
        replace(metric, name="tested", of=lambda seen: part(seen, slice(0, cut))),
        replace(metric, name="taught", of=lambda seen: part(seen, slice(cut, None))),
    ]
    return Task(pair, None, None, seed, probabilities=False)


def _point(at: float, cells: list[Cell]) -> CurvePoint | None:
    kept = [c for c in cells if not c.failure and np.isfinite(c.values["tested"])]
    if not kept:
        return None
    tested = np.array([c.values["tested"] for c in kept])
    taught = np.array([c.values["taught"] for c in kept])
    return CurvePoint(
        at, float(tested.mean()), float(taught.mean()), float(tested.min()), float(tested.max())
    )


def _share(train: np.ndarray, codes: np.ndarray, share: float) -> np.ndarray:
    """A share of the rows with each class in proportion; a larger share holds the smaller ones."""
    order = np.random.default_rng(0).permutation(len(train))
    own = codes[train[order]]
    place = np.empty(len(train))
    for k in np.unique(own):
        mine = np.flatnonzero(own == k)
        place[mine] = np.arange(len(mine)) / len(mine)
    return np.sort(train[order[place < share]])
