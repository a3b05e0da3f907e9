"""``assay tune``: a search, its honest error, and the model of the best setting."""

import csv
import json

import numpy as np
import pytest

from assay import load
from assay.tables.data import load_iris

QUICK = ("--n", "4", "--inner", "3-fold", "--outer", "3-fold")


def test_the_tuned_model_is_saved_and_the_tries_are_shown(run, tmp_path):
    model, tries = tmp_path / "m.assay", tmp_path / "t.csv"
    code, out, err = run("tune", "iris", "--learner", "knn", *QUICK, "-o", model, "--save", tries)
    assert code == 0, err
    assert out.startswith("KNeighborsClassifier, tuned\nbest setting: n_neighbors ")
    assert "error of the tuned learner" in out
    assert "Best of 4 settings" in out
    assert "What mattered" in out
    assert f"The tuned knn, fitted to all 150 rows, is in {model}." in out
    back = load(model)
    X, y = load_iris()
    assert back.score(X, y) > 0.9
    assert back.target_name_ == "species"
    lines = list(csv.DictReader(tries.read_text().splitlines()))
    assert len(lines) == 4
    assert list(lines[0]) == ["n_neighbors", "weights", "p", "error"]
    code, out, _ = run("predict", model, "iris")
    assert code == 0
    assert out.count("\n") == 151


def test_json_holds_the_same_and_the_seed_repeats_it(run):
    args = ("tune", "iris", "-l", "logistic", *QUICK, "--metric", "log-loss", "--json")
    first, second = (json.loads(run(*args)[1]) for _ in range(2))
    assert first == second
    assert first["metric"] == "log-loss"
    assert first["best_inner"] == min(t["log-loss"] for t in first["tries"])
    assert first["outer"]["low"] < first["outer"]["mean"] < first["outer"]["high"]
    assert len(first["outer"]["chosen"]) == 3


def test_numbers_to_predict_and_spaces_of_ones_own(run):
    code, out, err = run(
        "tune", "diabetes", "-l", "ridge", "--space", "alpha=0.1..100,log", "--n", "3", "--outer", "none"
    )
    assert code == 0, err
    assert "Ridge, tuned" in out
    assert "too good to be expected of new rows" in out
    assert "rmse (inner)" in out


def test_values_of_a_space_keep_their_kinds(run):
    args = (
        "-s",
        "weights=uniform,distance",
        "-s",
        "n_neighbors=3,5",
        "--n",
        "9",
        "--outer",
        "none",
        "--json",
    )
    code, out, err = run("tune", "iris", "-l", "knn", *args)
    assert code == 0, err
    tries = [t["setting"] for t in json.loads(out)["tries"]]
    assert len(tries) == 4  # all there are
    assert {t["n_neighbors"] for t in tries} == {3, 5}


def test_a_search_that_its_budget_ends_says_so(run):
    code, out, err = run("tune", "iris", "-l", "knn", "--n", "9", "--outer", "none", "--budget", "0.000001s")
    assert code == 0, err
    assert (
        "1 of 9 settings were judged: the share of --budget of this search" in out
        and "Best of 1 setting\n" in out
    )


