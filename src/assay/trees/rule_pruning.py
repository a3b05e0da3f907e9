"""Simpler rules: conditions that do not lower the error are dropped, as C4.5rules does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.conditions import Condition, RowTest
from assay.core.rule_measures import pessimistic_error
from assay.core.rules import Rule, RuleBase
from assay.core.targets import check_weights
from assay.errors import DataError
from assay.trees.rules import joined

__all__ = ["pessimistic_error", "simplify"]

SLACK = 1e-12  # two estimates that differ by less are equal


def simplify(
    base: RuleBase, X: Any, y: Any, *, confidence: float = 0.25, sample_weight: Any = None
) -> RuleBase:
    r"""Drop single conditions of single rules while the estimated error does not rise; then order the rules.

    The estimate for a rule that covers N rows and errs on E of them is the upper confidence limit of its error
    rate (:func:`pessimistic_error`). For numbers it is M5's: the root mean squared deviation from the rule's mean,
    times :math:`(N + v)/(N - v)` for v conditions. Each step drops the condition whose loss lowers the estimate
    most. Rules that become equal are kept once; rules without any condition left become the default.

    Simplified rules may overlap and may leave rows uncovered, so they get an order and a default: the rules of a
    class stay together, the class with the fewest false positives first, inside a class the surest rule first;
    rules of numbers by their estimated error. A rule without which the list errs less is dropped. The default is
    the most frequent class, or the mean, of the rows that no rule covers.

    Parameters
    ----------
    base : RuleBase
    X : table      y : (n,) labels or numbers
        The training rows, or others.
    confidence : float, default 0.25
        Smaller values prune more.
    sample_weight : (n,) or None

    Examples
    --------
    The colour matters, the size does not:

    >>> from assay.core.conditions import Condition
    >>> from assay.core.rules import Rule, RuleBase
    >>> from assay.tables import Table
    >>> from assay.trees.rule_pruning import simplify
    >>> table = Table.of({"size": [1.0, 2, 3, 4, 5, 6], "colour": list("rrrbbb")})
    >>> rule = Rule((Condition(0, high=2.5), Condition(1, codes=(1,))), "yes")
    >>> print(simplify(RuleBase((rule,), table.schema, ("no", "yes")), table, ["yes"] * 3 + ["no"] * 3))
    R1: IF colour = 'r' THEN yes
    ELSE no
    """
    if not 0 < confidence < 1:
        raise ValueError(f"simplify: confidence must be a number between 0 and 1, got {confidence!r}.")
    values, y = base.block(X), np.asarray(y)
    if len(y) != len(values):
        raise DataError(f"simplify: X has {len(values)} rows, y has {len(y)}.")
    w = check_weights(sample_weight, values)
    w = np.ones(len(y)) if w is None else w
    y = y.astype(np.float64) if base.classes is None else y
    found: dict[tuple[frozenset[RowTest], Any], tuple[float, Rule]] = {}
    for rule in base.rules:
        estimate, short = _shortened(rule, values, y, w, base.classes is not None, confidence)
        if short.conditions:
            found.setdefault((frozenset(short.conditions), short.answer), (estimate, short))
    surest = sorted(found.values(), key=lambda pair: (round(pair[0], 12), -pair[1].n))
    rules = [rule for _, rule in surest]
    if base.classes is not None:
        rules = _by_class(rules, values, y, w, base.classes)
        rules = _useful(rules, values, y, w, base.classes)
    covered = np.zeros(len(y), bool)
    for rule in rules:
        covered |= rule.covers(values)
    simple = replace(base, rules=tuple(rules), default=_default(base.classes, covered, y, w))
    return simple.measured(X, y, w)


def _shortened(
    rule: Rule,
    X: np.ndarray,
    y: np.ndarray,
    w: np.ndarray,
    classify: bool,
    confidence: float,
) -> tuple[float, Rule]:
    """The rule without the conditions that do not help, and its estimated error."""
    parts = [part for condition in rule.conditions for part in _single(condition)]
    size = len(parts)
    failed = [~part.covers(X) for part in parts]
    fails = np.zeros(len(y), np.int64)
    for one in failed:
        fails += one
    wrong = (y != rule.answer) * w if classify else y
    best = _estimate(fails == 0, wrong, w, size, classify, confidence)
    while parts:  # a row that fails one condition only is gained when that one goes
        gained = [(fails == 0) | ((fails == 1) & one) for one in failed]
        estimates = [_estimate(rows, wrong, w, len(parts) - 1, classify, confidence) for rows in gained]
        drop = int(np.argmin(estimates))
        if estimates[drop] > best + SLACK:
            break
        best = estimates[drop]
        fails -= failed.pop(drop)
        del parts[drop]
    covered = fails == 0
    n, answer = float(w[covered].sum()), rule.answer
    if not classify and n > 0 and len(parts) < size:
        answer = _mean(y[covered], w[covered])
    return best, replace(rule, conditions=_merged(parts), answer=answer, n=n)


def _estimate(
    covered: np.ndarray, wrong: np.ndarray, w: np.ndarray, size: int, classify: bool, confidence: float
) -> float:
    n = float(w[covered].sum())
    if classify:
        return float(pessimistic_error(wrong[covered].sum(), n, confidence))
    if n <= size or n == 0:
        return np.inf
    mean = _mean(wrong[covered], w[covered])
    rms = np.sqrt(np.average((wrong[covered] - mean) ** 2, weights=w[covered]))
    return float(rms * (n + size) / (n - size))


def _mean(y: np.ndarray, w: np.ndarray) -> float:
    """The weighted mean, exact where all numbers are equal."""
    return float(y[0] + np.average(y - y[0], weights=w))


def _single(condition: RowTest) -> list[RowTest]:
    """An interval with two ends as its two ends, which can be dropped one by one."""
    if not isinstance(condition, Condition) or condition.codes is not None:
        return [condition]
    if -np.inf < condition.low < condition.high < np.inf:
        return [replace(condition, high=np.inf), replace(condition, low=-np.inf)]
    return [condition]


def _merged(parts: list[RowTest]) -> tuple[RowTest, ...]:
    premise: tuple[RowTest, ...] = ()
    for part in parts:
        premise = joined(premise, part)
    return premise


def _by_class(rules: list[Rule], X: np.ndarray, y: np.ndarray, w: np.ndarray, classes: Any) -> list[Rule]:
    """Rules of one class together, the class with the fewest false positives first."""
    groups = {c: [rule for rule in rules if rule.answer == c] for c in classes}
    false = {}
    for c, own in groups.items():
        covered = np.zeros(len(y), bool)
        for rule in own:
            covered |= rule.covers(X)
        false[c] = float(w[covered & (y != c)].sum())
    return [rule for c in sorted(classes, key=lambda c: false[c]) for rule in groups[c]]


def _useful(rules: list[Rule], X: np.ndarray, y: np.ndarray, w: np.ndarray, classes: Any) -> list[Rule]:
    """Without the rules that make the list err more than it would without them, the worst first."""
    rules, rows = list(rules), np.arange(len(y))
    covered = np.column_stack([*(rule.covers(X) for rule in rules), np.ones(len(y), bool)])
    while rules:  # the last column is the default, which covers all
        default = _default(classes, covered[:, :-1].any(axis=1), y, w)
        answers = np.array([*(rule.answer for rule in rules), default])
        first = covered.argmax(axis=1)
        rest = covered.copy()
        rest[rows, first] = first == len(rules)
        second = rest.argmax(axis=1)
        change = w * ((y != answers[second]).astype(float) - (y != answers[first]))
        total = np.bincount(first, change, minlength=len(rules) + 1)[:-1]
        worst = int(np.argmin(total))
        if total[worst] >= -SLACK:
            break
        del rules[worst]
        covered = np.delete(covered, worst, axis=1)
    return rules


def _default(classes: Any, covered: Any, y: np.ndarray, w: np.ndarray) -> Any:
    """The most frequent class, or the mean, of the rows that no rule covers; of all rows if there are none."""
    left = ~covered if (w[~covered] > 0).any() else np.ones(len(y), bool)
    if classes is None:
        return _mean(y[left], w[left])
    prior = np.array([w[y == c].sum() for c in classes])
    count = np.array([w[left & (y == c)].sum() for c in classes])
    return classes[int(np.lexsort((-prior, -count))[0])]
