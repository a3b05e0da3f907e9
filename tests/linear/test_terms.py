"""Terms of a score: grouped by the user's columns, largest first."""

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.linear.terms import MAX_TERMS, gathered, nearest_section, terms_section
from assay.tables import Design, Table

FRAME = pd.DataFrame({"kind": ["a", "b", "c"], "size": [1.0, 2.0, 3.0], "good": ["y", "n", "y"]})


def seen(frame, drop_first=False):
    table = Table.of(frame)
    design = Design(table.schema, drop_first)
    return design, design.expand(table.values)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), drop_first=st.booleans(), row=st.integers(0, 2))
def test_products_of_indicators_belong_to_their_column_and_all_add_up(seed, drop_first, row):
    design, X = seen(FRAME, drop_first)
    W = np.random.default_rng(seed).normal(size=(X.shape[1], 2))
    weight, product = gathered(design, X[row], W)
    assert weight.shape == product.shape == (3, 2)
    assert_allclose(product.sum(axis=0), X[row] @ W, rtol=1e-9, atol=1e-12)
    assert_allclose(product[1], X[row, design.names.index("size")] * weight[1], rtol=1e-12)
    assert_allclose(weight[[0, 2]], product[[0, 2]], rtol=1e-12)  # a category has weight and product in one


def test_the_reference_category_adds_nothing():
    design, X = seen(FRAME, drop_first=True)
    _, product = gathered(design, X[0], np.ones((X.shape[1], 1)))
    assert product[0] == 0 and product[1] == 1


def test_many_columns_are_shown_together():
    wide = pd.DataFrame(np.arange(1.0, 21.0)[None], columns=[f"c{j}" for j in range(20)])
    design, X = seen(wide)
    row = dict(zip(wide.columns, X[0]))
    section = terms_section("T", design, row, X[0], np.ones((20, 1)), np.array([0.5]), ["product"])
    assert [r[0] for r in section.rows[:2]] == ["c19", "c18"] and len(section.rows) == MAX_TERMS + 3
    assert section.rows[MAX_TERMS][0] == "8 more columns"
    assert_allclose([section.rows[MAX_TERMS][-1], section.rows[-1][-1]], [36.0, 210.5], rtol=1e-12)
    nearest = nearest_section(design, row, X[0], np.linspace(1, 2, 20), 3.0, "other")
    assert len(nearest.rows) == MAX_TERMS and "(8 more columns move less)" in nearest.note


def test_no_point_on_the_border_without_numbers_to_move():
    design, X = seen(FRAME[["kind"]])
    assert nearest_section(design, {}, X[0], np.ones(3), 1.0, "other") is None
    design, X = seen(FRAME[["size"]])
    assert nearest_section(design, {}, X[0], np.array([0.0]), 1.0, "other") is None
    huge = nearest_section(design, {}, X[0], np.array([1e200]), 5e199, "other")  # its square is no number
    assert_allclose(huge.rows[0][1:], [1.0, 0.5, -0.5], rtol=1e-12)


def test_categories_with_an_order_are_reported_with_their_number_and_stay():
    sizes = pd.Categorical(["small", "large", "medium"], ["small", "medium", "large"], ordered=True)
    design, X = seen(pd.DataFrame({"size": sizes, "age": [1.0, 2.0, 3.0]}))
    row = {"size": "large", "age": 2.0}
    section = terms_section("T", design, row, X[1], np.array([[2.0], [0.5]]), np.zeros(1), ["product"])
    assert section.rows[0] == ["size", "large (2)", 2.0, 4.0]
    nearest = nearest_section(design, row, X[1], np.array([2.0, 0.5]), 5.0, "other")
    assert nearest.rows == [["age", 2.0, -8.0, -10.0]] and "categories staying" in nearest.note
