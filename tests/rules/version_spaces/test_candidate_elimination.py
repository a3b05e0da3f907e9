"""Candidate elimination: the same sets in any order, doubt, and rows that contradict the others."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import DataError, DegenerateError, ParameterError, SchemaError
from assay.rules.version_spaces.candidate_elimination import CandidateElimination
from assay.rules.version_spaces.version_space import VersionSpace

CARS = np.array([[3, 3], [4, 5], [6, 4], [5, 6], [1, 4], [8, 5], [4, 1], [5, 9], [8, 8], [7, 7.5]], float)
KIND = np.array([1] * 4 + [0] * 6)

# The days of the concept "enjoys the swim" of Mitchell's book, with all categories declared.
DAYS = pd.DataFrame(
    {
        "sky": pd.Categorical(["sunny", "sunny", "rainy", "sunny"], ["sunny", "cloudy", "rainy"]),
        "air": pd.Categorical(["warm", "warm", "cold", "warm"], ["warm", "cold"]),
        "humidity": pd.Categorical(["normal", "high", "high", "high"], ["normal", "high"]),
        "wind": pd.Categorical(["strong"] * 4, ["strong", "weak"]),
        "water": pd.Categorical(["warm", "warm", "warm", "cool"], ["warm", "cool"]),
        "forecast": pd.Categorical(["same", "same", "change", "change"], ["same", "change"]),
    }
)
SWIM = np.array(["yes", "yes", "no", "yes"])


def told(space):
    return {space.specific.words(space.schema)}, {G.words(space.schema) for G in space.general}


@pytest.mark.capability("IML-2-05")
@settings(max_examples=25, deadline=None)
@given(st.permutations(range(10)))
def test_any_order_of_the_nine_points_and_the_near_miss_gives_the_same_sets(order):
    model = CandidateElimination(positive=1)
    for i in order:
        model.partial_fit(CARS[[i]], KIND[[i]], classes=[0, 1])
    assert told(model.version_spaces_[0]) == (
        {"3 <= x0 <= 6 AND 3 <= x1 <= 6"},
        {"1 < x0 < 7 AND 1 < x1 < 9", "1 < x0 < 8 AND 1 < x1 < 7.5"},
    )
    assert model.version_spaces_ == CandidateElimination(positive=1).fit(CARS, KIND).version_spaces_


@pytest.mark.capability("IML-2-05")
def test_the_sets_after_each_day_of_the_swim():
    """Mitchell's trace: S and G after each of the four days."""
    model = CandidateElimination(positive="yes")
    traced = []
    for i in range(4):
        model.partial_fit(DAYS.iloc[[i]], SWIM[[i]], classes=["no", "yes"])
        traced.append(told(model.version_spaces_[0]))
    two = "sky = 'sunny' AND air = 'warm' AND wind = 'strong' AND water = 'warm' AND forecast = 'same'"
    assert traced[1] == ({two}, {"anything"})
    assert traced[2] == ({two}, {"sky = 'sunny'", "air = 'warm'", "forecast = 'same'"})
    assert traced[3] == (
        {"sky = 'sunny' AND air = 'warm' AND wind = 'strong'"},
        {"sky = 'sunny'", "air = 'warm'"},
    )
    assert_array_equal(
        model.predict_proba(DAYS.assign(wind=["weak", "strong", "weak", "strong"]))[:, 1], [0.5, 1, 0, 1]
    )


@pytest.mark.capability("IML-2-05")
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["value", "set"]))
def test_row_by_row_in_any_order_gives_the_sets_of_all_rows_at_once(seed, nominal):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 20))
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 6, n).astype(float),
            "b": pd.Categorical.from_codes(rng.integers(0, 3, n), ["p", "q", "r"]),
            "c": pd.Categorical.from_codes(rng.integers(0, 2, n), ["s", "t"]),
            "d": rng.integers(0, 4, n).astype(float),
        }
    )
    y = ((X["a"] > 1) & (X["b"] != "r") & (X["d"] < 3)).to_numpy().astype(int)
    if nominal == "value":
        y = y & (X["b"] == "p").to_numpy()
    if not y.any():
        return
    batch = VersionSpace.of(X, y, positive=1, nominal=nominal)
    model = CandidateElimination(positive=1, nominal=nominal)
    for i in rng.permutation(n):
        model.partial_fit(X.iloc[[i]], y[[i]], classes=[0, 1])
    space = model.version_spaces_[0]
    assert space.specific == batch.specific and model.conflicts_ == [[]]
    assert set(space.general) == set(batch.general) and len(space.general) == len(batch.general)


def test_without_a_positive_row_nothing_is_sure_to_be_positive():
    model = CandidateElimination(positive=1).partial_fit([[2.0], [5.0]], [0, 0], classes=[0, 1])
    space = model.version_spaces_[0]
    assert space.specific.empty and told(space)[1] == {"x0 < 2", "2 < x0 < 5", "x0 > 5"}
    assert_array_equal(model.predict_proba([[1.0], [2.0]])[:, 1], [0.5, 0])


