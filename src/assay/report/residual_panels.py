"""Panels and tables about predicted numbers: predictions, residuals, errors of parts of the rows, intervals.

All of them show the test rows of the first repetition, in which each row is tested once at most; numbers that the
tables have are the tables' own.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from markupsafe import Markup

from assay.evaluate import Comparison, PermutationImportance, Residuals
from assay.evaluate.digits import shown_metric
from assay.evaluate.fold import INTERVAL_COVERAGE
from assay.evaluate.residuals import MEAN_RESIDUAL, IntervalCoverage, error_measure, smooth_line
from assay.evaluate.show import shown_value
from assay.metrics.estimate import Estimate
from assay.metrics.group_report import GroupReport
from assay.metrics.measure import Measure
from assay.plots.scale import Scale
from assay.report.charts import Box, Cloud, Line, chart
from assay.report.numbers import shown_number
from assay.report.predictive_rows import NOMINAL, PredictiveRows
from assay.stats.significance.test_result import shown_confidence

__all__ = [
    "column_panels",
    "group_tables",
    "predictions_overview",
    "residual_panels",
    "size_table",
    "target_part",
]

MAX_LINES = 8  # in one panel: there are as many colours
MAX_COLUMNS = 4  # that residuals are drawn against
MAX_LEVELS = 8  # boxes of one panel
MAX_GROUPS = 12  # rows of a table of groups
MAX_TABLES = 3  # of groups
QUANTILE_POINTS = 400  # of a quantile plot
BOX_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
PREDICTED, TRUE, RESIDUAL = "predicted", "true", "true − predicted"
SMOOTH = ("k1", "smooth line (loess)", "", "")


def target_part(result: Comparison) -> dict[str, Any] | None:
    """A histogram of the numbers to predict, with a sentence; None for classes."""
    measured = result.data.measured
    if measured is None:
        return None
    words = f"{result.data.target}: {measured.words}, {measured.distinct:,} distinct values."
    if not result.truths:
        return {"plot": None, "words": words}
    known = np.concatenate(result.truths[: _first_splits(result)])
    x = Scale.over([float(known.min()), float(known.max())])
    counts, edges = np.histogram(x.share(known), bins=40, range=(0.0, 1.0))
    values = x.low + edges * (x.high - x.low)
    bars = [(a, b, n / counts.max()) for a, b, n in zip(values[:-1], values[1:], counts.tolist()) if n]
    plot = chart(
        [], x, Scale.over([0.0, float(counts.max())]), result.data.target, "rows",
        f"Histogram of {result.data.target}", bars, (720.0, 170.0),
    )  # fmt: skip
    return {"plot": plot, "words": words}


def _first_splits(result: Comparison) -> int:
    return sum(place[0] == result.places[0][0] for place in result.places)


def residual_panels(
    result: Comparison, name: str, residuals: Residuals, predictive: PredictiveRows | None
) -> list[dict[str, Any]]:
    """One learner: predicted against true, residuals against predicted, normal quantiles, spread, coverage."""
    panels = [
        _predicted_and_true(result, name, residuals),
        _against_predicted(name, residuals),
        _normal_quantiles(name, residuals),
        _scale_location(name, residuals),
    ]
    if predictive is not None:
        panels.append(
            _coverage_panel(result, {name: (residuals, predictive)}, f"Prediction intervals of {name}")
        )
    return panels


def _panel(
    title: str, plot: Markup, measure: str, legend: Sequence[tuple[str, str, str, str]] = ()
) -> dict[str, Any]:
    """A drawing with its legend: (colour, name, number, interval) of each line."""
    return {"title": title, "plot": plot, "legend": list(legend), "measure": measure}


def _undrawn(title: str, reason: str) -> dict[str, Any]:
    """A sentence where there is nothing to draw."""
    return {"title": title, "plot": None, "reason": f"Not drawn: {reason}", "legend": [], "measure": ""}


def _predicted_and_true(result: Comparison, name: str, r: Residuals) -> dict[str, Any]:
    both = Scale.close([*_ends(r.truth), *_ends(r.predicted)])
    diagonal = Line([both.low, both.high], [both.low, both.high], "ideal", "predicted exactly")
    m = result.metrics[0]
    value = shown_value(result, next(s.mean for s in result.ranking() if s.learner == name))
    description = f"True against predicted {result.data.target} of {name}, {len(r.rows):,} test rows"
    plot = chart([diagonal], both, both, PREDICTED, TRUE, description, marks=[Cloud(r.predicted, r.truth)])
    legend = [("k0", _rows(r), "", "")]
    return _panel(
        "Predicted and true", plot, f"{m.name} {value or 'none'}; dashed: predicted exactly", legend
    )


def _rows(r: Residuals) -> str:
    return f"{len(r.rows):,} test row{'' if len(r.rows) == 1 else 's'}"


def _ends(values: np.ndarray) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def _against_predicted(name: str, r: Residuals) -> dict[str, Any]:
    title = "Residuals against predicted"
    if np.ptp(r.predicted) == 0:
        return _one_prediction(title, r)
    return _scatter(
        title, r.predicted, r.residual, r.weight, PREDICTED, RESIDUAL, f"{title}, {name}", zero=True
    )


def _one_prediction(title: str, r: Residuals) -> dict[str, Any]:
    only = shown_number(float(r.predicted[0]))
    return _undrawn(title, f"the learner predicts {only} for every row.")


def _scatter(
    title: str, x: np.ndarray, y: np.ndarray, weight: np.ndarray | None, x_label: str, y_label: str, description: str,
    zero: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Rows with a smooth line, over a line at zero."""
    across, up = Scale.close(_ends(x)), Scale.close([*_ends(y), *([0.0] if zero else [])])
    lines = [Line([across.low, across.high], [0.0, 0.0], "ideal")] if zero else []
    smooth = smooth_line(x, y, weight)
    if smooth is not None:
        lines.append(Line(*smooth, "k1", "smooth line (loess)"))
    plot = chart(lines, across, up, x_label, y_label, description, marks=[Cloud(x, y)])
    missing = "" if smooth is not None else "too few rows or places for a smooth line"
    return _panel(title, plot, missing, [SMOOTH] if smooth is not None else [])


