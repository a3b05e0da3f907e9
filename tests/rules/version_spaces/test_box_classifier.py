"""Boxes around classes: which box, whose answer, and doubt."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

from assay.errors import DataError, DegenerateError, ParameterError
from assay.rules.version_spaces.box_classifier import BoxClassifier, reachable
from assay.rules.version_spaces.version_space import VersionSpace
from assay.tables import Column, Schema, Table

# IML 2.1
CARS = np.array([[3, 3], [4, 5], [6, 4], [5, 6], [1, 4], [8, 5], [4, 1], [5, 9], [8, 8]], float)
KIND = np.array(["family"] * 4 + ["other"] * 5)


@pytest.mark.capability("IML-2-01", "IML-2-02", "IML-2-03")
@pytest.mark.parametrize(
    ("hypothesis", "text"),
    [
        ("specific", "3 <= x0 <= 6 AND 3 <= x1 <= 6"),
        ("general", "1 < x0 < 8 AND 1 < x1 < 9"),
        ("middle", "2 <= x0 <= 7 AND 2 <= x1 <= 7.5"),
    ],
)
def test_the_three_boxes_of_the_nine_points(hypothesis, text):
    model = BoxClassifier(hypothesis, positive="family").fit(CARS, KIND)
    assert str(model) == f"R1: IF {text} THEN family\nELSE other"
    assert model.score(CARS, KIND) == 1
    assert model.rules_[0].counts == (4, 0)


@pytest.mark.capability("IML-2-03")
def test_margins_and_support_of_the_middle_box():
    """Left, right and bottom 1, top 1.5; (4, 5) and (8, 8) define no side."""
    model = BoxClassifier(positive="family").fit(CARS, KIND)
    assert model.margins_ == [{"x0": (1.0, 1.0), "x1": (1.0, 1.5)}]
    assert_array_equal(model.support_[0], [0, 2, 3, 4, 5, 6, 7])
    again = BoxClassifier(positive="family").fit(CARS[model.support_[0]], KIND[model.support_[0]])
    assert str(again) == str(model)


@pytest.mark.capability("IML-2-03")
@pytest.mark.parametrize(("fn", "fp", "tau"), [(1, 1, 0.5), (3, 1, 0.75), (1, 3, 0.25)])
def test_costly_false_positives_move_the_box_towards_s(fn, fp, tau):
    """IML 2.10, exercise 3: tau = cFN / (cFN + cFP)."""
    model = BoxClassifier(positive="family", cost_fn=fn, cost_fp=fp).fit(CARS, KIND)
    c = model.rules_[0].conditions[0]
    assert_allclose([c.low, c.high], [3 - 2 * tau, 6 + 2 * tau])


@pytest.mark.capability("IML-2-04")
def test_rows_between_s_and_g_are_refused():
    model = BoxClassifier(positive="family", decision="reject").fit(CARS, KIND)
    rows = [[4, 4], [7, 7], [2, 2], [9, 4], [8, 4]]
    assert model.predict(rows).tolist() == ["family", "reject", "reject", "other", "other"]
    assert_array_equal(model.doubt(rows), [False, True, True, False, False])
    with pytest.raises(ParameterError, match="Fit with decision='reject'"):
        BoxClassifier(positive="family").fit(CARS, KIND).doubt(rows)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["set", "value"]))
def test_doubt_without_a_list_of_general_boxes_is_doubt_with_it(seed, nominal):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 6, 16).astype(float),
            "b": pd.Categorical.from_codes(rng.integers(0, 3, 16), ["p", "q", "r"]),
            "c": rng.integers(0, 6, 16).astype(float),
        }
    )
    y = ((X["a"] > 1) & (X["b"] != "r") & (X["c"] < 4)).to_numpy().astype(int)
    if not y[:8].any():
        return
    space = VersionSpace.of(X.iloc[:8], y[:8], positive=1, nominal=nominal)
    if space.empty:
        return
    block = np.column_stack([X["a"], X["b"].cat.codes, X["c"]]).astype(float)
    some = space.specific.covers(block) | reachable(
        block, space.specific, block[:8][y[:8] == 0], space.schema, nominal
    )
    assert_array_equal(space.membership(X) > 0, some)


def test_a_category_that_stands_for_any_other_leaves_no_doubt():
    """With one category or any, a box for a and b is a box for all; and c is negative."""
    X = pd.DataFrame({"k": pd.Categorical(["a", "c"], ["a", "b", "c"])})
    asked = pd.DataFrame({"k": pd.Categorical(["b"], ["a", "b", "c"])})
    text = {
        nominal: BoxClassifier(positive="yes", nominal=nominal, decision="reject")
        .fit(X, ["yes", "no"])
        .predict(asked)[0]
        for nominal in ("set", "value")
    }
    assert text == {"set": "reject", "value": "no"}


@pytest.mark.capability("IML-2-03")
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["set", "value"]))
def test_the_support_rows_alone_give_the_same_box(seed, nominal):
    """Also where S admits any category: then some rows are needed to say so."""
    rng = np.random.default_rng(seed)
    X = Table(
        np.column_stack([rng.integers(0, 3, 9), rng.integers(0, 5, 9), rng.integers(0, 3, 9)]).astype(float),
        Schema([Column("k", "nominal", tuple("abc")), Column("x"), Column("m", "nominal", tuple("abc"))]),
        True,
    )
    y = rng.integers(0, 2, 9)
    y[:2] = 0, 1
    model = BoxClassifier(positive=1, nominal=nominal, units="own").fit(X, y)
    rows = np.union1d(model.support_[0], [0])  # some row of the other class, or there is nothing to learn
    again = BoxClassifier(positive=1, nominal=nominal, units="own").fit(X[rows], y[rows])
    assert again.specific_ == model.specific_ and again.general_ == model.general_


def test_codes_of_a_strangers_file_are_checked_before_they_are_followed():
    frame = pd.DataFrame({"c": ["u", "v", "u"], "a": [1.0, 2.0, 9.0]})
    model = BoxClassifier(positive=1, decision="reject").fit(frame, [1, 0, 0])
    model._negatives = model._negatives + 1e9
    with pytest.raises(DataError, match="a category that c does not have"):
        model.predict(frame)


def test_a_box_for_each_class_and_doubt_where_none_or_several_hold_the_row():
    X, y = load_iris(return_X_y=True)
    model = BoxClassifier("specific").fit(X, y)
    assert len(model.rules_) == 3 and model.score(X, y) > 0.94
    for k, rows in enumerate(model.conflicts_):  # versicolor and virginica overlap
        own = X[y == k]
        inside = ((own.min(axis=0) <= X) & (own.max(axis=0) >= X)).all(axis=1) & (y != k)
        assert_array_equal(rows, np.flatnonzero(inside))
    yes = model.rules_.covers(X)
    careful = BoxClassifier("specific", decision="reject").fit(X, y)
    text = careful.predict(X)
    assert_array_equal(text == "reject", yes.sum(axis=1) != 1)
    assert (text[text != "reject"] == y[text != "reject"]).all()
    nowhere = [[50.0, 50, 50, 50]]
    assert_array_equal(careful.predict(nowhere), ["reject"])
    assert_allclose(model.predict_proba(nowhere), [[1 / 3] * 3])
    assert "in S" in str(model.explain(X[:1]))


def test_a_row_of_another_class_in_s_is_recorded_or_refused():
    X, y = [[1.0], [5.0], [3.0]], ["in", "in", "out"]
    model = BoxClassifier(positive="in").fit(X, y)
    assert_array_equal(model.conflicts_[0], [2])
    with pytest.raises(DegenerateError, match="row 3 is not in but lies in the tightest box"):
        BoxClassifier(positive="in", noise="raise").fit(X, y)


def test_categories_and_gaps():
    frame = pd.DataFrame(
        {"colour": ["red", "green", "blue", "red"], "size": [1.0, 2.0, np.nan, 9.0]}, index=range(4)
    )
    model = BoxClassifier(positive="yes").fit(frame, ["yes", "yes", "no", "no"])
    assert str(model) == "R1: IF size <= 5.5 THEN yes\nELSE no"
    assert_array_equal(model.predict(frame), ["yes", "yes", "no", "no"])
    tight = BoxClassifier("specific", positive="yes").fit(frame, ["yes", "yes", "no", "no"])
    assert "colour in {'green', 'red'}" in str(tight)
    one = BoxClassifier("specific", positive="yes", nominal="value").fit(frame, ["yes", "yes", "no", "no"])
    assert str(one) == "R1: IF 1 <= size <= 2 THEN yes\nELSE no"
    all_gaps = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [np.nan] * 3})
    assert BoxClassifier().fit(all_gaps, ["u", "u", "v"]).score(all_gaps, ["u", "u", "v"]) == 1


def test_a_domain_bounds_the_middle():
    model = BoxClassifier(positive=1, domain={"x0": (0, 10)}).fit([[2.0], [4.0], [9.0]], [1, 1, 0])
    assert str(model) == "R1: IF 1 <= x0 <= 6.5 THEN 1\nELSE 0"


@pytest.mark.parametrize("units", ["own", "range"])
def test_gaps_compare_in_own_units_or_as_shares_of_the_range(units):
    """The negative is 1 above in a and 20 to the right in b, whose range is a hundred times as large."""
    X = [[0.0, 0.0], [1.0, 100.0], [2.0, 120.0], [0.5, 500.0]]
    model = BoxClassifier("general", positive=1, units=units).fit(X, [1, 1, 0, 0])
    assert str(model.rules_).startswith(
        {"own": "R1: IF x1 < 120 THEN", "range": "R1: IF x0 < 2 AND x1 < 500 THEN"}[units]
    )


def test_degenerate_tables():
    assert BoxClassifier().fit([[1.0], [2.0]], ["a", "a"]).predict([[9.0]]) == ["a"]
    assert BoxClassifier().fit([[1.0]], ["a"]).predict([[1.0]]) == ["a"]
    same = BoxClassifier().fit([[1.0], [1.0], [1.0]], ["a", "b", "b"])
    assert_array_equal(same.predict([[1.0], [2.0]]), ["b", "b"])
    many = BoxClassifier().fit(np.arange(300.0)[:, None], np.arange(300))
    assert many.score(np.arange(300.0)[:, None], np.arange(300)) == 1
    weighed = BoxClassifier().fit([[1.0], [2.0], [3.0]], ["a", "b", "c"], sample_weight=[1, 1, 0])
    assert len(weighed.rules_) == 2 and weighed.predict([[3.0]]) == ["b"]
    huge = BoxClassifier().fit([[1e308], [-1e308], [0.0]], ["a", "b", "b"])
    assert_array_equal(huge.predict([[1e308], [-1e308]]), ["a", "b"])


def test_what_it_cannot_do_is_said():
    with pytest.raises(DataError, match="Leave positive out"):
        BoxClassifier(positive="a").fit([[1], [2], [3]], list("abc"))
    with pytest.raises(ParameterError, match="positive is 'd'"):
        BoxClassifier(positive="d").fit([[1], [2]], list("ab"))
    with pytest.raises(ParameterError, match="name of a class"):
        BoxClassifier(decision="reject").fit([[1.0], [2.0]], ["reject", "b"])


@pytest.mark.parametrize("ends", [5, None, ("a", "b"), (9, 1), (np.nan, 4), (0, 10, 11)])
def test_a_domain_is_two_numbers(ends):
    for act in (
        lambda: BoxClassifier(domain={"x0": ends}).fit(CARS, KIND),
        lambda: VersionSpace.of(CARS, KIND, "family", domain={"x0": ends}),
    ):
        with pytest.raises(
            ParameterError, match="the domain of 'x0' must be two numbers, the lower one first"
        ):
            act()
    with pytest.raises(ParameterError, match="VersionSpace: domain must be a dict"):
        VersionSpace.of(CARS, KIND, "family", domain=[(0, 1)])


def test_labels_are_single_things():
    with pytest.raises(ParameterError, match="positive is"):
        BoxClassifier(positive=np.array([0, 1])).fit(CARS, KIND)
    with pytest.raises(ParameterError, match="reject_label must be one label"):
        BoxClassifier(decision="reject", reject_label=np.array([0, 1])).fit(CARS, KIND)
