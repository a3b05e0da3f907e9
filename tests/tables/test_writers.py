"""What is written reads back as it was."""

import csv
import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from assay.errors import DataError, ParameterError
from assay.tables import Table
from assay.tables.data import load_apples
from assay.tables.readers import read_table
from assay.tables.readers.arff import ArffReader
from assay.tables.writers import write_arff, write_csv, write_table

FIXED = {"delimiter": ",", "quote": '"', "header": True, "decimal": "."}
TEXT = st.one_of(
    st.sampled_from(
        [
            "NA",
            "?",
            " x",
            "y ",
            '"',
            "a,b",
            "two\nlines",
            "two\r\nlines",
            "'q'",
            "%",
            "\\",
            "{1}",
            "\ufeffz",
            "é",
            "\xa0n",
        ]
    ),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6),
)
NAME = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zs", "Cs"]), min_size=1, max_size=5)


def no_number(values):
    """Text that a reader would not take for numbers or dates: one word makes the column text."""
    return [*values, "word"]


@settings(max_examples=100, deadline=None)
@given(words=st.lists(st.one_of(st.none(), TEXT), min_size=1, max_size=12), numbers=st.data())
def test_csv_round_trip_to_the_bit(tmp_path_factory, words, numbers):
    n = len(words) + 1
    floats = numbers.draw(
        st.lists(
            st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)), min_size=n, max_size=n
        )
    )
    ints = numbers.draw(
        st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), min_size=n, max_size=n)
    )
    frame = pa.table(
        {
            "w": pa.array(no_number(words)),
            "f": pa.array(floats, pa.float64()),
            "i": pa.array(ints, pa.int64()),
        }
    )
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    write_csv(frame, path)
    back = read_table(path, **FIXED).X
    assert back.num_rows == n
    assert back["w"].to_pylist() == frame["w"].to_pylist()
    assert back["i"].to_pylist() == ints
    assert_array_equal(Table.of(back).values[:, 1], Table.of(frame).values[:, 1])
    with open(path, newline="", encoding="utf-8") as file:  # an independent reader finds the same rows
        peer = list(csv.reader(file))
    assert [row[0] for row in peer[1:]] == ["" if w is None else w for w in no_number(words)]


def test_csv_of_every_type(tmp_path):
    frame = pa.table(
        {
            "day": [dt.date(2026, 11, 15), None],
            "at": [dt.datetime(2026, 11, 15, 9, 30, 0, 250000), None],
            "zone": pa.array([dt.datetime(2026, 11, 15, 9, 30), None], pa.timestamp("us", "UTC")),
            "flag": [True, False],
            "price": [Decimal("1.25"), None],
            "kind": pa.array(["x", None]).dictionary_encode(),
            "wait": [dt.timedelta(hours=36), None],
            "raw": [b"bytes", None],
        }
    )
    path = tmp_path / "t.csv"
    write_csv(frame, path, y=["yes", None], target="class")
    back = read_table(path, target="class")
    assert back.y.tolist() == ["yes", None]
    assert_array_equal(back.table.values, Table.of(frame).values)
    assert [c.date for c in back.schema] == [True, True, True, False, False, False, False, False]


def test_csv_of_one_column_keeps_its_missing_values(tmp_path):
    path = tmp_path / "t.csv"
    write_csv({"a": [None, 1.0, None]}, path)
    assert read_table(path).X["a"].to_pylist() == [None, 1.0, None]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_from_every_library_and_delimiter(tmp_path, delimiter):
    columns = {"n": [1.5, None, 3.0], "word": ["a,b;c|d\te", None, "z"]}
    path = tmp_path / "t.csv"
    for X in (columns, pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns), Table.of(columns)):
        write_csv(X, path, delimiter=delimiter)
        assert read_table(path).X.to_pydict() == columns
    write_csv(np.eye(2), path, delimiter=delimiter)
    assert read_table(path).X.to_pydict() == {"x0": [1.0, 0.0], "x1": [0.0, 1.0]}


@pytest.mark.capability("IML-5-01")
def test_arff_round_trip_of_kinds_categories_dates_missing_values_and_weights(tmp_path):
    frame = pd.DataFrame(
        {
            "the size": [1.5, None, -3e-300],
            "colour": pd.Categorical(["red", None, "it's 50%"], ["red", "never seen", "it's 50%", "", "?"]),
            "day": pd.to_datetime(["2026-11-15", None, "1969-12-31"]),
            "at": pd.to_datetime(["2026-11-15 09:30:00.250", None, "1970-01-01"], format="ISO8601"),
            "größe": ["klein", "groß", None],
        }
    )
    path = tmp_path / "t.arff"
    write_arff(frame, path, y=["yes", "no", "yes"], target="class", weights=[1, 0.25, 2], relation="my data")
    back = read_table(path, target="auto")
    expected = Table.of(frame)
    assert back.schema == expected.schema
    assert_array_equal(back.table.values, expected.values)
    assert back.y.tolist() == ["yes", "no", "yes"]
    assert back.weights.tolist() == [1.0, 0.25, 2.0]
    assert (back.relation, back.target) == ("my data", "class")


