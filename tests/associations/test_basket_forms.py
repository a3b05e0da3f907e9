"""The forms in which baskets come all give the same baskets."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from assay.associations.baskets import Baskets
from assay.errors import DataError, ParameterError
from assay.tables.data import load_german_credit, load_transactions, load_weather

SHOP = [("bread", "milk"), ("bread",), ("milk", "tea")]
LONG = {"bill": [3, 1, 1, 2, 3, 1], "what": ["tea", "milk", "bread", "bread", "milk", "milk"]}


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_long_tables_of_any_library(frame):
    baskets = Baskets.from_long(frame(LONG), "bill", "what")
    assert list(baskets) == SHOP and baskets.ids == (1, 2, 3)


def test_a_row_without_an_item_is_an_empty_basket():
    baskets = Baskets.from_long({"bill": ["a", "b", "b"], "what": [None, "tea", None]}, "bill", "what")
    assert list(baskets) == [(), ("tea",)] and baskets.ids == ("a", "b")


def test_a_row_without_a_basket_is_refused():
    with pytest.raises(DataError, match=r"row 1 does not say which basket.*'bill' is missing"):
        Baskets.from_long({"bill": ["a", None], "what": ["tea", "milk"]}, "bill", "what")


def test_long_tables_carry_weights():
    table = {"bill": [1, 2, 2], "what": [7, 7, 8], "w": [0.5, 2.0, 2.0]}
    baskets = Baskets.from_long(table, "bill", "what", weights="w")
    assert baskets.weights.tolist() == [0.5, 2.0] and baskets.items == (7, 8)
    with pytest.raises(DataError, match=r"basket 2 has several weights in column 'w'"):
        Baskets.from_long({**table, "w": [1, 1, 2]}, "bill", "what", weights="w")
    with pytest.raises(DataError, match=r"there is no column 'x'\. Columns: bill, what, w"):
        Baskets.from_long(table, "bill", "x")
    with pytest.raises(ParameterError, match="different columns"):
        Baskets.from_long(table, "bill", "bill")


@pytest.mark.parametrize(
    "flags",
    [
        {"bread": [1, 1, 0], "milk": [2, 0, 1], "tea": [0, 0, 5]},
        {"bread": [True, True, False], "milk": [True, False, True], "tea": [False, False, True]},
        {"bread": ["t", "t", None], "milk": ["t", None, "t"], "tea": [None, None, "t"]},
        {"bread": ["yes", "yes", "no"], "milk": ["yes", "no", "yes"], "tea": ["no", "no", "yes"]},
        {"bread": [1, 1, None], "milk": [1, None, 1], "tea": [0, math.nan, 1]},
    ],
)
def test_flags(flags):
    assert list(Baskets.from_wide(pd.DataFrame(flags))) == SHOP


@pytest.mark.parametrize("kind", [np.array, sp.csr_matrix, sp.csc_array, sp.coo_matrix])
def test_arrays_and_sparse_matrices_with_names(kind):
    X = kind([[1.0, 1, 0], [1, 0, 0], [0, 3, 1]])
    assert list(Baskets.from_wide(X, items=["bread", "milk", "tea"])) == SHOP
    assert Baskets.from_wide(X)[1] == ("x0",)


def test_slots():
    wide = pd.DataFrame(
        {"first": ["milk", "bread", "milk"], "second": ["bread", None, "tea"], "third": ["milk", None, None]}
    )
    assert list(Baskets.from_wide(wide)) == SHOP
    yes = pd.DataFrame({"a": ["yes", "no"], "b": ["yes", None]})
    assert list(Baskets.from_wide(yes)) == [("a", "b"), ()]
    assert list(Baskets.from_wide(yes, form="slots")) == [("yes",), ("no",)]


@pytest.mark.parametrize(
    ("table", "what"),
    [
        ({"age": [0.5], "b": [1]}, "column 'age' holds 0.5, expected 0, 1 or a quantity"),
        ({"age": [-1], "b": [1]}, "column 'age' holds -1"),
        ({"age": [1], "job": ["smith"]}, "column 'age' holds numbers and others hold text"),
    ],
)
def test_wide_tables_that_are_no_baskets(table, what):
    with pytest.raises(DataError, match=what):
        Baskets.from_wide(table)


def test_forms_are_checked():
    with pytest.raises(ParameterError, match="form must be"):
        Baskets.from_wide({"a": [1]}, form="long")
    with pytest.raises(DataError, match="column 'a' holds 'maybe', expected yes or no"):
        Baskets.from_wide({"a": ["maybe"]}, form="flags")
    with pytest.raises(DataError, match="column 'a' holds numbers, expected names of items"):
        Baskets.from_wide({"a": [1]}, form="slots")
    with pytest.raises(ParameterError, match="items must name the 1 columns"):
        Baskets.from_wide({"a": [1]}, items=["a", "b"])
    with pytest.raises(DataError, match="names of items"):
        Baskets.from_lists([[["nested"]]])


def test_built_in_transactions():
    baskets = Baskets.from_wide(load_transactions().X)
    assert list(baskets)[:3] == [("milk", "bananas", "chocolate"), ("milk", "chocolate"), ("milk", "bananas")]


def test_attributes_are_items_with_conditions():
    X = load_weather(numeric=False).X
    baskets = Baskets.from_table(X)
    assert baskets.n == 14 and set(baskets.sizes) == {4}
    assert "outlook = 'sunny'" in baskets.items
    held = baskets.to_sparse().toarray().astype(bool)
    for j, condition in enumerate(baskets.conditions):
        assert np.array_equal(held[:, j], condition.covers(X.values))
        assert condition.words(X.schema) == baskets.items[j]


def test_numbers_need_cuts():
    X = {"age": [20.0, 30, 40, 50, np.nan], "job": ["a", "b", "a", None, "b"]}
    with pytest.raises(DataError, match=r"column 'age' holds numbers.*cuts=\{'age': \[10, 20\]\}"):
        Baskets.from_table(X)
    assert list(Baskets.from_table(X, cuts={"age": [30]})) == [
        ("age <= 30", "job = 'a'"),
        ("age <= 30", "job = 'b'"),
        ("age > 30", "job = 'a'"),
        ("age > 30",),
        ("job = 'b'",),
    ]
    assert Baskets.from_table(X, cuts=2).items == Baskets.from_table(X, cuts={"age": [30]}).items
    for cuts in ({"age": [30, 20]}, {"age": "old"}, 0, {"age": [math.inf]}):
        with pytest.raises(ParameterError, match="cuts"):
            Baskets.from_table(X, cuts=cuts)


@pytest.mark.parametrize("k", [1, 2, 4, 7])
def test_equal_frequency_cuts_put_every_row_somewhere(k):
    X = load_german_credit().X
    baskets = Baskets.from_table(X, cuts=k)
    assert (baskets.sizes == 20).all()  # nothing is missing: one item for each column
    amount = [c for c, name in enumerate(baskets.items) if "credit_amount" in name]
    assert len(amount) == k  # its values hardly repeat
    assert abs(baskets.counts[amount] - 1000 / k).max() <= 5


def test_files_long_and_wide(tmp_path):
    pd.DataFrame(LONG).to_csv(tmp_path / "long.csv", index=False)
    assert list(Baskets.read(tmp_path / "long.csv", "bill", "what")) == SHOP
    pd.DataFrame({"bread": [1, 1, 0], "milk": [1, 0, 1], "tea": [0, 0, 1]}).to_parquet(
        tmp_path / "wide.parquet"
    )
    assert list(Baskets.read(tmp_path / "wide.parquet")) == SHOP
    with pytest.raises(ParameterError, match="needs both"):
        Baskets.read(tmp_path / "long.csv", "bill")
