"""The part about the best learner's model: which columns matter to it, and the model itself, fitted on all rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from markupsafe import Markup
from sklearn.base import clone

from assay.evaluate import Comparison, PermutationImportance
from assay.evaluate.weights import group_keyword, weight_keyword
from assay.plots.scale import Scale
from assay.report.svg import MARGIN, axis, whisker
from assay.stats.significance.test_result import shown_confidence, shown_p

__all__ = ["columns_part", "model_html"]

PLOT = 380.0  # width of the plot in the table, in its own units
MOST_COLUMNS = 20  # columns in the table
LINES = 20  # lines of a tree or rows of a table of the model
MOST_HTML = 60_000  # characters of the model's part


def columns_part(found: PermutationImportance | None) -> dict[str, Any] | None:
    """The table of the columns, the most important first, with whiskers over one scale."""
    if found is None:
        return None
    shown = found.table(MOST_COLUMNS)
    reach = [v for row in shown for v in (row["importance"], row["low"], row["high"]) if np.isfinite(v)]
    scale = Scale.over([0.0, *reach], PLOT, margin=MARGIN)
    rows = []
    for row in shown:
        matters = row["p"] <= found.alpha
        label = f"{row['column']}: {row['importance']:+.4f}"
        plot = whisker(
            scale, row["importance"], row["low"], row["high"],
            kind="best" if matters else "level", zero=0.0, label=label,
        )  # fmt: skip
        rows.append(
            {
                "kind": "best" if matters else "level",
                "column": row["column"],
                "plot": plot,
                "importance": f"{row['importance']:+.4f}",
                "interval": "none" if np.isnan(row["low"]) else f"{row['low']:+.4f} to {row['high']:+.4f}",
                "p": "none"
                if np.isnan(row["p"])
                else shown_p(row["p"]).removeprefix("p = ").removeprefix("p "),
            }
        )
    return {
        "axis": axis(scale),
        "rows": rows,
        "hidden": len(found.names) - len(rows),
        "headline": found.headline,
        "how": found.how,
        "sure": shown_confidence(found.alpha),
        "learner": found.learner,
    }


def model_html(result: Comparison, name: str) -> Markup | None:
    """The learner fitted on all rows, as it shows itself; None for one that cannot, such as one of another library."""
    assert result.source is not None
    candidate, data = result.candidates[name], result.source
    model = clone(candidate.seeded(result.settings["seed"]))
    if not hasattr(model, "show"):
        return None
    X = data.raw if candidate.raw else data.table
    beside = ((weight_keyword, data.weight), (group_keyword, data.groups))
    named = [(keyword(model), column) for keyword, column in beside if column is not None]
    more = {name: column for name, column in named if name is not None}
    model.fit(X, data.labels[data.codes], **more)
    html = model.show(limit=LINES).to_html()
    if len(html) > MOST_HTML:
        html = model.show(limit=10).to_html()
    return Markup(html) if len(html) <= MOST_HTML else None
