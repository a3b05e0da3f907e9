"""The one-class machine: bounds of nu, its ball, agreement with scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris
from sklearn.svm import OneClassSVM as Peer

from assay.svm import SVDD, OneClassSVM

X = load_iris().data


@pytest.mark.capability("IML-13-40")
@pytest.mark.parametrize("nu", [0.1, 0.3, 0.6])
def test_with_a_gaussian_kernel_the_multipliers_are_those_of_the_ball(nu):
    n = len(X)
    plane = OneClassSVM(nu=nu, gamma=0.3, tol=1e-10).fit(X)
    ball = SVDD(C=1 / (nu * n), gamma=0.3, tol=1e-12).fit(X)
    assert_allclose(plane.dual_coef_.sum(), nu * n, rtol=1e-12)
    a, b = np.zeros(n), np.zeros(n)
    a[plane.support_], b[ball.support_] = plane.dual_coef_[0] / (nu * n), ball.dual_coef_[0]
    assert_allclose(a, b, atol=1e-7)
    inside = np.abs(ball.decision_function(X)) > 1e-7
    assert_array_equal(plane.predict(X)[inside], ball.predict(X)[inside])


@pytest.mark.capability("IML-13-40")
@pytest.mark.parametrize("nu", [0.05, 0.2, 0.5])
def test_nu_bounds_the_share_of_outliers_and_of_support_vectors(nu):
    model = OneClassSVM(nu=nu, gamma=0.5, tol=1e-8).fit(X)
    assert (model.decision_function(X) < -1e-6).mean() <= nu
    assert len(model.support_) / len(X) >= nu


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_same_scores_as_scikit_learn(kernel, weighted):
    """Peer: scikit-learn's OneClassSVM (LIBSVM, kernel values in float32)."""
    w = np.random.default_rng(0).uniform(0.1, 2, len(X)) if weighted else None
    settings = {"kernel": kernel, "nu": 0.2, "gamma": 0.1, "degree": 2, "tol": 1e-8}
    ours, peer = OneClassSVM(**settings).fit(X, sample_weight=w), Peer(**settings).fit(X, sample_weight=w)
    scale = np.abs(peer.score_samples(X)).max()
    assert_allclose(ours.score_samples(X), peer.score_samples(X), atol=1e-5 * scale)
    assert_allclose(ours.offset_, peer.offset_, atol=1e-5 * scale)
    far = np.abs(peer.decision_function(X)) > 1e-4 * scale
    assert_array_equal(ours.predict(X)[far], peer.predict(X)[far])


def test_decision_and_score_differ_by_the_offset():
    model = OneClassSVM(gamma=1.0).fit(X)
    assert_array_equal(model.score_samples(X), model.decision_function(X) + model.offset_)
    assert_array_equal(model.fit_predict(X), model.predict(X))


def test_copies_of_a_row_share_alike_whatever_the_form_of_the_table():
    """Rows 101 and 142 of the iris data are one flower; only the sum of their multipliers matters."""
    X = load_iris().data[np.random.default_rng(0).permutation(150)]
    dense, sparse = (OneClassSVM(gamma=1).fit(form(X)) for form in (np.asarray, csr_matrix))
    assert_array_equal(dense.support_, sparse.support_)
    assert_allclose(sparse.dual_coef_.toarray(), dense.dual_coef_, atol=2e-6)
    copies = [i for i in range(150) if (X[i] == X).all(axis=1).sum() > 1]
    shares = dict(zip(dense.support_.tolist(), dense.dual_coef_[0]))
    assert_allclose(shares[copies[0]], shares[copies[1]], atol=2e-6)
