"""Threshold rule: one class is where some columns exceed their thresholds, all of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np

import assay.rules.version_spaces._boxes as _boxes
from assay.core import Card
from assay.core.parameters import Any_, Choice
from assay.core.stored import Boolean, Scalar
from assay.errors import DataError
from assay.rulebase.conditions import Condition
from assay.rules.rule_learner import RuleClassifier, class_rules
from assay.rules.version_spaces.version_space import positive_rows
from assay.types import Label

__all__ = ["ThresholdRuleClassifier"]

PAIRS_ROWS = 3000  # with more rows, pairs of columns are no longer tried as starts
PAIRS_COLUMNS = 6  # the columns whose pairs are
SEEDS = 8  # positive rows around which a rule is begun
PARTS = (0.1, 0.3, 0.6)  # with this share of the positive rows, the nearest
CLIMBED = 16  # starts, the best ones, that are improved
BLOCK = 1 << 27  # entries that one call of the native code looks at


class ThresholdRuleClassifier(RuleClassifier):
    r"""One rule with one threshold for each column that it needs: if all are exceeded, the class is the positive one.

    .. math:: h(x) = 1 \iff x_j > \theta_j \text{ for all } j \text{ used}                          \quad (1)

    as in "income above 40 000 and savings above 10 000: low risk". The thresholds lie midway between
    neighbouring values of a column. Of all such rules it takes the one with the fewest errors; among equals the one of
    the widest margin, the smallest distance from a threshold to a value of its column; then the one with fewer
    conditions; then the smallest thresholds.

    With one or two ordered columns that rule is found by a look at all pairs of thresholds, in O(n^2). With more it is
    searched for: from several starts, among them the best rules of pairs of columns and rules around groups of positive
    rows, one threshold after the other is set to its best place given the others, until none can be improved.
    ``exact_`` tells whether no rule can have fewer errors. Columns without an order are not used. A missing value
    exceeds nothing.

    Cost: fit O(d n log n) to sort the columns and O(d n) for each of some hundred climbs a step, exact in one or two
    columns; predict O(d) a row; memory O(n d) to fit, O(d) kept.

    Parameters
    ----------
    positive : label or None, default None
        The class that the rule describes; None takes the class that can be described with fewer errors.
    directions : "above" or "either", default "above"
        Whether all conditions are of the form "above the threshold", or each column may also be "below" it.

    Attributes
    ----------
    rules_ : RuleBase of one rule, and the other class as its default
    errors_ : float, the weight of the training rows that the rule gets wrong
    margin_ : float, the smallest distance from a threshold to a training value of its column
    exact_ : bool, whether no rule of this form has fewer errors

    Examples
    --------
    >>> from assay.rules import ThresholdRuleClassifier
    >>> X = [[20, 30], [60, 5], [50, 20], [70, 40], [30, 30]]
    >>> model = ThresholdRuleClassifier().fit(X, ["high", "high", "low", "low", "high"])
    >>> print(model)
    R1: IF x0 > 40 AND x1 > 12.5 THEN low
    ELSE high
    >>> model.predict([[45, 13], [45, 12]])
    array(['low', 'high'], dtype='<U4')

    See Also
    --------
    BoxClassifier, OneRClassifier

    References
    ----------
    - Alpaydin, E. (2020). Introduction to Machine Learning, fourth edition. MIT Press.
    """

    card = Card(
        "threshold rule",
        "two classes: one rule, one threshold for each column it needs",
        learns=("a threshold on one column", "errors", "all thresholds of all columns", "global"),
    )
    multiclass = "two classes only"
    accepts = {"positive": Any_("a label, or None"), "directions": Choice("above", "either")}
    stored = {
        "errors_": Scalar(),
        "exact_": Boolean(),
        "margin_": Scalar(),
    }

    def __init__(self, positive: Label | None = None, *, directions: str = "above"):
        self.positive = positive
        self.directions = directions

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        who, K = type(self).__name__, len(self.classes_)
        if K > 2:
            raise DataError(
                f"Only binary classification is supported. {who} describes one of two classes, y has {K}. "
                f"For more: OneVsRestClassifier({who}()), or RipperClassifier."
            )
        weights = np.ones(len(y)) if w is None else w
        heavy = weights > 0
        Z, z, weights = X[heavy], y[heavy], weights[heavy]
        columns = [j for j, c in enumerate(self.schema_) if c.kind != "nominal"]
        axes = [[_Axis(j, Z[:, j], sign) for sign in self._signs()] for j in columns]
        tries = range(K) if self.positive is None else [positive_rows(self.classes_, self.positive, who)]
        candidates = [(_search(axes, np.where(z == k, weights, -weights)), k) for k in tries]
        order = [(weights[z == k].sum() - rule.value, -rule.margin, rule.active) for rule, k in candidates]
        best = min(range(len(candidates)), key=order.__getitem__)
        rule, k = candidates[best]
        self.errors_, self.margin_ = float(order[best][0]), float(rule.margin)
        self.exact_ = len(columns) <= 2 or self.errors_ == 0
        default = 1 - k if K == 2 else k
        self.rules_ = class_rules(self, [(rule.conditions(), k)], X, y, w, default=default)

    def _signs(self) -> tuple[int, ...]:
        return (1,) if self.directions == "above" else (1, -1)


class _Axis:
    """One column in one direction: its distinct values in order, a missing value before all, and what lies between.

    Candidate 0 is no threshold; candidate a lies between the distinct values a - 1 and a.
    """

    def __init__(self, column: int, x: np.ndarray, sign: int):
        self.column, self.sign = column, sign
        values, rank = np.unique(np.where(np.isnan(x), -np.inf, sign * x), return_inverse=True)
        self.rank = rank.astype(np.int64)
        below, above = values[:-1], values[1:]
        middle = below / 2 + above / 2
        middle = np.where(middle < above, middle, below)  # neighbours: the lower one is the threshold itself
        with np.errstate(invalid="ignore", over="ignore"):
            margin = np.minimum(middle - below, above - middle)
        known = np.isneginf(below)  # the candidate that only requires a known value
        self.threshold = np.append(-np.inf, np.where(known, -np.inf, middle))
        self.margin = np.append(np.inf, np.where(known, np.inf, margin))

    def condition(self, a: int) -> Condition:
        end = float(self.threshold[a])
        if self.sign > 0:
            return Condition(self.column, low=end, closed="right")
        return Condition(self.column, high=-end, closed="left" if np.isfinite(end) else "right")


@dataclass
class _Rule:
    """A threshold rule: for each column that it uses, the axis and the number of its threshold."""

    parts: dict[int, tuple[_Axis, int]]
    value: float = -np.inf

    @property
    def margin(self) -> float:
        return min((float(axis.margin[a]) for axis, a in self.parts.values()), default=np.inf)

    @property
    def active(self) -> int:
        return len(self.parts)

    def conditions(self) -> list[Condition]:
        return [self.parts[j][0].condition(self.parts[j][1]) for j in sorted(self.parts)]

    def covers(self, n: int, but: int = -1) -> np.ndarray:
        """(n,) the training rows that meet all conditions, or all but one column's."""
        inside = np.ones(n, bool)
        for j, (axis, a) in self.parts.items():
            if j != but:
                inside &= axis.rank >= a
        return inside

    @property
    def merit(self) -> tuple[float, float, int]:
        return self.value, self.margin, -self.active


