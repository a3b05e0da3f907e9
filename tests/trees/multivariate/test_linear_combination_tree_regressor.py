"""Regression trees of linear combinations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.tree import DecisionTreeRegressor

from assay.errors import DataError
from assay.trees.multivariate.linear_combination_tree_regressor import LinearCombinationTreeRegressor


def test_a_step_across_a_diagonal_takes_one_node():
    X = np.array([[i, j] for i in range(10) for j in range(10)], float)
    y = np.where(X.sum(axis=1) > 9, 5.0, -1.0)
    model = LinearCombinationTreeRegressor().fit(X, y)
    assert model.get_n_leaves() == 2
    assert_allclose(model.predict(X), y)
    assert DecisionTreeRegressor().fit(X, y).get_n_leaves() > 10


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_no_root_leaves_more_variance_than_the_best_univariate_one(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40) * 100 + 1000
    ours, peer = (
        cls(max_depth=1).fit(X, y) for cls in (LinearCombinationTreeRegressor, DecisionTreeRegressor)
    )
    assert np.mean((ours.predict(X) - y) ** 2) <= np.mean((peer.predict(X) - y) ** 2) * (1 + 1e-9)


@pytest.mark.parametrize(
    "data", [load_diabetes(return_X_y=True), make_friedman1(400, noise=1, random_state=0)]
)
def test_the_same_number_of_leaves_explains_more(data):
    """Peer: scikit-learn's tree with the same limits, on the training rows."""
    X, y = data
    ours, peer = (
        cls(max_depth=4, min_samples_leaf=10).fit(X, y)
        for cls in (LinearCombinationTreeRegressor, DecisionTreeRegressor)
    )
    assert ours.score(X, y) > peer.score(X, y) + 0.02
    tree = ours.tree_
    assert tree.n_node_samples[tree.is_leaf].min() >= 10 and ours.get_depth() <= 4
    assert_allclose(tree.value[0], y.mean())
    assert_allclose(tree.impurity[0], y.var())


def test_weights_count_as_repeated_rows():
    rng = np.random.default_rng(1)
    X, y, w = rng.normal(size=(60, 3)), rng.normal(size=60), rng.integers(0, 4, 60)
    weighted = LinearCombinationTreeRegressor(max_depth=4).fit(X, y, sample_weight=w)
    repeated = LinearCombinationTreeRegressor(max_depth=4).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-9)


def test_pruning_by_rows_set_aside_lowers_the_error_on_new_rows():
    X, y = make_friedman1(600, noise=3, random_state=0)
    new, truth = make_friedman1(2000, noise=0, random_state=1)
    full = LinearCombinationTreeRegressor(random_state=0).fit(X, y)
    pruned = LinearCombinationTreeRegressor(validation_fraction=0.3, random_state=0).fit(X, y)
    assert pruned.get_n_leaves() < full.get_n_leaves() / 4
    assert pruned.score(new, truth) > full.score(new, truth)


def test_the_explanation_has_the_means_on_the_path():
    X, y = load_diabetes(return_X_y=True)
    model = LinearCombinationTreeRegressor(max_depth=2).fit(X, y)
    told = model.explain(X[:1])
    path = told.sections[0]
    assert path.columns == ["node", "test", "value", "branch", "rows", "mean"]
    assert_allclose(path.rows[0][-1], y.mean())
    assert_allclose(path.rows[-1][-1], model.predict(X[:1])[0])


def test_several_numbers_at_once_are_refused():
    with pytest.raises(DataError, match="LinearCombinationTreeRegressor predicts one number"):
        LinearCombinationTreeRegressor().fit(np.eye(4), np.eye(4)[:, :2])
