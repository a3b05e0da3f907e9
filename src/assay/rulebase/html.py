"""Rules as a table for notebooks and reports: the conditions, the answer, the rows behind it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from assay.core.palette import CLASS_COLOURS, class_colour
from assay.core.words import number, shorter
from assay.rulebase.linear_answer import LinearAnswer

if TYPE_CHECKING:
    from assay.rulebase.rules import Rule, RuleBase

__all__ = ["rules_html"]

MOST_ROWS = 200  # a longer table helps nobody
_TABLE = "border-collapse:collapse;font-size:0.9em;color:inherit;background:transparent"
_CELL = "padding:3px 10px;vertical-align:top;text-align:left;border-top:1px solid #8884;white-space:normal"
_POLICIES = {
    "first": "The first rule that holds decides.",
    "best": "Of the rules that hold, the most confident one decides.",
    "votes": "The rules that hold vote.",
    "confidence": "The rules that hold vote, weighted by their confidence.",
    "support": "The rules that hold vote, weighted by their support.",
    "product": "The rules that hold vote, weighted by confidence and support.",
    "chi_square": "The rules that hold vote, weighted by how much they and their class go together.",
    "laplace": "The class whose rules that hold have the largest mean Laplace accuracy is the answer.",
    "counts": "The class counts of the rules that hold are added.",
}


def rules_html(base: RuleBase, title: str = "", missing: bool = False) -> str:
    """One row per rule, its coverage as a bar, its classes as the parts of the bar."""
    most = max([rule.n for rule in base.rules] + [sum(base.default_counts)] + [0.0])
    counted = most > 0
    head = ["", "if", "then", *(["rows", "of its answer" if base.classes is not None else "error"] * counted)]
    body = [_line(base, r, rule, most, missing) for r, rule in enumerate(base.rules[:MOST_ROWS])]
    if len(base.rules) > MOST_ROWS:
        body.append(
            _row(["", f"... and {len(base.rules) - MOST_ROWS:,} more rules", ""] + ["", ""] * counted)
        )
    if base.default is not None:
        cells = ["", "<i>else</i>", f"<b>{_answer(base, base.default)}</b>"]
        if counted:
            uncovered = sum(base.default_counts)
            numbers = ["", ""] if base.classes is None else None
            cells += numbers or _evidence(base.default, base.default_counts, uncovered, most, base, None)
        body.append(_row(cells))
    columns = "".join(f'<th style="{_CELL};border-top:none">{name}</th>' for name in head)
    n = len(base.rules)
    caption = _POLICIES[base.policy]
    if base.classes is None and base.policy != "first":
        caption = "The answer is the mean of the rules that hold."
    if base.top is not None and base.policy not in ("first", "best"):
        few = (
            f"the {base.top} most confident of each class"
            if base.policy == "laplace"
            else f"the first {base.top} of them"
        )
        caption += f" Only {few} are heard."
    intro = f"{n:,} rule{'' if n == 1 else 's'}. {caption}"
    name = f"<b>{escape(title)}</b>: " if title else ""
    return (
        f'<div class="assay-rules"><p style="margin:0 0 4px 0">{name}{intro}</p>'
        f'<table style="{_TABLE}"><thead><tr>{columns}</tr></thead><tbody>{"".join(body)}</tbody></table>'
        f"{_legend(base) if counted else ''}</div>"
    )


def _line(base: RuleBase, r: int, rule: Rule, most: float, missing: bool) -> str:
    parts = [escape(c.words(base.schema, missing)) for c in rule.conditions] or ["<i>anything</i>"]
    premise = "<br>".join([parts[0], *(f'<span style="opacity:0.6">and</span> {part}' for part in parts[1:])])
    cells = [f"R{r + 1}", premise, f"<b>{_answer(base, rule.answer)}</b>"]
    if most:
        cells += _evidence(rule.answer, rule.counts, rule.n, most, base, rule.error)
    return _row(cells)


def _evidence(
    answer: Any, counts: tuple[float, ...], n: float, most: float, base: RuleBase, error: float | None
) -> list[str]:
    """The bar of the rows, and how many have the answer."""
    if base.classes is None:
        return [_bar([n / most], n), "" if error is None else shorter(error, 4)]
    correct = counts[base.classes.index(answer)] if counts and answer in base.classes else 0.0
    return [_bar([c / most for c in counts], n), f"{correct / n:.1%}" if n else ""]


def _bar(parts: list[float], n: float) -> str:
    width = 140
    block = "display:inline-block;height:0.75em"
    spans = "".join(
        f'<span style="{block};width:{part * width:.1f}px;background:{class_colour(k)}"></span>'
        for k, part in enumerate(parts)
        if part > 0
    )
    return f'<span style="white-space:nowrap">{spans} {shorter(n)}</span>'


def _legend(base: RuleBase) -> str:
    if base.classes is None or len(base.classes) > len(CLASS_COLOURS):
        return ""
    items = "".join(
        f'<span style="margin-right:12px"><span style="display:inline-block;width:0.75em;height:0.75em;'
        f'background:{class_colour(k)}"></span> {escape(str(c))}</span>'
        for k, c in enumerate(base.classes)
    )
    return f'<p style="margin:4px 0 0 0;font-size:0.85em">Rows by their class: {items}</p>'


def _answer(base: RuleBase, answer: Any) -> str:
    if isinstance(answer, LinearAnswer):
        return escape(answer.words(base.schema, 4))
    return escape(str(answer) if base.classes is not None else number(float(answer)))


def _row(cells: list[str]) -> str:
    return "<tr>" + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in cells) + "</tr>"
