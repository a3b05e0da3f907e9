"""IREP: each rule is grown on some rows and pruned at once on others."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Any_, Choice, Count, Range, Seed
from assay.core.progress import progress
from assay.core.seeds import random_state_of
from assay.rulebase.measures import irep_value
from assay.rules.covering.class_by_class import class_by_class, class_sequence
from assay.rules.covering.growing import ClassRows, Draft, RankedTable, best_prefix
from assay.rules.rule_learner import RuleClassifier, class_rules
from assay.types import Labels, RandomState

__all__ = ["IrepClassifier"]


class IrepClassifier(RuleClassifier):
    r"""Classify by an ordered list of rules, each pruned as soon as it is grown: incremental reduced error pruning.

    Classes get their rules one after the other, the rarest first; the most frequent one is the default. Of the rows
    left, two thirds grow a rule: conditions of largest FOIL gain until no other class is covered. On the other third
    its last conditions are dropped so that

    .. math:: \frac{p + N - n}{P + N}                                                                   \quad (1)

    is largest, where the rule covers p of P rows of its class and n of N others (equal values: the shortest). Covered
    rows leave, and a class has its rules once no row of it is left, or a rule is wrong for more than half of the
    pruning rows that it covers; that rule is not taken.

    It is quick and simple; :class:`RipperClassifier` goes on where it stops too early. Value (1) can prefer a rule with
    many errors: p = 2000, n = 1000 to p = 1000, n = 1. A missing value meets no condition.

    Cost: fit O(d n log n) to sort the columns, then O(d) for each rule times the rows that its conditions leave;
    predict O(c) a row for c conditions in all; memory O(n d) to fit, O(c) kept.

    Parameters
    ----------
    prune_share : float, default 1/3
        Share of the rows to prune with, drawn anew for every rule, of either side alike.
    min_positive : float, default 0
        A condition that would leave less weight of its class than this is not added.
    max_rules : int or None, default None
        For each class.
    max_conditions : int or None, default None
        For each rule; an interval counts as two.
    class_order : "rarest first" or list of all classes, default "rarest first"
        The order in which classes get rules; the last one is the default.
    threshold : "midpoint" or "value", default "midpoint"
        Compare with the middle between two neighbouring numbers, or with the number inside.
    random_state : int, RandomState or None, default None
        Which rows are pruned with.

    Attributes
    ----------
    rules_ : RuleBase
        Ordered; each rule's counts are those of the training rows that reach it.
    history_ : list of dict
        One for each rule tried: class, grown (in words, before pruning), rule (after it), p and n (weight of its class
        and of others among the pruning rows that it covers), kept.
    classes_ : (K,)

    Examples
    --------
    >>> from assay.rules import IrepClassifier
    >>> from assay.tables.data import load_iris
    >>> iris = load_iris()
    >>> print(IrepClassifier(random_state=0).fit(iris.X, iris.y))
    R1: IF petal length (cm) <= 2.45 THEN setosa
    R2: IF petal width (cm) <= 1.65 AND petal length (cm) <= 5 THEN versicolor
    ELSE virginica

    See Also
    --------
    RipperClassifier, prune_rules

    References
    ----------
    - Fürnkranz, J. and Widmer, G. (1994). Incremental reduced error pruning. International Conference on Machine
      Learning, 70-77.
    """

    card = Card(
        "irep",
        "rules grown on some rows and pruned on others",
        settings={"random_state": 0},
        learns=(
            "a list or set of rules",
            "impurity or precision of each rule",
            "one rule after the other, by beam or greedy search",
            "greedy",
        ),
    )
    multiclass = "one-vs-rest"
    accepts = {
        "prune_share": Range(0, 1, open="both"),
        "min_positive": Range(0),
        "max_rules": Count(1) | None,
        "max_conditions": Count(1) | None,
        "class_order": Choice("rarest first")
        | Any_("a list of all classes", lambda v: not isinstance(v, str)),
        "threshold": Choice("midpoint", "value"),
        "random_state": Seed(),
    }

    def __init__(
        self,
        prune_share: float = 1 / 3,
        min_positive: float = 0.0,
        max_rules: int | None = None,
        max_conditions: int | None = None,
        class_order: Labels | str = "rarest first",
        threshold: str = "midpoint",
        random_state: RandomState = None,
    ):
        self.prune_share = prune_share
        self.min_positive = min_positive
        self.max_rules = max_rules
        self.max_conditions = max_conditions
        self.class_order = class_order
        self.threshold = threshold
        self.random_state = random_state

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        sequence, _ = class_sequence(self.class_order, self.classes_, y, w, type(self).__name__)
        some = slice(None) if w is None else np.flatnonzero(w)  # a row of weight zero is not there
        weights = None if w is None else w[some]
        table = RankedTable(X[some], self.schema_, weights, midpoint=self.threshold == "midpoint")
        self.history_: list[dict[str, Any]] = []
        seeds = random_state_of(self.random_state)
        with progress(description=type(self).__name__) as bar:
            rules = class_by_class(
                table, y[some], sequence, lambda k, rows: self._cover(rows, self.classes_[k], seeds, bar)
            )
        self.rules_ = class_rules(self, rules, X, y, w, default=int(sequence[-1]))

    def _cover(self, rows: ClassRows, label: Any, seeds: np.random.RandomState, bar: Any) -> list[Draft]:
        rules: list[Draft] = []
        left, order = np.arange(len(rows)), rows.order
        while rows.positive[left].any() and len(rules) < (self.max_rules or np.inf):
            order = rows.table.narrowed(order, rows.rows[left])
            state, held = rows.split(left, self.prune_share, int(seeds.randint(2**62, dtype=np.int64)))
            grown = rows.grow(state, order, self.min_positive, self.max_conditions)
            p, n = rows.prefix_counts(grown, held)
            kept = best_prefix(irep_value(p, n, p[0], n[0])) if len(held) else len(grown)  # (1)
            rule = grown.first(kept)
            covered = rows.covers(rule)[left]
            taken = bool(p[kept] >= n[kept]) and bool(rows.positive[left[covered]].any())
            if not len(rule):  # covers all that is left: the few pruning rows alone must not decide that
                correct, other = rows.weigh(np.isin(np.arange(len(rows)), left))
                taken &= correct > other
            self._note(rows.table, label, grown, rule, float(p[kept]), float(n[kept]), taken)
            bar.advance(note=f"{len(rules)} rules for {label}")
            if not taken:
                break
            rules.append(rule)
            left = left[~covered]
        return rules

    def _note(
        self, table: RankedTable, label: Any, grown: Draft, rule: Draft, p: float, n: float, taken: bool
    ) -> None:
        self.history_.append(
            {
                "class": label.item() if isinstance(label, np.generic) else label,
                "grown": table.words(grown),
                "rule": table.words(rule),
                "p": p,
                "n": n,
                "kept": taken,
            }
        )
