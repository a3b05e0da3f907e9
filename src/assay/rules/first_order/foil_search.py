"""The literals that FOIL may add to a clause, and what each of them would gain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.rulebase.measures import foil_gain
from assay.rules.first_order.clause_proof import Bindings
from assay.rules.first_order.clauses import EQUAL, Clause, Literal, Variable, variable_names
from assay.rules.first_order.facts import Facts

__all__ = ["Candidate", "Language", "scored"]

ANYTHING = "anything"  # the type of every argument where none is declared


@dataclass(frozen=True)
class Candidate:
    """A literal that might be added, and what it would make of the bindings.

    Attributes
    ----------
    literal : Literal
    gain : float
        FOIL's information gain in bits.
    p, n : positive and negative bindings of the clause with the literal
    s : positive bindings of the clause without it that have at least one with it
    determinate : whether each positive binding has exactly one extension, and each negative at most one
    """

    literal: Literal
    gain: float
    p: int
    n: int
    s: int
    determinate: bool = False

    def __str__(self) -> str:
        return f"{self.gain:9.6f}  {self.literal}  ({self.p} positive, {self.n} negative bindings)"


@dataclass
class Language:
    """What clauses may be made of: predicates with typed arguments, constants, negation, equality.

    Parameters
    ----------
    target : str
        The predicate that follows; it is part of a body only if clauses may be recursive.
    types : dict from predicate to the types of its arguments
    negation, equality : bool
        Whether NOT P(x) and x = y are allowed.
    constants : constants c for which x = c is allowed
    max_variables : int
    constant_types : dict from constant to its types, or None if all are of one
    recursive : bool
        Whether the target itself may be used, always with a new variable.
    """

    target: str
    types: Mapping[str, tuple[str, ...]]
    negation: bool = True
    equality: bool = True
    constants: tuple[Any, ...] = ()
    max_variables: int = 8
    constant_types: Mapping[Any, frozenset[str]] | None = None
    recursive: bool = False

    def literals(self, clause: Clause) -> Iterator[Literal]:
        """Every literal that may be added, those without new variables first, negations of these behind them.

        A literal shares at least one variable with the clause; negations and equalities have no new variable.
        """
        types = self.variable_types(clause)
        old = list(types)
        names = variable_names(0)
        fresh: list[Variable] = []
        taken = {v.name for v in old}
        while len(fresh) < max(self.max_variables - len(old), 0) and len(fresh) < 4:
            name = next(names)
            if name not in taken:
                fresh.append(Variable(name))
        body = set(clause.body)
        plain = [
            literal
            for predicate, kinds in self.types.items()
            if predicate != self.target or self.recursive
            for literal in self._patterns(predicate, kinds, types, fresh)
            if predicate != self.target or not types.keys() >= set(literal.args)
        ]
        if self.equality:
            pairs = [(a, b) for a, b in combinations(old, 2) if types[a] == types[b]]
            plain += [Literal(EQUAL, pair) for pair in pairs]
        plain += [Literal(EQUAL, (v, c)) for v in old for c in self.constants if self._of_type(c, types[v])]
        known = set(old)
        for literal in plain:
            if literal not in body:
                yield literal
        if not self.negation:
            return
        for literal in plain:
            negated = Literal(literal.predicate, literal.args, True)
            if set(literal.variables) <= known and negated not in body:
                yield negated

    def variable_types(self, clause: Clause) -> dict[Variable, str]:
        """The type of each variable, by the first argument where it stands."""
        types: dict[Variable, str] = {}
        for literal in (clause.head, *clause.body):
            if literal.predicate != EQUAL:
                for term, kind in zip(literal.args, self.types[literal.predicate]):
                    if isinstance(term, Variable):
                        types.setdefault(term, kind)
        return types

    def _of_type(self, constant: Any, kind: str) -> bool:
        return self.constant_types is None or kind in self.constant_types.get(constant, ())

    def _patterns(
        self, predicate: str, kinds: Sequence[str], types: dict[Variable, str], fresh: list[Variable]
    ) -> Iterator[Literal]:
        """Old variables of the right type and new ones in every place; new ones are numbered as they come."""
        choices = [[v for v in types if types[v] == kind] + fresh[: len(kinds)] for kind in kinds]
        for args in product(*choices):
            new = [a for a in args if a not in types]
            if len(new) == len(args):
                continue
            first = list(dict.fromkeys(new))
            if first != fresh[: len(first)]:
                continue  # the same literal with its new variables called otherwise
            of_one_type = {v: {k for a, k in zip(args, kinds) if a == v} for v in first}
            if all(len(columns) == 1 for columns in of_one_type.values()):
                yield Literal(predicate, args)


def types_of(facts: Facts, types: Any, target: str) -> dict[str, tuple[str, ...]]:
    """The types of the arguments of every predicate: as declared, found by shared constants, or all the same."""
    arity = {p: rows.shape[1] for p, rows in facts.relations.items() if rows.shape[1]}
    if target not in arity and target in facts.denied:
        arity[target] = facts.denied[target].shape[1]
    if types is None:
        return {p: (ANYTHING,) * a for p, a in arity.items()}
    if isinstance(types, Mapping):
        for p, a in arity.items():
            if len(types.get(p, ())) != a:
                raise ParameterError(
                    f"FOIL: types must name the {a} argument{'s' if a > 1 else ''} of {p}, got {types.get(p)!r}."
                )
        return {p: tuple(map(str, types[p])) for p in arity}
    return _shared(facts, arity)


def _shared(facts: Facts, arity: dict[str, int]) -> dict[str, tuple[str, ...]]:
    """Arguments that share a constant, directly or by way of others, are of one type."""
    places = [(p, j) for p, a in arity.items() for j in range(a)]
    group = {place: i for i, place in enumerate(places)}
    owner: dict[int, int] = {}
    for p, j in places:
        columns = [rows[:, j] for rows in (facts.relations.get(p), facts.denied.get(p)) if rows is not None]
        for c in np.unique(np.concatenate(columns)).tolist():
            a, b = group[p, j], owner.setdefault(c, group[p, j])
            if a != b:
                group = {place: b if g == a else g for place, g in group.items()}
                owner = {k: b if g == a else g for k, g in owner.items()}
    number = {g: f"type{i}" for i, g in enumerate(dict.fromkeys(group.values()), 1)}
    return {p: tuple(number[group[p, j]] for j in range(a)) for p, a in arity.items()}


def scored(
    facts: Facts, literals: Sequence[Literal], bindings: Bindings, positive: np.ndarray
) -> list[Candidate]:
    r"""What each literal would gain.

    .. math:: \text{gain} = s \left(\log_2 \frac{p_1}{p_1 + n_1} - \log_2 \frac{p_0}{p_0 + n_0}\right)

    over bindings: p0 positive and n0 negative ones before, p1 and n1 after, s the positive ones that go on in at least
    one way. Nothing is joined for it: how often a binding can be extended is looked up.
    """
    p0 = int(np.count_nonzero(positive))
    n0 = len(positive) - p0
    counted: dict[Literal, tuple[int, int, int, bool]] = {}
    for literal in literals:
        plain = Literal(literal.predicate, literal.args)
        if plain not in counted:
            ways = _ways(facts, plain, bindings)
            of_positive, of_negative = ways[:p0], ways[p0:]
            s = int(np.count_nonzero(of_positive))
            one_way = s == p0 and of_positive.sum() == p0 and not (of_negative > 1).any()
            counted[plain] = int(of_positive.sum()), int(of_negative.sum()), s, bool(one_way)
    rows = []
    for literal in literals:
        p, n, s, one_way = counted[Literal(literal.predicate, literal.args)]
        rows.append((p0 - p, n0 - n, p0 - s, False) if literal.negated else (p, n, s, one_way))
    p1, n1, s1 = (np.array([row[j] for row in rows], np.float64) for j in range(3))
    gains = np.atleast_1d(foil_gain(p0, n0, p1, n1, s1))
    return [
        Candidate(literal, float(gain), p, n, s, one_way)
        for literal, gain, (p, n, s, one_way) in zip(literals, gains, rows)
    ]


def _ways(facts: Facts, literal: Literal, bindings: Bindings) -> np.ndarray:
    """(B,) in how many ways each binding can be extended so that the literal holds."""
    if literal.predicate == EQUAL:
        return bindings.met(literal, facts).astype(np.int64)
    old = tuple(j for j, term in enumerate(literal.args) if term in bindings.columns)
    first: dict[Any, int] = {}
    same = tuple(
        (first[term], j)
        for j, term in enumerate(literal.args)
        if j not in old and first.setdefault(term, j) != j
    )
    return facts.index(literal.predicate, old, same).counts([bindings.columns[literal.args[j]] for j in old])
