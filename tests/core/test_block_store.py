"""Blocks of arrays on disk: what is written comes back, limits speak, and nothing is left behind."""

import errno
import gc
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

from assay.core import block_store
from assay.core.block_store import BlockStore, number_of_bytes
from assay.errors import DataError, ParameterError

PLAIN = st.sampled_from(["f8", "f4", "i8", "i4", "u1", "?", "U3", "c16", "M8[us]"])


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.text(max_size=4), hnp.arrays(PLAIN, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0))
        ),
        max_size=4,
    ),
    st.booleans(),
)
def test_blocks_come_back_as_they_were(blocks, turned):
    with BlockStore() as store:
        for block in blocks:
            store.append({name: array.T if turned else array for name, array in block.items()})
        assert len(store) == len(blocks)
        for i, block in enumerate(blocks):
            arrays = store.read(i)
            assert list(arrays) == list(block)
            for name, array in block.items():
                array = array.T if turned else array
                assert arrays[name].dtype == array.dtype
                assert arrays[name].flags.f_contiguous == array.flags.f_contiguous
                assert_array_equal(arrays[name], array)


def test_only_what_is_named_can_be_changed_and_it_stays_changed():
    with BlockStore() as store:
        store.append({"a": np.zeros(3), "b": np.ones((2, 2), order="F")})
        arrays = store.read(0, writable=["b"])
        with pytest.raises(ValueError, match="read-only"):
            arrays["a"][0] = 1
        arrays["b"][0, 1] = 7
        assert_array_equal(store.read(0)["b"], [[1, 7], [1, 1]])
        with pytest.raises(ValueError, match="read-only"):
            store.read(0)["b"][0, 0] = 1


def test_arrays_begin_at_a_line_of_the_cache():
    with BlockStore() as store:
        store.append({"a": np.zeros(3, np.uint8), "b": np.zeros(5)})
        for array in store.read(0).values():
            assert array.ctypes.data % block_store.ALIGNMENT == 0


def test_objects_are_refused():
    with BlockStore() as store, pytest.raises(TypeError, match="got objects in 'y'"):
        store.append({"y": np.array(["a", None], dtype=object)})


def test_the_folder_goes_on_close_and_when_nobody_holds_the_store(tmp_path):
    store = BlockStore(folder=tmp_path)
    store.append({"a": np.arange(5.0)})
    array = store.read(0)["a"]
    assert len(os.listdir(tmp_path)) == 1
    store.close()
    assert os.listdir(tmp_path) == [] and store.closed
    assert_array_equal(array, np.arange(5.0))  # who still holds an array may go on reading it
    with pytest.raises(DataError, match="have been released"):
        store.read(0)
    with pytest.raises(DataError, match="have been released"):
        store.append({})
    store = BlockStore(folder=tmp_path)
    assert len(os.listdir(tmp_path)) == 1
    del store
    gc.collect()
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("end", ["", "raise SystemExit(3)", "raise ValueError"])
def test_the_folder_goes_when_the_program_ends(tmp_path, end):
    program = f"""
import numpy as np, os, sys
from assay.core.block_store import BlockStore
store = BlockStore(folder=sys.argv[1])
store.append({{"a": np.arange(5.0)}})
array = store.read(0)
assert len(os.listdir(sys.argv[1])) == 1
{end}
"""
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, check=not end)
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_leaves_the_folder_alone(tmp_path):
    program = """
import os, sys
from assay.core.block_store import BlockStore
store = BlockStore(folder=sys.argv[1])
child = os.fork()
if not child:
    sys.exit()
os.waitpid(child, 0)
assert len(os.listdir(sys.argv[1])) == 1
"""
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True)
    assert os.listdir(tmp_path) == []


def test_the_limit_is_a_parameter_or_a_variable_or_half_of_the_free_disk(monkeypatch, tmp_path):
    monkeypatch.delenv("ASSAY_DISK_LIMIT", raising=False)
    monkeypatch.setattr(
        block_store.shutil, "disk_usage", lambda path: block_store.shutil._ntuple_diskusage(9, 8, 1000)
    )
    assert BlockStore(folder=tmp_path).limit == 500
    monkeypatch.setenv("ASSAY_DISK_LIMIT", "2 kB")
    assert BlockStore(folder=tmp_path).limit == 2000
    assert BlockStore(1, folder=tmp_path).limit == 1


def test_sizes_have_units():
    assert [number_of_bytes(v) for v in (7, "7", "1kb", "2.5 MB", "3G", "1TB")] == [
        7, 7, 1000, 2_500_000, 3 * 10**9, 10**12,
    ]  # fmt: skip
    for odd in ("", "much", "-1", -1, "1 PB", True, "nan"):
        with pytest.raises(ParameterError, match="such as 20GB"):
            number_of_bytes(odd)


def test_what_passes_the_limit_is_refused_and_what_was_there_stays():
    with BlockStore(limit=200) as store:
        store.append({"a": np.arange(8.0)})
        with pytest.raises(
            DataError, match=r"more than 200 bytes of temporary disk .*1 blocks? take"
        ) as caught:
            store.append({"a": np.arange(80.0)})
        assert caught.value.code == "disk-limit" and "ASSAY_DISK_LIMIT=" in str(caught.value)
        assert len(store) == 1
        store.append({"a": np.arange(8.0)})
        assert_array_equal(store.read(1)["a"], np.arange(8.0))


def test_a_full_disk_is_told(monkeypatch, tmp_path):
    """A file whose writes fail as they do on a full disk."""

    class Full:
        def __init__(self, path, mode):
            self.file = open(path, mode)  # noqa: SIM115

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.file.close()

        def write(self, data):
            self.file.write(data[:8])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with BlockStore(folder=tmp_path) as store:
        monkeypatch.setattr(block_store, "open", Full, raising=False)
        with pytest.raises(DataError, match=r"The disk is full: .*No space left.*TMPDIR") as caught:
            store.append({"a": np.arange(8.0)})
        assert caught.value.code == "disk-full"
        assert len(store) == 0 and os.listdir(store.path) == []


@pytest.mark.skipif(not os.access("/dev/full", os.W_OK), reason="this system has no /dev/full")
def test_the_error_of_a_device_that_is_full(tmp_path, monkeypatch):
    with BlockStore(folder=tmp_path) as store:
        monkeypatch.setattr(BlockStore, "_file", lambda self, i: tmp_path / "full")
        os.symlink("/dev/full", tmp_path / "full")
        with pytest.raises(DataError, match="The disk is full"):
            store.append({"a": np.zeros(1 << 16)})


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(DataError, match="no place for temporary blocks of rows"):
        BlockStore(folder=tmp_path / "none")


@pytest.mark.parametrize("order", ["C", "F"])
def test_what_is_written_takes_the_place_of_what_was_there(order):
    old = {
        "a": np.array(np.arange(6.0).reshape(2, 3), order=order),
        "b": np.array([1, 2], np.uint8),
        "c": np.empty(0),
    }
    new = np.array(-np.arange(6.0).reshape(2, 3), order="C")
    with BlockStore() as store:
        store.append(old)
        store.append(old)
        store.write(1, {"a": new, "c": np.empty(0)})
        assert_array_equal(store.read(1)["a"], new)
        assert_array_equal(store.read(1)["b"], [1, 2])
        assert_array_equal(store.read(0)["a"], old["a"])
        with pytest.raises(TypeError, match="'b' of a block on disk has"):
            store.write(0, {"b": np.array([1, 2, 3], np.uint8)})
        with pytest.raises(TypeError, match="'b' of a block on disk has"):
            store.write(0, {"b": np.array([1, 2])})
