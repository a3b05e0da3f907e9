"""The lines that do it again: they give the same numbers."""

import shlex

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from assay import compare
from assay.bayes import GaussianNB
from assay.report.methods import methods
from assay.report.reproduce import command_line, python_line
from assay.tables.data import load_breast_cancer, load_iris


def again(result, X, y, **names):
    """Run the printed Python."""
    scope = {"X": X, "y": y, **names}
    exec(python_line(result), scope)  # our own text
    return scope["result"]


def values(result):
    return [(r["learner"], r["metric"], r["value"]) for r in result.records]


def test_the_python_line_gives_the_same_numbers():
    X, y = load_breast_cancer()
    learners = ["majority", GaussianNB(var_smoothing=0.01), LogisticRegression(C=0.1, max_iter=5000)]
    result = compare(learners, X, y, design="2x3", metrics=["auc", "error"], alpha=0.1, random_state=5,
                     loss={("benign", "malignant"): 10}, reject=0.4)  # fmt: skip
    same = again(result, X, y)
    assert values(same) == values(result) and same.alpha == 0.1


def test_groups_are_mentioned():
    groups = np.repeat(np.arange(30), 5)
    X, y = load_iris()
    result = compare(["majority"], X, y, design="3-fold", groups=groups)
    assert values(again(result, X, y, groups=groups)) == values(result)
    assert command_line(result) is None
    assert "Rows of one group stay on one side" in methods(result)[0]


def test_the_command_line_names_everything_that_was_set():
    result = compare(["lda", "naive bayes"], load_breast_cancer(), design="holdout", metrics=["auc"], random_state=7,
                     alpha=0.01, loss={("benign", "malignant"): 2.5}, reject=0.2)  # fmt: skip
    words = shlex.split(command_line(result))
    assert words[:3] == ["assay", "compare", "breast_cancer"]
    options = dict(zip(words[3::2], words[4::2]))
    assert options["--learners"] == "lda,naive bayes" and options["--design"] == "holdout"
    assert options["--cost"] == "benign:malignant=2.5" and options["--reject"] == "0.2"
    assert options["--alpha"] == "0.01" and options["--seed"] == "7" and options["--target"] == "diagnosis"


def test_odd_names_are_quoted_for_the_shell():
    X, y = load_iris()
    result = compare(["lda"], X, pd.Series(y, name="a'b; rm -rf $HOME"), design="3-fold", name="my file.csv")
    words = shlex.split(command_line(result))
    assert words[2] == "my file.csv" and words[4] == "a'b; rm -rf $HOME"


def test_learners_without_a_short_name_have_no_command_line():
    assert command_line(compare([GaussianNB()], load_iris(), design="3-fold")) is None


def test_a_command_that_was_typed_is_shown_as_typed():
    result = compare(["lda"], load_iris(), design="3-fold")
    result.settings["command"] = "assay compare iris.arff"
    assert command_line(result) == "assay compare iris.arff"


FOREST = RandomForestClassifier(n_estimators=3)
MANY = VotingClassifier([(f"m{i}", GaussianNB(var_smoothing=10.0**-i)) for i in range(30)])


@pytest.mark.parametrize(
    "learners",
    [
        {"mine": "knn", "theirs": KNeighborsClassifier(), "knn": KNeighborsClassifier(3)},  # scaled, not, not
        ["knn", KNeighborsClassifier(), GaussianNB(), GaussianNB(var_smoothing=0.1)],
        {"lda": GaussianNB()},  # a short name that means something else here
        ["lda", "lda"],
        [make_pipeline(StandardScaler(), LogisticRegression(C=1 / 3)), FOREST],
        [MANY],  # longer than scikit-learn prints
    ],
)
def test_learners_keep_their_names_their_scaling_and_their_settings(learners):
    X, y = load_iris()
    result = compare(learners, X, y, design="3-fold")
    assert values(again(result, X, y)) == values(result)


@pytest.mark.parametrize(
    "options",
    [
        {"loss": [[0, 12345.678, 1], [1 / 3, 0, 1], [1, 1, 0]], "metrics": ["cost"]},
        {
            "loss": {("setosa", "virginica"): 1},
            "metrics": ["cost"],
        },  # all errors cost 1, but it was asked for
        {"reject": 1 / 7},
        {"alpha": 0.01234567},
    ],
)
def test_costs_and_levels_keep_all_their_digits(options):
    X, y = load_iris()
    result = compare(["lda"], X, y, design="3-fold", **options)
    same = again(result, X, y)
    assert values(same) == values(result) and same.alpha == result.alpha


def test_given_splits_and_costs_of_single_rows_are_named():
    X, y = load_iris()
    splits, loss = [(np.arange(0, 150, 2), np.arange(1, 150, 2))], np.ones((150, 3, 3)) - np.eye(3)
    result = compare(["lda"], X, y, design=splits, loss=loss)
    assert values(again(result, X, y, splits=splits, loss=loss)) == values(result)
    assert command_line(result) is None


def test_data_without_a_file_have_no_command_line():
    X, y = load_iris()
    assert command_line(compare(["lda"], X, y, design="3-fold")) is None
    assert command_line(compare({"lda": GaussianNB()}, load_iris(), design="3-fold")) is None
    assert command_line(compare(["lda"], X, y, design="3-fold", name="flowers.parquet")) is not None
