"""Least squares in the scaled basis, against the singular values of all rows and the gradient."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import DegenerateWarning
from assay.linear.regression.polynomial_basis import PolynomialBasis, exponents
from assay.linear.regression.polynomial_regressor import PolynomialRegressor
from assay.linear.regression.polynomial_solver import curve, fit_polynomial


@settings(max_examples=30, deadline=None)
@given(
    n=st.sampled_from([8, 40, 500]), degree=st.integers(0, 3), p=st.integers(0, 3), seed=st.integers(0, 99)
)
def test_the_gradient_vanishes(n, degree, p, seed):
    """ZᵀW(y - Zc) = PᵀPc, for few and for many rows, with and without a penalty."""
    random = np.random.default_rng(seed)
    X, y, w = random.uniform(-1, 1, (n, 2)), random.normal(size=(n, 2)), random.uniform(0.1, 2, n)
    basis = PolynomialBasis(exponents(np.full(2, degree), degree), np.zeros(2), np.ones(2))
    P = random.normal(size=(p, len(basis.powers)))
    result = fit_polynomial(basis, X, y, w, P)
    Z = basis.columns(X)
    residual = y - Z @ result.weights
    assert_allclose(Z.T @ (w[:, None] * residual), P.T @ P @ result.weights, atol=1e-9 * n)
    assert_allclose(result.sse, np.sum(w[:, None] * residual**2, axis=0), rtol=1e-8, atol=1e-12)
    assert_allclose(curve(basis, result.weights, X), Z @ result.weights, atol=1e-12)
    hat = np.linalg.pinv(Z.T @ (w[:, None] * Z) + P.T @ P)
    assert_allclose(result.parameters, np.trace(hat @ Z.T @ (w[:, None] * Z)), rtol=1e-6)


@pytest.mark.parametrize("alpha", [0.0, 5.0])
def test_many_rows_are_fitted_as_few_are(monkeypatch, alpha):
    """Sums of squares with one step of refinement give the digits of the singular values, also over several blocks."""
    random = np.random.default_rng(0)
    X, Y, w = (
        random.normal(size=(9000, 2)),
        random.normal(size=(9000, 2)) * [1, 1e6],
        random.uniform(0, 2, 9000),
    )
    many = PolynomialRegressor(6, alpha=alpha).fit(X, Y, w)
    monkeypatch.setattr("assay.linear.regression.polynomial_solver.MANY_ROWS", 10**9)
    few = PolynomialRegressor(6, alpha=alpha).fit(X, Y, w)
    assert_allclose(many.predict(X), few.predict(X), rtol=1e-9, atol=1e-9)
    assert_allclose(many.coef_, few.coef_, rtol=1e-7, atol=1e-10)
    assert_allclose(many.predict_band(X[:9]), few.predict_band(X[:9]), rtol=1e-9)
    assert_allclose([many.n_parameters_, *many.sigma_], [few.n_parameters_, *few.sigma_], rtol=1e-9)


def test_many_rows_with_dependent_terms():
    t = np.random.default_rng(0).normal(size=3000)
    X = np.column_stack([t, 2 * t])
    with pytest.warns(DegenerateWarning, match="6 terms, but the 3000 rows determine 3 only"):
        model = PolynomialRegressor(2).fit(X, t**2)
    assert_allclose(model.predict(X), t**2, atol=1e-9)
