"""Quadratic scores: the triangle that whitens, and the judgement on rank."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import assay.bayes._own_covariances as _own_covariances
from assay.bayes.own_covariances import _rank, _triangle


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), d=st.integers(1, 6), rank=st.integers(0, 6))
def test_a_covariance_of_full_rank_is_whitened_and_another_is_refused(seed, d, rank):
    rng = np.random.default_rng(seed)
    units = 10.0 ** rng.integers(-5, 6, d)
    A = np.linalg.qr(rng.normal(size=(d, d)))[0][:, :rank] * units[:, None]
    S = A @ A.T
    triangle = _triangle(S, 1e-4)
    assert _rank(S, 1e-4) == min(rank, d)
    if rank < d:
        assert triangle is None
    else:
        assert_allclose(triangle, np.tril(triangle))
        assert_allclose(triangle @ S @ triangle.T, np.eye(d), atol=1e-8)


def test_the_tolerance_decides_in_units_of_the_columns():
    def tied(strength):
        return np.array([[1.0, 1 - strength], [1 - strength, 1.0]])  # eigenvalues strength and 2 - strength

    assert _triangle(tied(1.1e-8), 1e-4) is not None and _triangle(tied(0.9e-8), 1e-4) is None
    assert _triangle(tied(1e-6) * 1e-12, 1e-4) is not None
    assert _triangle(tied(0.9e-8), 0.0) is not None
    assert _triangle(np.zeros((2, 2)), 0.0) is None


def scores_by_the_book(X, means, triangles, constants):
    """Twin of the native code: one matrix product a class."""
    d = X.shape[1]
    return np.column_stack(
        [
            c - 0.5 * np.sum(((X - m) @ np.tril(A).T) ** 2, axis=1)
            for m, A, c in zip(means, triangles.reshape(-1, d, d), constants)
        ]
    )


@pytest.mark.parametrize("n", [1, 7, 8, 9, 40])
@pytest.mark.parametrize("d", [1, 3, 4, 5, 11, 64])
def test_the_kernel_is_its_twin(n, d):
    rng = np.random.default_rng(100 * n + d)
    X, means = rng.normal(size=(n, d)), rng.normal(size=(3, d))
    triangles = np.tril(rng.normal(size=(3, d, d))).reshape(-1, d)
    constants = np.array([0.5, -np.inf, 2.0])
    out = np.full((n, 3), np.nan)
    _own_covariances.scores(X, means, triangles, constants, out)
    assert_allclose(out, scores_by_the_book(X, means, triangles, constants), rtol=1e-12, atol=1e-12)


def test_the_kernel_refuses_arrays_that_do_not_fit():
    X, means, A, c = np.zeros((4, 2)), np.zeros((3, 2)), np.zeros((6, 2)), np.zeros(3)
    for wrong in (
        (X, means[:2], A, c, np.empty((4, 3))),
        (X, means, A[:5], c, np.empty((4, 3))),
        (X, means, A, c, np.empty((3, 3))),
        (np.zeros((4, 3)), means, A, c, np.empty((4, 3))),
    ):
        with pytest.raises(ValueError, match="a row for each class"):
            _own_covariances.scores(*wrong)
