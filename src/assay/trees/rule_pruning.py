"""Simpler rules: conditions that do not lower the error are dropped, as C4.5rules does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.targets import check_weights
from assay.errors import DataError
from assay.rulebase.conditions import RowTest
from assay.rulebase.measures import pessimistic_error
from assay.rulebase.rules import Rule, RuleBase
from assay.rulebase.shortening import SLACK, single_conditions, without_needless
from assay.trees.rules import joined
from assay.types import TableLike, Target, Weights

__all__ = ["pessimistic_error", "shortened", "simplify", "useful"]


def simplify(
    base: RuleBase, X: TableLike, y: Target, *, confidence: float = 0.25, sample_weight: Weights | None = None
) -> RuleBase:
    r"""Drop single conditions of single rules while the estimated error does not rise; then order the rules.

    The estimate for a rule that covers N rows and errs on E of them is the upper confidence limit of its error
    rate (:func:`pessimistic_error`). For numbers it is M5's: the root mean squared deviation from the rule's mean,
    times :math:`(N + v)/(N - v)` for v conditions. Each step drops the condition whose loss lowers the estimate
    most. Rules that become equal are kept once; rules without any condition left become the default.

    Simplified rules may overlap and may leave rows uncovered, so they get an order and a default: the rules of a
    class stay together, the class with the fewest false positives first, inside a class the rule of lowest
    estimated error first; rules of numbers by their estimated error. A rule without which the list errs less is
    dropped. The default is the most frequent class, or the mean, of the rows that no rule covers.

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

    >>> from assay.rulebase.conditions import Condition
    >>> from assay.rulebase.rules import Rule, RuleBase
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
    columns = np.asfortranarray(values)
    by_content: dict[tuple[frozenset[RowTest], Any], tuple[float, Rule]] = {}
    for rule in base.rules:
        estimate, short = shortened(rule, columns, y, w, confidence, classify=base.classes is not None)
        if short.conditions:
            by_content.setdefault((frozenset(short.conditions), short.answer), (estimate, short))
    ordered = sorted(by_content.values(), key=lambda pair: (round(pair[0], 12), -pair[1].n))
    rules = [rule for _, rule in ordered]
    if base.classes is not None:
        rules = _by_class(rules, values, y, w, base.classes)
        codes = {c: k for k, c in enumerate(base.classes)}
        stays = useful(
            np.column_stack([*(rule.covers(values) for rule in rules), np.empty((len(y), 0), bool)]),
            np.array([codes[rule.answer] for rule in rules], np.int64),
            np.array([codes.get(c, len(codes)) for c in y.tolist()]),
            w,
            len(codes) + 1,
        )
        rules = [rule for rule, stay in zip(rules, stays) if stay]
    covered = np.zeros(len(y), bool)
    for rule in rules:
        covered |= rule.covers(values)
    simple = replace(base, rules=tuple(rules), default=_default(base.classes, covered, y, w))
    return simple.measured(X, y, w)


def shortened(
    rule: Rule,
    X: np.ndarray,
    y: np.ndarray,
    w: np.ndarray,
    confidence: float | None = 0.25,
    *,
    classify: bool = True,
) -> tuple[float, Rule]:
    """The rule without the conditions that do not help, and its estimated error.

    Each step drops the condition whose loss lowers the estimate most, while it does not rise; an interval counts as
    two conditions, its ends. A row whose y is not the answer is an error; without ``classify`` a rule of numbers is
    measured by the deviation from the mean of what it covers, which becomes its answer. The same as the greedy order
    of :func:`assay.rulebase.shortening.without_needless`, for all conditions of a step in one pass over the rows.

    Parameters
    ----------
    X, y, w : (n, d) float block, (n,) labels or floats, (n,) weights
        The rows to estimate with.
    confidence : float or None
        Of :func:`pessimistic_error`; None takes the share of errors itself, for rows that were held out (1 where
        none is covered).

    Examples
    --------
    >>> from assay.rulebase.conditions import Condition
    >>> from assay.rulebase.rules import Rule
    >>> rule = Rule((Condition(0, high=2.0), Condition(1, high=2.0)), "a")
    >>> X = np.array([[1.0, 1], [1, 3], [3, 1], [3, 3]])
    >>> estimate, short = shortened(rule, X, np.array(list("aabb")), np.ones(4), None)
    >>> estimate, short.conditions == rule.conditions[:1]
    (0.0, True)
    """
    parts = [part for condition in rule.conditions for part in single_conditions(condition)]
    failed = [~part.covers(X) for part in parts]
    if classify:
        kept, best = _counted(failed, w, w * (y != rule.answer), confidence)
    else:
        kept, best = without_needless(failed, len(y), lambda rows, size: _expected(rows, y, w, size))
    covered = np.ones(len(y), bool)
    for p in kept:
        covered &= ~failed[p]
    n, answer = float(w[covered].sum()), rule.answer
    if not classify and n > 0 and len(kept) < len(parts):
        answer = _mean(y[covered], w[covered])
    return best, replace(rule, conditions=_merged([parts[p] for p in kept]), answer=answer, n=n)


