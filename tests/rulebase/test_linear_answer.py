"""Answers that are linear functions: applied, told, and the same in every form that rules take."""

import json
import sqlite3

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from assay.rulebase.conditions import Condition
from assay.rulebase.linear_answer import LinearAnswer
from assay.rulebase.rules import Rule, RuleBase
from assay.tables import Column, Schema, Table

SCHEMA = Schema([Column("size"), Column("colour", "nominal", ("blue", "red", "it's"))])
BASE = RuleBase(
    (
        Rule((Condition(0, high=2.0),), LinearAnswer(1.5, ((0, None, 0.1), (1, 2, -3.0)), 7.0)),
        Rule((Condition(1, codes=(0, 1)),), LinearAnswer(0.0, ((1, 1, 4.0), (0, None, -0.25)), -1.0)),
    ),
    SCHEMA,
    default=9.0,
)


def by_hand(size, colour):
    if size is not None and size <= 2:
        return 7.0 if colour is None else 1.5 + 0.1 * size - 3.0 * (colour == "it's")
    if colour in ("blue", "red"):
        return -1.0 if size is None else 4.0 * (colour == "red") - 0.25 * size
    return 9.0


def test_words_read_as_a_sum():
    assert str(BASE).splitlines() == [
        "R1: IF size <= 2 THEN y = 1.5 + 0.1 size - 3 [colour = 'it''s']",
        "R2: IF colour in {'blue', 'red'} THEN y = 4 [colour = 'red'] - 0.25 size",
        "ELSE y = 9",
    ]
    assert LinearAnswer(2.0).words(SCHEMA) == "2"
    assert LinearAnswer(1.0, ((0, None, -1 / 3),)).words(SCHEMA, digits=2) == "1 - 0.33 size"


rows = st.lists(
    st.tuples(
        st.one_of(st.none(), st.floats(-5, 5)), st.sampled_from([None, "blue", "red", "it's", "unheard of"])
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(rows)
@pytest.mark.filterwarnings("ignore:.*unheard of.*")
def test_applied_as_python_and_as_sql_it_is_the_same_sum(rows):
    seen = [(size, None if colour == "unheard of" else colour) for size, colour in rows]
    expected = [by_hand(*row) for row in seen]
    block = np.array(
        [
            [
                np.nan if size is None else size,
                np.nan if colour is None else SCHEMA[1].categories.index(colour),
            ]
            for size, colour in seen
        ]
    )
    assert_array_equal(BASE.predict_block(block), expected)
    space: dict = {}
    exec(BASE.to_python(), space)  # the module's own output
    assert [space["predict"]({"size": s, "colour": c}) for s, c in rows] == expected
    with sqlite3.connect(":memory:") as data:
        data.execute("create table t (size real, colour text)")
        data.executemany("insert into t values (?, ?)", rows)
        answers = [a for (a,) in data.execute(f"select {BASE.to_sql()} from t")]
    assert answers == expected


def test_as_plain_data():
    text = json.loads(BASE.to_json())["rules"][0]["then"]
    assert text == {
        "intercept": 1.5,
        "terms": [
            {"column": "size", "weight": 0.1},
            {"column": "colour", "weight": -3.0, "category": "it's"},
        ],
        "missing": 7.0,
    }


def test_measured_by_its_residuals():
    table = Table.of({"size": [0.0, 1.0, 3.0], "colour": ["blue", "red", "red"]})
    measured = BASE.measured(table, [1.5, 3.6, 3.25])
    assert measured[0].error == pytest.approx(np.sqrt(2.0), abs=1e-12)  # residuals 0 and 2
    assert measured[1].n == 1 and measured[1].error == 0.0  # only the third row reaches it


def test_ordered_by_answer_takes_the_mean():
    assert [rule.answer.otherwise for rule in BASE.ordered("answer")] == [7.0, -1.0]
