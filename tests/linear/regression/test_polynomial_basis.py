"""The scaled basis spans the plain powers, and says how."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.linear.regression.polynomial_basis import PolynomialBasis, exponents


@settings(max_examples=40, deadline=None)
@given(d=st.integers(1, 3), degree=st.integers(0, 4), seed=st.integers(0, 99))
def test_to_plain_gives_the_same_polynomial(d, degree, seed):
    random = np.random.default_rng(seed)
    powers = exponents(np.full(d, degree), degree)
    basis = PolynomialBasis(powers, random.normal(size=d), random.uniform(0.5, 2, d))
    X, c = random.normal(size=(6, d)), random.normal(size=len(powers))
    plain = basis.to_plain().T @ c
    products = np.prod(X[:, None, :] ** powers, axis=2)
    assert_allclose(products @ plain, basis.columns(X) @ c, atol=1e-8 * np.abs(plain).max())


def test_terms_come_by_degree_and_within_their_limits():
    assert_array_equal(exponents(np.array([1, 2]), 3), [[0, 0], [1, 0], [0, 1], [1, 1], [0, 2], [1, 2]])
    assert_array_equal(exponents(np.array([0]), 3), [[0]])
    grouped = exponents(np.array([2, 1, 1]), 2, np.array([-1, 0, 0]))
    assert_array_equal(grouped, [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [2, 0, 0], [1, 1, 0], [1, 0, 1]])


def test_the_basis_is_well_conditioned_where_powers_are_not():
    year = np.linspace(1950, 2020, 100)[:, None]
    basis = PolynomialBasis(np.arange(13)[:, None], np.array([1985.0]), np.array([35.0]))
    assert np.linalg.cond(basis.columns(year)) < 100
    assert np.linalg.cond(year**basis.powers.T) > 1e15