def _counted(
    failed: list[np.ndarray], w: np.ndarray, wrong: np.ndarray, confidence: float | None
) -> tuple[list[int], float]:
    """The conditions that stay, and the estimated error, from the weights and the wrong weights of the rows."""

    def estimate(n: np.ndarray, errors: np.ndarray) -> np.ndarray:
        if confidence is not None:
            return pessimistic_error(errors, n, confidence)
        return np.where(n > 0, errors / np.where(n > 0, n, 1.0), 1.0)

    fails, which = np.zeros(len(w), np.int64), np.zeros(len(w), np.int64)
    for p, failing in enumerate(failed):
        fails += failing
        which += p * failing  # of a row that fails one condition only: that one
    size, stays = len(failed), np.ones(len(failed), bool)
    best = float(estimate(w[fails == 0].sum(), wrong[fails == 0].sum()))
    while stays.any():  # a row that fails one condition only is gained when that one goes
        inside, near = fails == 0, fails == 1
        n = w[inside].sum() + np.bincount(which[near], w[near], minlength=size)
        errors = wrong[inside].sum() + np.bincount(which[near], wrong[near], minlength=size)
        estimates = np.where(stays, estimate(n, errors), np.inf)
        drop = int(np.argmin(estimates))
        if estimates[drop] > best + SLACK:
            break
        best, stays[drop] = float(estimates[drop]), False
        fails -= failed[drop]
        which -= drop * failed[drop]
    return np.flatnonzero(stays).tolist(), best


def _expected(covered: np.ndarray, y: np.ndarray, w: np.ndarray, size: int) -> float:
    """The error that M5 expects of a rule of numbers with so many conditions."""
    n = float(w[covered].sum())
    if n <= size or n == 0:
        return np.inf
    rms = np.sqrt(np.average((y[covered] - _mean(y[covered], w[covered])) ** 2, weights=w[covered]))
    return float(rms * (n + size) / (n - size))


def _mean(y: np.ndarray, w: np.ndarray) -> float:
    """The weighted mean, exact where all numbers are equal."""
    return float(y[0] + np.average(y - y[0], weights=w))


def _merged(parts: list[RowTest]) -> tuple[RowTest, ...]:
    premise: tuple[RowTest, ...] = ()
    for part in parts:
        premise = joined(premise, part)
    return premise


def _by_class(rules: list[Rule], X: np.ndarray, y: np.ndarray, w: np.ndarray, classes: Any) -> list[Rule]:
    """Rules of one class together, the class with the fewest false positives first."""
    groups = {c: [rule for rule in rules if rule.answer == c] for c in classes}
    false = {}
    for c, of_class in groups.items():
        covered = np.zeros(len(y), bool)
        for rule in of_class:
            covered |= rule.covers(X)
        false[c] = float(w[covered & (y != c)].sum())
    return [rule for c in sorted(classes, key=lambda c: false[c]) for rule in groups[c]]


def useful(covered: np.ndarray, answers: np.ndarray, y: np.ndarray, w: np.ndarray, K: int) -> np.ndarray:
    """(R,) bool: the rules of an ordered list that stay when those that make it err more are dropped, the worst first.

    Parameters
    ----------
    covered : (n, R) bool      answers : (R,) class codes      y : (n,) class codes      w : (n,)

    Examples
    --------
    The first rule is wrong twice where the second would be right:

    >>> covered = np.array([[1, 1], [1, 1], [1, 0], [0, 1]], bool)
    >>> useful(covered, np.array([0, 1]), np.array([1, 1, 0, 1]), np.ones(4), 2)
    array([False,  True])
    """
    from scipy.sparse import csr_matrix

    n, R = covered.shape
    fires = csr_matrix(covered)
    stays, prior = np.ones(R, bool), np.bincount(y, w, minlength=K)
    row, rule = np.repeat(np.arange(n), np.diff(fires.indptr)), fires.indices
    while stays.any():
        here = stays[rule]
        row, rule = row[here], rule[here]
        start = np.searchsorted(row, np.arange(n + 1))
        count = np.diff(start)
        padded = np.append(rule, [R, R])
        first = np.where(count > 0, padded[start[:-1]], R)  # R: the default
        second = np.where(count > 1, padded[np.minimum(start[:-1] + 1, len(rule))], R)
        uncovered = np.bincount(y[count == 0], w[count == 0], minlength=K)
        decisions = np.append(answers, np.lexsort((-prior, -uncovered))[0])
        change = w * ((y != decisions[second]).astype(float) - (y != decisions[first]))
        total = np.where(stays, np.bincount(first, change, minlength=R + 1)[:R], np.inf)
        worst = int(np.argmin(total))
        if total[worst] >= -SLACK:
            break
        stays[worst] = False
    return stays


def _default(classes: Any, covered: Any, y: np.ndarray, w: np.ndarray) -> Any:
    """The most frequent class, or the mean, of the rows that no rule covers; of all rows if there are none."""
    left = ~covered if (w[~covered] > 0).any() else np.ones(len(y), bool)
    if classes is None:
        return _mean(y[left], w[left])
    prior = np.array([w[y == c].sum() for c in classes])
    count = np.array([w[left & (y == c)].sum() for c in classes])
    return classes[int(np.lexsort((-prior, -count))[0])]
