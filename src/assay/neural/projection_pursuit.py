"""Projection pursuit regression: a sum of bent functions of directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.core import Card, Regressor
from assay.core.parameters import Accepted, Count, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, Object, Scalar
from assay.neural.input_scaling import target_scale
from assay.types import RandomState

__all__ = ["ProjectionPursuitRegressor", "Ridge1D"]

DEGREE = 3
HALVINGS = 8  # of a step along a direction
RIDGE = 1e-9  # keeps curves determined where knots have few rows


@dataclass(frozen=True)
class Ridge1D:
    """A curve of one direction: a cubic spline on its range, straight lines beyond.

    Attributes
    ----------
    knots, coefs : of the B-spline      low, high : the range
    """

    knots: np.ndarray
    coefs: np.ndarray
    low: float
    high: float
    stored = {
        "knots": FloatArray("m + 4", finite=True, ascending=True),
        "coefs": FloatArray("m", finite=True),
        "low": Scalar(finite=True),
        "high": Scalar(finite=True),
    }

    def value_slope(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The curve and its slope."""
        from scipy.interpolate import BSpline

        inside = np.clip(z, self.low, self.high)
        curve = BSpline(self.knots, self.coefs, DEGREE)
        slope = curve.derivative()(inside)
        return curve(inside) + slope * (z - inside), slope


def _curve(z: np.ndarray, r: np.ndarray, w: np.ndarray, pieces: int) -> Ridge1D:
    """The spline of least (weighted) squares with knots at quantiles of z."""
    from scipy.interpolate import BSpline

    low, high = float(z.min()), float(z.max())
    if not high > low:
        high = low + 1.0
    inner = np.unique(np.quantile(z, np.linspace(0, 1, pieces + 1)[1:-1]))
    inner = inner[(inner > low) & (inner < high)]
    knots = np.r_[[low] * (DEGREE + 1), inner, [high] * (DEGREE + 1)]
    B = BSpline.design_matrix(np.clip(z, low, high), knots, DEGREE).toarray()
    G = (B * w[:, None]).T @ B
    G[np.diag_indices_from(G)] += RIDGE * max(float(np.trace(G)) / len(G), 1e-12)
    return Ridge1D(knots, np.linalg.solve(G, (B * w[:, None]).T @ r), low, high)


