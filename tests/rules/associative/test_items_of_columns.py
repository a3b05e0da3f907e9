"""Columns as items."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from assay.errors import DataError, ParameterError
from assay.rules.associative.items_of_columns import items_of_columns
from assay.tables import Table


def items_of(frame, y, cuts="mdl", w=None):
    table = Table.of(frame)
    y = np.asarray(y)
    return items_of_columns(table.values, y, w, table.schema, cuts), table


def test_categories_intervals_and_missing_values():
    frame = pd.DataFrame(
        {
            "job": ["a", "b", None, "a"],
            "age": [10.0, 20.0, 30.0, np.nan],
            "size": pd.Categorical(["s", "m", "l", "l"], categories=["s", "m", "l"], ordered=True),
        }
    )
    items, table = items_of(frame, [0, 0, 1, 1], {"age": [15, 25], "size": [0.5]})
    assert [item.words(table.schema) for item in items.conditions] == [
        "job = 'a'",
        "job = 'b'",
        "age <= 15",
        "15 < age <= 25",
        "age > 25",
        "size <= 's'",
        "size > 's'",
    ]
    assert_array_equal(items.codes(table.values), [[0, 2, 5], [1, 3, 6], [-1, 4, 6], [0, -1, 6]])
    assert_array_equal(items.column, [0, 0, 1, 1, 1, 2, 2])


def test_numbers_are_cut_where_the_classes_change_and_left_out_where_they_do_not():
    x = np.arange(40.0)
    items, table = items_of({"x": x, "noise": x % 7}, x > 19.5)
    assert [item.words(table.schema) for item in items.conditions] == ["x <= 19.5", "x > 19.5"]
    assert items.sizes.tolist() == [2, 0]


def test_a_column_of_two_numbers_is_cut_between_them_whatever_the_classes():
    """Neither column of an exclusive or tells anything by itself; a rule needs the items of both."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], float)
    items, table = items_of(X, [0, 1, 1, 0])
    assert [item.words(table.schema) for item in items.conditions] == [
        "x0 <= 0.5",
        "x0 > 0.5",
        "x1 <= 0.5",
        "x1 > 0.5",
    ]
    weighed, _ = items_of(np.vstack([X, [[9, 9]]]), [0, 1, 1, 0, 0], w=np.array([1.0, 1, 1, 1, 0]))
    assert_array_equal(weighed.cuts[0], [0.5])  # a row of weight zero is no number


@given(seed=st.integers(0, 10**6))
@settings(deadline=None, max_examples=30)
def test_the_code_of_an_entry_is_the_one_item_that_covers_it(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=50).round(1)
    frame = pd.DataFrame({"x": np.where(rng.random(50) < 0.1, np.nan, x), "c": rng.choice(list("abc"), 50)})
    cuts = {"x": rng.choice(x, 3)}  # cuts that are values: an interval holds its upper end
    items, table = items_of(frame, rng.integers(0, 2, 50), cuts)
    covered = np.column_stack([item.covers(table.values) for item in items.conditions])
    codes = items.codes(table.values)
    for i, j in np.ndindex(codes.shape):
        own = np.flatnonzero(covered[i] & (items.column == j))
        assert own.tolist() == ([] if codes[i, j] < 0 else [codes[i, j]])


@pytest.mark.parametrize(
    "cuts, error, words",
    [
        ({"age": [1]}, DataError, "cuts name the column 'age', which is not in the table"),
        ({"c": [1]}, DataError, "whose values are categories without order"),
        ({"x": ["low"]}, ParameterError, "must be a list of numbers, got"),
        ({"x": [np.nan]}, ParameterError, "must be a list of numbers, got"),
    ],
)
def test_cuts_that_cannot_be_used(cuts, error, words):
    with pytest.raises(error, match=words):
        items_of({"x": [1.0, 2.0], "c": ["a", "b"]}, [0, 1], cuts)


def test_an_empty_list_of_cuts_leaves_a_column_out():
    items, _ = items_of({"x": [1.0, 2.0, 3.0]}, [0, 1, 1], {"x": []})
    assert len(items) == 0