def test_rows_of_a_group_stay_together(run, tmp_path):
    """Four equal rows of each patient: the class is known if one of them was learned from, else it is chance."""
    rng = np.random.default_rng(0)
    table, errors = tmp_path / "g.csv", []
    patients = [(i, rng.normal(), "ab"[int(rng.integers(2))]) for i in range(18)]
    lines = [f"{i},{x:.6f},{label}" for i, x, label in patients for _ in range(4)]
    table.write_text("patient,x,class\n" + "\n".join(lines) + "\n")
    for apart in (("--drop", "patient"), ("--group", "patient")):
        args = ("tune", table, "-t", "class", "-l", "knn", "-s", "n_neighbors=1,2", *apart, *QUICK, "--json")
        errors.append(json.loads(run(*args)[1])["outer"]["mean"])
    assert errors[0] == 0
    assert errors[1] > 0.2


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("iris",), "Missing option '--learner'"),
        (("iris", "-l", "knnn"), "There is no learner 'knnn'. Did you mean knn?"),
        (
            ("iris", "-l", "majority"),
            "majority has nothing to tune by default: it has no parameters. Say where to",
        ),
        (("iris", "-l", "lasso"), "a regressor"),
        (("iris", "-l", "knn", "-s", "k"), "'k' is not NAME=RANGE"),
        (("iris", "-l", "knn", "-s", "n_neighbors=9..1"), "low must be a number below high"),
        (("iris", "-l", "knn", "-s", "n_neighbors=a..b"), "'a..b' is no range of two numbers"),
        (("iris", "-l", "knn", "-s", "bogus=1..9", "--n", "2"), "knn does not take {'bogus'"),
        (("iris", "-l", "knn", "--n", "0"), "0 is not in the range"),
        (("iris", "-l", "knn", "--jobs", "0"), "0 processes can do nothing"),
        (("iris", "-l", "knn", "--budget", "0"), "a time above 0 is needed"),
        (("iris", "-l", "knn", "--budget", "soon"), "'soon' is no time"),
        (("iris", "-l", "knn", "--search", "luck"), "'luck' is not one of"),
        (("iris", "-l", "knn", "--cost", "a"), "'a' is not PREDICTED:ACTUAL=COST"),
        (("diabetes", "-l", "ridge", "--reject", "1"), "--reject is about classes"),
        (("iris", "-l", "knn", "--time", "nothing"), "there is no column nothing"),
        (("iris", "-l", "knn", "--folder", "/dev/null/x"), "cannot be written"),
        (("iris", "-l", "knn", "-m", "errror"), "errror"),
        (("iris", "-l", "knn", "-o", "nowhere/m.assay"), "there is no folder nowhere"),
        (("iris", "-l", "knn", "--save", "t.doc"), "--save"),
        (("iris", "-l", "knn", "-o", "-", "--json"), "cannot both be standard output"),
        (("nowhere.csv", "-t", "x", "-l", "knn"), "nowhere.csv"),
        (("iris", "-l", "knn", "--inner", "many"), "assay: --inner: design must be a name such as"),
        (("iris", "-l", "knn", "--outer", "1-fold"), "assay: --outer: design needs at least 2 folds"),
    ],
)
def test_wrong_input_ends_in_a_sentence(run, args, words):
    code, _, err = run("tune", *args)
    assert code == 2
    assert words in err
    assert "Traceback" not in err


def test_a_stopped_search_goes_on_and_ends_as_if_it_had_not_been(run, tmp_path):
    """The journal of a search that was cut off after some fits: what is in it is not done again."""
    folder = tmp_path / "search"
    args = ("tune", "iris", "-l", "tree", "--n", "4", "--inner", "3-fold", "--outer", "none", "--json")
    code, whole, err = run(*args)
    assert code == 0, err
    assert run(*args, "--folder", folder)[1] == whole
    (journal,) = folder.glob("*/cells.journal")
    lines = journal.read_bytes().splitlines(keepends=True)
    assert len(lines) == 12
    journal.write_bytes(b"".join(lines[:5]) + lines[5][:20])  # killed while it wrote
    assert run(*args, "--folder", folder)[1] == whole
    assert sorted(journal.read_bytes().splitlines()) == sorted(line.rstrip() for line in lines)


def test_times_weights_and_costs_as_in_compare(run, tmp_path):
    rng = np.random.default_rng(0)
    table, x = tmp_path / "t.csv", rng.normal(size=80)
    lines = [f"{i},{x[i]:.4f},{1 + i % 3},{'yes' if x[i] + rng.normal() > 0 else 'no'}" for i in range(80)]
    table.write_text("day,x,count,class\n" + "\n".join(lines) + "\n")
    code, out, err = run(
        "tune", table, "-t", "class", "-l", "logistic", "--n", "3", "--time", "day", "--weight", "count",
        "--cost", "no:yes=5", "--search", "random", "--json",
    )  # fmt: skip
    assert code == 0, err
    found = json.loads(out)
    assert found["metric"] == "cost"
    assert len(found["outer"]["chosen"]) == 5
    assert "in time" in found["outer"]["sentences"][0] or "time" in found["outer"]["sentences"][0]
    assert 0 < found["outer"]["mean"] < 5
