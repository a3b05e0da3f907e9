"""Solving least squares from sums: against the book's normal equations and NumPy's SVD."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from assay.core.moments import class_scatter
from assay.errors import DataError
from assay.linear.least_squares import Triangle, problem_of, solve, solve_rows, summarize

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
    found = np.linalg.lstsq(A, B, rcond=None)[0]
    return found[:d], found[d] if intercept != "none" else np.zeros(Y.shape[1])


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


@settings(max_examples=25, deadline=None)
@given(seed=seeds, cut=st.integers(1, 39))
def test_sums_of_two_parts_are_the_sums_of_all_rows(seed, cut):
    X, Y, v = table(seed)
    whole = summarize(X, Y, v)
    both = summarize(X[:cut], Y[:cut], v[:cut]) + summarize(X[cut:], Y[cut:], v[cut:])
    assert_allclose(both.moments.mean, whole.moments.mean, rtol=1e-12)
    scale = np.sqrt(np.diag(whole.moments.scatter[0]))
    assert_allclose(
        both.moments.scatter[0] / np.outer(scale, scale),
        whole.moments.scatter[0] / np.outer(scale, scale),
        atol=1e-13,
    )


def test_few_rows_are_kept_as_they_are_until_their_sums_are_shorter():
    X, Y, v = table(1)
    few = summarize(X[:2], Y[:2], None) + summarize(X[2:4], Y[2:4], v[2:4])
    assert few.moments is None and few.kept.X.shape == (4, 5)
    assert_allclose(few.kept.w, [1, 1, v[2], v[3]])
    many = few + summarize(X[4:8], Y[4:8], None)
    assert many.kept is None
    assert_allclose(many.moments.count, [6 + v[2] + v[3]])


@settings(max_examples=25, deadline=None)
@given(seed=seeds)
def test_sparse_rows_have_the_same_sums(seed):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((30, 4)) < 0.6, 0.0, rng.normal(size=(30, 4)))
    y, codes, w = rng.normal(size=30), rng.integers(0, 3, 30), rng.uniform(0, 2, 30)
    for target, classes, pooled in ((y, 0, True), (codes, 3, True), (codes, 3, False)):
        a = summarize(X, target, w, classes, pooled).moments
        b = summarize(csr_array(X), target, w, classes, pooled).moments
        for name in ("count", "rows", "mean", "scatter"):
            assert_allclose(getattr(b, name), getattr(a, name), atol=1e-12, err_msg=name)


@settings(max_examples=25, deadline=None)
@given(seed=seeds, pooled=st.booleans())
def test_classes_are_regressed_without_making_their_targets(seed, pooled):
    """Targets and weights of classes, chosen after adding up, give the sums of rows that had them from the start."""
    rng = np.random.default_rng(seed)
    X, codes, w = rng.normal(size=(30, 3)) + 5, np.arange(30) % 3, rng.uniform(0.1, 2, 30)
    T = rng.normal(size=(3, 2))
    factors = np.ones(3) if pooled else rng.uniform(0.5, 2, 3)
    found = problem_of(class_scatter(X, codes, w, 3, pooled), 3, T, None if pooled else factors)
    direct = problem_of(summarize(X, T[codes], w * factors[codes]).moments, 3)
    for name in ("n", "mean", "target", "S", "C"):
        assert_allclose(getattr(found, name), getattr(direct, name), atol=1e-11, err_msg=name)


@settings(max_examples=25, deadline=None)
@given(seed=seeds, cut=st.integers(1, 39))
def test_triangles_of_two_parts_add_up_to_the_triangle_of_all_rows(seed, cut):
    X, Y, v = table(seed)
    mean, scale, target = X.mean(axis=0), X.std(axis=0), Y.mean(axis=0)
    parts = [Triangle.of(X[s], Y[s], v[s], mean, scale, target) for s in (slice(0, cut), slice(cut, None))]
    R = (parts[0] + parts[1]).R
    Z = np.hstack(((X - mean) / scale, Y - target)) * np.sqrt(v)[:, None]
    assert_allclose(R.T @ R, Z.T @ Z, atol=1e-10 * len(X))


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


def test_columns_that_are_never_stored_are_too_many_to_be_multiplied_with_each_other():
    with pytest.raises(DataError, match="30000 sparse columns"):
        summarize(csr_array((30_001, 30_000)), np.zeros(30_001), None)
