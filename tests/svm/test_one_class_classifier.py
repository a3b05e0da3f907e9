"""Classes described one by one: sums of kernel values, priors, rows outside of all."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

from assay.errors import ParameterError
from assay.svm import OneClassClassifier

X, Y = load_iris(return_X_y=True)


@pytest.mark.capability("IML-13-41")
def test_with_equal_priors_the_largest_sum_of_kernels_wins():
    model = OneClassClassifier(nu=0.2, gamma=0.5).fit(X, Y)
    sums = np.column_stack([m.kernel_(X, m.support_vectors_) @ m.dual_coef_[0] for m in model.machines_])
    assert_array_equal(model.predict(X), sums.argmax(axis=1))
    assert_allclose(model.predict_proba(X), sums / sums.sum(axis=1, keepdims=True), rtol=1e-9, atol=1e-12)
    assert (model.predict(X) == Y).mean() > 0.9


@pytest.mark.capability("IML-13-41")
def test_priors_multiply_the_sums():
    even = OneClassClassifier(gamma=0.5, priors=[1 / 3] * 3).fit(X, Y).predict_proba(X)
    tilted = OneClassClassifier(gamma=0.5, priors=[0.1, 0.2, 0.7]).fit(X, Y).predict_proba(X)
    expected = even * [0.1, 0.2, 0.7]
    assert_allclose(tilted, expected / expected.sum(axis=1, keepdims=True), rtol=1e-9, atol=1e-12)
    with pytest.raises(ParameterError, match="3 probabilities"):
        OneClassClassifier(priors=[0.5, 0.5]).fit(X, Y)


def test_rows_far_from_all_classes():
    model = OneClassClassifier(nu=0.1, gamma=0.5).fit(X, Y)
    assert model.is_outlier(X).mean() <= 0.15
    assert model.is_outlier([[50.0, 0.0, 50.0, 0.0]]).all()
    proba = model.predict_proba([[1e3, 0.0, 1e3, 0.0]])  # where every kernel value is 0 as a number
    assert_allclose(proba.sum(axis=1), 1, rtol=1e-12)


def test_a_class_of_one_row():
    model = OneClassClassifier(gamma=1.0).fit([[0.0], [0.1], [5.0]], ["a", "a", "b"])
    assert_array_equal(model.predict([[0.2], [4.0]]), ["a", "b"])
