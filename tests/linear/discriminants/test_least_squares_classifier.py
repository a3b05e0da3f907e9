"""Least squares as a classifier, and what it has to do with Fisher's discriminant."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.datasets import load_breast_cancer, load_iris

from assay.bayes import FisherDiscriminant
from assay.errors import DataError
from assay.linear.discriminants.least_squares_classifier import LeastSquaresClassifier
from assay.linear.regression.linear_regression import LinearRegression
from assay.stats import class_scatter
from assay.tables.data import load_charity_donors

DONORS = load_charity_donors()
AGE_SALARY = DONORS.X.values
SCALED = AGE_SALARY / [50.0, 50_000.0]
GAVE = np.asarray(DONORS.y)


@pytest.mark.capability("DC-14")
def test_charity_donors_with_fishers_codes():
    """Oracle: DC 10.2.1.4: targets -11/5 and 11/6 give (b, w) = (-7.220297, 2.965612, 4.297372)."""
    model = LeastSquaresClassifier(coding="fisher").fit(SCALED, GAVE)
    assert_allclose(model.coding_.ravel(), [-11 / 5, 11 / 6])
    assert_allclose([model.intercept_[0], *model.coef_[0]], [-7.220297, 2.965612, 4.297372], atol=5e-7)
    direction = model.coef_[0] / np.linalg.norm(model.coef_[0])
    assert_allclose(direction, [0.567980, 0.823042], atol=5e-7)
    assert_array_equal(model.predict(SCALED), GAVE)


@pytest.mark.capability("DC-14")
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), coding=st.sampled_from(["fisher", "signs", "indicators"]))
def test_any_two_codes_give_fishers_direction(seed, coding):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 3)) + 2, (rng.random(40) < 0.3).astype(int)
    y[:2] = [0, 1]
    X[y == 1] += [1.0, -0.5, 2.0]
    w = LeastSquaresClassifier(coding=coding).fit(X, y).coef_[0]
    assert_allclose(w / np.linalg.norm(w), FisherDiscriminant().fit(X, y).direction_, atol=1e-9)


@pytest.mark.capability("DC-15")
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_scatter_within_and_between_make_the_covariance_whatever_the_labels(seed):
    """DC 10.2.1.4, exercise 21: S_w + p0 p1 S_b = Cov(D), with S_w = p0 C_0 + p1 C_1 and S_b = (m1 - m0)(m1 - m0)'."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 3)) @ rng.normal(size=(3, 3))
    y = rng.integers(0, 2, 25)
    y[:2] = [0, 1]
    s = class_scatter(X, y)
    p0, p1 = s.counts / 25
    assert_allclose(s.within / 25 + p0 * p1 * s.difference, np.cov(X.T, bias=True), atol=1e-12)


@pytest.mark.capability("DC-15")
def test_scatter_of_the_charity_donors():
    """Oracle: DC 10.2.1.4."""
    s = class_scatter(SCALED, GAVE)
    assert_allclose(s.within / 11, [[0.04182909, -0.01285091], [-0.01285091, 0.03354667]], atol=5e-9)
    total = s.within / 11 + (5 / 11) * (6 / 11) * s.difference
    assert_allclose(total, np.cov(SCALED.T, bias=True), rtol=1e-12)


@pytest.mark.capability("BC-08", "LS-17")
def test_rows_far_on_the_right_side_spoil_least_squares():
    """BC 5.2: two clouds that a line separates; far rows of the right class, and least squares no longer does."""
    near = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    y = np.array([0, 0, 1, 1])
    assert_allclose(LeastSquaresClassifier().fit(near, y).coef_, [[0.6]])
    assert_array_equal(LeastSquaresClassifier().fit(near, y).predict(near), y)
    X, labels = np.vstack((near, [[50.0], [60.0]])), np.append(y, [1, 1])
    spoiled = LeastSquaresClassifier().fit(X, labels)
    assert spoiled.predict(near).tolist() == [
        0,
        0,
        0,
        1,
    ]  # the row at 1 is lost, though a line still separates all


@pytest.mark.parametrize("coding", ["signs", "fisher", "indicators"])
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_scores_are_the_regression_on_the_codes(load, coding):
    X, y = load(return_X_y=True)
    w = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model = LeastSquaresClassifier(coding=coding).fit(X, y, w)
    direct = LinearRegression().fit(X, model.coding_[y], w)
    assert_allclose(model.coef_, np.atleast_2d(direct.coef_), rtol=1e-6, atol=1e-7)
    assert_allclose(
        model.decision_function(X).reshape(len(y), -1), direct.predict(X).reshape(len(y), -1), atol=1e-7
    )
    sparse = LeastSquaresClassifier(coding=coding).fit(csr_matrix(X), y, w)
    assert_allclose(sparse.decision_function(X), model.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("coding", ["signs", "fisher", "indicators"])
def test_blocks_and_rows_added_later_give_the_same_scores(coding):
    """The codes of "fisher" depend on the class shares of all rows, which no block knows."""
    X, y = load_iris(return_X_y=True)
    whole = LeastSquaresClassifier(coding=coding).fit(X, y)
    cuts = [slice(0, 60), slice(60, 150)]
    blocks = LeastSquaresClassifier(coding=coding).fit_blocks([(X[c], y[c]) for c in cuts])
    later = LeastSquaresClassifier(coding=coding)
    for c in cuts[::-1]:
        later.partial_fit(X[c], y[c], classes=[0, 1, 2])
    for model in (blocks, later):
        assert_allclose(model.decision_function(X), whole.decision_function(X), atol=1e-10)
        assert_allclose(model.coding_, whole.coding_)


def test_degenerate_tables():
    with pytest.raises(DataError, match=r"one class only, \w+\. Two"):
        LeastSquaresClassifier().fit([[1.0], [2.0]], [1, 1])
    X, y = load_iris(return_X_y=True)
    twice = LeastSquaresClassifier().fit(np.column_stack((X, X[:, 0])), y)
    once = LeastSquaresClassifier().fit(X, y)
    assert twice.rank_ == once.rank_ == 4
    assert_allclose(
        twice.decision_function(np.column_stack((X, X[:, 0]))), once.decision_function(X), atol=1e-9
    )
    wide = np.random.default_rng(1).normal(size=(10, 30))
    assert_array_equal(LeastSquaresClassifier().fit(wide, np.arange(10) % 2).predict(wide), np.arange(10) % 2)
    flat = LeastSquaresClassifier(alpha=1.0).fit(np.ones((6, 2)), [0, 0, 0, 0, 1, 1])
    assert_array_equal(flat.predict(np.ones((1, 2))), [0])
