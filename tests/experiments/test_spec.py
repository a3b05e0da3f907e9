"""Experiments described by TOML files."""

import numpy as np
import pytest

from assay.errors import DataError, ParameterError
from assay.experiments.experiment import Experiment
from assay.experiments.spec import EXAMPLE, read_experiment, resumed

FILE = """
name = "loans"
folder = "results"
design = "2-fold"
metrics = ["error", "f1"]
seed = 7
alpha = 0.1
data = ["iris", { file = "loans.csv", target = "late" }]

[learners]
majority = {}
bayes = "naive bayes"
tree = { learner = "decision tree", settings = { max_depth = [1, 2] } }
knn = { runs = [{ n_neighbors = 1 }, { n_neighbors = 3, weights = "distance" }] }

[checklist]
aim = "Who pays late?"
"""


def written(tmp_path, text=FILE):
    (tmp_path / "loans.csv").write_text(
        "age,late\n" + "".join(f"{i},{'yes' if i % 3 else 'no'}\n" for i in range(12))
    )
    path = tmp_path / "loans.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_says_all_that_python_can(tmp_path):
    made = read_experiment(written(tmp_path))
    assert (made.name, made.folder, made.design.name) == ("loans", tmp_path / "results", "2-fold")
    assert ([m.name for m in made.metrics], made.seed, made.alpha) == (["error", "f1"], 7, 0.1)
    assert [p.name for p in made.problems] == ["iris", "loans"]
    assert list(dict.fromkeys(t.entrant.name for t in made.trials)) == [
        "majority", "bayes", "tree(max_depth=1)", "tree(max_depth=2)", "knn(n_neighbors=1)",
        "knn(n_neighbors=3, weights=distance)",
    ]  # fmt: skip
    assert made.checklist.aim == "Who pays late?"


def test_a_described_experiment_can_go_on_from_its_folder_alone(tmp_path):
    path = written(tmp_path)
    first = read_experiment(path).run(budget=0.0)
    assert first.missing == 24
    path.unlink()
    again = resumed(tmp_path / "results").run()
    assert again.missing == 0
    assert resumed(tmp_path / "results").run().records == again.records


def test_another_folder_can_be_chosen(tmp_path):
    assert read_experiment(written(tmp_path), tmp_path / "other").folder == tmp_path / "other"


def test_the_example_is_a_valid_experiment(tmp_path):
    path = written(tmp_path, EXAMPLE.format(file="loans.toml", folder="example"))
    made = read_experiment(path)
    assert made.folder == tmp_path / "example"
    assert len(made.jobs) == 4 * 6 * 30
    assert made.checklist.aim.startswith("Is a small tree")


def test_an_experiment_from_python_cannot_be_resumed_from_disk_alone(tmp_path):
    X = np.arange(24.0).reshape(12, 2)
    Experiment(["lda"], {"a": (X, [0, 1] * 6)}, design="2-fold", folder=tmp_path / "e").run()
    with pytest.raises(DataError, match="was begun from Python"):
        resumed(tmp_path / "e")
    with pytest.raises(DataError, match="there is no experiment in"):
        resumed(tmp_path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("data = [ }", r"is not TOML: .*line 1"),
        ('data = ["iris"]', r"does not say which learners"),
        ('learners = ["lda"]', r"does not say which data"),
        (
            'learners = ["lda"]\ndata = ["iris"]\ndesing = "3x3"',
            "entry 'desing' that is not known. Did you mean design",
        ),
        (
            'learners = ["lda"]\ndata = ["iris"]\nzebra = 1',
            "'zebra' that is not known. There are: name, folder",
        ),
        ('learners = 5\ndata = ["iris"]', "learners must be a list of names"),
        ('learners = ["lda"]\ndata = 5', "data must be a list or a table"),
        ('learners = ["lda"]\ndata = [{ target = "x" }]', "a data set without file"),
        ('learners = ["lda"]\ndata = [{ file = "x.csv", tarjet = "x" }]', "Did you mean target"),
        ('data = ["iris"]\n[learners.tree]\nmax_depth = [2]', r"\[learners.tree\] has an entry 'max_depth'"),
        (
            'data = ["iris"]\n[learners]\ntree = 5',
            r"\[learners.tree\] must be a table of learner, settings, runs",
        ),
        (
            'data = ["iris"]\n[learners.tree]\nsettings = { max_depth = [2] }\nruns = [{ max_depth = 3 }]',
            "has both settings and runs",
        ),
        ('learners = ["lda"]\ndata = ["iris"]\nfolder = 3', "folder must be text, got 3"),
        (
            'learners = ["lda"]\ndata = ["iris"]\n[checklist]\ngoal = "x"',
            r"\[checklist\] has an entry 'goal'",
        ),
        ('learners = ["lda"]\ndata = ["iris"]\nseed = "x"', "seed must be a whole number, got 'x'"),
    ],
)
def test_wrong_files_are_explained(tmp_path, text, words):
    with pytest.raises((DataError, ParameterError), match=words):
        read_experiment(written(tmp_path, text))


def test_files_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(
        DataError, match=r"there is no file .*x\.toml. An example to begin with: assay experiment new"
    ):
        read_experiment(tmp_path / "x.toml")
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="is not a text file"):
        read_experiment(tmp_path / "b.toml")
    with pytest.raises(DataError, match="is not a text file"):
        read_experiment(tmp_path)
