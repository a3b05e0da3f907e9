"""W, w and w0 of linear learners on products (IML 10.2, 10.7.2)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import linear_model, preprocessing
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.pipeline import make_pipeline

from assay.errors import DataError, ParameterError
from assay.linear.logistic.logistic_regression import LogisticRegression
from assay.linear.quadratic_form import QuadraticForm, quadratic_form
from assay.prepare import MinMaxScaler, StandardScaler
from assay.prepare.polynomial_features import PolynomialFeatures

Z = StandardScaler().fit_transform(load_iris().data)
KINDS = load_iris().target


@pytest.mark.capability("IML-10-02")
@pytest.mark.parametrize("bias", [False, True])
def test_the_form_is_the_linear_score_on_products(bias):
    """IML 10-2: one form a class."""
    model = make_pipeline(PolynomialFeatures(include_bias=bias), LogisticRegression()).fit(Z, KINDS)
    scores = model.decision_function(Z)
    forms = quadratic_form(model)
    for k, form in enumerate(forms):
        assert_array_equal(form.W, form.W.T)
        assert_allclose(form(Z), scores[:, k], atol=1e-9)


@pytest.mark.capability("IML-10-02")
@pytest.mark.parametrize(
    "before", [None, StandardScaler(), MinMaxScaler(), preprocessing.StandardScaler(with_std=False)]
)
@pytest.mark.parametrize(
    "after", [None, StandardScaler(), MinMaxScaler(), preprocessing.StandardScaler(with_mean=False)]
)
def test_scalers_are_undone(before, after):
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :3]
    steps = [before, PolynomialFeatures(include_bias=False), after, linear_model.RidgeClassifier()]
    model = make_pipeline(*[step for step in steps if step is not None]).fit(X, y)
    scores = model.decision_function(X)
    assert_allclose(quadratic_form(model)(X), scores, atol=1e-7 * np.abs(scores).max())


@pytest.mark.capability("IML-10-02", "IML-10-19")
def test_the_class_between_two_and_four():
    """IML exercise 10-9: g = (x - 3)^2 - 1 and its sigmoid at 1, 2, 2.5, 3, 4, 5."""
    g = quadratic_form(coef=[-6.0, 1.0], intercept=8.0, powers=[[1], [2]])
    x = np.array([[1.0], [2], [2.5], [3], [4], [5]])
    assert_allclose(g(x), [3, 0, -0.75, -1, 0, 3], atol=1e-12)
    assert_allclose(1 / (1 + np.exp(-g(x))), [0.952574, 0.5, 0.320821, 0.268941, 0.5, 0.952574], atol=1e-6)


def test_a_circle_is_found():
    """Two classes, inside and outside the unit circle around (1, 2)."""
    random = np.random.default_rng(0)
    X = random.uniform([-1, 0], [3, 4], (400, 2))
    y = np.hypot(X[:, 0] - 1, X[:, 1] - 2) > 1
    form = quadratic_form(
        make_pipeline(PolynomialFeatures(include_bias=False), LogisticRegression(C=1e4)).fit(X, y)
    )
    conic = form.conic
    assert conic.kind == "ellipse"
    assert_allclose(conic.center, [1, 2], atol=0.05)
    assert_allclose(conic.semi_axes, [1, 1], atol=0.06)


@pytest.mark.capability("IML-10-19")
@settings(max_examples=30, deadline=None)
@given(d=st.integers(1, 6), seed=st.integers(0, 99))
def test_low_rank_keeps_the_leading_eigenvectors(d, seed):
    """The nearest matrix of that rank: what is lost are the small eigenvalues (Eckart and Young)."""
    A = np.random.default_rng(seed).normal(size=(d, d))
    form = QuadraticForm(A + A.T, np.ones(d), 2.0)
    sizes = np.sort(np.abs(np.linalg.eigvalsh(form.W)))[::-1]
    for rank in range(d + 1):
        low = form.low_rank(rank)
        assert np.linalg.matrix_rank(low.W, tol=1e-9) <= rank
        assert_allclose(np.linalg.norm(form.W - low.W), np.sqrt(np.sum(sizes[rank:] ** 2)), atol=1e-9)
        assert_array_equal(low.w, form.w)
        assert low.w0 == 2.0
    assert_allclose(form.low_rank(d).W, form.W, atol=1e-9)


@pytest.mark.capability("IML-10-19")
def test_low_rank_of_a_fitted_discriminant():
    """IML 10.7.2: one curved direction planted among five; a form of rank 1 answers as well as all of W."""
    random = np.random.default_rng(0)
    X = random.normal(size=(600, 5))
    y = (X @ [1.0, -1, 0.5, 0, 0]) ** 2 > 1.5
    model = make_pipeline(PolynomialFeatures(include_bias=False), LogisticRegression(C=1.0)).fit(X, y)
    full = quadratic_form(model)
    low = full.low_rank(1)
    assert np.mean((low(X) > 0) == y) > 0.97
    direction = np.linalg.eigh(low.W)[1][:, -1]
    assert abs(direction @ [1.0, -1, 0.5, 0, 0]) / 1.5 > 0.99
    assert np.mean((full.low_rank(0)(X) > 0) == y) < 0.9


def test_what_is_no_quadratic_is_said():
    cubic = make_pipeline(PolynomialFeatures(3), LogisticRegression(max_iter=1000)).fit(Z[:, :2], KINDS)
    with pytest.raises(DataError, match="more than two factors"):
        quadratic_form(cubic)
    with pytest.raises(DataError, match="expected a fitted pipeline"):
        quadratic_form(LogisticRegression().fit(Z, KINDS))
    with pytest.raises(DataError, match="QuantileTransformer is no scaler"):
        quadratic_form(
            make_pipeline(
                preprocessing.QuantileTransformer(n_quantiles=10), PolynomialFeatures(), LogisticRegression()
            ).fit(Z, KINDS)
        )
    with pytest.raises(ParameterError, match="give a fitted pipeline"):
        quadratic_form(coef=[1.0])
    with pytest.raises(DataError, match="one coefficient for each of 2 terms"):
        quadratic_form(coef=[1.0], powers=[[1], [2]])
    with pytest.raises(ParameterError, match="rank"):
        QuadraticForm(np.eye(2), np.zeros(2), 0.0).low_rank(3)


def test_what_is_not_quadratic_is_refused():
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = make_pipeline(
        MinMaxScaler(clip=True), PolynomialFeatures(2), linear_model.LinearRegression()
    ).fit(X, X[:, 0])
    with pytest.raises(DataError, match="MinMaxScaler with clip=True is not linear"):
        quadratic_form(model)
    with pytest.raises(ParameterError, match=r"rank must be a whole number from 0 to 2, got 1\.5"):
        quadratic_form(coef=[1.0], powers=[[1, 1]]).low_rank(1.5)
