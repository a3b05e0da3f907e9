"""Ridge regressions of sparse rows on the factors of their columns: half a round of alternating least squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.csr import compressed_matrix

__all__ = ["ridge_rows"]

CELLS = 1 << 22  # entries of the matrices that are held at one time


def ridge_rows(
    E: Any, Q: np.ndarray, ridge: np.ndarray, weight: float = 1.0, everywhere: bool = False
) -> np.ndarray:
    r"""(n, r) for each row e of a CSR matrix, the p that minimises the squared error at its entries plus a penalty.

    .. math:: \sum_{j \in e} w\,(e_j - p^Tq_j)^2 + \Big[\sum_j (e_j - p^Tq_j)^2\Big] + \sum_f \lambda_f p_f^2

    The sum over all columns, where no entry means 0, is part of it if ``everywhere``.

    Parameters
    ----------
    E : CSR matrix (n, d)
    Q : (d, r) factors of the columns
    ridge : (n,) or (n, r) penalties of each row
    weight : w
    everywhere : whether all columns count once besides

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from assay.optimize.alternating_ridge import ridge_rows
    >>> ridge_rows(csr_array([[2.0, 4.0]]), np.array([[1.0], [2.0]]), np.array([0.0]))
    array([[2.]])
    """
    step = max(1, CELLS // Q.shape[1] ** 2)
    ridge = np.broadcast_to(
        ridge if np.ndim(ridge) == 2 else np.asarray(ridge)[:, None], (E.shape[0], Q.shape[1])
    )
    parts = [
        _solve(E[a : a + step], Q, ridge[a : a + step], weight, everywhere)
        for a in range(0, E.shape[0], step)
    ]
    return np.concatenate(parts)


def _solve(E: Any, Q: np.ndarray, ridge: np.ndarray, weight: float, everywhere: bool) -> np.ndarray:
    r = Q.shape[1]
    pattern = compressed_matrix("csr_array", np.ones(E.nnz), E.indices, E.indptr, E.shape)
    A = weight * np.stack([pattern @ (Q * Q[:, [f]]) for f in range(r)], axis=1)
    if everywhere:
        A = A + Q.T @ Q
    A = A + ridge[:, :, None] * np.eye(r)
    b = (weight + everywhere) * (E @ Q)
    try:
        return np.linalg.solve(A, np.asarray(b)[:, :, None])[:, :, 0]
    except np.linalg.LinAlgError:  # fewer entries than factors and no penalty: the shortest of the solutions
        return np.einsum("irs,is->ir", np.linalg.pinv(A, hermitian=True), np.asarray(b))
