"""Files written whole or not at all, and every command and function that writes one."""

import errno
import os
import pathlib
import stat

import pytest

from assay.tables import whole_files
from assay.tables.whole_files import replacing, whole_file, write_whole

FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture
def full_disk(monkeypatch):
    """The disk fills up while the content is brought to it."""

    def refuse(number):
        raise FULL

    monkeypatch.setattr(whole_files.os, "fsync", refuse)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_old_content_stays_when_the_disk_is_full(tmp_path, full_disk):
    path = tmp_path / "page.html"
    path.write_text("old")
    with pytest.raises(OSError, match="No space left") as error:
        write_whole(path, "new")
    assert error.value.filename == str(path)
    assert path.read_text() == "old"
    assert names(tmp_path) == ["page.html"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, OSError])
def test_the_old_content_stays_when_writing_is_broken_off(tmp_path, error):
    path = tmp_path / "page.html"
    path.write_text("old")
    with pytest.raises(error), whole_file(path) as file:
        file.write("new " * 100_000)
        file.flush()
        assert path.read_text() == "old"
        raise error("broken off")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["page.html"]


def test_permissions_and_links_stay(tmp_path):
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_whole(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_what_is_no_regular_file_is_written_directly(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(pipe, "through the pipe")
        assert os.read(reader, 100) == b"through the pipe"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_errors_name_the_path_that_was_given(tmp_path):
    with pytest.raises(IsADirectoryError) as error:
        write_whole(tmp_path, "new")
    assert error.value.filename == str(tmp_path)
    with pytest.raises(FileNotFoundError) as error:
        write_whole(tmp_path / "no" / "page.html", "new")
    assert error.value.filename == str(tmp_path / "no" / "page.html")


def test_text_keeps_its_line_ends(tmp_path):
    with whole_file(tmp_path / "a.txt") as file:
        file.write("a\r\nb\n")
    write_whole(tmp_path / "b.txt", "a\r\nb\n")
    assert (tmp_path / "a.txt").read_bytes() == (tmp_path / "b.txt").read_bytes() == b"a\r\nb\n"


def test_a_path_beside_is_gone_afterwards(tmp_path):
    with replacing(tmp_path / "a.bin") as beside:
        beside.write_bytes(b"1")
        assert beside.parent == tmp_path
    assert names(tmp_path) == ["a.bin"]


def report(path):
    from assay import compare
    from assay.report import write_report

    write_report(compare(["majority"], [[1.0], [2.0]] * 10, ["a", "b"] * 10, design="5-fold"), path)


def study_page(path):
    from assay.experiments import Experiment
    from assay.report import write_study

    write_study(Experiment(["majority", "nb"], ["iris", "wine"], design="2-fold").run(), path)


def study_records(path):
    from assay.experiments import Experiment

    Experiment(["majority"], ["iris"], design="2-fold").run().to_parquet(path)


def model(path):
    import assay
    from assay.bayes import GaussianNB

    assay.save(GaussianNB().fit([[0.0], [1.0]], ["a", "b"]), path)


def csv_table(path):
    from assay.tables.writers import write_csv

    write_csv({"a": [1.0, 2.0]}, path)


def arff_table(path):
    from assay.tables.writers import write_arff

    write_arff({"a": [1.0, 2.0]}, path)


def command(*words):
    def run(path):
        from assay.cli import commands

        commands.main(args=[*words, str(path)], prog_name="assay", standalone_mode=False)

    run.__name__ = words[0]
    return run


WRITERS = [
    (report, "page.html"),
    (study_page, "study.html"),
    (study_records, "study.parquet"),
    (model, "model.assay"),
    (csv_table, "table.csv"),
    (arff_table, "table.arff"),
    (command("fit", "iris", "--learner", "nb", "-o"), "fitted.assay"),
    (command("compare", "iris", "-l", "majority", "--design", "2-fold", "--save"), "records.json"),
    (command("compare", "iris", "-l", "majority", "--design", "2-fold", "--save"), "records.csv"),
    (command("compare", "iris", "-l", "majority", "--design", "2-fold", "--save"), "records.parquet"),
    (command("associate", "transactions", "--output"), "rules.csv"),
    (command("associate", "transactions", "--output"), "rules.json"),
]


@pytest.mark.parametrize(("write", "name"), WRITERS, ids=[f"{w.__name__} {n}" for w, n in WRITERS])
def test_everything_that_is_written_keeps_the_old_file_on_a_full_disk(tmp_path, monkeypatch, write, name):
    path = tmp_path / name
    path.write_text("old")

    def refuse(number):
        raise FULL

    with monkeypatch.context() as patched:
        patched.setattr(whole_files.os, "fsync", refuse)
        with pytest.raises((OSError, ValueError), match=r"No space left|space"):
            write(path)
    assert path.read_text() == "old"
    assert names(tmp_path) == [name]
    write(path)
    assert path.read_bytes() != b"old"


def test_nothing_else_in_the_source_opens_a_file_to_write():
    """One way of writing: any other needs a reason, which stands here."""
    reasons = {
        "tables/whole_files.py": "the one place",
        "tables/readers/origin.py": "a temporary copy of a stream, which nobody else sees",
        "core/block_store.py": "temporary blocks, which are gone with the process",
        "experiments/journal.py": "a journal is appended to, record by record, and its lock file is no result",
    }
    source = pathlib.Path(whole_files.__file__).parent.parent
    writing = (
        "write_text(",
        "write_bytes(",
        '"w"',
        '"wb"',
        '"ab"',
        '"a+"',
        "'w'",
        "'wb'",
        "to_csv(path",
        "savefig(",
    )
    found = set()
    for file in source.rglob("*.py"):
        for line in file.read_text().splitlines():
            if (
                any(w in line for w in writing)
                and ("open(" in line or "write_" in line)
                and ">>>" not in line
            ):
                found.add(str(file.relative_to(source)))
    assert found == set(reasons)