@pytest.mark.capability("IML-2-04")
def test_doubt_is_refused_or_believed_by_half():
    model = CandidateElimination(positive=1, decision="reject").fit(CARS, KIND)
    rows = [[4, 4], [7, 7], [9, 4]]
    assert model.predict(rows).tolist() == [1, "reject", 0]
    assert_array_equal(model.doubt(rows), [False, True, False])
    assert_allclose(model.predict_proba(rows)[:, 1], [1, 0.5, 0])
    assert_array_equal(model.membership(rows)[:, 0], [1, 0.5, 0])
    text = str(model.explain([[7, 7]]))
    assert "in doubt" in text and "1 < x0 < 8 AND 1 < x1 < 7.5" in text


def test_a_space_for_each_class():
    X, y = [[0.0], [1.0], [4.0], [5.0], [9.0], [10.0]], list("aabbcc")
    model = CandidateElimination(decision="reject").fit(X, y)
    assert model.predict([[0.5], [2.0], [4.5], [7.0], [9.5]]).tolist() == ["a", "reject", "b", "reject", "c"]
    assert_allclose(model.predict_proba([[2.0], [4.5]]), [[0.5, 0.5, 0], [0, 1, 0]])
    assert [told(s)[1] for s in model.version_spaces_] == [{"x0 < 4"}, {"1 < x0 < 9"}, {"x0 > 5"}]


def test_rows_that_contradict_are_recorded_or_refused():
    X, y = [[1.0], [5.0], [3.0]], ["yes", "yes", "no"]
    model = CandidateElimination(positive="yes").fit(X, y)
    assert model.conflicts_ == [[2]] and "left aside: 2" in str(model)
    with pytest.raises(DegenerateError, match="row 3 lies in S, though it is not yes"):
        CandidateElimination(positive="yes", noise="raise").fit(X, y)
    late = CandidateElimination(positive="yes", noise="raise").partial_fit(
        X[::2], y[::2], classes=["no", "yes"]
    )
    with pytest.raises(DegenerateError, match="row 1 lies outside all general boxes, though it is yes"):
        late.partial_fit(X[1:2], y[1:2])
    other = CandidateElimination(positive="yes").partial_fit(X[::2], y[::2], classes=["no", "yes"])
    assert other.partial_fit(X[1:2], y[1:2]).conflicts_ == [[2]]


def test_rows_without_weight_are_not_looked_at():
    with_zero = CandidateElimination(positive=1).fit(CARS, KIND, sample_weight=np.append(np.ones(9), 0))
    assert (
        with_zero.version_spaces_ == CandidateElimination(positive=1).fit(CARS[:9], KIND[:9]).version_spaces_
    )
    parts = CandidateElimination(positive=1).partial_fit(CARS, KIND, [0, 1], np.append(np.ones(9), 0))
    assert parts.version_spaces_ == with_zero.version_spaces_


def test_what_it_cannot_do_is_said():
    with pytest.raises(DataError, match="Leave positive out"):
        CandidateElimination(positive="a").fit([[1], [2], [3]], list("abc"))
    with pytest.raises(ParameterError, match="classes must be passed"):
        CandidateElimination().partial_fit([[1.0]], ["a"])
    with pytest.raises(ParameterError, match="not the same as on last call"):
        CandidateElimination().partial_fit([[1.0]], ["a"], ["a", "b"]).partial_fit([[1.0]], ["a"], ["a", "c"])
    with pytest.raises(ParameterError, match="name of a class"):
        CandidateElimination(decision="reject").fit([[1.0], [2.0]], ["reject", "b"])
    model = CandidateElimination().partial_fit(pd.DataFrame({"c": ["u", "v"]}), ["a", "b"], ["a", "b"])
    with pytest.raises(SchemaError, match="categories that the first rows lacked"):
        model.partial_fit(pd.DataFrame({"c": ["w"]}), ["a"])
    X = np.random.default_rng(0).normal(size=(60, 10))
    y = (np.abs(X) < 1.5).all(axis=1).astype(int)
    with pytest.raises(DegenerateError, match="more than 50 most general boxes"):
        CandidateElimination(limit=50).fit(X, y)
    with pytest.raises(DegenerateError, match="more than 50 most general boxes"):
        CandidateElimination(limit=50).partial_fit(X, y, [0, 1])


def test_rows_of_weight_zero_are_not_looked_at_even_if_all_are():
    model = CandidateElimination(positive=1).partial_fit([[1.0], [5.0]], [1, 0], classes=[0, 1])
    before = str(model)
    model.partial_fit([[3.0], [4.0]], [1, 1], sample_weight=[0.0, 0.0])
    assert str(model) == before and model.class_weight_sums_.tolist() == [1, 1] and model.n_seen_ == 4
