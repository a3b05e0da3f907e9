"""Procrustes: lay one set of points on another by turning, moving and scaling it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError

__all__ = ["Procrustes", "procrustes"]


@dataclass(frozen=True)
class Procrustes:
    """The map z -> scale (z - centre) rotation + target.

    rotation : (k, k) orthogonal, also a reflection if that is better      scale : float
    centre, target : (k,) means of the points and of the reference
    points : (n, k) the points, laid on the reference      residual : the sum of squared distances that is left
    disparity : the residual as a share of the spread of the reference
    """

    rotation: np.ndarray
    scale: float
    centre: np.ndarray
    target: np.ndarray
    points: np.ndarray
    residual: float
    disparity: float

    def apply(self, Z: ArrayLike) -> np.ndarray:
        """Further points by the same map."""
        return self.scale * (np.asarray(Z, dtype=np.float64) - self.centre) @ self.rotation + self.target


def procrustes(
    points: ArrayLike, reference: ArrayLike, *, scale: bool = True, reflection: bool = True
) -> Procrustes:
    r"""Turn, reflect, move and scale points so that they fall on a reference as nearly as can be.

    .. math:: \min_{s, R, t} \sum_i \|s\, z_i R + t - y_i\|^2, \qquad R = UV^T, \quad Z_c^TY_c = U\Sigma V^T

    Embeddings are determined up to a rotation and a reflection: this lays one on a map, or on another embedding.

    Cost: O(n k^2 + k^3).

    Parameters
    ----------
    points, reference : (n, k) in the same order
    scale : bool, default True
        Whether the size may change.
    reflection : bool, default True
        Whether the points may be mirrored.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.stats import procrustes
    >>> triangle = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    >>> turned = 3 * triangle @ np.array([[0.0, 1.0], [-1.0, 0.0]]) + [5.0, 7.0]
    >>> aligned = procrustes(turned, triangle)
    >>> round(aligned.scale, 6), round(aligned.residual, 6)
    (0.333333, 0.0)

    References
    ----------
    - Schoenemann, P. H. (1966). A generalized solution of the orthogonal Procrustes problem. Psychometrika 31, 1-10.
      doi:10.1007/BF02289451
    """
    Z, Y = np.asarray(points, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    if Z.ndim != 2 or Z.shape != Y.shape or not len(Z):
        raise DataError(f"procrustes: both sets of points must be (n, k), got {Z.shape} and {Y.shape}.")
    if not (np.isfinite(Z).all() and np.isfinite(Y).all()):
        raise DataError("procrustes: coordinates must be finite numbers.")
    centre, target = Z.mean(axis=0), Y.mean(axis=0)
    Zc, Yc = Z - centre, Y - target
    U, lengths, Vt = np.linalg.svd(Zc.T @ Yc)
    if not reflection and np.linalg.det(U @ Vt) < 0:
        U[:, -1] *= -1
        lengths[-1] *= -1
    rotation = U @ Vt
    spread = float((Zc**2).sum())
    size = float(lengths.sum()) / spread if scale and spread > 0 else 1.0
    placed = size * Zc @ rotation + target
    residual = float(((placed - Y) ** 2).sum())
    total = float((Yc**2).sum())
    return Procrustes(
        rotation, size, centre, target, placed, residual, residual / total if total > 0 else 0.0
    )
