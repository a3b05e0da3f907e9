"""Conditions: what they say is what they do."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from assay.rulebase.conditions import Condition, LinearCondition, known, missing, weighted_sum
from assay.tables import Column, Schema

NAN = math.nan
SCHEMA = Schema(
    [
        Column("age"),
        Column("job", "nominal", ("A", "B", "C")),
        Column("size", "ordinal", ("small", "medium", "large")),
        Column("day", date=True),
        Column("town", "nominal", tuple("abcdefghij")),
    ]
)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (Condition(0, high=38.5), "age <= 38.5"),
        (Condition(0, low=38.5), "age > 38.5"),
        (Condition(0, low=20.0, high=38.5), "20 < age <= 38.5"),
        (Condition(0, low=20.0, high=38.5, closed="both"), "20 <= age <= 38.5"),
        (Condition(0, low=20.0, closed="left"), "age >= 20"),
        (Condition(0, high=20.0, closed="neither"), "age < 20"),
        (Condition(0, low=3.0, high=3.0, closed="both"), "age = 3"),
        (Condition(0, high=38.5, missing=True), "age <= 38.5 or missing"),
        (Condition(1, codes=(0,)), "job = 'A'"),
        (Condition(1, codes=(0, 2)), "job in {'A', 'C'}"),
        (Condition(1, high=0.5), "job = 'A'"),
        (Condition(4, codes=tuple(range(9))), "town != 'j'"),
        (Condition(4, codes=tuple(range(7))), "town not in {'h', 'i', 'j'}"),
        (Condition(2, high=0.5), "size <= 'small'"),
        (Condition(2, low=0.5), "size > 'small'"),
        (Condition(2, low=0.5, high=1.5), "'small' < size <= 'medium'"),
        (Condition(2, low=1.0, closed="left"), "size > 'small'"),
        (Condition(2, high=-1.0), "size is none of its categories"),
        (Condition(2, high=5.0), "size is known"),
        (Condition(3, high=18262.5), "day <= 2020-01-01T12:00:00"),
        (known(0), "age is known"),
        (missing(0), "age is missing"),
        (missing(1), "job is missing"),
    ],
)
def test_words(condition, words):
    assert condition.words(SCHEMA) == words


def test_plain_words_for_trees():
    assert Condition(1, codes=(0, 2)).words(SCHEMA, quote=False) == "job in {A, C}"
    assert Condition(0, high=1.0, missing=True).words(SCHEMA, missing=False) == "age <= 1"


def test_labels_of_edges_are_short():
    assert Condition(0, high=1 / 3).label(SCHEMA) == "≤ 0.333333"
    assert Condition(0, low=1.0, high=2.0).label(SCHEMA) == "1 to 2"
    assert Condition(4, codes=tuple(range(9))).label(SCHEMA) == "a, b, c, d, 5 more"
    assert missing(1).label(SCHEMA) == "missing"
    assert known(0).label(SCHEMA) == "known"


X = np.array(
    [
        [20.0, 0, 0, 0, 0],
        [38.5, 1, 1, 0, 0],
        [np.nextafter(38.5, 99), 2, 2, 0, 0],
        [NAN] * 5,
        [-np.inf, -1, -1, 0, 0],
    ]
)


@pytest.mark.parametrize(
    ("condition", "covered"),
    [
        (Condition(0, high=38.5), [1, 1, 0, 0, 1]),
        (Condition(0, low=38.5), [0, 0, 1, 0, 0]),
        (Condition(0, low=20.0, high=38.5), [0, 1, 0, 0, 0]),
        (Condition(0, low=20.0, high=38.5, closed="left"), [1, 0, 0, 0, 0]),
        (Condition(0, low=20.0, high=38.5, closed="both"), [1, 1, 0, 0, 0]),
        (Condition(0, low=20.0, high=38.5, closed="neither"), [0, 0, 0, 0, 0]),
        (Condition(0, high=20.0, missing=True), [1, 0, 0, 1, 1]),
        (Condition(1, codes=(0, 2)), [1, 0, 1, 0, 0]),
        (Condition(1, codes=(0,), missing=True), [1, 0, 0, 1, 0]),
        (missing(0), [0, 0, 0, 1, 0]),
        (known(0), [1, 1, 1, 0, 1]),
    ],
)
def test_covers(condition, covered):
    assert condition.covers(X).astype(int).tolist() == covered
    if not condition.missing and condition.low > 0:  # the same for a sparse block
        assert condition.covers(sparse.csr_matrix(X)).astype(int).tolist() == covered


intervals = st.builds(
    lambda a, b, closed, missing: Condition(0, min(a, b), max(a, b), closed, None, missing),
    st.sampled_from([-np.inf, 0.0, 1.0, 2.0]),
    st.sampled_from([1.0, 2.0, 3.0, np.inf]),
    st.sampled_from(["right", "left", "both", "neither"]),
    st.booleans(),
)
sets = st.builds(
    lambda codes, missing: Condition(0, codes=tuple(sorted(codes)), missing=missing),
    st.sets(st.integers(0, 3)),
    st.booleans(),
)


@settings(max_examples=200, deadline=None)
@given(st.one_of(intervals, sets), st.one_of(intervals, sets))
def test_merged_conditions_hold_where_both_hold(a, b):
    values = np.array([[v] for v in (0.0, 0.5, 1, 1.5, 2, 2.5, 3, 4, NAN)])
    if a.codes is not None or b.codes is not None:
        values = values[[0, 2, 4, 6, 8]]
    assert ((a & b).covers(values) == (a.covers(values) & b.covers(values))).all()


def test_conditions_on_two_columns_do_not_merge():
    with pytest.raises(ValueError, match="same column"):
        Condition(0, high=1.0) & Condition(1, high=1.0)


@pytest.mark.capability("DC-33")
def test_oblique_condition_of_the_charity_figure():
    """DC figure 10.3b: Age/50 + Salary/50000 <= 2 parts donors from the others."""
    schema = Schema([Column("Age"), Column("Salary")])
    below = LinearCondition(((0, 1 / 50), (1, 1 / 50000)), high=2.0)
    above = LinearCondition(((0, 1 / 50), (1, 1 / 50000)), low=2.0)
    assert below.words(schema) == "0.02 Age + 2e-05 Salary <= 2"
    assert above.words(schema) == "0.02 Age + 2e-05 Salary > 2"
    rows = np.array([[38.0, 55000], [43, 61000], [NAN, 1.0], [50, 50000]])
    assert below.covers(rows).tolist() == [True, False, False, True]
    assert above.covers(rows).tolist() == [False, True, False, False]
    assert below.columns() == (0, 1)


def test_weighted_sums():
    assert weighted_sum([(-1.0, "a"), (1.0, "b"), (-2.5, "c")]) == "-a + b - 2.5 c"


def test_single_precision_is_compared_in_double_precision():
    """The float32 next to 0.1 is above 0.1."""
    x = np.array([[0.1], [0.2]], np.float32)
    assert Condition(0, high=0.1).covers(x).tolist() == [False, False]
    assert Condition(0, low=0.1).covers(x).tolist() == [True, True]
    assert LinearCondition(((0, 1.0),), high=0.1).covers(x).tolist() == [False, False]
    assert LinearCondition(((0, 1.0),), low=0.1).covers(sparse.csr_matrix(x)).tolist() == [True, True]
