"""Solving least squares from sums: against the book's normal equations and NumPy's SVD."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.linear.regression.least_squares import solve, solve_rows
from assay.linear.regression.least_squares_sums import Triangle, problem_of, summarize

seeds = st.integers(0, 10**6)


def by_the_book(X, Y, v, alpha, intercept):
    """Penalised weighted least squares from stacked rows: sqrt(v) (x, 1), and one row for each penalised weight."""
    n, d = X.shape
    root = np.sqrt(v)[:, None]
    ones = np.ones((n, 0 if intercept == "none" else 1))
    A = np.hstack((X, ones)) * root
    extra = np.sqrt(alpha) * np.eye(d, A.shape[1])
    if intercept == "penalised":
        extra = np.sqrt(alpha) * np.eye(A.shape[1])
    A, B = np.vstack((A, extra)), np.vstack((Y * root, np.zeros((len(extra), Y.shape[1]))))
    result = np.linalg.lstsq(A, B, rcond=None)[0]
    return result[:d], result[d] if intercept != "none" else np.zeros(Y.shape[1])


def table(seed, n=40, d=5, q=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d) + rng.normal(size=d)
    return X, rng.normal(size=(n, q)) + 3, rng.uniform(0.0, 2.0, n)


@settings(max_examples=40, deadline=None)
@given(
    seed=seeds,
    intercept=st.sampled_from(["free", "none", "penalised"]),
    alpha=st.sampled_from([0.0, 0.1, 10.0]),
)
def test_weights_are_those_of_the_stacked_rows(seed, intercept, alpha):
    X, Y, v = table(seed)
    for n in (40, 4):  # more rows than columns, and fewer
        x, y, w = X[:n], Y[:n], v[:n]
        if n == 40:
            answer = solve(problem_of(summarize(x, y, w).moments, 5), alpha, intercept)
        else:
            answer = solve_rows(x, y, w, alpha, intercept)
        W, b = by_the_book(x, y, w, alpha, intercept)
        fitted = x @ W + b
        assert_allclose(x @ answer.weights + answer.constant, fitted, atol=1e-7 * np.abs(y).max())
        if alpha or n == 40:
            size = np.abs(W).max(axis=1, keepdims=True)
            assert_allclose(answer.weights / size, W / size, atol=1e-6)


def test_a_second_look_keeps_the_digits_that_squaring_loses():
    """A polynomial of degree 9: the condition of its columns is 6e7, squared it is beyond double precision."""
    x = np.linspace(0, 2, 60)
    X, w = np.column_stack([x**k for k in range(1, 10)]), np.ones(9)
    y = (X @ w)[:, None]
    problem = problem_of(summarize(X, y, None).moments, 9)
    looked = []

    def again(scale):
        looked.append(scale)
        return Triangle.of(X, y, None, problem.mean, scale, problem.target)

    assert_allclose(solve(problem, 0.0, "free", again=again).weights[:, 0], w, rtol=1e-6)
    assert len(looked) == 1
    assert np.abs(solve(problem, 0.0, "free").weights[:, 0] - w).max() > 1e-6


def test_no_second_look_where_none_is_needed():
    X, Y, v = table(3)

    def again(scale):
        raise AssertionError("the columns are far from collinear")

    solve(problem_of(summarize(X, Y, v).moments, 5), 0.0, "free", again=again)


@pytest.mark.parametrize("scale", [[1.0, 1.0, 1.0, 1.0], [1e-9, 1.0, 1e9, 1e3]])
def test_of_dependent_columns_the_shortest_weights_are_given_whatever_their_scale(scale):
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(50, 3))
    X = np.column_stack((Z, Z[:, 0] + Z[:, 1]))
    y = (X @ [1.0, 2.0, 3.0, 4.0])[:, None]
    A = X * scale
    problem = problem_of(summarize(A, y, None).moments, 4)

    def again(s):
        return Triangle.of(A, y, None, problem.mean, s, problem.target)

    far, near = (
        solve(problem, 0.0, "free", again=again),
        solve(problem, 0.0, "free"),
    )  # near: from the sums alone
    for answer, tolerance in ((far, 1e-9), (near, 1e-6)):
        assert (answer.rank, answer.loose) == (3, 1)
        assert_allclose(A @ answer.weights + answer.constant, y, atol=tolerance * 10)
        null = np.array([1.0, 1.0, 0.0, -1.0]) / scale
        along = null / np.linalg.norm(null) @ answer.weights
        assert abs(along[0]) <= tolerance * np.linalg.norm(answer.weights)