@settings(max_examples=80, deadline=None)
@given(
    names=st.lists(NAME, min_size=2, max_size=2, unique=True),
    words=st.lists(st.one_of(st.none(), TEXT, st.just("\0")), min_size=1, max_size=10),
)
def test_arff_round_trip_of_any_names_and_words(tmp_path_factory, names, words):
    columns = {names[0]: pa.array(words, pa.string()), names[1]: pa.array(range(len(words)), pa.float64())}
    expected = Table.of(pa.table(columns))
    path = tmp_path_factory.mktemp("arff") / "t.arff"
    write_arff(expected, path)
    back = read_table(path)
    assert back.schema == expected.schema
    assert_array_equal(back.table.values, expected.values)


@settings(max_examples=40, deadline=None)
@given(words=st.lists(TEXT, min_size=1, max_size=10))
def test_arff_reads_the_same_quickly_and_carefully(tmp_path_factory, words):
    path = tmp_path_factory.mktemp("paths") / "t.arff"
    write_arff({"w": no_number(words), "n": list(range(len(words) + 1))}, path)
    quick = read_table(path).X
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ArffReader, "_quick", lambda self, data: None)
        assert read_table(path).X.equals(quick)


def test_arff_of_a_sparse_table(tmp_path):
    path = tmp_path / "t.arff"
    write_arff(sp.csr_matrix(np.array([[0.0, 2.0]])), path)
    assert read_table(path).X.to_pydict() == {"x0": [0.0], "x1": [2.0]}


def test_what_is_refused(tmp_path):
    path = tmp_path / "t"
    with pytest.raises(DataError, match="there is a column 'a' already"):
        write_csv({"a": [1]}, path, y=[1], target="a")
    with pytest.raises(DataError, match="y has 2 values, the table 1 rows"):
        write_arff({"a": [1]}, path, y=[1, 2])
    with pytest.raises(DataError, match="weights must be 1 numbers from 0 up"):
        write_arff({"a": [1]}, path, weights=[-1])
    with pytest.raises(DataError, match="delimiter must be one character"):
        write_csv({"a": [1]}, path, delimiter="\n")
    with pytest.raises(DataError, match="lists or records"):
        write_csv(pa.table({"a": [[1]]}), path)
    schema = Table.of({"a": ["x"]}).schema
    with pytest.raises(DataError, match="'a' holds values that are none of its categories"):
        write_arff(Table.like({"a": ["y"]}, schema), path)


ENDINGS = [
    ".csv",
    ".tsv",
    ".arff",
    ".parquet",
    ".jsonl",
    ".ndjson",
    ".feather",
    ".arrow",
    ".csv.gz",
    ".jsonl.xz",
    ".arff.bz2",
]
MIXED = pd.DataFrame(
    {
        "whole": [1, 2, 3],
        "part": [0.1, None, 1e300],
        "text": ["x", None, "ä, 'ö'\n\""],
        "when": pd.to_datetime(["2026-01-01 00:00", "2026-01-02 03:04", None]),
        "flag": [True, False, True],
    }
)


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_ending_reads_back_as_it_was(tmp_path, ending):
    path = tmp_path / f"t{ending}"
    write_table(MIXED, path, y=["no", "yes", "no"], target="good")
    data = read_table(path, target="good")
    assert data.y.tolist() == ["no", "yes", "no"]
    expected = Table.of(MIXED)
    assert_array_equal(data.table.values, expected.values)
    assert data.schema.names == expected.schema.names
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("path", ["t.doc", "t", "t.parquet.gz", "t.zip"])
def test_unknown_endings_are_refused(tmp_path, path):
    with pytest.raises(
        ParameterError, match=rf"the ending of '.*{path}' names no format that is written. Endings: .csv"
    ):
        write_table(MIXED, tmp_path / path)
    assert not list(tmp_path.iterdir())


def test_standard_output_is_csv(capsys):
    write_table({"a": np.array([1, 2]), "b": np.array(["x", None], dtype=object)}, "-")
    assert capsys.readouterr().out == "a,b\n1,x\n2,\n"


def test_columns_of_several_types_in_a_dict(tmp_path):
    write_table({"a": [1, "x"], "b": [1.5, None]}, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "a,b\n1,1.5\nx,\n"


@pytest.mark.parametrize("write", [write_csv, write_table, write_arff])
def test_data_sets_bring_their_target(tmp_path, write):
    data = load_apples()
    path = tmp_path / ("t.arff" if write is write_arff else "t.csv")
    write(data, path)
    again = read_table(path, target="variety")
    assert again.y.tolist() == data.y.tolist() and again.names == data.feature_names
    write(again, path)
    assert read_table(path).names == [*data.feature_names, "variety"]


def test_an_error_leaves_the_old_file(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text("old")
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_table(pa.table({"a": [1.0, float("inf")]}), path)
    assert path.read_text() == "old" and len(list(tmp_path.iterdir())) == 1


def test_lists_and_records_in_json(tmp_path):
    path = tmp_path / "t.jsonl"
    write_table(pa.table({"a": [[1, 2]], "b": [{"c": dt.date(2026, 1, 31)}], "d": [Decimal("1.5")]}), path)
    assert path.read_text() == '{"a": [1, 2], "b": {"c": "2026-01-31"}, "d": 1.5}\n'
