"""Classes of all kinds, and rows that have none."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from assay.errors import DataError
from assay.evaluate.target import as_target


@pytest.mark.parametrize(
    "y",
    [["b", None, "a"], pd.Series(["b", None, "a"]), pl.Series(["b", None, "a"]), pd.Categorical(["b", None, "a"]),
     np.array(["b", None, "a"], dtype=object), pd.Series(["b", pd.NA, "a"], dtype="string")],
    ids=lambda y: type(y).__name__,
)  # fmt: skip
def test_missing_labels_of_every_library_get_no_code(y):
    target = as_target(y, 3, "compare")
    assert target.codes.tolist() == [1, -1, 0] and target.labels.tolist() == ["a", "b"]
    assert target.labelled.tolist() == [True, False, True]


@pytest.mark.parametrize("y", [[1.0, np.nan, 0.0], [1, None, 0], pd.array([1, None, 0], dtype="Int64")])
def test_whole_numbers_with_missing_values_stay_whole(y):
    target = as_target(y, 3, "compare")
    assert target.labels.tolist() == [0, 1] and target.labels.dtype.kind == "i"
    assert target.codes.tolist() == [1, -1, 0]


def test_booleans_and_names():
    target = as_target(pd.Series([True, False, True], name="bought"), 3, "compare")
    assert target.name == "bought" and target.labels.tolist() == [False, True]


def test_what_is_no_class_is_refused_unless_one_only_describes():
    with pytest.raises(
        DataError, match="describe: rate holds 3 distinct numbers with fractions, expected classes"
    ):
        as_target(pd.Series([0.5, 1.5, 2.5], name="rate"), 3, "describe", task="classification")
    with pytest.raises(DataError, match="expected classes. Is it an identifier".replace(".", r"\.")):
        as_target([f"c{i}" for i in range(40)], 40, "compare")
    with pytest.raises(
        DataError, match="40 distinct numbers in 40 rows, but the learners or metrics that were named"
    ):
        as_target(list(range(40)), 40, "compare", of_learners="classification")
    with pytest.raises(DataError, match=r"its shape is \(2, 1\)"):
        as_target(np.zeros((2, 1)), 2, "compare")


@pytest.mark.parametrize(
    ("y", "task", "why"),
    [
        ([0.5, 1.5, 2.5, 0.5], "regression", "y holds 3 distinct numbers with fractions"),
        (list(range(25)), "regression", "y holds 25 distinct whole numbers"),
        ([1.0, 2.0, None, 3.0], "classification", ""),
        (list(range(15)) * 2, "classification", "y holds 15 distinct whole numbers"),
        ([True, False, True], "classification", ""),
        (["1.5", "2.5", "3.5"], "classification", ""),
        (pd.Categorical([1.5, 2.5, 1.5]), "classification", ""),
    ],
)
def test_the_kind_of_the_values_decides(y, task, why):
    target = as_target(y, len(y), "compare", name="y")
    assert (target.task, target.why) == (task, why)


def test_a_task_given_decides_and_learners_decide_about_numbers_alone():
    grades = [1, 2, 3, 3, 2]
    assert as_target(grades, 5, "compare", task="regression").numbers.tolist() == [1, 2, 3, 3, 2]
    assert as_target(grades, 5, "compare", of_learners="regression").task == "regression"
    assert (
        as_target(grades, 5, "compare", task="classification", of_learners="regression").task
        == "classification"
    )
    assert as_target(list("abcab"), 5, "compare", of_learners="regression").task == "classification"
    assert as_target(np.arange(90) % 30, 90, "compare", of_learners="classification").labels.size == 30


def test_numbers_that_cannot_be_predicted_are_refused_with_a_sentence():
    with pytest.raises(DataError, match="all rows of y have the value 3; there is nothing to predict"):
        as_target([3.0, 3.0, None], 3, "compare", name="y", task="regression")
    with pytest.raises(DataError, match="y is infinite in row 2; expected finite numbers"):
        as_target([1.5, np.inf, 2.5], 3, "compare", name="y")
    with pytest.raises(DataError, match="y holds text such as 'a', expected numbers for a regression"):
        as_target(["a", "b", "c"], 3, "compare", name="y", task="regression")
    missing = as_target([1.5, np.nan, 2.5], 3, "compare")
    assert missing.labelled.tolist() == [True, False, True] and np.isnan(missing.numbers[1])
    assert missing.take(np.array([0, 2])).numbers.tolist() == [1.5, 2.5]
