"""The mode of the posterior of log odds, from several starts and with weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import expit

from assay.errors import DegenerateError
from assay.kernels import RBF
from assay.processes.classification.laplace import derivative_weights, find_mode, leave_one_out


def some(seed, n=40):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, 2))
    return A, (A[:, 0] + rng.normal(size=n) > 0).astype(float), rng.uniform(0.1, 5, n)


@settings(max_examples=20)
@given(seed=st.integers(0, 99), factor=st.floats(0.01, 1e4), scale=st.floats(0.05, 20))
def test_gradient_vanishes_at_the_mode_whatever_the_kernel(seed, factor, scale):
    A, t, w = some(seed)
    K = (factor * RBF(scale))(A)
    mode = find_mode(K, t, w)
    assert mode.converged
    assert_allclose(mode.f, K @ mode.a, rtol=1e-7, atol=1e-7 * factor)
    assert_allclose(mode.a, w * (t - expit(mode.f)), atol=1e-7)


def test_all_starts_end_in_the_same_mode():
    A, t, w = some(0, 150)  # so many rows that the first factors are in float32
    K = (9.0 * RBF(0.5))(A)
    cold, far = find_mode(K, t, w), find_mode(K, t, w, start=np.where(t, -3.0, 3.0))
    near = find_mode(K, t, w, start=find_mode(K * 1.05, t, w).a)
    for other in (far, near):
        assert_allclose(other.f, cold.f, atol=1e-6)
        assert_allclose(other.log_evidence, cold.log_evidence, atol=1e-7)
    assert near.iterations <= cold.iterations


def test_leave_one_out_variances_are_between_posterior_and_prior():
    A, t, w = some(1)
    K = (2.0 * RBF(1.0))(A)
    mode = find_mode(K, t, w)
    _, variance = leave_one_out(mode, K)
    posterior = np.diag(K - K @ np.linalg.solve(K + np.diag(1 / mode.root**2), K))
    assert (variance >= posterior - 1e-12).all()
    assert (variance <= 2.0).all()


def test_derivative_by_one_entry_of_the_kernel_matrix():
    A, t, w = some(2, 12)
    K = (2.0 * RBF(1.0))(A)
    M = derivative_weights(find_mode(K, t, w), K)
    shift = np.zeros_like(K)
    shift[2, 5] = shift[5, 2] = 1e-5
    slope = (find_mode(K + shift, t, w).log_evidence - find_mode(K - shift, t, w).log_evidence) / 2e-5
    assert_allclose(M[2, 5] + M[5, 2], slope, rtol=1e-5)


def test_a_matrix_that_is_no_covariance_is_refused():
    with pytest.raises(DegenerateError, match="negative eigenvalues"):
        find_mode(-9.0 * np.eye(3), np.array([0.0, 1.0, 1.0]))
