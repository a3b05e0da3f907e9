"""Inverses, log-determinants and Cholesky factors that grow and shrink by one column."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, DegenerateError, ParameterError
from assay.stats import bordered_cholesky, bordered_inverse, cholesky_without, inverse_without
from assay.stats.multivariate.bordered import Borders
from assay.tables.data import load_iris


def iris_covariance():
    return np.cov(np.asarray(load_iris().X, dtype=float).T)


@pytest.mark.capability("IML-6-10")
def test_inverse_of_iris_column_by_column_equals_the_direct_inverse():
    """Oracle: the direct inverse and determinant, to 1e-12."""
    S = iris_covariance()
    A, log_det = np.zeros((0, 0)), 0.0
    for j in range(4):
        A, log_det = bordered_inverse(A, S[:j, j], S[j, j], log_det)
        direct = np.linalg.inv(S[: j + 1, : j + 1])
        assert_allclose(A, direct, rtol=0, atol=1e-12 * np.abs(direct).max())
        assert_allclose(log_det, np.linalg.slogdet(S[: j + 1, : j + 1])[1], rtol=1e-12)


@pytest.mark.capability("IML-6-10")
@pytest.mark.parametrize("j", range(4))
def test_inverse_of_iris_without_a_column_equals_the_direct_inverse(j):
    S = iris_covariance()
    stays = np.arange(4) != j
    smaller = inverse_without(np.linalg.inv(S), j, np.linalg.slogdet(S)[1])
    direct = np.linalg.inv(S[np.ix_(stays, stays)])
    assert_allclose(smaller.inverse, direct, rtol=0, atol=1e-12 * np.abs(direct).max())
    assert_allclose(smaller.log_det, np.linalg.slogdet(S[np.ix_(stays, stays)])[1], rtol=1e-12)


@pytest.mark.parametrize("j", [0, 3, 6])
def test_cholesky_factors_grow_and_shrink(j):
    rng = np.random.default_rng(0)
    S = np.cov(rng.normal(size=(30, 7)).T)
    L = np.zeros((0, 0))
    for k in range(7):
        L = bordered_cholesky(L, S[:k, k], S[k, k])
    assert_allclose(L, np.linalg.cholesky(S), rtol=1e-12, atol=1e-13)
    stays = np.arange(7) != j
    smaller = cholesky_without(L, j)
    assert_allclose(smaller, np.linalg.cholesky(S[np.ix_(stays, stays)]), rtol=1e-12, atol=1e-13)
    assert_allclose(cholesky_without(L, j - 7), smaller)


def test_the_cholesky_form_keeps_digits_that_the_inverse_loses():
    """Hilbert's matrix of 8, condition 1.5e10: after growing and shrinking again."""
    i = np.arange(9)
    S = 1.0 / (i[:, None] + i + 1)
    L, A, log_det = np.zeros((0, 0)), np.zeros((0, 0)), 0.0
    for k in range(9):
        L = bordered_cholesky(L, S[:k, k], S[k, k])
        A, log_det = bordered_inverse(A, S[:k, k], S[k, k], log_det)
    L, A = cholesky_without(L, 8), inverse_without(A, 8).inverse
    error = np.abs(L @ L.T - S[:8, :8]).max()
    assert error < 1e-15
    assert np.abs(A @ S[:8, :8] - np.eye(8)).max() > 1e3 * error


@pytest.mark.parametrize("grow", [bordered_inverse, bordered_cholesky])
def test_a_dependent_column_is_refused(grow):
    with pytest.raises(DegenerateError, match="depends on the others linearly"):
        grow([[1.0]], [2.0], 4.0)


def test_bad_arguments_are_named():
    with pytest.raises(DataError, match="square"):
        bordered_inverse([[1.0, 2.0]], [1.0], 1.0)
    with pytest.raises(DataError, match="must have 1 entries"):
        bordered_cholesky([[1.0]], [1.0, 2.0], 1.0)
    with pytest.raises(ParameterError, match="no column 2"):
        inverse_without([[1.0, 0.0], [0.0, 1.0]], 2)
    with pytest.raises(DegenerateError, match="above 0"):
        inverse_without([[0.0]], 0)


@pytest.mark.parametrize("adding", [True, False])
@pytest.mark.parametrize("size", [0, 1, 4])
def test_borders_change_forms_and_determinants_as_refactoring_does(adding, size):
    rng = np.random.default_rng(1)
    S = np.cov(rng.normal(size=(40, 8)).T) * np.outer(d := 10.0 ** np.arange(-4, 4), d)
    base = rng.permutation(8)[:size]
    candidates = np.setdiff1d(np.arange(8), base) if adding else base
    U, V = rng.normal(size=(5, 8)) * d, rng.normal(size=(3, 8)) * d
    step = Borders(S, base, candidates, adding)
    forms, t, v = step.forms(U, V), step.coordinates(U), step.coordinates(V)
    assert_allclose(U @ step.directions(), t, rtol=1e-9, atol=1e-12)
    assert_allclose(step.squares(U.T @ U), np.sum(t * t, axis=0), rtol=1e-10)
    assert_allclose(step.forms(U, U).diagonal(), step.lengths(U), rtol=1e-10, atol=1e-14)
    assert_allclose(U @ step.solve(V).T, forms, rtol=1e-10, atol=1e-14)
    for c, j in enumerate(candidates):
        chosen = np.append(base, j) if adding else base[base != j]
        block = S[np.ix_(chosen, chosen)]
        direct = U[:, chosen] @ np.linalg.solve(block, V[:, chosen].T)
        assert_allclose(forms + step.sign * np.outer(t[:, c], v[:, c]), direct, rtol=1e-10, atol=1e-12)
        log_det = step.log_det + step.sign * step.log_pivots[c]
        assert_allclose(log_det, np.linalg.slogdet(block)[1] if len(chosen) else 0.0, rtol=1e-10, atol=1e-10)
        spread = np.sqrt(np.diag(block))
        lowest = np.linalg.eigvalsh(block / np.outer(spread, spread))[0] if len(chosen) else 1.0
        assert len(chosen) * step.floor[c] >= lowest * (1 - 1e-12) >= step.floor[c] * (1 - 1e-9) or not len(
            chosen
        )


def test_borders_tell_dependent_and_constant_columns():
    S = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 0.0]])
    assert_allclose(Borders(S, [0], [1, 2], True).floor, 0.0, atol=0)
    assert Borders(S, [0, 1], [0], False).base_floor == 0.0
    assert Borders(S, [2], [0], True).base_floor == 0.0
