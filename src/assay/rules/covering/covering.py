"""The covering loop: remaining rows, the next rule, and the order of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.rulebase.conditions import RowTest
from assay.rulebase.measures import exception_bits, rule_bits
from assay.rulebase.rules import Rule
from assay.rulebase.shortening import single_conditions
from assay.rules.covering.candidates import CandidateTable
from assay.rules.covering.class_by_class import rarest_first
from assay.rules.covering.measure import RuleMeasure
from assay.rules.covering.rule_growth import grow_rule, growth_of, merged
from assay.rules.covering.rule_pruning import RulePruning
from assay.trees.c45_classifier import held_out_rows

__all__ = ["Covering", "class_order", "is_order", "weighing"]


class Covering:
    """The rows that are left, of those to grow on and of those set aside, and how the next rule is found.

    ``learner`` is a :class:`assay.rules.SequentialCoveringClassifier`, with its parameters.
    """

    def __init__(self, learner: Any, X: np.ndarray, y: np.ndarray, w: Any):
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
        self.measure = RuleMeasure(learner.measure, learner.beta, learner.m)
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
        for k in class_order(self.learner, counts, self.y):
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
        w, positive, inside = self.w[rows], self.y[rows] == k, covered[rows]
        share = float(w[positive].sum() / w.sum()) if len(rows) else 0.5
        errors = w[inside & ~positive].sum(), w[~inside & positive].sum()
        return theory + float(exception_bits(w[inside].sum(), w[~inside].sum(), *errors, share))


def weighing(X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, Any]:
    """The rows that weigh something: a row of weight 0 is not there."""
    if w is None or w.all():
        return X, y, w
    return X[w > 0], y[w > 0], w[w > 0]


def class_order(learner: Any, totals: np.ndarray, y: np.ndarray) -> list[int]:
    """The classes in the order in which rules are learned for them: those that were named, then the rarest first."""
    classes = learner.classes_.tolist()
    rarest = rarest_first(totals, y).tolist()
    if isinstance(learner.order, str) or learner.order is None:
        return rarest
    named = [label.item() if isinstance(label, np.generic) else label for label in learner.order]
    strange = [label for label in named if label not in classes]
    if strange or len(set(named)) < len(named):
        raise ParameterError(
            f"{type(learner).__name__}: order must name each of the classes {classes} at most once, "
            f"got {named}."
        )
    first = [classes.index(label) for label in named]
    return first + [k for k in rarest if k not in first]


def is_order(value: Any) -> bool:
    """Whether a value can be a list of labels."""
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)
