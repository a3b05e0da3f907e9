"""M5'Rules: the best leaf of a model tree becomes a rule, and a new tree looks at the rows that are left."""

from __future__ import annotations

import numpy as np

from assay.core import Card
from assay.core.parameters import Choice, Count, Flag, Range
from assay.core.progress import progress
from assay.rulebase.linear_answer import LinearAnswer
from assay.rulebase.rules import Rule, RuleBase
from assay.rules.rule_learner import RuleRegressor
from assay.trees.model_tree_regressor import ModelTreeRegressor
from assay.trees.rules import rules_of
from assay.trees.textbook_tree import one_target_in_unit, refuse_huge

__all__ = ["M5RulesRegressor"]


class M5RulesRegressor(RuleRegressor):
    r"""Predict a number by a list of rules, each with a linear function of its own.

    A model tree is grown and pruned on all rows (:class:`assay.trees.ModelTreeRegressor`); its best leaf, the tests on
    the way to it and the linear function in it, becomes a rule. The rows that it covers are taken away, and the next
    tree grows on the others, until a tree is a single leaf: its function answers for the rows that no rule covers
    (Holmes, Hall and Frank 1999). A rule is thus found by looking at the whole tree around it, and needs no pruning.

    Use it where a model tree would do and a short list reads better.

    Cost: fit one model tree for each of r rules, O(r (d n log n + n d^2)); predict O(c + d) a row for c conditions in
    all; memory O(n d) to fit, O(r d) kept.

    Parameters
    ----------
    select : "coverage" or "error", default "coverage"
        The best leaf is the one with most rows, or the one with the smallest root mean squared error.
    min_samples_leaf : int, default 4
        Rows (their weights) that a rule covers, at least.
    min_deviation : float, default 0.05
        A node is a leaf if its standard deviation is below this part of that of all rows of its tree.
    smoothing : float, default 15
        How far a leaf's function gives way to those of the nodes above it: k of ``ModelTreeRegressor``.
    prune : bool, default True
        Whether the trees drop terms and subtrees that do not pay for themselves.
    max_depth : int or None, default None
        Conditions of a rule, at most.
    max_rules : int or None, default None
        Rules, the default not counted, at most.
    ridge : float, default 0
        Penalty of the squared standardised coefficients.

    Attributes
    ----------
    rules_ : RuleBase
        In order, with linear functions as answers (:class:`assay.rulebase.linear_answer.LinearAnswer`).

    Examples
    --------
    Up with slope 1, then down from a height of 40 with slope -2:

    >>> from assay.rules import M5RulesRegressor
    >>> x = np.arange(20.0)[:, None]
    >>> y = np.where(x < 10, x, 60 - 2 * x).ravel()
    >>> model = M5RulesRegressor(smoothing=0).fit(x, y)
    >>> model.n_rules_, model.predict([[4.0], [12.0]]).round(6)
    (1, array([ 4., 36.]))

    See Also
    --------
    CoveringRegressor, PartClassifier, assay.trees.ModelTreeRegressor

    References
    ----------
    - Holmes, G., Hall, M. and Frank, E. (1999). Generating rule sets from model trees. Australian Joint Conference
      on Artificial Intelligence, 1-12.
    - Quinlan, J. R. (1992). Learning with continuous classes. Australian Joint Conference on Artificial
      Intelligence, 343-348.
    """

    card = Card(
        "m5 rules",
        "rules with a linear function each",
        suits="any",
        most_rows=5_000,
        learns=("rules with linear functions", "squared error", "rules of model trees", "greedy"),
    )
    takes = frozenset({"nominal"})
    accepts = {
        "select": Choice("coverage", "error"),
        "min_samples_leaf": Count(1),
        "min_deviation": Range(0, 1),
        "smoothing": Range(0),
        "prune": Flag(),
        "max_depth": Count(0) | None,
        "max_rules": Count(0) | None,
        "ridge": Range(0),
    }

    def __init__(
        self,
        select: str = "coverage",
        min_samples_leaf: int = 4,
        min_deviation: float = 0.05,
        smoothing: float = 15.0,
        prune: bool = True,
        max_depth: int | None = None,
        max_rules: int | None = None,
        ridge: float = 0.0,
    ):
        self.select = select
        self.min_samples_leaf = min_samples_leaf
        self.min_deviation = min_deviation
        self.smoothing = smoothing
        self.prune = prune
        self.max_depth = max_depth
        self.max_rules = max_rules
        self.ridge = ridge

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        y, unit = one_target_in_unit(y, type(self).__name__)
        refuse_huge(X, "X", type(self).__name__)
        weights = np.ones(len(y)) if w is None else w
        kept = weights > 0
        X, y, weights = X[kept], y[kept], weights[kept]
        total, rules = float(weights.sum()), []
        with progress(total, "learning rules") as bar:
            while True:
                full = self.max_rules is not None and len(rules) >= self.max_rules
                tree = self._tree(X, y, weights, 0 if full else self.max_depth)
                leaves = rules_of(tree.tree_, self.schema_).rules
                answers = [
                    LinearAnswer.of_design(self.schema_, c * unit, b * unit, leaf.answer * unit)
                    for c, b, leaf in zip(tree.coef_, tree.intercept_, leaves, strict=True)
                ]
                best = self._best(tree, X, y, weights)
                rule, answer = leaves[best], answers[best]
                covered = rule.covers(X)
                if len(leaves) == 1 or not covered.any() or covered.all():
                    break
                n = float(weights[covered].sum())
                off = y[covered] - answer.values(X[covered]) / unit
                error = unit * float(np.sqrt(weights[covered] @ off**2 / n))
                rules.append(Rule(rule.conditions, answer, n, total, error=error))
                X, y, weights = X[~covered], y[~covered], weights[~covered]
                bar.advance(n)
        self.rules_ = RuleBase(tuple(rules), self.schema_, default=answer)

    def _tree(self, X: np.ndarray, y: np.ndarray, w: np.ndarray, depth: int | None) -> ModelTreeRegressor:
        tree = ModelTreeRegressor(
            min_samples_leaf=self.min_samples_leaf,
            min_deviation=self.min_deviation,
            smoothing=self.smoothing,
            prune=self.prune,
            max_depth=depth,
            ridge=self.ridge,
        )
        tree._remember(self.schema_)
        tree._learn(X, y, w)
        return tree

    def _best(self, tree: ModelTreeRegressor, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> int:
        """The number of the best leaf."""
        place = (np.cumsum(tree.tree_.is_leaf) - 1)[tree.tree_.apply(X)]
        rows = np.bincount(place, w, minlength=len(tree.intercept_))
        if self.select == "coverage":
            return int(np.argmax(rows))
        square = np.bincount(place, w * (y - tree._predict(X)) ** 2, minlength=len(rows))
        return int(np.argmin(np.where(rows > 0, square / np.where(rows > 0, rows, 1.0), np.inf)))
