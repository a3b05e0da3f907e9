"""``assay show``."""

import json
import re

import pytest
from click.testing import CliRunner

from assay import load, save
from assay.cli import commands
from assay.tables.data import load_iris
from assay.trees import C45Classifier


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "iris.assay"
    X, y = load_iris()
    tree = C45Classifier().fit(X, y)
    tree.target_name_ = "species"
    save(tree, path)
    return str(path)


def run(*args):
    return CliRunner().invoke(commands, ["show", *args])


def test_the_tree_is_printed_with_what_it_predicts(model):
    shown = run(model)
    assert shown.exit_code == 0
    assert shown.output.startswith("Predicts species.\nC45Classifier\n")
    assert str(load(model).show()) in shown.output


def test_json_holds_the_same_text(model):
    data = json.loads(run(model, "--json").output)
    assert data["target"] == "species"
    assert data["parts"][0]["text"] == str(load(model))


def test_a_page_holds_the_drawing(model, tmp_path):
    path = tmp_path / "tree.html"
    assert f"C45Classifier is shown in {path}." in run(model, "--html", str(path)).output
    assert "<svg" in path.read_text() and path.read_text().startswith("<!doctype html>")


def test_a_file_that_is_no_model_ends_in_a_sentence(tmp_path):
    (tmp_path / "x.assay").write_text("no model")
    shown = run(str(tmp_path / "x.assay"))
    assert shown.exit_code != 0 and "Traceback" not in shown.output


def test_means_of_dates_are_dates_and_settings_are_those_of_the_learner(run, tmp_path):
    """The means of days 18262, 18264 and 18293, 18295 since 1970; the step that fills in values has no settings."""
    rows = ["2020-01-01,1,a", "2020-01-03,2,a", "2020-02-01,4,b", "2020-02-03,7,b"]
    table, model = tmp_path / "dated.csv", tmp_path / "dated.assay"
    table.write_text("\n".join(["since,size,kind", *rows]) + "\n")
    code, _, err = run("fit", table, "-t", "kind", "-l", "lda", "--set", "tol=0.001", "-o", model)
    assert code == 0, err
    _, out, _ = run("show", model)
    assert re.search(r"since +2020-01-02 +2020-02-02", out)
    assert "Settings: tol=0.001." in out and "learner=" not in out
    run("fit", table, "-t", "kind", "-l", "nearest mean", "-o", model)
    _, out, _ = run("show", model)
    assert re.search(r"since +-0\.9\d+ +0\.9\d+", out), "in standard deviations, no date"
