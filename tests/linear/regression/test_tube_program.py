"""Losses with corners: the interior-point method against linear programs of HiGHS, and against its own conditions."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import linprog
from scipy.sparse import csr_array

from assay.linear.regression.tube_program import Program, fit_tube, solve_tube


def by_linear_programming(program):
    """The value of (2) without P: variables beta, s above and s below."""
    X, y, above, below, epsilon, _ = program[:6]
    n, d = X.shape
    cost = np.concatenate((np.zeros(d), above, below))
    A = np.block([[-X, -np.eye(n), np.zeros((n, n))], [X, np.zeros((n, n)), -np.eye(n)]])
    b = np.concatenate((epsilon - y, epsilon + y))
    return linprog(cost, A, b, bounds=[(None, None)] * d + [(0, None)] * (2 * n)).fun


def drawn(seed, ridge=False):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(6, 30)), int(rng.integers(1, 5))
    stiff = rng.uniform(0.1, 2, d) if ridge else np.zeros(d)
    X, y = rng.normal(size=(n, d)), rng.normal(size=n) * 3
    return Program(X, y, rng.uniform(0.1, 2, n), rng.uniform(0.1, 2, n), rng.uniform(0, 1, n), stiff)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_value_is_that_of_the_linear_program(seed):
    program = drawn(seed)
    result = solve_tube(program)
    assert result.converged
    assert_allclose(program.value(result.beta), by_linear_programming(program), rtol=1e-9, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_with_a_ridge_some_subgradient_is_zero(seed):
    """P beta = X'a, where a is the price outside of the tube, 0 inside, and between them on its border."""
    program = drawn(seed, ridge=True)
    result = solve_tube(program)
    r = program.y - program.X @ result.beta
    high, low = r - program.epsilon, r + program.epsilon
    on = (np.abs(high) < 1e-7) | (np.abs(low) < 1e-7)
    a = np.where(high > 0, program.above, np.where(low < 0, -program.below, 0.0)) * ~on
    left = program.ridge * result.beta - a @ program.X  # what rows on the border must supply
    supply = program.X[on].T
    share = np.linalg.lstsq(supply, left, rcond=None)[0] if on.any() else np.zeros(0)
    assert_allclose(supply @ share, left, atol=1e-6)
    lower = np.where(np.abs(high[on]) < 1e-7, 0.0, -program.below[on])
    upper = np.where(np.abs(high[on]) < 1e-7, program.above[on], 0.0)
    both = 2 * program.epsilon[on] < 1e-7
    assert ((share >= np.where(both, -program.below[on], lower) - 1e-6) & (share <= upper + 1e-6)).all()


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_sparse_rows_and_shuffled_rows_give_the_same_answer(seed):
    program = drawn(seed, ridge=True)
    result = solve_tube(program).beta
    assert_allclose(solve_tube(program._replace(X=csr_array(program.X))).beta, result, atol=1e-8)
    mixed = np.random.default_rng(seed).permutation(len(program.y))
    parts = (part[mixed] for part in program[:5])
    assert_allclose(solve_tube(Program(*parts, program.ridge)).beta, result, atol=1e-8)


def test_an_answer_without_ridge_is_a_corner_exactly():
    """As many rows as there are weights are met to the last digit."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    one = np.ones(50)
    beta = solve_tube(Program(X, y, one, one, 0 * one, np.zeros(3))).beta
    assert np.sum(np.abs(y - X @ beta) < 1e-13) == 3


def test_units_of_columns_and_target_do_not_matter():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(60, 3)) + 1, rng.standard_t(2, size=60)
    plain = fit_tube(X, y, None, epsilon=0.2, ridge=0.01)
    scale, size = 10.0 ** np.array([-9.0, 0.0, 9.0]), 1e6
    other = fit_tube(X * scale, y * size, None, epsilon=0.2 * size, ridge=0.0)
    free = fit_tube(X, y, None, epsilon=0.2, ridge=0.0)
    assert_allclose(other.coef * scale / size, free.coef, rtol=1e-6, atol=1e-8)
    rescaled = fit_tube(X, y * size, None, epsilon=0.2 * size, ridge=0.01 / size)
    assert_allclose(rescaled.coef / size, plain.coef, atol=1e-8)
