"""The Laplacian matrix of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import DataError

__all__ = ["graph_laplacian"]


def graph_laplacian(B: Any, *, normalized: bool = False, return_degrees: bool = False) -> Any:
    r"""(n, n) the Laplacian L = D - B of symmetric similarities, :math:`d_r = \sum_s B_{rs}`.

    :math:`z^T L z = \frac12\sum_{rs} B_{rs}(z_r - z_s)^2`, so L has no eigenvalue below 0, and 0 as often as the graph
    has components. ``normalized=True`` gives :math:`D^{-1/2} L D^{-1/2}`, with 0 for a row that has no neighbour. The
    similarity of a row with itself cancels in L; it is left out of the degrees as well.

    Cost: O(entries).

    Parameters
    ----------
    B : (n, n) sparse or dense, symmetric, none below 0
    normalized : bool, default False
    return_degrees : bool, default False
        Whether to return the degrees as well.

    Returns
    -------
    L : (n, n) sparse if B is      degrees : (n,), if asked for

    Examples
    --------
    >>> import numpy as np
    >>> from assay.reduce import graph_laplacian
    >>> chain = np.eye(3, k=1) + np.eye(3, k=-1)
    >>> graph_laplacian(chain)
    array([[ 1., -1.,  0.],
           [-1.,  2., -1.],
           [ 0., -1.,  1.]])

    See Also
    --------
    SpectralEmbedding

    References
    ----------
    - Chung, F. R. K. (1997). Spectral Graph Theory. American Mathematical Society.
    """
    sparse = hasattr(B, "tocsr")
    A: Any = B.tocsr().astype(np.float64) if sparse else np.array(B, dtype=np.float64)
    n = A.shape[0]
    if A.shape != (n, n):
        raise DataError(f"graph_laplacian: similarities must be a square matrix, got {A.shape}.")
    if ((A.data if sparse else A) < 0).any():
        raise DataError("graph_laplacian: similarities must not be below 0.")
    if sparse:
        from scipy.sparse import diags

        A = A - diags(A.diagonal())
        degree = np.asarray(A.sum(axis=1)).ravel()
        scale = _root(degree) if normalized else np.ones(n)
        top = (degree > 0).astype(np.float64) if normalized else degree
        L = (diags(top) - diags(scale) @ A @ diags(scale)).tocsr()
    else:
        A.flat[:: n + 1] = 0.0
        degree = A.sum(axis=1)
        scale = _root(degree) if normalized else np.ones(n)
        L = -scale[:, None] * A * scale
        L.flat[:: n + 1] = (degree > 0).astype(np.float64) if normalized else degree
        L += 0.0  # no negative zeros
    return (L, degree) if return_degrees else L


def _root(degree: np.ndarray) -> np.ndarray:
    """1 / sqrt(degree), 0 for a degree of 0."""
    return np.where(degree > 0, 1 / np.sqrt(np.where(degree > 0, degree, 1.0)), 0.0)
