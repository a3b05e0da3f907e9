"""Files larger than memory: what is held at any time does not grow with the file."""

import gc
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest

from assay.errors import ReadError
from assay.tables.readers import arff, csv, read_blocks, records, source
from assay.tables.readers.blocks import regrouped


def held(path, rows):
    """The most bytes that Arrow and Python held while all blocks were read, and how many rows came."""
    gc.collect()
    base = pa.total_allocated_bytes()
    tracemalloc.start()
    most, count = 0, 0
    for block in read_blocks(path, rows=rows):
        count += block.num_rows
        most = max(most, pa.total_allocated_bytes() - base)
    python = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most + python, count


@pytest.mark.parametrize("kind", ["csv", "arff"])
def test_memory_does_not_grow_with_the_file(tmp_path, monkeypatch, kind):
    for module in (records, arff, source):
        monkeypatch.setattr(module, "CHUNK", 1 << 15)
    monkeypatch.setattr(csv, "SAMPLE", 1 << 12)
    monkeypatch.setattr(source, "SAMPLE", 1 << 12)
    rng = np.random.default_rng(0)
    lines = [f"{a:.4f},{b:.4f},{'xyz'[k % 3]}\n" for k, (a, b) in enumerate(rng.normal(size=(1000, 2)))]
    header = (
        "a,b,c\n"
        if kind == "csv"
        else "@relation r\n@attribute a real\n@attribute b real\n@attribute c {x,y,z}\n@data\n"
    )
    memory = []
    for times in (10, 80):
        path = tmp_path / f"t{times}.{kind}"
        path.write_text(header + "".join(lines) * times)
        used, rows = held(path, rows=500)
        assert rows == 1000 * times
        memory.append(used)
    assert memory[1] < 1.5 * memory[0]
    assert memory[1] < path.stat().st_size  # 1.6 MB


def test_regrouping_keeps_every_row():
    tables = [
        pa.table({"a": pa.array(range(s, e), pa.int64())}) for s, e in [(0, 3), (3, 3), (3, 10), (10, 11)]
    ]
    parts = list(regrouped(iter(tables), 4))
    assert [p.num_rows for p in parts] == [4, 4, 3]
    assert [v for p in parts for v in p["a"].to_pylist()] == list(range(11))
    assert list(regrouped(iter([]), 4)) == []


LINES = {
    "numbers and text": ["1,x,2.5", "2,,-3", "NA,zz,1e3"] * 200,
    "text from a late row on": ["1,x,2.5"] * 500 + ["one,x,2.5"],
    "broken numbers from a late row on": ["1,x,2.5"] * 500 + ["1.5,x,2.5"],
    "values from a late row on": [",x,2.5"] * 500 + ["7,x,2.5"],
    "dates": ["2024-02-01,yes,2.5", "2024-02-03,no,"] * 300,
    "moments after dates": ["2024-02-01,yes,2.5"] * 500 + ["2024-02-03T12:00:00,no,2"],
    "no values": [",x,2.5"] * 600,
    "quoted marks": ['"NA",x,2.5'] * 600,
    "numbers too large": ["1,x,2.5"] * 500 + ["123456789012345678901234567890,x,2.5"],
}
LATE = [case for case in LINES if "late" in case or "after" in case or "large" in case]


@pytest.fixture
def small_pieces(monkeypatch):
    for module in (records, source):
        monkeypatch.setattr(module, "CHUNK", 1 << 9)
    for module in (csv, source):
        monkeypatch.setattr(module, "SAMPLE", 1 << 9)


@pytest.mark.parametrize("header", ["a,b,c", "a,b,"])
@pytest.mark.parametrize("case", LINES)
def test_blocks_as_begun_are_the_blocks_or_say_that_types_differ(tmp_path, small_pieces, case, header):
    path = tmp_path / "t.csv"
    path.write_text("\n".join([header, *LINES[case]]) + "\n")
    whole = read_blocks(path, rows=70)
    begun = read_blocks(path, rows=70)
    assert begun.types_are_open
    try:
        blocks = list(begun.as_begun())
    except csv.OtherTypes:
        assert case in LATE
        assert begun.types_are_open  # nothing is taken for known
        blocks = list(begun)
    else:
        assert case not in LATE
        assert not begun.types_are_open
    assert begun.types == whole.types
    assert blocks == list(whole)
    assert blocks == list(begun)


def test_types_as_begun_hold_for_several_files(tmp_path, small_pieces):
    for k, last in enumerate(("3", "4", "word")):
        (tmp_path / f"{k}.csv").write_text("a,b\n" + "1,x\n" * 200 + f"{last},y\n")
    (tmp_path / "1.csv").write_text("b,a\n" + "x,1\n" * 300)  # the columns in another order
    alike = [tmp_path / "0.csv", tmp_path / "1.csv"]
    assert list(read_blocks(alike, rows=90).as_begun()) == list(read_blocks(alike, rows=90))
    with pytest.raises(csv.OtherTypes):
        list(read_blocks([*alike, tmp_path / "2.csv"]).as_begun())
    unnamed = tmp_path / "unnamed.csv"
    unnamed.write_text("a,\n" + "1,\n" * 300)
    with pytest.raises(csv.OtherTypes):  # a column without a name and values is left out of the table
        list(read_blocks(unnamed).as_begun())


def test_libsvm_is_read_whole(tmp_path):
    path = tmp_path / "t.libsvm"
    path.write_text("1 1:2\n")
    with pytest.raises(ReadError, match="LIBSVM files are read whole; use read_table"):
        read_blocks(path)
