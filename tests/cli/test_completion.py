"""What the shell offers when the tab key is pressed."""

import pytest
from click.shell_completion import BashComplete

from assay.cli import COMMANDS, commands


def offered(*words):
    """What is offered for the last of the words."""
    complete = BashComplete(commands, {}, "assay", "_ASSAY_COMPLETE")
    return [item.value for item in complete.get_completions(list(words[:-1]), words[-1])]


def test_commands_and_options():
    assert offered("") == list(COMMANDS)
    assert offered("exp") == ["experiment", "explain"] or set(offered("exp")) == {"experiment", "explain"}
    assert offered("fit", "iris", "--ca") == ["--calibrate"]
    for command in ("describe", "compare", "fit", "predict", "explain", "associate"):
        assert offered(command, "--dro") == ["--drop"]


def test_learners_data_sets_and_metrics():
    assert offered("fit", "iris", "-l", "nai") == ["naive bayes"]
    assert offered("compare", "iris", "--learners", "majority,nai") == ["majority,naive bayes"]
    assert "weather" in offered("describe", "we")
    assert offered("datasets", "wi") == ["wine"]
    assert offered("learners", "rip") == ["ripper"]
    assert "auc" in offered("compare", "iris", "-m", "a")


def test_regressors_and_tasks():
    assert offered("fit", "diabetes", "-l", "hub") == ["huber"]
    assert offered("fit", "iris", "--task", "classification", "-l", "hub") == []
    assert offered("compare", "iris", "--task", "reg") == ["regression"]
    assert "rmse" in offered("compare", "diabetes", "-m", "rm")


@pytest.mark.parametrize("command", ["fit", "compare", "describe"])
def test_columns_of_files_and_of_built_in_data(tmp_path, command):
    path = tmp_path / "d.csv"
    path.write_text("age,agenda,job,y\n1,2,a,b\n")
    assert offered(command, str(path), "--target", "ag") == ["age", "agenda"]
    assert offered(command, str(path), "--drop", "job,ag") == ["job,age", "job,agenda"]
    assert offered(command, "iris", "--keep", "petal l") == ["petal length (cm)"]


def test_what_cannot_be_read_offers_nothing(tmp_path):
    assert offered("fit", str(tmp_path / "none.csv"), "--target", "a") == []
    (tmp_path / "empty.csv").write_text("")
    assert offered("fit", str(tmp_path / "empty.csv"), "--target", "a") == []
    assert offered("fit", str(tmp_path), "--target", "a") == []
