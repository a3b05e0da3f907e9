"""Columns that know the class, and columns that are merely good."""

import numpy as np
import pandas as pd
import pytest

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


def test_a_disguise_with_several_steps_or_missing_values_is_seen_through():
    y = np.tile(np.repeat(["a", "b", "c"], 20), 2)
    level = np.tile(np.repeat([1.0, 2.0, 3.0], 20), 2) + np.repeat([0.0, 10.0], 60)
    assert "target-in-disguise" in codes({"level": level}, y)
    with_missing = np.where(y == "a", None, "there")
    assert "target-in-disguise" in codes(
        {"filled": with_missing, "x": rng.normal(size=120)}, np.where(y == "a", "a", "b")
    )


def test_many_categories_cannot_pass_for_a_leak_because_they_are_tested_on_other_rows():
    X = CLEAN.assign(place=[f"p{i // 2}" for i in range(N)])
    said = found(X.sample(frac=1, random_state=1).reset_index(drop=True), Y)
    assert ("target-in-disguise", "place") not in said
    assert said["many-categories", "place"].sentence == (
        "column place has 50 categories in 100 rows, 2.0 rows each. Join the rare ones."
    )
    assert "many-categories" not in codes(CLEAN)


def test_few_rows_do_not_make_a_leak():
    assert "target-in-disguise" not in codes({"x": [1.0, 2.0, 3.0, 4.0]}, ["a", "a", "b", "b"])


def test_the_class_by_other_names_is_told_with_its_names():
    X = CLEAN.assign(status=np.where(Y == "yes", "closed", "open"), again=Y)
    said = found(X, pd.Series(Y, name="churn"))
    assert said["target-in-disguise", "status"].sentence.startswith(
        "column status is churn by other names (closed = yes, open = no) and alone tells the classes apart in 100.0%"
    )
    assert said["target-in-disguise", "again"].sentence.startswith(
        "column again is a copy of churn and alone"
    )


def test_a_column_filled_in_when_the_class_is_known():
    reason = np.where((Y == "yes") & (rng.random(N) < 0.7), rng.choice(["price", "service"], N), None)
    said = found(CLEAN.assign(reason=reason), Y)["missing-tells-class", "reason"]
    n = int((reason != None).sum())  # noqa: E711
    assert said.severity == "warning"
    assert said.sentence.startswith(f"all of {n} rows with a value of reason have the class yes, which 50.0%")
    gone = np.where(Y == "no", np.where(rng.random(N) < 0.6, np.nan, 1.5), rng.normal(size=N))
    said = found(CLEAN.assign(gone=gone), Y)["missing-tells-class", "gone"]
    assert "rows without a value of gone have the class no" in said.sentence


def test_life_boats():
    """Known of nearly all who survived and of hardly anybody else, as in the Titanic's passenger list."""
    draw = np.random.default_rng(0)
    survived = (draw.random(1300) < 0.38).astype(int)
    boat = np.where(draw.random(1300) < np.where(survived, 0.97, 0.01), draw.choice(list("ABCD"), 1300), None)
    said = found({"boat": boat, "age": draw.normal(30, 10, 1300)}, survived)["missing-tells-class", "boat"]
    assert (
        said.sentence.startswith("nearly all of ")
        and "rows with a value of boat have the class 1" in said.sentence
    )


def test_missing_values_by_chance_tell_nothing():
    X = CLEAN.assign(reason=np.where(rng.random(N) < 0.4, None, "price"), few=np.r_[[None] * 5, np.ones(95)])
    assert "missing-tells-class" not in codes(X, Y)  # five rows are no evidence


@pytest.mark.parametrize("classes", [2, 3])
def test_averages_of_the_class_over_all_rows(classes):
    city = np.random.default_rng(2).integers(0, 30, size=600)
    y = np.random.default_rng(3).integers(0, classes, size=600)
    share = np.array([np.mean(y[city == c] == classes - 1) for c in range(30)])
    said = found({"city_mean": share[city], "x": np.random.default_rng(4).normal(size=600)}, y)
    assert ("target-coded", "city_mean") in said
    assert f"exactly the share of {classes - 1} among them" in said["target-coded", "city_mean"].sentence
    half = np.arange(600) % 2 == 0  # averages of other rows, as inside a fold, are no leak
    other = np.array([np.mean(y[half & (city == c)] == classes - 1) for c in range(30)])
    assert "target-coded" not in codes({"city_mean": other[city]}, y)
    assert "target-coded" not in codes({"p": np.round(np.random.default_rng(5).random(600), 1)}, y)


def test_a_name_that_speaks_of_the_class_must_also_know_it():
    y = pd.Series(Y, name="default")
    late = np.where((Y == "yes") ^ (rng.random(N) < 0.05), rng.integers(30, 90, N), rng.integers(0, 20, N))
    said = found(CLEAN.assign(days_to_default=late, default_limit=rng.normal(size=N)), y)
    assert {c for code, c in said if code == "named-like-target"} == {"days_to_default"}
    assert "lowers the error from 50.0% to" in said["named-like-target", "days_to_default"].sentence
    assert "named-like-target" not in codes(CLEAN.assign(lateness=late), y)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_german_credit])
def test_good_columns_of_respectable_data_are_no_leak(load):
    data = load()
    leaks = {"target-in-disguise", "missing-tells-class", "target-coded", "named-like-target"}
    assert not leaks & codes(data.X, data.y)
