"""Sequential covering: learn one rule, remove the rows it covers, repeat."""

from __future__ import annotations

import numpy as np

from assay.core import Card
from assay.core.parameters import Any_, Choice, Count, Range, Seed
from assay.core.progress import progress
from assay.rulebase.conditions import RowTest
from assay.rules.covering.covering import Covering, class_order, is_order
from assay.rules.covering.measure import MEASURES
from assay.rules.covering.rule_growth import Growth
from assay.rules.rule_learner import RuleClassifier, class_rules
from assay.types import Labels, RandomState

__all__ = ["SequentialCoveringClassifier"]


class SequentialCoveringClassifier(RuleClassifier):
    r"""Classify by a decision list that is learned one rule at a time.

    Learn-One-Rule finds the best rule for the rows that are left (see :func:`assay.rules.learn_one_rule`); all rows
    that it covers are taken away, rightly answered or not; and so on. With ``order="class"`` the classes come one
    after the other, the rarest first (equally frequent ones as the rows show them), each against all that follow it,
    and the last one is the default. With ``order="quality"`` every step takes, of the best rules of all classes, the
    one of highest confidence, and the default is the most frequent class of what is left.

    A class is done when fewer than ``min_uncovered`` of its rows are left, when no condition makes the empty rule
    better, when the next rule's error is above ``max_error``, or when the description length of its rules,

    .. math:: L = \sum_R \text{bits}(R) + \text{bits}(\text{exceptions}) \quad (1)

    has grown by more than ``mdl_bits`` beyond its smallest so far; rules behind the shortest description are dropped.
    A missing value meets no condition. Cost of a rule of m conditions: O(beam m n d) after sorting once.

    Cost: fit O(c n d) for c conditions that are tried for all rules; predict O(c) a row for c conditions in all; memory
    O(n d) to fit, O(c) kept.

    Parameters
    ----------
    measure : str, default "foil"
        What conditions compete by: "foil", "laplace", "accuracy", "m-estimate", "likelihood-ratio", "entropy",
        "gini" or "wracc"; see :class:`assay.rules.RuleMeasure`.
    order : "class", "quality" or list of labels, default "class"
        A list names the classes that come first; those not in it follow, the rarest first.
    beam : int, default 1
        How many partial rules are followed; 1 is greedy.
    min_coverage : float, default 1
        The least weight of rows that a rule covers when it is grown.
    max_conditions : int or None, default None
    min_uncovered : float, default 1
        A class with less weight of uncovered rows than this is done.
    max_error : float or None, default 0.5
        The next rule's error, on the rows set aside or, if there are none, on those left: above it the class is done.
        A rule that covers no row set aside has error 1.
    mdl_bits : float or None, default None
        RIPPER's value is 64.
    pruning : "reverse", "any", "greedy" or None, default None
        In which order conditions of a grown rule are tried for removal; see :class:`assay.rules.RulePruning`.
    pruning_error : "penalised", "upper-limit" or "plain", default "penalised"
        "plain" is the error on the rows set aside, and needs some.
    validation_fraction : float, default 0
        The share of each class that is set aside to measure errors and to prune.
    beta : float, default 1
        Of Laplace's estimate.
    m : float, default 2
        Of the m-estimate.
    random_state : int, RandomState or None, default None
        Which rows are set aside.

    Attributes
    ----------
    rules_ : RuleBase
    history_ : list of Growth
        How each rule grew, before pruning: conditions, counts, and what else was tried at each step.

    Examples
    --------
    >>> from assay.rules import SequentialCoveringClassifier
    >>> from assay.tables.data import load_charity_donors
    >>> charity = load_charity_donors()
    >>> print(SequentialCoveringClassifier().fit(charity.X, charity.y))
    R1: IF Salary <= 46000 THEN N
    R2: IF Age <= 40.5 THEN N
    ELSE Y

    See Also
    --------
    CN2Classifier, learn_one_rule, RipperClassifier

    References
    ----------
    - Fürnkranz, J. (1999). Separate-and-conquer rule learning. Artificial Intelligence Review 13, 3-54.
      doi:10.1023/A:1006524209794
    - Mitchell, T. M. (1997). Machine Learning. McGraw-Hill.
    """

    card = Card(
        "covering",
        "one rule after the other, each choice open",
        also=("sequential covering",),
        learns=(
            "a list or set of rules",
            "impurity or precision of each rule",
            "one rule after the other, by beam or greedy search",
            "greedy",
        ),
    )
    multiclass = "one-vs-rest"
    accepts = {
        "measure": Choice(*MEASURES),
        "order": Choice("class", "quality") | Any_("a list of labels", is_order),
        "beam": Count(1),
        "min_coverage": Range(0),
        "max_conditions": Count(1) | None,
        "min_uncovered": Range(0),
        "max_error": Range(0, 1) | None,
        "mdl_bits": Range(0) | None,
        "pruning": Choice("reverse", "any", "greedy") | None,
        "pruning_error": Choice("penalised", "upper-limit", "plain"),
        "validation_fraction": Range(0, 1, open="high"),
        "beta": Range(0, open="low"),
        "m": Range(0),
        "random_state": Seed(),
    }

    def __init__(
        self,
        measure: str = "foil",
        order: Labels | str = "class",
        beam: int = 1,
        min_coverage: float = 1,
        max_conditions: int | None = None,
        min_uncovered: float = 1,
        max_error: float | None = 0.5,
        mdl_bits: float | None = None,
        pruning: str | None = None,
        pruning_error: str = "penalised",
        validation_fraction: float = 0.0,
        beta: float = 1.0,
        m: float = 2.0,
        random_state: RandomState = None,
    ):
        self.measure = measure
        self.order = order
        self.beam = beam
        self.min_coverage = min_coverage
        self.max_conditions = max_conditions
        self.min_uncovered = min_uncovered
        self.max_error = max_error
        self.mdl_bits = mdl_bits
        self.pruning = pruning
        self.pruning_error = pruning_error
        self.validation_fraction = validation_fraction
        self.beta = beta
        self.m = m
        self.random_state = random_state

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        self.history_: list[Growth] = []
        work = Covering(self, X, y, w)
        rules: list[tuple[tuple[RowTest, ...], int]] = []
        default: int | None = None
        with progress(work.table.total, "rules") as bar:
            if isinstance(self.order, str) and self.order == "quality":
                while (rule := work.best_of_all()) is not None:
                    rules.append(rule)
                    bar.advance(work.take(*rule))
            else:
                *classes, default = class_order(self, work.totals, work.y)
                for k in classes:
                    rules += work.rules_of(k, bar)
        self.rules_ = class_rules(self, rules, X, y, w, default=default)
