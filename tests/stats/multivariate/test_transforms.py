"""Coordinate transforms and decompositions: properties for any matrix."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.stats.multivariate.transforms import (
    covariance_matrix,
    is_orthogonal,
    is_positive_semidefinite,
    rotation_matrix,
    scaling_matrix,
    singular_decomposition,
    spectral_decomposition,
    transition_matrix,
)


def random_matrix(m, n, seed):
    return np.random.default_rng(seed).normal(size=(m, n))


@pytest.mark.capability("C3-60")
@given(angle=st.floats(-10, 10), seed=st.integers(0, 1000))
def test_rotations_are_orthogonal_and_keep_lengths(angle, seed):
    U = rotation_matrix(angle, (0, 2), 3) @ rotation_matrix(angle / 2, (1, 2), 3)
    assert is_orthogonal(U)
    assert_allclose(U.T @ U, np.eye(3), atol=1e-12)
    assert_allclose(U @ U.T, np.eye(3), atol=1e-12)
    x = random_matrix(1, 3, seed)[0]
    assert_allclose(np.linalg.norm(U @ x), np.linalg.norm(x))


@pytest.mark.capability("C3-60")
@given(seed=st.integers(0, 1000))
def test_transition_between_bases(seed):
    A, B = random_matrix(3, 3, seed), random_matrix(3, 3, seed + 5000)
    x = random_matrix(1, 3, seed + 1)[0]
    assert_allclose(B.T @ (transition_matrix(A, B) @ x), A.T @ x, atol=1e-8)
    Q, R = (np.linalg.qr(M)[0] for M in (A, B))
    assert is_orthogonal(transition_matrix(Q, R))
    # an orthonormal new basis alone does not make it orthogonal
    assert not is_orthogonal(transition_matrix(2 * Q, R))
    assert not is_orthogonal(scaling_matrix([1, 2]))
    assert not np.allclose(rotation_matrix(0.5), rotation_matrix(0.5).T)  # orthogonal is not symmetric


@pytest.mark.capability("C3-61")
@given(seed=st.integers(0, 1000))
def test_spectral_decomposition_is_a_sum_of_rank_one_terms(seed):
    A = random_matrix(4, 4, seed)
    S = A + A.T
    parts = spectral_decomposition(S)
    assert_allclose(parts.terms().sum(axis=0), S, atol=1e-10)
    assert_allclose(parts.matrix(), S, atol=1e-10)
    assert is_orthogonal(parts.left)
    assert np.all(np.diff(parts.values) <= 0)
    assert all(np.linalg.matrix_rank(term) <= 1 for term in parts.terms())
    wide = random_matrix(3, 5, seed)
    assert is_positive_semidefinite(wide.T @ wide) and is_positive_semidefinite(wide @ wide.T)
    assert spectral_decomposition(wide.T @ wide).values.min() > -1e-9
    assert is_positive_semidefinite(S) == (parts.values.min() >= -1e-10 * np.abs(S).max())


@pytest.mark.capability("C3-62")
@pytest.mark.parametrize("shape", [(6, 3), (3, 6), (4, 4)])
def test_singular_values_and_gram_matrices(shape):
    A = random_matrix(*shape, 0)
    parts = singular_decomposition(A)
    assert_allclose(parts.matrix(), A, atol=1e-12)
    for gram, vectors in ((A.T @ A, parts.right), (A @ A.T, parts.left)):
        assert_allclose(np.linalg.eigvalsh(gram)[::-1][: len(parts.values)], parts.values**2, rtol=1e-10)
        assert_allclose(gram @ vectors.T, vectors.T * parts.values**2, atol=1e-10)
    # Eckart and Young
    assert_allclose(np.linalg.norm(A - parts.matrix(2)) ** 2, np.sum(parts.values[2:] ** 2), atol=1e-12)
    centred = A - A.mean(axis=0)
    eigenvalues = spectral_decomposition(covariance_matrix(A)).values[: min(shape)]
    squares = singular_decomposition(centred).values ** 2 / (len(A) - 1)
    assert_allclose(np.maximum(eigenvalues, 0), squares[: len(eigenvalues)], atol=5e-15 * squares[0] * 10)


@pytest.mark.capability("C3-63")
def test_covariance_of_rows_and_of_columns():
    X = random_matrix(20, 4, 0)
    assert_allclose(covariance_matrix(X), np.cov(X, rowvar=False), rtol=1e-12)
    assert_allclose(covariance_matrix(X.T, "columns"), np.cov(X.T), rtol=1e-12)
    centred = X - X.mean(axis=0)
    assert_allclose(covariance_matrix(centred, centred=True), centred.T @ centred / 19, rtol=1e-12)
    assert is_positive_semidefinite(covariance_matrix(X))


def test_sentences():
    with pytest.raises(ValueError, match="symmetric"):
        spectral_decomposition([[1, 2], [0, 1]])
    with pytest.raises(ValueError, match="independent"):
        transition_matrix(np.eye(2), [[1, 1], [2, 2]])
    with pytest.raises(ValueError, match="at least 2"):
        covariance_matrix([[1.0, 2.0]])
    with pytest.raises(ValueError, match="plane"):
        rotation_matrix(1.0, (0, 3), 3)
