"""Panels of curves: ROC, precision and recall, gain, calibration; of all learners, and of one by class.

Curves are means over the folds, and their numbers those of the table: see ``assay.evaluate.fold_curves``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from assay.evaluate import Comparison, OutOfFold
from assay.evaluate.fold_curves import POSITIVE, fold_estimate, mean_curve
from assay.metrics.axis_labels import (
    FALSE_POSITIVE_RATE,
    GAIN,
    OBSERVED,
    PRECISION,
    PREDICTED,
    RECALL,
    RIGHT,
    ROWS_TAKEN,
    TRUE_POSITIVE_RATE,
)
from assay.metrics.calibration import ReliabilityCurve
from assay.metrics.estimate import Estimate
from assay.metrics.gains import GainCurve
from assay.metrics.precision_recall import PrecisionRecallCurve
from assay.metrics.roc import RocCurve
from assay.plots.scale import Scale
from assay.report.charts import Line, chart
from assay.stats.significance.test_result import shown_confidence

__all__ = ["learner_panels", "overview", "positive_class"]

MAX_LINES = 8  # in one panel: there are as many colours
MAX_PANELS = 6  # classes with a ROC panel of their own
BINS = 10  # of the reliability curve
IDEAL = Line([0, 1], [0, 1], "ideal")


class CurveOf(NamedTuple):
    """One line of a panel: its name, its learner and the index of its class."""

    name: str
    learner: str
    k: int


def overview(result: Comparison, answers: dict[str, OutOfFold]) -> dict[str, Any] | None:
    """The learners side by side, best first: of two classes four panels, of more a ROC panel for each class."""
    with_probabilities = {name: a for name, a in answers.items() if a.posterior is not None}
    drawn = dict(list(with_probabilities.items())[:MAX_LINES])
    K = len(result.classes)
    if not drawn or K < 2:
        return None
    labels = [str(c) for c in result.classes]
    if K == 2:
        lines = [CurveOf(name, name, POSITIVE) for name in drawn]
        positive, negative = labels[POSITIVE], labels[1 - POSITIVE]
        panels = [
            _roc(result, lines, f"ROC, {positive} against {negative}"),
            _precision(result, lines, f"Precision and recall of {positive}"),
            _gain(result, lines, f"Gain: share of {positive} found"),
            _reliability(result, drawn, f"Calibration of P({positive})"),
        ]
    else:
        classes = [k for k in range(K) if np.sum(next(iter(drawn.values())).truth == k) > 0][:MAX_PANELS]
        panels = [
            _roc(result, [CurveOf(name, name, k) for name in drawn], f"ROC, {labels[k]} against the rest")
            for k in classes
        ]
        panels.append(_reliability(result, drawn, "Calibration of the predicted class"))
    return {
        "panels": [p for p in panels if p],
        "hidden": len(with_probabilities) - len(drawn),
        "hidden_classes": max(0, K - MAX_PANELS) if K > 2 else 0,
        "splits": _splits(result),
    }


def _splits(result: Comparison) -> str:
    """Which splits the curves are means of."""
    first = sum(place[0] == result.places[0][0] for place in result.places)
    if first == 1:
        return (
            "on the test rows of the only split"
            if len(result.places) == 1
            else "on the test rows of one split"
        )
    if result.tests and all(len(t) == 1 for t in result.tests):
        return "on test sets of one row each"
    return (
        f"the mean over the {first} folds of the first repetition"
        if first < len(result.places)
        else (f"the mean over {first} splits")
    )


def positive_class(truth: np.ndarray) -> int:
    """The positive class of two: the rarer one; of equal ones the second.

    >>> import numpy as np
    >>> from assay.report.curves import positive_class
    >>> positive_class(np.array([0, 1, 1])), positive_class(np.array([0, 1]))
    (0, 1)
    """
    return int(np.sum(truth == 1) <= np.sum(truth == 0))


def learner_panels(result: Comparison, learner: str, answer: OutOfFold) -> list[dict[str, Any]]:
    """One learner: ROC and precision-recall curves of each class, calibration with its histogram."""
    if answer.posterior is None or len(result.classes) < 2:
        return []
    labels = [str(c) for c in result.classes]
    K = len(labels)
    counts = np.bincount(answer.truth, minlength=K)
    classes = [POSITIVE] if K == 2 else np.argsort(-counts, kind="stable")[:MAX_LINES].tolist()
    lines = [CurveOf(labels[k], learner, k) for k in classes]
    largest_only = f", the {len(classes)} largest classes" if 2 < len(classes) < K else ""
    name = f"Calibration of P({labels[POSITIVE]})" if K == 2 else "Calibration of the predicted class"
    panels = [
        _roc(result, lines, f"ROC{largest_only}", hull=K == 2),
        _precision(result, lines, f"Precision and recall{largest_only}"),
        _reliability(result, {learner: answer}, name, histogram=True),
    ]
    return [p for p in panels if p]


def _panel(
    title: str,
    lines: Sequence[Line],
    x: str,
    y: str,
    legend: list[tuple[str, str, str, str]],
    measure: str,
    **options: Any,
) -> dict[str, Any]:
    """A drawing with its legend: (colour, name, number, interval) of each line."""
    description = title + ": " + "; ".join(f"{name} {value}" for _, name, value, _ in legend)
    plot = chart(lines, Scale.unit(), Scale.unit(), x, y, description, **options)
    return {"title": title, "plot": plot, "legend": legend, "measure": measure}


def _curves(kind: Any, result: Comparison, lines: list[CurveOf]) -> list[tuple[str, str, Any, Estimate]]:
    """Colour, name, mean curve and its number of each line that has one."""
    curves = []
    for i, (name, learner, k) in enumerate(lines):
        curve = mean_curve(kind, result, learner, k)
        if curve is not None:
            curves.append((f"k{i % MAX_LINES}", name, curve, fold_estimate(result, learner, kind, k)))
    return curves


def _roc(result: Comparison, lines: list[CurveOf], title: str, hull: bool = False) -> dict[str, Any] | None:
    drawn, legend = [], []
    for colour, name, curve, area in _curves(RocCurve, result, lines):
        drawn.append(Line(curve.fpr, curve.tpr, colour, f"{name}: area {area.value:.4f}"))
        if hull:
            drawn.append(Line(curve.hull.fpr, curve.hull.tpr, "ideal", "convex hull"))
        legend.append((colour, name, *value_and_interval(area)))
    if not legend:
        return None
    measure = f"area (auc), with its {shown_confidence(result.alpha)} interval"
    measure += "; dashed: convex hull" if hull else ""
    return _panel(title, [IDEAL, *drawn[::-1]], FALSE_POSITIVE_RATE, TRUE_POSITIVE_RATE, legend, measure)


def value_and_interval(estimate: Estimate, digits: int = 4) -> tuple[str, str]:
    """The number as the tables have it, and its interval; nothing where there is none.

    >>> from assay.metrics.estimate import Estimate
    >>> from assay.report.curves import value_and_interval
    >>> value_and_interval(Estimate(0.25, 0.125, 0.5), digits=3)
    ('0.250', '0.125 – 0.500')
    """
    if np.isnan(estimate.value):
        return "none", ""
    interval = "" if np.isnan(estimate.low) else f"{estimate.low:.{digits}f} – {estimate.high:.{digits}f}"
    return f"{estimate.value:.{digits}f}", interval


def _precision(result: Comparison, lines: list[CurveOf], title: str) -> dict[str, Any] | None:
    drawn, legend, chance = [], [], set()
    for colour, name, curve, area in _curves(PrecisionRecallCurve, result, lines):
        # the last point, recall 0 with precision 1, belongs to no threshold
        label = f"{name}: average precision {area.value:.4f}"
        drawn.append(Line(curve.recall[:-1], curve.precision[:-1], colour, label))
        legend.append((colour, name, *value_and_interval(area)))
        chance.add(curve.prevalence)
    if not legend:
        return None
    if len(chance) == 1:
        drawn.append(Line([0, 1], [*chance, *chance], "ideal", "random predictions"))
    measure = f"average precision, with its {shown_confidence(result.alpha)} interval"
    return _panel(title, drawn[::-1], RECALL, PRECISION, legend, measure)


def _gain(result: Comparison, lines: list[CurveOf], title: str) -> dict[str, Any] | None:
    drawn, legend = [], []
    for colour, name, curve, lift in _curves(GainCurve, result, lines):
        label = f"{name}: {lift.value:.4f} times chance in the first tenth"
        drawn.append(Line(curve.share, curve.gain, colour, label))
        legend.append((colour, name, *value_and_interval(lift)))
    if not legend:
        return None
    measure = f"lift in the first tenth, with its {shown_confidence(result.alpha)} interval"
    return _panel(title, [IDEAL, *drawn[::-1]], ROWS_TAKEN, GAIN, legend, measure)


def _reliability(
    result: Comparison, answers: dict[str, OutOfFold], title: str, histogram: bool = False
) -> dict[str, Any]:
    """Several learners: isotonic curves. One learner: bins with their intervals, over a histogram.

    Probabilities share a scale over the folds, so the rows are pooled; the number is that of the metric ece.
    """
    lines, legend, bars = [], [], []
    for i, (name, answer) in enumerate(answers.items()):
        truth, score = _target_and_probability(answer, len(result.classes))
        outcome, colour = truth.astype(int), f"k{i % MAX_LINES}"
        bins = ReliabilityCurve.of(outcome, score, method="uniform", bins=BINS, pos_label=1)
        error = fold_estimate(result, name, "ece")
        label = f"{name}: calibration error {error.value:.4f}"
        if histogram:
            lines.append(Line(bins.predicted, bins.observed, colour, label, bins.low, bins.high, dots=True))
            count = np.histogram(score, BINS, (0.0, 1.0))[0]
            bars = [(b / BINS, (b + 1) / BINS, 0.3 * n / count.max()) for b, n in enumerate(count) if n]
        else:
            curve = ReliabilityCurve.of(outcome, score, method="isotonic", pos_label=1)
            lines.append(Line(curve.predicted, curve.observed, colour, label))
        legend.append((colour, name, *value_and_interval(error)))
    measure = f"calibration error (ece), with its {shown_confidence(result.alpha)} interval"
    measure += "; bars: histogram of the probabilities" if histogram else ""
    y_label = OBSERVED if len(result.classes) == 2 else RIGHT
    return _panel(title, [IDEAL, *lines[::-1]], PREDICTED, y_label, legend, measure, bars=bars)


def _target_and_probability(answer: OutOfFold, K: int) -> tuple[np.ndarray, np.ndarray]:
    """Of two classes, whether the row is of the second, and its probability; of more, those of the predicted class."""
    posterior = np.asarray(answer.posterior)
    if K == 2:
        return answer.truth == POSITIVE, posterior[:, POSITIVE]
    best = posterior.argmax(axis=1)
    return best == answer.truth, posterior[np.arange(len(best)), best]
