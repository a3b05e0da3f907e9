"""All checks together: which tables are clean, what comes first, how input is checked."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from assay.errors import DataError, ParameterError
from assay.evaluate import diagnose
from assay.tables.data import load_breast_cancer, load_german_credit, load_iris, load_wine

rng = np.random.default_rng(0)
N = 100
Y = np.repeat(["no", "yes"], N // 2)
CLEAN = pd.DataFrame({"height": rng.normal(size=N), "colour": rng.choice(["red", "green", "blue"], size=N)})


def found(X, y=None, **settings):
    return {(f.code, f.column): f for f in diagnose(X, y, **settings)}


def codes(X, y=None, **settings):
    return {f.code for f in diagnose(X, y, **settings)}


def test_a_clean_table_gives_no_finding():
    assert diagnose(CLEAN, Y) == []


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_german_credit])
def test_respectable_data_raise_no_suspicion(load):
    data = load()
    assert not {"target-in-disguise", "identifier", "constant-column", "empty-column"} & codes(data.X, data.y)


def test_an_identifier_is_not_also_called_a_leak_or_too_many_categories():
    X = CLEAN.assign(row=np.arange(N), name=[f"n{i}" for i in range(N)])  # rows are sorted by class
    assert {code for code, column in found(X, Y) if column in ("row", "name")} == {"identifier"}


def test_one_class_is_an_error_and_comes_first():
    said = diagnose(CLEAN.assign(unit="kg"), ["yes"] * N)
    assert [f.severity for f in said] == ["error", "warning"]
    assert said[0].code == "one-class" and "has the class yes" in said[0].sentence


def test_a_sparse_matrix_is_asked_about_its_classes_only():
    said = diagnose(csr_array(np.eye(40)), ["a"] * 37 + ["b"] * 3)
    assert {f.code for f in said} == {"rare-class", "imbalance"}


def test_a_target_of_numbers_is_told_with_the_task_and_no_warning_of_a_tree():
    y = np.random.default_rng(5).normal(size=N)
    assert [f.code for f in diagnose(CLEAN, y)] == ["task"]
    sentence = found(CLEAN, y)["task", "target"].sentence
    assert (
        sentence
        == "target holds 100 distinct numbers with fractions, so it is predicted as a number (regression)."
    )
    assert "task" in codes(csr_array(CLEAN[["height"]].to_numpy()), y)
    assert 'task="classification"' in found(CLEAN, np.arange(N) % 30)["task", "target"].sentence
    assert 'task="regression"' in found(CLEAN, np.arange(N) % 15)["task", "class"].sentence
    assert "target-in-disguise" not in codes(CLEAN, np.arange(N))
    assert "task" not in codes(CLEAN, np.repeat([1.0, 2.0], N // 2))


@pytest.mark.parametrize("seed", range(25))
def test_random_tables_are_clean(seed):
    """Mixed columns, a class that depends on some of them, a few missing values: only the missing values are told."""
    draw = np.random.default_rng(seed)
    n = int(draw.integers(60, 800))
    X = pd.DataFrame(
        {
            "height": draw.normal(170, 10, n),
            "income": draw.lognormal(10, 1, n),
            "count": draw.poisson(20, n),
            "colour": draw.choice(["red", "green", "blue"], n),
            "town": draw.choice([f"t{i}" for i in range(8)], n),
            "gap": np.where(draw.random(n) < 0.1, np.nan, draw.normal(size=n)),
        }
    )
    score = (X["height"] - 170) / 10 + (X["colour"] == "red") + draw.normal(size=n)
    y = pd.Series(np.where(score > 0.3, "buys", "leaves"), name="purchase")
    assert {f.code for f in diagnose(X, y)} <= {"missing-values"}


def test_no_settings_are_ignored_and_bad_ones_are_named():
    with pytest.raises(DataError, match="groups must have 100 entries"):
        diagnose(CLEAN, Y, groups=[1, 2])
    with pytest.raises(DataError, match="times must have 100 entries"):
        diagnose(CLEAN, Y, times=[1, 2])
    with pytest.raises(ParameterError, match="design must be a name"):
        diagnose(CLEAN, Y, design="often")


@pytest.mark.parametrize(
    "X, y",
    [
        ({"a": [1.0]}, ["x"]),
        ({"a": [1.0, 1.0]}, ["x", "x"]),
        ({"a": [None, None, None]}, ["x", "y", "x"]),
        ({"a": [1e308, -1e308, 1.0, 2.0] * 10}, ["x", "y"] * 20),
        ({"a": ["q"] * 30, "b": [None] * 29 + [1.0]}, ["x", "y", None] * 10),
        (np.zeros((40, 2)), np.arange(40)),
        (np.linspace(-0.8e308, 0.8e308, 80).reshape(40, 2), ["x", "y"] * 20),
    ],
)
def test_extreme_tables_give_sentences_not_errors(X, y):
    for f in diagnose(X, y, folds=3):
        assert "nan" not in f.sentence and f.severity in ("error", "warning", "note")
