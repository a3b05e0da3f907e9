"""The forms in which baskets come all give the same baskets."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from assay.associations.basket_files import read_baskets
from assay.associations.baskets import Baskets
from assay.associations.wide_forms import wide_form
from assay.errors import DataError, ParameterError
from assay.tables import Table
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
    with pytest.raises(DataError, match=r"row 2 does not say which basket.*'bill' is missing"):
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
        ({"age": [41], "job": ["smith"]}, "column 'age' holds numbers and others hold text"),
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


def test_flags_beside_a_column_of_names_as_in_a_supermarket():
    market = {"bread": ["t", None, "t"], "tea": [None, "t", "t"], "total": ["low", "low", "high"]}
    taken = [("bread", "total = 'low'"), ("tea", "total = 'low'"), ("bread", "tea", "total = 'high'")]
    assert list(Baskets.from_wide(market)) == taken
    assert list(Baskets.from_wide({**market, "bread": [1, 0, 1], "tea": [0, 1, 1]})) == taken
    assert Baskets.from_wide(market, form="attributes")[0] == ("bread = 't'", "total = 'low'")


def test_answers_of_yes_and_no_beside_a_column_of_names_are_attributes():
    votes = {"crime": ["y", "n", None], "tax": ["n", "n", "y"], "party": ["left", "right", "left"]}
    assert list(Baskets.from_wide(votes)) == list(Baskets.from_table(votes))
    assert Baskets.from_wide(votes, form="mixed")[0] == ("crime", "party = 'left'")


def test_names_that_columns_share_are_items_and_others_are_attributes():
    rng = np.random.default_rng(0)
    drawn = [rng.choice(list("abcdefgh"), size=4, replace=False) for _ in range(40)]
    assert wide_form(Table.of({f"c{j}": [row[j] for row in drawn] for j in range(4)})) == "slots"
    letters = {
        f"c{j}": rng.choice(list("abc"), size=40) for j in range(9)
    }  # the same letters, other meanings
    assert wide_form(Table.of(letters)) == "attributes"
    assert wide_form(load_weather(numeric=False).X) == "attributes"


def test_lines_of_different_lengths_are_baskets(tmp_path):
    path = tmp_path / "shop.csv"
    path.write_text('bread, milk\n\n"salt, coarse"\nmilk,tea,,bread\n')
    taken, form = read_baskets(path)
    assert list(taken) == [("bread", "milk"), ("salt, coarse",), ("bread", "milk", "tea")]
    assert form == "lines"
    path.write_text("3 17 4\n17\n4 3\n")
    assert list(Baskets.read(path)) == [("17", "3", "4"), ("17",), ("3", "4")]
    path.write_text("bread;milk\ntea;milk\n")
    assert list(Baskets.read(path, form="lines")) == [("bread", "milk"), ("milk", "tea")]
    path.write_bytes("bière;thé\nthé\n".encode("latin-1"))
    assert Baskets.read(path, form="lines")[0] == ("bière", "thé")


def test_lines_that_cannot_be_read_are_reported(tmp_path):
    path = tmp_path / "shop.csv"
    path.write_text("\n\n")
    with pytest.raises(DataError, match="the file is empty, expected a basket on each line"):
        Baskets.read(path, form="lines")
    path.write_text("a" * 200_000 + ",b\nc\n")
    with pytest.raises(DataError, match=r"shop.csv, line 1: field larger"):
        Baskets.read(path, form="lines")
    with pytest.raises(ParameterError, match="form must be one of 'auto', 'lines'"):
        Baskets.read(path, form="long")


def test_a_table_with_one_damaged_line_is_not_taken_for_basket_lines(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b\n" + "1,0\n" * 50 + "1\n")
    with pytest.raises(DataError, match="line 52"):
        Baskets.read(path)
