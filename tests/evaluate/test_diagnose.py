"""Each check finds what it is for, and stays silent without it."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

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


def test_an_identifier_is_not_also_called_a_leak_or_too_many_categories():
    X = CLEAN.assign(row=np.arange(N), name=[f"n{i}" for i in range(N)])  # rows are sorted by class
    assert {code for code, column in found(X, Y) if column in ("row", "name")} == {"identifier"}


def test_a_column_that_is_the_target_in_disguise():
    X = CLEAN.assign(
        closed=np.where(Y == "yes", "repaid", "default"),
        code=np.where(Y == "yes", 5.0, 3.0) + rng.normal(scale=0.1, size=N),
        half=np.where((Y == "yes") ^ (rng.random(N) < 0.1), 1.0, 0.0),
    )
    leaks = {c for code, c in found(X, Y) if code == "target-in-disguise"}
    assert leaks == {"closed", "code"}  # nine of ten is only a good column
    assert (
        "tells the classes apart in 100.0% of the rows"
        in found(X, Y)["target-in-disguise", "closed"].sentence
    )


def test_a_disguise_with_several_steps_or_holes_is_seen_through():
    y = np.tile(np.repeat(["a", "b", "c"], 20), 2)
    level = np.tile(np.repeat([1.0, 2.0, 3.0], 20), 2) + np.repeat([0.0, 10.0], 60)
    assert "target-in-disguise" in codes({"level": level}, y)
    holes = np.where(y == "a", None, "there")
    assert "target-in-disguise" in codes(
        {"filled": holes, "x": rng.normal(size=120)}, np.where(y == "a", "a", "b")
    )


def test_many_categories_cannot_pass_for_a_leak_because_they_are_tested_on_other_rows():
    X = CLEAN.assign(place=[f"p{i // 2}" for i in range(N)])
    said = found(X.sample(frac=1, random_state=1).reset_index(drop=True), Y)
    assert ("target-in-disguise", "place") not in said
    assert said["many-categories", "place"].sentence == (
        "column place has 50 categories in 100 rows, 2.0 rows each; join the rare ones."
    )
    assert "many-categories" not in codes(CLEAN)


def test_dates_and_dates_as_text():
    day = dt.date(2024, 1, 1)
    when = pd.to_datetime([day + dt.timedelta(days=int(i)) for i in rng.integers(0, 30, size=N)])
    X = CLEAN.assign(when=when, text=[d.strftime("%d.%m.%Y") for d in when], iso=[str(d)[:10] for d in when])
    said = found(X)
    assert ("date", "when") in said
    assert ("date-as-text", "text") in said and ("date-as-text", "iso") in said
    assert ("date-as-text", "colour") not in said


def test_repeated_rows_and_contradictions():
    X = pd.concat([CLEAN, CLEAN[:10]], ignore_index=True)
    said = found(X, np.concatenate([Y, Y[:10]]))
    assert said["duplicate-rows", ""].sentence.startswith("10 rows repeat another one")
    assert said["duplicate-rows", ""].severity == "warning" and ("contradictions", "") not in said
    said = found(X, np.concatenate([Y, ["yes"] * 4, Y[4:10]]))
    assert said["contradictions", ""].sentence.startswith("4 rows must be classified wrongly")
    one = found(pd.concat([CLEAN, CLEAN[:1]], ignore_index=True))
    assert (
        one["duplicate-rows", ""].severity == "note" and "1 row repeats" in one["duplicate-rows", ""].sentence
    )


def test_equal_rows_are_found_although_they_have_holes_or_a_row_number():
    X = pd.DataFrame({"a": [1.0, None, None] * 10, "row": np.arange(30)})
    assert found(X)["duplicate-rows", ""].sentence.startswith("28 rows repeat")


@given(
    arrays(np.int8, st.tuples(st.integers(2, 40), st.integers(1, 4)), elements=st.integers(-1, 1)), st.data()
)
@settings(deadline=None, max_examples=40)
def test_repeated_rows_are_counted_exactly(block, data):
    X = np.where(block == -1, np.nan, block * 0.1)
    X[data.draw(st.integers(0, len(X) - 1))] *= -1.0  # minus zero is zero
    distinct = len({tuple(None if np.isnan(v) else v + 0.0 for v in row) for row in X.tolist()})
    said = [f.sentence for f in diagnose(X) if f.code == "duplicate-rows"]
    assert [int(text.split()[0]) for text in said] == ([len(X) - distinct] if distinct < len(X) else [])


def test_one_class_is_an_error_and_comes_first():
    said = diagnose(CLEAN.assign(unit="kg"), ["yes"] * N)
    assert [f.severity for f in said] == ["error", "warning"]
    assert said[0].code == "one-class" and "has the class yes" in said[0].sentence


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


def test_a_sparse_matrix_is_asked_about_its_classes_only():
    said = diagnose(csr_array(np.eye(40)), ["a"] * 37 + ["b"] * 3)
    assert {f.code for f in said} == {"rare-class", "imbalance"}


def test_few_rows_do_not_make_a_leak():
    assert "target-in-disguise" not in codes({"x": [1.0, 2.0, 3.0, 4.0]}, ["a", "a", "b", "b"])


def test_copies_are_copies_but_for_the_names_of_rows():
    X = pd.DataFrame({"id": np.arange(40), "a": [1, 2] * 20})
    assert "in every column but id;" in found(X)["duplicate-rows", ""].sentence
    X["name"] = [f"n{i}" for i in range(40)]
    assert "in every column but the 2 that name the rows;" in found(X)["duplicate-rows", ""].sentence


def test_a_measured_target_is_one_error_and_no_warning_of_a_tree():
    y = np.random.default_rng(5).normal(size=N)
    assert [f.code for f in diagnose(CLEAN, y)] == ["measured-target"]
    assert "100 distinct numbers with fractions" in found(CLEAN, y)["measured-target", "class"].sentence
    assert "measured-target" in codes(csr_array(CLEAN[["height"]].to_numpy()), y)
    assert "target-in-disguise" not in codes(CLEAN, np.arange(N))
    assert "measured-target" not in codes(CLEAN, np.repeat([1.0, 2.0], N // 2))


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
