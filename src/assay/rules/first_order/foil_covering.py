"""FOIL's two loops: clause after clause, literal after literal; and what a finished clause can do without."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import lgamma, log, log2
from typing import Any

import numpy as np

from assay.core.progress import progress
from assay.rules.first_order.clause_proof import Bindings, prove
from assay.rules.first_order.clauses import EQUAL, Clause, Literal, Variable, variable_names
from assay.rules.first_order.facts import Facts
from assay.rules.first_order.foil_search import Candidate, Language, scored

__all__ = ["covered_by", "learn_clauses"]

SMALLEST = 1e-9  # bits that count as a gain
MAX_BINDINGS = 20_000_000  # bindings of a literal that is tried
BRANCH_GAIN_SHARE = 0.8  # a literal with so much of the best gain is worth coming back to
BRANCHES = 3  # literals of one step to come back to


def learn_clauses(
    facts: Facts,
    head: Literal,
    positive: np.ndarray,
    negative: np.ndarray,
    language: Language,
    limits: Any,
    history: list[dict[str, Any]],
) -> tuple[list[Clause], np.ndarray]:
    """Clauses that cover the positive tuples one after the other, and the tuples that are left.

    ``limits`` has max_literals, max_clauses, max_backtracks, min_precision and mdl.
    """
    clauses: list[Clause] = []
    left = positive
    with progress(len(positive), "clauses") as bar:
        while len(left) and len(clauses) < limits.max_clauses:
            chosen = None
            for clause, steps in grown(facts, head, left, negative, language, limits):
                bar.advance(0)
                clause = shortened(facts, clause, left, negative)
                covered = covered_by(facts, clause, left)
                right, wrong = int(covered.sum()), int(covered_by(facts, clause, negative).sum())
                if right and right >= limits.min_precision * (right + wrong):
                    chosen = clause
                    history += [{"clause": len(clauses), **step} for step in steps]
                    break
            if chosen is None:
                break
            clauses.append(renamed(chosen))
            left = left[~covered]
            bar.advance(right, note=f"{len(clauses)} clauses")
    return needed(facts, clauses, positive), left


@dataclass
class _Growth:
    """A clause under way: its bindings, the bits spent, the steps so far, and the literal that comes next."""

    clause: Clause
    bound: Bindings
    spent: float
    steps: list[dict[str, Any]]
    following: list[Candidate]
    share: float  # of the best gain at the place where it parted


def grown(
    facts: Facts,
    head: Literal,
    positive: np.ndarray,
    negative: np.ndarray,
    language: Language,
    limits: Any,
) -> Iterator[tuple[Clause, list[dict[str, Any]]]]:
    """Clauses to choose from: the greedy one first, then those that take a nearly as good literal somewhere."""
    both = np.concatenate([positive, negative])
    start = Bindings(dict(zip(head.args, both.T)), np.arange(len(both)))
    waiting = [_Growth(Clause(head), start, 0.0, [], [], 1.0)]
    for _ in range(limits.max_backtracks + 1):
        if not waiting:
            return
        state = max(reversed(waiting), key=lambda branch: branch.share)
        waiting.remove(state)
        while _grow(facts, state, len(positive), len(both), language, limits, waiting):
            pass
        yield state.clause, state.steps


def _grow(
    facts: Facts, state: _Growth, P: int, tuples: int, language: Language, limits: Any, waiting: list[_Growth]
) -> bool:
    """Add the literal of greatest gain; False once the clause is finished."""
    clause, bound = state.clause, state.bound
    if not (bound.origin >= P).any() or len(clause.body) >= limits.max_literals:
        return False
    literals = list(language.literals(clause))
    choice = state.following
    if not choice:
        candidates = scored(facts, literals, bound, bound.origin < P)
        ranked = _ranked(candidates, clause)
        choice = ranked[:1] or _determinate(candidates, clause, language.max_variables)
        for c in ranked[1 : 1 + BRANCHES]:
            if c.gain >= BRANCH_GAIN_SHARE * ranked[0].gain:
                waiting.append(replace(state, following=[c], share=c.gain / ranked[0].gain))
    if not choice:
        return False
    for c in choice:
        if set(c.literal.variables) <= set(bound.columns):
            bound = bound.keep(bound.met(c.literal, facts))
        else:
            bound = bound.extended(c.literal, facts)
        clause = Clause(clause.head, (*clause.body, c.literal))
    # Literals with one value only are there for others, and those pay.
    spent = state.spent + (log2(len(literals)) if choice[0].gain > SMALLEST else 0.0)
    p = len(np.unique(bound.origin[bound.origin < P]))
    if limits.mdl and spent - lgamma(len(clause.body) + 1) / log(2) > _worth(tuples, p):  # (2)
        return False
    records = [{"literal": str(c.literal), "gain": c.gain, "p": c.p, "n": c.n, "s": c.s} for c in choice]
    state.clause, state.bound, state.spent, state.following = clause, bound, spent, []
    state.steps = [*state.steps, *records]
    return True


def _ranked(candidates: list[Candidate], clause: Clause) -> list[Candidate]:
    """By gain; among equals few new variables, then no negation, then as they came."""
    known = set(clause.variables)
    able = [c for c in candidates if c.gain > SMALLEST and c.p + c.n <= MAX_BINDINGS]
    return sorted(
        able,
        key=lambda c: (
            -round(c.gain, 9),
            sum(v not in known for v in c.literal.variables),
            c.literal.negated,
        ),
    )


def _determinate(candidates: list[Candidate], clause: Clause, most: int) -> list[Candidate]:
    """Literals that give each positive binding exactly one value of a new variable, each of these with its own name."""
    known: set[Any] = set(clause.head.variables)
    shapes = set()
    for literal in clause.body:
        shapes.add(_shape(literal, known))
        known.update(literal.variables)
    names = (Variable(name) for name in variable_names() if Variable(name) not in known)
    room, chosen = most - len(known), []
    for c in candidates:
        new = [v for v in c.literal.variables if v not in known]
        if c.determinate and 0 < len(new) <= room and _shape(c.literal, known) not in shapes:
            called = dict(zip(new, names))
            args = tuple(called.get(a, a) for a in c.literal.args)
            chosen.append(replace(c, literal=Literal(c.literal.predicate, args)))
            room -= len(new)
    return chosen


def _shape(literal: Literal, known: set[Any]) -> tuple[Any, ...]:
    """The literal without the names of its new variables."""
    return literal.predicate, literal.negated, tuple(a if a in known else None for a in literal.args)


def _worth(tuples: int, p: int) -> float:
    """(2) The bits to code which p of the tuples are covered."""
    ways = lgamma(tuples + 1) - lgamma(p + 1) - lgamma(tuples - p + 1)
    return log2(tuples) + ways / log(2)


def covered_by(facts: Facts, clause: Clause, tuples: np.ndarray) -> np.ndarray:
    """(m,) bool: for which tuples the body of a clause can be made true."""
    start = Bindings(dict(zip(clause.head.args, tuples.T)), np.arange(len(tuples)))
    covered = np.zeros(len(tuples), bool)
    covered[prove(facts, clause.body, start).origin] = True
    return covered


def shortened(facts: Facts, clause: Clause, positive: np.ndarray, negative: np.ndarray) -> Clause:
    """The clause without literals, from the last to the first, that do not keep any negative tuple out."""
    if not clause.body:
        return clause
    wrong = int(covered_by(facts, clause, negative).sum())
    for literal in reversed(clause.body):
        shorter = Clause(clause.head, tuple(other for other in clause.body if other is not literal))
        if not _sound(shorter):
            continue
        errors = int(covered_by(facts, shorter, negative).sum())
        if errors <= wrong and covered_by(facts, shorter, positive).any():
            clause, wrong = shorter, errors
    return clause


def renamed(clause: Clause) -> Clause:
    """The clause with its variables called in the order in which they come, for some may have been lost."""
    called = dict(zip(clause.variables, map(Variable, variable_names())))
    body = tuple(
        replace(literal, args=tuple(called.get(a, a) for a in literal.args)) for literal in clause.body
    )
    return Clause(clause.head, body)


def _sound(clause: Clause) -> bool:
    """Whether every variable of a negation or an equality gets its value from elsewhere, and all hang together."""
    bound = set(clause.head.variables)
    todo = [literal for literal in clause.body if not literal.negated and literal.predicate != EQUAL]
    while todo:
        joined = [literal for literal in todo if bound & set(literal.variables)]
        if not joined:
            return False
        bound.update(v for literal in joined for v in literal.variables)
        todo = [literal for literal in todo if literal not in joined]
    return all(set(literal.variables) <= bound for literal in clause.body)


def needed(facts: Facts, clauses: list[Clause], positive: np.ndarray) -> list[Clause]:
    """The clauses without those whose positive tuples are all covered by others; the smallest are tried first."""
    covers = [covered_by(facts, clause, positive) for clause in clauses]
    keep = set(range(len(clauses)))
    for i in sorted(keep, key=lambda i: (covers[i].sum(), -i)):
        others = [covers[j] for j in keep if j != i]
        if others and not (covers[i] & ~np.logical_or.reduce(others)).any():
            keep.remove(i)
    return [clauses[i] for i in sorted(keep)]
