"""``assay show``."""

import json

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
