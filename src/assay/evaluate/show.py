"""A comparison as text, in a terminal, in a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.evaluate.digits import shown_metric
from assay.evaluate.learned import learned
from assay.evaluate.remarks import remarks
from assay.evaluate.verdict import Standing
from assay.stats.significance.test_result import shown_confidence, shown_p

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = [
    "as_html",
    "as_rich",
    "as_text",
    "cells",
    "conclusion",
    "duration",
    "headline",
    "shown_value",
]


def headline(result: Comparison) -> str:
    """Data and design in one line."""
    design = str(result.design)
    parts = [design[:1].upper() + design[1:]]
    if result.settings.get("grouped"):
        parts.append("groups kept whole")
    if result.settings.get("weighted"):
        parts.append("rows weighted")
    what = f"Regression of {result.data.target}. " if result.task == "regression" else ""
    line = (
        f"{result.data.name}: {result.data.words}. {what}{', '.join(parts)}, seed {result.settings['seed']}."
    )
    return f"PARTIAL RESULT. {result.partial}. {line}" if result.partial else line


def columns(result: Comparison) -> list[str]:
    """The table's heads."""
    first, *others = result.metrics
    sure = f"{shown_confidence(result.alpha)} interval"
    prepared = ["prepared"] if any(result.prepared.values()) else []
    return ["learner", first.name, sure, "vs best", "p", "groups", *(m.name for m in others), "fit", "predict",
            *prepared]  # fmt: skip


def cells(result: Comparison, s: Standing) -> list[str]:
    """One learner's line; a failed one has its reason instead of numbers."""
    heads = columns(result)
    if s.failure:
        return [s.learner, s.failure] + [""] * (len(heads) - 2)
    low, high = (shown_value(result, v) for v in (s.low, s.high))
    interval = f"{low}–{high}" if low else ""
    best = s.learner == result.ranking()[0].learner
    others = [
        shown_value(
            result, next(t.mean for t in result.ranking(other.name) if t.learner == s.learner), other.name
        )
        for other in result.metrics[1:]
    ]
    line = [
        s.learner,
        shown_value(result, s.mean),
        interval,
        "" if best else shown_value(result, s.difference, sign=True),
        "" if best or np.isnan(s.p) else shown_p(s.p).removeprefix("p = ").removeprefix("p "),
        s.letters,
        *others,
        duration(s.fit_seconds),
        duration(s.predict_seconds),
    ]
    return [*line, s.prepared] if "prepared" in heads else line


def shown_value(result: Comparison, value: float, metric: str | None = None, sign: bool = False) -> str:
    """A value of a metric of a comparison, or a difference of two, with as many decimals as its best learner has.

    Text, pages and their summaries all print by it, so that a number looks the same wherever it stands.

    >>> from assay import compare
    >>> from assay.evaluate.show import shown_value
    >>> result = compare(["mean"], [[float(i)] for i in range(30)], [200.5 * i for i in range(30)], design="5-fold")
    >>> shown_value(result, 12.3456), shown_value(result, 0.5, "r2")
    ('12', '0.5000')
    """
    m = result._metric(metric)
    return shown_metric(m, value, result.ranking(m.name)[0].mean, sign)


def conclusion(result: Comparison) -> str:
    """What follows, in a sentence or two."""
    standings = [s for s in result.ranking() if not s.failure]
    if not standings:
        return "No learner finished."
    m = result.metrics[0]
    standings = [s for s in standings if not np.isnan(s.mean)]
    if not standings:
        return f"No split defines {m.name}, so nothing can be said by it."
    first = standings[0]
    if len(standings) == 1:
        return f"{first.learner} has {m.name} {shown_value(result, first.mean)}."
    who = learned(result)
    if who is not None and who.nothing_shown:
        nothing = f"by {m.name}, nothing was shown to be learned."
        if first.learner == who.reference:
            return f"{first.learner}, which looks at no column, has the best {m.name}: {nothing}"
        if who.reference:
            blind = f"{who.reference}, which looks at no column, is not significantly worse"
        else:
            blind = "is not significantly better than answering the most frequent class always"
        return f"{first.learner} has the best {m.name}, but {blind}: {nothing}"
    level = [s.learner for s in standings[1:] if s.level]
    if not level:
        return f"{first.learner} has the best {m.name}; every other learner is significantly worse."
    if len(level) == len(standings) - 1:
        sentence = f"{first.learner} has the best {m.name}, but no learner is significantly worse."
    else:
        sentence = f"{first.learner} has the best {m.name}; not significantly worse: {', '.join(level)}."
    if who is not None and who.reference in level:
        shown = ", ".join(who.shown)
        sentence += f" {who.reference} looks at no column; significantly better than it: {shown}."
    return sentence


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
    lines += [f"{kind}: {note}" for kind, note in remarks(result)]
    return "\n".join(lines)


def as_rich(result: Comparison, rope: float | None = None) -> Any:
    """For the terminal: as much in one table as its width allows; what is not significantly worse is bold.

    With a ``rope``, reasons to doubt the result stand among the remarks.
    """
    return _Terminal(result, rope)


class _Terminal:
    """Fits itself to the width: further metrics move to a table of their own, then times and preparations go."""

    def __init__(self, result: Comparison, rope: float | None = None):
        self.result, self.rope = result, rope

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        from rich.text import Text

        result = self.result
        heads = columns(result)
        rows = [(s, cells(result, s)) for s in result.ranking() if not s.failure]
        width = [max(len(v) for v in [head, *(r[j] for _, r in rows)]) + 2 for j, head in enumerate(heads)]
        kept = list(range(len(heads)))
        others = [j for j in kept if heads[j] in {m.name for m in result.metrics[1:]}]
        for drop in (
            others,
            *([j] for h in ("prepared", "predict", "fit") if h in heads for j in [heads.index(h)]),
        ):
            if sum(width[j] for j in kept) - 2 <= options.max_width:
                break
            kept = [j for j in kept if j not in drop]
        yield Text(headline(result) + "\n")
        yield _rich_table(heads, rows, kept)
        if others and others[0] not in kept:
            yield Text("")
            yield _rich_table(heads, rows, [0, *others])
        yield Text("")
        for s in result.ranking():
            if s.failure:
                yield Text.assemble((s.learner, "bold red"), f" {s.failure}")
        yield Text(conclusion(result), style="bold")
        if len(rows) > 1:
            yield Text("Learners that share a letter do not differ significantly.", style="dim")
        for kind, note in remarks(result, self.rope):
            yield Text.assemble((f"{kind} ", "yellow" if kind == "note" else "bold yellow"), note)


def _rich_table(heads: list[str], rows: list[tuple[Standing, list[str]]], kept: list[int]) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for j in kept:
        left = heads[j] in ("learner", "groups", "prepared") or "interval" in heads[j]
        table.add_column(Text(heads[j]), justify="left" if left else "right", no_wrap=heads[j] != "learner")
    for s, row in rows:
        table.add_row(*(Text(row[j]) for j in kept), style="bold" if s.level else "dim")
    return table


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
    notes = "".join(f"<li>{escape(kind)}: {escape(note)}</li>" for kind, note in remarks(result))
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
