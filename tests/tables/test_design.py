"""Indicator expansion: one 1 per attribute, and what happens to the rows that have none."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.preprocessing import OneHotEncoder

from assay.tables import Column, Design, Schema, Table

NAN = np.nan
FRAME = pd.DataFrame(
    {
        "weight": [190.0, 260.0, 90.0],
        "taste": ["sweet", "sour", "sweet"],
        "size": pd.Categorical(["small", "large", "medium"], ["small", "medium", "large"], ordered=True),
        "colour": ["red", "green", "yellow"],
    }
)


@pytest.mark.capability("IML-5-25")
def test_one_indicator_is_one_in_each_attribute():
    table = Table.of(FRAME)
    design = Design(table.schema)
    X = design.expand(table.values)
    assert design.names == [
        "weight", "taste=sour", "taste=sweet", "size", "colour=green", "colour=red", "colour=yellow",
    ]  # fmt: skip
    assert_array_equal(X, [[190, 0, 1, 0, 0, 1, 0], [260, 1, 0, 2, 1, 0, 0], [90, 0, 1, 1, 0, 0, 1]])
    for j in (1, 3):
        assert_array_equal(X[:, design.source == j].sum(axis=1), np.ones(3))


@pytest.mark.capability("IML-5-25")
@settings(max_examples=50, deadline=None)
@given(
    rows=st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 3)), min_size=1, max_size=20),
    drop=st.booleans(),
)
def test_same_columns_as_scikit_learn(rows, drop):
    """Peer: OneHotEncoder of scikit-learn, on text and on numbers that are declared nominal."""
    frame = pd.DataFrame(rows, columns=["p", "q"])
    table = Table.of(frame, kinds={"q": "nominal"})
    ours = Design(table.schema, drop_first=drop).expand(table.values)
    peer = OneHotEncoder(sparse_output=False, drop="first" if drop else None).fit_transform(frame)
    assert_array_equal(ours, peer)


def test_first_category_is_the_reference():
    table = Table.of(FRAME[["taste", "colour"]])
    design = Design(table.schema, drop_first=True)
    assert design.names == ["taste=sweet", "colour=red", "colour=yellow"]
    assert_array_equal(design.expand(table.values), [[1, 1, 0], [0, 0, 0], [1, 0, 1]])
    assert_array_equal(design.source, [0, 1, 1])


def test_columns_without_indicators_stay():
    design = Design(Table.of(FRAME[["size", "weight"]]).schema, drop_first=True)
    assert design.plain and design.names == ["size", "weight"]
    assert_array_equal(design.source, [0, 1])


@pytest.mark.parametrize("drop", [False, True])
def test_unseen_and_missing_categories(drop):
    schema = Table.of(FRAME).schema
    row = {"weight": [1.0, None], "taste": ["salty", None], "size": ["huge", None], "colour": ["blue", "red"]}
    X = Design(schema, drop_first=drop).expand(Table.like(row, schema).values)
    if drop:
        assert_array_equal(X, [[1, 0, NAN, 0, 0], [NAN, NAN, NAN, 1, 0]])
    else:
        assert_array_equal(X, [[1, 0, 0, NAN, 0, 0, 0], [NAN, NAN, NAN, NAN, 0, 1, 0]])


def test_the_table_is_not_changed():
    schema = Table.of(FRAME[["size"]]).schema
    table = Table.like({"size": ["huge", "small"]}, schema)
    assert_array_equal(Design(schema).expand(table.values)[:, 0], [NAN, 0])
    assert_array_equal(table.values[:, 0], [-1, 0])


@pytest.mark.parametrize("drop", [False, True])
def test_a_column_without_categories_has_no_design_columns(drop):
    schema = Schema([Column("a"), Column("empty", "nominal", ()), Column("b")])
    design = Design(schema, drop_first=drop)
    assert design.names == ["a", "b"]
    assert_array_equal(design.expand(np.array([[1.0, NAN, 2.0]])), [[1, 2]])
    assert_array_equal(design.source, [0, 2])


@pytest.mark.parametrize("drop", [False, True])
def test_a_column_with_one_category(drop):
    schema = Schema([Column("a", "nominal", ("x",)), Column("b")])
    X = Design(schema, drop_first=drop).expand(np.array([[0.0, 5.0], [NAN, 6.0], [-1.0, 7.0]]))
    assert_array_equal(X, [[5], [6], [7]] if drop else [[1, 5], [NAN, 6], [0, 7]])


def test_numbers_pass_through_untouched():
    values = np.array([[1.0, NAN]])
    design = Design(Schema.numeric(2))
    assert design.plain
    assert design.expand(values) is values


def test_repr_shows_the_design():
    text = repr(Design(Table.of(FRAME).schema))
    assert text.startswith("Design: 4 columns to 7: weight, taste=sour")
    many = Design(Schema([Column("c", "nominal", tuple(range(50)))]))
    assert repr(many).endswith("c=11, ...")
