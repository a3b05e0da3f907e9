"""Bayesian linear regression with a prior of your own: fixed, by evidence, integrated out, or normal-gamma."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card, Regressor
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.parameters import Array, Choice, Count, Flag, Range
from assay.core.stored import FloatArray, Scalar
from assay.core.sums import Rows, Source
from assay.errors import DataError, DegenerateError, DegenerateWarning, ParameterError, warn_user
from assay.linear.bayesian.basis import PolynomialTerms
from assay.linear.bayesian.compressed_rows import CompressedRows, CompressingLearner
from assay.linear.bayesian.evidence import Evidence, maximise
from assay.linear.bayesian.posterior_regressor import PosteriorRegressor
from assay.linear.bayesian.precision_grid import PrecisionGrid, mixed
from assay.stats.bayesian.linear_posterior import LinearPosterior, root_of
from assay.tables.row_names import row_name
from assay.types import TableLike

__all__ = ["BayesianLinearRegression"]

LEAST_PRECISION = 1e-299  # a search by evidence ends short of the numbers whose reciprocals are none
SHOWN_ROWS = 6  # training rows that an explanation lists


class BayesianLinearRegression(
    PolynomialTerms, PrecisionGrid, CompressingLearner, PosteriorRegressor, Regressor
):
    r"""Linear regression whose weights have a distribution.

    The noise is :math:`N(0, 1/\beta)` and the weights are :math:`N(\mu_0, (\alpha\Sigma_0)^{-1})` before any row.
    After the rows they are

    .. math:: w \sim N(\mu_N, \Sigma_N), \quad \Sigma_N = (\alpha\Sigma_0 + \beta X^TX)^{-1}, \quad
              \mu_N = \Sigma_N(\alpha\Sigma_0\mu_0 + \beta X^Ty)                                          \quad (1)

    and a new number at x is :math:`N(\mu_N^Tx,\ 1/\beta + x^T\Sigma_Nx)`. The precisions may be numbers; "evidence"
    takes those under which the data are most probable; a list of numbers is integrated out, each with its posterior
    probability; and ``beta="gamma"`` gives the noise a gamma prior, in whose units :math:`\alpha` then is, so that
    weights and predictions are Student's t, wider where few rows tell the noise.

    The rows enter through sums, so blocks, Dask and ``partial_fit`` give the same answer, and the evidence at any
    precisions costs O(d) after one decomposition.

    Cost: fit O(n d^2 + d^3), and O(n^2 d) where n < d; predict O(d) a row, with deviations O(d^2); memory O(n d + d^2)
    to fit, O(d^2) kept.

    Parameters
    ----------
    alpha : float, "evidence" or list of float, default "evidence"
        Precision of the weights; 0 is flat: least squares with its uncertainty.
    beta : float, "evidence", "gamma" or list of float, default "gamma"
        Precision of the noise.
    mu_0 : float, or (D,) default 0
        Prior mean of the weights (of the constant first, if it is penalised).
    Sigma_0 : (D, D) or None
        The precision of the weights up to alpha; None is the identity.
    a_0, b_0 : float, default 1e-6
        Shape and rate of the gamma prior of beta.
    degree : int, default 1
        Highest degree of the products of columns that are weighted; 1 weighs the columns alone.
    fit_intercept : bool, default True
        Whether there is a constant.
    penalize_intercept : bool, default False
        Whether the constant has a prior as the weights have; else its prior is flat.
    keep_rows : bool, default False
        Whether the training rows of an in-memory fit are kept, so that `explain` can list those of largest weight.

    Attributes
    ----------
    coef_ : (D,) posterior mean      intercept_ : float
    alpha_, beta_ : float, the precisions (of a list their posterior means, with a gamma prior beta's)
    log_evidence_ : float, log probability of y given X; of lists, averaged over them; NaN for a flat prior
    effective_ : float, the number of weights that the rows determine
    posteriors_ : LinearPosterior for each pair of precisions, with the probabilities ``probabilities_``
    posterior_ : the most probable of them
    grid_ : (G, 2) the pairs of precisions      grid_posterior_ : (G,) their probabilities

    Examples
    --------
    >>> from assay.linear import BayesianLinearRegression
    >>> model = BayesianLinearRegression(alpha=1.0, beta=1.0, penalize_intercept=True)
    >>> mean, sd = model.fit([[0.0], [1], [2], [3]], [1.0, 3, 4, 8]).predict([[4.0]], return_std=True)
    >>> mean.round(4), (sd**2).round(4)
    (array([8.8718]), array([2.2051]))
    >>> model.equivalent_kernel([[4.0]], [[0.0], [1], [2], [3]]).round(4)
    array([[-0.2308,  0.1282,  0.4872,  0.8462]])

    See Also
    --------
    BayesianRidge, ARDRegression, Ridge

    References
    ----------
    - Bishop, C. M. (2006). Pattern Recognition and Machine Learning. Springer.
    - MacKay, D. J. C. (1992). Bayesian interpolation. Neural Computation 4(3), 415-447.
    """

    card = Card(
        "bayesian linear regression",
        "linear regression with a posterior of its weights",
        also=("normal gamma regression",),
        scale=True,
        learns=(
            "a linear function with Gaussian weights",
            "negative log posterior, or evidence of its precisions",
            "a linear system, and evidence updates",
            "analytic",
        ),
    )
    accepts = {
        "alpha": Range(0) | Choice("evidence") | Array(1, low=0),
        "beta": Range(0, open="low") | Choice("evidence", "gamma") | Array(1, low=0, open="low"),
        "mu_0": Range() | Array(1),
        "Sigma_0": Array(2) | None,
        "a_0": Range(0, open="low"),
        "b_0": Range(0, open="low"),
        "degree": Count(1),
        "fit_intercept": Flag(),
        "penalize_intercept": Flag(),
        "keep_rows": Flag(),
    }
    stored = {
        "coef_": FloatArray("q", finite=True),
        "intercept_": Scalar(finite=True),
        "alpha_": Scalar(low=0),
        "beta_": Scalar(low=0),
        "log_evidence_": Scalar(),
        "effective_": Scalar(),
        "grid_": FloatArray("G", 2, low=0),
        "_kept_rows": FloatArray("t", "q") | None,
        "_kept_targets": FloatArray("t") | None,
    }

    def __init__(
        self,
        alpha: ArrayLike = "evidence",
        beta: Any = "gamma",
        *,
        mu_0: ArrayLike | None = 0.0,
        Sigma_0: ArrayLike | None = None,
        a_0: float = 1e-6,
        b_0: float = 1e-6,
        degree: int = 1,
        fit_intercept: bool = True,
        penalize_intercept: bool = False,
        keep_rows: bool = False,
    ):
        self.alpha = alpha
        self.beta = beta
        self.mu_0 = mu_0
        self.Sigma_0 = Sigma_0
        self.a_0 = a_0
        self.b_0 = b_0
        self.degree = degree
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.keep_rows = keep_rows

    def _check_stored(self) -> None:
        self._check_terms()
        if not hasattr(self, "posteriors_"):
            return
        self._check_grid(len(self.coef_) + self.fit_intercept)
        if (self._kept_rows is None) != (self._kept_targets is None):
            raise ValueError("kept rows need their targets")

    # ------------------------------------------------------------------ learning

    def _summarize(self, X: Any, y: Any, w: Any) -> Any:
        self._check_single(y)
        return super()._summarize(X, y, w)

    def _learn_from(self, source: Source) -> None:
        self._kept_rows = self._kept_targets = None
        if self.keep_rows and isinstance(source, Rows):
            self._kept_rows = self._columns(source.X).copy()
            self._kept_targets = np.array(source.y, dtype=np.float64)
        super()._learn_from(source)

    def _infer(self, rows: CompressedRows) -> None:
        self._set_terms()
        penalised = self.fit_intercept and self.penalize_intercept
        flat = int(self.fit_intercept and not penalised)
        A, t = rows.with_constant() if penalised else (rows.R, rows.t)
        mean, root = self._prior(A.shape[1])
        evidence = Evidence.of(rows, A, t, mean, root, flat)
        pairs = self._pairs(evidence)
        logs = [self._log_evidence(evidence, alpha, beta) for alpha, beta in pairs]
        kept = self._weigh(
            pairs, logs, "no pair of precisions has an evidence; a flat prior has none. Give alpha above 0."
        )
        self.posteriors_ = [self._posterior_of(rows, mean, root, *pairs[g]) for g in kept]
        self._publish(evidence, pairs, kept)

    def _publish(self, evidence: Evidence, pairs: list[tuple[float, float]], kept: np.ndarray) -> None:
        means = self._expected([posterior.mean for posterior in self.posteriors_])
        self.coef_ = means[1:] if self.fit_intercept else means
        self.intercept_ = float(means[0]) if self.fit_intercept else 0.0
        self.alpha_ = float(self._expected([pairs[g][0] for g in kept]))
        self.beta_ = float(self._expected([1 / posterior.noise for posterior in self.posteriors_]))
        ratios = [pairs[g][0] / (1.0 if self._gamma else pairs[g][1]) for g in kept]
        self.effective_ = float(self._expected([evidence.effective(ratio) for ratio in ratios]))

    @property
    def _gamma(self) -> bool:
        return isinstance(self.beta, str) and self.beta == "gamma"

    def _prior(self, D: int) -> tuple[np.ndarray, np.ndarray]:
        """The mean of the weights that have a prior, and the root of their precision up to alpha."""
        who, mean = type(self).__name__, np.asarray(self.mu_0, dtype=np.float64)
        if mean.shape not in ((), (D,)):
            raise ParameterError(f"{who}: mu_0 must be a number or {D} numbers, got shape {mean.shape}.")
        Sigma = 1.0 if self.Sigma_0 is None else self.Sigma_0
        return np.broadcast_to(mean, (D,)).copy(), root_of(Sigma, D, f"{who}: Sigma_0")

    def _log_evidence(self, evidence: Evidence, alpha: float, beta: float) -> float:
        if alpha == 0:
            return -np.inf  # a flat prior has no density
        if self._gamma:
            return evidence.gamma(alpha, self.a_0, self.b_0)
        return evidence.known(alpha, beta)

    def _pairs(self, evidence: Evidence) -> list[tuple[float, float]]:
        """The precisions to be used: one pair, or all pairs of the lists."""
        alphas = [None] if isinstance(self.alpha, str) else np.ravel(self.alpha).astype(float).tolist()
        betas = [None] if isinstance(self.beta, str) else np.ravel(self.beta).astype(float).tolist()
        if not alphas or not betas:
            raise ParameterError(
                f"{type(self).__name__}: alpha and beta need a number or a list that is not empty."
            )
        return [self._in_range(*self._completed(evidence, alpha, beta)) for alpha in alphas for beta in betas]

    def _in_range(self, alpha: float, beta: float) -> tuple[float, float]:
        """The pair, if what evidence has chosen is a number whose reciprocal is one too."""
        ratio = alpha / beta if beta > 0 else np.inf
        for name, numbers, of in (("alpha", (alpha, ratio), "the columns"), ("beta", (beta,), "y")):
            if isinstance(getattr(self, name), str) and not all(
                LEAST_PRECISION < number < 1 / LEAST_PRECISION for number in numbers
            ):
                raise DataError(
                    f"the most probable {name} is not between {LEAST_PRECISION:.0e} and {1 / LEAST_PRECISION:.0e}, "
                    "so it cannot be chosen in these units.",
                    who=type(self).__name__,
                    remedy=f"Divide {of} by a power of ten that brings the values near 1.",
                )
        return alpha, beta

    def _completed(self, evidence: Evidence, alpha: float | None, beta: float | None) -> tuple[float, float]:
        """The pair with what is missing chosen by evidence; with a gamma prior beta stays 1, the unit of alpha."""
        if self._gamma:
            beta = 1.0
        who = type(self).__name__
        if not evidence.along.any() and not evidence.outside > 0 and beta is None:
            raise DegenerateError(
                f"{who}: y is the same in all rows, so that the noise has no precision. Give beta, or beta='gamma'."
            )
        if not evidence.along.any() and alpha is None:
            warn_user(
                f"{who}: y does not depend on the columns at all, so that no precision of the weights is too high; "
                "prior and rows are taken to weigh alike.",
                DegenerateWarning,
            )
            alpha = evidence.scale * (1.0 if beta is None else beta)
        if alpha is None and beta is None:
            ratio = maximise(evidence.profile, evidence.profile_slope, evidence.scale)
            return ratio * evidence.best_beta(ratio), evidence.best_beta(ratio)
        if alpha is None:
            assert beta is not None
            unit = beta
            value: Callable[[float], float] = partial(self._log_evidence, evidence, beta=unit)
            slope: Callable[[float], float] = partial(evidence.slope, beta=unit)
            if self._gamma:
                slope = partial(evidence.gamma_slope, a=self.a_0, b=self.b_0)
            return maximise(value, slope, evidence.scale * unit), unit
        if beta is None:
            flat = alpha == 0
            beta = (
                evidence.best_beta(0.0)
                if flat
                else maximise(
                    partial(evidence.known, alpha),
                    partial(evidence.noise_slope, alpha),
                    evidence.noise_scale(),
                )
            )
        return alpha, beta

    def _posterior_of(
        self, rows: CompressedRows, mean: np.ndarray, root: np.ndarray, alpha: float, beta: float
    ) -> LinearPosterior:
        whole = rows.with_constant() if self.fit_intercept else (rows.R, rows.t)
        D = whole[0].shape[1]
        centre, P = np.zeros(D), np.zeros((D, D))
        centre[D - len(mean) :] = mean
        scale = np.sqrt(alpha if self._gamma else alpha / beta)  # in units of the noise
        P[D - len(mean) :, D - len(mean) :] = scale * root
        noise, dof = (self.b_0 / self.a_0, 2 * self.a_0) if self._gamma else (1 / beta, np.inf)
        return LinearPosterior(centre, P, noise, dof).absorb(*whole, rows.weight, rows.outside)

    # ------------------------------------------------------------------ answers

    def _noise_is_known(self) -> bool:
        return not self._gamma and len(np.unique(self.grid_[:, 1])) == 1

    def predict(self, X: TableLike, return_std: bool = False) -> Any:
        """(n,) the expected number for each row; with ``return_std`` also (n,) the standard deviation."""
        values = self._admit_to_answer(X)
        mean = self._predict(values)
        return (mean, self._distribution(values).sd) if return_std else mean

    def _distribution(self, X: Any) -> Any:
        rows = self._design_rows(X)
        return mixed([posterior.density(rows) for posterior in self.posteriors_], self.probabilities_)

    def equivalent_kernel(self, X: TableLike, rows: TableLike | None = None) -> np.ndarray:
        r"""(n, m) the weight of each training row's number in the prediction of each row of X.

        .. math:: \hat y(x) = \sum_t K(x, x_t)\,y_t, \qquad K(x, x_t) = \beta\,\phi(x)^T\Sigma_N\phi(x_t)

        for :math:`\mu_0 = 0`: the dual form of (1).

        Parameters
        ----------
        X : rows to predict      rows : (m, d) the training rows; None takes those that were kept
        """
        at = self._design_rows(self._admit(X))
        if rows is None and self._kept_rows is None:
            raise ParameterError(
                f"{type(self).__name__}: the training rows were not kept. Give them, or fit with keep_rows=True."
            )
        training = self._kept_rows if rows is None else self._columns(self._admit(rows))
        assert training is not None
        return self._kernel(at, training)

    def _kernel(self, at: np.ndarray, columns: np.ndarray) -> np.ndarray:
        ones = [np.ones((len(columns), 1))] if self.fit_intercept else []
        training = np.column_stack((*ones, columns))
        return np.sum([p * ((at @ q.spread) @ (training @ q.spread).T) for p, q in self._parts()], axis=0)

    def _measures(self) -> dict[str, Any]:
        return {
            "log evidence": self.log_evidence_,
            "precision of the weights (alpha)": self.alpha_,
            "precision of the noise (beta)": self.beta_,
            "effective number of weights": self.effective_,
        }

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        reasons = super()._reasons(X, rows)
        if self._kept_rows is None:
            return reasons

        return reasons.then(lambda i: [self._rows_section(X[i : i + 1])])

    def _rows_section(self, x: Any) -> Section:
        """The training rows of largest weight."""
        assert self._kept_rows is not None
        assert self._kept_targets is not None
        y, weights = self._kept_targets, self._kernel(self._design_rows(x), self._kept_rows)[0]
        order = np.argsort(-np.abs(weights), kind="stable")[:SHOWN_ROWS]
        cells: list[list[Any]] = [
            [row_name(int(k)), float(y[k]), float(weights[k]), float(weights[k] * y[k])] for k in order
        ]
        cells.append([f"{len(y)} rows together", "", float(weights.sum()), float(weights @ y)])
        return Section("Training rows of largest weight", ["row", "y", "weight", "product"], cells)
