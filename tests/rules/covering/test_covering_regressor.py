"""Sequential covering for numbers: steps come back, missing values and categories are met, and nothing is invented."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes

from assay.rules.covering.covering_regressor import CoveringRegressor
from assay.tables import Column, Schema, Table


@pytest.mark.capability("IML-9-45")
@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=5), st.integers(6, 12), st.booleans(), st.booleans())
def test_a_step_function_is_recovered_as_rules(heights, width, prune, linear):
    """Plateaus of any heights; a rule may take neighbours of one height together."""
    x = np.arange(len(heights) * width, dtype=float)[:, None]
    y = np.repeat(np.array(heights, float), width)
    model = CoveringRegressor("linear" if linear else "mean", prune=prune, min_deviation=0.01).fit(x, y)
    assert_allclose(model.predict(x), y, atol=1e-9)
    assert model.n_rules_ < len(heights) and (model.n_rules_ > 0) == (len(set(heights)) > 1)


@pytest.mark.capability("IML-9-45")
def test_three_steps_in_words():
    x, y = np.arange(30.0)[:, None], np.repeat([1.0, 5.0, 2.0], 10)
    text = str(CoveringRegressor().fit(x, y)).splitlines()
    assert text == ["R1: IF x0 <= 9.5 THEN y = 1", "R2: IF x0 <= 19.5 THEN y = 5", "ELSE y = 2"]


def test_the_answer_is_the_mean_of_the_rows_that_reach_it():
    X, y = load_diabetes(return_X_y=True)
    model = CoveringRegressor().fit(X, y)
    first = model.rules_.firing(X)
    for r, rule in enumerate(model.rules_):
        assert rule.answer == pytest.approx(y[first == r].mean(), rel=1e-12)
        assert rule.n == (first == r).sum() >= 5
        assert rule.error == pytest.approx(y[first == r].std(), rel=1e-9)
    assert model.rules_.default == pytest.approx(y[first < 0].mean(), rel=1e-12)


def test_lines_inside_the_rules():
    x = np.arange(60.0)[:, None]
    y = np.where(x < 30, 2 * x, 500 - x).ravel()
    linear = CoveringRegressor("linear", min_deviation=0.2).fit(x, y)
    assert_allclose(linear.predict(x), y, atol=1e-8)


def test_groups_of_categories():
    schema = Schema([Column("place", "nominal", tuple("abcdefgh"))])
    codes = np.repeat(np.arange(8.0), 6)
    y = np.where(np.isin(codes, [1, 4, 6]), 10.0, 0.0)
    model = CoveringRegressor().fit(Table(codes[:, None], schema, True), y)
    assert_array_equal(model.predict(Table(codes[:, None], schema, True)), y)
    assert model.n_rules_ == 1
    text = str(model)
    assert "place in {'b', 'e', 'g'} THEN y = 10" in text or "THEN y = 0" in text


def test_missing_values_meet_no_condition():
    x = np.arange(40.0)
    x[::5] = np.nan
    y = np.where(np.isnan(x), 5.0, np.where(np.arange(40) < 20, 0.0, 10.0))
    model = CoveringRegressor().fit(x[:, None], y)
    low = np.flatnonzero(~np.isnan(x))[:16]
    assert_allclose(model.predict(x[low, None]), y[low], atol=1e-9)
    assert_allclose(model.predict([[np.nan]]), model.rules_.default)
    assert model.rules_.firing([[np.nan]])[0] == -1
    linear = CoveringRegressor("linear").fit(np.column_stack([x, np.arange(40.0)]), y)
    assert np.isfinite(linear.predict([[np.nan, np.nan]])).all()


def test_pruning_shortens_rules():
    X, y = load_diabetes(return_X_y=True)

    def size(model):
        return sum(len(rule.conditions) for rule in model.rules_)

    assert size(CoveringRegressor().fit(X, y)) < size(CoveringRegressor(prune=False).fit(X, y)) / 2
    short = CoveringRegressor(max_conditions=1, max_rules=3).fit(X, y)
    assert short.n_rules_ <= 3 and all(len(rule.conditions) == 1 for rule in short.rules_)


def test_weights_are_repeated_rows():
    rng = np.random.default_rng(0)
    X, w = rng.integers(0, 9, (60, 2)).astype(float), rng.integers(1, 4, 60)
    y = (X[:, 0] > 4) * 3.0 + X[:, 1]
    weighted = CoveringRegressor(max_candidates=10_000).fit(X, y, sample_weight=w.astype(float))
    repeated = CoveringRegressor(max_candidates=10_000).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-9)


def test_odd_tables():
    assert_allclose(CoveringRegressor().fit([[1.0]], [3.0]).predict([[9.0]]), [3.0])
    assert_allclose(CoveringRegressor().fit(np.ones((6, 2)), np.arange(6.0)).predict([[1, 1]]), [2.5])
    assert_allclose(CoveringRegressor().fit(np.full((6, 1), np.nan), np.arange(6.0)).predict([[1.0]]), [2.5])
    far = CoveringRegressor().fit(np.arange(18.0)[:, None] * 1e307, np.repeat([0.0, 1.0], 9))
    assert_allclose(far.predict([[0.0], [1.5e308]]), [0, 1])
    light = CoveringRegressor(min_samples=1).fit([[0.0], [1.0]], [1.0, 9.0], sample_weight=[1.0, 0.0])
    assert_allclose(light.predict([[1.0]]), [1.0])


@pytest.mark.parametrize("answer", ["mean", "linear"])
def test_numbers_that_cannot_be_squared_are_refused(answer):
    with pytest.raises(ValueError, match="CoveringRegressor: y holds numbers too large to be squared"):
        CoveringRegressor(answer).fit(np.arange(9.0)[:, None], np.arange(9.0) * 1e200)
    with pytest.raises(ValueError, match="CoveringRegressor: y has 2 columns"):
        CoveringRegressor(answer).fit(np.arange(9.0)[:, None], np.ones((9, 2)))
