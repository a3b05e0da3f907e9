"""``assay select``: which columns, why, the honest error beside all columns, the reduced table."""

import csv
import json

import pytest


def test_columns_reasons_trace_honest_error_and_the_reduced_table(run, tmp_path):
    table = tmp_path / "small.csv"
    code, out, err = run(
        "select", "iris", "--learner", "lda", "--inner", "3-fold", "--outer", "3-fold", "-o", table
    )
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0] == "Columns for LinearDiscriminantAnalysis"
    assert lines[1].startswith("chosen (forward): petal ")
    assert "error on selected columns" in lines[2] and "95% interval" in lines[2]
    assert "selected columns and all columns" in out or "than all columns" in out
    assert f"Written to {table}: " in out and " and species." in out
    assert "Columns: " in out and "added in round 1" in out and "\nSearch\n" in out
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert len(rows) == 150 and "species" in rows[0] and len(rows[0]) < 5


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("backward", ("--learner", "gaussian naive bayes", "--k", "2")), ("filter", ("--k", "2")),
        ("weights", ("--k", "2")), ("lasso", ("--k", "2")), ("relevant", ()), ("stability", ()),
        ("permutation", ("--learner", "lda")),
    ],
)  # fmt: skip
def test_every_method_chooses_petals(run, method, options):
    code, out, err = run(
        "select", "iris", "--method", method, "--inner", "3-fold", "--outer", "none", *options
    )
    assert code == 0, err
    assert f"chosen ({method}): " in out.splitlines()[1] and "petal" in out.splitlines()[1]
    assert "Leave out --outer none" in out
    if "--k" in options:
        assert "Columns: 2 of 4 kept" in out


def test_numbers_and_json(run):
    args = ("select", "diabetes", "--method", "significance", "--outer", "3-fold", "--json")
    first, second = (json.loads(run(*args)[1]) for _ in range(2))
    assert first == second
    assert first["learner"] == "Ridge" and {"bmi", "bp", "s5"} <= set(first["selected"])
    assert len(first["columns"]) == 10 and "p " in first["columns"][0]["why"]
    assert first["outer"]["low"] < first["outer"]["mean"] < first["outer"]["high"]
    assert len(first["outer"]["chosen"]) == 3


def test_a_mixed_table_with_missing_values(run):
    args = ("breast_cancer_ljubljana", "--outer", "none")
    code, out, err = run("select", *args, "--learner", "naive bayes", "--inner", "3-fold")
    assert code == 0, err
    assert "chosen (forward): " in out
    code, _, err = run("select", *args, "--method", "lasso")
    assert code == 2
    assert "--method lasso cannot use missing values" in err and "Use --method forward" in err


def test_noise_is_called_noise(run, tmp_path):
    import numpy as np

    rng = np.random.default_rng(0)
    path = tmp_path / "noise.csv"
    rows = rng.normal(size=(60, 5)).round(4)
    lines = [",".join(map(str, row)) + f",{'ab'[i % 2]}" for i, row in enumerate(rows)]
    path.write_text("v,w,x,y,z,kind\n" + "\n".join(lines) + "\n")
    code, out, err = run("select", path, "--target", "kind", "--method", "lasso")
    assert code == 0, err
    assert "chosen (lasso): no column" in out and "may tell nothing of the target" in out
    assert "error on selected columns 0." in out and "of the 5 splits; the baseline predicts there." in out


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("iris", "--k", "9"), "iris has 4 columns"),
        (("iris", "--method", "stability", "--k", "2"), "finds by itself how many to keep"),
        (("iris", "--method", "fastest"), "is not one of"),
        (("iris", "--learner", "nonsense"), "nonsense"),
        (("iris", "--target", "nothing"), "has no column 'nothing'"),
        (("iris", "--jobs", "0"), "0 processes can do nothing"),
        (("iris", "--json", "-o", "-"), "cannot both be standard output"),
        (("iris", "-o", "/nowhere/t.csv"), "there is no folder"),
        (("nothing.csv",), "There is no file nothing.csv"),
    ],
)
def test_wrong_input_gets_a_sentence(run, args, sentence):
    code, _, err = run("select", *args)
    assert code == 2 and sentence in err and "Traceback" not in err
