"""``assay ensemble``: a library of models together, the evidence, and the saved model."""

import json

import numpy as np
import pytest

from assay import load
from assay.select import EnsembleSelectionClassifier
from assay.tables.data import load_iris

QUICK = ("--inner", "3-fold", "--outer", "3-fold")


def test_an_ensemble_is_shown_tested_saved_and_asked(run, tmp_path):
    model, page = tmp_path / "e.assay", tmp_path / "e.html"
    code, out, err = run(
        "ensemble", "iris", "-l", "knn,lda,linear svc", *QUICK, "-o", model, "--report", page, "--seed", "1"
    )
    assert code == 0, err
    assert out.startswith("Ensemble by selection\n")
    assert "Library of 3 models" in out
    assert "log-loss (unseen rows)" in out
    assert "The selection is not shown to beat its best member. " in out
    assert f"The selection of 3 models, fitted to all 150 rows, is in {model}." in out
    assert page.read_text().startswith("<!doctype html>")
    back = load(model)
    assert isinstance(back, EnsembleSelectionClassifier)
    assert back.score(*load_iris()) > 0.9
    code, out, err = run("explain", model, "iris", "--row", "3")
    assert code == 0, err
    assert "Chosen members" in out
    code, out, err = run("predict", model, "iris")
    assert code == 0, err
    assert out.count("\n") == 151


@pytest.mark.parametrize("method", ["stacking", "voting"])
def test_numbers_and_other_methods(run, tmp_path, method):
    model = tmp_path / "e.assay"
    code, out, err = run(
        "ensemble", "diabetes", "-l", "ridge,knn", "--method", method, "--outer", "none", "-o", model
    )
    assert code == 0, err
    assert "is not known: leave out --outer none" in out
    code, out, err = run("explain", model, "diabetes", "--row", "2")
    assert code == 0, err
    assert "ridge" in out


def test_json_has_the_library_and_the_evidence_and_the_seed_repeats_it(run):
    args = ("ensemble", "iris", "-l", "knn,tree", "--variants", "1", *QUICK, "--json")
    first, second = (json.loads(run(*args)[1]) for _ in range(2))
    assert [m["name"] for m in first["library"]] == [m["name"] for m in second["library"]]
    assert {m["name"] for m in first["library"]} == {"knn", "knn 2", "c45", "c45 2"}
    assert sum(m["weight"] for m in first["library"]) == pytest.approx(1)
    assert first["verdict"] == second["verdict"]
    assert first["best_member"] == first["library"][0]["name"]


def test_a_member_that_fails_is_reported_and_left_out(run, tmp_path):
    rng = np.random.default_rng(0)
    table = tmp_path / "t.csv"
    lines = [f"{x:.3f},{i},{'ab'[int(x > 0)]}" for i, x in enumerate(rng.normal(size=60))]
    table.write_text("x,day,class\n" + "\n".join(lines) + "\n")
    args = ("ensemble", table, "-t", "class", "-l", "lda,categorical nb,logistic", "--time", "day")
    code, out, err = run(*args, "--outer", "none")
    assert code == 0, err
    assert "categorical nb was left out: " in out
    assert "Library of 2 models" in out


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("iris", "-l", "knnn"), "There is no learner 'knnn'. Did you mean knn?"),
        (("iris", "-l", "lasso"), "a regressor"),
        (("iris", "-l", "knn", "--method", "luck"), "'luck' is not one of"),
        (("iris", "-l", "knn", "--jobs", "0"), "0 processes can do nothing"),
        (("iris", "-l", "knn", "-m", "errror"), "errror"),
        (("iris", "-l", "knn", "--outer", "1-fold"), "assay: --outer: design needs at least 2 folds"),
        (
            ("iris", "-l", "knn", "--outer", "none", "--report", "r.html"),
            "the report is about the outer splits",
        ),
        (("iris", "-l", "knn", "-o", "-", "--json"), "cannot both be standard output"),
        (("diabetes", "-l", "ridge", "--cost", "a:b=1"), "--cost is about classes"),
        (("iris", "-l", "categorical nb", "--outer", "none"), "no model could be fitted. categorical nb: "),
    ],
)
def test_wrong_input_ends_in_a_sentence(run, args, words):
    code, _, err = run("ensemble", *args)
    assert code == 2
    assert words in err
    assert "Traceback" not in err
