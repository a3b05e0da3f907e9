"""Facts as tables of numbers: read, looked up, joined, kept."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import assay.rules.first_order.facts as module
from assay.errors import DataError
from assay.rules.first_order.clauses import Literal, Variable
from assay.rules.first_order.facts import Facts, Index

FAMILY = "Father(Sharon, Bob). Father(Tom, Bob). Father(Bob, Victor). Female(Sharon). not Female(Tom)."


def test_text_dicts_frames_and_literals_are_the_same_facts():
    facts = Facts.parse(FAMILY)
    pairs = [("Sharon", "Bob"), ("Tom", "Bob"), ("Bob", "Victor")]
    for father in (pairs, pd.DataFrame(pairs), np.array(pairs)):
        assert Facts({"Father": father, "Female": ["Sharon"]})["Father"] == facts["Father"]
    assert Facts.of([Literal("Female", ("Sharon",))])["Female"] == [("Sharon",)]
    assert Facts.of(facts) is facts
    assert len(facts) == 4 and facts.constants == ("Sharon", "Bob", "Tom", "Victor")
    assert facts.denied["Female"].tolist() == [[2]]


def test_facts_print_as_text_that_reads_back():
    facts = Facts({"Likes": [("ann", "it's"), ("ann", "it's"), (3, "Bob")]})
    again = Facts.parse(str(facts))
    assert again["Likes"] == facts["Likes"] == [("ann", "it's"), (3, "Bob")]
    assert str(Facts.parse(FAMILY)).count("NOT Female(Tom).") == 1


def test_what_is_not_a_fact_does_not_hold():
    facts = Facts.parse(FAMILY)
    assert facts.holds("Father", "Tom", "Bob")
    assert not facts.holds("Father", "Bob", "Tom")
    assert not facts.holds("Father", "Bob", "Nobody")
    assert not facts.holds("Mother", "Bob", "Tom")


@settings(max_examples=60, deadline=None)
@given(data=st.data(), n=st.integers(1, 6), dense=st.booleans())
def test_an_index_counts_and_joins_as_loops_do(data, n, dense):
    """The twin: for every row of the columns, every row of the relation."""
    numbers = st.integers(0, n - 1)
    rows = np.array(
        sorted(set(data.draw(st.lists(st.tuples(numbers, numbers, numbers), max_size=12)))), np.int64
    )
    rows = rows.reshape(-1, 3)
    asked = np.array(
        data.draw(st.lists(st.tuples(st.integers(0, n), st.integers(0, n)), max_size=8)), np.int64
    )
    asked = asked.reshape(-1, 2)
    limit, module.DENSE = module.DENSE, module.DENSE if dense else 0
    try:
        index = Index(rows, (2, 0), (), n)
        same = Index(rows, (0,), ((1, 2),), n)
    finally:
        module.DENSE = limit
    columns = [asked[:, 0], asked[:, 1]]
    pairs = [
        (i, tuple(row))
        for i, (a, b) in enumerate(asked.tolist())
        for row in rows.tolist()
        if row[2] == a and row[0] == b
    ]
    assert_array_equal(index.counts(columns), np.bincount([i for i, _ in pairs], minlength=len(asked)))
    left, right = index.matches(columns, len(asked))
    assert sorted(zip(left.tolist(), map(tuple, index.rows[right].tolist()))) == sorted(pairs)
    equal = [sum(r[0] == a and r[1] == r[2] for r in rows.tolist()) for a in asked[:, 0].tolist()]
    assert_array_equal(same.counts([asked[:, 0]]), np.array(equal, np.int64))


def test_facts_survive_pickling_without_their_indexes():
    facts = Facts.parse(FAMILY)
    facts.index("Father", (0,))
    again = pickle.loads(pickle.dumps(facts))
    assert again["Father"] == facts["Father"] and not any(k.startswith("_") for k in vars(again))


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"P": [("a",), ("a", "b")]}, "P has 1 arguments in one fact and 2 in another"),
        ({"P": [(Variable("x"),)]}, "holds a variable"),
        ({"P": [([1],)]}, "must hold text or numbers"),
        ([Literal("P", (Variable("x"),))], "without variables"),
        ("P(a). not P(a, b).", "P has 1 arguments where it holds, 2 where not"),
    ],
)
def test_what_is_no_fact_is_refused(given, text):
    with pytest.raises(DataError, match=text):
        Facts.of(given)


def test_an_unknown_predicate_is_named():
    with pytest.raises(DataError, match="there is no predicate Mother"):
        Facts.parse(FAMILY)["Mother"]


@pytest.mark.parametrize("constant", [None, np.nan, np.inf, (1, 2), [1], pd.NaT])
def test_a_constant_is_text_or_a_number(constant):
    with pytest.raises(DataError, match="must hold text or numbers, got"):
        Facts({"P": [("a", constant)]})


def test_equality_is_no_relation():
    with pytest.raises(DataError, match="needs no facts"):
        Facts({"=": [("a", "b")]})
