"""C4.5rules: the paths of a tree as rules, each shortened on its own, the useless ones dropped."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from assay.core import Card
from assay.core.meta_estimator import fit_to
from assay.core.parameters import Any_, Choice, Flag, Range, Seed
from assay.core.progress import progress
from assay.core.stored import Object
from assay.rulebase.rules import Rule
from assay.rules.covering.covering import weighing
from assay.rules.covering.rule_selection import class_order, possible_conditions, shortest_subset, theory_bits
from assay.rules.rule_learner import RuleClassifier, class_rules
from assay.tables import Table
from assay.trees.c45_classifier import C45Classifier, held_out_rows
from assay.trees.rule_pruning import shortened, useful
from assay.types import Estimator, RandomState

__all__ = ["C45RulesClassifier"]


class C45RulesClassifier(RuleClassifier):
    r"""Classify by rules that come from a tree and are then simplified one by one, as Quinlan's C4.5rules does.

    1. One rule for each leaf of a tree.
    2. Each rule loses, one at a time, the condition whose loss lowers its estimated error most, as long as that does
       not rise: C4.5's upper limit of the error rate (:func:`assay.rulebase.measures.pessimistic_error`), or the
       error on rows that were held out. Conditions of any level may go, not only the last ones as in a tree. Rules
       that become equal are kept once, and rules without a condition not at all.
    3. For each class the subset of its rules with the shortest description is kept: bits of the exceptions plus
       ``theory_weight`` times the bits of the rules.
    4. The rules of a class stand together, most confident first; classes by false positives or by description length.
    5. The default is the most frequent class of the rows that no rule covers.
    6. Rules without which the list errs less on the training rows are dropped, one at a time.

    The result is shorter than the tree, and its borders are freer: rules may overlap. A row whose value is missing
    does not meet a condition.

    Cost: fit that of the tree, and O(n c) for each rule of c conditions; predict O(c) a row for c conditions in all;
    memory O(n d) to fit, O(c) kept.

    Parameters
    ----------
    estimator : a learner of trees, default None
        Its ``rules()`` are the beginning; None takes ``C45Classifier()``. It is cloned, and fitted to the rows that are
        not held out. Quinlan's program begins with ``C45Classifier(pruning=None)``: on real tables that gave about
        twice as many rules, and no fewer errors.
    pruning : "pessimistic", "validation" or None, default "pessimistic"
        What step 2 estimates errors by. None leaves the rules of the tree as they are, without the steps after it:
        on rows without missing values they answer exactly as the tree.
    confidence : float, default 0.25
        For "pessimistic": smaller prunes more.
    validation_fraction : float, default 0.25
        The share of the rows that "validation" holds out, drawn class by class.
    select_subset : bool, default True
        Step 3.
    class_order : "mdl" or "false_positives", default "mdl"
        Step 4; false positives are counted on the rows that were held out, if there are any.
    theory_weight : float, default 0.5
        What a bit of the rules counts beside a bit of exceptions: rules say some things twice. Larger keeps fewer.
    drop : bool, default True
        Step 6.
    random_state : int, RandomState or None, default None
        Which rows are held out.

    Attributes
    ----------
    rules_ : RuleBase, in order      classes_ : (K,)
    estimator_ : the fitted tree learner

    Examples
    --------
    >>> from assay.rules import C45RulesClassifier
    >>> from assay.tables.data import load_contact_lenses
    >>> lenses = load_contact_lenses()
    >>> print(C45RulesClassifier(class_order="false_positives").fit(lenses.X, lenses.y))
    R1: IF tear-prod-rate = 'normal' AND astigmatism = 'yes' AND spectacle-prescrip = 'myope' THEN hard
    R2: IF tear-prod-rate = 'reduced' THEN none
    R3: IF tear-prod-rate = 'normal' AND astigmatism = 'no' THEN soft
    ELSE none

    See Also
    --------
    PartClassifier, RipperClassifier, assay.trees.C45Classifier

    References
    ----------
    - Quinlan, J. R. (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann.
    """

    card = Card(
        "c45 rules",
        "the rules of a pruned tree, shortened and chosen",
        also=("c4.5 rules",),
        settings={"random_state": 0},
        learns=(
            "a list of rules",
            "pessimistic error, description length",
            "rules of trees, then pruning",
            "greedy",
        ),
    )
    accepts = {
        "estimator": Any_(
            "a learner of trees that has rules(), or None", lambda v: v is None or hasattr(v, "rules")
        ),
        "pruning": Choice("pessimistic", "validation") | None,
        "confidence": Range(0, 1, open="both"),
        "validation_fraction": Range(0, 1, open="both"),
        "select_subset": Flag(),
        "class_order": Choice("mdl", "false_positives"),
        "theory_weight": Range(0),
        "drop": Flag(),
        "random_state": Seed(),
    }
    stored = {"estimator_": Object(BaseEstimator)}
    renamed = {"tree": "estimator", "tree_": "estimator_"}  # in model files of earlier versions

    def __init__(
        self,
        estimator: Estimator | None = None,
        pruning: str | None = "pessimistic",
        confidence: float = 0.25,
        validation_fraction: float = 0.25,
        select_subset: bool = True,
        class_order: str = "mdl",
        theory_weight: float = 0.5,
        drop: bool = True,
        random_state: RandomState = None,
    ):
        self.estimator = estimator
        self.pruning = pruning
        self.confidence = confidence
        self.validation_fraction = validation_fraction
        self.select_subset = select_subset
        self.class_order = class_order
        self.theory_weight = theory_weight
        self.drop = drop
        self.random_state = random_state

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        X, y, w = weighing(X, y, w)
        weights = np.ones(len(y)) if w is None else w
        aside = np.zeros(len(y), bool)
        if self.pruning == "validation":
            aside = held_out_rows(y, self.validation_fraction, self.random_state)
        rules = self._tree_rules(X[~aside], y[~aside], None if w is None else w[~aside])
        pairs = [(rule.conditions, rule.answer) for rule in rules]
        if self.pruning is not None:
            pairs = self._simplified(rules, X, y, weights, aside)
        self.rules_ = class_rules(self, pairs, X, y, w)

    def _tree_rules(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> tuple[Rule, ...]:
        """The rules of the tree, with class codes as answers."""
        model = C45Classifier() if self.estimator is None else clone(self.estimator)
        self.estimator_ = fit_to(model, Table(X, self.schema_, None), y, w, type(self).__name__)
        return self.estimator_.rules().rules

    def _simplified(
        self, rules: tuple[Rule, ...], X: np.ndarray, y: np.ndarray, w: np.ndarray, aside: np.ndarray
    ) -> list[tuple[Any, int]]:
        check = aside if aside.any() else ~aside
        block, target, v = np.asfortranarray(X[check]), y[check], w[check]
        confidence = self.confidence if self.pruning == "pessimistic" else None
        short: dict[Any, tuple[float, Rule]] = {}
        with progress(len(rules), "shortening rules") as bar:
            for rule in rules:
                estimate, less = shortened(rule, block, target, v, confidence)
                if less.conditions:
                    short.setdefault((frozenset(less.conditions), less.answer), (estimate, less))
                bar.advance(1)
        ranked = [
            rule for _, rule in sorted(short.values(), key=lambda entry: (round(entry[0], 12), -entry[1].n))
        ]
        if not ranked:
            return []
        X = np.asfortranarray(X)
        covered = np.column_stack([rule.covers(X) for rule in ranked])
        answers = np.array([int(rule.answer) for rule in ranked])
        bits = theory_bits(ranked, possible_conditions(X, self.schema_.category_counts(ordered=False)))
        kept = np.ones(len(ranked), bool)
        if self.select_subset:
            for k in np.unique(answers):
                of_class = np.flatnonzero(answers == k)
                kept[of_class] = shortest_subset(
                    covered[:, of_class], y == k, w, bits[of_class], self.theory_weight
                )
        order = self._order(ranked, kept, covered, answers, bits, (block, target, v), (y, w))
        if self.drop:
            stays = useful(covered[:, order], answers[order], y, w, len(self.classes_))
            order = order[stays]
        return [(ranked[r].conditions, int(answers[r])) for r in order]

    def _order(
        self,
        rules: list[Rule],
        kept: np.ndarray,
        covered: np.ndarray,
        answers: np.ndarray,
        bits: np.ndarray,
        check: tuple[np.ndarray, np.ndarray, np.ndarray],
        labelled: tuple[np.ndarray, np.ndarray],
    ) -> np.ndarray:
        """The rules that are kept, class by class."""
        at = np.flatnonzero(kept)
        y, w = labelled
        coverage = covered[:, at]
        if self.class_order == "false_positives" and self.pruning == "validation":
            block, y, w = check
            coverage = np.column_stack([*(rules[r].covers(block) for r in at), np.empty((len(y), 0), bool)])
        classes = class_order(self.class_order, coverage, answers[at], y, w, bits[at], self.theory_weight)
        return np.array([r for k in classes for r in at if answers[r] == k], int)
