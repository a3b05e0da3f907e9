"""What would have to change: tried against every row of a small space."""

import importlib
import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.rulebase.conditions import Condition, LinearCondition
from assay.rulebase.rules import POLICIES, Rule, RuleBase
from assay.rules.other_answers import other_answers
from assay.tables import Column, Schema

module = importlib.import_module("assay.rules.other_answers")  # the room has a function of that name

SCHEMA = Schema(
    [Column("x"), Column("job", "nominal", ("A", "B", "C")), Column("size", "ordinal", ("s", "m", "l"))]
)
CLASSES = ("a", "b", "c")
ENDS = [0.0, 1.0]
numbers = st.builds(
    lambda a, b, closed: Condition(0, min(a, b), max(a, b), closed),
    st.sampled_from([-math.inf, *ENDS]),
    st.sampled_from([*ENDS, math.inf]),
    st.sampled_from(["right", "left", "both"]),
)
sets = st.builds(
    lambda codes, gone: Condition(1, codes=tuple(sorted(codes)), missing=gone),
    st.sets(st.integers(0, 2), min_size=1, max_size=2),
    st.booleans(),
)
ranks = st.builds(
    lambda t, up: Condition(2, **{"low" if up else "high": t}), st.sampled_from([0.5, 1.5]), st.booleans()
)
premises = st.lists(st.one_of(numbers, sets, ranks), min_size=1, max_size=3).map(tuple)
rules = st.builds(
    lambda premise, k, counts: Rule(premise, CLASSES[k], sum(counts), 60.0, counts, counts[k]),
    premises,
    st.integers(0, 2),
    st.tuples(*(st.integers(0, 9).map(float),) * 3),  # a rule's own class may be rare among its rows
)
GRID = np.array(list(product([-1.0, 0, 0.5, 1, 2], [0, 1, 2], [0, 1, 2])), float)
CELLS = st.tuples(
    st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0, math.nan]),
    st.sampled_from([0.0, 1.0, 2.0, math.nan]),
    st.sampled_from([0.0, 1.0, 2.0, math.nan]),
)


def fewest_changes(base, x, answers):
    """By trying all: the least number of columns that differ from x, for each answer."""
    grid = np.vstack([np.where(keep, x, GRID) for keep in product([True, False], repeat=3)])
    text = answers(grid)
    same = (grid == x) | (np.isnan(grid) & np.isnan(x))
    now = answers(x[None, :])[0]
    return {c: int((~same).sum(axis=1)[text == c].min()) for c in set(text.tolist()) - {now}}


@settings(max_examples=150, deadline=None)
@given(
    st.lists(rules, min_size=1, max_size=5),
    st.sampled_from(CLASSES),
    CELLS,
    st.sampled_from(POLICIES),
    st.sampled_from([None, None, 1, 2]),
)
def test_no_change_of_fewer_columns_gives_another_answer(rules, default, x, policy, top):
    base = RuleBase(tuple(rules), SCHEMA, CLASSES, default, policy=policy, top=top)
    x = np.array(x)
    result = other_answers(base, x)
    assert {o.answer: len(o.conditions) for o in result} == fewest_changes(base, x, base.predict_block)
    for other in result:
        inside = np.array([all(c.covers(row[None, :])[0] for c in other.conditions) for row in GRID])
        changed = {c.column for c in other.conditions}
        for row in GRID[inside]:  # whatever meets the conditions gets the answer
            tried = np.array([row[j] if j in changed else x[j] for j in range(3)])
            assert base.predict_block(tried[None, :])[0] == other.answer
        assert (base.predict_block(other.row[None, :]) == other.answer).all()


@settings(max_examples=60, deadline=None)
@given(st.lists(rules, min_size=1, max_size=4), CELLS, st.sampled_from([None, 1, 2]))
def test_answers_by_class_counts_and_by_the_first_few_are_true(rules, x, top):
    base = RuleBase(tuple(rules), SCHEMA, CLASSES, "a", policy="counts", top=top)
    for other in other_answers(base, np.array(x)):
        assert (
            base.predict_block(other.row[None, :])[0] == other.answer != base.predict_block(np.array([x]))[0]
        )


def test_the_nearest_numbers_are_asked_for():
    base = RuleBase.parse("x <= 1 => a\nx > 5 => b\nelse c", SCHEMA, CLASSES)
    result = {o.answer: o for o in other_answers(base, np.array([3.0, 0, 0]))}
    assert result["a"].conditions == (Condition(0, high=1.0),) and result["b"].conditions == (
        Condition(0, low=5.0),
    )


def test_what_a_model_answers_counts_more_than_its_rules():
    base = RuleBase.parse("x > 1 => b\nelse a", SCHEMA, ("a", "b"))
    result = other_answers(base, np.zeros(3), lambda block: np.where(block[:, 0] > 1, "b", "a"))
    assert [o.answer for o in result] == ["b"]
    assert other_answers(base, np.zeros(3), lambda block: np.full(len(block), "a")) == []


def test_numbers():
    base = RuleBase.parse("x > 1 and job = 'A' => 7\nx > 0 => 3\nelse 1", SCHEMA)
    result = other_answers(base, np.array([0.5, 1.0, 0.0]))
    assert [(o.answer, len(o.conditions)) for o in result] == [(7.0, 2)]
    assert other_answers(replace(base, policy="votes"), np.array([0.5, 1.0, 0.0])) == []


def test_weighted_sums():
    test = LinearCondition(((0, 1.0), (2, 2.0)), high=4.0)
    base = RuleBase(
        (Rule((test,), "a"),),
        Schema([Column("x"), Column("job", "nominal", ("A", "B")), Column("z")]),
        ("a", "b"),
        "b",
    )
    (other,) = other_answers(base, np.array([9.0, 0.0, 1.0]))
    assert other.answer == "a" and base.predict_block(other.row[None, :])[0] == "a"
    assert other.row[0] == pytest.approx(2.0, abs=1e-5) or other.row[2] == pytest.approx(-2.5, abs=1e-5)


def test_one_search_finds_all_classes_where_the_same_rules_help_them(monkeypatch):
    """Where rules vote by their mean accuracy, any rule helps any class: the boxes are the same for all of them."""
    text = "\n".join(f"x > {k} and x <= {k + 1} => c{k}" for k in range(6)) + "\nelse c0"
    base = replace(RuleBase.parse(text, SCHEMA, tuple(f"c{k}" for k in range(6))), policy="laplace")
    searches = []
    search = module._Search._first
    monkeypatch.setattr(module._Search, "_first", lambda *a: searches.append(a) or search(*a))
    result = other_answers(base, np.array([0.5, 0.0, 0.0]))
    assert sorted(o.answer for o in result) == ["c1", "c2", "c3", "c4", "c5"] and len(searches) == 1
    assert all(base.predict_block(o.row[None, :])[0] == o.answer for o in result)
    assert {o.answer: o.conditions for o in result}["c3"] == (Condition(0, 3.0, 4.0),)


def test_nothing_to_change():
    assert other_answers(RuleBase((), SCHEMA, CLASSES, "a"), np.zeros(3)) == []
