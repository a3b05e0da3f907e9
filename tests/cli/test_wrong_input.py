"""Whatever is wrong ends in one sentence on standard error and exit code 2, before any long work."""

import subprocess
import sys

import pytest

COMMANDS = {
    "describe": ("describe", "{file}"),
    "compare": ("compare", "{file}", "-t", "y"),
    "fit": ("fit", "{file}", "-t", "y", "-o", "{folder}/m.assay"),
    "predict": ("predict", "{model}", "{file}"),
    "explain": ("explain", "{model}", "{file}"),
    "associate": ("associate", "{file}"),
}


@pytest.fixture
def wrong(run, tmp_path):
    """Run a command and check that it ends in one sentence; returns that sentence."""
    model = tmp_path / "model.assay"
    assert run("fit", "iris", "-o", model)[0] == 0

    def call(*args):
        filled = [str(a).format(folder=tmp_path, model=model) for a in args]
        code, out, err = run(*filled)
        assert (code, out) == (2, ""), err
        assert err.startswith("assay: ") and err.count("\n") == 1 and "Traceback" not in err
        return err

    return call


@pytest.fixture
def files(tmp_path):
    """Files that are no tables, and what is said of them."""
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "blank.csv").write_text("\n \n")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "noise.csv").write_bytes(bytes(range(256)) * 10)
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and no more")
    (tmp_path / "bad.jsonl").write_text('{"a": 1')
    (tmp_path / "bad.xlsx").write_text("no workbook")
    (tmp_path / "bad.feather").write_bytes(b"ARROW1 and no more")
    (tmp_path / "bad.csv.gz").write_bytes(b"\x1f\x8b and no more")
    return {
        "none.csv": "There is no file",
        "empty.csv": "the file is empty",
        "blank.csv": "blank.csv",
        "folder.csv": "this is a directory",
        "noise.csv": "not a text file",
        "bad.parquet": "not a Parquet file, or a damaged one",
        "bad.jsonl": "not JSON",
        "bad.xlsx": "not an Excel workbook",
        "bad.feather": "bad.feather",
        "bad.csv.gz": "the compressed file is damaged",
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_files_that_are_no_tables(wrong, files, tmp_path, command):
    for name, words in files.items():
        args = [part.replace("{file}", str(tmp_path / name)) for part in COMMANDS[command]]
        assert words in wrong(*args), name


def test_models_that_are_none(wrong, tmp_path):
    (tmp_path / "noise.assay").write_bytes(bytes(range(256)) * 10)
    (tmp_path / "cut.assay").write_bytes((tmp_path / "model.assay").read_bytes()[:900])
    (tmp_path / "folder.assay").mkdir()
    for command in (("predict",), ("explain",)):
        assert "is not an Assay model" in wrong(*command, tmp_path / "noise.assay", "iris")
        assert "is damaged" in wrong(*command, tmp_path / "cut.assay", "iris")
        assert "is a directory" in wrong(*command, tmp_path / "folder.assay", "iris")
        assert "There is no file" in wrong(*command, tmp_path / "none.assay", "iris")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("fit", "iris", "-l", "forst", "-o", "{folder}/m.assay"), "Did you mean forest?"),
        (("compare", "iris", "-l", "lda,forst"), "Did you mean forest?"),
        (("fit", "iris", "--targt", "species", "-o", "{folder}/m.assay"), "Did you mean one of: '--target'"),
        (("fit", "iris", "-t", "variety", "-o", "{folder}/m.assay"), "iris predicts 'species' and has no column 'v"),
        (("fit", "iris", "-o", "{folder}/no/m.assay"), "there is no folder"),
        (("fit", "iris", "-o", "{folder}"), "is a directory"),
        (("predict", "{model}", "weather"), "missing: sepal length (cm)"),
        (("predict", "{model}", "iris", "-o", "{folder}/a.doc"), "names no format that is written. Endings: .csv"),
        (("predict", "{model}", "iris", "-o", "/proc/answers.csv"), "Cannot read or write"),
        (("explain", "{model}", "iris", "--html", "/proc/page.html"), "Cannot read or write"),
        (("datasets", "iris", "--save", "/proc/iris.csv"), "Cannot read or write"),
        (("compare", "iris", "--save", "{folder}/no/r.csv"), "there is no folder"),
        (("describe", "iris", "--format", "word"), "'word' is not one of 'csv'"),
        (("describe",), "Missing argument 'FILE'"),
        (("predict", "{model}"), "Missing argument 'FILE'"),
    ],
)  # fmt: skip
def test_wrong_words(wrong, args, words):
    assert words in wrong(*args)


