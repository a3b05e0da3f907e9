"""The journal: what was written is there, whatever happened to the process."""

import json
import subprocess
import sys
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import AssayError, DataError, ParameterError
from assay.experiments.journal import Journal, read_json, write_whole


def written(folder, count=3):
    with Journal(folder) as journal:
        for i in range(count):
            journal.append({"key": f"k{i}", "value": i / 3, "text": "ä\n\x00é" * i})
    return folder / "cells.journal"


def test_records_come_back_as_they_were(tmp_path):
    written(tmp_path)
    found = Journal(tmp_path, write=False)
    assert list(found.records) == ["k0", "k1", "k2"]
    assert found.records["k2"] == {"key": "k2", "value": 2 / 3, "text": "ä\n\x00é" * 2}
    assert found.damaged == 0


def test_every_line_is_a_checksum_and_one_object(tmp_path):
    for line in written(tmp_path).read_bytes().splitlines():
        assert int(line[:8], 16) == zlib.crc32(line[9:])
        assert isinstance(json.loads(line[9:]), dict)


@given(cut=st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_a_journal_cut_anywhere_keeps_all_whole_records_and_can_be_continued(tmp_path_factory, cut):
    folder = tmp_path_factory.mktemp("cut")
    path = written(folder, 5)
    whole = path.read_bytes()
    cut = cut % (len(whole) + 1)
    path.write_bytes(whole[:cut])
    kept = whole[:cut].count(b"\n")
    with Journal(folder) as journal:
        assert list(journal.records) == [f"k{i}" for i in range(kept)]
        assert journal.damaged == 0
        journal.append({"key": "new"})
    assert list(Journal(folder, write=False).records) == [*(f"k{i}" for i in range(kept)), "new"]


@pytest.mark.parametrize("place", [0, 7, 12, -2])
def test_a_damaged_line_in_the_middle_is_left_out_and_counted(tmp_path, place):
    path = written(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    broken = bytearray(lines[1])
    broken[place] ^= 1
    path.write_bytes(lines[0] + bytes(broken) + lines[2])
    found = Journal(tmp_path, write=False)
    assert list(found.records) == ["k0", "k2"]
    assert found.damaged == 1


def test_a_later_record_takes_the_place_of_an_earlier_one(tmp_path):
    written(tmp_path)
    with Journal(tmp_path) as journal:
        journal.append({"key": "k1", "value": 9})
    assert Journal(tmp_path, write=False).records["k1"]["value"] == 9


def test_two_writers_in_one_folder_are_refused_and_readers_are_not(tmp_path):
    with Journal(tmp_path) as journal:
        journal.append({"key": "a"})
        with pytest.raises(ParameterError, match=r"another process \(process \d+\) is running"):
            Journal(tmp_path)
        assert list(Journal(tmp_path, write=False).records) == ["a"]
    Journal(tmp_path).close()  # free again


def test_an_error_while_opening_frees_the_lock(tmp_path):
    (tmp_path / "cells.journal").mkdir()
    with pytest.raises(OSError):
        Journal(tmp_path)
    (tmp_path / "cells.journal").rmdir()
    Journal(tmp_path).close()


def test_a_whole_file_replaces_the_old_one_and_leaves_nothing_behind(tmp_path):
    path = tmp_path / "a.json"
    write_whole(path, "old")
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]


def test_files_that_are_not_json_objects_are_named(tmp_path):
    with pytest.raises(DataError, match=r"holds no experiment: there is no file experiment\.json"):
        read_json(tmp_path / "experiment.json", "experiment")
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(DataError, match="is damaged: it is not JSON"):
        read_json(tmp_path / "a.json", "thing")
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(DataError, match="expected an object"):
        read_json(tmp_path / "a.json", "thing")


SCRIPT = """
import resource, signal, sys
from pathlib import Path
from assay.errors import AssayError
from assay.experiments.journal import Journal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
for _ in range(2):  # the lock is free again
    try:
        with Journal(Path(sys.argv[1])) as journal:
            for i in range(100):
                journal.append({"key": f"k{len(journal.records)}", "value": i})
    except AssayError as error:
        print(error)
"""


def test_a_full_disk_is_told_and_keeps_what_was_written(tmp_path):
    """The system allows files of 1000 bytes, as if the disk were full there."""
    told = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert told.stdout.count("cannot be written (File too large). Finished cells are kept") == 2
    with Journal(tmp_path) as journal:
        assert len(journal.records) > 20 and journal.damaged == 0
        journal.append({"key": "new"})
    assert list(Journal(tmp_path, write=False).records)[-1] == "new"


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path):
    (tmp_path / "note.txt").mkdir()
    with pytest.raises(AssayError, match=r"note\.txt cannot be written"):
        write_whole(tmp_path / "note.txt", "done")
    assert [p.name for p in tmp_path.iterdir()] == ["note.txt"]


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ParameterError, match=r"cannot be written \(Not a directory"):
        Journal(tmp_path / "file" / "inside")


def test_a_record_without_what_is_needed_counts_as_damaged(tmp_path):
    written(tmp_path)
    found = Journal(tmp_path, write=False, needs=["value", "seconds"])
    assert not found.records and found.damaged == 3
