"""The lines that do it again: they give the same numbers."""

import shlex

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

from assay import compare
from assay.bayes import GaussianNB
from assay.report.methods import methods
from assay.report.words import command_line, python_line
from assay.tables.data import load_breast_cancer, load_iris


def again(result, X, y, **names):
    """Run the printed Python."""
    scope = {"X": X, "y": y, "GaussianNB": GaussianNB, "LogisticRegression": LogisticRegression, **names}
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
