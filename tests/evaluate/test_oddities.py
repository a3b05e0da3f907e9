"""What is odd about columns and classes: each check finds what it is for, and stays silent without it."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from assay.evaluate import MajorityClassifier, diagnose
from assay.metrics.rates import accuracy_score, recall_score

rng = np.random.default_rng(0)
N = 100
Y = np.repeat(["no", "yes"], N // 2)
CLEAN = pd.DataFrame({"height": rng.normal(size=N), "colour": rng.choice(["red", "green", "blue"], size=N)})


def found(X, y=None, **settings):
    return {(f.code, f.column): f for f in diagnose(X, y, **settings)}


def codes(X, y=None, **settings):
    return {f.code for f in diagnose(X, y, **settings)}


def test_constant_columns():
    X = CLEAN.assign(unit="kg", year=2020, gap=[7.0, None] * (N // 2))
    said = found(X)
    assert {c for code, c in said if code == "constant-column"} == {"unit", "year", "gap"}
    assert said["constant-column", "unit"].sentence == (
        "column unit has one value only (kg): it tells nothing apart. Drop it."
    )


def test_missing_values_little_much_and_all():
    X = CLEAN.assign(
        few=[None, None] + [1.0, 2.0] * 49,
        most=[None] * 60 + [1.0, 2.0] * 20,
        none=pd.Series([None] * N, dtype=float),
    )
    said = found(X)
    assert said["missing-values", "few"].severity == "note"
    assert said["missing-values", "few"].sentence == "column few has 2 missing values of 100 (2.0%)."
    assert said["missing-values", "most"].severity == "warning"
    assert said["empty-column", "none"].severity == "warning"
    assert ("missing-values", "none") not in said and ("constant-column", "none") not in said


def test_identifiers_are_distinct_names_and_running_numbers():
    X = CLEAN.assign(
        name=[f"customer {i}" for i in range(N)], row=np.arange(1000, 1000 + N)[::-1], steps=np.arange(N) * 2
    )
    ids = {c for code, c in found(X, Y) if code == "identifier"}
    assert ids == {"name", "row"}  # even numbers may be a measurement
    assert "identifier" not in codes(X[["name"]][:9])  # nine names are no evidence


def test_dates_and_dates_as_text():
    day = dt.date(2024, 1, 1)
    when = pd.to_datetime([day + dt.timedelta(days=int(i)) for i in rng.integers(0, 30, size=N)])
    X = CLEAN.assign(when=when, text=[d.strftime("%d.%m.%Y") for d in when], iso=[str(d)[:10] for d in when])
    said = found(X)
    assert ("date", "when") in said
    assert ("date-as-text", "text") in said and ("date-as-text", "iso") in said
    assert ("date-as-text", "colour") not in said


def test_rare_classes_and_imbalance():
    y = np.array(["a"] * 90 + ["b"] * 7 + ["c"] * 3)
    said = found(CLEAN, y, folds=5)
    rare = said["rare-class", "class"]
    assert rare.severity == "warning" and rare.sentence.startswith("class c has 3 rows, fewer than 5 folds")
    assert said["imbalance", "class"].sentence.startswith(
        "classes are uneven: a has 90.0% of the rows, c 3.0%."
    )
    assert not {"rare-class", "imbalance"} & codes(CLEAN, np.array(["a"] * 70 + ["b"] * 30), folds=5)


def test_rows_without_a_class_are_counted():
    y = pd.Series(Y, name="bought", dtype=object)
    y[[3, 4]] = None
    said = found(CLEAN, y)["unlabelled-rows", "bought"]
    assert said.sentence.startswith("2 rows have no bought")


def test_many_rare_classes_are_told_in_one_sentence():
    rare = [f for f in diagnose(CLEAN, np.arange(N) % 25) if f.code == "rare-class"]
    assert [f.sentence.split(";")[0] for f in rare] == [
        "25 of 25 classes have fewer rows than 10 folds, such as 0 with 4"]  # fmt: skip


def test_numbers_that_floats_cannot_tell_apart():
    """40 different numbers, 21 different floats: nothing may be said of repeated rows."""
    X = pd.DataFrame({"card": 9007199254740993 + np.arange(40), "y": [1, 2] * 20})
    assert set(found(X)) == {("rounded-numbers", "card")}
    X["card"] = X["card"] % 1000
    assert "rounded-numbers" not in codes(X)
    assert "rounded-numbers" not in codes(pd.DataFrame({"far": [1e300, 2e300], "near": [1e17, 2.5]}))


@pytest.mark.capability("C3-55")
def test_ninety_nine_in_a_hundred():
    """99 % negative: always saying so has accuracy 0.99 and recall 0, and the table's imbalance is told."""
    y = np.repeat(["benign", "malignant"], [990, 10])
    X = np.random.default_rng(1).normal(size=(1000, 2))
    said = MajorityClassifier().fit(X, y).predict(X)
    assert accuracy_score(y, said) == 0.99 and recall_score(y, said, pos_label="malignant") == 0
    sentence = found(X, y)["imbalance", "class"].sentence
    assert sentence.startswith("classes are uneven: benign has 99.0% of the rows, malignant 1.0%.")
    assert "Answering benign always is right as often and finds no malignant" in sentence
    assert "imbalance" not in codes(X, np.tile(["benign", "malignant"], 500))
