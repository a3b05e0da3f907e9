"""Naive Bayes with pooled variances: the book's numbers, planes for boundaries."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_iris

from assay.bayes import GaussianNB, LinearDiscriminantAnalysis, SharedDiagonalNB
from assay.errors import DegenerateError

T5 = np.array([(1, 2), (2, 3), (3, 3), (4, 5), (5, 7), (4, 1), (5, 3), (6, 2), (7, 3), (8, 6), (6, 3)], float)
T5_CLASS = np.repeat([1, 2], [5, 6])


# Oracle: IML 5.5, T5 at (5, 4), row "shared, diagonal"; 5-24 as printed has no determinant.
@pytest.mark.capability("IML-5-13")
def test_shared_diagonal_of_the_book():
    model = SharedDiagonalNB(var_smoothing=0).fit(T5, T5_CLASS)
    assert_allclose(model.var_, [[20 / 11, 30 / 11]] * 2, rtol=1e-12)
    assert_allclose(
        model.predict_joint_log_proba([[5, 4]])[0] + np.log(2 * np.pi), [-2.689027, -1.865039], atol=5e-7
    )
    printed = -0.5 * ((np.array([5, 4]) - model.theta_) ** 2 / model.var_).sum(axis=1) + np.log(
        [5 / 11, 6 / 11]
    )
    assert_allclose(printed, [-1.888457, -1.064469], atol=5e-7)
    assert_allclose(model.predict_proba([[5, 4]]), [[0.304918, 0.695082]], atol=5e-7)
    assert_array_equal(model.predict(T5), T5_CLASS)


@pytest.mark.capability("IML-5-21")
def test_log_odds_are_linear_in_the_columns():
    X, y = load_iris(return_X_y=True)
    model = SharedDiagonalNB().fit(X, y)
    d = model.discriminants()
    assert d.W is None
    log = model.predict_log_proba(X)
    W, w, w0 = d.log_odds(2, 1)
    assert_allclose(X @ w + w0, log[:, 2] - log[:, 1], rtol=1e-9, atol=1e-9)


def test_one_column_is_the_linear_discriminant():
    X, y = load_iris(return_X_y=True)
    ours = SharedDiagonalNB(var_smoothing=0).fit(X[:, [2]], y)
    assert_allclose(
        ours.predict_proba(X[:, [2]]),
        LinearDiscriminantAnalysis().fit(X[:, [2]], y).predict_proba(X[:, [2]]),
        atol=1e-10,
    )


def test_equal_variances_give_the_answer_of_own_variances():
    X, y = np.array([[0.0, 1.0], [2.0, 3.0], [5.0, 9.0], [7.0, 7.0]]), [0, 0, 1, 1]
    assert_allclose(
        SharedDiagonalNB().fit(X, y).predict_proba(X), GaussianNB().fit(X, y).predict_proba(X), rtol=1e-9
    )


def test_weights_mean_repeated_rows():
    X, y = load_iris(return_X_y=True)
    w = np.random.default_rng(0).integers(0, 3, 150)
    weighted = SharedDiagonalNB(var_smoothing=0.1).fit(X, y, w)
    assert_allclose(
        weighted.var_, SharedDiagonalNB(var_smoothing=0.1).fit(np.repeat(X, w, 0), np.repeat(y, w)).var_
    )


def test_a_class_with_one_row_shares_the_others_variance():
    model = SharedDiagonalNB(var_smoothing=0, priors=[0.5, 0.5]).fit([[0.0], [2.0], [5.0]], [0, 0, 1])
    assert_allclose(model.predict_proba([[3.0]]), [[0.5, 0.5]], atol=1e-12)


def test_constant_columns_need_the_added_variance():
    X, y = load_digits(return_X_y=True)
    assert SharedDiagonalNB().fit(X, y).score(X, y) > 0.85
    with pytest.raises(DegenerateError, match="column x0 has variance 0"):
        SharedDiagonalNB(var_smoothing=0).fit(X, y)
