"""RIPPER: rules grown on some rows, pruned on others, and polished while their description gets shorter."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Any_, Choice, Count, Range, Seed
from assay.core.progress import Progress, progress
from assay.core.seeds import random_state_of
from assay.rulebase.measures import irep_value, rule_value
from assay.rules.covering.class_by_class import class_by_class, class_sequence
from assay.rules.covering.description_length import RuleSetLength
from assay.rules.covering.growing import ClassRows, Draft, RankedTable, best_prefix
from assay.rules.rule_learner import RuleClassifier, class_rules
from assay.types import Label, Labels, RandomState

__all__ = ["RipperClassifier"]

SLACK = 1e-9  # bits; lengths that differ by less are equal


class RipperClassifier(RuleClassifier):
    r"""Classify by an ordered list of rules that RIPPER grows, prunes, and polishes k times.

    Classes get their rules one after the other, the rarest first; the most frequent one is the default. The rows left
    are split at random into two thirds to grow with and one third to prune with. A rule grows by the condition of
    largest FOIL gain (:func:`assay.rulebase.measures.foil_gain`) until it covers no other class; then its last
    conditions are dropped so that on the pruning rows

    .. math:: \frac{p - n}{p + n}                                                                       \quad (1)

    is largest, for p and n covered rows of the class and of others (equal values: the shortest). Covered rows leave.
    No more rules are added once the description length of the set
    (:class:`assay.rules.covering.description_length.RuleSetLength`) exceeds the least so far by more than ``allowance``
    bits, or a rule errs at least half the time.

    Each of the k passes compares every rule with one grown anew and with itself grown further, both pruned for the
    largest share of pruning rows that the whole set answers rightly,

    .. math:: \frac{p + N - n}{P + N}                                                                   \quad (2)

    and keeps the one with which the set has the shortest description. Then positives that are still uncovered get
    rules, and rules without which the description is no longer are dropped, from the last to the first.

    Use it where a short list of readable rules is wanted, also for many classes, noisy labels and mixed tables. A
    missing value meets no condition. Weights are counts of rows, so they should not be scaled to sum to 1; the random
    split draws rows, whatever they weigh. Where books differ: numbers are cut in the middle between two neighbours; the
    gain has no correction of counts; the error of a new rule is judged on all rows left, as Weka's JRip does
    (``check_error="pruning"``: more than half, on the pruning rows only).

    Cost: fit O(d n log n) to sort the columns, then O(d) for each rule times the rows that its conditions leave;
    predict O(c) a row for c conditions in all; memory O(n d) to fit, O(c) kept.

    Parameters
    ----------
    k : int, default 2
        Passes of optimisation; 0 is the learner IREP*.
    prune_share : float, default 1/3
        Share of the rows to prune with, drawn anew for every rule, of either side alike.
    allowance : float, default 64
        Bits by which the description may grow before no more rules are tried.
    min_positive : float, default 2
        A condition that would leave less weight of its class than this is not added.
    max_rules : int or None, default None
        For each class.
    max_conditions : int or None, default None
        For each rule; an interval counts as two.
    check_error : "remaining", "pruning" or None, default "remaining"
        Where a new rule must be right: for more than half of the rows left that it covers, or for at least half of the
        pruning rows. None asks only for the description length.
    class_order : "rarest first" or list of all classes, default "rarest first"
        The order in which classes get rules; the last one is the default. Classes of equal weight go in the order in
        which the rows show them first.
    threshold : "midpoint" or "value", default "midpoint"
        Compare with the middle between two neighbouring numbers, or with the number inside, as Weka does; then no
        answer depends on how numbers are scaled.
    random_state : int, RandomState or None, default None
        Which rows are pruned with.

    Attributes
    ----------
    rules_ : RuleBase
        Ordered; each rule's counts are those of the training rows that reach it.
    history_ : list of dict
        One for each rule tried, in turn: class, stage ("build", "optimise 1", ...), rule (in words), p and n (weight of
        its class and of others that only it covers), bits (description length with the choice made), kept, and why.
    classes_ : (K,)

    Examples
    --------
    >>> from assay.rules import RipperClassifier
    >>> from assay.tables.data import load_iris
    >>> iris = load_iris()
    >>> model = RipperClassifier(random_state=0).fit(iris.X, iris.y)
    >>> print(model)
    R1: IF petal length (cm) <= 2.45 THEN setosa
    R2: IF petal width (cm) <= 1.65 AND petal length (cm) <= 4.95 THEN versicolor
    ELSE virginica
    >>> step = model.history_[-2]
    >>> step["stage"], step["rule"], step["p"], step["n"], step["why"]
    ('optimise 2', 'petal width (cm) <= 1.65 AND petal length (cm) <= 4.95', 47.0, 0.0, 'as it was')

    See Also
    --------
    IrepClassifier, PartClassifier, C45RulesClassifier

    References
    ----------
    - Cohen, W. W. (1995). Fast effective rule induction. International Conference on Machine Learning, 115-123.
    """

    card = Card(
        "ripper",
        "a short list of rules, grown, pruned and polished",
        also=("jrip", "rules"),
        suits="any",
        settings={"random_state": 0},
        learns=(
            "a list of rules",
            "description length of rules and exceptions",
            "one rule after the other, then revisions",
            "greedy",
        ),
    )
    multiclass = "one-vs-rest"
    accepts = {
        "k": Count(0),
        "prune_share": Range(0, 1, open="both"),
        "allowance": Range(0),
        "min_positive": Range(0),
        "max_rules": Count(1) | None,
        "max_conditions": Count(1) | None,
        "check_error": Choice("remaining", "pruning") | None,
        "class_order": Choice("rarest first")
        | Any_("a list of all classes", lambda v: not isinstance(v, str)),
        "threshold": Choice("midpoint", "value"),
        "random_state": Seed(),
    }

    def __init__(
        self,
        k: int = 2,
        prune_share: float = 1 / 3,
        allowance: float = 64.0,
        min_positive: float = 2.0,
        max_rules: int | None = None,
        max_conditions: int | None = None,
        check_error: str | None = "remaining",
        class_order: Labels | str = "rarest first",
        threshold: str = "midpoint",
        random_state: RandomState = None,
    ):
        self.k = k
        self.prune_share = prune_share
        self.allowance = allowance
        self.min_positive = min_positive
        self.max_rules = max_rules
        self.max_conditions = max_conditions
        self.check_error = check_error
        self.class_order = class_order
        self.threshold = threshold
        self.random_state = random_state

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        sequence, totals = class_sequence(self.class_order, self.classes_, y, w, type(self).__name__)
        some = slice(None) if w is None else np.flatnonzero(w)  # a row of weight zero is not there
        table = RankedTable(
            X[some],
            self.schema_,
            None if w is None else w[some],
            midpoint=self.threshold == "midpoint",
        )
        self.history_: list[dict[str, Any]] = []
        seeds = random_state_of(self.random_state)

        def learn(k: int, rows: ClassRows) -> list[Draft]:
            later = totals[sequence[sequence.tolist().index(k) :]].sum()
            work = _OneClass(self, rows, totals[k] / later, self.classes_[k], seeds, bar)
            return work.learn()

        with progress(description=type(self).__name__) as bar:
            rules = class_by_class(table, y[some], sequence, learn)
        self.rules_ = class_rules(self, rules, X, y, w, default=int(sequence[-1]))


class _OneClass:
    """The rules of one class in the making."""

    def __init__(
        self,
        learner: RipperClassifier,
        rows: ClassRows,
        share: float,
        label: Label,
        seeds: np.random.RandomState,
        bar: Progress,
    ):
        self.learner, self.rows, self.label, self.seeds, self.bar = learner, rows, label, seeds, bar
        self.length = RuleSetLength(rows, share)
        self.rules: list[Draft] = []

    def learn(self) -> list[Draft]:
        """Build, then polish k times; after each step more rules for what is left, and fewer where that is shorter."""
        self.build("build")
        self.shrink("build")
        for turn in range(1, self.learner.k + 1):
            self.optimise(f"optimise {turn}")
            self.build(f"optimise {turn}")
            self.shrink(f"optimise {turn}")
        return self.rules

    def build(self, stage: str) -> None:
        """Add rules for positive rows that none covers yet, until a stopping criterion holds."""
        least, learner = self.length.bits, self.learner
        left = np.flatnonzero(self.length.hits == 0)
        order = self.rows.order
        while self.rows.positive[left].any():
            if learner.max_rules is not None and len(self.rules) >= learner.max_rules:
                return
            order = self.rows.table.narrowed(order, self.rows.rows[left])
            state, held = self.split(left)
            draft = self.grow(state, order)
            p, n = self.rows.prefix_counts(draft, held)
            kept = best_prefix(rule_value(p, n)) if len(held) else len(draft)  # (1)
            draft = draft.first(kept)
            covered = self.rows.covers(draft)
            bits = self.length.with_more(covered, len(draft))
            fresh = covered & (self.length.hits == 0)
            why = self.objection(draft, fresh, p[kept] < n[kept], bits, least)
            self.note(stage, draft, fresh, bits, why or "added", not why)
            if why:
                return
            self.rules.append(draft)
            self.length.append(covered, len(draft))
            least = min(least, bits)
            left = left[~covered[left]]

    def objection(self, draft: Draft, fresh: np.ndarray, errs: bool, bits: float, least: float) -> str:
        """Why a new rule is not taken, or nothing; ``errs``: it is mostly wrong on the pruning rows."""
        p, n = self.rows.weigh(fresh)
        check = (
            self.learner.check_error if len(draft) else "remaining"
        )  # a rule of no conditions must be worth it
        if p <= 0:
            return "covers no positive row"
        if bits > least + self.learner.allowance:
            return "description too long"
        if (check == "pruning" and errs) or (check == "remaining" and n >= p):
            return "errs too often"
        return ""

    def optimise(self, stage: str) -> None:
        """Compare each rule with one grown anew and one grown further; the shortest description stays."""
        left, order, positive = np.arange(len(self.rows)), self.rows.order, self.rows.positive
        for at, old in enumerate(self.rules):
            before = self.rows.covers(old)
            if before[left].any():  # else no other form of it can be grown
                order = self.rows.table.narrowed(order, self.rows.rows[left])
                others = self.length.hits > before
                state, held = self.split(left)
                held = held[~others[held]]  # later rules answer for those
                further = state.copy()
                further[self.rows.rows[~before]] = 0
                revision = self.trimmed(old.then(self.grow(further, order, len(old))), held)
                replacement = self.trimmed(self.grow(state, order), held)
                best, covered, label = old, before, "as it was"
                bits = self.length.bits
                for draft, words in ((revision, "revised"), (replacement, "replaced")):
                    met = self.rows.covers(draft)
                    total = self.length.with_other(at, before, met, len(draft))
                    if len(draft) and total < bits - SLACK and positive[met].any():
                        best, covered, bits, label = draft, met, total, words
                self.note(stage, best, covered & (self.length.hits <= before), bits, label, True)
                if best is not old:
                    self.length.replace(at, before, covered, len(best))
                    self.rules[at] = best
                before = covered
            left = left[~before[left]]
            if not positive[left].any():
                return

    def shrink(self, stage: str) -> None:
        """Drop rules whose absence does not make the description longer: from last to first, until none is left.

        Errors are coded together, so that a rule may become useless when another one goes.
        """
        before = None
        while before != len(self.rules):
            before = len(self.rules)
            for at in reversed(range(before)):
                covered = self.rows.covers(self.rules[at])
                bits = self.length.without(at, covered)
                if bits <= self.length.bits + SLACK:
                    self.note(
                        stage, self.rules[at], covered & (self.length.hits == 1), bits, "deleted", False
                    )
                    self.length.delete(at, covered)
                    del self.rules[at]

    def split(self, left: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.rows.split(left, self.learner.prune_share, int(self.seeds.randint(2**62, dtype=np.int64)))

    def grow(self, state: np.ndarray, order: np.ndarray, already: int = 0) -> Draft:
        most = self.learner.max_conditions
        return self.rows.grow(
            state, order, self.learner.min_positive, None if most is None else max(most - already, 0)
        )

    def trimmed(self, draft: Draft, held: np.ndarray) -> Draft:
        """Pruned for the fewest errors of the whole set on the rows held out."""
        if not len(held):
            return draft
        p, n = self.rows.prefix_counts(draft, held)
        return draft.first(best_prefix(irep_value(p, n, p[0], n[0])))  # (2)

    def note(self, stage: str, draft: Draft, fresh: np.ndarray, bits: float, why: str, kept: bool) -> None:
        p, n = self.rows.weigh(fresh)
        self.learner.history_.append(
            {
                "class": self.label.item() if isinstance(self.label, np.generic) else self.label,
                "stage": stage,
                "rule": self.rows.table.words(draft),
                "p": p,
                "n": n,
                "bits": bits,
                "kept": kept,
                "why": why,
            }
        )
        self.bar.advance(note=f"{len(self.rules)} rules for {self.label}")
