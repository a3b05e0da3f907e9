"""Regression trees: the book's numbers, scikit-learn, and awkward samples."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes, load_linnerud
from sklearn.model_selection import RepeatedKFold, cross_val_score
from sklearn.tree import DecisionTreeRegressor as Peer

from assay.errors import DataError, ParameterError
from assay.trees.decision_tree_regressor import DecisionTreeRegressor

X8 = np.arange(1.0, 9)[:, None]
Y8 = np.array([1, 1.2, 0.8, 3, 3.2, 2.8, 5, 5.2])


def after_split(tree):
    children = tree.children(0)
    return tree.impurity[children] @ tree.weighted_n_node_samples[children] / tree.weighted_n_node_samples[0]


@pytest.mark.capability("IML-9-15")
def test_eight_points():
    """IML 9.2.2: g = 2.775, E = 2.574375; the cut at 3.5 leaves 0.684, the least of all."""
    tree = DecisionTreeRegressor(max_depth=1).fit(X8, Y8).tree_
    assert_allclose(tree.values[0], [2.775], rtol=1e-14)
    assert_allclose(tree.impurity[0], 2.574375, rtol=1e-14)
    assert tree.threshold[0] == 3.5
    assert_allclose(after_split(tree), 0.684, rtol=1e-13)
    wanted = [2.124286, 1.639167, 0.684, 0.94875, 1.117333, 0.7725, 1.734286]
    for threshold, error in zip(np.arange(1.5, 8), wanted):
        sides = DecisionTreeRegressor().fit((threshold < X8).astype(float), Y8).tree_
        assert_allclose(after_split(sides), error, atol=5e-7)


@pytest.mark.capability("IML-9-15")
def test_a_smaller_threshold_refines_the_tree():
    """IML 9.2.2: with a falling demand on the error the tree grows, and keeps its cuts."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 8, 100))[:, None]
    y = np.sin(x[:, 0]) + 0.2 * rng.normal(size=100)
    cuts = [
        set(DecisionTreeRegressor(min_impurity_decrease=limit).fit(x, y).tree_.threshold)
        for limit in (0.05, 0.01, 0.001)
    ]
    assert cuts[0] < cuts[1] < cuts[2]


@pytest.mark.capability("IML-9-16")
def test_median_leaves():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(101, 2)), rng.standard_t(2, size=101)
    model = DecisionTreeRegressor(criterion="absolute_error", min_samples_leaf=7).fit(X, y)
    leaf = model.apply(X)
    assert model.get_n_leaves() > 5
    for node in np.unique(leaf):
        assert model.tree_.values[node, 0] == np.median(y[leaf == node])


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize(
    "settings", [{}, {"max_depth": 4}, {"min_samples_leaf": 8}, {"max_leaf_nodes": 12}, {"ccp_alpha": 0.5}]
)
def test_grows_what_scikit_learn_grows(criterion, settings):
    """Peer: DecisionTreeRegressor of scikit-learn 1.9; its columns are rounded to single precision.

    Between ties it draws by lot, so fully grown trees, and those of absolute errors (of whole numbers: many ties), are
    compared by their fit and size.
    """
    X, y = load_diabetes(return_X_y=True)
    X = X.astype(np.float32).astype(np.float64)
    peer = Peer(criterion=criterion, random_state=0, **settings).fit(X, y)
    ours = DecisionTreeRegressor(criterion=criterion, **settings).fit(X, y)
    if settings and "ccp_alpha" not in settings and criterion != "absolute_error":
        assert_allclose(np.sort(ours.predict(X)), np.sort(peer.predict(X)), rtol=1e-9)
    assert abs(ours.get_n_leaves() - peer.get_n_leaves()) <= 0.03 * peer.get_n_leaves()
    assert_allclose(ours.score(X, y), peer.score(X, y), atol=0.01)
    if "ccp_alpha" not in settings:
        error = [np.abs(model.predict(X) - y).mean() for model in (ours, peer)]
        assert_allclose(*error, rtol=0.01)


def test_weighted_as_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    X = X.astype(np.float32).astype(np.float64)
    w = np.random.default_rng(0).random(len(y)) + 0.1
    for criterion in ("squared_error", "absolute_error", "poisson"):
        peer = Peer(criterion=criterion, max_depth=4, random_state=0).fit(X, y, w)
        ours = DecisionTreeRegressor(criterion=criterion, max_depth=4).fit(X, y, w)
        assert_allclose(ours.tree_.impurity[0], peer.tree_.impurity[0], rtol=1e-10)
        assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-9)


def test_accuracy_is_that_of_scikit_learn_within_noise():
    X, y = load_diabetes(return_X_y=True)
    cv = RepeatedKFold(n_splits=5, n_repeats=3, random_state=0)
    a = cross_val_score(DecisionTreeRegressor(max_depth=4), X, y, cv=cv)
    b = cross_val_score(Peer(max_depth=4, random_state=0), X, y, cv=cv)
    assert abs(a.mean() - b.mean()) < 0.02


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_several_outputs_as_scikit_learn(criterion):
    X, Y = load_linnerud(return_X_y=True)
    settings = {"criterion": criterion, "max_depth": 2}
    ours = DecisionTreeRegressor(**settings).fit(X, Y)
    peer = Peer(**settings, random_state=0).fit(X, Y)
    assert ours.n_outputs_ == 3
    assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-12)
    assert_allclose(ours.tree_.impurity, peer.tree_.impurity, rtol=1e-12)
    with pytest.raises(ParameterError, match="multiple outputs"):
        DecisionTreeRegressor(monotonic_cst=[1, 0, 0]).fit(X, Y)


def test_categories_are_grouped_by_their_means():
    X = pd.DataFrame({"town": list("abcdabcd")})
    y = [1.0, 9.0, 2.0, 8.0, 1.5, 9.5, 2.5, 8.5]
    model = DecisionTreeRegressor(max_depth=1).fit(X, y)
    town = model.schema_["town"].categories
    assert {town[c] for c in model.tree_.subset(0)} == {"a", "c"}
    assert_allclose(model.predict(X.iloc[:2]), [1.75, 8.75])


def test_friedman_prefers_the_cuts_of_squared_error():
    X, y = load_diabetes(return_X_y=True)
    a = DecisionTreeRegressor(criterion="friedman_mse", max_depth=5).fit(X, y)
    b = DecisionTreeRegressor(max_depth=5).fit(X, y)
    assert_array_equal(a.tree_.threshold, b.tree_.threshold)


def test_poisson_needs_rates():
    with pytest.raises(DataError, match="negative"):
        DecisionTreeRegressor(criterion="poisson").fit([[1.0], [2.0]], [-1.0, 2.0])
    with pytest.raises(DataError, match="not positive"):
        DecisionTreeRegressor(criterion="poisson").fit([[1.0], [2.0]], [0.0, 0.0])
    model = DecisionTreeRegressor(criterion="poisson").fit([[1.0], [2.0], [3.0]], [0.0, 0.0, 3.0])
    assert (model.predict([[1.0], [2.0], [3.0]]) > 0).all()  # no leaf has rate 0


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_very_large_and_very_small_numbers(size):
    model = DecisionTreeRegressor().fit(X8, Y8 * size)
    assert_array_equal(model.predict(X8), Y8 * size)
    first = DecisionTreeRegressor(max_depth=1).fit(X8, Y8 * size).tree_
    assert first.threshold[0] == 3.5


def test_a_constant_number_is_one_leaf():
    model = DecisionTreeRegressor().fit(X8, np.full(8, 0.1))
    assert model.get_n_leaves() == 1
    assert model.predict([[3.0]]) == [0.1]
