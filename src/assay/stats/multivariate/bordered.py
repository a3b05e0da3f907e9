"""Inverse, log-determinant and Cholesky factor of a covariance when a column is added or removed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_solve, cholesky, solve_triangular

from assay.errors import DataError, DegenerateError, ParameterError
from assay.stats.checks import as_matrix, as_points
from assay.stats.multivariate.covariance import unit_diagonal

__all__ = [
    "BorderedInverse",
    "Borders",
    "bordered_cholesky",
    "bordered_inverse",
    "cholesky_without",
    "inverse_without",
]

_EPS = np.finfo(np.float64).eps


class BorderedInverse(NamedTuple):
    """inverse : (d, d);  log_det : the logarithm of the determinant of the matrix, not of its inverse."""

    inverse: NDArray[np.float64]
    log_det: float


def bordered_inverse(
    inverse: ArrayLike, column: ArrayLike, corner: float, log_det: float = 0.0
) -> BorderedInverse:
    r"""The inverse of a symmetric positive definite matrix that grows by one row and column, in O(d^2).

    With :math:`A = S^{-1}`, the new column s and the new corner c,

    .. math:: \begin{pmatrix}S & s\\ s^T & c\end{pmatrix}^{-1} =
              \begin{pmatrix}A + uu^T/p & -u/p\\ -u^T/p & 1/p\end{pmatrix},\qquad
              u = As,\quad p = c - s^Tu                                                            \quad (1)

    and the determinant grows by the factor p, what the other columns leave of the new one's variance. Where columns
    are nearly collinear use `bordered_cholesky`: errors of an inverse add up from step to step.

    Parameters
    ----------
    inverse : (d, d) inverse of S; (0, 0) to begin with nothing
    column : (d,) the covariances of the new column with the others
    corner : its variance
    log_det : ln|S|

    Examples
    --------
    The inverse of [[2, 1], [1, 1]] from that of [[2]]; the determinant is 1:

    >>> import numpy as np
    >>> from assay.stats import bordered_inverse
    >>> grown = bordered_inverse([[0.5]], [1.0], 1.0, log_det=np.log(2))
    >>> grown.inverse, abs(round(grown.log_det, 12))
    (array([[ 1., -1.],
           [-1.,  2.]]), 0.0)

    See Also
    --------
    inverse_without, bordered_cholesky

    References
    ----------
    - Hager, W. W. (1989). Updating the inverse of a matrix. SIAM Review 31(2), 221-239. doi:10.1137/1031049
    """
    A, s = (
        _square(inverse, "bordered_inverse"),
        _column(column, len(np.atleast_1d(inverse)), "bordered_inverse"),
    )
    u = A @ s
    p = float(corner) - float(s @ u)
    _refuse_dependent(p, float(corner), len(s) + 1, "bordered_inverse")
    grown = np.empty((len(s) + 1, len(s) + 1))
    grown[:-1, :-1] = A + np.outer(u, u) / p  # (1)
    grown[:-1, -1] = grown[-1, :-1] = -u / p
    grown[-1, -1] = 1 / p
    return BorderedInverse(grown, float(log_det) + float(np.log(p)))


def inverse_without(inverse: ArrayLike, j: int, log_det: float = 0.0) -> BorderedInverse:
    r"""The inverse of a symmetric positive definite matrix that loses row and column j, in O(d^2).

    .. math:: (S_{-j,-j})^{-1} = A_{-j,-j} - \frac{a_{-j}a_{-j}^T}{a_{jj}},\qquad
              \ln|S_{-j,-j}| = \ln|S| + \ln a_{jj}                                                 \quad (1)

    with :math:`A = S^{-1}` and a its column j: `bordered_inverse` read backwards.

    Parameters
    ----------
    inverse : (d, d) inverse of S
    j : which column goes
    log_det : ln|S|

    Examples
    --------
    >>> from assay.stats import inverse_without
    >>> inverse_without([[1.0, -1.0], [-1.0, 2.0]], 1).inverse
    array([[0.5]])

    See Also
    --------
    bordered_inverse, cholesky_without
    """
    A = _square(inverse, "inverse_without")
    j = _position(j, len(A), "inverse_without")
    stays = np.arange(len(A)) != j
    a, pivot = A[stays, j], A[j, j]
    if not pivot > 0:
        raise DegenerateError(f"inverse_without: entry {j} of the diagonal is {pivot:g}, expected above 0.")
    return BorderedInverse(
        A[np.ix_(stays, stays)] - np.outer(a, a) / pivot, float(log_det) + float(np.log(pivot))
    )


def bordered_cholesky(L: ArrayLike, column: ArrayLike, corner: float) -> NDArray[np.float64]:
    r"""The Cholesky factor of a matrix that grows by one row and column, in O(d^2) and stable.

    .. math:: \begin{pmatrix}S & s\\ s^T & c\end{pmatrix} =
              \begin{pmatrix}L & 0\\ l^T & r\end{pmatrix}\begin{pmatrix}L^T & l\\ 0 & r\end{pmatrix},\qquad
              Ll = s,\quad r = \sqrt{c - l^Tl}                                                     \quad (1)

    A column that depends on the others linearly (r = 0 up to rounding) is a ``DegenerateError``. The log-determinant
    is twice the sum of the logarithms of the diagonal.

    Parameters
    ----------
    L : (d, d) lower triangle with L L' = S; (0, 0) to begin with nothing
    column : (d,) the covariances of the new column with the others
    corner : its variance

    Examples
    --------
    >>> from assay.stats import bordered_cholesky
    >>> bordered_cholesky([[2.0]], [2.0], 10.0)
    array([[2., 0.],
           [1., 3.]])

    See Also
    --------
    cholesky_without, bordered_inverse

    References
    ----------
    - Golub, G. H. and Van Loan, C. F. (2013). Matrix Computations, fourth edition. Johns Hopkins University Press.
    """
    factor = _square(L, "bordered_cholesky")
    s = _column(column, len(factor), "bordered_cholesky")
    row = solve_triangular(factor, s, lower=True) if len(s) else s
    pivot = float(corner) - float(row @ row)
    _refuse_dependent(pivot, float(corner), len(s) + 1, "bordered_cholesky")
    grown = np.zeros((len(s) + 1, len(s) + 1))
    grown[:-1, :-1] = factor
    grown[-1, :-1], grown[-1, -1] = row, np.sqrt(pivot)  # (1)
    return grown


def cholesky_without(L: ArrayLike, j: int) -> NDArray[np.float64]:
    r"""The Cholesky factor of a matrix that loses row and column j, in O(d^2) and stable.

    The rows above j stay. With l the column of L below its entry (j, j), the triangle after it becomes the factor of
    :math:`L_{33}L_{33}^T + ll^T`, by one plane rotation a column: nothing is subtracted, so nothing cancels.

    Parameters
    ----------
    L : (d, d) lower triangle with L L' = S
    j : which column goes

    Examples
    --------
    >>> from assay.stats import cholesky_without
    >>> cholesky_without([[2.0, 0.0], [3.0, 4.0]], 0)
    array([[5.]])

    See Also
    --------
    bordered_cholesky, inverse_without

    References
    ----------
    - Gill, P. E., Golub, G. H., Murray, W. and Saunders, M. A. (1974). Methods for modifying matrix factorizations.
      Mathematics of Computation 28(126), 505-535. doi:10.1090/S0025-5718-1974-0343558-6
    """
    factor = _square(L, "cholesky_without")
    j = _position(j, len(factor), "cholesky_without")
    stays = np.arange(len(factor)) != j
    smaller = factor[np.ix_(stays, stays)]
    l = factor[j + 1 :, j].copy()
    for t in range(len(l)):
        at = j + t
        r = np.hypot(smaller[at, at], l[t])
        c, s = smaller[at, at] / r, l[t] / r
        below = smaller[at:, at].copy()
        smaller[at:, at] = c * below + s * l[t:]
        l[t:] = c * l[t:] - s * below
    return smaller


class Borders:
    r"""What each of many columns adds to a chosen set of columns, or takes from it when it goes, in a few products.

    Let :math:`A = S_{BB}^{-1}` for the chosen columns B, in units in which S has a diagonal of ones. A form
    :math:`u_B^TAv_B` (of a row and a class mean, of a row and the covariances with a target, of a deviation with
    itself) changes by a product of two numbers when B changes by one column j,

    .. math:: u_{B\pm j}^TA_\pm v_{B\pm j} = u_B^TAv_B \pm t_j(u)\,t_j(v)                          \quad (1)

    with, for a column that comes and for one that goes,

    .. math:: t_j(v) = \frac{v_j - v_B^Ta_j}{\sqrt{p_j}},\quad a_j = AS_{Bj},\ p_j = S_{jj} - S_{Bj}^Ta_j;\qquad
              t_j(v) = \frac{(Av_B)_j}{\sqrt{A_{jj}}},\quad p_j = 1/A_{jj}                         \quad (2)

    and the determinant changes by the factor :math:`p_j^{\pm1}`. So the scores of a linear or quadratic learner for
    all candidates take as many operations as one matrix product.

    Parameters
    ----------
    S : (d, d) covariance or scatter of all columns
    base : (b,) the chosen columns B
    candidates : (C,) columns that may come (``adding``), or columns of B that may go
    adding : bool

    Attributes
    ----------
    sign : +1 or -1      scale : (d,) the units, roots of the diagonal of S
    log_det : ln|S_BB|      log_pivots : (C,) ln p in the units of S
    floor : (C,) lower bounds of the smallest eigenvalue of each candidate set's correlation matrix
    base_floor : the same of the base; 0 where it is singular, and then nothing else is defined

    Examples
    --------
    >>> import numpy as np
    >>> from assay.stats.multivariate.bordered import Borders
    >>> S = np.array([[4.0, 2.0], [2.0, 2.0]])
    >>> step = Borders(S, [0], [1], adding=True)
    >>> row = np.array([[2.0, 3.0]])
    >>> round((step.forms(row, row) + step.coordinates(row) ** 2).item(), 9)  # row S^-1 row'
    5.0
    """

    def __init__(self, S: NDArray[np.float64], base: Any, candidates: Any, adding: bool):
        base, candidates = np.asarray(base, dtype=np.intp), np.asarray(candidates, dtype=np.intp)
        self.base, self.candidates, self.adding = base, candidates, adding
        self.sign = 1 if adding else -1
        self.scale = np.sqrt(np.maximum(np.diag(S), 0.0))
        self._unit = np.where(self.scale > 0, 1 / np.where(self.scale > 0, self.scale, 1.0), 0.0)
        self.base_floor, self.floor = 0.0, np.zeros(len(candidates))
        self._A = np.zeros((0, 0))
        if len(base):
            C, _ = unit_diagonal(S[np.ix_(base, base)])
            try:
                self._L = cholesky(C, lower=True)
            except np.linalg.LinAlgError:
                return
            if np.min(np.diag(self._L)) ** 2 <= 10 * len(base) * _EPS or not self.scale[base].all():
                return
            self._A = cho_solve((self._L, True), np.eye(len(base)))
        trace = float(np.trace(self._A))
        self.base_floor = 1 / trace if len(base) else 1.0
        self.log_det = 2 * float(np.sum(np.log(np.diag(self._L)))) if len(base) else 0.0
        self.log_det += 2 * float(np.sum(np.log(self.scale[base])))
        if adding:
            self._add(S, trace)
        else:
            self._remove(trace)

    def _add(self, S: NDArray[np.float64], trace: float) -> None:
        new, unit = self.candidates, self._unit
        self._a = np.zeros((0, len(new)))
        pivots = (self.scale[new] > 0).astype(np.float64)
        if len(self.base):
            C = S[np.ix_(self.base, new)] * unit[self.base][:, None] * unit[new]
            Z = solve_triangular(self._L, C, lower=True)
            self._a = solve_triangular(self._L, Z, lower=True, trans=1)
            pivots = pivots - np.einsum("ij,ij->j", Z, Z)
        pivots = np.where(pivots > 10 * (len(self.base) + 1) * _EPS, pivots, 0.0)
        with np.errstate(divide="ignore"):
            grown = (1 + np.einsum("ij,ij->j", self._a, self._a)) / pivots  # by what the trace of A grows
            self.log_pivots = np.log(pivots * self.scale[new] ** 2)
        self.floor = 1 / (trace + grown)
        self._root = np.sqrt(np.where(pivots > 0, pivots, 1.0))

    def _remove(self, trace: float) -> None:
        self._at = np.array([int(np.flatnonzero(self.base == j)[0]) for j in self.candidates], dtype=np.intp)
        columns = self._A[:, self._at]
        pivots = columns[self._at, np.arange(len(self._at))]
        left = trace - np.einsum("ij,ij->j", columns, columns) / pivots
        self.floor = 1 / left if len(self.base) > 1 else np.ones(len(pivots))
        self._root = np.sqrt(pivots)
        self.log_pivots = 2 * np.log(self.scale[self.candidates]) - np.log(pivots)

    def forms(self, U: NDArray[np.float64], V: NDArray[np.float64]) -> NDArray[np.float64]:
        """(m, q) the forms of the base, of the rows of U (m, d) and of V (q, d)."""
        if not len(self.base):
            return np.zeros((len(U), len(V)))
        unit = self._unit[self.base]
        return (U[:, self.base] * unit) @ self._A @ (V[:, self.base] * unit).T

    def lengths(self, V: NDArray[np.float64]) -> NDArray[np.float64]:
        """(m,) the forms of the base of the rows of V (m, d) with themselves."""
        if not len(self.base):
            return np.zeros(len(V))
        Z = solve_triangular(self._L, (V[:, self.base] * self._unit[self.base]).T, lower=True)
        return np.einsum("ij,ij->j", Z, Z)

    def coordinates(self, V: NDArray[np.float64]) -> NDArray[np.float64]:
        """(m, C) the numbers t of (2) for the rows of V (m, d)."""
        scaled = V[:, self.base] * self._unit[self.base]
        if not self.adding:
            return scaled @ self._A[:, self._at] / self._root
        fresh = V[:, self.candidates] * self._unit[self.candidates]
        return (fresh - scaled @ self._a if len(self.base) else fresh) / self._root

    def directions(self) -> NDArray[np.float64]:
        """(d, C) the vectors whose products with rows are the `coordinates`."""
        T = np.zeros((len(self.scale), len(self.candidates)))
        if self.adding:
            T[self.base] = -self._a
            T[self.candidates, np.arange(len(self.candidates))] = 1.0
        else:
            T[self.base] = self._A[:, self._at]
        return T * self._unit[:, None] / self._root

    def squares(self, H: NDArray[np.float64]) -> NDArray[np.float64]:
        """(C,) the sums of squared coordinates of rows V with the Gram matrix H = V' V (d, d)."""
        unit = self._unit[self.base]
        inside = H[np.ix_(self.base, self.base)] * unit[:, None] * unit
        if not self.adding:
            columns = self._A[:, self._at]
            return np.einsum("ij,ij->j", columns, inside @ columns) / self._root**2
        new = self._unit[self.candidates]
        across = H[np.ix_(self.base, self.candidates)] * unit[:, None] * new
        diagonal = H[self.candidates, self.candidates] * new**2
        return (diagonal + np.einsum("ij,ij->j", self._a, inside @ self._a - 2 * across)) / self._root**2

    def solve(self, V: NDArray[np.float64]) -> NDArray[np.float64]:
        """(q, d) the solutions x of S_BB x = v for the rows of V (q, d), with zeros outside of the base."""
        X = np.zeros(V.shape)
        if len(self.base):
            unit = self._unit[self.base]
            X[:, self.base] = cho_solve((self._L, True), (V[:, self.base] * unit).T).T * unit
        return X


def _square(A: ArrayLike, who: str) -> NDArray[np.float64]:
    matrix = np.asarray(A, dtype=np.float64)
    if matrix.size == 0:
        return np.zeros((0, 0))
    matrix = as_matrix(matrix, who)
    if matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"{who}: expected a square matrix, got shape {matrix.shape}.")
    return matrix


def _column(column: ArrayLike, d: int, who: str) -> NDArray[np.float64]:
    s = np.asarray(column, dtype=np.float64).ravel()
    s = as_points(s, who) if len(s) else s
    if len(s) != d:
        raise DataError(
            f"{who}: the new column must have {d} entries, one for each column so far, got {len(s)}."
        )
    return s


def _position(j: int, d: int, who: str) -> int:
    if not -d <= j < d:
        raise ParameterError(f"{who}: there is no column {j}, the matrix has {d}.")
    return int(j) % d


def _refuse_dependent(pivot: float, corner: float, d: int, who: str) -> None:
    if not pivot > 10 * d * _EPS * abs(corner):
        raise DegenerateError(
            f"{who}: the new column depends on the others linearly (of its variance {corner:g} they leave "
            f"{max(pivot, 0.0):g}). Leave it out."
        )
