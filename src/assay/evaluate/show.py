"""A comparison as text, in a terminal, in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.evaluate.verdict import Standing, shown_p

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = ["as_html", "as_rich", "as_text", "cells", "conclusion", "duration", "headline"]


def headline(result: Comparison) -> str:
    """Data and design in one line."""
    design = str(result.design).capitalize()
    return f"{result.data.name}: {result.data.words}. {design}, seed {result.settings['seed']}."


def columns(result: Comparison) -> list[str]:
    """The table's heads."""
    first, *others = result.metrics
    sure = f"{1 - result.alpha:.0%} interval"
    prepared = ["prepared"] if any(result.prepared.values()) else []
    return ["learner", first.name, sure, "vs best", "p", "groups", *(m.name for m in others), "fit", "predict",
            *prepared]  # fmt: skip


def cells(result: Comparison, s: Standing) -> list[str]:
    """One learner's line; a failed one has its reason instead of numbers."""
    heads = columns(result)
    if s.failure:
        return [s.learner, s.failure] + [""] * (len(heads) - 2)
    interval = "" if np.isnan(s.low) else f"{s.low:.4f}–{s.high:.4f}"
    best = s.learner == result.ranking()[0].learner
    others = [
        next(t.mean for t in result.ranking(m.name) if t.learner == s.learner) for m in result.metrics[1:]
    ]
    line = [
        s.learner,
        _number(s.mean),
        interval,
        "" if best else f"{s.difference:+.4f}",
        "" if best or np.isnan(s.p) else shown_p(s.p).removeprefix("p = ").removeprefix("p "),
        s.letters,
        *map(_number, others),
        duration(s.fit_seconds),
        duration(s.predict_seconds),
    ]
    return [*line, s.prepared] if "prepared" in heads else line


def conclusion(result: Comparison) -> str:
    """What follows, in a sentence or two."""
    standings = [s for s in result.ranking() if not s.failure]
    if not standings:
        return "No learner finished."
    m = result.metrics[0]
    first = standings[0]
    if len(standings) == 1:
        return f"{first.learner} has {m.name} {_number(first.mean)}."
    level = [s.learner for s in standings[1:] if s.level]
    if not level:
        return f"{first.learner} has the best {m.name}; every other learner is significantly worse."
    if len(level) == len(standings) - 1:
        return f"{first.learner} has the best {m.name}, but no learner is significantly worse."
    return f"{first.learner} has the best {m.name}; not significantly worse: {', '.join(level)}."


def as_text(result: Comparison) -> str:
    """Ranked, aligned, with notes under the table."""
    heads = columns(result)
    standings = result.ranking()
    rows = [cells(result, s) for s in standings if not s.failure]
    width = [max(len(r[j]) for r in [heads, *rows]) for j in range(len(heads))]
    right = {
        j for j, h in enumerate(heads) if h not in ("learner", "groups", "prepared") and "interval" not in h
    }
    lines = [headline(result), ""]
    for row in [heads, *rows]:
        cut = (v.rjust(w) if j in right else v.ljust(w) for j, (v, w) in enumerate(zip(row, width)))
        lines.append("  ".join(cut).rstrip())
    lines += [f"{s.learner}: {s.failure}" for s in standings if s.failure]
    lines += ["", conclusion(result)]
    if len(rows) > 1:
        lines.append("Learners that share a letter do not differ significantly.")
    lines += [f"note: {note}" for note in result.notes]
    return "\n".join(lines)


def as_rich(result: Comparison) -> Any:
    """A table for the terminal; what is not significantly worse than the best is bold."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for head in columns(result):
        left = head in ("learner", "groups", "prepared") or "interval" in head
        table.add_column(
            Text(head), justify="left" if left else "right", no_wrap=head not in ("learner", "prepared")
        )
    after = []
    for s in result.ranking():
        if s.failure:
            after.append(Text.assemble((s.learner, "bold red"), f" {s.failure}"))
            continue
        style = "bold" if s.level else "dim" if s.difference else ""
        table.add_row(*(Text(v) for v in cells(result, s)), style=style)
    notes = [Text.assemble(("note ", "yellow"), note) for note in result.notes]
    return Group(Text(headline(result)), table, *after, Text(conclusion(result), style="bold"), *notes)


def as_html(result: Comparison) -> str:
    """A small table for notebooks; everything from the data is escaped."""
    heads = "".join(f"<th>{escape(h)}</th>" for h in columns(result))
    body = []
    for s in result.ranking():
        weight = ' style="font-weight:600"' if s.level else ""
        if s.failure:
            span = len(columns(result)) - 1
            body.append(f'<tr><td>{escape(s.learner)}</td><td colspan="{span}">{escape(s.failure)}</td></tr>')
        else:
            body.append(
                f"<tr{weight}>" + "".join(f"<td>{escape(v)}</td>" for v in cells(result, s)) + "</tr>"
            )
    notes = "".join(f"<li>{escape(note)}</li>" for note in result.notes)
    return (
        f'<div class="assay-comparison"><p>{escape(headline(result))}</p><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table><p>{escape(conclusion(result))}</p>"
        + (f"<ul>{notes}</ul>" if notes else "")
        + "</div>"
    )


def duration(seconds: float) -> str:
    """A time as people say it, with two significant digits.

    >>> from assay.evaluate.show import duration
    >>> [duration(t) for t in (0.0000123, 0.00045, 0.31, 2.5, 130)]
    ['12 µs', '0.45 ms', '310 ms', '2.5 s', '2 min 10 s']
    """
    if np.isnan(seconds):
        return ""
    if seconds >= 100:
        return f"{int(seconds // 60)} min {int(seconds % 60)} s"
    for size, unit in ((1.0, "s"), (1e-4, "ms"), (0.0, "µs")):
        if seconds >= size:
            value = seconds / {"s": 1.0, "ms": 1e-3, "µs": 1e-6}[unit]
            return f"{value:.0f} {unit}" if value >= 9.95 else f"{value:.2g} {unit}"
    return "0 µs"


def _number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.4f}"