@pytest.mark.parametrize(
    "args",
    [
        ("fit", "{data}", "-t", "y", "-l", "knn", "-o", "{data}"),
        ("tune", "{data}", "-t", "y", "-l", "knn", "--n", "1", "-o", "{data}"),
        ("tune", "{data}", "-t", "y", "-l", "knn", "--n", "1", "--save", "{data}"),
        ("compare", "{data}", "-t", "y", "--save", "{data}"),
        ("predict", "{model}", "{data}", "-o", "{data}"),
        ("explain", "{model}", "{data}", "-o", "{data}"),
        ("associate", "{data}", "-o", "{data}"),
    ],
)
def test_a_file_that_is_read_is_never_written_over(wrong, tmp_path, args):
    data = tmp_path / "rows.csv"
    data.write_text("a,y\n" + "".join(f"{i},{'pq'[i % 2]}\n" for i in range(30)))
    before = data.read_text()
    assert "it would be lost" in wrong(*(data if arg == "{data}" else arg for arg in args))
    assert data.read_text() == before


def test_huge_cells_are_shown_short(run, tmp_path):
    path, model = tmp_path / "huge.csv", tmp_path / "m.assay"
    cells = [letter * 100_000 for letter in "abc"]
    path.write_text("text,y\n" + "".join(f"{cells[i % 3]},{'pq'[i % 2]}\n" for i in range(30)))
    for args in (
        ("describe", path, "-t", "y"),
        ("fit", path, "-t", "y", "-o", model),
        ("explain", model, path),
        ("associate", path),
        ("predict", model, path, "--reason", "--labels-only"),
    ):
        code, out, err = run(*args)
        assert code == 0, err
        assert max(map(len, out.splitlines())) < 1000
    assert len(run("describe", path, "-t", "z")[2]) < 1000


def test_a_reader_that_leaves_is_no_error(tmp_path):
    """Whether its pipe closes early or late: no message, exit code 0."""
    model = tmp_path / "m.assay"
    script = "import sys; from assay.cli import main; main(sys.argv[1:])"
    subprocess.run(
        [sys.executable, "-c", script, "fit", "digits", "-o", model], check=True, capture_output=True
    )
    for args in (["predict", model, "digits"], ["datasets"]):
        with subprocess.Popen(
            [sys.executable, "-c", script, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout.readline()
            process.stdout.close()
            assert process.stderr.read() == b""
            assert process.wait() == 0


def test_an_interrupted_comparison_shows_what_is_finished(run, monkeypatch):
    import assay.evaluate.run as running

    fitted, run_cell = [], running.run_cell

    def interrupted(*args):
        fitted.append(args)
        if len(fitted) > 7:
            raise KeyboardInterrupt
        return run_cell(*args)

    monkeypatch.setattr(running, "run_cell", interrupted)
    code, out, _ = run("compare", "iris", "-l", "lda,majority", "--design", "10-fold")
    assert code == 130
    assert out.startswith("PARTIAL RESULT. Interrupted after 3 of 10 splits.")
    assert "lda" in out and "majority" in out
    fitted.clear()
    code, out, _ = run("compare", "iris", "-l", "lda,majority", "--design", "10-fold", "--json")
    assert code == 130 and '"partial": "Interrupted after 3 of 10 splits"' in out


def test_an_interruption_before_any_split_is_told(run, monkeypatch):
    import assay.evaluate.run as running

    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "run_cell", interrupted)
    code, out, err = run("compare", "iris", "-l", "lda")
    assert (code, out, err.strip()) == (130, "", "assay: Interrupted.")


@pytest.mark.parametrize("command", ["compare", "fit", "describe"])
def test_a_target_alone_is_no_table_to_learn_from(wrong, tmp_path, command):
    (tmp_path / "y.csv").write_text("y\np\nq\np\nq\n")
    said = wrong(*(str(part).replace("{file}", "{folder}/y.csv") for part in COMMANDS[command]), *["-t", "y"])
    assert "y.csv has no column besides y; there is nothing to learn from." in said
