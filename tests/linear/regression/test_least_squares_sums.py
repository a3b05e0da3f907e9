"""Sums of least squares: blocks, few rows, sparse rows, classes and triangles."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from assay.core.moments import class_scatter
from assay.errors import DataError
from assay.linear.regression.least_squares_sums import Triangle, problem_of, summarize

seeds = st.integers(0, 10**6)


def table(seed, n=40, d=5, q=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d) + rng.normal(size=d)
    return X, rng.normal(size=(n, q)) + 3, rng.uniform(0.0, 2.0, n)


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


@pytest.mark.parametrize(("classes", "pooled"), [(0, True), (3, True), (3, False)])
def test_sparse_columns_far_from_zero_have_the_same_sums(classes, pooled):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((30, 3)) < 0.6, 0.0, rng.normal(size=(30, 3)))
    X[:, 1] = 1e7 + rng.normal(size=30)
    w = np.where(np.arange(30) < 2, 0.0, rng.uniform(0.5, 2, 30))
    y = np.arange(30) % 3 if classes else 1e6 + rng.normal(size=30)
    a = summarize(X, y, w, classes, pooled).moments
    b = summarize(csr_array(X), y, w, classes, pooled).moments
    assert_allclose(b.mean + b.low, a.mean + a.low, rtol=1e-15)
    assert_allclose(b.scatter, a.scatter, rtol=1e-7, atol=1e-7)


@settings(max_examples=25, deadline=None)
@given(seed=seeds, pooled=st.booleans())
def test_classes_are_regressed_without_making_their_targets(seed, pooled):
    """Targets and weights of classes, chosen after adding up, give the sums of rows that had them from the start."""
    rng = np.random.default_rng(seed)
    X, codes, w = rng.normal(size=(30, 3)) + 5, np.arange(30) % 3, rng.uniform(0.1, 2, 30)
    T = rng.normal(size=(3, 2))
    factors = np.ones(3) if pooled else rng.uniform(0.5, 2, 3)
    result = problem_of(class_scatter(X, codes, w, 3, pooled), 3, T, None if pooled else factors)
    direct = problem_of(summarize(X, T[codes], w * factors[codes]).moments, 3)
    for name in ("n", "mean", "target", "S", "C"):
        assert_allclose(getattr(result, name), getattr(direct, name), atol=1e-11, err_msg=name)


@settings(max_examples=25, deadline=None)
@given(seed=seeds, cut=st.integers(1, 39))
def test_triangles_of_two_parts_add_up_to_the_triangle_of_all_rows(seed, cut):
    X, Y, v = table(seed)
    mean, scale, target = X.mean(axis=0), X.std(axis=0), Y.mean(axis=0)
    parts = [Triangle.of(X[s], Y[s], v[s], mean, scale, target) for s in (slice(0, cut), slice(cut, None))]
    R = (parts[0] + parts[1]).R
    Z = np.hstack(((X - mean) / scale, Y - target)) * np.sqrt(v)[:, None]
    assert_allclose(R.T @ R, Z.T @ Z, atol=1e-10 * len(X))


def test_columns_that_are_never_stored_are_too_many_to_be_multiplied_with_each_other():
    with pytest.raises(DataError, match="30000 sparse columns"):
        summarize(csr_array((30_001, 30_000)), np.zeros(30_001), None)
