"""Regularised discriminant analysis: the book's numbers and its corners."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import GridSearchCV

from assay.bayes import (
    LinearDiscriminantAnalysis,
    NearestMean,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    SingularCovarianceError,
)
from assay.errors import ParameterError

T5 = np.array([(1, 2), (2, 3), (3, 3), (4, 5), (5, 7), (4, 1), (5, 3), (6, 2), (7, 3), (8, 6), (6, 3)], float)
T5_CLASS = np.repeat([1, 2], [5, 6])


# Oracle: IML 5.6, T5 at (5, 4).
@pytest.mark.capability("IML-5-19")
def test_a_blend_of_the_book():
    model = RegularizedDiscriminantAnalysis(alpha=0.3, beta=0.3).fit(T5, T5_CLASS)
    assert_allclose(model.discriminants()([[5, 4]])[0], [-3.106676, -2.297990], atol=5e-7)
    assert_allclose(model.predict_proba([[5, 4]]), [[0.308171, 0.691829]], atol=5e-7)


# Oracle: IML 5.5, rows 1, 3 and 5 of the T5 table.
@pytest.mark.capability("IML-5-19")
@pytest.mark.parametrize(
    ("alpha", "beta", "g", "p"),
    [(0, 0, -10.565314, 0.001350), (0, 1, -6.457012, 0.195434), (1, 0, -2.489438, 0.349254)],
)
def test_corners_of_the_book(alpha, beta, g, p):
    model = RegularizedDiscriminantAnalysis(alpha, beta).fit(T5, T5_CLASS)
    assert_allclose(model.discriminants()([[5, 4]])[0, 0], g, atol=5e-7)
    assert_allclose(model.predict_proba([[5, 4]])[0, 0], p, atol=5e-7)


CORNERS = {
    (0, 0): QuadraticDiscriminantAnalysis(),
    (0, 1): LinearDiscriminantAnalysis(),
    (1, 0): NearestMean(priors="empirical"),
}


@pytest.mark.capability("IML-5-19")
@pytest.mark.parametrize("corner", CORNERS, ids=str)
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_corners_are_the_other_learners(load, corner):
    X, y = load(return_X_y=True)
    w = np.random.default_rng(0).uniform(0.5, 2, len(y))
    ours = RegularizedDiscriminantAnalysis(*corner).fit(X, y, w)
    assert_allclose(ours.predict_proba(X), CORNERS[corner].fit(X, y, w).predict_proba(X), atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(a=st.floats(0, 1), b=st.floats(0, 1))
def test_covariances_are_the_blend(a, b):
    a, b = (a, b) if a + b <= 1 else (a / 2, b / 2)
    model = RegularizedDiscriminantAnalysis(a, b).fit(T5, T5_CLASS)
    S = np.array([[[2, 2.4], [2.4, 3.2]], [[5 / 3, 5 / 3], [5 / 3, 7 / 3]]])
    pooled = np.array([[20 / 11, 2], [2, 30 / 11]])
    assert_allclose(
        model.covariance_, a * 25 / 11 * np.eye(2) + b * pooled + (1 - a - b) * S, rtol=1e-9, atol=1e-14
    )


def test_more_than_everything_is_refused():
    with pytest.raises(ParameterError, match=r"alpha \+ beta must be at most 1, got 0.7 \+ 0.5"):
        RegularizedDiscriminantAnalysis(0.7, 0.5).fit(T5, T5_CLASS)


def test_a_little_sphere_makes_singular_classes_harmless():
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, X[:, 0], np.ones(150)])
    with pytest.raises(SingularCovarianceError, match="Raise alpha"):
        RegularizedDiscriminantAnalysis(0, 0.5).fit(X, y)
    assert RegularizedDiscriminantAnalysis(0.01, 0.5).fit(X, y).score(X, y) > 0.95


def test_a_class_with_one_row_lives_from_the_others():
    model = RegularizedDiscriminantAnalysis(0.1, 0.4).fit([[0.0], [2.0], [4.0]], [0, 0, 1])
    assert_allclose(model.covariance_.ravel(), [2 / 3 * 0.5 + 0.5, 2 / 3 * 0.5])
    assert_array_equal(model.predict([[0.5], [4.0]]), [0, 1])


def test_cross_validation_chooses_the_blend():
    X, y = load_wine(return_X_y=True)
    grid = {"alpha": [0.0, 0.1, 0.3], "beta": [0.0, 0.3, 0.7]}
    search = GridSearchCV(RegularizedDiscriminantAnalysis(), grid, cv=5).fit(X, y)
    assert search.best_score_ > 0.95
    assert set(search.best_params_) == {"alpha", "beta"}