def _search(axes: list[list[_Axis]], s: np.ndarray) -> _Rule:
    """The rule that is worth most; s is what each row is worth if it is covered."""
    slack = 1e-12 * float(np.abs(s).sum())
    if len(axes) < 2:
        return _climb(_Rule({}, float(s.sum())), axes, s, slack)
    if len(axes) == 2:
        return max((_corner(a, b, s, slack) for a, b in product(*axes)), key=lambda rule: rule.merit)
    starts = sorted(_starts(axes, s, slack), key=lambda rule: -rule.value)[:CLIMBED]
    rules = [_climb(start, axes, s, slack) for start in starts]
    return max(rules, key=lambda rule: rule.merit)


def _starts(axes: list[list[_Axis]], s: np.ndarray, slack: float) -> list[_Rule]:
    """No condition, all conditions at the edge of the positive rows, each column alone, and pairs of the best."""
    n = len(s)
    starts = [_Rule({}, float(s.sum()))]
    for way in range(len(axes[0])):
        parts = {j: (axis[way], int(axis[way].rank[s > 0].min(initial=0))) for j, axis in enumerate(axes)}
        rule = _Rule({j: part for j, part in parts.items() if part[1]})
        starts.append(_Rule(rule.parts, float(s[rule.covers(n)].sum())))
    alone = [_improve(starts[0], j, axis, s, slack) for j, axis in enumerate(axes)]
    starts += alone
    if n <= PAIRS_ROWS:
        best = sorted(range(len(axes)), key=lambda j: -alone[j].value)[:PAIRS_COLUMNS]
        for i, j in combinations(sorted(best), 2):
            corners = (_corner(a, b, s, slack) for a, b in product(axes[i], axes[j]))
            rule = max(corners, key=lambda rule: rule.merit)
            place = {axes[i][0].column: i, axes[j][0].column: j}
            starts.append(_Rule({place[p[0].column]: p for p in rule.parts.values()}, rule.value))
    return starts + _around(axes, s)


