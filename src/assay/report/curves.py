"""Panels of curves: ROC, precision and recall, gain, calibration; of all learners, and of one by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.evaluate import Comparison, wilson_interval
from assay.evaluate.out_of_fold import OutOfFold
from assay.report.charts import Line, chart, unit_axis

__all__ = ["learner_panels", "overview"]

MOST_LINES = 8  # in one panel: there are as many colours
MOST_PANELS = 6  # classes with a ROC panel of their own
BINS = 10  # of the reliability curve
FEWEST = 10  # rows in a bin for a point among several learners' curves
IDEAL = Line([0, 1], [0, 1], "ideal")


def overview(result: Comparison, answers: dict[str, OutOfFold]) -> dict[str, Any] | None:
    """The learners side by side, best first: of two classes four panels, of more a ROC panel for each class."""
    known = {name: a for name, a in answers.items() if a.posterior is not None}
    shown = dict(list(known.items())[:MOST_LINES])
    K = len(result.classes)
    if not shown or K < 2:
        return None
    labels = [str(c) for c in result.classes]
    if K == 2:
        two = {name: (a.truth == 1, np.asarray(a.posterior)[:, 1]) for name, a in shown.items()}
        panels = [
            _roc(two, f"ROC, {labels[1]} against {labels[0]}"),
            _precision(two, f"Precision and recall of {labels[1]}"),
            _gain(two, f"Gain: how soon {labels[1]} is found"),
            _reliability(two, f"Calibration of P({labels[1]})"),
        ]
    else:
        classes = [k for k in range(K) if np.sum(next(iter(shown.values())).truth == k) > 0][:MOST_PANELS]
        panels = [
            _roc(
                {name: (a.truth == k, np.asarray(a.posterior)[:, k]) for name, a in shown.items()},
                f"ROC, {labels[k]} against the rest",
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


def learner_panels(result: Comparison, answer: OutOfFold) -> list[dict[str, Any]]:
    """One learner: ROC and precision-recall curves of each class, calibration with its histogram."""
    if answer.posterior is None or len(result.classes) < 2:
        return []
    labels, posterior = [str(c) for c in result.classes], np.asarray(answer.posterior)
    K = len(labels)
    counts = np.bincount(answer.truth, minlength=K)
    classes = [1] if K == 2 else np.argsort(-counts, kind="stable")[:MOST_LINES].tolist()
    one = {labels[k]: (answer.truth == k, posterior[:, k]) for k in classes}
    few = f", the {len(classes)} largest classes" if 2 < len(classes) < K else ""
    pair = {labels[1]: one[labels[1]]} if K == 2 else {"answer": _confidence(answer)}
    name = f"Calibration of P({labels[1]})" if K == 2 else "Calibration of the answer"
    panels = [
        _roc(one, f"ROC{few}", hull=K == 2),
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
    title: str, lines: Sequence[Line], x: str, y: str, legend: list[tuple[str, str, str]], **more: Any
):  # type: ignore[no-untyped-def]
    said = title + ": " + "; ".join(f"{name} {value}".strip() for _, name, value in legend)
    plot = chart(
        [IDEAL, *lines] if more.pop("ideal", True) else lines, unit_axis(), unit_axis(), x, y, said, **more
    )
    return {"title": title, "plot": plot, "legend": legend}


def _usable(rows: dict[str, tuple[np.ndarray, np.ndarray]]) -> bool:
    truth = next(iter(rows.values()))[0]
    return bool(truth.any() and not truth.all())


def _roc(
    rows: dict[str, tuple[np.ndarray, np.ndarray]], title: str, hull: bool = False
) -> dict[str, Any] | None:
    from sklearn.metrics import auc, roc_curve

    if not _usable(rows):
        return None
    lines, legend = [], []
    for i, (name, (truth, score)) in enumerate(rows.items()):
        x, y, _ = roc_curve(truth, score)
        value = f"{auc(x, y):.3f}"
        lines.append(Line(x, y, f"k{i % 8}", f"{name}: area {value}"))
        legend.append((f"k{i % 8}", name, value))
    return _panel(title, lines[::-1], "false alarms", "found (recall)", legend) | {"measure": "area"}


def _precision(rows: dict[str, tuple[np.ndarray, np.ndarray]], title: str) -> dict[str, Any] | None:
    from sklearn.metrics import average_precision_score, precision_recall_curve

    if not _usable(rows):
        return None
    lines, legend = [], []
    for i, (name, (truth, score)) in enumerate(rows.items()):
        y, x, _ = precision_recall_curve(truth, score)
        y, x = y[:-1], x[:-1]  # the last point, recall 0 and precision 1, belongs to no threshold
        value = f"{average_precision_score(truth, score):.3f}"
        lines.append(Line(x[::-1], y[::-1], f"k{i % 8}", f"{name}: average precision {value}"))
        legend.append((f"k{i % 8}", name, value))
    if len(rows) == 1 or len({id(t) for t, _ in rows.values()}) == 1:
        share = float(next(iter(rows.values()))[0].mean())
        lines.append(Line([0, 1], [share, share], "ideal"))
    panel = _panel(title, lines[::-1], "found (recall)", "precision", legend, ideal=False)
    return panel | {"measure": "average precision"}


def _gain(rows: dict[str, tuple[np.ndarray, np.ndarray]], title: str) -> dict[str, Any] | None:
    if not _usable(rows):
        return None
    lines, legend = [], []
    for i, (name, (truth, score)) in enumerate(rows.items()):
        order = np.argsort(-score, kind="stable")
        ends = np.r_[np.flatnonzero(np.diff(score[order])), len(score) - 1]  # ties are called together
        x = np.r_[0.0, (ends + 1) / len(score)]
        y = np.r_[0.0, np.cumsum(truth[order])[ends] / truth.sum()]
        lift = float(np.interp(0.1, x, y) / 0.1)
        lines.append(Line(x, y, f"k{i % 8}", f"{name}: {lift:.1f} times chance in the first tenth"))
        legend.append((f"k{i % 8}", name, f"{lift:.1f}"))
    return _panel(title, lines[::-1], "share of rows called", "share found", legend) | {
        "measure": "lift in the first tenth"
    }


def _reliability(
    rows: dict[str, tuple[np.ndarray, np.ndarray]], title: str, histogram: bool = False
) -> dict[str, Any] | None:
    lines, legend, bars = [], [], []
    for i, (name, (truth, score)) in enumerate(rows.items()):
        place = np.minimum((score * BINS).astype(int), BINS - 1)
        count = np.bincount(place, minlength=BINS)
        there = count >= (1 if histogram else FEWEST)
        x = np.bincount(place, score, minlength=BINS)[there] / count[there]
        y = np.bincount(place, truth, minlength=BINS)[there] / count[there]
        gap = np.bincount(place, score, minlength=BINS) - np.bincount(place, truth, minlength=BINS)
        error = float(np.abs(gap).sum() / len(score))
        line = Line(x, y, f"k{i % 8}", f"{name}: calibration error {error:.3f}", dots=histogram)
        if histogram:
            edges = np.array([wilson_interval(share, int(n)) for share, n in zip(y, count[there])])
            line = Line(x, y, f"k{i % 8}", line.label, edges[:, 0], edges[:, 1], dots=True)
            bars = [(b / BINS, (b + 1) / BINS, 0.3 * n / count.max()) for b, n in enumerate(count) if n]
        lines.append(line)
        legend.append((f"k{i % 8}", name, f"{error:.3f}"))
    panel = _panel(title, lines[::-1], "probability given", "share that came true", legend, bars=bars)
    return panel | {"measure": "calibration error"}
