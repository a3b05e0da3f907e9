"""The part about the best learner's model: which columns matter to it, and the model itself, fitted on all rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from markupsafe import Markup
from sklearn.base import clone

from assay.evaluate import Comparison, PermutationImportance
from assay.evaluate.weights import group_keyword, time_keyword, weight_keyword
from assay.plots.scale import Scale
from assay.report.svg import MARGIN, axis, whisker
from assay.stats.significance.test_result import shown_confidence, shown_p

__all__ = ["columns_part", "model_html"]

PLOT = 380.0  # width of the plot in the table, in its own units
MAX_COLUMNS = 20  # columns in the table
MAX_LINES = 20  # lines of a tree or rows of a table of the model
MAX_HTML = 60_000  # characters of the model's part


def columns_part(importance: PermutationImportance | None) -> dict[str, Any] | None:
    """The table of the columns, the most important first, with whiskers over one scale."""
    if importance is None:
        return None
    entries = importance.table(MAX_COLUMNS)
    reach = [v for row in entries for v in (row["importance"], row["low"], row["high"]) if np.isfinite(v)]
    scale = Scale.over([0.0, *reach], PLOT, margin=MARGIN)
    rows = []
    for row in entries:
        significant = row["p"] <= importance.alpha
        label = f"{row['column']}: {importance.shown(row['importance'], sign=True)}"
        plot = whisker(
            scale, row["importance"], row["low"], row["high"],
            kind="best" if significant else "level", zero=0.0, label=label,
        )  # fmt: skip
        rows.append(
            {
                "kind": "best" if significant else "level",
                "column": row["column"],
                "plot": plot,
                "importance": importance.shown(row["importance"], sign=True),
                "interval": "none"
                if np.isnan(row["low"])
                else " to ".join(importance.shown(row[end], sign=True) for end in ("low", "high")),
                "p": "none"
                if np.isnan(row["p"])
                else shown_p(row["p"]).removeprefix("p = ").removeprefix("p "),
            }
        )
    return {
        "axis": axis(scale),
        "rows": rows,
        "hidden": len(importance.names) - len(rows),
        "headline": importance.headline,
        "how": importance.how,
        "sure": shown_confidence(importance.alpha),
        "learner": importance.learner,
    }


def model_html(result: Comparison, name: str) -> Markup | None:
    """The learner fitted on all rows, as its show() gives it; None for one without show()."""
    assert result.source is not None
    candidate, data = result.candidates[name], result.source
    model = clone(candidate.seeded(result.settings["seed"]))
    if not hasattr(model, "show"):
        return None
    X = data.raw if candidate.raw else data.table
    arguments = ((weight_keyword, data.weight), (group_keyword, data.groups), (time_keyword, data.times))
    accepted = [(keyword(model), column) for keyword, column in arguments if column is not None]
    fit_arguments = {name: column for name, column in accepted if name is not None}
    model.fit(X, data.values_of_target, **fit_arguments)
    html = model.show(limit=MAX_LINES).to_html()
    if len(html) > MAX_HTML:
        html = model.show(limit=10).to_html()
    return Markup(html) if len(html) <= MAX_HTML else None
