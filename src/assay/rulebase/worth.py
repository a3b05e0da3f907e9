"""The quality measures of the rules of a base, as a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.rulebase.conditions import Condition, RowTest
from assay.rulebase.linear_answer import LinearAnswer
from assay.rulebase.measures import (
    confidence,
    foil_gain,
    laplace,
    lift,
    likelihood_p,
    likelihood_ratio,
    m_estimate,
    rule_bits,
)

if TYPE_CHECKING:
    from assay.rulebase.rules import RuleBase

__all__ = ["description_bits", "possible_conditions", "rules_measures", "tests_of"]


def rules_measures(base: RuleBase, m: float = 2.0, possible: int | None = None) -> dict[str, list[Any]]:
    """A column for each measure, a row for each rule; see :meth:`assay.rulebase.rules.RuleBase.measures`."""
    rules = base.rules
    table: dict[str, list[Any]] = {
        "rule": [f"R{r}" for r in range(1, len(rules) + 1)],
        "if": [rule.premise(base.schema) for rule in rules],
        "then": [
            r.answer.words(base.schema) if isinstance(r.answer, LinearAnswer) else r.answer for r in rules
        ],
        "conditions": [len(rule.conditions) for rule in rules],
        "coverage": [rule.n for rule in rules],
        "support": [rule.support for rule in rules],
    }
    if base.classes is None:
        return table | {
            "error": [rule.error for rule in rules],
            "bits": description_bits(base, possible).tolist(),
        }
    K = len(base.classes)
    counts = np.array([rule.counts or (0.0,) * K for rule in rules], np.float64).reshape(-1, K)
    classes = [base.classes.index(rule.answer) for rule in rules]
    p = counts[np.arange(len(classes)), classes]
    n = counts.sum(axis=1) - p
    totals = np.array(base.totals or counts.sum(axis=0), np.float64)
    share = totals / totals.sum() if totals.sum() > 0 else np.zeros(K)
    prior, P = share[classes], totals[classes]
    ratio = likelihood_ratio(counts, totals)
    columns = {
        "correct": p,
        "confidence": confidence(p, n),
        "lift": lift(p, n, prior),
        "laplace": laplace(p, n, K),
        "m_estimate": m_estimate(p, n, prior, m),
        "likelihood_ratio": ratio,
        "p_value": likelihood_p(ratio, K),
        "foil_gain": foil_gain(P, totals.sum() - P, p, n),
        "bits": description_bits(base, possible),
    }
    return table | {name: np.asarray(column, np.float64).tolist() for name, column in columns.items()}


def description_bits(base: RuleBase, possible: int | None = None) -> np.ndarray:
    """(R,) the description length of each rule, in bits, among so many possible conditions."""
    sizes = [len(tests_of(rule.conditions)) for rule in base.rules]
    possible = possible_conditions(base) if possible is None else possible
    return np.asarray(rule_bits(sizes, possible), np.float64).reshape(-1)


def possible_conditions(base: RuleBase) -> int:
    """How many different conditions the base itself makes use of: the least that its rules choose from."""
    return len({test for rule in base.rules for test in tests_of(rule.conditions)})


def tests_of(conditions: tuple[RowTest, ...]) -> list[RowTest]:
    """The single tests of a premise: an interval with two ends is two of them."""
    tests: list[RowTest] = []
    for c in conditions:
        if isinstance(c, Condition) and c.codes is None and -math.inf < c.low < c.high < math.inf:
            low = "left" if c.low_in else "neither"
            high = "right" if c.high_in else "neither"
            tests.append(Condition(c.column, low=c.low, closed=low, missing=c.missing))  # type: ignore[arg-type]
            tests.append(Condition(c.column, high=c.high, closed=high, missing=c.missing))  # type: ignore[arg-type]
        else:
            tests.append(c)
    return tests
