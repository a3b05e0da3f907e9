"""Proofs of clauses against plain search over all values."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import DataError
from assay.rules.first_order.clause_proof import Bindings, answers, prove
from assay.rules.first_order.clauses import Clause, Literal, Variable, parse_clause
from assay.rules.first_order.facts import Facts

x, y, z = map(Variable, "xyz")
CONSTANTS = ("A", "B", "C", "D")


def by_trying(facts, clause, asked):
    """Every value of every variable: the twin of the joins."""

    def true(literal, values):
        args = [values.get(a, a) for a in literal.args]
        held = args[0] == args[1] if literal.predicate == "=" else facts.holds(literal.predicate, *args)
        return held != literal.negated

    result = set()
    variables = list(clause.variables)
    for chosen in product(facts.constants, repeat=len(variables)):
        values = dict(zip(variables, chosen))
        bound, fits = {}, True
        for term, a in zip(clause.head.args, asked.args):
            value = values.get(term, term)
            fits &= value == (bound.setdefault(a, value) if isinstance(a, Variable) else a)
        if fits and all(true(literal, values) for literal in clause.body):
            result.add(tuple(facts.code(bound[v]) for v in asked.variables))
    return result


pairs = st.lists(st.tuples(st.sampled_from(CONSTANTS), st.sampled_from(CONSTANTS)), min_size=1, max_size=8)
variables = st.sampled_from([x, y, z])
literals = st.one_of(
    st.builds(Literal, st.just("R"), st.tuples(variables, variables)),
    st.builds(Literal, st.just("S"), st.tuples(st.one_of(variables, st.just("A")))),
    st.builds(
        Literal, st.just("R"), st.tuples(st.sampled_from([x, y]), st.sampled_from([x, y])), st.just(True)
    ),
    st.builds(Literal, st.just("="), st.tuples(st.just(x), st.sampled_from([y, "B"])), st.booleans()),
)
terms = st.one_of(st.sampled_from([x, y]), st.sampled_from(CONSTANTS))


@settings(max_examples=120, deadline=None)
@given(pairs, st.lists(st.sampled_from(CONSTANTS), min_size=1), st.lists(literals, max_size=3), terms, terms)
def test_answers_are_those_of_trying_everything(r, s, body, first, second):
    facts = Facts({"R": r, "S": [(c,) for c in s], "All": [(c,) for c in CONSTANTS]})
    clause = Clause(Literal("T", (x, y)), tuple(body))
    asked = Literal("T", (first, second))
    assert set(answers(facts, clause, asked)) == by_trying(facts, clause, asked)


def test_a_negation_waits_until_its_variables_have_values():
    facts = Facts.parse("R(A, B). R(B, C). S(B).")
    clause = parse_clause("IF NOT S(z) AND R(x, z) THEN T(x)")
    start = Bindings({x: np.array([facts.code("A"), facts.code("B")])}, np.arange(2))
    assert prove(facts, clause.body, start).origin.tolist() == [1]


def test_a_variable_without_a_value_is_refused():
    facts = Facts.parse("R(A, B).")
    start = Bindings({x: np.array([0])}, np.arange(1))
    with pytest.raises(
        DataError, match="NOT R\\(x, z\\) speaks of z, to which no other literal gives a value"
    ):
        prove(facts, parse_clause("IF NOT R(x, z) THEN T(x)").body, start)


def test_a_predicate_without_facts_proves_nothing():
    facts = Facts.parse("R(A, B).")
    start = Bindings({x: np.array([0, 1])}, np.arange(2))
    assert len(prove(facts, [Literal("Q", (x, z))], start)) == 0
    assert len(prove(facts, [Literal("Q", (x,), True)], start)) == 2
