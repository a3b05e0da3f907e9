"""Bayesian ridge regression: the penalty and the noise by maximising the evidence."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.core import Card, Regressor
from assay.core.explanations import dense_block
from assay.core.parameters import Any_, Count, Flag, Range
from assay.core.stored import FloatArray, Integer, Object, Scalar
from assay.errors import warn_user
from assay.linear.bayesian.compressed_rows import CompressedRows, CompressingLearner
from assay.linear.bayesian.posterior_regressor import (
    CLEARLY_BETTER,
    PosteriorRegressor,
    above_zero,
    check_units,
    weights_settled,
)
from assay.stats.bayesian.linear_posterior import LinearPosterior
from assay.stats.distributions.predictive import Normal
from assay.types import TableLike

__all__ = ["BayesianRidge"]

EPS = float(np.finfo(np.float64).eps)
LOG_2PI = float(np.log(2 * np.pi))
BLOCK_ROWS = 4096  # of which deviations are computed at a time


class BayesianRidge(CompressingLearner, PosteriorRegressor, Regressor):
    r"""Ridge regression whose penalty follows from the data.

    Weights are :math:`N(0, 1/\lambda)` beforehand and the noise is :math:`N(0, 1/\alpha)`, so the most probable
    weights are those of ridge with the penalty :math:`\lambda/\alpha`. Both precisions have gamma priors, and are
    moved to where the evidence of the data is largest, by the fixed point

    .. math:: \gamma = \sum_i\frac{\alpha s_i^2}{\lambda+\alpha s_i^2}, \quad
              \lambda = \frac{\gamma + 2\lambda_1}{\lVert w\rVert^2 + 2\lambda_2}, \quad
              \alpha = \frac{n-\gamma+2\alpha_1}{\lVert y-Xw\rVert^2 + 2\alpha_2}                         \quad (1)

    with the singular values s of the centred columns; :math:`\gamma` is the number of weights that the rows
    determine. Names, parameters, attributes and answers are scikit-learn's, with one exception: where y is large
    (prices, say), (1) from :math:`\lambda = 1` may rest at weights of nearly 0; if it does, it is run again from a
    :math:`\lambda` at which prior and rows weigh alike, and the higher evidence is taken. The rows enter through
    sums, so blocks, Dask and ``partial_fit`` give the same answer; an iteration of (1) costs O(d^2), whatever n is.
    As in scikit-learn, ``predict(return_std=True)`` takes the constant as known; ``predict_distribution`` and
    ``posterior_`` do not.

    Cost: fit O(n d^2 + d^3), and O(n^2 d) where n < d; predict O(d) a row, with deviations O(d min(n, d)); memory
    O(n d + d min(n, d)) to fit, O(d min(n, d)) kept.

    Parameters
    ----------
    max_iter : int, default 300
        Iterations of (1) at most.
    tol : float, default 1e-3
        Stop once the weights move by less, all together.
    alpha_1, alpha_2 : float, default 1e-6
        Shape and rate of the gamma prior of :math:`\alpha`.
    lambda_1, lambda_2 : float, default 1e-6
        Shape and rate of the gamma prior of :math:`\lambda`.
    alpha_init : float, default None
        Where :math:`\alpha` begins; None is one over the variance of y.
    lambda_init : float, default None
        Where :math:`\lambda` begins; None is 1, and another start if that rests at weights of nearly 0.
    compute_score : bool, default False
        Whether ``scores_`` is kept.
    fit_intercept : bool, default True
        Whether there is a constant.
    copy_X : bool, default True
        Accepted for scikit-learn's sake; X is never changed.
    verbose : bool, default False
        Accepted; progress shows by itself.

    Attributes
    ----------
    coef_ : (d,) mean of the posterior      intercept_ : float
    alpha_, lambda_ : float, precisions of the noise and of the weights
    sigma_ : (d, d) covariance of the weights
    scores_ : (n_iter_ + 1,) the log evidence with the priors of the precisions, if ``compute_score``
    log_evidence_ : float, the log probability of y given X and the precisions, as in the last of ``scores_``
    posterior_ : LinearPosterior of the constant and the weights
    n_iter_ : int      X_offset_ : (d,) means of the columns      X_scale_ : (d,) ones

    Examples
    --------
    >>> from assay.linear import BayesianRidge
    >>> model = BayesianRidge().fit([[0, 0], [1, 1], [2, 2]], [0, 1, 2])
    >>> mean, sd = model.predict([[1, 1]], return_std=True)
    >>> mean.round(4), sd.round(4)
    (array([1.]), array([0.001]))

    See Also
    --------
    ARDRegression, Ridge, RidgeCV

    References
    ----------
    - MacKay, D. J. C. (1992). Bayesian interpolation. Neural Computation 4(3), 415-447.
    - Tipping, M. E. (2001). Sparse Bayesian learning and the relevance vector machine. Journal of Machine Learning
      Research 1, 211-244.
    """

    card = Card(
        "bayesian ridge",
        "ridge whose penalty maximises the evidence",
        also=("bayesian regression",),
        scale=True,
        learns=(
            "a linear function with Gaussian weights",
            "negative log evidence",
            "evidence updates of the precisions",
            "local",
        ),
    )
    kept_in_single = ("coef_", "intercept_")
    accepts = {
        "max_iter": Count(1),
        "tol": Range(0),
        "alpha_1": Range(0),
        "alpha_2": Range(0),
        "lambda_1": Range(0),
        "lambda_2": Range(0),
        "alpha_init": Range(0) | None,
        "lambda_init": Range(0) | None,
        "compute_score": Flag(),
        "fit_intercept": Flag(),
        "copy_X": Flag(),
        "verbose": Any_("True, False or a whole number", lambda v: isinstance(v, (bool, int, np.bool_))),
    }
    stored = {
        "coef_": FloatArray("p"),
        "intercept_": Scalar(),
        "alpha_": Scalar(low=0),
        "lambda_": Scalar(low=0),
        "scores_": FloatArray("*"),
        "log_evidence_": Scalar(),
        "n_iter_": Integer(low=1),
        "X_offset_": FloatArray("p"),
        "X_scale_": FloatArray("p"),
        "_rows": Object(CompressedRows),
    }

    def __init__(
        self,
        *,
        max_iter: int = 300,
        tol: float = 1.0e-3,
        alpha_1: float = 1.0e-6,
        alpha_2: float = 1.0e-6,
        lambda_1: float = 1.0e-6,
        lambda_2: float = 1.0e-6,
        alpha_init: float | None = None,
        lambda_init: float | None = None,
        compute_score: bool = False,
        fit_intercept: bool = True,
        copy_X: bool = True,
        verbose: bool = False,
    ):
        self.max_iter = max_iter
        self.tol = tol
        self.alpha_1 = alpha_1
        self.alpha_2 = alpha_2
        self.lambda_1 = lambda_1
        self.lambda_2 = lambda_2
        self.alpha_init = alpha_init
        self.lambda_init = lambda_init
        self.compute_score = compute_score
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.verbose = verbose

    def _infer(self, rows: CompressedRows) -> None:
        check_units(rows, self._terms(), type(self).__name__)
        alpha = 1 / (rows.variance + EPS) if self.alpha_init is None else float(self.alpha_init)
        climb = self._climb(rows, alpha, 1.0 if self.lambda_init is None else float(self.lambda_init))
        if self.lambda_init is None and climb.settled and _effective(rows, climb.alpha, climb.lam) < 1:
            again = self._climb(rows, alpha, alpha * float(np.mean(rows.spectrum.s**2)) or 1.0)
            if again.evidence > climb.evidence + CLEARLY_BETTER:
                climb = again
        if not climb.settled and self.max_iter > 1:
            warn_user(
                f"BayesianRidge: the weights still moved after {self.max_iter} iterations. Raise max_iter or tol.",
                ConvergenceWarning,
            )
        self.alpha_, self.lambda_, self.n_iter_ = climb.alpha, climb.lam, climb.iterations
        self.log_evidence_, self.scores_ = climb.evidence, np.array(climb.scores)
        self.coef_ = climb.w @ rows.spectrum.V
        self.X_offset_, self.X_scale_ = rows.mean, np.ones(len(rows.mean))
        self.intercept_ = rows.target - float(rows.mean @ self.coef_) if self.fit_intercept else 0.0
        self._rows = rows
        self.__dict__.pop("posterior_", None)

    def _climb(self, rows: CompressedRows, alpha: float, lam: float) -> _Climb:
        """The fixed point (1) from a start."""
        V, scores = rows.spectrum.V, []
        last, settled, iterations = None, False, 0
        for iteration in range(self.max_iter):
            iterations = iteration + 1
            w, sse = _weights(rows, alpha, lam)
            if self.compute_score:
                scores.append(self._score(rows, alpha, lam, w, sse))
            gamma = _effective(rows, alpha, lam)
            lam = (gamma + 2 * self.lambda_1) / above_zero(self, float(w @ w), "lambda_2")  # (1)
            alpha = (rows.weight - gamma + 2 * self.alpha_1) / above_zero(self, sse, "alpha_2")
            coef = w @ V
            settled = last is not None and weights_settled(last, coef, self.tol)
            if settled:
                break
            last = coef
        w, sse = _weights(rows, alpha, lam)
        evidence = self._score(rows, alpha, lam, w, sse)
        scores = [*scores, evidence] if self.compute_score else []
        return _Climb(alpha, lam, w, evidence, scores, iterations, settled)

    def _summarize(self, X: Any, y: Any, w: Any) -> Any:
        self._check_single(y)
        return super()._summarize(X, y, w)

    def _score(self, rows: CompressedRows, alpha: float, lam: float, w: np.ndarray, sse: float) -> float:
        """The log evidence and the log priors of the precisions, up to their constants."""
        s, n, d = rows.spectrum.s, rows.weight, rows.R.shape[1]
        log_det = float((np.log(alpha) + np.log(s**2 + lam / alpha)).sum()) + (d - len(s)) * np.log(lam)
        fit = d * np.log(lam) + n * np.log(alpha) - alpha * sse - lam * float(w @ w) - log_det - n * LOG_2PI
        priors = self.lambda_1 * np.log(lam) - self.lambda_2 * lam
        priors += self.alpha_1 * np.log(alpha) - self.alpha_2 * alpha
        return float(priors + 0.5 * fit)

    @property
    def sigma_(self) -> np.ndarray:
        """(d, d) covariance of the weights."""
        spectrum = self._rows.spectrum
        inside = 1 / self.alpha_ / (spectrum.s**2 + self.lambda_ / self.alpha_)
        S = (spectrum.V.T * inside) @ spectrum.V
        if len(spectrum.s) < len(S):
            S += (np.eye(len(S)) - spectrum.V.T @ spectrum.V) / self.lambda_
        return S.astype(self.coef_.dtype, copy=False)

    @cached_property
    def posterior_(self) -> LinearPosterior:
        """The posterior of the constant and the weights."""
        rows, d = self._rows, self._rows.R.shape[1]
        A, t = rows.with_constant() if self.fit_intercept else (rows.R, rows.t)
        flat = [0.0] * self.fit_intercept
        prior = LinearPosterior.prior(
            d + self.fit_intercept, flat + [self.lambda_] * d, noise=1 / self.alpha_
        )
        return prior.absorb(A, t, rows.weight, rows.outside)

    def predict(self, X: TableLike, return_std: bool = False) -> Any:
        """(n,) the expected number for each row; with ``return_std`` also (n,) the standard deviation."""
        values = self._admit_to_answer(X)
        mean = self._predict(values)
        if not return_std:
            return mean
        deviation = np.sqrt(self._variance(values) + 1 / self.alpha_)
        return mean, deviation.astype(mean.dtype, copy=False)

    def _variance(self, X: Any) -> np.ndarray:
        """(n,) of the prediction, by the weights alone."""
        spectrum, (n, d) = self._rows.spectrum, X.shape
        root = np.sqrt(spectrum.s**2 + self.lambda_ / self.alpha_)
        variance = np.empty(n)
        for start in range(0, n, BLOCK_ROWS):
            some = slice(start, start + BLOCK_ROWS)
            Z = dense_block(X[some]).astype(np.float64) - self.X_offset_
            P = Z @ spectrum.V.T
            scores = P / root
            variance[some] = np.einsum("ij,ij->i", scores, scores) / self.alpha_
            if len(spectrum.s) < d:
                Z -= P @ spectrum.V
                variance[some] += np.einsum("ij,ij->i", Z, Z) / self.lambda_
        return variance

    def _uncertain(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        from_weights = self._variance(X)
        if self.fit_intercept:
            from_weights = from_weights + 1 / (self.alpha_ * self._rows.weight)
        return from_weights, np.full(len(from_weights), 1 / self.alpha_)

    def _distribution(self, X: Any) -> Normal:
        mean = np.ravel(self._predict(X)).astype(np.float64)
        return Normal(mean, np.sqrt(sum(self._uncertain(X))))

    def _measures(self) -> dict[str, Any]:
        return {
            "log evidence": self.log_evidence_,
            "precision of the noise (alpha)": self.alpha_,
            "precision of the weights (lambda)": self.lambda_,
            "effective number of weights": _effective(self._rows, self.alpha_, self.lambda_),
        }


class _Climb(NamedTuple):
    """Where the fixed point (1) came to rest."""

    alpha: float
    lam: float
    w: np.ndarray
    evidence: float
    scores: list[float]
    iterations: int
    settled: bool


def _weights(rows: CompressedRows, alpha: float, lam: float) -> tuple[np.ndarray, float]:
    """(k,) the weights along the singular directions, and the residual squares."""
    spectrum = rows.spectrum
    shrink = spectrum.s**2 + lam / alpha
    safe = np.where(shrink > 0, shrink, 1.0)
    left = np.where(shrink > 0, spectrum.along * (lam / alpha / safe), spectrum.along)
    return spectrum.s * spectrum.along / safe, float(left @ left) + rows.outside


def _effective(rows: CompressedRows, alpha: float, lam: float) -> float:
    """gamma: the number of weights that the rows determine."""
    squares = rows.spectrum.s**2
    shrink = squares + lam / alpha
    return float(np.sum(squares / np.where(shrink > 0, shrink, 1.0)))
