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


def test_libsvm_is_read_whole(tmp_path):
    path = tmp_path / "t.libsvm"
    path.write_text("1 1:2\n")
    with pytest.raises(ReadError, match="LIBSVM files are read whole; use read_table"):
        read_blocks(path)
