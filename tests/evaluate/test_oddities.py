"""What is odd about columns and classes: each check finds what it is for, and stays silent without it."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from assay.baselines import MajorityClassifier
from assay.evaluate import diagnose
from assay.metrics.rates import accuracy_score, recall_score
from assay.tables import Table, clean

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
    rare = [f for f in diagnose(CLEAN, [f"c{i % 25}" for i in range(N)]) if f.code == "rare-class"]
    assert [f.sentence.split(";")[0] for f in rare] == [
        "25 of 25 classes have fewer rows than 10 folds, such as c0 with 4"]  # fmt: skip


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


DISGUISED = pd.DataFrame(
    {
        "price": [f"${1000 + 17 * i:,}.15" for i in range(N)],
        "share": [f"{i / 2}%" for i in range(N)],
        "age": ["unknown" if i % 9 == 0 else str(20 + i % 60) for i in range(N)],
        "when": [f"{1 + i % 28:02d}.01.2020 00:00" for i in range(N)],
        "us": [f"01/{1 + i % 12:02d}/2020" for i in range(N)],
        "answer": ["Yes", "yes", "YES ", "no"] * (N // 4),
    }
)


def test_text_that_means_something_else_is_described_rightly():
    said = found(DISGUISED)
    assert said["number-as-text", "price"].sentence == (
        "column price holds numbers with $ and thousands separators as text ($1,000.15); each number counts as a "
        "category of its own. Have it cleaned: read_table(..., clean=['price']) or assay.tables.clean(frame)."
    )
    assert (
        said["number-as-text", "price"].said("command line").endswith("Have it cleaned with --clean price.")
    )
    assert "numbers with percent signs as text (0.0%)" in said["number-as-text", "share"].fact
    assert "holds numbers as text (20), except 'unknown' in 12 rows" in said["number-as-text", "age"].fact
    assert "holds dates as text (01.01.2020 00:00)" in said["date-as-text", "when"].fact
    assert "whether the day or the month comes first" in said["date-as-text", "us"].fact
    assert (
        "differ in capitals or spaces inside and spaces around them only"
        in said["spelling-variants", "answer"].fact
    )
    assert not {code for code, _ in said} & {"many-categories", "identifier"}


def test_the_advice_works():
    cleaned, _ = clean(DISGUISED, day_first=True)
    assert not {c for c, _ in found(cleaned)} & {"number-as-text", "date-as-text", "spelling-variants"}
    assert Table.of(cleaned).schema["price"].kind == "numeric"


def test_classes_in_several_spellings():
    said = found(CLEAN, np.array(["Yes", "yes", "no", "No "] * (N // 4)))
    assert said["spelling-variants", "class"].fact.startswith("class has classes that differ in capitals")
    assert "spelling-variants" not in codes(CLEAN, Y)


def test_identifiers_that_repeat_a_little():
    ids = [f"C{i % 90:05d}" for i in range(N)]
    said = found(
        CLEAN.assign(customer=ids, order_id=rng.permutation(np.arange(N) * 7 + 1000), income=np.arange(N) * 7)
    )
    assert {c for code, c in said if code == "identifier"} == {"customer", "order_id"}
    assert said["identifier", "customer"].sentence == (
        "column customer has 90 different values in 100 rows: it names things rather than describing them, and cannot "
        "help with new ones. Drop it; if rows of one value belong together, keep them in one fold with groups=."
    )
    assert "--drop customer, or keep rows of one value in one fold with --group customer." in said[
        "identifier", "customer"
    ].said("command line")
    assert ("many-categories", "customer") not in said


def test_a_category_of_punctuation_may_stand_for_missing_values():
    frame = pd.DataFrame(
        {"job": ["cook", "-", "clerk", "-"] * 5, "sign": ["+", "-"] * 10, "two": ["a", "-"] * 10}
    )
    marks = [f for f in diagnose(frame) if f.code == "missing-mark"]
    assert [f.column for f in marks] == ["job"] and "'-' in 10 rows" in marks[0].fact
    assert "read_table(..., na='-')" in marks[0].sentence and marks[0].said("command line").endswith(
        "add --na=-."
    )


def test_two_codes_are_categories_as_well_as_numbers():
    frame = pd.DataFrame({"sex": ["1", "2"] * 20, "price": [f"${i}.50" for i in range(40)]})
    codes = {(f.code, f.column) for f in diagnose(frame)}
    assert ("number-as-text", "sex") not in codes and ("number-as-text", "price") in codes