def _normal_quantiles(name: str, r: Residuals) -> dict[str, Any]:
    title = "Normal quantiles of residuals"
    if not r.spread:
        return _no_spread(title)
    expected, observed = r.normal_quantiles()
    x, y = Scale.close(_ends(expected)), Scale.close(_ends(observed))
    low, high = max(x.low, y.low), min(x.high, y.high)
    diagonal = Line([low, high], [low, high], "ideal", "normal distribution")
    description = f"{title}, {name}"
    kept = _spaced(expected)
    plot = chart(
        [diagonal], x, y, "expected of a normal distribution", "residual / spread", description,
        marks=[Cloud(expected[kept], observed[kept])],
    )  # fmt: skip
    spread = f"spread of the residuals: {shown_number(r.spread)}; dashed: normal distribution of this spread"
    return _panel(title, plot, spread)


def _spaced(expected: np.ndarray) -> np.ndarray:
    """The points of a quantile plot that look alike with all others: equally far apart, extremes included."""
    if len(expected) <= QUANTILE_POINTS:
        return np.arange(len(expected))
    evenly = np.searchsorted(expected, np.linspace(expected[0], expected[-1], QUANTILE_POINTS))
    return np.unique(
        np.concatenate([np.arange(20), evenly, len(expected) - 1 - np.arange(20)]).clip(max=len(expected) - 1)
    )


def _no_spread(title: str) -> dict[str, Any]:
    return _undrawn(title, "all residuals are equal, so they have no spread.")


def _scale_location(name: str, r: Residuals) -> dict[str, Any]:
    title = "Spread against predicted"
    if not r.spread:
        return _no_spread(title)
    if np.ptp(r.predicted) == 0:
        return _one_prediction(title, r)
    panel = _scatter(
        title, r.predicted, r.scale(), r.weight, PREDICTED, "√(|residual| / spread)", f"{title}, {name}"
    )
    panel["measure"] = "; ".join(
        filter(None, (panel["measure"], "level: the errors are equally large everywhere"))
    )
    return panel


def column_panels(
    result: Comparison, name: str, residuals: Residuals, importance: PermutationImportance | None
) -> list[dict[str, Any]]:
    """Residuals against the most important columns: numbers with a smooth line, categories as boxes."""
    if result.source is None or not residuals.spread:
        return []
    table, panels = result.source.table, []
    for column in _by_importance(result, importance)[:MAX_COLUMNS]:
        j = table.schema.index(column)
        values = _column(table, j)[residuals.rows]
        few = len(np.unique(values[np.isfinite(values)])) <= MAX_LEVELS  # numbers, but as few as categories
        few = few and not table.schema[j].date
        draw = _boxes if table.schema[j].coded or few else _numbers
        panels.append(draw(result, str(column), j, values, name, residuals))
    return panels


