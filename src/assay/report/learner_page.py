"""One part of the page for each learner: confusion and classes, or residuals; curves; and its worst predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.evaluate import Comparison, Residuals, Standing
from assay.evaluate.curves import Curve
from assay.evaluate.digits import shown_metric
from assay.evaluate.out_of_fold import OutOfFold
from assay.evaluate.show import shown_value
from assay.plots.scale import Scale
from assay.report.charts import Line, chart
from assay.report.curves import learner_panels, value_and_interval
from assay.report.ranking import about
from assay.report.refits import Extras
from assay.report.reproduce import spelled
from assay.report.residual_panels import column_panels, group_tables, residual_panels, size_table

__all__ = ["class_table", "confusion_card", "learner_pages"]

MAX_MATRIX_CLASSES = 12  # classes up to which a confusion matrix is shown whole
MAX_COLUMN_PAGES = 3  # learners whose residuals are drawn against columns
MAX_CLASSES = 20  # in the table of precision, recall and F1


def learner_pages(
    result: Comparison, answers: dict[str, OutOfFold], refitted: Extras, limit: int
) -> list[dict[str, Any]]:
    """The part of each learner that finished, best first."""
    standings = [s for s in result.ranking() if not s.failure][:limit]
    return [_page(result, s, i, answers.get(s.learner), refitted) for i, s in enumerate(standings)]


def _page(
    result: Comparison, s: Standing, i: int, answer: OutOfFold | None, refitted: Extras
) -> dict[str, Any]:
    name, m = s.learner, result.metrics[0]
    candidate = result.candidates.get(name)
    constructor = "" if candidate is None else spelled(candidate.learner)
    if name in refitted.complexity:
        complexity = _trained(refitted.complexity[name], name)
    else:
        complexity = None
    return {
        "panels": learner_panels(result, name, answer) if result.classes and answer is not None else [],
        "tables": [],
        "surprising": None,
        "id": f"learner-{i + 1}",
        "learner": name,
        "about": about(result, name),
        "given": constructor if len(constructor) <= 300 else constructor[:300] + " ...",
        "prepared": s.prepared,
        "mean": f"{m.name} {shown_value(result, s.mean)}" if not np.isnan(s.mean) else "",
        "value": shown_value(result, s.mean),
        "letters": s.letters,
        "confusion": confusion_card(result, name) if result.classes else None,
        "classes": class_table(result, name) if result.classes and answer is not None else None,
        **(_numbers(result, name, i, refitted) if result.task == "regression" and answer is not None else {}),
        "learning": _trained(refitted.learning[name], name) if name in refitted.learning else None,
        "complexity": complexity,
        "errors": refitted.errors.get(name),
    }


def _numbers(result: Comparison, name: str, i: int, refitted: Extras) -> dict[str, Any]:
    """Of predicted numbers: panels of the residuals, errors of parts of the rows, the most surprising rows."""
    residuals, importance = Residuals.of_comparison(result, name), refitted.importance
    panels = residual_panels(result, name, residuals, refitted.predictive.get(name))
    if i < MAX_COLUMN_PAGES:
        panels += column_panels(result, name, residuals, importance)
    return {
        "panels": panels,
        "tables": [size_table(result, residuals), *group_tables(result, residuals, importance)],
        "surprising": refitted.surprising.get(name),
    }


def confusion_card(result: Comparison, name: str) -> dict[str, Any]:
    """The confusion matrix with names; of many classes only the largest confusions."""
    counts = result.confusion(name)
    labels = [str(c) for c in result.classes]
    answers = labels + (["rejected"] if counts.shape[1] > len(labels) else [])
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    card: dict[str, Any] = {"answers": answers, "rows": [], "worst": []}
    if len(labels) <= MAX_MATRIX_CLASSES:
        card["rows"] = [
            {
                "label": label,
                "cells": [
                    {
                        "count": int(counts[i, j]),
                        "share": f"{share[i, j]:.1%}" if counts[i, j] else "",
                        "kind": _shade(float(share[i, j]), i == j),
                    }
                    for j in range(counts.shape[1])
                ],
            }
            for i, label in enumerate(labels)
        ]
    else:
        wrong = [(i, j) for i, j in np.argwhere(counts).tolist() if i != j]
        wrong.sort(key=lambda ij: -counts[ij[0], ij[1]])
        card["worst"] = [
            (labels[i], answers[j], int(counts[i, j]), f"{share[i, j]:.1%}") for i, j in wrong[:10]
        ]
    return card


def _shade(share: float, right: bool) -> str:
    """A class of the style sheet: r or w, and the share in tenths, so that a cell takes few letters."""
    return f"{'r' if right else 'w'}{min(int(np.ceil(share * 10)), 10)}"


def class_table(result: Comparison, name: str) -> dict[str, Any]:
    """Precision, recall and F1 of each class, from the confusions of all splits; of many classes the largest."""
    K, report = len(result.classes), result.class_report(name)
    tested = result.confusion(name).sum(axis=1)
    order = np.argsort(-tested, kind="stable") if K > MAX_CLASSES else range(K)
    rows = [
        {
            "label": str(result.classes[k]),
            "rows": round(tested[k] / tested.sum() * result._distinct_rows),
            "cells": [
                value_and_interval(estimate, digits=3)
                for estimate in report.classes[result.classes[k]].values()
            ],
        }
        for k in list(order)[:MAX_CLASSES]
    ]
    return {"rows": rows, "hidden": max(0, K - MAX_CLASSES), "n": result._distinct_rows}


def _trained(curve: Curve, name: str) -> dict[str, Any]:
    """A learning or complexity curve as a panel."""
    at, tested, band = curve.ticks, curve.test_mean, curve.band
    lower, upper = band.T if np.isfinite(band).all() else ((), ())  # one split alone shows no spread
    x, positions = Scale.at(at)
    y = Scale.over([*tested, *curve.train_mean, *lower, *upper])
    lines = [
        Line(positions, curve.train_mean, "k1", f"on training rows, {name}", dots=True),
        Line(positions, tested, "k0", f"on test rows, {name}", lower, upper, dots=True),
    ]
    if curve.used is not None and at.min() <= curve.used <= at.max():
        lines.insert(0, Line([curve.used] * 2, [y.low, y.high], "ideal", f"used: {curve.used:g}"))
    over, metric = "training rows" if curve.along == "rows" else curve.along, curve.metric.name
    description = f"{metric} of {name} over {over}: " + ", ".join(
        f"{_count(v)}: {shown_metric(curve.metric, t)}" for v, t in zip(at, tested)
    )
    return {
        "plot": chart(lines, x, y, over, metric, description),
        "over": over,
        "metric": metric,
        "folds": len(curve.splits),
        "used": curve.used,
        "anchored": curve.standing is not None,
    }


def _count(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:g}"
