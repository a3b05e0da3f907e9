"""Cholesky factors: each operation against the matrix that it stands for."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DegenerateError
from assay.processes.cholesky import factor


def covariance(n: int, seed: int = 0) -> np.ndarray:
    A = np.random.default_rng(seed).normal(size=(n, n + 3))
    return A @ A.T


def test_solve_inverse_and_logdet():
    C = covariance(300)
    F = factor(C)
    assert F.jitter == 0.0
    assert_allclose(F.lower @ F.lower.T, C, rtol=1e-12, atol=1e-10)
    assert_allclose(C @ F.solve(np.ones((300, 2))), 1.0, rtol=1e-6)
    assert_allclose(F.logdet, np.linalg.slogdet(C)[1], rtol=1e-12)
    inverse = F.inverse()
    assert_allclose(inverse @ C, np.eye(300), atol=1e-7)
    assert (inverse == inverse.T).all()


def test_half_solve_is_the_inverse_of_the_factor():
    F = factor(covariance(5))
    assert_allclose(
        F.lower @ F.half_solve(np.arange(10.0).reshape(5, 2)), np.arange(10.0).reshape(5, 2), rtol=1e-10
    )


@pytest.mark.parametrize("n", [0, 1, 4])
def test_extend_is_the_factor_of_the_bordered_matrix(n):
    C = covariance(7)
    F = factor(C[:n, :n]).extend(C[:n, n:], C[n:, n:])
    assert_allclose(F.lower, np.linalg.cholesky(C), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("rows", [[0], [6], [3], [5, 1, 1], list(range(7))])
def test_remove_is_the_factor_of_the_smaller_matrix(rows):
    C = covariance(7)
    kept = np.setdiff1d(np.arange(7), rows)
    assert_allclose(
        factor(C).remove(rows).lower, np.linalg.cholesky(C[np.ix_(kept, kept)]), rtol=1e-9, atol=1e-10
    )


def test_singular_matrices_get_the_smallest_jitter_that_helps_and_say_so():
    u = np.linspace(1, 2, 50)[:, None]
    F = factor(u @ u.T)
    assert 0 < F.jitter <= 1e-10 * float(np.mean(u**2))
    assert_allclose(F.lower @ F.lower.T, u @ u.T + F.jitter * np.eye(50), rtol=1e-9)


def test_a_matrix_with_negative_directions_is_refused():
    with pytest.raises(DegenerateError, match="not positive definite, also with 1e-06 of its mean diagonal"):
        factor(np.array([[1.0, 2.0], [2.0, 1.0]]))


def test_values_that_are_no_numbers_are_refused():
    with pytest.raises(DegenerateError, match="no finite numbers"):
        factor(np.full((2, 2), np.inf))


def test_the_matrix_itself_is_left_alone_unless_it_may_be_overwritten():
    C = covariance(4)
    before = C.copy()
    factor(C)
    assert (before == C).all()
