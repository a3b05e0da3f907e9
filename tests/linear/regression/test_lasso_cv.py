"""Lasso with a penalty by cross-validation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import linear_model as peers
from sklearn.datasets import load_diabetes

from assay.linear.regression.elastic_net_cv import ElasticNetCV
from assay.linear.regression.lasso_cv import LassoCV

X, Y = load_diabetes(return_X_y=True)


@pytest.mark.parametrize("settings", [{}, {"alphas": 30, "cv": 3}, {"alphas": [1.0, 0.1], "positive": True}])
def test_same_choice_as_scikit_learn(settings):
    """Peer: LassoCV, scikit-learn 1.9, at its default tolerance: errors agree to that."""
    ours, peer = LassoCV(**settings).fit(X, Y), peers.LassoCV(**settings).fit(X, Y)
    assert_allclose(ours.alphas_, peer.alphas_, rtol=1e-12)
    assert_allclose(ours.mse_path_, peer.mse_path_, rtol=5e-3)
    steps = np.log(ours.alpha_ / peer.alpha_) / np.log(ours.alphas_[0] / ours.alphas_[1])
    assert abs(steps) < 1.5  # neighbours on the grid at most


def test_it_is_the_elastic_net_of_ratio_one():
    lasso, net = LassoCV(alphas=20).fit(X, Y), ElasticNetCV(l1_ratio=1.0, alphas=20).fit(X, Y)
    assert_array_equal(lasso.coef_, net.coef_)
    assert_array_equal(lasso.mse_path_, net.mse_path_)
    assert "l1_ratio" not in lasso.get_params()


def test_columns_of_noise_stay_out():
    """DC 10.2.3: the penalty selects columns while it fits, unit variances given."""
    rng = np.random.default_rng(0)
    data = rng.normal(size=(300, 40))
    y = data[:, :3] @ [3.0, -2.0, 1.0] + rng.normal(size=300)
    model = LassoCV(one_standard_error=True).fit(data, y)
    kept = np.flatnonzero(model.coef_)
    assert set(kept) >= {0, 1, 2} and len(kept) <= 8
