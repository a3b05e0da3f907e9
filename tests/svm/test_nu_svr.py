"""Nu support vector regression: the bounds of nu, its relation to epsilon, agreement with scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes
from sklearn.svm import NuSVR as Peer

from assay.svm import SVR, NuSVR

X, Y = load_diabetes(return_X_y=True)
X, Y = X[:200] * 20, Y[:200]


@pytest.mark.capability("IML-13-35")
@pytest.mark.parametrize("nu", [0.1, 0.3, 0.5, 0.8])
def test_nu_bounds_the_share_of_support_vectors_and_of_errors(nu):
    model = NuSVR(nu=nu, C=20, gamma=0.05, tol=1e-7).fit(X, Y)
    outside = np.abs(Y - model.predict(X)) > model.epsilon_ + 1e-4
    assert outside.mean() <= nu + 1e-9
    assert len(model.support_) / len(Y) >= nu - 1e-9


@pytest.mark.capability("IML-13-35")
def test_the_tube_it_learned_given_to_the_other_form_gives_the_same_function():
    nu = NuSVR(nu=0.4, C=20, gamma=0.05, tol=1e-8).fit(X, Y)
    epsilon = SVR(C=20, epsilon=nu.epsilon_, gamma=0.05, tol=1e-8).fit(X, Y)
    assert nu.epsilon_ > 0
    assert_allclose(nu.predict(X), epsilon.predict(X), atol=1e-4)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("nu", [0.2, 0.5, 1.0])
def test_same_function_as_scikit_learn(nu, weighted):
    """Peer: scikit-learn's NuSVR; its kernel values are float32. At nu = 1 the tube has no width."""
    w = np.random.default_rng(1).uniform(0.2, 2, len(Y)) if weighted else None
    settings = {"nu": nu, "C": 5.0, "gamma": 0.05, "tol": 1e-6}
    ours, peer = NuSVR(**settings).fit(X, Y, w), Peer(**settings).fit(X, Y, w)
    assert_allclose(ours.predict(X), peer.predict(X), atol=5e-3)
    assert_allclose(ours.dual_coef_.sum(), 0, atol=1e-8)
