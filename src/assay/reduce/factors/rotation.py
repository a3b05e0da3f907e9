"""Rotations of factor loadings, so that each factor speaks of few columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from assay.errors import DataError, ParameterError, warn_user

__all__ = ["Rotation", "rotate_by_angle", "rotate_loadings"]

ORTHOGONAL = ("varimax", "quartimax")
METHODS = (*ORTHOGONAL, "promax")
MOST_ROUNDS = 2000


@dataclass(frozen=True)
class Rotation:
    """Rotated loadings; made by `rotate_loadings`.

    loadings : (d, k)      matrix : (k, k) T of L T
    correlation : (k, k) of the factors, the identity if the rotation is orthogonal
    """

    loadings: np.ndarray
    matrix: np.ndarray
    correlation: np.ndarray


def rotate_loadings(
    loadings: ArrayLike, method: str = "varimax", *, kaiser: bool = False, power: float = 4.0
) -> Rotation:
    r"""Turn the axes of the factors so that each column loads on few of them.

    An orthogonal rotation leaves :math:`LL^T`, and with it the communalities and the fit, as they are. Varimax makes

    .. math:: \sum_j \Big[\frac1d\sum_i l_{ij}^4 - \Big(\frac1d\sum_i l_{ij}^2\Big)^2\Big] \quad (1)

    as large as it can be, quartimax :math:`\sum_{ij} l_{ij}^4`. Promax turns each factor by itself towards the powers
    of the varimax loadings; the factors are correlated then.

    Parameters
    ----------
    loadings : (d, k)
    method : "varimax", "quartimax" or "promax"
    kaiser : whether the rows are divided by the root of their communality while they are rotated
    power : of promax

    Examples
    --------
    >>> import numpy as np
    >>> from assay.reduce import rotate_loadings
    >>> turned = rotate_loadings([[0.7, 0.7], [0.6, 0.6], [0.5, -0.5], [0.4, -0.4]])
    >>> np.abs(turned.loadings).round(4)
    array([[0.9899, 0.    ],
           [0.8485, 0.    ],
           [0.    , 0.7071],
           [0.    , 0.5657]])

    See Also
    --------
    FactorAnalysis, rotate_by_angle

    References
    ----------
    - Kaiser, H. F. (1958). The varimax criterion for analytic rotation in factor analysis. Psychometrika 23, 187-200.
    - Hendrickson, A. E. and White, P. O. (1964). Promax: a quick method for rotation to oblique simple structure.
      British Journal of Statistical Psychology 17, 65-70.
    """
    L = np.asarray(loadings, dtype=float)
    if L.ndim != 2 or not L.size or not np.isfinite(L).all():
        raise DataError(
            "rotate_loadings: loadings must be a table of numbers, a row for each column of the data."
        )
    if method not in METHODS:
        raise ParameterError(f"rotate_loadings: method must be one of {', '.join(METHODS)}, got {method!r}.")
    lengths = np.ones(len(L))
    if kaiser:
        lengths = np.sqrt(np.einsum("ij,ij->i", L, L))
        lengths[lengths == 0] = 1.0
    T = _orthogonal(L / lengths[:, None], "quartimax" if method == "quartimax" else "varimax")
    k = L.shape[1]
    if method in ORTHOGONAL:
        return Rotation(L @ T, T, np.eye(k))
    A = L / lengths[:, None] @ T
    target = A * np.abs(A) ** (power - 1)
    U = np.linalg.lstsq(A, target, rcond=None)[0]
    scale = np.sqrt(np.abs(np.diag(np.linalg.pinv(U.T @ U))))
    M = T @ (U * scale)
    inverse = np.linalg.pinv(M)
    return Rotation(L @ M, M, inverse @ inverse.T)


def rotate_by_angle(loadings: ArrayLike, degrees: float) -> np.ndarray:
    """(d, 2) the loadings on two factors after turning their axes by an angle.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.reduce import rotate_by_angle
    >>> rotate_by_angle([[1.0, 0.0], [0.0, 1.0]], 90).round(6) + 0.0
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    L = np.asarray(loadings, dtype=float)
    if L.ndim != 2 or L.shape[1] != 2:
        raise DataError("rotate_by_angle: expected loadings on two factors.")
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return L @ np.array([[c, -s], [s, c]])


def _orthogonal(L: np.ndarray, method: str) -> np.ndarray:
    """The rotation that maximises (1) or the fourth powers, by planes: in each the best angle is known."""
    d, k = L.shape
    T, A = np.eye(k), L.copy()
    weight = 1.0 if method == "varimax" else 0.0
    for _ in range(MOST_ROUNDS):
        largest = 0.0
        for i in range(k):
            for j in range(i + 1, k):
                x, y = A[:, i], A[:, j]
                u, v = x * x - y * y, 2 * x * y
                num = 2 * (u @ v - weight * u.sum() * v.sum() / d)
                den = u @ u - v @ v - weight * (u.sum() ** 2 - v.sum() ** 2) / d
                angle = float(np.arctan2(num, den)) / 4
                if abs(angle) < 1e-14:
                    continue
                largest = max(largest, abs(angle))
                R = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
                A[:, [i, j]] = A[:, [i, j]] @ R
                T[:, [i, j]] = T[:, [i, j]] @ R
        if largest < 1e-10:
            return T
    warn_user(f"rotate_loadings: {method} did not settle after {MOST_ROUNDS} rounds.", ConvergenceWarning)
    return T
