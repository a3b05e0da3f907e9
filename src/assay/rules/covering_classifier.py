"""Sequential covering: learn one rule, take away what it covers, and go on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.core.conditions import RowTest
from assay.core.parameters import Any_, Choice, Count, Range, Seed
from assay.core.progress import progress
from assay.core.rule_measures import exception_bits, rule_bits
from assay.core.rules import Rule
from assay.core.shortening import single_conditions
from assay.rules.candidates import MEASURES, CandidateTable, Measure
from assay.rules.learn_one_rule import Growth, grow_rule, growth_of, merged
from assay.rules.rule_learner import RuleClassifier, class_rules
from assay.rules.rule_pruning import RulePruning
from assay.trees.c45_classifier import held_out_rows

__all__ = ["SequentialCoveringClassifier", "class_order"]


def is_order(value: Any) -> bool:
    """Whether a value can be a list of labels."""
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)


class SequentialCoveringClassifier(RuleClassifier):
    r"""Classify by a decision list that is learned one rule at a time.

    Learn-One-Rule finds the best rule for the rows that are left (see :func:`assay.rules.learn_one_rule`); all rows
    that it covers are taken away, rightly answered or not; and so on. With ``order="class"`` the classes come one
    after the other, the rarest first, each against all that follow it, and the last one is the default. With
    ``order="quality"`` every step takes, of the best rules of all classes, the one of highest confidence, and the
    default is the most frequent class of what is left.

    A class is done when fewer than ``min_uncovered`` of its rows are left, when no condition makes the empty rule
    better, when the next rule's error is above ``max_error``, or when the description length of its rules,

    .. math:: L = \sum_R \text{bits}(R) + \text{bits}(\text{exceptions}) \quad (1)

    has grown by more than ``mdl_bits`` beyond its smallest so far; rules behind the shortest description are dropped.
    A missing value meets no condition. Cost of a rule of m conditions: O(beam m n d) after sorting once.

    Parameters
    ----------
    measure : str, default "foil"
        What conditions compete by: "foil", "laplace", "accuracy", "m-estimate", "likelihood-ratio", "entropy",
        "gini" or "wracc"; see :class:`assay.rules.Measure`.
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
    """

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
        order: Any = "class",
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
        random_state: Any = None,
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
        work = _Covering(self, X, y, w)
        found: list[tuple[tuple[RowTest, ...], int]] = []
        default: int | None = None
        with progress(work.table.total, "rules") as bar:
            if isinstance(self.order, str) and self.order == "quality":
                while (rule := work.best_of_all()) is not None:
                    found.append(rule)
                    bar.advance(work.take(*rule))
            else:
                *classes, default = class_order(self, work.totals)
                for k in classes:
                    found += work.rules_of(k, bar)
        self.rules_ = class_rules(self, found, X, y, w, default=default)


class _Covering:
    """The rows that are left, of those to grow on and of those set aside, and how the next rule is found."""

    def __init__(self, learner: SequentialCoveringClassifier, X: np.ndarray, y: np.ndarray, w: Any):
        self.learner, self.K = learner, len(learner.classes_)
        X, y, w = weighing(X, y, w)
        aside = np.zeros(len(y), bool)
        if learner.validation_fraction > 0:
            aside = held_out_rows(y, learner.validation_fraction, learner.random_state)
        self.X, self.y, self.w = X, y, np.ones(len(y)) if w is None else w
        self.grow, self.aside = np.flatnonzero(~aside), np.flatnonzero(aside)
        self.table = CandidateTable(
            X[self.grow], learner.schema_, y[self.grow], None if w is None else w[self.grow], self.K
        )
        self.totals = self.table.counts(self.table.rows)
        self.measure = Measure(learner.measure, learner.beta, learner.m)
        self.left = np.ones(len(y), bool)
        if learner.pruning is None:
            self.pruning = None
        else:
            self.pruning = RulePruning(learner.pruning_error, learner.pruning)  # type: ignore[arg-type]

    def next_rule(self, k: int) -> tuple[tuple[RowTest, ...], int] | None:
        """The best rule for a class on the rows that are left; None if there is none that may be added."""
        learner, table = self.learner, self.table
        if table.counts(table.rows)[k] <= 0:
            return None
        part = grow_rule(
            table,
            self.measure,
            k,
            table.shares(),
            beam=learner.beam,
            least=learner.min_coverage,
            max_conditions=learner.max_conditions,
        )
        if part is None:
            return None
        self.growth = growth_of(part, table, learner.classes_[k])
        conditions = merged(part.conditions)
        if self.pruning is not None:
            rows = self._judges(self.pruning.error == "plain")
            conditions = self.pruning.pruned(part.conditions, self.X[rows], self.y[rows] == k, self.w[rows])
        if learner.max_error is not None and self._error(conditions, k) > learner.max_error:
            return None
        return conditions, k

    def _judges(self, other: bool) -> np.ndarray:
        """The rows left that errors are counted on: those set aside, or those that rules are grown on."""
        rows = self.aside if other and len(self.aside) else self.grow
        return rows[self.left[rows]]

    def _error(self, conditions: tuple[RowTest, ...], k: int) -> float:
        rows = self._judges(True)
        rows = rows[Rule(conditions, k).covers(self.X[rows])]
        n = self.w[rows].sum()
        return float(self.w[rows[self.y[rows] != k]].sum() / n) if n > 0 else 1.0

    def take(self, conditions: tuple[RowTest, ...], k: int) -> float:
        """Take away all rows that a rule covers; returns their weight, of those to grow on."""
        self.learner.history_.append(self.growth)
        return self._take(Rule(conditions, k).covers(self.X))

    def _take(self, covered: np.ndarray) -> float:
        covered = covered & self.left
        self.left &= ~covered
        mine = covered[self.grow]
        self.table.without(np.flatnonzero(mine))
        return float(self.w[self.grow[mine]].sum())

    def best_of_all(self) -> tuple[tuple[RowTest, ...], int] | None:
        """Of the best rules of all classes the one of highest confidence, then of largest coverage."""
        counts = self.table.counts(self.table.rows)
        if np.count_nonzero(counts) <= 1:
            return None
        best, growth, rank = None, None, (-1.0, -1.0)
        for k in class_order(self.learner, counts):
            rule = self.next_rule(k) if counts[k] >= self.learner.min_uncovered else None
            if rule is None:
                continue
            rows = self.grow[self.left[self.grow]]
            rows = rows[Rule(*rule).covers(self.X[rows])]
            n = float(self.w[rows].sum())
            mine = (float(self.w[rows[self.y[rows] == k]].sum()) / n if n else 0.0, n)
            if mine > rank and n > 0:
                best, growth, rank = rule, self.growth, mine
        if best is not None:
            self.growth = growth  # type: ignore[assignment]
        return best

    def rules_of(self, k: int, bar: Any) -> list[tuple[tuple[RowTest, ...], int]]:
        """All rules of one class, whose rows and those of the classes behind it are what is left."""
        learner, rules = self.learner, []
        start, before = self.table.rows, self.left.copy()
        covered, theory = np.zeros(len(self.y), bool), 0.0
        shortest, keep, best_covered = self._bits(theory, covered, start, k), 0, covered
        while self.table.counts(self.table.rows)[k] >= max(learner.min_uncovered, np.finfo(float).tiny):
            rule = self.next_rule(k)
            if rule is None:
                break
            taken = self.take(*rule)
            if taken <= 0:  # pruned on rows set aside, it covers none to grow on
                learner.history_.pop()
                break
            rules.append(rule)
            bar.advance(taken)
            if learner.mdl_bits is not None:
                covered = before & ~self.left
                theory += self._theory(rule[0])
                bits = self._bits(theory, covered, start, k)
                if bits < shortest:
                    shortest, keep, best_covered = bits, len(rules), covered
                elif bits > shortest + learner.mdl_bits:
                    break
        if learner.mdl_bits is not None and keep < len(rules):
            del learner.history_[len(learner.history_) - (len(rules) - keep) :]
            del rules[keep:]
            self.left = before
            self.table.again(start)
            self._take(best_covered)
        return rules

    def _theory(self, conditions: tuple[RowTest, ...]) -> float:
        """The bits that a rule takes; an interval with two ends is two conditions."""
        q = float(np.where(self.table.nominal, self.table.width, 2 * self.table.width).sum())
        return float(rule_bits(sum(len(single_conditions(c)) for c in conditions), q))

    def _bits(self, theory: float, covered: np.ndarray, start: np.ndarray, k: int) -> float:
        """(1), the description length of a class's rules on the rows that its first rule saw."""
        rows = self.grow[start]
        w, own, inside = self.w[rows], self.y[rows] == k, covered[rows]
        share = float(w[own].sum() / w.sum()) if len(rows) else 0.5
        errors = w[inside & ~own].sum(), w[~inside & own].sum()
        return theory + float(exception_bits(w[inside].sum(), w[~inside].sum(), *errors, share))


def weighing(X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, Any]:
    """The rows that weigh something: a row of weight 0 is not there."""
    if w is None or w.all():
        return X, y, w
    return X[w > 0], y[w > 0], w[w > 0]


def class_order(learner: Any, totals: np.ndarray) -> list[int]:
    """The classes in the order in which rules are learned for them: those that were named, then the rarest first."""
    classes = learner.classes_.tolist()
    rarest = [int(k) for k in np.argsort(totals, kind="stable")]
    if isinstance(learner.order, str) or learner.order is None:
        return rarest
    from assay.errors import ParameterError

    named = [label.item() if isinstance(label, np.generic) else label for label in learner.order]
    strange = [label for label in named if label not in classes]
    if strange or len(set(named)) < len(named):
        raise ParameterError(
            f"{type(learner).__name__}: order must name each of the classes {classes} at most once, "
            f"got {named}."
        )
    first = [classes.index(label) for label in named]
    return first + [k for k in rarest if k not in first]
