"""Probabilistic canonical correlation analysis."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.explanation import Section
from assay.core.model_view import Part
from assay.core.parameters import Count, Range
from assay.core.stored import FloatArray, Scalar
from assay.core.targets import numeric_target
from assay.reduce.components.explained_sums import ExplainedSums
from assay.reduce.views.cca import canonical_pairs, whitener_of_view
from assay.reduce.views.two_views import Covariances, TwoViews
from assay.types import TableLike, Target

__all__ = ["ProbabilisticCCA"]

SAME_PLACE = (
    1e-10  # of its squared length, that rounding may put a row outside of the space of the training rows
)


class ProbabilisticCCA(TwoViews, ExplainedSums):
    r"""Few hidden numbers that two tables have in common; each table has Gaussian noise of its own besides.

    .. math:: z \sim N(0, I_k), \qquad x = W_xz + \mu_x + \epsilon_x, \quad y = W_yz + \mu_y + \epsilon_y,
              \qquad \epsilon_x \sim N(0, \Psi_x),\; \epsilon_y \sim N(0, \Psi_y)                  \quad (1)

    with noise of any covariance within a table, and none between tables. The maximum of the likelihood is known: with
    canonical weights U, V and correlations :math:`\rho`, :math:`W_x = S_{xx}U\,\mathrm{diag}(\rho)^{1/2}` and
    :math:`\Psi_x = S_{xx} - W_xW_x^T`. What follows of z, with a = U'x and b = V'y,

    .. math:: E(z_i\mid x) = \sqrt{\rho_i}\,a_i, \quad
              E(z_i\mid x, y) = \frac{\sqrt{\rho_i}}{1+\rho_i}(a_i + b_i)                          \quad (2)

    is canonical correlation analysis, scaled; rows with one table alone, likelihoods, and distributions come with it.
    The learner is a sum: ``fit_blocks``, ``partial_fit``, Dask and ``sample_weight`` give the same numbers.

    Cost: fit O(n (p + q)^2 + (p + q)^3); transform O(p k) a row; memory O((p + q)^2).

    Parameters
    ----------
    n_components : int, default 2
        The number k of hidden numbers, at most min(n, p, q).
    ridge : float, default 0
        Added to the variances of the standardised columns when the directions are sought.

    Attributes
    ----------
    canonical_correlations_ : (s,) of all pairs
    x_loadings_ : (p, k), y_loadings_ : (q, k) W of the standardised columns
    x_noise_covariance_ : (p, p), y_noise_covariance_ : (q, q), in the units of the columns
    posterior_variance_ : (k,) of each hidden number, given both tables
    log_likelihood_ : float of the training rows

    Examples
    --------
    >>> import numpy as np
    >>> from assay.reduce import ProbabilisticCCA
    >>> from assay.tables.data import load_iris
    >>> X = np.asarray(load_iris().X)
    >>> model = ProbabilisticCCA(n_components=1).fit(X[:, :2], X[:, 2:])
    >>> model.transform(X[:1, :2]).round(3), model.transform(X[:1, :2], X[:1, 2:]).round(3)
    (array([[-1.142]]), array([[-1.245]]))

    See Also
    --------
    CCA, ProbabilisticPCA, FactorAnalysis

    References
    ----------
    - Bach, F. R. and Jordan, M. I. (2005). A probabilistic interpretation of canonical correlation analysis. Technical
      report 688, University of California, Berkeley.
    """

    card = Card("probabilistic cca", "hidden numbers that two tables have in common")
    accepts = {"n_components": Count(1), "ridge": Range(0)}
    stored = {
        "canonical_correlations_": FloatArray("s", low=0, finite=True),
        "x_noise_covariance_": FloatArray("p", "p", finite=True),
        "y_noise_covariance_": FloatArray("q", "q", finite=True),
        "posterior_variance_": FloatArray("m", low=0, finite=True),
        "log_likelihood_": Scalar(),
        "_x_whitener": FloatArray("p", "*", finite=True),
        "_y_whitener": FloatArray("q", "*", finite=True),
        "_log_dets": FloatArray(2),
    }
    scale = True

    def __init__(self, n_components: int = 2, *, ridge: float = 0.0):
        self.n_components = n_components
        self.ridge = ridge

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        super()._learn(X, numeric_target(y, X.shape[0], type(self).__name__), w)

    def _solve_views(self, views: Covariances) -> None:
        p, q = len(views.x_mean), len(views.y_mean)
        k = self._check_number(min(views.rows, p, q))
        views = views.reduced()
        pairs = canonical_pairs(views, float(self.ridge), type(self).__name__)
        k = min(k, len(pairs.correlations))
        shrink = (views.count - 1) / views.count  # covariances of maximum likelihood are divided by n
        root = np.sqrt(shrink)
        rho = pairs.correlations[:k]
        U, V = (
            pairs.x_weights[:, :k] / root,
            pairs.y_weights[:, :k] / root,
        )  # for variances of 1, divided by n
        self.canonical_correlations_ = pairs.correlations
        self.x_weights_, self.y_weights_ = views.columns(U), V
        self.x_rotations_, self.y_rotations_ = self.x_weights_ * np.sqrt(rho), V * np.sqrt(rho)  # (2)
        xx, yy = views.xx * shrink, views.yy * shrink
        self.x_loadings_ = views.columns(xx @ U) * np.sqrt(rho)
        self.y_loadings_ = yy @ V * np.sqrt(rho)
        full = xx if views.basis is None else views.basis @ xx @ views.basis.T
        self.x_noise_covariance_ = (full - self.x_loadings_ @ self.x_loadings_.T) * np.outer(
            views.x_std, views.x_std
        )
        self.y_noise_covariance_ = (yy - self.y_loadings_ @ self.y_loadings_.T) * np.outer(
            views.y_std, views.y_std
        )
        self.posterior_variance_ = (1 - rho) / (1 + rho)
        P, Q = whitener_of_view(xx, 0.0), whitener_of_view(yy, 0.0)
        self._x_whitener, self._y_whitener = views.columns(P), Q
        spread = [-2 * np.sum(np.log(np.linalg.svd(W, compute_uv=False))) for W in (P, Q)]
        units = [2 * np.sum(np.log(std)) for std in (views.x_std, views.y_std)]
        self._log_dets = np.array(spread) + np.array(units)
        with np.errstate(divide="ignore"):
            log_det = float(self._log_dets.sum() + np.sum(np.log(1 - rho**2)))
        r = (
            P.shape[1] + Q.shape[1]
        )  # the squared distances of the training rows add up to their count times this
        self.log_likelihood_ = -0.5 * views.count * (r * np.log(2 * np.pi) + log_det + r)

    def transform(self, X: TableLike, y: Target | None = None, copy: bool = True) -> np.ndarray:
        """(n, k) the expected hidden numbers (2), given X alone, or X and y.

        Parameters
        ----------
        X : (n, p)      y : (n, q) or None, default None
        copy : bool, default True
            Accepted as that of :class:`CCA`; X and y are never changed.
        """
        of_x = self._transform(self._admit(X))
        if y is None:
            return of_x
        of_y = (self._second(y, len(of_x)) - self._y_mean) / self._y_std @ self.y_rotations_
        return (of_x + of_y) / (1 + self.canonical_correlations_[: of_x.shape[1]])

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:  # type: ignore[override]
        """(n, k) the hidden numbers of the training rows, given X alone, as a pipeline needs them."""
        return self.fit(X, y, sample_weight).transform(X)

    def score_samples(self, X: TableLike, y: Target | None = None) -> np.ndarray:
        """(n,) the log density of each row of X, or of X and y together.

        Where columns determine others, it is the density within the space that the training rows span, and minus
        infinity outside of it.
        """
        A = (self._admit(X) - self._x_mean) / self._x_std
        log_density = _log_density(A, self._x_whitener) - 0.5 * self._log_dets[0]
        if y is None:
            return log_density
        B = (self._second(y, len(A)) - self._y_mean) / self._y_std
        a, b, rho = (
            A @ self.x_weights_,
            B @ self.y_weights_,
            self.canonical_correlations_[: self._n_features_out],
        )
        common = (a * a - 2 * rho * a * b + b * b) / (1 - rho**2) - a * a - b * b + np.log(1 - rho**2)
        return (
            log_density + _log_density(B, self._y_whitener) - 0.5 * (self._log_dets[1] + common.sum(axis=1))
        )

    def score(self, X: TableLike, y: Target | None = None) -> float:
        """The mean log density of the rows of X, or of X and y together."""
        return float(np.mean(self.score_samples(X, y)))

    def _model_parts(self) -> list[Part]:
        k = self._n_features_out
        rows: list[list[Any]] = [
            [i + 1, float(r), float(v)]
            for i, (r, v) in enumerate(zip(self.canonical_correlations_, self.posterior_variance_))
        ]
        weights = [[name, *w] for name, w in zip(self._names, self.x_loadings_.tolist())]
        return [
            Section("Hidden numbers", ["number", "correlation", "variance given both tables"], rows),
            Section("Loadings of the columns of X", ["column", *(str(j + 1) for j in range(k))], weights),
        ]


def _log_density(A: np.ndarray, P: np.ndarray) -> np.ndarray:
    """(n,) of centred rows, but for the determinant; P whitens the space in which the training rows vary."""
    Z = A @ P
    log_density = -0.5 * (P.shape[1] * np.log(2 * np.pi) + np.sum(Z * Z, axis=1))
    if P.shape[1] < len(P):
        inside = A @ np.linalg.qr(P)[0]
        squares = np.sum(A * A, axis=1)
        log_density[squares - np.sum(inside**2, axis=1) > SAME_PLACE * (squares + 1)] = -np.inf
    return log_density
