"""Rules whose say is a score: from the scores of the classes to probabilities and to reasons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.core.explanation import Section
from assay.core.rule_posterior import distribution
from assay.core.rules import RuleBase

__all__ = ["posterior_of_scores", "rule_score_sections"]

EQUAL = 1e-12  # scores that differ by less, in parts, are equal
AHEAD = 1e-9  # by how much, in parts, the class with the larger prior is put before its equals
CELLS = 1 << 22  # rows times rules that are looked at together

Scores = Callable[[np.ndarray], np.ndarray]


def posterior_of_scores(base: RuleBase, X: Any, scores: Scores) -> np.ndarray:
    """(n, K) each class's share of the scores; where no rule fires, what the default says.

    Among classes with the largest score, that with the larger prior is put ahead, then the first.

    Parameters
    ----------
    scores : function of (n, R) bool, which rules fire, that gives (n, K) scores, none negative
    """
    K, step = len(base.classes or ()), max(1, CELLS // max(1, len(base)))
    default, totals = distribution(base, -1), np.array(base.totals or np.zeros(K))
    prior = np.empty(K, np.int64)
    prior[np.lexsort((np.arange(K), -totals))] = np.arange(K)
    posterior = np.empty((X.shape[0], K))
    for first in range(0, X.shape[0], step):
        block = slice(first, first + step)
        score = scores(base._firing.covers(X[block]).astype(np.float64))
        total = score.sum(axis=1)
        best = score >= score.max(axis=1, keepdims=True) * (1 - EQUAL)
        winner = np.where(best, prior, K).argmin(axis=1)
        rows = np.arange(len(score))
        tied = best.sum(axis=1) > 1
        top = score.max(axis=1)
        score[rows[tied], winner[tied]] = top[tied] * (1 + AHEAD)
        some = total > 0
        posterior[block] = np.where(
            some[:, None], score / np.where(some, score.sum(axis=1), 1.0)[:, None], default
        )
    return posterior


def rule_score_sections(base: RuleBase, X: Any, adds: np.ndarray, scores: Scores, what: str) -> list[Section]:
    """What each firing rule has to say for one row, and the score of each class."""
    fired = base._firing.covers(X)
    rows = [[f"R{r + 1}", _label(base.rules[r].answer), float(adds[r])] for r in np.flatnonzero(fired[0])]
    if not rows:
        return []
    score = scores(fired.astype(np.float64))[0]
    classes = [[_label(label), float(s)] for label, s in zip(base.classes or (), score)]
    return [
        Section(f"The {what} of each rule", ["rule", "class", what], rows),
        Section("The score of each class", ["class", "score"], classes),
    ]


def _label(label: Any) -> str:
    return str(label)
