"""Kernel logistic regression: the linear kernel is logistic regression; optimality with any kernel."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_wine

from assay.errors import DataError
from assay.kernels import RBF
from assay.linear import LogisticRegression
from assay.svm import KernelLogisticRegression

WINE, KINDS = load_wine(return_X_y=True)
WINE = (WINE - WINE.mean(axis=0)) / WINE.std(axis=0)
EXACT = {"tol": 1e-10, "max_iter": 1000}


@pytest.mark.capability("DC-97")
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("y", [KINDS, KINDS == 1], ids=["three classes", "two classes"])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_the_linear_kernel_is_logistic_regression(y, C, fit_intercept):
    settings = {"C": C, "fit_intercept": fit_intercept, "class_weight": "balanced", **EXACT}
    ours, plain = KernelLogisticRegression(kernel="linear", **settings), LogisticRegression(**settings)
    w = np.random.default_rng(0).uniform(0.5, 2, len(y))
    ours.fit(WINE, y, sample_weight=w)
    plain.fit(WINE, y, sample_weight=w)
    assert_allclose(ours.predict_proba(WINE), plain.predict_proba(WINE), atol=1e-8)
    assert_allclose(ours.coef_, plain.coef_, atol=1e-7)
    assert_allclose(ours.decision_function(WINE), plain.decision_function(WINE), atol=1e-7)
    assert len(ours.support_) == 13  # the rank of the matrix: one landmark for each column


@pytest.mark.parametrize("y", [KINDS, KINDS == 1], ids=["three classes", "two classes"])
def test_the_gradient_vanishes_at_the_minimum(y):
    """Of (1) with respect to f: the function's norm has the derivative c, the likelihood C (P - Y)."""
    model = KernelLogisticRegression(C=5.0, gamma=0.05, **EXACT).fit(WINE, y)
    P, Y = model.predict_proba(WINE), np.eye(len(model.classes_))[np.unique(y, return_inverse=True)[1]]
    pull = 5.0 * (Y - P) if len(model.classes_) > 2 else 5.0 * (Y - P)[:, 1:]
    assert_allclose(pull.sum(axis=0), 0, atol=1e-6)  # the intercept
    expected = model.kernel_(WINE) @ pull + model.intercept_
    assert_allclose(model._outputs(WINE), expected, atol=1e-5)


def test_few_landmarks_come_close_and_say_how_close():
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    exact = KernelLogisticRegression(gamma=0.005).fit(X, y)
    few = KernelLogisticRegression(gamma=0.005, n_components=100).fit(X, y)
    assert len(few.support_) == 100 < len(exact.support_)
    assert exact.error_bound_ < 1e-10 < few.error_bound_ < 0.02
    assert_allclose(few.predict_proba(X), exact.predict_proba(X), atol=0.02)


def test_a_precomputed_matrix_and_a_kernel_of_ours_agree():
    kernel = RBF(gamma=0.1) * 2.0
    ours = KernelLogisticRegression(kernel=kernel).fit(WINE, KINDS)
    K = kernel(WINE)
    given = KernelLogisticRegression(kernel="precomputed").fit(K, KINDS)
    assert (kernel(WINE) == K).all()  # the user's matrix stays as it is
    assert_allclose(ours.predict_proba(WINE[:9]), given.predict_proba(kernel(WINE[:9], WINE)), atol=1e-6)


def test_one_class_is_refused():
    with pytest.raises(DataError, match="only one class"):
        KernelLogisticRegression().fit(WINE, np.zeros(len(WINE)))
