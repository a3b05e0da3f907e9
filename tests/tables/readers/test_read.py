"""Choosing the format, and what ``read_table`` returns."""

import os

import numpy as np
import pyarrow as pa
import pytest

from assay.errors import ReadError, SchemaError
from assay.tables.readers import labels, read_table
from assay.tables.readers.read import format_of

ARFF = "% c\n@relation r\n@attribute a real\n@attribute b {x,y}\n@data\n1,x\n2,y\n"


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("t.csv", "a,b\n1,2\n", "csv"),
        ("t.TSV", "a\tb\n1\t2\n", "csv"),
        ("t.arff", ARFF, "arff"),
        ("t.txt", ARFF, "arff"),
        ("t.txt", "a,b\n1,2\n", "csv"),
        ("t.data", "5.1,3.5,x\n", "csv"),
        ("noname", "+1 1:0.5 7:2\n", "libsvm"),
        ("noname", "time 10:30\n", "csv"),
        ("t.svm", "1 1:2\n", "libsvm"),
        ("noname", "", "csv"),
    ],
)
def test_format_by_name_and_by_content(tmp_path, name, content, expected):
    path = tmp_path / name
    path.write_text(content)
    assert format_of(path) == expected


def test_format_that_is_said(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(ARFF)
    assert read_table(path, format="arff").names == ["a", "b"]
    with pytest.raises(ReadError, match="there is no format 'xls'"):
        read_table(path, format="xls")


def test_text_paths_and_home(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert len(read_table(str(tmp_path / "t.csv"))) == 1
    assert len(read_table("~/t.csv")) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file, so there is nothing to refuse")
def test_a_file_without_permission(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n")
    path.chmod(0)
    with pytest.raises(ReadError, match="no permission to read this file"):
        read_table(path)


def test_permission_is_told_in_a_sentence(tmp_path, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "t.csv"
    path.write_text("a\n1\n")
    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(ReadError, match=r"t\.csv: no permission to read this file\.$"):
        read_table(path)


def test_targets(tmp_path):
    path = tmp_path / "t.arff"
    path.write_text(ARFF)
    assert read_table(path).y is None
    assert read_table(path).default_target == "b"
    assert read_table(path, target="auto").target == "b"
    assert read_table(path, target=0).y.tolist() == [1.0, 2.0]
    with pytest.raises(SchemaError, match="no column number 2"):
        read_table(path, target=2)
    csv = tmp_path / "t.csv"
    csv.write_text("a,b\n1,2\n")
    assert read_table(csv, target="auto").y is None
    assert read_table(csv).default_target is None
    with pytest.raises(SchemaError, match="no column 'w'"):
        read_table(csv, weights="w")


def test_columns_of_the_data(tmp_path):
    path = tmp_path / "t.arff"
    path.write_text(ARFF)
    data = read_table(path)
    assert data.column("b").tolist() == ["x", "y"]
    with pytest.raises(SchemaError, match="no column 'c'"):
        data.column("c")
    assert repr(data).splitlines()[0] == "t.arff: 2 rows, 2 columns"
    X, y = data
    assert X is data.X
    assert y is None


def test_labels_in_their_own_values():
    assert labels(pa.chunked_array([[1, 2], [3]])).dtype == np.int64
    assert labels(pa.array([True, False])).dtype == bool
    assert labels(pa.array([True, None])).tolist() == [True, None]
    assert labels(pa.array(["a", None]).dictionary_encode()).tolist() == ["a", None]
    assert np.isnan(labels(pa.array([1, None]))[1])
    assert labels(pa.array([0], pa.date32()))[0] == np.datetime64("1970-01-01")


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (
            ["1", "x", "-1"],
            "t.csv, line 3, column 'w': row weights must be numbers from 0 up, none missing; got 'x'.",
        ),
        (["1", "2", "-1"], "t.csv, line 4, column 'w': row weights .* got -1."),
        (["1", "NA", "2"], "t.csv, line 3, column 'w': row weights .* got an empty cell."),
    ],
)
def test_a_weight_that_is_none_is_named(tmp_path, cells, words):
    (tmp_path / "t.csv").write_text("a,w\n" + "".join(f"1,{c}\n" for c in cells))
    with pytest.raises(ReadError, match=words):
        read_table(tmp_path / "t.csv", weights="w")
