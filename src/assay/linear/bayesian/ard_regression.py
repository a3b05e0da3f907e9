"""Automatic relevance determination: each weight has a precision of its own, and most weights end at 0."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.core import Card, Regressor
from assay.core.explanations import dense_block
from assay.core.parameters import Any_, Count, Flag, Range
from assay.core.stored import FloatArray, Integer, Object, Scalar
from assay.errors import DataError, DegenerateError, DegenerateWarning, warn_user
from assay.linear.bayesian.compressed_rows import CompressedRows, CompressingLearner
from assay.linear.bayesian.posterior_regressor import (
    CLEARLY_BETTER,
    PosteriorRegressor,
    above_zero,
    check_units,
    weights_settled,
)
from assay.linear.terms import MAX_TERMS
from assay.stats.bayesian.linear_posterior import LinearPosterior
from assay.stats.distributions.predictive import Normal
from assay.types import TableLike

__all__ = ["ARDRegression"]

EPS = float(np.finfo(np.float64).eps)
LARGEST_PRECISION = 1e305  # short of the largest number, by the size of a table
LOG_2PI = float(np.log(2 * np.pi))
CLEARLY_NOT_ZERO = 4.0  # standard deviations of a weight from 0


class ARDRegression(CompressingLearner, PosteriorRegressor, Regressor):
    r"""Bayesian regression that finds out which columns matter (sparse Bayesian learning).

    Weight j is :math:`N(0, 1/\lambda_j)` beforehand, the noise :math:`N(0, 1/\alpha)`. The precisions are moved to
    where the evidence is largest; that of a column which the rows do not need grows without bound, and beyond
    ``threshold_lambda`` the column is dropped:

    .. math:: \Sigma = (\Lambda + \alpha X^TX)^{-1}, \quad w = \alpha\Sigma X^Ty, \quad
              \gamma_j = 1-\lambda_j\Sigma_{jj}, \quad
              \lambda_j = \frac{\gamma_j+2\lambda_1}{w_j^2+2\lambda_2}, \quad
              \alpha = \frac{n-\sum\gamma_j+2\alpha_1}{\lVert y-Xw\rVert^2+2\alpha_2}                     \quad (1)

    Names, parameters, attributes and answers are scikit-learn's. The rows enter through sums, so blocks, Dask and
    ``partial_fit`` give the same answer, and an iteration costs O(min(n, d)^2 d), however many rows there are. With
    fewer rows than columns the iterations keep more digits than scikit-learn's, which may wander where these settle.
    Where y is large (prices, say), (1) from precisions of 1 may rest at weights of nearly 0; if it does, it is run
    again from precisions at which prior and rows weigh alike, and the higher evidence is taken. Scale the columns
    alike first: the threshold is in their units, and a warning says so if it drops a weight that is clearly not 0.
    If no column is left, ``alpha_`` is of all that y varies by (in scikit-learn: of the residuals before the drop).

    Cost: fit O(n d^2) and O(min(n, d)^2 d) an iteration; predict O(d) a row, with deviations O(d^2); memory
    O(n d + d^2) to fit, O(d^2) kept.

    Parameters
    ----------
    max_iter : int, default 300
        Iterations of (1) at most.
    tol : float, default 1e-3
        Stop once the weights move by less, all together.
    alpha_1, alpha_2 : float, default 1e-6
        Shape and rate of the gamma prior of :math:`\alpha`.
    lambda_1, lambda_2 : float, default 1e-6
        Shape and rate of the gamma prior of each :math:`\lambda_j`.
    compute_score : bool, default False
        Whether ``scores_`` is kept.
    threshold_lambda : float, default 1e4
        The precision beyond which a column is dropped.
    fit_intercept : bool, default True
        Whether there is a constant.
    copy_X : bool, default True
        Accepted for scikit-learn's sake; X is never changed.
    verbose : bool, default False
        Accepted; progress shows by itself.

    Attributes
    ----------
    coef_ : (d,) mean of the posterior, 0 for dropped columns      intercept_ : float
    alpha_ : float, precision of the noise      lambda_ : (d,) precisions of the weights
    sigma_ : (k, k) covariance of the weights that were kept
    scores_ : (n_iter_,) the objective, if ``compute_score``
    log_evidence_ : float, the log probability of y given X and the precisions
    posterior_ : LinearPosterior of the constant and the weights that were kept
    n_iter_ : int      X_offset_ : (d,) means of the columns      X_scale_ : (d,) ones

    Examples
    --------
    The second column has nothing to say:

    >>> from assay.linear import ARDRegression
    >>> model = ARDRegression().fit([[0.0, 1], [1, 0], [2, 1], [3, 1], [4, 0]], [0, 2, 4, 6, 8])
    >>> model.coef_.round(3)
    array([2., 0.])

    See Also
    --------
    BayesianRidge, Lasso

    References
    ----------
    - MacKay, D. J. C. (1994). Bayesian nonlinear modeling for the prediction competition. ASHRAE Transactions 100.
    - Tipping, M. E. (2001). Sparse Bayesian learning and the relevance vector machine. Journal of Machine Learning
      Research 1, 211-244.
    """

    card = Card(
        "ard",
        "Bayesian regression that drops columns",
        also=("automatic relevance determination", "sparse bayesian regression"),
        scale=True,
        most_columns=1000,
        learns=(
            "a linear function with Gaussian weights",
            "negative log evidence",
            "evidence updates of the precisions",
            "local",
        ),
    )
    kept_in_single = ("coef_", "intercept_", "sigma_")
    accepts = {
        "max_iter": Count(1),
        "tol": Range(0),
        "alpha_1": Range(0),
        "alpha_2": Range(0),
        "lambda_1": Range(0),
        "lambda_2": Range(0),
        "compute_score": Flag(),
        "threshold_lambda": Range(0),
        "fit_intercept": Flag(),
        "copy_X": Flag(),
        "verbose": Any_("True, False or a whole number", lambda v: isinstance(v, (bool, int, np.bool_))),
    }
    stored = {
        "coef_": FloatArray("p"),
        "intercept_": Scalar(),
        "alpha_": Scalar(low=0),
        "lambda_": FloatArray("p", low=0),
        "sigma_": FloatArray("k", "k"),
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
        compute_score: bool = False,
        threshold_lambda: float = 1.0e4,
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
        self.compute_score = compute_score
        self.threshold_lambda = threshold_lambda
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.verbose = verbose

    def _summarize(self, X: Any, y: Any, w: Any) -> Any:
        self._check_single(y)
        return super()._summarize(X, y, w)

    def _infer(self, rows: CompressedRows) -> None:
        check_units(rows, self._terms(), type(self).__name__)
        if rows.count < 2:
            raise DegenerateError(
                f"{type(self).__name__}: Found array with 1 sample(s) while a minimum of 2 is required, since one row "
                "does not tell weights from noise."
            )
        d = rows.R.shape[1]
        with np.errstate(over="ignore"):
            sizes = np.einsum("ij,ij->j", rows.R, rows.R) / (rows.variance + EPS)
        if not sizes.max(initial=0.0) < LARGEST_PRECISION:
            j = int(np.argmax(sizes))
            raise DataError(
                f"column {self._terms()[j]!r} is so large beside y that the squares of their ratio are no numbers.",
                who=type(self).__name__,
                remedy="Divide the column by a power of ten that brings its values near those of y.",
            )
        climb = self._climb(rows, np.ones(d))
        if climb.settled and climb.determined < 1:
            again = self._climb(rows, np.where(sizes > 0, sizes, 1.0))
            if again.evidence > climb.evidence + CLEARLY_BETTER:
                climb = again
        if not climb.settled and self.max_iter > 1:
            warn_user(
                f"ARDRegression: the weights still moved after {self.max_iter} iterations. Raise max_iter or tol.",
                ConvergenceWarning,
            )
        if climb.lost.any():
            columns = ", ".join(np.array(self._terms())[climb.lost][:MAX_TERMS])
            warn_user(
                f"ARDRegression: columns were dropped whose weights are small and yet clearly not 0: {columns}. "
                f"The threshold_lambda of {self.threshold_lambda:g} is in units of the columns: scale them alike, or "
                "raise it.",
                DegenerateWarning,
            )
        self.n_iter_, self.scores_ = climb.iterations, np.array(climb.scores)
        self._keep(rows, climb.alpha, climb.lam, climb.keep, climb.coef)

    def _climb(self, rows: CompressedRows, lam: np.ndarray) -> _Climb:
        """The fixed point (1) from a start."""
        d, alpha = len(lam), 1 / (rows.variance + EPS)
        keep, lost, coef = np.ones(d, bool), np.zeros(d, bool), np.zeros(d)
        scores: list[float] = []
        last, settled, iterations, n_free = None, False, 0, rows.weight
        for iteration in range(self.max_iter):
            iterations = iteration + 1
            coef[keep], variances, log_det = _weights(rows, alpha, lam, keep)
            sse = _squares(rows, coef)
            gamma = 1 - lam[keep] * variances
            lam[keep] = (gamma + 2 * self.lambda_1) / above_zero(self, coef[keep] ** 2, "lambda_2")
            n_free, last_alpha = rows.weight - float(gamma.sum()), alpha
            alpha = (n_free + 2 * self.alpha_1) / above_zero(self, sse, "alpha_2")
            fitted, keep = keep, lam < self.threshold_lambda
            lost[fitted] |= ~keep[fitted] & (
                coef[fitted] ** 2 > CLEARLY_NOT_ZERO**2 * variances * last_alpha / alpha
            )
            coef[~keep] = 0
            if self.compute_score:
                scores.append(self._objective(rows, alpha, lam, coef, sse, log_det))
            settled = not keep.any() or (last is not None and weights_settled(last, coef, self.tol))
            if settled:
                break
            last = coef.copy()
        if not keep.any():  # all that y varies by is noise then
            n_free = rows.weight
            alpha = (n_free + 2 * self.alpha_1) / above_zero(self, _squares(rows, coef), "alpha_2")
        evidence = _log_evidence(rows, alpha, lam, keep)
        determined = rows.weight - n_free
        return _Climb(alpha, lam, keep, lost, coef, evidence, determined, scores, iterations, settled)

    def _keep(
        self, rows: CompressedRows, alpha: float, lam: np.ndarray, keep: np.ndarray, coef: np.ndarray
    ) -> None:
        self._rows, self.alpha_, self.lambda_ = rows, alpha, lam
        self.__dict__.pop("posterior_", None)
        if keep.any():
            coef[keep] = _weights(rows, alpha, lam, keep)[0]
            self.sigma_ = _covariance(rows, alpha, lam, keep)
        else:
            self.sigma_ = np.zeros((0, 0))
        self.coef_ = coef
        self.X_offset_, self.X_scale_ = rows.mean, np.ones(len(coef))
        self.intercept_ = rows.target - float(rows.mean @ coef) if self.fit_intercept else 0.0
        self.log_evidence_ = _log_evidence(rows, alpha, lam, keep)

    def _objective(
        self,
        rows: CompressedRows,
        alpha: float,
        lam: np.ndarray,
        coef: np.ndarray,
        sse: float,
        log_det: float,
    ) -> float:
        """scikit-learn's score: the log evidence and the priors of the precisions, up to constants."""
        score = float((self.lambda_1 * np.log(lam) - self.lambda_2 * lam).sum())
        score += self.alpha_1 * np.log(alpha) - self.alpha_2 * alpha
        score += 0.5 * (log_det + rows.weight * np.log(alpha) + float(np.log(lam).sum()))
        return float(score - 0.5 * (alpha * sse + float((lam * coef**2).sum())))

    def _weighted(self) -> np.ndarray:
        return np.flatnonzero(self.lambda_ < self.threshold_lambda)

    @cached_property
    def posterior_(self) -> LinearPosterior:
        """The posterior of the constant and the weights that were kept."""
        rows, kept = self._rows, self._weighted()
        A, t = rows.with_constant() if self.fit_intercept else (rows.R, rows.t)
        flat = [0.0] * self.fit_intercept
        columns = np.append([0] * self.fit_intercept, kept + self.fit_intercept).astype(int)
        precision = np.append(flat, self.lambda_[kept])
        prior = LinearPosterior.prior(len(columns), precision, noise=1 / self.alpha_)
        return prior.absorb(A[:, columns], t, rows.weight, rows.outside)

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
        kept = self._weighted()
        Z = dense_block(X)[:, kept].astype(np.float64) - self.X_offset_[kept]
        return np.maximum(np.einsum("ij,ij->i", Z @ self.sigma_.astype(np.float64), Z), 0.0)

    def _uncertain(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        from_weights = self._variance(X)
        if self.fit_intercept:
            from_weights = from_weights + 1 / (self.alpha_ * self._rows.weight)
        return from_weights, np.full(len(from_weights), 1 / self.alpha_)

    def _distribution(self, X: Any) -> Normal:
        mean = np.ravel(self._predict(X)).astype(np.float64)
        return Normal(mean, np.sqrt(sum(self._uncertain(X))))

    def _measures(self) -> dict[str, Any]:
        kept = self._weighted()
        return {
            "log evidence": self.log_evidence_,
            "precision of the noise (alpha)": self.alpha_,
            "columns kept": f"{len(kept)} of {len(self.coef_)}",
        }


class _Climb(NamedTuple):
    """Where the fixed point (1) came to rest; ``lost`` are columns dropped though their weights were clearly not 0."""

    alpha: float
    lam: np.ndarray
    keep: np.ndarray
    lost: np.ndarray
    coef: np.ndarray
    evidence: float
    determined: float
    scores: list[float]
    iterations: int
    settled: bool


def _weights(
    rows: CompressedRows, alpha: float, lam: np.ndarray, keep: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """w and the diagonal of Sigma of (1) for the columns that are kept, and the log determinant of Sigma."""
    R, precision = rows.R[:, keep], lam[keep]
    if R.shape[1] <= R.shape[0]:
        A = alpha * (R.T @ R)
        A.flat[:: len(A) + 1] += precision
        L = _cholesky(A)
        inverse = _inverse_factor(L)
        w = inverse.T @ (inverse @ (alpha * (R.T @ rows.t)))
        return w, np.einsum("ij,ij->j", inverse, inverse), -2 * float(np.log(np.diag(L)).sum())
    B = (R / precision) @ R.T  # Woodbury: as many equations as there are rows
    B.flat[:: len(B) + 1] += 1 / alpha
    L = _cholesky(B)
    half = _inverse_factor(L) @ R
    w = half.T @ (_inverse_factor(L) @ rows.t) / precision
    variances = 1 / precision - np.einsum("ij,ij->j", half, half) / precision**2
    log_det = -float(np.log(precision).sum()) - 2 * float(np.log(np.diag(L)).sum()) - len(B) * np.log(alpha)
    return w, variances, log_det


def _covariance(rows: CompressedRows, alpha: float, lam: np.ndarray, keep: np.ndarray) -> np.ndarray:
    """Sigma of (1) for the columns that are kept."""
    R, precision = rows.R[:, keep], lam[keep]
    if R.shape[1] <= R.shape[0]:
        A = alpha * (R.T @ R)
        A.flat[:: len(A) + 1] += precision
        inverse = _inverse_factor(_cholesky(A))
        return inverse.T @ inverse
    B = (R / precision) @ R.T
    B.flat[:: len(B) + 1] += 1 / alpha
    half = _inverse_factor(_cholesky(B)) @ (R / precision)
    return np.diag(1 / precision) - half.T @ half


def _log_evidence(rows: CompressedRows, alpha: float, lam: np.ndarray, keep: np.ndarray) -> float:
    """log p(y | X, alpha, lambda); dropped weights are 0."""
    w, _, log_det = _weights(rows, alpha, lam, keep) if keep.any() else (np.zeros(0), None, 0.0)
    coef = np.zeros(len(lam))
    coef[keep] = w
    squares = alpha * _squares(rows, coef) + float(lam[keep] @ w**2)
    logs = float(np.log(lam[keep]).sum()) + log_det + rows.weight * (np.log(alpha) - LOG_2PI)
    return float(0.5 * (logs - squares))


def _squares(rows: CompressedRows, coef: np.ndarray) -> float:
    left = rows.t - rows.R @ coef
    return float(left @ left) + rows.outside


def _cholesky(A: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        raise DegenerateError(
            "ARDRegression: a column has no precision and the rows do not determine its weight. Give lambda_1 above 0, "
            "or scale the columns."
        ) from None


def _inverse_factor(L: np.ndarray) -> np.ndarray:
    from scipy.linalg.lapack import dtrtri

    return dtrtri(L, lower=1)[0]
