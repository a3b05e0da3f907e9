"""CART for numbers."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeRegressor as Peer

from assay.trees.cart_regressor import CARTRegressor


def test_a_step_is_found_and_noise_is_not():
    random = np.random.default_rng(0)
    X = random.random((300, 3))
    y = np.where(X[:, 1] > 0.6, 2.0, 0.0) + 0.5 * random.normal(size=300)
    model = CARTRegressor(random_state=0).fit(X, y)
    assert model.get_n_leaves() == 2 and model.tree_.feature[0] == 1
    assert_allclose(model.tree_.threshold[0], 0.6, atol=0.02)
    assert_allclose(model.predict([[0, 0.0, 0], [0, 1.0, 0]]), [0, 2], atol=0.15)


def test_the_pruned_tree_is_scikit_learns_at_the_same_price():
    """Peer: DecisionTreeRegressor with ccp_alpha, scikit-learn 1.9, between the prices of the path."""
    X, y = load_diabetes(return_X_y=True)
    model = CARTRegressor(random_state=0, missing="learned").fit(X, y)
    at = int(np.flatnonzero(model.path_alphas_ == model.ccp_alpha_)[0])
    price = np.sqrt(model.path_alphas_[at] * model.path_alphas_[at + 1])
    peer = Peer(random_state=0, ccp_alpha=price).fit(X, y)
    assert peer.get_n_leaves() == model.get_n_leaves()
    assert_allclose(model.predict(X), peer.predict(X), rtol=1e-9)


def test_several_outputs():
    random = np.random.default_rng(0)
    X = random.random((100, 2))
    y = np.column_stack([X[:, 0] > 0.5, X[:, 0] > 0.5]) * np.array([1.0, -2.0])
    model = CARTRegressor(random_state=0).fit(X, y)
    assert_array_equal(model.predict(X), y)
    assert model.get_n_leaves() == 2
