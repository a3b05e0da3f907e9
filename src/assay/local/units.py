"""Gaussian units: bells around centres, each with a spread of its own, by themselves or sharing out what is one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.core.stored import FloatArray
from assay.errors import DataError, ParameterError

__all__ = ["SHAPES", "Units", "nearest_units", "squared_distances"]

SHAPES = ("spherical", "diagonal", "full")
NUMBERS_AT_A_TIME = 1 << 17  # of the distances of rows from units: they stay in the cache


@dataclass(frozen=True)
class Units:
    r"""Gaussian units, what radial basis functions and radial gates are made of.

    .. math:: p_h(x) = \exp[-\tfrac12 (x - m_h)^T S_h^{-1} (x - m_h)], \qquad
              g_h(x) = p_h(x) \Big/ \sum_l p_l(x)                                                      \quad (1)

    with :math:`S_h = s_h^2 I` for one spread a unit, a diagonal for one a column, or any covariance. Shares are
    computed from logarithms, so that they sum to one also far from all centres.

    Parameters
    ----------
    centers : (H, d)
    spreads : (H,) standard deviations, (H, d) of each column, or (H, d, d) covariances

    Examples
    --------
    >>> from assay.local import Units
    >>> units = Units.of([[0.0], [1.0]], [1.0, 1.0])
    >>> units.activations([[0.0]]).round(4), units.shares([[2.0]]).round(4)
    (array([[1.    , 0.6065]]), array([[0.1824, 0.8176]]))

    See Also
    --------
    RBFNetworkRegressor, RBFFeatures

    References
    ----------
    - Moody, J. and Darken, C. J. (1989). Fast learning in networks of locally-tuned processing units. Neural
      Computation 1(2), 281-294. doi:10.1162/neco.1989.1.2.281
    """

    centers: np.ndarray
    spreads: np.ndarray

    stored = {
        "centers": FloatArray("H", "d", finite=True),
        "spreads": FloatArray("H") | FloatArray("H", "d") | FloatArray("H", "d", "d"),
    }

    @classmethod
    def of(cls, centers: ArrayLike, spreads: ArrayLike) -> Units:
        """Units from any arrays, checked."""
        m, s = np.asarray(centers, dtype=np.float64), np.asarray(spreads, dtype=np.float64)
        if m.ndim != 2 or not m.size or not np.isfinite(m).all():
            raise ParameterError("Units: centers must be an (H, d) array of finite numbers.")
        if s.ndim == 0:
            s = np.full(len(m), float(s))
        if s.shape not in ((len(m),), m.shape, (*m.shape, m.shape[1])):
            raise ParameterError(
                f"Units: spreads must have the shape ({len(m)},), {m.shape} or {(*m.shape, m.shape[1])}, got {s.shape}."
            )
        if s.ndim < 3 and not (s > 0).all():
            raise ParameterError("Units: spreads must be above 0.")
        return cls(m, s)

    def __len__(self) -> int:
        return len(self.centers)

    def squares(self, X: ArrayLike) -> np.ndarray:
        """(n, H) the squared distance of each row to each centre, in units of the spread."""
        rows, m = np.asarray(X, dtype=np.float64), self.centers
        if rows.ndim != 2 or rows.shape[1] != m.shape[1]:
            raise DataError(f"Units: rows must be of {m.shape[1]} columns, got the shape {rows.shape}.")
        if self.spreads.ndim == 1:
            return squared_distances(rows, m) / self.spreads**2
        if self.spreads.ndim == 2:
            return np.stack([(((rows - c) / s) ** 2).sum(axis=1) for c, s in zip(m, self.spreads)], axis=1)
        parts = []
        for c, S in zip(m, self.spreads):
            try:
                root = np.linalg.cholesky(S)
            except np.linalg.LinAlgError:
                raise DataError("Units: a covariance is not positive definite.") from None
            parts.append((np.linalg.solve(root, (rows - c).T) ** 2).sum(axis=0))
        return np.stack(parts, axis=1)

    def activations(self, X: ArrayLike) -> np.ndarray:
        """(n, H) p of (1): 1 at the centre, near 0 far away."""
        return np.exp(-0.5 * self.squares(X))

    def shares(self, X: ArrayLike) -> np.ndarray:
        """(n, H) g of (1), which sum to one in each row."""
        logs = -0.5 * self.squares(X)
        logs -= logs.max(axis=1, keepdims=True)
        p = np.exp(logs)
        return p / p.sum(axis=1, keepdims=True)


def squared_distances(X: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """(n, H) by one product of matrices, from the middle of the centres so that little is lost by rounding."""
    middle = centers.mean(axis=0)
    A, B = X - middle, centers - middle
    D: np.ndarray = A @ (-2 * B.T)
    D += np.einsum("ij,ij->i", A, A)[:, None]
    D += np.einsum("ij,ij->i", B, B)
    return np.maximum(D, 0.0, out=D)


def nearest_units(X: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """(n,) the number of the nearest centre of each row, the first of equals.

    >>> import numpy as np
    >>> from assay.local.units import nearest_units
    >>> nearest_units(np.array([[1.0], [7.0]]), np.array([[0.0], [5.0]])).tolist()
    [0, 1]
    """
    middle = centers.mean(axis=0)
    B = centers - middle
    right = np.vstack(
        [-2 * B.T, np.einsum("ij,ij->i", B, B)]
    )  # a row's own square is the same for all centres
    size = max(1, NUMBERS_AT_A_TIME // len(centers))
    out = np.empty(len(X), dtype=np.int64)
    left = np.ones((min(size, len(X)), X.shape[1] + 1))
    for begin in range(0, len(X), size):
        rows = X[begin : begin + size]
        np.subtract(rows, middle, out=left[: len(rows), :-1])
        out[begin : begin + size] = (left[: len(rows)] @ right).argmin(axis=1)
    return out
