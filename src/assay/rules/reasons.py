"""Explanations of rule-based predictions: the rules that fire, and counterfactuals."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.explanation import Section
from assay.core.explanations import Reasons, dense_block
from assay.core.words import number, shorter, value_word
from assay.rulebase.posterior import best_order, mean_votes
from assay.rulebase.rules import RuleBase
from assay.rules.other_answers import Answer, other_answers
from assay.types import TableLike

__all__ = ["rule_reasons"]

MOST_RULES = 8  # that an explanation shows


def rule_reasons(base: RuleBase, X: TableLike, answer: Answer | None = None) -> Reasons:
    """The rules that cover each row, in words, with their training counts; and the smallest changes of the row that
    lead to other answers, which are searched for when the row is asked for.

    Parameters
    ----------
    base : RuleBase
    X : (n, d) float block
    answer : function of a block, or None
        What the model answers, where that is more than its rules and their policy.
    """
    X = np.ascontiguousarray(dense_block(X), np.float64)
    covers = base.covers_block(X)
    order = best_order(base) if base.policy == "best" else range(len(base.rules))

    def sections(i: int) -> list[Section]:
        fired = np.array([r for r in order if covers[i, r]], int)
        others = _another(base, X[i], answer)
        return [_that_hold(base, fired)] + ([] if others is None else [others])

    return Reasons(sections)


def _that_hold(base: RuleBase, fired: np.ndarray) -> Section:
    classes = [str(c) for c in base.classes or ()]
    rows: list[list[Any]] = []
    if not len(fired):
        counts = list(base.default_counts) if base.default_counts else [""] * len(classes)
        uncovered = sum(base.default_counts) if base.default_counts else ""
        rows = [["ELSE", "no rule holds", _answer_text(base, base.default), uncovered, *counts]]
    for r in fired[:MOST_RULES].tolist():
        rule = base.rules[r]
        parts = [c.words(base.schema) for c in rule.conditions] or ["anything"]
        counts = list(rule.counts) if rule.counts else [""] * len(classes)
        rows.append([f"R{r + 1}", parts[0], _answer_text(base, rule.answer), rule.n, *counts])
        rows += [["", f"AND {part}", "", "", *[""] * len(classes)] for part in parts[1:]]
    return Section("Rules that hold", ["rule", "if", "then", "rows", *classes], rows, _decision(base, fired))


def _decision(base: RuleBase, fired: np.ndarray) -> str:
    """Who decides, in a sentence."""
    more = f" {len(fired) - MOST_RULES} more rules hold." if len(fired) > MOST_RULES else ""
    if not len(fired):
        return "The default answers." if base.default is not None else "There is no default."
    if base.policy in ("first", "best") or (base.top == 1 and base.policy != "laplace"):
        why = "it is the most confident of them" if base.policy == "best" else "it stands first"
        return f"R{fired[0] + 1} decides: {why}.{more}" if len(fired) > 1 else f"R{fired[0] + 1} decides."
    heard = fired if base.top is None or base.policy == "laplace" else fired[: base.top]
    if base.classes is None:
        return f"The answer is their mean.{more}"
    votes = base._ballots[heard].sum(axis=0)
    if base.policy == "laplace":
        votes = mean_votes(base, np.isin(np.arange(len(base.rules)), fired)[None, :])[0]
    tally = ", ".join(f"{c} {shorter(v, 4)}" for c, v in zip(base.classes, votes) if v)
    ways = {"votes": "", "confidence": ", weighted by confidence", "support": ", weighted by support"}
    ways |= {"product": ", weighted by confidence and support", "counts": " with their class counts"}
    ways |= {"chi_square": ", weighted by chi-square", "laplace": " with their mean Laplace accuracy"}
    few = "" if base.top is None or len(heard) == len(fired) else f" The first {base.top} are heard."
    return f"They vote{ways[base.policy]}: {tally}.{few}{more}"


def _another(base: RuleBase, x: np.ndarray, answer: Answer | None) -> Section | None:
    try:
        alternatives = other_answers(base, x, answer)
    except TypeError:  # conditions of another kind, which cannot be turned round
        return None
    rows = []
    for other in alternatives:
        label = _answer_text(base, other.answer)
        for condition in other.conditions:
            column = base.schema[condition.column]
            now = value_word(column, float(x[condition.column]))
            rows.append([label, condition.words(base.schema), now])
            label = ""
    if not rows:
        return None
    several = any(len(other.conditions) > 1 for other in alternatives)
    note = "All changes of an answer together; the rest of the row stays." if several else ""
    return Section("Another answer if", ["answer", "change", "now"], rows, note)


def _answer_text(base: RuleBase, answer: Any) -> str:
    if answer is None:
        return ""
    if base.classes is not None:
        return str(answer)
    return answer.words(base.schema, 4) if hasattr(answer, "words") else number(float(answer))
