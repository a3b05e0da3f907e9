"""CART for numbers."""

import numpy as np
import pytest
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


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_the_unit_of_the_numbers_does_not_matter(criterion):
    """Errors are compared with each other, not with 1e-12, and their squares neither overflow nor vanish."""
    rng = np.random.default_rng(0)
    X = np.arange(60.0)[:, None]
    y = 0.5 + (X[:, 0] > 30) + 0.5 * (X[:, 0] > 45) + 0.05 * rng.normal(size=60)
    plain = CARTRegressor(criterion=criterion, random_state=0).fit(X, y)
    assert plain.get_n_leaves() == 3
    for unit in 2.0 ** np.array([-1000, -700, -25, 25, 300, 500, 1000]):
        model = CARTRegressor(criterion=criterion, random_state=0).fit(X, y * unit)
        assert_allclose(model.predict(X) / unit, plain.predict(X), rtol=1e-12)


def test_the_unit_of_the_weights_does_not_matter():
    rng = np.random.default_rng(0)
    X = np.arange(60.0)[:, None]
    y, w = (X[:, 0] > 30) + 0.3 * rng.normal(size=60), rng.uniform(0.5, 1.5, 60)
    sizes = {
        CARTRegressor(random_state=0).fit(X, y, sample_weight=w * unit).get_n_leaves()
        for unit in (1.0, 1 / w.sum(), 1e-6, 1e6, 1e-200)
    }
    assert sizes == {2}
