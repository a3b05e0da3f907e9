"""Proving a clause: which values of its variables make every literal of its body a fact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.rules.first_order.clauses import EQUAL, Clause, Literal, Variable
from assay.rules.first_order.facts import Facts

__all__ = ["Bindings", "answers", "consequences", "prove"]

MAX_BINDINGS = 50_000_000  # bindings at one time


@dataclass
class Bindings:
    """Values of variables, side by side: row b of every column belongs to binding b.

    Parameters
    ----------
    columns : dict from Variable to (B,) int64, numbers of constants
    origin : (B,) int64
        Which of the questions that were asked each binding answers.
    """

    columns: dict[Variable, np.ndarray]
    origin: np.ndarray

    def __len__(self) -> int:
        return len(self.origin)

    def keep(self, which: np.ndarray) -> Bindings:
        """Some of the bindings, by mask or number."""
        return Bindings({v: c[which] for v, c in self.columns.items()}, self.origin[which])

    def narrowed(self, needed: set[Variable]) -> Bindings:
        """Only the variables that are still needed, each combination once."""
        columns = {v: c for v, c in self.columns.items() if v in needed}
        if len(columns) == len(self.columns):
            return self
        table = np.stack([self.origin, *columns.values()], axis=1)
        table = np.unique(table, axis=0)
        return Bindings({v: table[:, j] for j, v in enumerate(columns, 1)}, table[:, 0])

    def value(self, term: Any, facts: Facts) -> np.ndarray:
        """The values of a variable, or a constant as often as there are bindings."""
        if isinstance(term, Variable):
            return self.columns[term]
        code = facts.code(term)
        return np.full(len(self), code if code >= 0 else np.iinfo(np.int64).max)

    def met(self, literal: Literal, facts: Facts) -> np.ndarray:
        """(B,) bool: whether a literal holds whose variables all have values."""
        columns = [self.value(term, facts) for term in literal.args]
        if literal.predicate == EQUAL:
            return (columns[0] == columns[1]) != literal.negated
        if literal.predicate not in facts.relations or facts.relations[literal.predicate].shape[1] == 0:
            return np.full(len(self), literal.negated)
        index = facts.index(literal.predicate, tuple(range(len(columns))))
        return (index.counts(columns) > 0) != literal.negated

    def extended(self, literal: Literal, facts: Facts) -> Bindings:
        """All bindings that make a literal true whose variables partly have no values yet."""
        if literal.predicate not in facts.relations:
            nobody = self.keep(np.zeros(0, np.int64))
            nobody.columns.update(dict.fromkeys(literal.variables, nobody.origin))
            return nobody
        old = tuple(j for j, term in enumerate(literal.args) if not self._is_new(term))
        first: dict[Variable, int] = {}
        same = []
        for j, term in enumerate(literal.args):
            if self._is_new(term) and first.setdefault(term, j) != j:
                same.append((first[term], j))
        index = facts.index(literal.predicate, old, tuple(same))
        keys = [self.value(literal.args[j], facts) for j in old]
        total = int(index.counts(keys).sum()) if old else len(index.rows) * len(self)
        if total > MAX_BINDINGS:
            raise DataError(
                f"A clause has {total:,} bindings at {literal}: more than {MAX_BINDINGS:,} are not kept. Use typed "
                "arguments or fewer literals with new variables."
            )
        left, right = index.matches(keys, len(self))
        joined = self.keep(left)
        joined.columns.update({v: index.rows[right, j] for v, j in first.items()})
        return joined

    def _is_new(self, term: Any) -> bool:
        return isinstance(term, Variable) and term not in self.columns


def prove(
    facts: Facts,
    body: Sequence[Literal],
    start: Bindings,
    wanted: Sequence[Variable] = (),
) -> Bindings:
    """The bindings that extend ``start`` and make the body true, in the order of their questions.

    Literals whose variables all have values are tests and come first; then those that give a value to a new
    variable. Variables that no later literal needs and nobody ``wanted`` are forgotten, so that a question has as few
    bindings as can be.

    Parameters
    ----------
    facts : Facts
    body : literals
    start : values to begin with
    wanted : variables whose values are asked for
    """
    todo, bound = list(body), start
    while todo:
        literal = min(todo, key=lambda candidate: _turn(candidate, bound))
        todo.remove(literal)
        free = [v for v in literal.variables if v not in bound.columns]
        if free and (literal.negated or literal.predicate == EQUAL):
            raise DataError(
                f"{literal} speaks of {', '.join(map(str, free))}, to which no other literal gives a value."
            )
        bound = bound.extended(literal, facts) if free else bound.keep(bound.met(literal, facts))
        bound = bound.narrowed({*wanted, *(v for later in todo for v in later.variables)})
    return bound


def _turn(literal: Literal, bound: Bindings) -> tuple[int, int]:
    """Tests first, then literals that share a variable, then the rest; literals that cannot give values last."""
    free = sum(v not in bound.columns for v in literal.variables)
    if not free:
        return 0, 0
    if literal.negated or literal.predicate == EQUAL:
        return 3, free
    return (1 if free < len(literal.variables) or len(literal.args) > len(literal.variables) else 2), free


def answers(facts: Facts, clause: Clause, asked: Literal) -> list[tuple[int, ...]]:
    """The values of the question's variables for which the body of a clause holds."""
    constants = [a for a in asked.args if not isinstance(a, Variable)]
    values = iter(facts.codes([constants], len(constants))[0].tolist())
    determined = {
        v
        for literal in clause.body
        if not literal.negated and literal.predicate != EQUAL
        for v in literal.variables
    }
    columns: dict[Variable, np.ndarray] = {}
    size = 1
    for variable, a in zip(clause.head.args, asked.args):
        if not isinstance(a, Variable):
            columns[variable] = np.full(size, next(values))
        elif variable not in determined:  # anything will do as far as facts that hold are concerned
            n = len(facts.constants)
            columns = {v: np.repeat(c, n) for v, c in columns.items()}
            columns[variable] = np.tile(np.arange(n), size)
            size *= n
    bound = prove(facts, clause.body, Bindings(columns, np.zeros(size, np.int64)), clause.head.args)
    value: dict[Any, np.ndarray] = {}
    keep = np.ones(len(bound), bool)
    for variable, a in zip(clause.head.args, asked.args):
        if isinstance(a, Variable):
            keep &= value.setdefault(a, bound.columns[variable]) == bound.columns[variable]
    if not value:
        return [()] if len(bound) else []
    return list(map(tuple, np.stack(list(value.values()), axis=1)[keep].tolist()))


def consequences(facts: Facts, clauses: Sequence[Clause]) -> Facts:
    """The facts with what follows from them by recursive clauses of one predicate, instead of its own facts.

    Beginning with none, everything that the clauses prove is added until nothing new comes; with finitely many
    constants that happens.
    """
    head = clauses[0].head
    known = facts.with_relation(head.predicate, np.zeros((0, len(head.args)), np.int64))
    while True:
        before = known.relations[head.predicate]
        derived = {tuple(row) for row in before.tolist()}
        for clause in clauses:
            derived.update(answers(known, clause, head))
        if len(derived) == len(before):
            return known
        known = facts.with_relation(head.predicate, np.array(sorted(derived), np.int64))
