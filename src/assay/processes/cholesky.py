"""Cholesky factors of covariance matrices: one rule for matrices that are singular in arithmetic, which is reported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import FloatArray, Scalar
from assay.errors import DegenerateError
from assay.kernels.kernel import mirror
from assay.processes.in_blocks import factor_in_blocks, invert_in_blocks

__all__ = ["Factor", "factor"]

ROWS_AT_ONCE = 3500  # up to which a call of LAPACK takes less than a second
JITTERS = (0.0, 1e-12, 1e-10, 1e-8, 1e-6)  # shares of the mean diagonal that are tried in turn


@dataclass(frozen=True, eq=False)
class Factor:
    r"""The Cholesky factor of a covariance matrix C, :math:`LL^T = C + \epsilon I`.

    Parameters
    ----------
    L : (n, n) array
        L in its lower triangle; what stands above the diagonal is not read.
    jitter : float
        :math:`\epsilon`, 0 unless the matrix was not positive definite in arithmetic.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.processes.cholesky import factor
    >>> C = factor(np.array([[4.0, 2.0], [2.0, 2.0]]))
    >>> C.solve(np.array([6.0, 4.0])), round(C.logdet, 6), C.jitter  # |C| = 4
    (array([1., 1.]), 1.386294, 0.0)

    See Also
    --------
    factor
    """

    L: np.ndarray
    jitter: float = 0.0
    stored = {"L": FloatArray("n", "n", finite=True), "jitter": Scalar(low=0, finite=True)}

    def __len__(self) -> int:
        return len(self.L)

    @property
    def logdet(self) -> float:
        """The logarithm of the determinant of :math:`LL^T`."""
        return float(2.0 * np.log(np.diagonal(self.L)).sum())

    @property
    def lower(self) -> np.ndarray:
        """(n, n) L with zeros above the diagonal."""
        return np.tril(self.L)

    def solve(self, B: np.ndarray) -> np.ndarray:
        """(n,) or (n, k) the solution of :math:`LL^TX = B`."""
        from scipy.linalg.lapack import dpotrs

        if not len(self.L):
            return np.zeros_like(B, dtype=np.float64)
        return dpotrs(self.L.T, B, lower=0)[0]

    def half_solve(self, B: np.ndarray) -> np.ndarray:
        """(n, k) the solution of :math:`LX = B`; B is written over if it is Fortran-ordered."""
        from scipy.linalg.blas import dtrsm

        if not len(self.L) or not B.shape[1]:
            return np.zeros(B.shape)
        return dtrsm(1.0, self.L.T, B, lower=0, trans_a=1, overwrite_b=1)

    def inverse(self, overwrite: bool = False) -> np.ndarray:
        """(n, n) the inverse of :math:`LL^T`, exactly symmetric; ``overwrite`` makes it in the place of L.

        Cost: O(n^3), two thirds of that of a product of two such matrices.
        """
        from scipy.linalg.lapack import dpotri

        V = self.L if overwrite and self.L.flags.c_contiguous else self.L.copy()
        if len(V) > ROWS_AT_ONCE:
            invert_in_blocks(V)
        elif len(V):
            dpotri(V.T, lower=0, overwrite_c=1)  # its lower triangle
        mirror(V.T)
        return V

    def extend(self, B: np.ndarray, D: np.ndarray) -> Factor:
        r"""The factor of the bordered matrix :math:`\begin{pmatrix} C & B \\ B^T & D \end{pmatrix}`, in O(n^2 m).

        Parameters
        ----------
        B : (n, m)      D : (m, m)
        """
        n, m = B.shape
        L = np.zeros((n + m, n + m))
        L[:n, :n] = self.L
        corner = D + self.jitter * np.eye(m)
        if n:
            left = self.half_solve(np.asfortranarray(B, dtype=np.float64)).T
            L[n:, :n] = left
            corner = corner - left @ left.T
        last = factor(corner, scale=float(np.trace(D)) / max(m, 1))
        L[n:, n:] = last.lower
        return Factor(L, max(self.jitter, last.jitter))

    def remove(self, rows: Any) -> Factor:
        """The factor of the matrix without some rows and the columns of the same numbers.

        What comes before the first of them stays; the block behind it is factored anew.
        """
        gone = np.unique(np.asarray(rows, dtype=np.int64))
        if not len(gone):
            return self
        first, L = int(gone[0]), self.lower
        kept = np.delete(np.arange(first, len(L)), gone - first)
        n = first + len(kept)
        smaller = np.zeros((n, n))
        smaller[:first, :first] = L[:first, :first]
        smaller[first:, :first] = L[kept, :first]
        right = L[kept, first:]
        smaller[first:, first:] = factor(right @ right.T).lower
        return Factor(smaller, self.jitter)


def factor(C: np.ndarray, *, overwrite: bool = False, scale: float | None = None) -> Factor:
    r"""The Cholesky factor of a symmetric matrix, with the smallest jitter of a fixed list that makes it one.

    Tried in turn are the matrix as it is and with 1e-12, 1e-10, 1e-8 and 1e-6 of its mean diagonal added to its
    diagonal. A matrix that needs more is no covariance matrix, whatever the rounding.

    Parameters
    ----------
    C : (n, n) C-ordered array
    overwrite : bool, default False
        Whether the factor may take the place of C.
    scale : float, default None
        What the jitter is a share of; None takes the mean diagonal of C.

    Returns
    -------
    Factor

    Examples
    --------
    >>> import numpy as np
    >>> from assay.processes.cholesky import factor
    >>> factor(np.ones((3, 3))).jitter  # singular
    1e-12

    See Also
    --------
    Factor
    """
    from scipy.linalg.lapack import dpotrf

    n = len(C)
    L = C if overwrite and C.flags.c_contiguous else np.array(C, dtype=np.float64, order="C")
    if not n:
        return Factor(L)
    diagonal = np.diagonal(L).copy()
    mean = float(diagonal.mean()) if scale is None else scale
    if not (np.isfinite(mean) and np.isfinite(diagonal).all()):
        raise DegenerateError(
            "the covariance matrix has values that are no finite numbers. Scale the columns, or bring the "
            "kernel's parameters closer to 1."
        )
    for share in JITTERS:
        jitter = share * mean
        if share:  # the triangle above the diagonal is as it was
            mirror(L)
            np.fill_diagonal(L, diagonal + jitter)
        if n > ROWS_AT_ONCE:
            singular = not factor_in_blocks(L)
        else:
            _, singular = dpotrf(L.T, lower=0, overwrite_a=1, clean=0)
        if not singular and np.isfinite(np.diagonal(L)).all():
            return Factor(L, jitter)
    raise DegenerateError(
        f"the covariance matrix is not positive definite, also with {JITTERS[-1]:g} of its mean diagonal "
        f"({mean:.3g}) added to its diagonal. Add noise (alpha, or a WhiteKernel), or take a kernel whose matrices are "
        "positive semidefinite."
    )
