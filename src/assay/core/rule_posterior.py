"""From rules that fire to class probabilities: who decides where several rules cover a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from assay.core.rules import RuleBase

__all__ = ["distribution", "rules_posterior"]

AHEAD = (
    1e-9  # by how much, in parts, a rule's answer is kept before the classes that its rows have more often
)


def rules_posterior(base: RuleBase, values: np.ndarray, covered: np.ndarray | None = None) -> np.ndarray:
    """(n, K) the probability of each class by the policy of a rule base.

    Parameters
    ----------
    values : (n, d) float block      covered : (n, R) bool which rules cover each row, if that is known already
    """
    classes = base.classes
    if classes is None:
        raise ValueError("rules_posterior: rules whose answers are numbers have no class probabilities.")
    given = np.array([distribution(base, r) for r in range(len(base.rules))]).reshape(-1, len(classes))
    default = distribution(base, -1)
    if base.policy == "first":
        first = base.firing_block(values) if covered is None else _first(covered)
        return np.vstack([given, default])[first]
    covered = base.covers_block(values) if covered is None else covered
    if base.policy == "best":
        order = np.argsort(-given.max(axis=1), kind="stable")
        return np.vstack([given[order], default])[_first(covered[:, order])]
    votes = covered.astype(np.float64) @ _ballots(base, given)
    total = votes.sum(axis=1, keepdims=True)
    return np.where(total > 0, votes / np.where(total > 0, total, 1.0), default)


def distribution(base: RuleBase, rule: int) -> np.ndarray:
    """(K,) the class probabilities where one rule decides; -1 means the default.

    Counts are smoothed; the answer itself is never behind another class, so that what a rule says is what it does.
    A rule that was never measured is sure of its answer.
    """
    classes: Any = base.classes
    answer = base.default if rule < 0 else base.rules[rule].answer
    counts = base.default_counts if rule < 0 else base.rules[rule].counts
    if answer is None:
        counts = base.totals or (1.0,) * len(classes)
    if not sum(counts) and answer is not None:
        return np.array([float(c == answer) for c in classes])
    p = np.asarray(counts, np.float64) + base.smoothing
    if answer is not None:
        others, k = np.arange(len(p)) != classes.index(answer), classes.index(answer)
        if len(p) > 1 and p[k] <= p[others].max():
            p[k] = p[others].max() * (1 + AHEAD)
    return p / p.sum()


def _ballots(base: RuleBase, given: np.ndarray) -> np.ndarray:
    """(R, K) what each rule adds to the classes when it fires."""
    if base.policy == "counts":
        return np.array([rule.counts or one for rule, one in zip(base.rules, given)], float).reshape(
            given.shape
        )
    own = np.array([base.classes.index(rule.answer) for rule in base.rules], int)  # type: ignore[union-attr]
    ballots = np.zeros_like(given)
    rows = np.arange(len(own))
    ballots[rows, own] = given[rows, own] if base.policy == "confidence" else 1.0
    return ballots


def _first(covered: np.ndarray) -> np.ndarray:
    """(n,) the first true column of each row; -1 if there is none."""
    if covered.shape[1] == 0:
        return np.full(len(covered), -1)
    return np.where(covered.any(axis=1), covered.argmax(axis=1), -1)
