"""One HTML page for one comparison: complete in itself, without script or network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from assay.evaluate import LEARNERS, Comparison, Finding, Standing
from assay.evaluate.show import conclusion, duration, signed
from assay.report import words
from assay.report.svg import Scale, axis, class_bar, share_bar, whisker
from assay.stats.test_result import shown_p

__all__ = ["render_report", "write_report"]

PLOT = 380.0  # width of the plots in tables, in their own units
FULL_MATRIX = 12  # classes up to which a confusion matrix is shown whole
MOST_COLUMNS = 300  # columns listed
MOST_CLASSES = 40  # classes in the legend of the class bar
MOST_ALIKE = 4  # findings of one kind listed one by one
MOST_CARDS = 24  # learners with a confusion matrix


def write_report(result: Comparison, path: str | Path) -> Path:
    """Write the page; returns its path.

    >>> import tempfile
    >>> from assay import compare
    >>> from assay.report import write_report
    >>> result = compare(["majority"], [[1.0], [2.0], [3.0], [4.0]] * 5, ["a", "b"] * 10, design="5-fold")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(result, folder + "/small.html").name
    'small.html'
    """
    path = Path(path)
    path.write_text(render_report(result), encoding="utf-8")
    return path


def render_report(result: Comparison) -> str:
    """The page as text. Names and labels of the data are escaped wherever they stand."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    here = Path(__file__).parent
    environment = Environment(
        loader=FileSystemLoader(here),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html").render(
        style=Markup((here / "page.css").read_text(encoding="utf-8")),
        result=result,
        title=f"{result.data.name}: {len(result.learners)} learners compared",
        conclusion=conclusion(result),
        metric=result.metrics[0],
        sure=f"{1 - result.alpha:.0%}",
        tiles=_tiles(result),
        ranking=_ranking(result),
        differences=_differences(result),
        metrics=_metrics(result),
        matrices=_matrices(result),
        times=_times(result),
        classes=class_bar(list(result.data.classes.items())),
        legend=list(result.data.classes.items())[:MOST_CLASSES],
        findings=_findings(result.data.findings),
        columns=result.data.columns[:MOST_COLUMNS],
        hidden_columns=max(0, len(result.data.columns) - MOST_COLUMNS),
        failures=result.failures,
        methods=words.methods(result),
        python=words.python_line(result),
        command=words.command_line(result),
        embedded=_embedded(result),
    )


def _tiles(result: Comparison) -> list[tuple[str, str, str]]:
    """Number, what it counts, and a word more."""
    d, best = result.data, next((s for s in result.ranking() if not s.failure and not np.isnan(s.mean)), None)
    tiles = [
        (f"{d.rows:,}", "rows", f"{d.missing:,} empty cells" if d.missing else "no empty cell"),
        (f"{len(d.columns):,}", "columns", ", ".join(f"{n} {kind}" for kind, n in d.kinds.items())),
        (f"{len(d.classes):,}", "classes", f"of {d.target}"),
        (f"{len(result.places):,}", "splits", result.design.name),
    ]
    if best is not None:
        interval = "" if np.isnan(best.low) else f"{_n(best.low)} to {_n(best.high)}"
        tiles.insert(0, (_n(best.mean), f"{result.metrics[0].name} of {best.learner}", interval))
    return tiles


def _kind(s: Standing, i: int) -> str:
    return "best" if i == 0 else "level" if s.level else "worse"


def _ranking(result: Comparison) -> dict[str, Any]:
    m = result.metrics[0]
    standings = [s for s in result.ranking() if not s.failure]
    values = {s.learner: result.values(s.learner) for s in standings}
    reach = [(s.mean, s.low, s.high, *_middle(values[s.learner])) for s in standings if not np.isnan(s.mean)]
    scale = Scale.over(_near(reach), PLOT, m.bounds)
    rows = []
    for i, s in enumerate(standings):
        entry = LEARNERS.get(s.learner)
        label = f"{s.learner}: {_n(s.mean)}" + ("" if np.isnan(s.low) else f", {_n(s.low)} to {_n(s.high)}")
        rows.append(
            {
                "kind": _kind(s, i),
                "learner": s.learner,
                "about": entry.description if entry else "",
                "prepared": s.prepared,
                "plot": whisker(scale, s.mean, s.low, s.high, values[s.learner], _kind(s, i), label=label),
                "mean": _n(s.mean),
                "interval": "none" if np.isnan(s.low) else f"{_n(s.low)} – {_n(s.high)}",
                "letters": s.letters,
            }
        )
    off = any(s.mean < scale.low or s.mean > scale.high for s in standings)
    return {"axis": axis(scale), "rows": rows, "off": off}


def _middle(values: np.ndarray) -> np.ndarray:
    """What eight of ten splits lie between."""
    return np.percentile(values[np.isfinite(values)], [10, 90])


