"""Panels of curves: ROC, precision and recall, gain, calibration; of all learners, and of one by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.evaluate import Comparison, OutOfFold
from assay.metrics.calibration import ReliabilityCurve, calibration_error
from assay.metrics.gains import GainCurve
from assay.metrics.precision_recall import PrecisionRecallCurve
from assay.metrics.roc import RocCurve
from assay.report.charts import Line, chart, unit_axis
from assay.stats.test_result import shown_confidence

__all__ = ["learner_panels", "overview", "positive_class"]

MOST_LINES = 8  # in one panel: there are as many colours
MOST_PANELS = 6  # classes with a ROC panel of their own
BINS = 10  # of the reliability curve
IDEAL = Line([0, 1], [0, 1], "ideal")
Rows = dict[str, tuple[np.ndarray, np.ndarray]]  # of each line: whether a row is positive, and its score


def overview(result: Comparison, answers: dict[str, OutOfFold]) -> dict[str, Any] | None:
    """The learners side by side, best first: of two classes four panels, of more a ROC panel for each class."""
    known = {name: a for name, a in answers.items() if a.posterior is not None}
    shown = dict(list(known.items())[:MOST_LINES])
    K = len(result.classes)
    if not shown or K < 2:
        return None
    labels = [str(c) for c in result.classes]
    if K == 2:
        k = positive_class(next(iter(shown.values())).truth)
        two = {name: (a.truth == k, np.asarray(a.posterior)[:, k]) for name, a in shown.items()}
        panels = [
            _roc(two, f"ROC, {labels[k]} against {labels[1 - k]}", result.alpha),
            _precision(two, f"Precision and recall of {labels[k]}"),
            _gain(two, f"Gain: how soon {labels[k]} is found"),
            _reliability(two, f"Calibration of P({labels[k]})"),
        ]
    else:
        classes = [k for k in range(K) if np.sum(next(iter(shown.values())).truth == k) > 0][:MOST_PANELS]
        panels = [
            _roc(
                {name: (a.truth == k, np.asarray(a.posterior)[:, k]) for name, a in shown.items()},
                f"ROC, {labels[k]} against the rest",
                result.alpha,
            )
            for k in classes
        ]
        panels.append(
            _reliability({n: _confidence(a) for n, a in shown.items()}, "Calibration of the answer")
        )
    return {
        "panels": [p for p in panels if p],
        "hidden": len(known) - len(shown),
        "hidden_classes": max(0, K - MOST_PANELS) if K > 2 else 0,
    }


def positive_class(truth: np.ndarray) -> int:
    """Which of two classes is looked for: the rarer one; of equal ones the second.

    >>> import numpy as np
    >>> from assay.report.curves import positive_class
    >>> positive_class(np.array([0, 1, 1])), positive_class(np.array([0, 1]))
    (0, 1)
    """
    return int(np.sum(truth == 1) <= np.sum(truth == 0))


def learner_panels(result: Comparison, answer: OutOfFold) -> list[dict[str, Any]]:
    """One learner: ROC and precision-recall curves of each class, calibration with its histogram."""
    if answer.posterior is None or len(result.classes) < 2:
        return []
    labels, posterior = [str(c) for c in result.classes], np.asarray(answer.posterior)
    K = len(labels)
    counts = np.bincount(answer.truth, minlength=K)
    sought = positive_class(answer.truth)
    classes = [sought] if K == 2 else np.argsort(-counts, kind="stable")[:MOST_LINES].tolist()
    one = {labels[k]: (answer.truth == k, posterior[:, k]) for k in classes}
    few = f", the {len(classes)} largest classes" if 2 < len(classes) < K else ""
    pair = {labels[sought]: one[labels[sought]]} if K == 2 else {"answer": _confidence(answer)}
    name = f"Calibration of P({labels[sought]})" if K == 2 else "Calibration of the answer"
    panels = [
        _roc(one, f"ROC{few}", result.alpha, hull=K == 2),
        _precision(one, f"Precision and recall{few}"),
        _reliability(pair, name, histogram=True),
    ]
    return [p for p in panels if p]


def _confidence(answer: OutOfFold) -> tuple[np.ndarray, np.ndarray]:
    """Whether the most probable class is the true one, and its probability."""
    posterior = np.asarray(answer.posterior)
    best = posterior.argmax(axis=1)
    return best == answer.truth, posterior[np.arange(len(best)), best]


def _panel(
    title: str,
    lines: Sequence[Line],
    x: str,
    y: str,
    legend: list[tuple[str, str, str, str]],
    measure: str,
    **more: Any,
) -> dict[str, Any]:
    """A drawing with its legend: (colour, name, number, interval) of each line."""
    said = title + ": " + "; ".join(f"{name} {value}" for _, name, value, _ in legend)
    plot = chart(lines, unit_axis(), unit_axis(), x, y, said, **more)
    return {"title": title, "plot": plot, "legend": legend, "measure": measure}


def _two_sided(rows: Rows) -> Rows:
    """Those with rows of the class and rows of others, without which there is no curve."""
    return {name: pair for name, pair in rows.items() if pair[0].any() and not pair[0].all()}


def _roc(rows: Rows, title: str, alpha: float, hull: bool = False) -> dict[str, Any] | None:
    rows = _two_sided(rows)
    if not rows:
        return None
    lines, legend = [], []
    for i, (name, (truth, score)) in enumerate(rows.items()):
        curve, kind = RocCurve.of(truth.astype(int), score, pos_label=1), f"k{i % MOST_LINES}"
        area = curve.interval(alpha)
        lines.append(Line(curve.fpr, curve.tpr, kind, f"{name}: area {area.value:.3f}"))
        if hull:
            lines.append(Line(curve.hull.fpr, curve.hull.tpr, "ideal", "convex hull"))
        legend.append((kind, name, f"{area.value:.3f}", _between(area.low, area.high)))
    measure = f"area, with its {shown_confidence(alpha)} interval" + ("; dashed: convex hull" if hull else "")
    return _panel(title, [IDEAL, *lines[::-1]], "false alarms", "found (recall)", legend, measure)


def _between(low: float, high: float) -> str:
    return "" if np.isnan(low) else f"{low:.3f} – {high:.3f}"


def _precision(rows: Rows, title: str) -> dict[str, Any] | None:
    rows = _two_sided(rows)
    if not rows:
        return None
    lines, legend, chance = [], [], set()
    for i, (name, (truth, score)) in enumerate(rows.items()):
        curve, kind = PrecisionRecallCurve.of(truth.astype(int), score, pos_label=1), f"k{i % MOST_LINES}"
        value = f"{curve.average_precision:.3f}"
        # the last point, recall 0 with precision 1, belongs to no threshold
        lines.append(
            Line(curve.recall[:-1], curve.precision[:-1], kind, f"{name}: average precision {value}")
        )
        legend.append((kind, name, value, ""))
        chance.add(curve.prevalence)
    if len(chance) == 1:
        lines.append(Line([0, 1], [*chance, *chance], "ideal", "answers drawn by lot"))
    return _panel(title, lines[::-1], "found (recall)", "precision", legend, "average precision")


def _gain(rows: Rows, title: str) -> dict[str, Any] | None:
    rows = _two_sided(rows)
    if not rows:
        return None
    lines, legend = [], []
    for i, (name, (truth, score)) in enumerate(rows.items()):
        curve, kind = GainCurve.of(truth.astype(int), score, pos_label=1), f"k{i % MOST_LINES}"
        lift = f"{curve.at(0.1) / 0.1:.1f}"
        lines.append(Line(curve.share, curve.gain, kind, f"{name}: {lift} times chance in the first tenth"))
        legend.append((kind, name, lift, ""))
    return _panel(
        title, [IDEAL, *lines[::-1]], "share of rows called", "share found", legend, "lift in the first tenth"
    )


def _reliability(rows: Rows, title: str, histogram: bool = False) -> dict[str, Any]:
    """Several learners: the best curves that never fall. One: bins with their intervals, over a histogram."""
    lines, legend, bars = [], [], []
    for i, (name, (truth, score)) in enumerate(rows.items()):
        outcome, kind = truth.astype(int), f"k{i % MOST_LINES}"
        bins = ReliabilityCurve.of(outcome, score, method="uniform", bins=BINS, pos_label=1)
        error = calibration_error(outcome, score, bins=BINS, labels=[0, 1])
        label = f"{name}: calibration error {error:.3f}"
        if histogram:
            lines.append(Line(bins.predicted, bins.observed, kind, label, bins.low, bins.high, dots=True))
            count = np.histogram(score, BINS, (0.0, 1.0))[0]
            bars = [(b / BINS, (b + 1) / BINS, 0.3 * n / count.max()) for b, n in enumerate(count) if n]
        else:
            curve = ReliabilityCurve.of(outcome, score, method="isotonic", pos_label=1)
            lines.append(Line(curve.predicted, curve.observed, kind, label))
        legend.append((kind, name, f"{error:.3f}", ""))
    measure = f"calibration error, {BINS} bins" + ("; bars: how often" if histogram else "")
    return _panel(
        title, [IDEAL, *lines[::-1]], "probability given", "share that came true", legend, measure, bars=bars
    )
