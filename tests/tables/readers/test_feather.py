"""Feather and Arrow IPC files."""

import contextlib
import random

import pyarrow as pa
import pytest

from assay.errors import ReadError, SchemaError
from assay.tables import read_blocks, read_table

FRAME = pa.table(
    {
        "n": pa.array([1, None, 3], pa.int64()),
        "t": ["a", "b", None],
        "d": pa.array(["x", "y", "x"]).dictionary_encode(),
    }
)


def write(path, stream=False, frame=FRAME, rows=2):
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with pa.OSFile(str(path), "wb") as sink, make(sink, frame.schema) as writer:
        writer.write_table(frame, rows)
    return path


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", ["t.feather", "t.arrow", "t"])
def test_files_and_streams(tmp_path, name, stream):
    data = read_table(write(tmp_path / name, stream))
    assert data.format == "feather" and data.X.to_pydict() == FRAME.to_pydict()
    assert data.schema["d"].categories == ("x", "y")


@pytest.mark.parametrize("stream", [False, True])
def test_blocks(tmp_path, stream):
    path = write(tmp_path / "t.feather", stream)
    assert [b.num_rows for b in read_blocks(path, rows=1)] == [1, 1, 1]
    assert [b.column_names for b in read_blocks(path, columns=["t"])] == [["t"]]
    assert pa.concat_tables(read_blocks([path, path], rows=2, drop="d")).num_rows == 6


def test_blocks_of_files_with_numbers_of_different_width(tmp_path):
    one = write(tmp_path / "1.feather", frame=pa.table({"a": pa.array([1], pa.int32())}))
    two = write(tmp_path / "2.feather", frame=pa.table({"a": [1.5]}))
    assert [b["a"].type for b in read_blocks([one, two])] == [pa.float64(), pa.float64()]


def test_no_such_column(tmp_path):
    with pytest.raises(SchemaError, match=r"no column 'z'"):
        read_table(write(tmp_path / "t.feather"), columns=["z"])


def test_what_is_no_feather_file(tmp_path):
    path = tmp_path / "t.feather"
    path.write_text("a,b\n")
    with pytest.raises(ReadError, match=r"t.feather: not a Feather file, or a damaged one"):
        read_table(path)
    path.write_bytes(b"FEA1" + b"\0" * 20)
    with pytest.raises(ReadError, match="version 1 is no longer read"):
        read_table(path)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_damaged_files_are_read_or_refused(tmp_path, seed, stream):
    """Any change of a byte gives a table or a sentence, never anything else."""
    draw = random.Random(seed)
    whole = write(tmp_path / "t.feather", stream).read_bytes()
    for _ in range(40):
        data = bytearray(whole)
        for _ in range(draw.randint(1, 3)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        path = tmp_path / "broken.feather"
        path.write_bytes(data[: draw.randrange(len(data))] if draw.random() < 0.3 else data)
        with contextlib.suppress(ReadError, SchemaError):
            read_table(path)
