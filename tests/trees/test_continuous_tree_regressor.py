"""A regression tree without steps."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeRegressor

from assay.trees.continuous_tree_regressor import ContinuousTreeRegressor

RNG = np.random.default_rng(0)
X = RNG.uniform(0, 8, (150, 1))
Y = np.sin(X[:, 0]) + 0.1 * RNG.normal(size=150)


def largest_jump(model, steps):
    grid = np.linspace(0, 8, steps)[:, None]
    return np.abs(np.diff(model.predict(grid))).max()


@pytest.mark.capability("IML-9-46")
def test_the_answer_is_continuous_in_x():
    """On a grid ten times as fine a continuous answer moves a tenth as far; the jumps of an ordinary tree stay."""
    soft, hard = ContinuousTreeRegressor().fit(X, Y), ContinuousTreeRegressor(width=0, ridge=1e12).fit(X, Y)
    assert largest_jump(soft, 80_001) < 0.11 * largest_jump(soft, 8_001) < 0.012 * largest_jump(soft, 801)
    assert (
        largest_jump(hard, 80_001) == pytest.approx(largest_jump(hard, 8_001))
        and largest_jump(hard, 801) > 0.1
    )


@pytest.mark.capability("IML-9-46")
def test_it_crosses_the_border_of_two_leaves_gradually():
    x = np.arange(10.0)[:, None]
    model = ContinuousTreeRegressor(max_depth=1, ridge=1e12).fit(x, np.where(x.ravel() < 5, 0.0, 1.0))
    h = 0.5 * x.std()
    assert model.widths_[0] == pytest.approx(h)
    at = 4.5 + h * np.array([-1.5, -1, -0.5, 0, 0.5, 1, 1.5])
    assert_allclose(
        model.predict(at[:, None]), [0, 0, 0.15625, 0.5, 0.84375, 1, 1], atol=1e-9
    )  # 1/2 + 3u/4 - u^3/4


@given(st.floats(0, 3), st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_the_weights_of_the_leaves_sum_to_one(width, seed):
    rows = np.random.default_rng(seed).uniform(-5, 15, (20, 1))
    weights = ContinuousTreeRegressor(width=width, max_depth=4).fit(X, Y).leaf_weights(rows)
    assert (weights >= 0).all()
    assert_allclose(weights.sum(axis=1), 1, atol=1e-12)


def test_no_width_and_much_ridge_is_the_ordinary_tree():
    """Peer: DecisionTreeRegressor 1.9, which keeps X in single precision."""
    x, y = load_diabetes(return_X_y=True)
    x = (x + np.random.default_rng(1).normal(0, 1e-5, x.shape)).astype(np.float32).astype(float)
    ours = ContinuousTreeRegressor(width=0, ridge=1e15, max_depth=3).fit(x, y)
    peer = DecisionTreeRegressor(max_depth=3, min_samples_leaf=5).fit(x, y)
    assert_allclose(ours.predict(x), peer.predict(x), rtol=1e-9)


def test_smooth_answers_err_less_on_smooth_truths():
    x, y = load_diabetes(return_X_y=True)
    for rows, truth in ((X, Y), (x, y)):
        ours = cross_val_score(ContinuousTreeRegressor(), rows, truth, cv=5).mean()
        assert (
            ours
            > cross_val_score(
                DecisionTreeRegressor(min_samples_leaf=5, random_state=0), rows, truth, cv=5
            ).mean()
        )


def test_leaf_values_are_the_penalised_least_squares_fit():
    model = ContinuousTreeRegressor(ridge=2.0, max_depth=3).fit(X, Y)
    leaves, means = model.leaf_weights(X), model.tree_.values[model.tree_.is_leaf, 0]
    gradient = leaves.T @ (leaves @ model.leaf_values_ - Y) + 2.0 * (model.leaf_values_ - means)
    assert_allclose(gradient, 0, atol=1e-9)


def test_categories_stay_hard_and_missing_values_take_the_learned_branch():
    frame = pd.DataFrame({"kind": ["a", "b"] * 20, "x": [*np.arange(39.0), np.nan]})
    y = np.where(frame["kind"] == "a", 0.0, 10.0) + 0.1 * frame["x"].fillna(0)
    model = ContinuousTreeRegressor().fit(frame, y)
    assert model.widths_[0] == 0.0  # the root tests the kind
    assert np.isfinite(model.predict(frame)).all()
    assert_allclose(model.leaf_weights(frame).sum(axis=1), 1)


def test_many_rows_are_answered_block_by_block():
    model = ContinuousTreeRegressor(max_depth=2).fit(X, Y)
    many = np.linspace(0, 8, 10_000)[:, None]
    assert_allclose(model.predict(many), model.leaf_weights(many) @ model.leaf_values_, atol=1e-12)


def test_the_explanation_adds_up_to_the_answer():
    model = ContinuousTreeRegressor(max_depth=3).fit(X, Y)
    told = model.explain([[3.0]])
    leaves = told.sections[1].rows
    assert len(leaves) > 1
    assert sum(w * v for _, w, v in leaves) == pytest.approx(model.predict([[3.0]])[0])
    assert "takes both branches" in str(model) and f"{model.leaf_values_[0]:.6g}" in str(model)
