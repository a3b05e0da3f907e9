"""Log odds of two multivariate Gaussians, and the conic on which they are zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_solve, eigh

from assay.errors import DataError, ParameterError
from assay.stats.bayesian.odds import log_prior_ratio
from assay.stats.checks import as_points, one_of
from assay.stats.multivariate.covariance import as_covariance, factor

STRUCTURES = ("full", "diagonal", "shared", "shared-diagonal", "shared-spherical")


@dataclass(frozen=True)
class Conic:
    """The points of the plane where the log odds are zero.

    Attributes
    ----------
    kind : "circle", "ellipse", "hyperbola", "parabola", "crossing lines",
        "parallel lines", "line", "point", "nowhere" or "everywhere"
    center : (2,) or None; for lines that cross, where they do
    axes : (2, 2) or None; columns are the directions of the semi-axes
    semi_axes : (2,) or None; a hyperbola opens along the first axis
    lines : (m, 3); m lines n1 x1 + n2 x2 = offset, with unit normals (n1, n2)
    """

    kind: str
    center: NDArray[np.float64] | None = None
    axes: NDArray[np.float64] | None = None
    semi_axes: NDArray[np.float64] | None = None
    lines: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class LogOdds:
    """The function xᵀW x + wᵀx + w0; made by `gaussian_log_odds`.

    W : (d, d)      w : (d,)      w0 : float
    """

    W: NDArray[np.float64]
    w: NDArray[np.float64]
    w0: float

    def __call__(self, x: ArrayLike) -> NDArray[np.float64]:
        """Log odds of the first class at x, (d,) or (n, d)."""
        x = as_points(x, "LogOdds")
        return np.einsum("...i,ij,...j->...", x, self.W, x) + x @ self.w + self.w0

    @property
    def conic(self) -> Conic:
        """What the boundary is; for two variables."""
        if len(self.w) != 2:
            raise ParameterError(
                f"LogOdds: a conic lies in the plane, these log odds have {len(self.w)} variables."
            )
        return _conic(self.W, self.w, self.w0)


def gaussian_log_odds(
    means: ArrayLike, covariances: ArrayLike, priors: ArrayLike = (0.5, 0.5), *, structure: str = "full"
) -> LogOdds:
    r"""Log odds of two normal classes, under one of the usual assumptions on their covariances.

    .. math:: \log\frac{P(C_1|x)}{P(C_2|x)} = g_1(x) - g_2(x), \qquad
              g_k = -\tfrac12\log|S_k| - \tfrac12(x-m_k)^TS_k^{-1}(x-m_k) + \log P(C_k)     \quad (1)

    =================== =============================================== ==================
    structure           covariance used                                 boundary
    =================== =============================================== ==================
    "full"              S_k                                             quadric
    "diagonal"          diagonal of S_k                                 quadric, no cross terms
    "shared"            S = P_1 S_1 + P_2 S_2                           plane
    "shared-diagonal"   diagonal of S                                   plane
    "shared-spherical"  tr(S)/d times the identity                      plane, normal to m_1 - m_2
    =================== =============================================== ==================

    Parameters
    ----------
    means : (2, d)
    covariances : (2, d, d), or (d, d) for both
    priors : two probabilities

    Examples
    --------
    Equal means, a narrow class in a wide one: the boundary is a circle.

    >>> narrow_in_wide = gaussian_log_odds([[0, 0], [0, 0]], [np.eye(2), 4 * np.eye(2)])
    >>> narrow_in_wide.conic.kind, narrow_in_wide.conic.semi_axes.round(7)
    ('circle', array([1.9227025, 1.9227025]))

    See Also
    --------
    gaussian_thresholds, log_odds_discriminant

    References
    ----------
    - Duda, R. O., Hart, P. E. and Stork, D. G. (2001). Pattern Classification, second edition. Wiley.
    """
    who = "gaussian_log_odds"
    one_of(structure, STRUCTURES, who, "structure")
    m = as_points(means, who)
    if m.ndim != 2 or len(m) != 2:
        raise ParameterError(f"means must be two rows of d values, got shape {m.shape}.", who=who)
    d = m.shape[1]
    matrices = as_points(covariances, who)
    matrices = np.stack([matrices, matrices]) if matrices.ndim == 2 else matrices
    if matrices.shape != (2, d, d):
        raise DataError(f"covariances must be 2 of {d} by {d}, got shape {matrices.shape}.", who=who)
    S = np.stack([as_covariance(part, d, who) for part in matrices])
    ratio = log_prior_ratio(priors, who)
    if structure.startswith("shared"):
        S[:] = np.tensordot(np.asarray(priors, dtype=float), S, axes=1)
    if structure.endswith("diagonal"):
        S = S * np.eye(d)
    if structure == "shared-spherical":
        S[:] = np.trace(S[0]) / d * np.eye(d)
    W, w, w0 = zip(*(_terms(m[k], S[k]) for k in range(2)))
    if structure.startswith("shared"):  # the quadratic terms are the same, and cancel
        return LogOdds(np.zeros((d, d)), w[0] - w[1], float(w0[0] - w0[1] + ratio))
    return LogOdds(W[0] - W[1], w[0] - w[1], float(w0[0] - w0[1] + ratio))


def _terms(
    m: NDArray[np.float64], S: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """(1) without the prior, multiplied out."""
    L = factor(S, "gaussian_log_odds", "Regularise it first.")
    inverse = cho_solve((L, True), np.eye(len(m)))
    half_log_det = float(np.sum(np.log(np.diag(L))))
    return -(inverse + inverse.T) / 4, inverse @ m, float(-0.5 * m @ inverse @ m) - half_log_det


def _conic(W: NDArray[np.float64], w: NDArray[np.float64], w0: float) -> Conic:
    """Along the eigenvectors of W the equation has no cross term; then the signs of what is left decide."""
    size = max(np.abs(W).max(), np.abs(w).max(), abs(w0))
    if size == 0:
        return Conic("everywhere")
    values, axes = eigh(W)
    order = np.argsort(-np.abs(values), kind="stable")
    values, axes = values[order], axes[:, order]
    values = np.where(np.abs(values) <= 1e-12 * size, 0, values)
    slope = axes.T @ w
    slope = np.where(np.abs(slope) <= 1e-12 * size, 0, slope)
    if values[0] == 0:
        if not slope.any():
            return Conic("nowhere")
        length = float(np.linalg.norm(w))
        return Conic("line", lines=np.array([[*(w / length), -w0 / length]]))
    if values[1] == 0:
        return _one_curved_axis(values[0], slope, w0, axes, size)
    u = -slope / (2 * values)
    level = w0 - float(np.sum(values * u**2))  # the value at the centre
    level = 0.0 if abs(level) <= 1e-12 * size else level
    center = axes @ u
    if values[0] * values[1] > 0:
        if level == 0:
            return Conic("point", center)
        squares = -level / values
        if squares[0] < 0:
            return Conic("nowhere")
        round_enough = np.isclose(squares[0], squares[1], rtol=1e-10)
        order = np.argsort(-squares)
        return Conic("circle" if round_enough else "ellipse", center, axes[:, order], np.sqrt(squares[order]))
    if level == 0:
        normals = [axes @ (np.sqrt(np.abs(values)) * sign) for sign in (np.array([1, 1]), np.array([1, -1]))]
        units = [n / np.linalg.norm(n) for n in normals]
        return Conic("crossing lines", center, lines=np.array([[*n, n @ center] for n in units]))
    squares = -level / values
    order = np.argsort(-squares)  # the axis with the positive square first: the branches open along it
    return Conic("hyperbola", center, axes[:, order], np.sqrt(np.abs(squares[order])))


def _one_curved_axis(
    value: float, slope: NDArray[np.float64], w0: float, axes: NDArray[np.float64], size: float
) -> Conic:
    """value u² + slope·(u, v) + w0 = 0: a parabola, or lines across the curved axis."""
    if slope[1] != 0:
        return Conic("parabola", axes=axes)
    u = -slope[0] / (2 * value)
    square = u**2 - w0 / value
    if abs(square) <= 1e-12 * size / abs(value):
        return Conic("line", lines=np.array([[*axes[:, 0], u]]))
    if square < 0:
        return Conic("nowhere")
    half = np.sqrt(square)
    return Conic("parallel lines", lines=np.array([[*axes[:, 0], u - half], [*axes[:, 0], u + half]]))