def _around(axes: list[list[_Axis]], s: np.ndarray) -> list[_Rule]:
    """The tightest rules around some positive rows and their nearest positive rows, few and many of them.

    Where several conditions must hold together to be worth anything, only rules that begin with all of them get there.
    """
    positive = np.flatnonzero(s > 0)
    if not len(positive):
        return []
    place = np.column_stack([axis[0].rank / len(axis[0].margin) for axis in axes])[positive]
    order = np.lexsort(place.T[::-1])
    starts = []
    for seed in np.unique(order[np.linspace(0, len(positive) - 1, SEEDS).round().astype(int)]):
        near = np.lexsort([*place.T[::-1], np.abs(place - place[seed]).max(axis=1)])
        for part in PARTS:
            rows = positive[near[: max(2, round(part * len(positive)))]]
            for way in range(len(axes[0])):
                parts = {j: (axis[way], int(axis[way].rank[rows].min())) for j, axis in enumerate(axes)}
                rule = _Rule({j: p for j, p in parts.items() if p[1]})
                starts.append(_Rule(rule.parts, float(s[rule.covers(len(s))].sum())))
    return starts


def _climb(rule: _Rule, axes: list[list[_Axis]], s: np.ndarray, slack: float) -> _Rule:
    """Set one threshold after the other to its best place until none gets better."""
    while True:
        before = rule.merit
        for j, axis in enumerate(axes):
            rule = _improve(rule, j, axis, s, slack)
        if not _ahead(rule.merit, before, slack):
            return rule


def _improve(rule: _Rule, j: int, ways: list[_Axis], s: np.ndarray, slack: float) -> _Rule:
    """The rule with the best condition on column j, given its other conditions."""
    others = _Rule({i: part for i, part in rule.parts.items() if i != j})
    inside, far = others.covers(len(s)), others.margin
    best = rule
    for axis in ways:
        worth = np.bincount(axis.rank[inside], s[inside], len(axis.margin))[::-1].cumsum()[::-1]
        tied = np.flatnonzero(worth >= worth.max() - slack)
        margin = np.minimum(axis.margin[tied], far)
        a = int(tied[margin == margin.max()][0])  # no threshold, or the smallest
        new = _Rule({**others.parts, j: (axis, a)} if a else others.parts, float(worth[a]))
        if _ahead(new.merit, best.merit, slack):
            best = new
    return best


def _ahead(new: tuple[float, float, int], old: tuple[float, float, int], slack: float) -> bool:
    """Whether a rule is better: worth more by more than rounding, or as much and with a wider margin, or shorter."""
    if abs(new[0] - old[0]) > slack:
        return new[0] > old[0]
    return new[1:] > old[1:]


def _corner(a: _Axis, b: _Axis, s: np.ndarray, slack: float) -> _Rule:
    """The best rule on two columns, of all pairs of thresholds."""
    order = np.argsort(a.rank, kind="stable")
    A, B = len(a.margin), len(b.margin)
    start = np.searchsorted(a.rank[order], np.arange(A + 1)).astype(np.int64)
    v, worth = np.ascontiguousarray(b.rank[order]), np.zeros(B)
    best = np.array([-np.inf, -np.inf, 3.0, 0.0, 0.0])
    signed = np.ascontiguousarray(s[order], np.float64)
    step = max(1, BLOCK // (2 * B))
    for top in range(A - 1, -1, -step):
        _boxes.best_corner(
            v=v,
            s=signed,
            start=start,
            margin_a=a.margin,
            margin_b=b.margin,
            first=top,
            last=max(top - step + 1, 0),
            slack=slack,
            worth=worth,
            best=best,
        )
    chosen = [(axis, int(at)) for axis, at in ((a, best[3]), (b, best[4])) if at]
    return _Rule({axis.column: (axis, at) for axis, at in chosen}, float(best[0]))
