"""assay experiment."""

import pyarrow.parquet as pq
import pytest

from assay.experiments.study import Study

FILE = """
folder = "results"
design = "2-fold"
metrics = ["error", "auc"]
data = ["iris", "wine", "breast_cancer"]
learners = ["majority", "lda", "naive bayes"]
[checklist]
aim = "Is lda enough?"
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "small.toml"
    path.write_text(FILE)
    return path


def test_from_the_file_to_the_conclusion(run, file, tmp_path):
    code, out, err = run("experiment", "run", file)
    assert (code, err) == (0, "")
    assert "18 cells, 6 of them finished, 12 to run." in out  # after the pilot
    assert "Mean error (lower is better):" in out
    assert "Friedman's test, Iman-Davenport F" in out
    study = Study.load(tmp_path / "results")
    assert study.missing == 0
    assert str(study) in out


def test_a_second_run_and_a_resume_have_nothing_to_do(run, file):
    run("experiment", "run", file)
    for command in (("run", file), ("resume", "results")):
        code, out, _ = run("experiment", *command)
        assert code == 0 and "Nothing is left to do." in out and "18 cells, 18 of them finished" in out


def test_the_plan_alone(run, file, tmp_path):
    code, out, _ = run("experiment", "run", file, "--plan")
    assert code == 0 and "12 to run." in out and "About" in out and "Mean error" not in out
    assert Study.load(tmp_path / "results").missing == 12


def test_a_budget_ends_it_and_says_how_to_go_on(run, file):
    code, out, _ = run("experiment", "run", file, "--budget", "0s")
    assert code == 0
    assert "18 cells are left. To go on: assay experiment resume" in out
    code, out, _ = run("experiment", "resume", "results", "--budget", "10m")
    assert code == 0 and "are left" not in out


def test_show_in_all_its_ways(run, file, tmp_path):
    run("experiment", "run", file)
    assert "Mean auc (higher is better):" in run("experiment", "show", "results", "--metric", "auc")[1]
    assert "iris: 150 rows" in run("experiment", "show", "results", "--data", "iris")[1]
    assert "A. Aim of the study: Is lda enough?" in run("experiment", "show", "results", "--checklist")[1]
    assert "lda" in run("experiment", "show", "results", "--control", "lda")[1]
    code, out, _ = run("experiment", "show", "results", "--save", "all.parquet")
    assert code == 0 and "The records are in all.parquet." in out
    assert pq.read_table(tmp_path / "all.parquet").num_rows == 36
    run("experiment", "show", "results", "--save", "all.csv")
    assert (tmp_path / "all.csv").read_text().startswith('"data","learner"')


def test_the_report_is_a_page_with_all_steps(run, file, tmp_path):
    run("experiment", "run", file)
    code, out, _ = run("experiment", "report", "results", "study.html")
    assert code == 0 and "The report is in study.html." in out
    page = (tmp_path / "study.html").read_text()
    for words in (
        "Aim of the study",
        "Is lda enough?",
        "Statistical analysis",
        "Conclusions",
        "breast_cancer",
    ):
        assert words in page


def test_an_interruption_says_how_to_go_on(run, file, monkeypatch):
    from assay.evaluate import fold

    calls = []

    def interrupted(*args):
        calls.append(args)
        if len(calls) > 8:
            raise KeyboardInterrupt
        return real(*args)

    real = fold.run_cell
    monkeypatch.setattr(fold, "run_cell", interrupted)
    code, out, _ = run("experiment", "run", file)
    assert code == 130
    assert "Interrupted: 10 cells are left. To go on: assay experiment resume" in out


def test_new_writes_an_example_that_runs_as_it_says(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("experiment", "new")
    assert code == 0 and "assay experiment run experiment.toml" in out
    code, _, err = run("experiment", "new")
    assert code == 2 and "is there already" in err
    assert run("experiment", "new", "other.txt")[0] == 2
    code, out, _ = run("experiment", "run", "experiment.toml", "--plan", "--budget", "1")
    assert code == 0 and "720 cells" in out


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("run", "nothing.toml"), "there is no file nothing.toml"),
        (("run", "small.toml", "--jobs", "0"), "0 processes can do nothing"),
        (("run", "small.toml", "--budget", "soon"), "'soon' is no time; write 90, 90s, 5m or 1h"),
        (("show", "nowhere"), "there is no folder nowhere"),
        (("show", "."), "holds no experiment"),
        (("resume", "nowhere"), "there is no experiment in nowhere"),
        (("report", "nowhere", "x.html"), "there is no folder nowhere"),
        (("report", "results", "no/such/x.html"), "there is no folder no/such"),
        (("show", "results", "--save", "x.xls"), "should end in .parquet or .csv"),
        (("go",), "No such command 'go'"),
    ],
)
def test_wrong_use_ends_in_one_sentence(run, file, command, words):
    code, out, err = run("experiment", *command)
    assert code == 2
    assert err.startswith("assay: ") and words in err and "Traceback" not in err


def test_names_that_are_not_in_the_folder_are_errors(run, file):
    run("experiment", "run", file)
    for option, words in (
        ("--control", "no learner 'x'"),
        ("--metric", "'x' was not measured"),
        ("--data", "'x'"),
    ):
        code, _, err = run("experiment", "show", "results", option, "x")
        assert code == 2 and words in err


def test_a_file_without_a_folder_asks_for_one(run, file):
    file.write_text(FILE.replace('folder = "results"\n', ""))
    code, _, err = run("experiment", "run", file)
    assert code == 2 and "Where are the results to be kept?" in err
    assert run("experiment", "run", file, "--folder", "elsewhere", "--budget", "0")[0] == 0
