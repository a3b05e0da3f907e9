"""Factors of a covariance matrix: Cholesky with a judgement on rank, and a square root that always exists."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, eigh, solve_triangular

from assay.errors import DegenerateError, ParameterError


def rank_of(S: NDArray[np.float64]) -> int:
    """Rank of a covariance or scatter matrix, judged in units of its own standard deviations."""
    C, _ = unit_diagonal(S)
    values = eigh(C, eigvals_only=True)
    return int(np.sum(values > 10 * len(S) * np.finfo(float).eps * values[-1]))


def factor(S: NDArray[np.float64], who: str, remedy: str) -> NDArray[np.float64]:
    """Lower triangular L with L Lᵀ = S; a singular S is an error that names its rank."""
    C, s = unit_diagonal(S)  # in this scale a small pivot means dependence, not a small unit
    d = len(S)
    try:
        L = cholesky(C, lower=True)
        singular = np.min(np.diag(L)) ** 2 <= 10 * d * np.finfo(float).eps
    except LinAlgError:
        singular = True
    if singular:
        raise DegenerateError(
            f"the covariance is singular (rank {min(rank_of(S), d - 1)} of {d}). {remedy}", who=who
        )
    return L * s[:, None]


def squared_norms(L: NDArray[np.float64], R: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows of R measured by (L Lᵀ)⁻¹: one squared length per row."""
    Z = solve_triangular(L, R.T, lower=True)
    return np.einsum("ij,ij->j", Z, Z)


def square_root(S: NDArray[np.float64]) -> NDArray[np.float64]:
    """A with A Aᵀ = S, also where S is singular."""
    values, vectors = eigh(S)
    return vectors * np.sqrt(np.maximum(values, 0))


def unit_diagonal(S: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """S divided by its standard deviations, and these (1 where a variance is 0)."""
    s = np.sqrt(np.diag(S))
    s = np.where(s > 0, s, 1.0)
    return S / np.outer(s, s), s


def as_covariance(cov: object, d: int, who: str) -> NDArray[np.float64]:
    """(d, d), finite, symmetric, no negative eigenvalue (up to rounding)."""
    S = np.asarray(cov, dtype=float)
    if S.shape != (d, d):
        raise ParameterError(f"the covariance must be {d} by {d}, got shape {S.shape}.", who=who)
    if not np.isfinite(S).all():
        raise ParameterError("the covariance must be finite.", who=who)
    if not np.allclose(S, S.T, rtol=1e-8, atol=1e-12 * np.abs(S).max()):
        raise ParameterError("the covariance must be symmetric.", who=who)
    if (np.diag(S) < 0).any():
        raise ParameterError(f"the covariance has a negative variance, {np.diag(S).min():g}.", who=who)
    lowest = eigh(unit_diagonal(S)[0], eigvals_only=True)[0]
    if lowest < -1e-8:
        raise ParameterError("the covariance has a negative eigenvalue, so no data can have it.", who=who)
    return (S + S.T) / 2