def _near(reach: Sequence[tuple[float, ...]]) -> list[float]:
    """What the scale should hold: all, unless the last ones are so far off that the others shrink to dots."""
    for kept in range(len(reach) - 1, 1, -1):
        near, whole = [v for r in reach[:kept] for v in r], [v for r in reach[: kept + 1] for v in r]
        if np.nanmax(near) - np.nanmin(near) >= 0.4 * (np.nanmax(whole) - np.nanmin(whole)):
            return whole
    return [v for r in reach[:2] for v in r]  # also when there are fewer than two


def _differences(result: Comparison) -> dict[str, Any] | None:
    standings = [s for s in result.ranking() if not s.failure and not np.isnan(s.mean)]
    if len(standings) < 2:
        return None
    best = standings[0]
    others = standings[1:]
    reach = [(0.0, s.difference, s.difference_low, s.difference_high) for s in others]
    scale = Scale.over(_near(reach), PLOT)
    rows = []
    for s in others:
        verdict = result.test(s.learner, best.learner)
        rows.append(
            {
                "kind": _kind(s, 1),
                "learner": s.learner,
                "plot": whisker(
                    scale,
                    s.difference,
                    s.difference_low,
                    s.difference_high,
                    kind=_kind(s, 1),
                    zero=0.0,
                    label=str(verdict),
                ),
                "difference": signed(s.difference),
                "p": "none" if np.isnan(s.p) else shown_p(s.p).removeprefix("p = ").removeprefix("p "),
                "verdict": "not significantly worse" if s.level else "significantly worse",
                "sentence": str(verdict),
            }
        )
    return {"best": best.learner, "axis": axis(scale), "rows": rows}


def _metrics(result: Comparison) -> dict[str, Any] | None:
    """All metrics of all learners, if there is more than one."""
    if len(result.metrics) < 2:
        return None
    rows = []
    for s in result.ranking():
        if s.failure:
            continue
        cells = []
        for m in result.metrics:
            there = next(t for t in result.ranking(m.name) if t.learner == s.learner)
            first = result.ranking(m.name)[0].learner == s.learner
            cells.append(
                {
                    "mean": _n(there.mean),
                    "interval": "" if np.isnan(there.low) else f"{_n(there.low)} – {_n(there.high)}",
                    "letters": there.letters,
                    "kind": "best" if first else "level" if there.level else "worse",
                }
            )
        rows.append({"learner": s.learner, "cells": cells})
    return {"heads": result.metrics, "rows": rows}


def _matrices(result: Comparison) -> list[dict[str, Any]]:
    cards = []
    order = [s.learner for s in result.ranking() if not s.failure][:MOST_CARDS]
    for name in order:
        counts = result.confusion(name)
        labels = [str(c) for c in result.classes]
        answers = labels + (["no answer"] if counts.shape[1] > len(labels) else [])
        share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        card: dict[str, Any] = {"learner": name, "answers": answers, "rows": [], "worst": []}
        if len(labels) <= FULL_MATRIX:
            card["rows"] = [
                {
                    "label": label,
                    "cells": [
                        {"count": int(counts[i, j]), "share": float(share[i, j]), "right": i == j}
                        for j in range(counts.shape[1])
                    ],
                }
                for i, label in enumerate(labels)
            ]
        else:
            wrong = [
                (i, j) for i in range(len(labels)) for j in range(counts.shape[1]) if i != j and counts[i, j]
            ]
            wrong.sort(key=lambda ij: -counts[ij])
            card["worst"] = [
                (labels[i], answers[j], int(counts[i, j]), f"{share[i, j]:.1%}") for i, j in wrong[:10]
            ]
        cards.append(card)
    return cards


def _findings(found: list[Finding]) -> list[Finding]:
    """The findings; where many are of one kind, the first few, and the columns of the others in one sentence."""
    listed: list[Finding] = []
    for code in dict.fromkeys(f.code for f in found):
        alike = [f for f in found if f.code == code]
        few = alike if len(alike) <= MOST_ALIKE else alike[: MOST_ALIKE - 1]
        listed += few
        rest = alike[len(few) :]
        if rest:
            names = ", ".join(f.column for f in rest[:20]) + (", ..." if len(rest) > 20 else "")
            sentence = f"the same holds for {len(rest)} more: {names}."
            listed.append(Finding(code, few[0].severity, "", sentence))
    return listed


def _times(result: Comparison) -> list[dict[str, Any]]:
    standings = [s for s in result.ranking() if not s.failure]
    most_fit = max((s.fit_seconds for s in standings), default=1.0) or 1.0
    most_predict = max((s.predict_seconds for s in standings), default=1.0) or 1.0
    return [
        {
            "learner": s.learner,
            "fit": duration(s.fit_seconds),
            "fit_bar": share_bar(s.fit_seconds / most_fit),
            "predict": duration(s.predict_seconds),
            "predict_bar": share_bar(s.predict_seconds / most_predict),
        }
        for s in standings
    ]


def _embedded(result: Comparison) -> dict[str, Any]:
    """The numbers of the page for programs, without the single records."""
    whole = result.to_dict()
    return {k: v for k, v in whole.items() if k not in ("records", "data")} | {
        "data": {k: v for k, v in whole["data"].items() if k != "columns"}
    }


def _n(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.4f}"
