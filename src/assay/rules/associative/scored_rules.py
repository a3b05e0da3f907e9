"""Voting of many rules on many rows: class scores, probabilities, explanations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import assay.rules.associative._class_sets as _class_sets
from assay.core.explanation import Section
from assay.core.parallel import in_threads
from assay.rulebase.conditions import RowTest
from assay.rulebase.posterior import rules_posterior, shares, voting_order
from assay.rulebase.rules import RuleBase

__all__ = ["rule_score_sections", "rule_scores", "rule_weights", "vote_scores", "voted_posterior"]

ROWS = 1 << 14  # rows that are looked at together
DIRECT_ROWS = 256  # rows for which it does not pay to number the conditions
ALL = 2**31 - 1


def rule_scores(
    base: RuleBase, X: np.ndarray, adds: np.ndarray, *, top: int | None = None, per_class: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """The sum of what the rules that cover each row add to their classes, and how many voted.

    Each condition is applied once, whatever the number of rules that share it; then rows are bits.

    Parameters
    ----------
    X : (n, d) float block      adds : (R,) what each rule adds
    top : int or None
        How many of the rules that cover a row are heard, the first ones; ``per_class``: of each class.

    Returns
    -------
    scores : (n, K)      heard : (n, K) int32 if per_class, else (n, 1)
    """
    classes: Any = base.classes
    number: dict[RowTest, int] = {}
    for rule in base:
        for condition in rule.conditions:
            number.setdefault(condition, len(number))
    start = np.cumsum([0, *(len(rule.conditions) for rule in base)]).astype(np.int64)
    parts = np.array([number[c] for rule in base for c in rule.conditions], np.int32)
    place = {label: k for k, label in enumerate(classes)}
    answer = np.array([place[rule.answer] for rule in base], np.int32)
    adds = np.ascontiguousarray(adds, np.float64)

    def piece(first: int) -> tuple[np.ndarray, np.ndarray]:
        block = X[first : first + ROWS]
        scores = np.zeros((len(block), len(classes)))
        heard = np.zeros((len(block), len(classes) if per_class else 1), np.int32)
        bits = np.zeros((len(number), (len(block) + 63) // 64), np.uint64)
        for c, condition in enumerate(number):
            packed = np.packbits(condition.covers(block), bitorder="little")
            bits[c].view(np.uint8)[: len(packed)] = packed
        most = ALL if top is None else min(top, ALL)
        _class_sets.add_votes(
            bits=bits,
            start=start,
            conditions=parts,
            classes=answer,
            adds=adds,
            top=most,
            per_class=per_class,
            scores=scores,
            heard=heard,
        )
        return scores, heard

    pieces = in_threads(piece, range(0, max(1, len(X)), ROWS))
    return np.concatenate([p[0] for p in pieces]), np.concatenate([p[1] for p in pieces])


def rule_weights(base: RuleBase) -> np.ndarray:
    """(R,) what each voting rule adds to its class."""
    return base._ballots.max(axis=1, initial=0.0)


def vote_scores(base: RuleBase, X: np.ndarray) -> np.ndarray:
    """(n, K) the sum of the votes of the rules, or with "laplace" their mean."""
    order, means = voting_order(base), base.policy == "laplace"
    ranked = replace(base, rules=tuple(base.rules[r] for r in order)) if means else base
    votes, heard = rule_scores(ranked, X, rule_weights(base)[order], top=base.top, per_class=means)
    return votes / np.maximum(heard, 1) if means else votes


def voted_posterior(base: RuleBase, X: np.ndarray) -> np.ndarray:
    """(n, K) what :func:`assay.rulebase.posterior.rules_posterior` gives, quickly also for thousands of rules."""
    if base.policy in ("first", "best", "counts") or not len(base) or len(X) < DIRECT_ROWS:
        return rules_posterior(base, X)
    return shares(base, vote_scores(base, X))


def rule_score_sections(base: RuleBase, X: np.ndarray, what: str) -> Callable[[int], list[Section]]:
    """What each firing rule has to say for a row of a block, and the score of each class."""
    fires = np.array([rule.covers(X) for rule in base]).reshape(len(base), len(X))
    adds, scores = rule_weights(base), vote_scores(base, X)

    def sections(i: int) -> list[Section]:
        lines = [
            [f"R{r + 1}", str(base.rules[r].answer), float(adds[r])] for r in np.flatnonzero(fires[:, i])
        ]
        classes = [[str(label), float(s)] for label, s in zip(base.classes or (), scores[i])]
        if not lines:
            return []
        return [
            Section(f"The {what} of each rule", ["rule", "class", what], lines),
            Section("The score of each class", ["class", "score"], classes),
        ]

    return sections
