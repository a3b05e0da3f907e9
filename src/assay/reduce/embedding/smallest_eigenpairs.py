"""The smallest eigenvalues of a large sparse matrix, without the one that is known to be 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.seeds import random_state_of
from assay.reduce.components.some_eigenpairs import some_eigenpairs
from assay.reduce.components.spectrum import with_fixed_signs

__all__ = ["smallest_eigenpairs"]

ROWS_FOR_LANCZOS = 200  # from which few eigenvalues are found by Lanczos steps
MOST_BY_LANCZOS = 10  # eigenvalues, for which Lanczos steps are quicker than all of them
SHIFT = 1e-13  # of the largest diagonal entry: what makes a singular matrix definite
SOUND = 1e-6  # residual of an eigenvector, as a share of the largest diagonal entry, that is taken


def smallest_eigenpairs(
    M: Any, k: int, null: np.ndarray, *, dense: bool = False, tol: float = 0.0, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """(k,) the smallest eigenvalues of a matrix without negative ones, and (n, k) vectors orthogonal to ``null``.

    Lanczos steps with the inverse, from one sparse factorisation in the order of least fill; by a full decomposition
    where rows are few, eigenvalues many, or the factorisation fails.

    Parameters
    ----------
    M : (n, n) sparse or dense
    k : int
    null : (n,) a vector that M takes to 0
    dense : bool
        Whether to decompose fully in any case.
    tol : float
        Of the Lanczos steps; 0 is full precision.
    random_state : of their start
    """
    n = M.shape[0]
    k = min(k, n - 1)
    null = null / np.linalg.norm(null)
    sparse = hasattr(M, "tocsc")
    pairs = None
    if not dense and n > ROWS_FOR_LANCZOS and k < MOST_BY_LANCZOS:
        pairs = _by_inverse(M, k, null, tol, random_state)
    if pairs is None:
        full = M.toarray() if sparse else np.array(M, dtype=np.float64)
        top = float(np.abs(full).sum(axis=1).max(initial=0.0)) or 1.0
        full += 2 * top * np.outer(null, null)  # moves the known vector beyond all others
        pairs = some_eigenpairs(full, 0, k - 1) if k else None
    if pairs is None:
        return np.zeros(0), np.zeros((n, 0))
    values, vectors = pairs
    order = np.argsort(values, kind="stable")
    return np.maximum(values[order], 0.0), with_fixed_signs(vectors[:, order].T).T


def _by_inverse(M: Any, k: int, null: np.ndarray, tol: float, random_state: Any) -> Any:
    """Eigenpairs by Lanczos steps with the inverse of M plus a little; None if that does not work."""
    import scipy.sparse as sp
    from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh, splu

    n = M.shape[0]
    M = sp.csc_matrix(M)
    top = float(np.abs(M.diagonal()).max())
    try:
        factors = splu(
            M + SHIFT * top * sp.identity(n, format="csc"),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
    except (RuntimeError, ValueError):  # exactly singular
        return None

    def inverse(v: np.ndarray) -> np.ndarray:
        v = np.asarray(v).ravel()
        solved = factors.solve(v - null * (null @ v))
        return solved - null * (null @ solved)

    start = random_state_of(random_state).uniform(-1, 1, n)
    start -= null * (null @ start)
    operator = LinearOperator((n, n), matvec=inverse, dtype=np.float64)
    try:
        inverses, vectors = eigsh(operator, k, which="LM", tol=tol, v0=start)
    except ArpackError:
        return None
    if not (np.isfinite(inverses).all() and np.isfinite(vectors).all()):
        return None
    values = np.einsum("ij,ij->j", vectors, M @ vectors)
    residual = np.linalg.norm(M @ vectors - vectors * values, axis=0)
    return (values, vectors) if residual.max(initial=0.0) <= SOUND * top else None
