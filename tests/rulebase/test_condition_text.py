"""Conditions from text, one at a time."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.words import DAY
from assay.rulebase.condition_text import ConditionReader
from assay.rulebase.conditions import Condition, LinearCondition
from assay.rulebase.rules import Rule, RuleBase
from assay.rulebase.scanner import RuleSyntaxError
from assay.tables import Column, Schema

SCHEMA = Schema(
    [Column("a"), Column("b"), Column("size", "ordinal", ("s", "m", "l")), Column("day", date=True)]
)


@pytest.mark.parametrize(
    ("text", "meant", "rest"),
    [
        ("a > 3 and", Condition(0, low=3.0), " and"),
        ("a > 3 or missing or b > 2", Condition(0, low=3.0, missing=True), " or b > 2"),
        ("size between s and m and b > 2", Condition(2, high=1.0), " and b > 2"),
        ("2 a - b <= 1)", LinearCondition(((0, 2.0), (1, -1.0)), high=1.0), ")"),
        ("1 <= a", Condition(0, low=1.0, closed="both"), ""),
        ("a > inf", Condition(0, low=math.inf), ""),
    ],
)
def test_a_condition_ends_where_it_ends(text, meant, rest):
    reader = ConditionReader(text, SCHEMA)
    assert reader.condition() == meant and text[reader.at :].strip() == rest.strip()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1e999 a > 3", "expected a finite number"),
        ("day > 999999-01-01", "999999-01-01 is no date"),
        ("day > -290001-01-01", "is no date"),
        ("x" + " " * 100_000 + "> 3", "there is no column x."),
        ("y" * 100_000 + " in {1}", "yyy... There are: a, b, size, day."),
    ],
)
def test_errors_are_short(text, message):
    with pytest.raises(RuleSyntaxError) as caught:
        ConditionReader(text, SCHEMA).condition()
    assert message in str(caught.value) and len(str(caught.value)) < 200


@pytest.mark.parametrize("name", ["true-north", "then.x", "inf/x", "anything-else", "if-x", "or.x", "a.or-b"])
def test_names_that_begin_like_a_keyword(name):
    schema = Schema([Column(name), Column("b")])
    either = LinearCondition(((0, 1.0), (1, 2.0)), high=2.0), LinearCondition(((1, 1.0), (0, 2.0)), high=2.0)
    base = RuleBase((Rule((Condition(0, high=2.5), *either), "yes"),), schema, ("no", "yes"))
    assert RuleBase.parse(str(base), schema, ("no", "yes")) == base


@settings(max_examples=100, deadline=None)
@given(
    st.floats(-20000, 40000),
    st.sampled_from(["right", "left", "both", "neither"]),
    st.booleans(),
    st.integers(-3, 3),
)
def test_dates_read_back_to_the_microsecond(days, closed, lower, near):
    schema = Schema([Column("day", date=True)])
    condition = Condition(0, **({"low": days} if lower else {"high": days}), closed=closed)
    base = RuleBase((Rule((condition,), 1.0),), schema)
    again = RuleBase.parse(str(base), schema)
    micro = round(days * DAY) + near
    rows = np.array([[micro / DAY]])
    assert (again.covers_block(rows) == base.covers_block(rows)).all()
    assert again == base.canonical()
