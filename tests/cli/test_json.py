"""--json: one document on standard output, with the numbers of the text."""

import json

import pytest

from assay.evaluate import compare, describe
from assay.learners import learners
from assay.tables.data import datasets, load_iris


def test_describe(run):
    code, out, err = run("describe", "iris", "--json")
    told = json.loads(out)
    assert (code, err) == (0, "")
    assert told == describe(*load_iris(), name="iris", target="species").to_dict()
    assert told["rows"] == 150 and told["classes"] == {"setosa": 50, "versicolor": 50, "virginica": 50}
    column = told["columns"][0]
    text = run("describe", "iris")[1]
    assert f"{column['low']:g} to {column['high']:g}, mean {column['mean']:.4g}" in text
    assert set(told) == {"name", "rows", "columns", "missing", "target", "classes", "findings", "measured"}


def test_compare(run, tmp_path):
    args = ("compare", "iris", "-l", "lda,majority", "--design", "3-fold")
    code, out, err = run(*args, "--json", "--save", tmp_path / "r.csv")
    told = json.loads(out)
    assert code == 0 and err == f"The results are in {tmp_path / 'r.csv'}.\n"
    same = compare(["lda", "majority"], load_iris(), design="3-fold").to_dict()
    ranking = told["ranking"]["error"]
    assert [s["mean"] for s in ranking] == [s["mean"] for s in same["ranking"]["error"]]
    text = run(*args)[1]
    assert f"{ranking[0]['mean']:.4f}" in text and told["conclusion"] in " ".join(text.split())
    assert not told["partial"]
    assert {"data", "design", "metrics", "alpha", "classes", "ranking", "confusion", "notes", "settings", "records",
            "conclusion", "remarks", "partial"} <= set(told)  # fmt: skip


def test_explain(run, tmp_path):
    model = tmp_path / "m.assay"
    assert run("fit", "iris", "-l", "ridge", "-o", model)[0] == 0
    code, out, _ = run("explain", model, "iris", "--row", 3, "--json", "--keep", "species")
    told = json.loads(out)
    assert code == 0 and set(told) == {"learner", "answer", "posterior", "row", "sections", "kept"}
    assert told["answer"] == "setosa" and told["kept"] == {"species": "setosa"}


def test_learners_and_datasets(run):
    told = json.loads(run("learners", "--json")[1])
    assert [entry["name"] for entry in told] == [*learners("classifier"), *learners("regressor")]
    told = json.loads(run("learners", "--json", "--kind", "regressor")[1])
    assert [entry["name"] for entry in told] == list(learners("regressor"))
    assert {entry["kind"] for entry in told} == {"regressor"}
    both = json.loads(run("learners", "forest", "--json")[1])
    assert [entry["kind"] for entry in both] == ["classifier", "regressor"]
    told = json.loads(run("learners", "C4.5", "--json")[1])
    assert told["name"] == "c45" and told["class"] == "assay.trees.C45Classifier"
    assert {"name", "accepts", "default"} == set(told["parameters"][0])
    told = json.loads(run("datasets", "--json")[1])
    assert {entry["name"]: entry["description"] for entry in told} == datasets()
    told = json.loads(run("datasets", "weather", "--json")[1])
    assert told["rows"] == 14 and told["target"] == "play" and len(told["columns"]) == 4


@pytest.mark.parametrize("command", [("describe", "iris"), ("learners",), ("datasets",)])
def test_nothing_but_the_document_is_on_standard_output(run, command):
    out = run(*command, "--json")[1]
    assert json.loads(out) and "NaN" not in out and out.endswith("\n")


def test_a_table_without_a_target_names_none(run):
    """Not the word "class", which no column has."""
    _, out, _ = run("describe", "transactions", "--json")
    assert json.loads(out)["target"] is None
    _, out, _ = run("describe", "weather", "--json")
    assert json.loads(out)["target"] == "play"
