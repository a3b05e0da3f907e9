"""Quadratic scores: the triangle that whitens, and the judgement on rank."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

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
