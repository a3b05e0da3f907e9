"""Factors and inverses by blocks against those of LAPACK."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.processes import cholesky
from assay.processes.in_blocks import factor_in_blocks, invert_in_blocks


def covariance(n):
    A = np.random.default_rng(n).normal(size=(n, n + 5))
    return A @ A.T


@pytest.mark.parametrize(("n", "size"), [(1, 4), (7, 3), (8, 4), (50, 16), (30, 64)])
def test_factor_and_inverse_by_blocks(n, size):
    C = covariance(n)
    L = C.copy()
    assert factor_in_blocks(L, size)
    assert_allclose(np.tril(L), np.linalg.cholesky(C), rtol=1e-9, atol=1e-9)
    assert (np.triu(L, 1) == np.triu(C, 1)).all()
    invert_in_blocks(L, size)
    assert_allclose(np.tril(L), np.tril(np.linalg.inv(C)), rtol=1e-6, atol=1e-8)


def test_a_matrix_without_a_factor_keeps_what_is_above_its_diagonal():
    C = covariance(20)
    C[15, 15] = -1.0
    L = C.copy()
    assert not factor_in_blocks(L, 6)
    assert (np.triu(L, 1) == np.triu(C, 1)).all()


def test_large_matrices_go_by_blocks(monkeypatch):
    """Also one that needs jitter, for which the triangle above the diagonal must be intact."""
    monkeypatch.setattr(cholesky, "ROWS_AT_ONCE", 20)
    C = covariance(40)
    F = cholesky.factor(C)
    assert_allclose(F.inverse() @ C, np.eye(40), atol=1e-7)
    u = np.linspace(1, 2, 40)[:, None]
    F = cholesky.factor(u @ u.T)
    assert F.jitter > 0
    assert_allclose(F.lower @ F.lower.T, u @ u.T + F.jitter * np.eye(40), rtol=1e-9)
