"""Bayesian generalised linear models: counts, amounts and shares with a posterior of the weights."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues, dense_block
from assay.core.parameters import Array, Choice, Range
from assay.core.seeds import as_generator
from assay.core.stored import FloatArray, Object, Scalar
from assay.core.sums import Block, Source
from assay.errors import DegenerateError, warn_user
from assay.linear.affine import affine
from assay.linear.bayesian.laplace_fit import (
    GaussianPrior,
    Laplace,
    Shortcut,
    best_precision,
    laplace,
    unfinished,
)
from assay.linear.bayesian.posterior_regressor import PosteriorRegressor
from assay.linear.bayesian.precision_grid import PrecisionGrid, draw, mixed, precisions_of, total_variance
from assay.linear.generalized.averaged_family import averaged_family, means_at_nodes
from assay.linear.generalized.deviance_objective import DevianceObjective, DevianceSums, means, split
from assay.linear.generalized.deviance_regressor import sample_of
from assay.linear.generalized.families import Family, NegativeBinomial
from assay.linear.generalized.named_family import NamedFamilyRegressor
from assay.linear.generalized.overdispersion import most_likely_alpha
from assay.linear.logistic.logistic_sums import grams
from assay.linear.regression.least_squares import intercept_kind
from assay.stats.bayesian.linear_posterior import LinearPosterior
from assay.stats.distributions.predictive import Normal
from assay.tables.row_names import row_name
from assay.types import RandomState, TableLike

__all__ = ["BayesianGeneralizedLinearModel"]

ROUNDS = 50  # of fitting the weights, the dispersion and the overdispersion in turn
SETTLED = 1e-7  # change of their logarithms
CANONICAL = {
    "gaussian": "identity",
    "poisson": "log",
    "binomial": "logit",
    "gamma": "inverse",
}  # where the expected
# curvature is the observed one
DIFFERENCE = 1e-5  # of the linear predictor, for the derivative of the score


class BayesianGeneralizedLinearModel(PrecisionGrid, PosteriorRegressor, NamedFamilyRegressor):
    r"""A generalised linear model whose weights have a Gaussian posterior (Laplace's approximation).

    With :math:`g(\mu) = w^Tx + b` and a family as in GeneralizedLinearModel, weights are :math:`N(m_0, S_0/\alpha)`
    beforehand. The posterior is taken to be Gaussian around its mode, with the curvature of the log posterior there:

    .. math:: q(w) = N(w_{MAP}, A^{-1}), \qquad
              A = \alpha S_0^{-1} - \nabla\nabla\sum_i\log p(y_i\mid w)                                     \quad (1)

    A prediction averages over it: with the mean m and the variance :math:`s^2 = x^TA^{-1}x` of the linear predictor the
    expected mean is :math:`\int g^{-1}(\eta)N(\eta; m, s^2)d\eta` (:math:`e^{m+s^2/2}` for the log link), and
    ``predict_distribution`` is the family's distribution averaged over :math:`\eta` at the nodes of a quadrature. A
    dispersion that the family leaves open is estimated by Pearson's statistic, divided by the rows less the number of
    weights that they determine. ``alpha="evidence"`` takes the precision under which the targets are most probable; a
    list of numbers is integrated out, each with its posterior probability (the evidence of its approximation, all being
    equally probable beforehand), and predictions are averages over it. Each of them has a dispersion of its own.

    A step is a sum over rows, so that blocks and Dask give the same model.

    A row so far from those of training that its number overflows is refused by name, with and without deviations, where
    `GeneralizedLinearModel` gives infinity, as scikit-learn does.

    Cost: fit O(n d^2 + d^3) a step, some 5 to 15 steps (for "evidence" some 15 times as many, for a list some 5 more
    for each number); predict O(d^2) a row; memory O(n d + d^2) to fit, O(d^2) kept; of a list of G numbers G times as
    much.

    Parameters
    ----------
    family : "gaussian", "poisson", "gamma", "inverse_gaussian", "binomial", "negative_binomial" or "tweedie"
    link : "auto", "identity", "log", "logit", "probit", "cloglog", "inverse", "inverse_squared", "sqrt", "power(p)"
        "auto" is identity for gaussian, logit for binomial, and log for the others.
    alpha : float, "evidence" or list of float, default 1.0
        Precision of the weights.
    m_0 : float or (D,), default 0
        Prior mean of the weights (of the constant first, if it is penalised).
    S_0 : (D, D) or None
        Prior covariance of the weights, divided by alpha; None is the identity.
    fit_intercept : bool, default True
        Whether there is a constant.
    penalize_intercept : bool, default False
        Whether the constant has a prior as the weights have; else its prior is flat.
    offset, exposure : name or number of a column, default None
        As in GeneralizedLinearModel.
    power : float, default 1.5
        Tweedie's variance power.
    overdispersion : "estimate" or a number above 0, default "estimate"
        The negative binomial's alpha.
    max_iter : int, default 100
        Steps at most.
    tol : float, default 1e-8
        Stop once the gradient, divided by the number of rows, is no larger.

    Attributes
    ----------
    coef_ : (D,) mode of the posterior (of a list the posterior mean)      intercept_ : float
    alpha_, dispersion_, overdispersion_, effective_ : float, of a list their posterior means
    log_evidence_ : float, log probability of the targets, weights integrated out; of a list, averaged over it; NaN
        where the family has no density
    posteriors_ : LinearPosterior (with noise 1) of the constant and the weights for each precision, with the
        probabilities ``probabilities_``, and with ``dispersions_`` and ``overdispersions_``
    posterior_ : the most probable of them
    grid_ : (G,) the precisions      grid_posterior_ : (G,) their probabilities
    n_iter_ : int      history_ : list of Record, minus the log posterior step by step, at the most probable precision

    Examples
    --------
    >>> from assay.linear import BayesianGeneralizedLinearModel
    >>> X, y = [[0.0], [1], [2], [3], [4], [5]], [1, 2, 2, 4, 5, 9]
    >>> model = BayesianGeneralizedLinearModel("poisson").fit(X, y)
    >>> mean, sd = model.predict([[6.0]], return_std=True)
    >>> model.coef_.round(3), mean.round(2), sd.round(2)
    (array([0.412]), array([13.84]), array([6.81]))

    Where nothing is known of the precision, it is integrated out over a grid:

    >>> model = BayesianGeneralizedLinearModel("poisson", alpha=[0.1, 1, 10, 100]).fit(X, y)
    >>> model.grid_posterior_.round(3), model.predict([[6.0]]).round(2)
    (array([0.112, 0.324, 0.478, 0.086]), array([12.31]))

    See Also
    --------
    GeneralizedLinearModel, BayesianLinearRegression, BayesianLogisticRegression

    References
    ----------
    - Tierney, L. and Kadane, J. B. (1986). Accurate approximations for posterior moments and marginal densities.
      Journal of the American Statistical Association 81, 82-86.
    - McCullagh, P. and Nelder, J. A. (1989). Generalized Linear Models, 2nd edition. Chapman and Hall.
    """

    card = Card(
        "bayesian glm",
        "a generalised linear model with a posterior of its weights",
        scale=True,
        learns=(
            "a function of a linear score, Gaussian weights",
            "negative log posterior",
            "Newton steps, Laplace's approximation",
            "global",
        ),
    )
    accepts = {
        **NamedFamilyRegressor.accepts,
        "alpha": Range(0, open="both") | Choice("evidence") | Array(1, low=0, open="both"),
        "m_0": Range() | Array(1),
        "S_0": Array(2) | None,
        "penalize_intercept": NamedFamilyRegressor.accepts["fit_intercept"],
        "tol": Range(0, open="low"),
    }
    stored = {
        "posterior_": Object(LinearPosterior),  # the only one, in model files of earlier versions
        "dispersions_": FloatArray("g", low=0, finite=True),
        "overdispersions_": FloatArray("g", low=0, finite=True),
        "log_evidence_": Scalar(),
        "alpha_": Scalar(low=0),
        "effective_": Scalar(),
    }
    warm_start = False

    def __init__(
        self,
        family: str = "poisson",
        link: str = "auto",
        *,
        alpha: ArrayLike = 1.0,
        m_0: ArrayLike | None = 0.0,
        S_0: ArrayLike | None = None,
        fit_intercept: bool = True,
        penalize_intercept: bool = False,
        offset: str | int | None = None,
        exposure: str | int | None = None,
        power: float = 1.5,
        overdispersion: float | str = "estimate",
        max_iter: int = 100,
        tol: float = 1e-8,
    ):
        self.family = family
        self.link = link
        self.alpha = alpha  # type: ignore[assignment]
        self.m_0 = m_0
        self.S_0 = S_0
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.offset = offset
        self.exposure = exposure
        self.power = power
        self.overdispersion = overdispersion
        self.max_iter = max_iter
        self.tol = tol

    def _check_stored(self) -> None:
        if not hasattr(self, "coef_"):
            return
        self._adopt_single()
        if "dispersions_" not in vars(self) and len(self.posteriors_) == 1:  # of an earlier version
            self.dispersions_ = np.array([self.dispersion_])
            self.overdispersions_ = np.array([self.overdispersion_])
        if not len(self.dispersions_) == len(self.overdispersions_) == len(self.posteriors_):
            raise ValueError("each of posteriors_ needs its dispersion and overdispersion")
        fixed = [role for role in (self.offset, self.exposure) if role is not None]
        self._check_grid(len(self.coef_) - len(fixed) + self.fit_intercept)

    def _ridge(self) -> float:
        return 0.0  # the prior is added to the likelihood, not to the deviance

    # ------------------------------------------------------------------ learning

    def _learn_from(self, source: Source) -> None:
        who = type(self).__name__
        self._last = None
        self.__dict__.pop("overdispersion_", None)  # of an earlier fit
        family, link = self._get_family(), self._get_link()
        roles = self._roles(link)
        inner = roles.applied(source)
        survey = inner.add_up(lambda block: self._survey_part(block, family, roles, True))
        objective = self._objective(inner, survey, family, link, roles)
        kind = intercept_kind(self.fit_intercept, self.penalize_intercept)
        middle = survey.sums[1] / survey.weight
        if self.fit_intercept and not self.penalize_intercept and middle in (family.low, family.high):
            raise DegenerateError(
                f"{who}: y is {middle:g} in all rows, the edge of the {family.name} family, so that a constant with a "
                "flat prior has no posterior. Give it a prior: penalize_intercept=True."
            )
        prior = GaussianPrior.of(len(roles.kept), 1.0, self.m_0, self.S_0, kind, who)
        state = _Fit(self, objective, prior, survey.rows)
        if isinstance(self.alpha, str):
            precisions = [best_precision(state.log_evidence)]
        else:
            precisions = precisions_of(self.alpha, "alpha", who)
        points = [state.fit(alpha) for alpha in precisions]
        self._keep(precisions, points, roles)
        self._keep_deviances(points[int(np.argmax(self.grid_posterior_))].deviance, state, survey)
        del self._last

    def _keep(self, precisions: list[float], points: list[_Point], roles: Any) -> None:
        who = type(self).__name__
        kept = self._weigh(
            precisions,
            [point.evidence for point in points],
            f"the {self.family} family has no density here, so that no precision of a list has an evidence. Give one "
            "number as alpha.",
        )
        some = [points[g] for g in kept]
        self.posteriors_ = [point.laplace.posterior for point in some]
        self.dispersions_ = np.array([point.phi for point in some])
        self.overdispersions_ = np.array([point.overdispersion for point in some])
        w = self._expected([posterior.mean for posterior in self.posteriors_])
        self.coef_ = roles.all_weights(w[int(self.fit_intercept) :])
        self.intercept_ = float(w[0]) if self.fit_intercept else 0.0
        self.alpha_ = float(self._expected([precisions[g] for g in kept]))
        self.dispersion_ = float(self._expected(self.dispersions_))
        self.overdispersion_ = float(self._expected(self.overdispersions_))
        self.effective_ = float(self._expected([point.effective for point in some]))
        self.history_ = points[int(np.argmax(self.grid_posterior_))].laplace.history
        self.n_iter_ = max(1, len(self.history_) - 1)
        last = unfinished(point.laplace for point in some)
        if last is not None:
            warn_user(
                f"{who} stopped after {max(1, last.iteration)} steps with a gradient of {last.gradient:.2g}. Raise "
                "max_iter or tol, or try another link.",
                ConvergenceWarning,
            )

    def _keep_deviances(self, deviance: float, state: _Fit, survey: Any) -> None:
        """Of the most probable mode, and of the mean of all targets alone."""
        middle = survey.sums[1] / survey.weight
        family = state.objective.family

        def part(block: Block) -> float:
            y = split(block.y)[0]
            weight = np.ones(len(y)) if block.w is None else block.w
            return float(weight @ family.deviance(y, np.full(len(y), middle)))

        with np.errstate(all="ignore"):
            self.null_deviance_ = float(state.objective.source.add_up(part))
        self.deviance_ = deviance

    # ------------------------------------------------------------------ answers

    def _weighted(self) -> np.ndarray:
        return self._roles(self._get_link()).kept

    def predict(self, X: TableLike, return_std: bool = False) -> Any:
        """(n,) the expected number for each row; with ``return_std`` also (n,) the standard deviation."""
        values = self._admit_to_answer(X)
        mean = self._predict(values)
        return (mean, self._distribution(values).sd) if return_std else mean

    def _predict(self, X: Any) -> np.ndarray:
        each: list[np.ndarray] = []
        for p, part in zip(self.probabilities_, self._predictors(X)):
            mean = self._mean_of(part)
            self._refuse(part, ~np.isfinite(mean))
            each.append(p * mean)
        return each[0] if len(each) == 1 else np.sum(each, axis=0)

    def _mean_of(self, part: _Predictor) -> np.ndarray:
        """(n,) the mean, averaged over the posterior at one precision."""
        link = self._get_link()
        with np.errstate(over="ignore"):
            if link.name == "log":
                return np.exp(part.eta + part.variance / 2)
            if link.name == "identity":
                return part.eta
            mu, weights = means_at_nodes(part.family, link, part.eta, part.sd, type(self).__name__)
        return np.einsum("ij,ij->i", mu, weights)

    def _predictors(self, X: Any) -> list[_Predictor]:
        """The linear predictors at the rows of X, for each precision."""
        rows, link = self._design_rows(X), self._get_link()
        roles, family = self._roles(link), self._get_family()
        log_exposure = 0.0 if roles.exposure is None else roles.log_exposure(X)
        parts = []
        for posterior, phi, overdispersion in zip(self.posteriors_, self.dispersions_, self.overdispersions_):
            w = posterior.mean
            coef, b = roles.all_weights(w[int(self.fit_intercept) :]), w[:1] if self.fit_intercept else 0.0
            eta = affine(X, coef[None], b, self._admit)[:, 0] + log_exposure
            if isinstance(family, NegativeBinomial):
                family = NegativeBinomial(float(overdispersion))
            dispersion = float(phi) if family.dispersion is None else family.dispersion
            with np.errstate(over="ignore"):
                parts.append(_Predictor(eta, posterior.leverages(rows), family, dispersion))
        return parts

    def _predictor_variance(self, X: Any) -> np.ndarray:
        parts = self._predictors(X)
        return total_variance(
            self.probabilities_, [part.eta for part in parts], [part.variance for part in parts]
        )

    def _distribution(self, X: Any) -> Any:
        """The family's distribution, averaged over the posterior of the linear predictor."""
        parts = self._predictors(X)
        for part in parts:
            self._refuse_overflow(part)
        return mixed([self._distribution_of(part) for part in parts], self.probabilities_)

    def _refuse_overflow(self, part: _Predictor) -> None:
        """Refuse rows whose mean is too large for the variance of a number to be one."""
        with np.errstate(all="ignore"):
            self._refuse(part, ~np.isfinite(self._mean_of(part) ** 2))

    def _refuse(self, part: _Predictor, far: np.ndarray) -> None:
        """Name the first of the rows that are too far."""
        if far.any():
            i = int(np.argmax(far))
            raise DegenerateError(
                f"{type(self).__name__}: the linear predictor of {row_name(i)} is {part.eta[i]:.4g}, with a standard "
                f"deviation of {part.sd[i]:.4g}, so that its numbers are beyond all bounds. Look whether the row is in "
                "the units of the training rows."
            )

    def _distribution_of(self, part: _Predictor) -> Any:
        family, link, who = part.family, self._get_link(), type(self).__name__
        if family.name == "gaussian" and link.name == "identity":
            return Normal(part.eta, np.sqrt(part.variance + part.phi))
        averaged = averaged_family(family, link, part.eta, part.sd, part.phi, who)
        if averaged is None:
            raise DegenerateError(f"{who}: {self._no_distribution()}")
        return averaged

    def sample_y(
        self, X: TableLike, n_samples: int = 1, random_state: RandomState = 0, noise: bool = True
    ) -> np.ndarray:
        """(n, n_samples) draws of the numbers at the rows of X, from one set of weights for each sample.

        Parameters
        ----------
        X : rows      n_samples : how many      random_state : seed, generator or None
        noise : whether each number is drawn from the family; False gives the means alone
        """
        values = self._admit(X)
        random = as_generator(random_state, f"{type(self).__name__}.sample_y")
        W, _, chosen = draw(self._parts(), self._number_of_draws(n_samples), random)
        link, parts, rows = self._get_link(), self._predictors(values), self._design_rows(values)
        for part in parts:
            self._refuse_overflow(part)
        shift = parts[0].eta - rows @ self.posteriors_[0].mean  # offsets
        eta = (rows @ W.T) + shift[:, None]
        with np.errstate(over="ignore"):
            mu = link.mean(np.maximum(eta, np.finfo(np.float64).tiny) if link.positive else eta)
        if noise:
            for k in np.unique(chosen):
                at = chosen == k
                try:
                    mu[:, at] = parts[k].family.sample(mu[:, at], float(self.dispersions_[k]), random)
                except ValueError as too_large:  # counts are drawn up to 2^63
                    raise DegenerateError(
                        f"{type(self).__name__}: numbers with means up to {mu[:, at].max():.4g} cannot be drawn. Draw "
                        "the means alone with noise=False."
                    ) from too_large
        return mu

    def _uncertain(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        spread = self._predictor_variance(X)
        return spread, np.zeros(len(spread))

    def _measures(self) -> dict[str, Any]:
        measures = {
            "log evidence": self.log_evidence_,
            "precision of the weights (alpha)": self.alpha_,
            "effective number of weights": self.effective_,
            "dispersion": self.dispersion_,
        }
        return measures | ({"overdispersion": self.overdispersion_} if self.overdispersion_ else {})

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        def uncertainty(i: int) -> list[Section]:
            block, kept = X[i : i + 1], self._weighted()
            values = dense_block(block)[0, kept].astype(np.float64)
            sd = self._marginals().sd[int(self.fit_intercept) :] * np.abs(values)
            names = [self._names[j] for j in kept]
            cells: list[list[Any]] = [
                [name, float(product), float(s)]
                for name, product, s in zip(names, self.coef_[kept] * values, sd)
            ]
            eta = float(self._linear_predictor(block)[0])
            cells.append(["linear predictor", eta, float(np.sqrt(self._predictor_variance(block)[0]))])
            with np.errstate(over="ignore"):
                plain = float(np.ravel(self._get_link().mean(np.array([eta])))[0])
            which = "most probable" if len(self.posteriors_) == 1 else "mean"
            note = f"The mean at the {which} weights is {plain:.4g}; the answer averages over all weights."
            return [Section("Uncertainty of the terms", ["term", "product", "sd"], cells, note)]

        return NamedFamilyRegressor._reasons(self, X, rows).then(uncertainty)


class _Predictor(NamedTuple):
    """(n,) linear predictors and their variances at one precision, and what spreads numbers around their means."""

    eta: np.ndarray
    variance: np.ndarray
    family: Family
    phi: float

    @property
    def sd(self) -> np.ndarray:
        return np.sqrt(self.variance)


class _Point(NamedTuple):
    """The fit at one precision."""

    laplace: Laplace
    phi: float
    overdispersion: float
    effective: float
    evidence: float
    deviance: float


class _Fit:
    """The mode for a precision, the dispersion and the overdispersion; each fit begins where the last one ended."""

    def __init__(self, learner: Any, objective: DevianceObjective, prior: GaussianPrior, rows: float):
        self.learner, self.objective, self.prior, self.rows = learner, objective, prior, rows
        sample = sample_of(objective.source, len(objective.scale.mean)) if objective.unbounded else None
        self.sample = None if objective.power is None else sample
        self.start = learner._first(self._small() or objective, None)
        fixed = objective.family.dispersion
        self.free = fixed is None
        self.phi = 1.0 if fixed is None else float(fixed)
        if self.free:
            self.phi = self._dispersion(self.start, float(min(objective.size, rows / 2)))

    def _small(self) -> DevianceObjective | None:
        """The objective over some of many rows, where gradients alone cost a fraction of a look at the curvature."""
        if self.sample is None:
            return None
        weight = float(len(self.sample.y) if self.sample.w is None else self.sample.w.sum())
        return self.objective.over(self.sample, weight)

    def log_evidence(self, alpha: float) -> float:
        return self.fit(alpha).evidence

    def fit(self, alpha: float) -> _Point:
        learner, effective = self.learner, 0.0
        prior = self.prior.scaled(alpha)
        for _ in range(ROUNDS):
            unit = self.objective.scale.total / self.phi
            canonical = CANONICAL.get(self.objective.family.name) == self.objective.link.name
            fit = laplace(
                lambda v: tuple(unit * part for part in self.objective.curvature(v)),  # type: ignore # noqa: B023
                self.objective.scale,
                prior,
                self.start,
                constant=learner.fit_intercept,
                tol=learner.tol / self.phi,
                max_iter=learner.max_iter,
                curvature=None if canonical else lambda v: unit * _observed(self.objective, v),  # noqa: B023
                shortcut=self._shortcut(unit),
            )
            self.start = fit.inner
            spread = fit.posterior.spread
            effective = len(spread) - float(np.sum((prior.precision @ spread) * spread))
            if self._settled(effective):
                break
        log_likelihood, deviance = self._likelihood(fit)
        evidence = fit.log_evidence + log_likelihood + deviance / (2 * self.phi)
        family = self.objective.family
        overdispersion = family.alpha if isinstance(family, NegativeBinomial) else 0.0
        return _Point(fit, self.phi, overdispersion, effective, evidence, deviance)

    def _shortcut(self, unit: float) -> Shortcut | None:
        objective, small = self.objective, self._small()
        if small is None:
            return None

        def few(v: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
            value, g, H = small.curvature(v)
            return unit * value, unit * g, unit * H

        def gradient(v: np.ndarray) -> tuple[float, np.ndarray]:
            value, g = objective.value_gradient(v)
            return unit * value, unit * g

        return Shortcut(few, gradient)

    def _settled(self, effective: float) -> bool:
        """Whether dispersion and overdispersion stay as they are at the new mode."""
        if self.learner._estimates_overdispersion():
            family = self.objective.family
            assert isinstance(family, NegativeBinomial)
            alpha = most_likely_alpha(self.objective, self.start, family.alpha)
            settled = abs(np.log(alpha / family.alpha)) < SETTLED
            old = self.objective
            self.objective = DevianceObjective(
                old.source, NegativeBinomial(alpha), old.link, old.scale, 0.0, old.fit_intercept
            )
            return settled
        if not self.free:
            return True
        phi = self._dispersion(self.start, effective)
        settled = abs(np.log(phi / self.phi)) < SETTLED
        self.phi = phi
        return settled

    def _dispersion(self, v: np.ndarray, parameters: float) -> float:
        """Pearson's statistic, divided by the rows that are left."""
        objective = self.objective
        w, b = objective.outside(v)

        def part(block: Block) -> float:
            y, offset = split(block.y)
            weight = np.ones(len(y)) if block.w is None else block.w
            mu = means(np.asarray(block.X @ w) + (b + offset), objective.family, objective.link)
            assert mu is not None
            return float(weight @ ((y - mu) ** 2 / objective.family.variance(mu)))

        with np.errstate(all="ignore"):
            pearson = float(objective.source.add_up(part))
        left = self.rows - parameters
        if not (np.isfinite(pearson) and pearson > 0 and left > 1e-9 * self.rows):
            raise DegenerateError(
                f"{type(self.learner).__name__}: the residuals are all 0, or too few rows are left to estimate the "
                "dispersion from. Give more rows, or another family."
            )
        return pearson / left

    def _likelihood(self, fit: Laplace) -> tuple[float, float]:
        """The log likelihood and the deviance at the mode: one pass."""
        objective = self.objective
        w, b = objective.outside(fit.inner)

        def part(block: Block) -> np.ndarray:
            y, offset = split(block.y)
            weight = np.ones(len(y)) if block.w is None else block.w
            mu = means(np.asarray(block.X @ w) + (b + offset), objective.family, objective.link)
            assert mu is not None
            some = weight > 0
            density = objective.family.log_density(y[some], mu[some], weight[some], self.phi)
            return np.array([density.sum(), weight @ objective.family.deviance(y, mu)])

        with np.errstate(all="ignore"):
            log_likelihood, deviance = objective.source.add_up(part).tolist()
        return log_likelihood, deviance


def _observed(objective: DevianceObjective, v: np.ndarray) -> np.ndarray:
    """The curvature of half the mean deviance, not its expectation: they differ where the link is not canonical."""
    w, b = objective.outside(v)
    family, link = objective.family, objective.link

    def score(eta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        mu = link.mean(eta)
        slope = link.slope(eta, mu)
        return mu, slope, slope / family.variance(mu)

    def part(block: Block) -> DevianceSums:
        y, offset = split(block.y)
        weight = np.ones(len(y)) if block.w is None else block.w
        with np.errstate(all="ignore"):
            eta = np.asarray(block.X @ w) + (b + offset)
            mu, slope, factor = score(eta)
            step = DIFFERENCE * np.maximum(1.0, np.abs(eta))
            change = (score(eta + step)[2] - score(eta - step)[2]) / (2 * step)
            h = weight * (slope * factor - (y - mu) * change)
        if not np.isfinite(h).all():
            return DevianceSums(0.0, np.zeros(1), np.full((objective.size, objective.size), np.nan))
        signs = [1.0, -1.0] if (h < 0).any() else [1.0]
        parts = [np.maximum(sign * h, 0.0) for sign in signs]
        blocks = grams(block.X, parts, objective.scale, objective.fit_intercept)
        return DevianceSums(0.0, np.zeros(1), np.tensordot(signs, blocks, axes=1))

    sums = objective.source.add_up(part)
    assert sums.curvature is not None
    if not np.isfinite(sums.curvature).all():
        return objective.curvature(v)[2]
    return sums.curvature / objective.scale.total
