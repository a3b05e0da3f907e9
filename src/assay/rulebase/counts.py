"""Coverage counts of rules: how many rows each covers, by class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import DataError
from assay.rulebase.posterior import numbers_of

if TYPE_CHECKING:
    from assay.rulebase.rules import Rule, RuleBase

__all__ = ["class_codes", "counted"]

CELLS = 1 << 22  # rows times rules that are looked at together


def counted(base: RuleBase, values: Any, y: np.ndarray, w: np.ndarray | None = None) -> RuleBase:
    """The rules with their counts on the rows of a block.

    In an ordered list a rule's counts are those of the rows that reach it; in a set, of all rows that it covers.

    Parameters
    ----------
    values : (n, d) float block      y : (n,) places among the classes, or numbers      w : (n,) weights or None
    """
    w = np.ones(len(y)) if w is None else w
    total, R = float(w.sum()), len(base.rules)
    if base.classes is None:
        return replace(base, rules=tuple(_deviations(base, values, y, w, total)))
    counts = _class_counts(base, values, y, w).tolist()
    place = {c: k for k, c in enumerate(base.classes)}
    rules = tuple(
        replace(
            rule,
            n=sum(class_counts),
            total=total,
            counts=tuple(class_counts),
            correct=class_counts[place[rule.answer]],
        )
        for rule, class_counts in zip(base.rules, counts)
    )
    totals = tuple(np.bincount(y, w, len(base.classes)).tolist())
    return replace(base, rules=rules, totals=totals, default_counts=tuple(counts[R]))


def _class_counts(base: RuleBase, values: Any, y: np.ndarray, w: np.ndarray) -> np.ndarray:
    """(R + 1, K) the weight of each class under each rule, and last of the rows that no rule covers."""
    R, K, first = len(base.rules), len(base.classes or ()), base.firing_block(values)
    place = np.where(first < 0, R, first)
    if base.policy == "first":
        return np.bincount(place * K + y, w, (R + 1) * K).reshape(R + 1, K)
    counts = np.zeros((R + 1, K))
    counts[R] = np.bincount(y[first < 0], w[first < 0], K)
    step = max(1, CELLS // max(R, K))
    for a in range(0, len(y), step):  # some rows at a time: rows times rules would take much memory
        rows = slice(a, a + step)
        marks = np.zeros((len(y[rows]), K))
        marks[np.arange(len(marks)), y[rows]] = w[rows]
        counts[:R] += base.covers_block(values[rows]).T.astype(np.float64) @ marks
    return counts


def _deviations(base: RuleBase, values: Any, y: np.ndarray, w: np.ndarray, total: float) -> Iterator[Rule]:
    """Rules of numbers with their rows, and how far those are from the rule's answer."""
    first = base._firing.first(values)
    for r, rule in enumerate(base.rules):
        covered = first == r if base.policy == "first" else rule.covers(values)
        n = float(w[covered].sum())
        square = w[covered] * (y[covered] - numbers_of(rule.answer, values[covered])) ** 2
        yield replace(rule, n=n, total=total, error=float(np.sqrt(square.sum() / n)) if n else None)


def class_codes(classes: tuple[Any, ...], y: np.ndarray) -> np.ndarray:
    """(n,) the place of each label among the classes."""
    place = {c: k for k, c in enumerate(classes)}
    try:
        return np.array([place[label] for label in y.tolist()], np.int64)
    except KeyError as error:
        raise DataError(
            f"RuleBase: y has the label {error.args[0]!r}, which is none of the classes "
            f"{', '.join(map(repr, classes[:8]))}{', ...' if len(classes) > 8 else ''}."
        ) from None
