"""Model trees: piecewise linear data, M5's pruning and smoothing, and Weka's M5P beside them."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression

from assay.errors import DataError, ParameterError
from assay.trees.model_tree_regressor import ModelTreeRegressor
from assay.trees.textbook_tree_regressor import TextbookTreeRegressor

X = np.arange(40.0)[:, None]
STEP = np.where(X < 20, X, 120 - 2 * X).ravel()  # a jump, and another slope behind it
KINK = np.abs(X - 12.5).ravel()


@pytest.mark.capability("IML-9-18")
@pytest.mark.parametrize("split", ["deviation", "linear"])
def test_piecewise_linear_data_are_fitted_without_error_by_two_leaves(split):
    model = ModelTreeRegressor(split=split).fit(X, STEP)
    assert_allclose(model.predict(X), STEP, atol=1e-9)
    assert model.get_n_leaves() == 2 and model.tree_.threshold[0] == 19.5
    assert_allclose(model.coef_.ravel(), [1, -2], atol=1e-9)
    assert (
        TextbookTreeRegressor().fit(X, STEP).get_n_leaves() > 30
    )  # constants need a leaf for nearly every number


@pytest.mark.capability("IML-9-18")
def test_splitting_by_linear_fits_finds_a_kink():
    model = ModelTreeRegressor(split="linear").fit(X, KINK)
    assert model.get_n_leaves() == 2 and model.tree_.threshold[0] == 12.5
    assert_allclose(model.predict(X), KINK, atol=1e-9)
    steps = ModelTreeRegressor().fit(X, KINK)  # the deviation is least elsewhere
    assert np.abs(steps.predict(X) - KINK).max() > 0.1


def test_one_straight_line_needs_one_leaf():
    x, y = load_diabetes(return_X_y=True)
    line = x @ np.arange(1.0, 11) + 4
    for split in ("deviation", "linear"):
        model = ModelTreeRegressor(split=split).fit(x, line)
        assert model.get_n_leaves() == 1
        assert_allclose(model.coef_[0], np.arange(1.0, 11), rtol=1e-8)


def test_same_model_as_wekas_m5p_on_the_diabetes_data():
    """Weka 3.6.14, M5P with defaults: one linear model, root mean squared error 53.6347 on the training rows."""
    x, y = load_diabetes(return_X_y=True)
    model = ModelTreeRegressor(smoothing=15).fit(x, y)
    assert model.get_n_leaves() == 1
    assert np.sqrt(np.mean((model.predict(x) - y) ** 2)) == pytest.approx(53.6347, abs=5e-5)


def test_without_pruning_every_leaf_is_the_least_squares_fit_of_its_rows():
    x, y = load_diabetes(return_X_y=True)
    model = ModelTreeRegressor(prune=False, max_depth=2, min_samples_leaf=40).fit(x, y)
    leaf = model.apply(x)
    assert model.get_n_leaves() == 4
    for i in np.unique(leaf):
        peer = LinearRegression().fit(x[leaf == i], y[leaf == i])
        assert_allclose(model.predict(x)[leaf == i], peer.predict(x[leaf == i]), rtol=1e-8)


def test_smoothing_mixes_a_leaf_with_the_nodes_above_it():
    x, y = load_diabetes(return_X_y=True)
    settings = {"prune": False, "max_depth": 1, "min_samples_leaf": 40}
    plain, smooth = (
        ModelTreeRegressor(**settings).fit(x, y),
        ModelTreeRegressor(smoothing=15, **settings).fit(x, y),
    )
    root, leaf = LinearRegression().fit(x, y), plain.apply(x)
    n = np.array([np.sum(leaf == i) for i in leaf])
    wanted = (n * plain.predict(x) + 15 * root.predict(x)) / (n + 15)
    assert_allclose(smooth.predict(x), wanted, rtol=1e-9)


def test_pruning_pays_on_new_rows():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, (600, 5))
    y = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    y += rng.normal(0, 1, 600)
    half = slice(0, 300), slice(300, 600)
    pruned, full = (ModelTreeRegressor(prune=p).fit(x[half[0]], y[half[0]]) for p in (True, False))
    assert pruned.get_n_leaves() < full.get_n_leaves() / 3
    assert pruned.score(x[half[1]], y[half[1]]) > full.score(x[half[1]], y[half[1]])
    assert pruned.score(x[half[1]], y[half[1]]) > LinearRegression().fit(x[half[0]], y[half[0]]).score(
        x[half[1]], y[half[1]]
    )


def test_categories_split_and_enter_the_functions():
    frame = pd.DataFrame({"kind": list("abc") * 12, "x": np.arange(36.0)})
    slope = frame["kind"].map({"a": 1.0, "b": 1.0, "c": -3.0})
    y = (slope * frame["x"] + frame["kind"].map({"a": 0.0, "b": 5.0, "c": 200.0})).to_numpy()
    model = ModelTreeRegressor(split="linear").fit(frame, y)
    assert model.get_n_leaves() == 2
    assert_array_equal(model.tree_.subset(0), [0, 1])
    assert_allclose(model.predict(frame), y, atol=1e-8)
    assert model.terms_.names == ["kind=a", "kind=b", "kind=c", "x"]
    assert "leaf 2: 200 - 3 x" in str(model)


def test_missing_values_are_refused_by_name():
    with pytest.raises(DataError, match="x0 has 1 missing"):
        ModelTreeRegressor().fit([[1.0], [np.nan], [3.0]], [1.0, 2, 3])


def test_a_constant_target_is_one_number():
    model = ModelTreeRegressor().fit(X, np.full(40, 7.0))
    assert model.get_n_leaves() == 1
    assert_allclose(model.predict([[1e6]]), 7.0)
    assert model.equations() == "leaf 0: 7"


def test_numbers_too_large_to_be_squared_are_refused():
    with pytest.raises(DataError, match="X holds numbers too large to be squared"):
        ModelTreeRegressor().fit(X * 1e200, STEP)


def test_many_categories_are_divided_by_their_means():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"town": [f"t{i}" for i in range(30)] * 8, "x": rng.uniform(size=240)})
    rich = frame["town"].str[1:].astype(int) % 3 == 0
    y = np.where(rich, 50 + 10 * frame["x"], 5 - 10 * frame["x"])
    model = ModelTreeRegressor().fit(frame, y)
    poor = {i for i in range(30) if i % 3}
    codes = {
        int(frame_name[1:]) for frame_name in np.array(model.schema_[0].categories)[model.tree_.subset(0)]
    }
    assert codes == poor
    assert_allclose(model.predict(frame), y, atol=1e-6)


def test_the_explanation_adds_up_to_the_answer():
    x, y = load_diabetes(return_X_y=True)
    model = ModelTreeRegressor(prune=False, max_depth=2, min_samples_leaf=40).fit(x, y)
    told = model.explain(x[[5]])
    assert [s.title for s in told.sections] == ["Path", "Linear function of the leaf"]
    assert sum(row[-1] for row in told.sections[1].rows) == pytest.approx(model.predict(x[[5]])[0])
    assert told.answer == pytest.approx(model.predict(x[[5]])[0])


def test_rules_are_refused_for_leaves_that_hold_functions():
    with pytest.raises(ParameterError, match="which a rule cannot hold"):
        ModelTreeRegressor().fit(X, STEP).rules()


def test_single_precision_is_as_good():
    X = np.random.default_rng(0).normal(size=(40, 2)).astype(np.float32)
    assert ModelTreeRegressor().fit(X, X[:, 0]).score(X, X[:, 0]) > 0.999  # and no warning of a cast


@pytest.mark.parametrize("split", ["deviation", "linear"])
@pytest.mark.parametrize("unit", [2.0**-600, 2.0**600])
def test_the_unit_of_the_target_does_not_matter(unit, split):
    """Squares of such targets are 0 or infinite; units are powers of two, so that nothing is rounded."""
    rng = np.random.default_rng(0)
    X = rng.random((80, 2))
    y = np.where(X[:, 0] < 0.5, X[:, 1], 3 - 2 * X[:, 1]) + 0.1 * rng.random(80)
    plain, scaled = (
        ModelTreeRegressor(split=split).fit(X, y),
        ModelTreeRegressor(split=split).fit(X, y * unit),
    )
    np.testing.assert_allclose(scaled.predict(X), plain.predict(X) * unit, rtol=1e-9)
