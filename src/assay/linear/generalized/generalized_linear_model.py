"""Generalised linear models: counts, shares, durations and amounts by a linear predictor."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.card import Card
from assay.core.parameters import Flag, Range
from assay.core.sums import Rows
from assay.core.targets import check_weights, numeric_target
from assay.errors import ParameterError
from assay.linear.generalized.links import Link
from assay.linear.generalized.named_family import NamedFamilyRegressor
from assay.linear.inference.coefficient_table import CoefficientTable
from assay.linear.inference.fisher_information import condition, group_codes, refuse_one_group
from assay.linear.inference.generalized_inference import GeneralizedInference, check_residuals, residuals
from assay.linear.inference.least_squares_inference import quantiles
from assay.linear.inference.summary import (
    SHRUNKEN,
    Inference,
    check_options,
    constant_name,
    inflation_factors,
    wald,
)
from assay.linear.inference.summary_rows import SummaryRows
from assay.types import TableLike, Target, Weights

__all__ = ["GeneralizedLinearModel"]


class GeneralizedLinearModel(Inference, NamedFamilyRegressor):
    r"""Predict the mean of a target of a given family by a linear predictor and a link.

    .. math:: g(\mu_i) = w^Tx_i + b + o_i,\qquad \mathrm{Var}(y_i) = \phi V(\mu_i)/v_i               \quad (1)

    The family says how the variance grows with the mean (V), the link g on which scale the columns add up, the offset o
    what is known beforehand. The weights minimise

    .. math:: \frac{1}{2\sum_i v_i}\sum_i v_i\,d(y_i,\mu_i) + \frac\alpha2\lVert w\rVert^2             \quad (2)

    with the deviance d of the family: maximum likelihood, if alpha is 0. Use it for counts (poisson,
    negative_binomial), amounts and durations (gamma, inverse_gaussian), amounts that are often 0 (tweedie) and shares
    (binomial). Fisher scoring needs a handful of passes, each a sum over rows, so that memory, blocks from files and
    Dask give the same weights.

    Cost: fit O(n d^2) a pass, some 3 to 8 passes; predict O(d) a row; memory O(n d + d^2) to fit, O(d) kept.

    Parameters
    ----------
    family : "gaussian", "poisson", "gamma", "inverse_gaussian", "binomial", "negative_binomial" or "tweedie"
    link : "auto", "identity", "log", "logit", "probit", "cloglog", "inverse", "inverse_squared", "sqrt", "power(p)"
        "auto" is identity for gaussian, logit for binomial, and log for the others.
    alpha : float, default 0
        The penalty of (2); the constant is free of it.
    fit_intercept : bool, default True
        Whether there is a constant b.
    offset : name or number of a column, default None
        The column is added to the linear predictor with weight 1.
    exposure : name or number of a column, default None
        The column (years at risk, area, pieces) multiplies the mean: the offset is its logarithm. Needs the log link.
    power : float, default 1.5
        Tweedie's variance power: V = mu to it.
    overdispersion : "estimate" or a number above 0, default "estimate"
        The negative binomial's alpha, V = mu + alpha mu^2; estimated by maximum likelihood unless it is given.
    max_iter : int, default 100
        Steps at most.
    tol : float, default 1e-8
        Stop once a step moves the coefficients by less than this many standard errors.
    warm_start : bool, default False
        Begin with the weights of the last fit.

    Attributes
    ----------
    coef_ : (D,)      intercept_ : float
    dispersion_ : float, :math:`\hat\phi` by Pearson's statistic; 1 for poisson, binomial and negative_binomial
    overdispersion_ : float, the negative binomial's alpha; 0 for other families
    deviance_ : float, of the training rows      null_deviance_ : float, of their mean alone
    n_iter_ : int      history_ : list of Record, the value of (2) step by step

    Examples
    --------
    Accidents in proportion to the distance driven; the second column is the distance:

    >>> import numpy as np
    >>> from assay.linear import GeneralizedLinearModel
    >>> X = np.array([[0, 10.0], [0, 20], [1, 10], [1, 30]])
    >>> accidents = np.array([2, 4, 4, 12])
    >>> model = GeneralizedLinearModel(family="poisson", exposure=1).fit(X, accidents)
    >>> np.exp(model.intercept_).round(3), np.exp(model.coef_[0]).round(3)    # a rate of 0.2; doubled in group 1
    (np.float64(0.2), np.float64(2.0))
    >>> model.predict([[1, 100.0]]).round(2)
    array([40.])

    See Also
    --------
    PoissonRegressor, GammaRegressor, TweedieRegressor : with scikit-learn's parameters
    LogisticRegression : classes instead of shares
    LinearRegression : the gaussian family with the identity link

    References
    ----------
    Nelder, J. A. and Wedderburn, R. W. M. (1972). Generalized linear models. Journal of the Royal Statistical
    Society A 135, 370-384.
    McCullagh, P. and Nelder, J. A. (1989). Generalized Linear Models, 2nd edition. Chapman and Hall.
    """

    reference_category = True
    card = Card(
        "glm",
        "family, link and linear predictor: counts, shares, amounts; standard errors",
        scale=True,
        learns=(
            "a function of a linear score",
            "deviance + squared weights",
            "L-BFGS or Newton steps",
            "global",
        ),
    )
    accepts = {**NamedFamilyRegressor.accepts, "alpha": Range(0), "tol": Range(0), "warm_start": Flag()}

    def __init__(
        self,
        family: str = "gaussian",
        link: str = "auto",
        *,
        alpha: float = 0.0,
        fit_intercept: bool = True,
        offset: str | int | None = None,
        exposure: str | int | None = None,
        power: float = 1.5,
        overdispersion: float | str = "estimate",
        max_iter: int = 100,
        tol: float = 1e-8,
        warm_start: bool = False,
    ):
        self.family = family
        self.link = link
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.offset = offset
        self.exposure = exposure
        self.power = power
        self.overdispersion = overdispersion
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start

    def summary(  # type: ignore[override]
        self,
        X: Any = None,
        y: Target | None = None,
        sample_weight: Weights | None = None,
        *,
        level: float = 0.95,
        covariance: str = "model",
        groups: Any = None,
    ) -> CoefficientTable:
        r"""The coefficients with standard errors, tests and intervals, and how well the model fits.

        Takes the rows that the model was fitted on. Where the family fixes the dispersion (poisson, binomial,
        negative_binomial) tests are by the normal distribution, else by Student's t with the residual degrees of
        freedom.

        Parameters
        ----------
        X, y, sample_weight : the rows of fit
        level : of the intervals
        covariance : "model" trusts the family; "HC0" to "HC3" hold also where the variance is another one; "cluster"
            where rows of one group depend on each other
        groups : (n,) the group of each row, for "cluster"

        Examples
        --------
        >>> from assay.linear import GeneralizedLinearModel
        >>> X, y = [[0.0], [1], [2], [3], [4], [5]], [1, 2, 2, 4, 5, 9]
        >>> table = GeneralizedLinearModel("poisson").fit(X, y).summary(X, y)
        >>> table.estimate.round(4), table.standard_error.round(4), round(table.measures["deviance"], 4)
        (array([0.05  , 0.4198]), array([0.5527, 0.1418]), 0.2961)
        """
        who = f"{type(self).__name__}.summary"
        if X is None or y is None:
            raise ParameterError(
                f"{who}: standard errors and tests are worked out from the rows of fit, which a model does not keep: "
                "summary(X, y). The coefficients alone: model.show()."
            )
        level = check_options(who, level, covariance)
        if groups is not None and covariance != "cluster":
            raise ParameterError(f"{who}: groups are for covariance='cluster', got {covariance!r}.")
        rows, kept_names = self._inference_rows(X, y, sample_weight, who)
        codes = None if covariance != "cluster" else group_codes(groups, rows.X.shape[0], who)
        part = SummaryRows.of(rows.X, rows.y, rows.w, codes, kept_names, self.fit_intercept)
        if part.groups is not None:
            refuse_one_group(part.groups, who)
        fit = self._inference(part, who)
        fit.check()
        V = fit.covariance(covariance, part.groups)
        df = np.inf if fit.family.dispersion is not None else fit.df_residual
        df = df if part.groups is None else float(part.groups.max())
        estimate = np.append([fit.intercept] if self.fit_intercept else [], fit.coef)
        error = np.sqrt(np.maximum(V.diagonal(), 0.0))
        lower, upper = wald(estimate, error, level, df)
        gram = fit.gram / fit.scale.total
        constant = constant_name(part.names, self.fit_intercept)
        terms = ([constant] if constant else []) + part.names
        notes = [SHRUNKEN.format("alpha=0")] if fit.penalised else []
        return CoefficientTable(
            type(self).__name__,
            terms,
            [_equation(fit.link)] * len(terms),
            estimate,
            error,
            lower,
            upper,
            V,
            level,
            df,
            inflation_factors(gram, part.names, self.fit_intercept),
            fit.measures(self.null_deviance_, condition(gram, fit.scale, self.fit_intercept)),
            quantiles(residuals("deviance", fit.target, fit.mean, fit.weight, fit.family, fit.slope)),
            notes + self._more_notes(part, gram, fit.scale, covariance, "precisions"),
            penalised=fit.penalised,
            columns=self._terms_of_columns(part.names),
            constant=constant,
        )

    def residuals(
        self, X: TableLike, y: Target, sample_weight: Weights | None = None, *, kind: str = "deviance"
    ) -> np.ndarray:
        """(n,) what the model leaves of each row: "deviance", "pearson", "response" or "working" residuals.

        Examples
        --------
        >>> from assay.linear import GeneralizedLinearModel
        >>> X, y = [[0.0], [1], [2], [3], [4], [5]], [1, 2, 2, 4, 5, 9]
        >>> GeneralizedLinearModel("poisson").fit(X, y).residuals(X, y, kind="pearson").round(2)
        array([-0.05,  0.32, -0.28,  0.15, -0.27,  0.14])
        """
        who = f"{type(self).__name__}.residuals"
        check_residuals(kind, who)
        rows, names = self._inference_rows(X, y, sample_weight, who)
        everything = np.arange(len(names))
        part = SummaryRows(rows.X, rows.y, rows.w, None, names, everything, np.zeros(len(names)), [])
        fit = self._inference(part, who)
        return residuals(kind, fit.target, fit.mean, fit.weight, fit.family, fit.slope)

    def _inference_rows(self, X: Any, y: Any, sample_weight: Any, who: str) -> tuple[Rows, list[str]]:
        """The rows with the offset beside the target, and the names of the columns that have a weight."""
        values = self._admit(X)
        target = numeric_target(y, values.shape[0], who)
        self._refuse_targets(target, self._get_family())
        roles = self._roles(self._get_link())
        rows = roles.applied(Rows(values, target, check_weights(sample_weight, values)))
        assert isinstance(rows, Rows)
        return rows, [self._names[j] for j in roles.kept]

    def _inference(self, part: SummaryRows, who: str) -> GeneralizedInference:
        coef = self.coef_[self._roles(self._get_link()).kept]
        return GeneralizedInference(
            Rows(part.X, np.asarray(part.y, dtype=np.float64), part.w),
            coef[part.kept],
            float(self.intercept_ + part.dropped @ coef),
            self.fit_intercept,
            part.names,
            who,
            self._get_family(),
            self._get_link(),
            float(self.alpha),
        )


def _equation(link: Link) -> str:
    """What the coefficients add up to, as the table's heading has it."""
    return "y" if link.name == "identity" else f"{link.name} of the mean of y"