def _column(table: Any, j: int) -> np.ndarray:
    values = table.values[:, [j]]
    return np.asarray(values.todense() if hasattr(values, "todense") else values, dtype=float).ravel()


def _numbers(
    result: Comparison, column: str, j: int, values: np.ndarray, name: str, r: Residuals
) -> dict[str, Any]:
    known = np.isfinite(values)
    title = f"Residuals against {column}"
    if known.sum() < 2 or np.ptp(values[known]) == 0:
        return _undrawn(title, f"{column} has fewer than two distinct values here.")
    weight = None if r.weight is None else r.weight[known]
    panel = _scatter(
        title, values[known], r.residual[known], weight, column, RESIDUAL, f"{title}, {name}", zero=True
    )
    if missing := int(np.sum(~known)):
        note = f"{missing:,} rows without a value are not drawn"
        panel["measure"] = "; ".join(filter(None, (panel["measure"], note)))
    return panel


def _boxes(
    result: Comparison, column: str, j: int, values: np.ndarray, name: str, r: Residuals
) -> dict[str, Any]:
    assert result.source is not None
    labels = _labels(result, j, values)
    levels, counts = np.unique(labels, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    if not result.source.table.schema[j].coded:  # numbers stand in their order
        order = np.argsort([np.inf if name == "missing" else float(name) for name in levels])
    drawn = levels[order[:MAX_LEVELS]].tolist()
    boxes, reach = [], [0.0]
    for i, label in enumerate(drawn):
        quantiles = np.quantile(r.residual[labels == label], BOX_QUANTILES)
        n = int(np.sum(labels == label))
        words = f"{label}, {n:,} rows: median {shown_number(quantiles[2], r.spread)}"
        boxes.append(Box(float(i), quantiles, label=words))
        reach += quantiles.tolist()
    letters = max(2, 27 // len(drawn) - 1)  # of the names that fit below the boxes
    short = [label if len(label) <= letters else label[: letters - 1] + "…" for label in drawn]
    x = Scale(-0.5, len(drawn) - 0.5, [float(i) for i in range(len(drawn))], names=short)
    y = Scale.over(reach)
    title = f"Residuals against {column}"
    zero = Line([-0.5, len(drawn) - 0.5], [0.0, 0.0], "ideal")
    plot = chart([zero], x, y, column, RESIDUAL, f"{title}, {name}", marks=boxes)
    hidden = f"; {len(levels) - len(drawn)} rarer ones are not drawn" if len(levels) > len(drawn) else ""
    return _panel(title, plot, f"box: the middle half, whiskers: 5% to 95%{hidden}")


def _labels(result: Comparison, j: int, values: np.ndarray) -> np.ndarray:
    """(n,) the categories of a column as text, "missing" where there is none."""
    assert result.source is not None
    schema = result.source.table.schema
    coded = schema[j].coded or schema[j].date

    def label(value: float) -> str:
        return "missing" if np.isnan(value) else str(schema.label(j, value)) if coded else f"{value:g}"

    names = {v: label(v) for v in np.unique(values).tolist()}
    return np.array([names.get(v, "missing") for v in values.tolist()])


def size_table(result: Comparison, residuals: Residuals) -> dict[str, Any]:
    """Error and mean residual of the rows by the size of their target."""
    m = error_measure(result.metrics)
    report = residuals.by_size(m, result.alpha)
    rows = [
        row | {"label": f"{shown_number(low)} to {shown_number(high)}" if low < high else shown_number(low)}
        for row, (low, high) in zip(_group_rows(m, report), _bins(residuals, report))
    ]
    return {"head": result.data.target, "metric": m.name, "rows": rows, "hidden": 0}


def group_tables(
    result: Comparison, residuals: Residuals, importance: PermutationImportance | None
) -> list[dict[str, Any]]:
    """The same for the groups that the rows were split by, and for the categories of the most important columns."""
    data = result.source
    if data is None:
        return []
    m, tables, schema = error_measure(result.metrics), [], data.table.schema
    order = _by_importance(result, importance)
    nominal = [j for j in map(schema.index, order) if schema[j].coded][:MAX_TABLES]
    columns: list[tuple[str, Any]] = [] if data.groups is None else [("group", data.groups[residuals.rows])]
    columns += [
        (str(schema[j].name), _labels(result, j, _column(data.table, j)[residuals.rows])) for j in nominal
    ]
    for head, labels in columns:
        texts = [str(label) for label in labels]
        hidden = max(0, len(set(texts)) - MAX_GROUPS)
        report = residuals.by_group(texts, m, result.alpha, MAX_GROUPS)
        if len(report.groups) > 1:
            rows = sorted(_group_rows(m, report), key=lambda row: -row["rows"])
            tables.append({"head": head, "metric": m.name, "rows": rows, "hidden": hidden})
    return tables


def _by_importance(result: Comparison, importance: PermutationImportance | None) -> list[str]:
    """The columns, the most important first; as they came if that is not known."""
    assert result.source is not None
    if importance is not None:
        return [row["column"] for row in importance.table()]
    return list(result.source.table.schema.names)


def _group_rows(m: Measure, report: GroupReport) -> list[dict[str, Any]]:
    """One line for each group: its name, rows, error and mean residual."""
    errors = [e[m.name] for e in report.groups.values()]
    like = max((e.value for e in errors if np.isfinite(e.value)), default=None)
    lines = []
    for (label, estimates), error in zip(report.groups.items(), errors):
        residual = estimates[MEAN_RESIDUAL.name]
        like_residual = float(np.nanmax(np.abs([0.0, residual.value, residual.low, residual.high])))
        lines.append(
            {"label": str(label), "rows": report.rows[label], "error": _cell(m, error, like),
             "residual": _cell(MEAN_RESIDUAL, residual, like_residual, sign=True)}
        )  # fmt: skip
    return lines


def _cell(m: Measure, e: Estimate, like: float | None, sign: bool = False) -> tuple[str, str]:
    value, low, high = (shown_metric(m, v, like, sign) for v in (e.value, e.low, e.high))
    between = " to " if sign else " – "
    return value or "none", between.join((low, high)) if low and high else ""


def predictions_overview(
    result: Comparison, residuals: dict[str, Residuals], predictive: dict[str, PredictiveRows]
) -> dict[str, Any] | None:
    """All learners: error by size of the target, and coverage of prediction intervals."""
    drawn = dict(list(residuals.items())[:MAX_LINES])
    if not drawn:
        return None
    colours = {name: f"k{i}" for i, name in enumerate(drawn)}
    panels = [_by_size_panel(result, drawn, colours)]
    with_intervals = {n: (r, predictive[n]) for n, r in drawn.items() if n in predictive}
    if with_intervals:
        panels.append(_coverage_panel(result, with_intervals, "Coverage of prediction intervals", colours))
        panels.append(_width_panel(result, with_intervals, colours))
    return {"panels": panels, "hidden": len(residuals) - len(drawn)}


def _by_size_panel(
    result: Comparison, drawn: dict[str, Residuals], colours: dict[str, str]
) -> dict[str, Any]:
    m, lines, legend = error_measure(result.metrics), [], []
    measured = m.name in {x.name for x in result.metrics}
    for name, r in drawn.items():
        report = r.by_size(m, result.alpha)
        errors = np.array([e[m.name].value for e in report.groups.values()])
        lines.append(Line(_middles(r, report), errors, colours[name], name, dots=True))
        value, ends = "", ""
        if measured:
            s = next(s for s in result.ranking(m.name) if s.learner == name)
            value = shown_value(result, s.mean, m.name)
            ends = (
                ""
                if np.isnan(s.low)
                else f"{shown_value(result, s.low, m.name)} – {shown_value(result, s.high, m.name)}"
            )
        legend.append((colours[name], name, value, ends))
    title = f"{m.name} by size of {result.data.target}"
    x = Scale.over([v for line in lines for v in line.x])
    y = Scale.over([0.0, *(v for line in lines for v in line.y)])
    plot = chart(lines[::-1], x, y, f"{result.data.target}, middle of each bin", m.name, title)
    return _panel(title, plot, f"{m.name} of all rows, as in the tables" if measured else "", legend)


def _middles(r: Residuals, report: GroupReport) -> np.ndarray:
    """The middle of each bin of the target."""
    return np.array([low / 2 + high / 2 for low, high in _bins(r, report)])


def _bins(r: Residuals, report: GroupReport) -> list[tuple[float, float]]:
    """From where to where each bin of the target goes; bins follow one another in its order."""
    ends, ordered = np.cumsum([0, *report.rows.values()]), np.sort(r.truth)
    return [(float(ordered[a]), float(ordered[b - 1])) for a, b in pairwise(ends.tolist())]


def _coverage_panel(
    result: Comparison,
    drawn: dict[str, tuple[Residuals, PredictiveRows]],
    title: str,
    colours: dict[str, str] | None = None,
) -> dict[str, Any]:
    colours = colours or {}
    low = NOMINAL[0] - 0.1
    lines, legend, curves = [], [], {n: p.coverage(r, result.alpha) for n, (r, p) in drawn.items()}
    values = [v for c in curves.values() for e in c.observed for v in (e.value, e.low, e.high)]
    unit = Scale.over([low, 1.0], within=(0.0, 1.0))
    y = Scale.over([low, 1.0, *values], within=(0.0, 1.0))
    for name, curve in curves.items():
        colour = colours.get(name, "k0")
        ends = np.array([(e.low, e.high) for e in curve.observed])
        lower, upper = ends.T if len(drawn) == 1 and np.isfinite(ends).all() else np.empty((2, 0))
        shares = [e.value for e in curve.observed]
        lines.append(Line(curve.nominal, shares, colour, name, lower, upper, dots=True))
        legend.append((colour, name, *_at_usual(result, name, curve)))
    ideal = Line([unit.low, 1.0], [unit.low, 1.0], "ideal", "as promised")
    plot = chart([ideal, *lines[::-1]], unit, y, "nominal coverage", "rows inside", title)
    sure = shown_confidence(result.alpha)
    measure = f"share of rows in the {INTERVAL_COVERAGE:.0%} interval, with its {sure} interval"
    if len(drawn) == 1:
        ((name, curve),) = curves.items()
        measure += f"; mean width {_width(result, name, curve)}"
    return _panel(title, plot, measure, legend)


def _usual(curve: IntervalCoverage, estimates: list[Estimate]) -> Estimate:
    return estimates[curve.nominal.tolist().index(INTERVAL_COVERAGE)]


def _at_usual(result: Comparison, name: str, curve: IntervalCoverage) -> tuple[str, str]:
    """The coverage of the usual intervals: the number of the table if it has one."""
    e = _usual(curve, curve.observed)
    if "coverage" in {m.name for m in result.metrics}:
        s = next(s for s in result.ranking("coverage") if s.learner == name)
        e = Estimate(s.mean, s.low, s.high)
    value, low, high = (f"{v:.4f}" for v in (e.value, e.low, e.high))
    return value, "" if np.isnan(e.low) else f"{low} – {high}"


def _width(result: Comparison, name: str, curve: IntervalCoverage) -> str:
    """The mean width of the usual intervals: the number of the table if it has one."""
    if "interval width" in {m.name for m in result.metrics}:
        mean = next(s.mean for s in result.ranking("interval width") if s.learner == name)
        return shown_value(result, mean, "interval width")
    width = _usual(curve, curve.width).value
    return shown_number(width) if np.isfinite(width) else "without limit"


def _width_panel(
    result: Comparison, drawn: dict[str, tuple[Residuals, PredictiveRows]], colours: dict[str, str]
) -> dict[str, Any]:
    lines, legend = [], []
    for name, (r, p) in drawn.items():
        curve, colour = p.coverage(r, result.alpha), colours[name]
        widths = np.array([e.value for e in curve.width])
        kept = np.isfinite(widths)
        lines.append(Line(curve.nominal[kept], widths[kept], colour, name, dots=True))
        legend.append((colour, name, _width(result, name, curve), ""))
    x = Scale.over([NOMINAL[0] - 0.1, 1.0], within=(0.0, 1.0))
    y = Scale.over([0.0, *(v for line in lines for v in line.y)])
    title = "Width of prediction intervals"
    plot = chart(lines[::-1], x, y, "nominal coverage", "mean width", title)
    return _panel(title, plot, f"mean width of the {INTERVAL_COVERAGE:.0%} interval", legend)
