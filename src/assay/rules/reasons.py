"""Why rules answer as they do for one row: what fired, and what would have to change for another answer."""

from __future__ import annotations

from typing import Any

from assay.core.explanation import Section
from assay.core.rules import RuleBase

__all__ = ["rule_reasons"]


def rule_reasons(base: RuleBase, X: Any) -> list[Section]:
    """The rules that cover the row, in words, with their training counts."""
    fired = base.covers_block(X)[0]
    classes = [str(c) for c in base.classes or ()]
    rows = [
        [f"R{r + 1}", rule.premise(base.schema), rule.answer, rule.n, *rule.counts]
        for r, rule in enumerate(base.rules)
        if fired[r]
    ]
    return [Section("Rules that hold", ["rule", "if", "then", "rows", *classes], rows)]
