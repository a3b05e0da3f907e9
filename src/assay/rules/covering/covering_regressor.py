"""Sequential covering for regression: rules that minimise the variance of the covered rows."""

from __future__ import annotations

import numpy as np

from assay.core import Card
from assay.core.parallel import one_blas_thread
from assay.core.parameters import Choice, Count, Flag, Range
from assay.core.progress import progress
from assay.rulebase.conditions import Condition, RowTest
from assay.rulebase.linear_answer import LinearAnswer
from assay.rulebase.rules import Rule, RuleBase
from assay.rules.rule_learner import RuleRegressor
from assay.tables import Design
from assay.trees.linear_leaves import eliminate_terms
from assay.trees.node_measures import NumberMeasure
from assay.trees.rule_pruning import shortened
from assay.trees.rules import joined
from assay.trees.split_search import Split, SplitSearch
from assay.trees.textbook_tree import one_target, refuse_huge
from assay.trees.tree import SUBSET

__all__ = ["CoveringRegressor"]


class CoveringRegressor(RuleRegressor):
    r"""Predict a number by rules that are learned one at a time, each from the rows that those before it leave over.

    A rule starts with all rows left and takes in one condition after the other: of all tests of one column, the one
    that lowers the variance within its two sides most,

    .. math:: \min \; \frac{N_1}{N} s_1^2 + \frac{N_2}{N} s_2^2 \quad (1)

    and of its sides the one of smaller variance (of two equal ones the larger), until the rows are alike or few. With
    ``prune``, conditions are then dropped as long as the error that M5 expects, :math:`s \frac{N+v}{N-v}` for v
    conditions, does not rise. The rule answers with the mean of the rows that it covers, or with a linear function
    fitted to them; these rows are taken away, and the next rule is grown. What is left over at the end is the default.

    A row whose value is missing does not meet a condition. Use it for steps and plateaus that a person should read;
    M5RulesRegressor looks at a whole tree for each rule.

    Cost: fit O(c d n log n) for c conditions of all rules; predict O(c) a row; memory O(n d) to fit, O(c) kept.

    Parameters
    ----------
    answer : "mean" or "linear", default "mean"
        What a rule says: the mean of its rows, or the least squares fit to them without terms that do not pay.
    min_samples : float, default 5
        Rows (their weights) that a rule covers, at least.
    min_deviation : float, default 0.05
        Rows are alike when their standard deviation is below this part of that of all rows.
    max_conditions : int or None, default None
    max_rules : int or None, default None
    max_candidates : int, default 256
        Thresholds of a column that are tried at a time, with equally many rows between them.
    prune : bool, default True

    Attributes
    ----------
    rules_ : RuleBase, in order

    Examples
    --------
    A step function comes back as its steps:

    >>> from assay.rules import CoveringRegressor
    >>> x = np.arange(30.0)[:, None]
    >>> y = np.repeat([1.0, 5.0, 2.0], 10)
    >>> print(CoveringRegressor().fit(x, y))
    R1: IF x0 <= 9.5 THEN y = 1
    R2: IF x0 <= 19.5 THEN y = 5
    ELSE y = 2

    See Also
    --------
    M5RulesRegressor, SequentialCoveringClassifier

    References
    ----------
    - Fürnkranz, J. (1999). Separate-and-conquer rule learning. Artificial Intelligence Review 13, 3-54.
      doi:10.1023/A:1006524209794
    """

    card = Card(
        "covering",
        "rules for numbers, one after the other",
        also=("sequential covering",),
        learns=("a list of rules with numbers", "squared error", "one rule after the other", "greedy"),
    )
    accepts = {
        "answer": Choice("mean", "linear"),
        "min_samples": Range(0, open="low"),
        "min_deviation": Range(0, 1),
        "max_conditions": Count(1) | None,
        "max_rules": Count(0) | None,
        "max_candidates": Count(1),
        "prune": Flag(),
    }

    def __init__(
        self,
        answer: str = "mean",
        min_samples: float = 5,
        min_deviation: float = 0.05,
        max_conditions: int | None = None,
        max_rules: int | None = None,
        max_candidates: int = 256,
        prune: bool = True,
    ):
        self.answer = answer
        self.min_samples = min_samples
        self.min_deviation = min_deviation
        self.max_conditions = max_conditions
        self.max_rules = max_rules
        self.max_candidates = max_candidates
        self.prune = prune

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        y = one_target(y, type(self).__name__)
        if self.answer == "linear":
            refuse_huge(X, "X", type(self).__name__)
        w = np.ones(len(y)) if w is None else w
        X, y, w = X[w > 0], y[w > 0], w[w > 0]
        total, rules = float(w.sum()), []
        most = np.inf if self.max_rules is None else self.max_rules
        alike = self.min_deviation * _deviation(y, w)
        with progress(total, "learning rules") as bar, one_blas_thread():
            while len(rules) < most:
                conditions = self._grown(X, y, w, alike)
                if self.prune:
                    conditions = shortened(Rule(conditions, 0.0), X, y, w, classify=False)[1].conditions
                covered = Rule(conditions, 0.0).covers(X)
                if not conditions or covered.all() or not covered.any():
                    break
                answer = self._answer(X[covered], y[covered], w[covered])
                n, off = float(w[covered].sum()), y[covered] - _values(answer, X[covered])
                error = float(np.sqrt(w[covered] @ off**2 / n))
                rules.append(Rule(conditions, answer, n, total, error=error))
                X, y, w = X[~covered], y[~covered], w[~covered]
                bar.advance(n)
            default = self._answer(X, y, w)
        self.rules_ = RuleBase(tuple(rules), self.schema_, default=default)

    def _grown(self, X: np.ndarray, y: np.ndarray, w: np.ndarray, alike: float) -> tuple[RowTest, ...]:
        """The conditions of one rule, in the order in which they were found."""
        n_categories = self.schema_.category_counts(ordered=False)
        measure = NumberMeasure(y, "squared", "mean")
        search = SplitSearch(
            measure,
            n_categories,
            nominal="binary grouping",
            candidates="equal-depth",
            max_candidates=self.max_candidates,
            max_categories=6,
            min_weight=self.min_samples,
        )
        conditions: tuple[RowTest, ...] = ()
        rows = np.arange(len(y))
        for _ in range(len(y) if self.max_conditions is None else self.max_conditions):
            before = measure.node(rows, w[rows])
            if before <= alike**2:
                break
            split, _ = search.best(X, rows, w[rows], before)  # (1)
            if split is None:
                break
            branch = split.branch(X[rows, split.column])
            sides = [rows[branch == b] for b in (0, 1)]
            sides = [side for side in sides if len(side)]
            chosen = min(sides, key=lambda side: (measure.node(side, w[side]), -float(w[side].sum())))
            b = int(branch[np.flatnonzero(rows == chosen[0])[0]])
            conditions = joined(conditions, _condition(split, b, n_categories))
            rows = chosen
        return conditions

    def _answer(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> float | LinearAnswer:
        mean = float(y[0] + np.average(y - y[0], weights=w))
        if self.answer == "mean":
            return mean
        Z = Design(self.schema_).expand(X)
        whole = ~np.isnan(Z).any(axis=1)
        if not whole.any():
            return mean
        coef, intercept = eliminate_terms(Z[whole], y[whole], w[whole])
        return LinearAnswer.of_design(self.schema_, coef, intercept, mean) if coef.any() else mean


def _condition(split: Split, branch: int, n_categories: np.ndarray) -> Condition:
    if split.kind == SUBSET:
        r = int(n_categories[split.column])
        inside = split.members if branch == 0 else tuple(c for c in range(r) if c not in split.members)
        return Condition(split.column, codes=inside)
    return (
        Condition(split.column, high=split.threshold)
        if branch == 0
        else Condition(split.column, low=split.threshold)
    )


def _values(answer: float | LinearAnswer, X: np.ndarray) -> np.ndarray | float:
    return answer.values(X) if isinstance(answer, LinearAnswer) else answer


def _deviation(y: np.ndarray, w: np.ndarray) -> float:
    return float(np.sqrt(np.average((y - np.average(y, weights=w)) ** 2, weights=w)))