class ProjectionPursuitRegressor(Regressor):
    r"""A network whose hidden units have curves of their own, found one after the other.

    .. math:: \hat y = \bar y + \sum_{h=1}^H\phi_h(w_h^Tx),\quad \|w_h\| = 1 \quad (1)

    Each term follows what the ones before it left over: in turn, :math:`\phi` is the cubic spline of least squares for
    the direction at hand, and the direction moves by a Gauss-Newton step
    :math:`\min_\delta\sum_i(r_i-\phi(z_i)-\phi'(z_i)\,\delta^Tx_i)^2`, halved while the error would rise. Several first
    directions are tried.

    Cost: fit O(H s t n (d^2 + p^2)) for s starts of t steps and p pieces; predict O(H d) a row; memory O(n (d + p)).

    Parameters
    ----------
    n_terms : int, default 2
        H at most; a term that explains less than ``tol`` of the variance is the last.
    pieces : int, default 5
        Of each spline.
    starts : int, default 4
        First directions of each term, that of least squares among them.
    max_iter : int, default 30
        Steps of a direction.
    tol : float, default 1e-4
        Share of the variance; see ``n_terms``.
    random_state : default None
        Seed of first directions.

    Attributes
    ----------
    directions_ : (H, p)      curves_ : list of Ridge1D      mean_ : (p,)      offset_ : mean of y
    n_iter_ : steps of the direction that took most
    scale_ : (p,) deviations that columns are divided by before they are projected

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural import ProjectionPursuitRegressor
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = ProjectionPursuitRegressor(1, random_state=0).fit(X, (X[:, 0] + X[:, 1]) ** 2)
    >>> w = model.directions_[0] / model.scale_
    >>> np.abs(w / np.linalg.norm(w)).round(3)
    array([0.707, 0.707])

    See Also
    --------
    MLPRegressor

    References
    ----------
    - Friedman, J. H. and Stuetzle, W. (1981). Projection pursuit regression. Journal of the American Statistical
      Association 76, 817-823. doi:10.1080/01621459.1981.10477729
    """

    card = Card(
        "projection pursuit",
        "curves of a few directions, added up",
        settings={"random_state": 0},
        learns=(
            "a sum of curves along directions",
            "squared error",
            "one direction after the other, by Gauss-Newton steps",
            "greedy",
        ),
    )
    accepts: ClassVar[dict[str, Accepted | None]] = {
        "n_terms": Count(),
        "pieces": Count(),
        "starts": Count(),
        "max_iter": Count(),
        "tol": Range(0),
        "random_state": Seed(),
    }
    stored = {
        "directions_": FloatArray("H", "p", finite=True),
        "curves_": Each(Object(Ridge1D)),
        "mean_": FloatArray("p", finite=True),
        "scale_": FloatArray("p", low=0, finite=True),
        "offset_": Scalar(finite=True),
    }

    def __init__(
        self,
        n_terms: int = 2,
        *,
        pieces: int = 5,
        starts: int = 4,
        max_iter: int = 30,
        tol: float = 1e-4,
        random_state: RandomState = None,
    ):
        self.n_terms = n_terms
        self.pieces = pieces
        self.starts = starts
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        from sklearn.utils import column_or_1d

        X, y = np.asarray(X, dtype=np.float64), column_or_1d(y)
        v = np.ones(len(X)) if w is None else w
        counts = v > 0
        X, y, v = X[counts], y[counts], v[counts]
        random = random_state_of(self.random_state)
        self.mean_, spread = target_scale(X, v)
        self.scale_ = np.where(spread > 1e-12 * np.maximum(np.abs(self.mean_), 1e-300), spread, 1.0)
        Z = (X - self.mean_) / self.scale_
        self.offset_ = float(np.average(y, weights=v))
        r = y - self.offset_
        total = float(v @ r**2)
        directions, curves, steps = [], [], [0]
        for _ in range(self.n_terms):
            if not total > 0:
                break
            first = [np.linalg.lstsq(Z * np.sqrt(v)[:, None], r * np.sqrt(v), rcond=None)[0]]
            first += [random.normal(size=Z.shape[1]) for _ in range(self.starts - 1)]
            fits = [self._pursue(Z, r, v, a) for a in first]
            error, a, curve, count = min(fits, key=lambda fit: fit[0])
            steps.append(count)
            before = float(v @ r**2)
            if before - error < self.tol * total and directions:
                break
            directions.append(a)
            curves.append(curve)
            r = r - curve.value_slope(Z @ a)[0]
        self.directions_ = np.array(directions).reshape(len(directions), Z.shape[1])
        self.curves_, self.n_iter_ = curves, max(1, *steps) if len(steps) > 1 else 1

    def _pursue(
        self, Z: np.ndarray, r: np.ndarray, v: np.ndarray, a: np.ndarray
    ) -> tuple[float, np.ndarray, Ridge1D, int]:
        """The direction and the curve of least squares near a first direction, and the steps made."""

        def fitted(a: np.ndarray) -> tuple[float, np.ndarray, Ridge1D]:
            size = np.linalg.norm(a)
            a = a / size if size > 0 else np.eye(len(a))[0]
            curve = _curve(Z @ a, r, v, self.pieces)
            return float(v @ (r - curve.value_slope(Z @ a)[0]) ** 2), a, curve

        best, count = fitted(a), 0
        while count < self.max_iter:
            count += 1
            error, a, curve = best
            value, slope = curve.value_slope(Z @ a)
            root = np.sqrt(v)
            step = np.linalg.lstsq((slope * root)[:, None] * Z, (r - value) * root, rcond=None)[0]
            share, improved = 1.0, False
            for _ in range(HALVINGS):
                tried = fitted(a + share * step)
                if tried[0] < error * (1 - 1e-8):
                    best, improved = tried, True
                    break
                share /= 2
            if not improved:
                break
        return (*best, count)

    def _check_stored(self) -> None:
        if {"directions_", "curves_"} <= vars(self).keys() and len(self.directions_) != len(self.curves_):
            raise ValueError("there is not one curve for each direction")

    def _predict(self, X: Any) -> np.ndarray:
        Z = (np.asarray(X, dtype=np.float64) - self.mean_) / self.scale_
        total = np.full(len(Z), self.offset_)
        for a, curve in zip(self.directions_, self.curves_):
            total += curve.value_slope(Z @ a)[0]
        return total
