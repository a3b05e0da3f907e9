r"""Covariances of fewer rows than columns: a few axes, and one variance in all other directions.

A covariance of m deviations F (m, d), blended with a sphere or a diagonal, is

.. math:: \Sigma = F^TF + s\,D^2 = D\,(V\,\mathrm{diag}(a-s)\,V^T + sI)\,D,\quad D = \mathrm{diag}(scale) \quad (1)

with axes V (d, r), r at most m, and the variances a along them. They come from the m x m Gram matrix of the scaled
deviations, whose eigenvalues are those of the d x d matrix: with :math:`FD^{-1}D^{-1}F^T = U\Lambda U^T`,

.. math:: V = D^{-1}F^TU\Lambda^{-1/2},\qquad a = \Lambda + s                                        \quad (2)

so time is O(m^2 d + m^3) and memory O(m d), where the matrix itself takes O(d^3) and O(d^2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.moments import RowScatter, row_scatter
from assay.core.sums import Rows, Source

__all__ = ["LowRank", "few_rows", "whitening_of_rows"]

_EPS = np.finfo(np.float64).eps


def few_rows(source: Source, K: int) -> RowScatter | None:
    """The deviations of rows in memory, if there are fewer of them than columns."""
    if not isinstance(source, Rows) or not isinstance(source.X, np.ndarray):
        return None
    n, d = source.X.shape
    return row_scatter(source.X, source.y, source.w, K) if n < d else None


@dataclass(frozen=True)
class LowRank:
    """A covariance in the form (1).

    Attributes
    ----------
    scale : (d,) D      axes : (d, r) V, orthonormal      along : (r,) a, largest first      across : s, from 0

    Examples
    --------
    Two deviations in three columns, and a sphere of variance 1:

    >>> import numpy as np
    >>> from assay.bayes.low_rank import LowRank
    >>> S = LowRank.of_rows(np.array([[2.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), across=1.0)
    >>> S.dense()
    array([[5., 0., 0.],
           [0., 2., 0.],
           [0., 0., 1.]])
    >>> S.solve(np.array([[5.0, 2.0, 1.0]])).round(12)
    array([[1., 1., 1.]])
    """

    scale: np.ndarray
    axes: np.ndarray
    along: np.ndarray
    across: float

    @classmethod
    def of_rows(
        cls, F: np.ndarray, across: float = 0.0, scale: np.ndarray | None = None, tol: float = 0.0
    ) -> LowRank:
        """(1) of deviations F (m, d); axes shorter than ``tol`` (a standard deviation, scaled) are left out."""
        d = F.shape[1]
        scale = np.ones(d) if scale is None else scale
        Z = F / scale
        values, U = np.linalg.eigh(Z @ Z.T)
        largest = values[-1] if len(values) else 0.0
        keep = values > max(tol**2, 10 * d * _EPS * largest, 0.0)
        values, U = values[keep][::-1], U[:, keep][:, ::-1]
        return cls(scale, Z.T @ (U / np.sqrt(values)), values + across, float(across))  # (2)

    @property
    def rank(self) -> int:
        """d, or the number of axes if there is nothing across them."""
        return len(self.scale) if self.across > 0 else len(self.along)

    @property
    def whitener(self) -> np.ndarray:
        """(d, r) P with P' S P = I, of a covariance with nothing across its axes."""
        return self.axes / np.sqrt(self.along) / self.scale[:, None]

    @property
    def root(self) -> np.ndarray:
        """(d, r) S P: the covariance, if there is nothing across the axes, is the product of it with itself."""
        return self.axes * np.sqrt(self.along) * self.scale[:, None]

    @property
    def log_det(self) -> float:
        """ln |S| where there is something across the axes."""
        remaining = len(self.scale) - len(self.along)
        return float(
            2 * np.log(self.scale).sum()
            + np.log(self.along).sum()
            + (remaining * np.log(self.across) if remaining else 0.0)
        )

    def solve(self, rows: np.ndarray) -> np.ndarray:
        """(m, d) the inverse covariance (where it has none: its pseudo-inverse, scaled) times each row."""
        u = rows / self.scale
        z = u @ self.axes
        if self.across == 0:
            return (z / self.along) @ self.axes.T / self.scale
        return ((z / self.along) @ self.axes.T + (u - z @ self.axes.T) / self.across) / self.scale

    @property
    def inverse_diagonal(self) -> np.ndarray:
        """(d,) the diagonal of the inverse, where there is something across the axes."""
        along = (self.axes**2) @ (1 / self.along - 1 / self.across)
        return (1 / self.across + along) / self.scale**2

    def unroot(self, v: np.ndarray, transposed: bool = False) -> np.ndarray:
        """(d,) R^-1 v, or R^-T v, for the root R = D (V diag(a^(1/2) - s^(1/2)) V' + s^(1/2) I) with S = R R'."""
        v = v if transposed else v / self.scale
        z = self.axes.T @ v
        v = self.axes @ (z / np.sqrt(self.along) - z / np.sqrt(self.across)) + v / np.sqrt(self.across)
        return v / self.scale if transposed else v

    def squares(self, rows: np.ndarray) -> np.ndarray:
        """(m,) the squared Mahalanobis lengths of rows."""
        u = rows / self.scale
        z = u @ self.axes
        total = np.einsum("ij,ij->i", z / self.along, z)
        if self.across > 0:
            beyond = np.einsum("ij,ij->i", u, u) - np.einsum("ij,ij->i", z, z)
            total += np.maximum(beyond, 0.0) / self.across
        return total

    def deviations(self, noise: np.ndarray) -> np.ndarray:
        """Standard normal rows (m, d) as rows of this covariance."""
        z = noise @ self.axes
        wide = (z * (np.sqrt(self.along) - np.sqrt(self.across))) @ self.axes.T + np.sqrt(self.across) * noise
        return wide * self.scale

    def dense(self) -> np.ndarray:
        """(d, d) the matrix (1)."""
        S = (self.axes * (self.along - self.across)) @ self.axes.T + self.across * np.eye(len(self.scale))
        return S * np.outer(self.scale, self.scale)

    def precision(self) -> np.ndarray:
        """(d, d) its inverse."""
        return self.solve(np.eye(len(self.scale)))


def whitening_of_rows(F: np.ndarray, tol: float = 0.0) -> LowRank:
    """The covariance of deviations F (m, d) in units of the columns' own spread, short axes left out."""
    spread = np.sqrt(np.einsum("ij,ij->j", F, F))
    return LowRank.of_rows(F, 0.0, np.where(spread > 0, spread, 1.0), tol)
