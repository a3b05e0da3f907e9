"""Copies, groups and times on both sides of a split."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.model_selection import GroupKFold, KFold

from assay.errors import ParameterError
from assay.evaluate import Resampling, diagnose

rng = np.random.default_rng(0)
N = 100
Y = np.repeat(["no", "yes"], N // 2)
CLEAN = pd.DataFrame({"height": rng.normal(size=N), "colour": rng.choice(["red", "green", "blue"], size=N)})


def found(X, y=None, **settings):
    return {(f.code, f.column): f for f in diagnose(X, y, **settings)}


def codes(X, y=None, **settings):
    return {f.code for f in diagnose(X, y, **settings)}


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


def test_equal_rows_are_found_although_they_have_missing_values_or_a_row_number():
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


def test_copies_are_copies_but_for_the_names_of_rows():
    X = pd.DataFrame({"id": np.arange(40), "a": [1, 2] * 20})
    assert "in every column but id;" in found(X)["duplicate-rows", ""].sentence
    X["name"] = [f"n{i}" for i in range(40)]
    assert "in every column but the 2 that name the rows;" in found(X)["duplicate-rows", ""].sentence


@pytest.mark.parametrize("design", ["5-fold", "holdout", "leave-one-out", "4x3"])
def test_test_rows_with_a_copy_in_training_are_counted(design):
    """Twin: each test row is looked up among its training rows."""
    X = pd.concat([CLEAN, CLEAN[:30]], ignore_index=True)
    y = np.concatenate([Y, Y[:30]])
    seen = tested = 0
    for split in Resampling.of(design).splits((y == "yes").astype(int)):
        if split.repetition == 0:
            taught = {tuple(row) for row in X.iloc[split.train].to_numpy().tolist()}
            seen += sum(tuple(row) in taught for row in X.iloc[split.test].to_numpy().tolist())
            tested += len(split.test)
    said = found(X, y, design=design)["duplicate-rows", ""]
    name = Resampling.of(design).name
    assert (
        f"in {name}, {seen} of {tested} test rows ({seen / tested:.1%}) have a copy in training"
        in said.sentence
    )
    assert said.severity == "warning"


def test_copies_that_stay_together_do_no_harm():
    X = pd.concat([CLEAN, CLEAN[:30]], ignore_index=True)
    y, who = np.concatenate([Y, Y[:30]]), np.r_[np.arange(N), np.arange(30)]
    said = found(X, y, groups=who)["duplicate-rows", ""]
    assert said.severity == "note" and "none of them is both in training and in test rows" in said.sentence


def test_equal_rows_of_few_categories_may_be_chance():
    X = pd.DataFrame({"a": rng.choice(list("xyz"), N), "b": rng.choice(list("xyz"), N)})
    said = found(X, Y)["duplicate-rows", ""]
    assert said.severity == "note" and "may be chance" in said.sentence


def patients(per=5, count=60, seed=1):
    """Patients with one class each, and as many rows."""
    draw = np.random.default_rng(seed)
    who = np.repeat(draw.permutation(10_000)[:count], per)
    sick = np.repeat(draw.integers(0, 2, count), per)
    mixed = draw.permutation(len(who))
    return who[mixed], sick[mixed], draw.normal(size=len(who))


def test_a_column_that_names_patients():
    who, sick, x = patients()
    for column in (who, np.char.add("p", who.astype(str))):
        said = found({"patient_id": column, "x": x}, sick)["group-straddles", "patient_id"]
        assert said.severity == "warning"
        assert "rows of one patient_id have the same class in 100.0% of pairs" in said.sentence
        assert "groups=" in said.sentence
    assert (
        found({"ward": np.char.add("w", who.astype(str)), "x": x}, sick)["group-straddles", "ward"].severity
        == "note"
    )
    assert ("group-straddles", "code") in found({"code": who, "x": x}, sick)


def test_no_group_is_seen_in_measurements_categories_and_constant_sizes():
    who, sick, x = patients()
    draw = np.random.default_rng(2)
    tall = np.round(170 + 10 * sick + draw.normal(size=len(sick)))  # tells the class well, as a number
    plain = {
        "height": tall,
        "age": draw.integers(20, 80, len(sick)),
        "town": draw.choice(list("abcdefghijkl"), len(sick)),
    }
    assert "group-straddles" not in codes(plain | {"x": x}, sick)
    assert "group-straddles" not in codes(
        {"ward": np.char.add("w", who.astype(str))}, draw.integers(0, 2, len(who))
    )


def test_groups_that_are_given_are_only_asked_whether_splits_tear_them():
    who, sick, x = patients()
    table = {"patient_id": who, "x": x}
    assert not {"group-straddles", "groups-torn"} & codes(table, sick, groups=who)
    assert not {"groups-torn"} & codes(table, sick, groups=who, design=GroupKFold(5))
    torn = found(table, sick, groups=who, design=KFold(5, shuffle=True, random_state=0))["groups-torn", ""]
    assert torn.severity == "warning" and "of 300 test rows" in torn.sentence


def over_time(drift, n=600, seed=3):
    draw = np.random.default_rng(seed)
    when = pd.Timestamp("2020-01-01") + pd.to_timedelta(draw.integers(0, 1000, n), "D")
    late = (when - when.min()).days / 1000
    y = draw.random(n) < (0.2 + 0.6 * late if drift else 0.5)
    return pd.DataFrame({"when": when, "x": draw.normal(size=n)}), y.astype(int)


def test_classes_that_change_with_time():
    X, y = over_time(drift=True)
    said = found(X, y)["time-straddles", "when"]
    assert said.severity == "warning" and 'design="5-time", times=when' in said.sentence
    assert not {"time-straddles", "date"} & codes(X, y, design="5-time")
    assert not {"time-straddles", "date"} & codes(X, y, times=X["when"])


def test_runs_of_one_class_in_time_are_told_as_such():
    X, _ = over_time(drift=False)
    order = np.argsort(X["when"].to_numpy(), kind="stable")
    y = np.empty(600, dtype=int)
    y[order] = np.arange(600) // 30 % 2
    assert (
        "rows that follow each other share their class in" in found(X, y)["time-straddles", "when"].sentence
    )


def test_dates_without_a_trend_are_a_note_and_running_numbers_need_a_name():
    X, y = over_time(drift=False)
    assert "time-straddles" not in codes(X, y) and found(X, y)["date", "when"].severity == "note"
    X, y = over_time(drift=True)
    days = np.sort((X["when"] - X["when"].min()).dt.days.to_numpy())
    y = (np.random.default_rng(0).random(600) < 0.2 + 0.6 * days / 1000).astype(int)
    assert "time-straddles" in codes({"time": days, "x": X["x"]}, y)
    assert "time-straddles" not in codes({"dose": days, "x": X["x"]}, y)
    mixed = np.random.default_rng(1).permutation(600)  # a duration called time, in no order
    assert "time-straddles" not in codes({"time": days[mixed], "x": X["x"]}, y[mixed])


def test_given_splits_count_rows_as_they_came_although_some_have_no_class():
    X = pd.concat([CLEAN, CLEAN[:10]], ignore_index=True)
    y = pd.Series(np.concatenate([Y, Y[:10]]), dtype=object)
    y[[20, 21]] = None
    said = found(X, y, design=[(np.arange(100), np.arange(100, 110))])["duplicate-rows", ""]
    assert "10 of 10 test rows (100.0%) have a copy in training" in said.sentence


def test_times_ask_for_a_design_in_time_and_groups_for_groups():
    X = pd.concat([CLEAN, CLEAN[:10]], ignore_index=True)
    y = np.tile(["no", "yes"], 55)
    assert "in 5-time, 10 of" in found(X, y, times=np.arange(110))["duplicate-rows", ""].sentence
    with pytest.raises(ParameterError, match="leave-one-group-out needs groups="):
        diagnose(X, y, design="leave-one-group-out")


def test_as_many_equal_rows_as_chance_makes_are_no_warning():
    """Whole years and a sex, 1000 rows: most agree with another by chance. Copies are another thing."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"years": np.round(rng.normal(50, 10, 1000)), "sex": rng.choice(["f", "m"], 1000)})
    said = found(X, rng.integers(0, 2, 1000))["duplicate-rows", ""]
    assert said.severity == "note" and "may be chance" in said.sentence
    X["weight"] = rng.normal(size=1000)
    X = pd.concat([X, X[:100]])
    assert found(X, rng.integers(0, 2, 1100))["duplicate-rows", ""].severity == "warning"
