"""A classifier that memorises the training rows: one rule for each."""

from __future__ import annotations

import numpy as np

from assay.core import Card
from assay.core.parameters import Range
from assay.rulebase.conditions import Condition, missing
from assay.rules.rule_learner import RuleClassifier, class_rules

__all__ = ["MemorisingRuleClassifier"]


class MemorisingRuleClassifier(RuleClassifier):
    r"""Classify by one rule for each distinct training row, with a condition on every column.

    .. math:: \bigwedge_j \; |x_j - x_{ij}| \le \text{tolerance} \;\Rightarrow\; y_i

    (categories: equal; missing: missing). It gets every training row right as long as no two equal rows differ in
    class, and does not generalise: the extreme of overfitting, as a baseline. Equal rows
    are one rule, with their most frequent class; a row that no rule covers gets the most frequent class of all.

    Cost: fit O(d n log n) to find equal rows; predict O(r d) a row at most for r distinct rows; memory O(n d), the rows
    are kept.

    Parameters
    ----------
    tolerance : float, default 0
        How far a number may be from the rule's own; with more than 0, the first of several rules answers.

    Attributes
    ----------
    rules_ : RuleBase, in the order of the rows      classes_ : (K,)

    Examples
    --------
    >>> from assay.rules import MemorisingRuleClassifier
    >>> model = MemorisingRuleClassifier().fit([[1.0, 7], [2.0, 7], [2.0, 7]], ["a", "b", "b"])
    >>> print(model)
    R1: IF x0 = 1 AND x1 = 7 THEN a
    R2: IF x0 = 2 AND x1 = 7 THEN b
    ELSE b

    See Also
    --------
    DecisionTableClassifier, assay.neighbors.KNeighborsClassifier

    References
    ----------
    - Mitchell, T. M. (1997). Machine Learning. McGraw-Hill.
    """

    card = Card(
        "memorising rules",
        "one rule for each distinct training row",
        learns=("a rule for each training row", "none: rows are stored", "none", "stored"),
    )
    accepts = {"tolerance": Range(0)}

    def __init__(self, tolerance: float = 0.0):
        self.tolerance = tolerance

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        weights = np.ones(len(y)) if w is None else w
        weighted = np.flatnonzero(weights > 0)
        filled = np.where(
            np.isnan(X[weighted]), np.inf, X[weighted]
        )  # no number is infinite, and NaN equals nothing
        rows, first, group = np.unique(filled, axis=0, return_index=True, return_inverse=True)
        group = group.ravel()
        counts = np.bincount(
            group * len(self.classes_) + y[weighted], weights[weighted], len(rows) * len(self.classes_)
        )
        answers = counts.reshape(len(rows), -1).argmax(axis=1)
        rules = [
            (tuple(map(self._condition, range(X.shape[1]), rows[g])), int(answers[g]))
            for g in np.argsort(first)
        ]
        self.rules_ = class_rules(self, rules, X, y, w, default=int(np.bincount(y, weights).argmax()))

    def _condition(self, j: int, x: float) -> Condition:
        if np.isinf(x):
            return missing(j)
        if self.schema_[j].kind == "nominal":
            return Condition(j, codes=(int(x),))
        low, high = float(x - self.tolerance), float(x + self.tolerance)
        return Condition(j, low, high, "both") if np.isfinite([low, high]).all() else Condition(j)
