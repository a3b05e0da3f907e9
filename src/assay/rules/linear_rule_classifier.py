"""Rules whose conditions are hyperplanes: one linear machine as two rules, or several as an ordered list."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from assay.core import Card
from assay.core.meta_estimator import fit_to
from assay.core.parameters import Any_, Count, Range
from assay.core.stored import Each, Object
from assay.errors import DataError
from assay.rulebase.conditions import LinearCondition
from assay.rulebase.rules import Rule, RuleBase, counted
from assay.rules.rule_learner import RuleClassifier
from assay.tables import Column, Schema
from assay.types import Estimator

__all__ = ["LinearRuleClassifier", "rules_of_machine"]


class LinearRuleClassifier(RuleClassifier):
    r"""Classify by a list of linear rules that linear machines of two classes give, one after the other.

    A machine that answers by the sign of :math:`w^T x + b` is two rules,

    .. math:: w^T x > -b \Rightarrow \text{second class}, \qquad w^T x \le -b \Rightarrow \text{first class} \quad (1)

    which are equivalent to it. With ``max_machines`` above 1 the list goes on as sequential covering does: a
    machine is fitted to the rows that are left, and for each class a rule is appended that covers the rows beyond the
    outermost row of the other class, if they are at least ``min_samples``: the rows that the machine is sure of. The
    next machine is fitted to the rows in between. The last one answers for all of them, by (1). So the border is made
    of pieces of hyperplanes, where one hyperplane does not do.

    Nominal columns enter as indicators, and the rules speak of those.

    Cost: fit that of the machines, and O(n d) for each rule; predict O(r d) a row for r rules; memory O(n d) to fit,
    O(r d) kept.

    Parameters
    ----------
    estimator : a linear classifier, default None
        Cloned, and fitted to the rows left; then it has ``coef_`` and ``intercept_``, as ``LinearSVC``, ``SVC`` with
        a linear kernel and ``Perceptron`` have. None takes our ``LogisticRegression``.
    max_estimators : int, default 1
        How many machines there are, at most.
    min_samples : float, default 5
        Rows (their weights) that a rule before the last machine covers, at least.

    Attributes
    ----------
    rules_ : RuleBase, in order, with linear conditions      classes_ : (2,)
    estimators_ : list of the fitted machines

    Examples
    --------
    >>> from assay.linear import Perceptron
    >>> from assay.rules import LinearRuleClassifier
    >>> X, y = [[0.0, 0], [1, 0], [0, 1], [1, 1]], ["no", "no", "no", "yes"]
    >>> print(LinearRuleClassifier(Perceptron(random_state=0)).fit(X, y))
    R1: IF 2 x0 + 2 x1 > 2 THEN yes
    R2: IF 2 x0 + 2 x1 <= 2 THEN no
    ELSE no

    See Also
    --------
    C45RulesClassifier, assay.linear.Perceptron, assay.svm.LinearSVC

    References
    ----------
    - Fürnkranz, J. (1999). Separate-and-conquer rule learning. Artificial Intelligence Review 13, 3-54.
      doi:10.1023/A:1006524209794
    - Alpaydin, E. (2020). Introduction to Machine Learning, fourth edition. MIT Press.
    """

    card = Card(
        "linear rules",
        "two classes: weighted sums of columns as conditions of rules",
        learns=("rules with linear conditions", "errors", "one rule after the other", "greedy"),
    )
    multiclass = "two classes only"

    takes = frozenset()
    accepts = {
        "estimator": Any_("a linear classifier, or None", lambda v: v is None or hasattr(v, "fit")),
        "max_estimators": Count(1),
        "min_samples": Range(0, open="low"),
    }
    stored = {"estimators_": Each(Object(BaseEstimator))}
    renamed = {  # in model files of earlier versions
        "machine": "estimator",
        "max_machines": "max_estimators",
        "machines_": "estimators_",
    }

    def __init__(self, estimator: Estimator | None = None, max_estimators: int = 1, min_samples: float = 5):
        self.estimator = estimator
        self.max_estimators = max_estimators
        self.min_samples = min_samples

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        K = len(self.classes_)
        if K > 2:
            raise DataError(
                "Only binary classification is supported. LinearRuleClassifier tells two classes apart, y has "
                f"{K}. For more: OneVsRestClassifier(LinearRuleClassifier())."
            )
        schema = self.schema_
        if not self.design_.plain:
            schema = Schema([Column(name) for name in self.design_.names])
        weights = np.ones(len(y)) if w is None else w
        left = np.flatnonzero(weights > 0)
        rules: list[Rule] = []
        self.estimators_: list[Any] = []
        while len(np.unique(y[left])) > 1:
            machine = self._machine(X[left], y[left], None if w is None else w[left])
            self.estimators_.append(machine)
            last = len(self.estimators_) == self.max_estimators
            sure = [] if last else self._sure(machine, X[left], y[left], weights[left])
            if not sure:
                rules += rules_of_machine(machine, tuple(range(K)))
                left = left[:0]
                break
            rules += sure
            covered = np.column_stack([rule.covers(X[left]) for rule in sure]).any(axis=1)
            left = left[~covered]
        labels = y[left] if len(left) else y
        default = int(np.bincount(labels, weights[left] if len(left) else weights).argmax())
        classes = tuple(self.classes_.tolist())
        labelled = tuple(Rule(rule.conditions, classes[rule.answer]) for rule in rules)
        self.rules_ = counted(RuleBase(labelled, schema, classes, classes[default]), X, y, w)

    def _machine(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> Any:
        from assay.linear import LogisticRegression

        machine = LogisticRegression() if self.estimator is None else clone(self.estimator)
        return fit_to(machine, X, y, w, type(self).__name__)

    def _sure(self, machine: Any, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> list[Rule]:
        """A rule for each class: beyond all rows of the other class that the machine was fitted to."""
        terms, _ = _plane(machine)
        score = _scores(terms, X)
        low, high = float(score[y == 1].min()), float(score[y == 0].max())
        sure_rules = []
        for answer, beyond, condition in (
            (1, score > high, LinearCondition(terms, low=high)),
            (0, score < low, LinearCondition(terms, high=float(np.nextafter(low, -np.inf)))),
        ):
            if float(w[beyond].sum()) >= self.min_samples and not beyond.all():
                sure_rules.append(Rule((condition,), answer))
        return sure_rules


def rules_of_machine(machine: Any, classes: Any = None) -> list[Rule]:
    """The two rules (1) of a fitted linear machine of two classes.

    Parameters
    ----------
    machine : a classifier with ``coef_`` and ``intercept_``
    classes : (2,) labels, default those of the machine

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> from assay.rules.linear_rule_classifier import rules_of_machine
    >>> machine = LinearSVC().fit([[0.0], [1.0]], ["low", "high"])
    >>> [rule.answer for rule in rules_of_machine(machine)]
    ['low', 'high']
    """
    terms, offset = _plane(machine)
    first, second = machine.classes_.tolist() if classes is None else classes
    return [
        Rule((LinearCondition(terms, low=-offset),), second),
        Rule((LinearCondition(terms, high=-offset),), first),
    ]


def _plane(machine: Any) -> tuple[tuple[tuple[int, float], ...], float]:
    coef = getattr(machine, "coef_", None)
    if coef is None:
        raise DataError(
            f"LinearRuleClassifier: {type(machine).__name__} has no coef_. Take a linear machine, for example "
            "LinearSVC, Perceptron or LogisticRegression."
        )
    coef = np.asarray(coef, np.float64)
    if coef.ndim == 2 and len(coef) != 1:
        raise DataError(
            f"LinearRuleClassifier: {type(machine).__name__} has {len(coef)} hyperplanes, expected one: two classes."
        )
    offset = float(np.ravel(np.asarray(machine.intercept_, np.float64))[0])
    return tuple((j, float(c)) for j, c in enumerate(coef.ravel())), offset


def _scores(terms: tuple[tuple[int, float], ...], X: np.ndarray) -> np.ndarray:
    """The sums in the order in which conditions take them."""
    total = np.zeros(len(X))
    for j, c in terms:
        total += c * X[:, j]
    return total
