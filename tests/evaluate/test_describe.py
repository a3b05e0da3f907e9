"""A table in numbers."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

from assay.errors import DataError, ParameterError
from assay.evaluate import describe
from assay.tables import read_table, write_csv
from assay.tables.data import load_apples, load_german_credit


def test_columns_kinds_missing_values_and_classes():
    X = pd.DataFrame(
        {
            "size": [1.0, 2.5, None, 4.0],
            "taste": pd.Categorical(["sour", "sweet", "sour", None]),
            "when": pd.to_datetime(["2024-01-02", "2024-03-04", None, "2024-01-02"]),
            "empty": pd.Series([None] * 4, dtype=float),
        }
    )
    found = describe(X, pd.Series(["a", "b", "a", "a"], name="kind"), name="apples")
    assert found.kinds == {"numeric": 2, "nominal": 1, "date": 1}
    assert (found.rows, found.missing, found.target, found.classes) == (4, 7, "kind", {"a": 3, "b": 1})
    assert [c.words for c in found.columns] == [
        "1 to 4, mean 2.5", "sour 2, sweet 1", "2024-01-02 to 2024-03-04", "all missing"]  # fmt: skip
    assert [c.missing for c in found.columns] == [1, 1, 1, 4]
    assert "classes of kind" in str(found) and "b        1   25.0%" in str(found)


def test_the_same_from_polars():
    X = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
    assert describe(X) == describe(pl.from_pandas(X))


def test_without_a_target_there_are_no_classes():
    found = describe(np.eye(3))
    assert found.classes == {} and "classes" not in found.words


def test_sparse_columns_are_summed_up_at_once():
    X = np.array([[0.0, 3.0], [0.0, -1.0], [2.0, 0.0], [0.0, 0.0]])
    found = describe(csr_array(X))
    assert [(c.kind, c.distinct, c.words) for c in found.columns] == [
        ("sparse", 2, "0 to 2, mean 0.5"), ("sparse", 3, "-1 to 3, mean 0.5")]  # fmt: skip


def test_distinct_values_of_sparse_columns_are_those_of_dense_ones():
    X = np.random.default_rng(3).integers(0, 3, (9, 7)) * np.array([0, 1, 1, 1, 1, 1, 0.5])
    X[:, 1] = 4.0  # no zero
    stored = csr_array(X + 9.0)
    stored.data -= 9.0  # every zero is stored
    dense = [len(np.unique(column)) for column in X.T]
    assert [c.distinct for c in describe(csr_array(X)).columns] == dense
    assert [c.distinct for c in describe(stored).columns] == dense


def test_long_and_broken_values_stay_in_their_line():
    X = pd.DataFrame({"two\nlines": ["w" * 5000, "a\nb", "a\nb"]})
    lines = str(describe(X, ["c\td", "e", "f" * 5000])).splitlines()
    assert lines[3] == f"  two\\nlines  nominal        0         2  a\\nb 2, {'w' * 37}... 1"
    assert [line.split()[0] for line in lines[6:9]] == ["c\\td", "e", "f" * 37 + "..."]


def test_many_classes_are_cut_in_print():
    text = str(describe(np.zeros((305, 1)), [f"{i:03d}" for i in range(305)]))
    assert "  059        1    0.3%" in text and "... and 245 more" in text and "  060  " not in text


def test_one_row_is_one_row():
    assert describe([[1.0]]).words.startswith("1 row, 1 column")


@pytest.mark.parametrize("wide", [61, 5])
def test_long_tables_are_cut_in_print(wide):
    text = str(describe(np.zeros((4, wide)) + np.arange(wide)))
    assert ("and 1 more" in text) == (wide == 61)


def test_german_credit():
    found = describe(*load_german_credit(), name="german_credit")
    assert found.words == "1000 rows, 20 columns (13 nominal, 7 numeric), no missing values, 2 classes"


def test_data_sets_and_files_bring_name_and_target(tmp_path):
    data = load_apples()
    told = describe(data)
    assert (told.name, told.target, told.classes) == ("apples", "variety", {"Fuji": 6, "Guoguang": 4})
    write_csv(data, tmp_path / "some.csv")
    again = describe(read_table(tmp_path / "some.csv", target="variety"))
    assert (again.name, again.target, again.classes) == ("some.csv", "variety", told.classes)
    assert describe(data, name="fruit", target="kind").words == told.words


def test_findings_of_one_kind_are_told_together_the_worst_first():
    many = {f"c{j}": [1.0, 2.0, None] * 10 for j in range(30)} | {"unit": ["g"] * 30}
    told = str(describe(many)).partition("worth knowing\n")[2].splitlines()
    assert len(told) < 12 and told[0].startswith("  warning: column unit has one value only")
    assert sum("missing value" in line for line in told) == 3
    assert "  note: the same holds for 27 more columns: c3, c4," in "\n".join(told)


def test_a_column_of_the_table_can_be_the_target():
    frame = pd.DataFrame({"a": [1.0, 2.0, 4.0], "t": ["p", "q", "p"]}, index=["x", "y", "z"])
    told = describe(frame, target="t")
    assert (told.target, told.classes, [c.name for c in told.columns]) == ("t", {"p": 2, "q": 1}, ["a"])
    assert told.words == describe(frame[["a"]], frame["t"]).words
    assert describe(frame.assign(t=[1, None, 0]), target="t").classes == {"0": 1, "1": 1}
    with pytest.raises(
        ParameterError, match=r"'u', which is no column of X, and there is no y. Columns: a, t"
    ):
        describe(frame, target="u")
    with pytest.raises(ParameterError, match="the only column"):
        describe(frame[["t"]], target="t")


@pytest.mark.parametrize(
    ("given", "words"), [("x.csv", "'x.csv'"), (None, "None"), (Path("a.csv"), "'a.csv'")]
)
def test_what_is_no_table_is_said(given, words):
    with pytest.raises(DataError, match=f"describe: X is {words}, expected a table") as error:
        describe(given)
    assert ("read_table" in str(error.value)) == (given is not None)
