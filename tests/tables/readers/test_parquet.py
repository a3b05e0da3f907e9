"""Parquet: types kept, blocks of rows, damaged files."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import ReadError, SchemaError
from assay.tables import Table
from assay.tables.readers import read_blocks, read_table


def frame(n=10):
    return pa.table(
        {
            "i": pa.array(range(n), pa.int32()),
            "x": np.arange(n) / 4,
            "word": pa.array(["ab"[k % 2] for k in range(n)]),
            "level": pa.DictionaryArray.from_arrays(
                pa.array([k % 2 for k in range(n)], pa.int32()), ["low", "high"], ordered=True
            ),
            "class": pa.array(["yes" if k % 3 else None for k in range(n)]),
        }
    )


def test_whole_file_with_its_types(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(frame(), path)
    data = read_table(path, target="class")
    assert data.format == "parquet"
    assert data.schema == Table.of(frame().drop_columns(["class"])).schema
    assert data.schema["level"].kind == "ordinal"
    assert data.schema["level"].categories == ("low", "high")
    assert data.y.tolist() == frame()["class"].to_pylist()
    assert read_table(path, columns=["x"]).names == ["x"]


def test_known_by_its_first_bytes(tmp_path):
    path = tmp_path / "t.csv"
    pq.write_table(frame(), path)
    assert read_table(path).format == "parquet"


@pytest.mark.parametrize("rows", [1, 3, 4, 100])
def test_blocks_across_row_groups(tmp_path, rows):
    path = tmp_path / "t.parquet"
    pq.write_table(frame(), path, row_group_size=4)
    blocks = read_blocks(path, rows=rows, columns=["word", "i"])
    for _ in range(2):
        tables = list(blocks)
        assert all(t.num_rows == rows for t in tables[:-1])
        assert pa.concat_tables(tables).to_pydict() == frame().select(["word", "i"]).to_pydict()


def test_files_with_wider_numbers(tmp_path):
    pq.write_table(pa.table({"a": pa.array([1], pa.int32())}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"a": pa.array([2.5])}), tmp_path / "2.parquet")
    tables = list(read_blocks(tmp_path / "*.parquet"))
    assert [t["a"].to_pylist() for t in tables] == [[1.0], [2.5]]
    assert len({t.schema for t in tables}) == 1
    pq.write_table(pa.table({"a": ["x"]}), tmp_path / "3.parquet")
    with pytest.raises(SchemaError, match="differ in a column's type"):
        list(read_blocks(tmp_path / "*.parquet"))


def test_formats_are_not_mixed(tmp_path):
    pq.write_table(pa.table({"a": [1]}), tmp_path / "1.parquet")
    (tmp_path / "2.csv").write_text("a\n1\n")
    with pytest.raises(ReadError, match="files of one format, got csv, parquet"):
        read_blocks([tmp_path / "1.parquet", tmp_path / "2.csv"])


def test_columns_that_are_not_there(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(frame(), path)
    with pytest.raises(SchemaError, match="no column 'y'"):
        read_table(path, columns=["y"])
    with pytest.raises(SchemaError, match="no column 'y'"):
        read_blocks(path, columns=["y"])


@settings(max_examples=60, deadline=None)
@given(
    cut=st.integers(0, 2000), flips=st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), max_size=4)
)
def test_damaged_files_are_read_or_refused(tmp_path_factory, cut, flips):
    path = tmp_path_factory.mktemp("pq") / "t.parquet"
    pq.write_table(frame(), path)
    data = bytearray(path.read_bytes())
    for at, value in flips:
        data[at % len(data)] = value
    path.write_bytes(data[: len(data) - cut % len(data)] if cut % 3 else data)
    try:
        X = read_table(path, format="parquet").X
    except ReadError as error:
        assert str(path) in str(error)
        return
    assert X.num_rows == 10
