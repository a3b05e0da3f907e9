"""Means and scatter matrices of sparse rows, and the components of centred rows that are never written out."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.moments import ClassScatter
from assay.core.seeds import random_state_of
from assay.reduce.components.spectrum import Spectrum, with_fixed_signs

__all__ = ["centred_spectrum", "sparse_scatter"]


def sparse_scatter(X: Any, w: np.ndarray | None) -> ClassScatter:
    """The scatter matrix of sparse rows (n, d) with weights w, about their mean.

    >>> from scipy.sparse import csr_array
    >>> from assay.reduce.components.sparse_scatter import sparse_scatter
    >>> sparse_scatter(csr_array([[0.0], [2.0], [4.0]]), None).scatter
    array([[[8.]]])
    """
    n = X.shape[0]
    count = float(n if w is None else w.sum())
    mean = _mean(X, w, count)
    weighted = X if w is None else X.multiply(w[:, None]).tocsr()
    S = (X.T @ weighted).toarray().astype(np.float64) - count * np.outer(mean, mean)
    rows = np.array([n if w is None else int(np.count_nonzero(w))])
    return ClassScatter(np.array([count]), rows, mean[None], (S + S.T)[None] / 2)


def centred_spectrum(
    X: Any, w: np.ndarray | None, divisor: float, k: int, random_state: Any
) -> tuple[np.ndarray, Spectrum]:
    """The mean of sparse rows and their k largest eigenvalues, by Lanczos steps on rows that are centred as they go."""
    from scipy.sparse.linalg import LinearOperator, svds

    n, d = X.shape
    X = X.astype(np.float64)
    count = float(n if w is None else w.sum())
    mean = _mean(X, w, count)
    root = np.ones(n) if w is None else np.sqrt(w)

    def forward(v: np.ndarray) -> np.ndarray:
        v = v.reshape(d, -1)
        return root[:, None] * (X @ v - mean @ v)

    def backward(u: np.ndarray) -> np.ndarray:
        u = root[:, None] * u.reshape(n, -1)
        return X.T @ u - np.outer(mean, u.sum(axis=0))

    operator = LinearOperator(
        (n, d), matvec=forward, rmatvec=backward, matmat=forward, rmatmat=backward, dtype=float
    )
    start = random_state_of(random_state).uniform(-1, 1, min(n, d))
    _, s, vectors = svds(operator, k=max(1, k), v0=start)
    order = np.argsort(s)[::-1]
    squares = X.multiply(X) if w is None else X.multiply(X).multiply(w[:, None])
    total = (float(squares.sum()) - count * float(mean @ mean)) / divisor
    return mean, Spectrum(s[order] ** 2 / divisor, with_fixed_signs(vectors[order]), total, min(n, d))


def _mean(X: Any, w: np.ndarray | None, count: float) -> np.ndarray:
    sums = X.sum(axis=0) if w is None else X.T @ w
    return np.asarray(sums, dtype=np.float64).ravel() / count
