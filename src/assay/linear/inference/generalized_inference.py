"""Standard errors, residuals and measures of fit for generalised linear models."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from assay.core.sums import Block, Rows
from assay.errors import DegenerateError, ParameterError, warn_user
from assay.linear.generalized.deviance_objective import DevianceObjective, means, split
from assay.linear.generalized.families import Family
from assay.linear.generalized.links import Link
from assay.linear.inference.fisher_information import (
    Meat,
    Outside,
    column_scale,
    correction,
    gradients_part,
    inner_rows,
    inverse,
    over_blocks,
    refuse_dependent,
    sandwich,
)
from assay.linear.logistic.logistic_objective import Scale, grams

__all__ = ["RESIDUALS", "GeneralizedInference", "residuals"]

RESIDUALS = ("deviance", "pearson", "response", "working")


def residuals(
    kind: str, y: np.ndarray, mu: np.ndarray, w: np.ndarray, family: Family, slope: np.ndarray
) -> Any:
    r"""(n,) what the model leaves of each row.

    .. math:: r_D = \mathrm{sign}(y-\mu)\sqrt{v\,d(y,\mu)},\quad r_P = (y-\mu)\sqrt{v/V(\mu)},\quad
              r_R = y-\mu,\quad r_W = (y-\mu)/\mu'                                                 \quad (1)

    Parameters
    ----------
    kind : "deviance", "pearson", "response" or "working"
    y, mu, w : (n,) targets, means, weights
    family : Family
    slope : (n,) the derivative of the mean by the linear predictor
    """
    if kind == "response":
        return y - mu
    if kind == "working":
        return (y - mu) / slope
    if kind == "pearson":
        return (y - mu) * np.sqrt(w / family.variance(mu))
    return np.sign(y - mu) * np.sqrt(w * np.maximum(family.deviance(y, mu), 0.0))


@dataclass(frozen=True)
class GeneralizedInference:
    r"""A fitted generalised linear model beside its rows; weights divide the dispersion.

    .. math:: \widehat{\mathrm{Cov}} = \hat\phi A^{-1}(A-P)A^{-1},\quad
              A = \sum_i v_i\frac{\mu_i'^2}{V(\mu_i)}x_ix_i^T + P                                    \quad (1)

    with the penalty :math:`P = \alpha\sum_i v_i\,I`.

    Parameters
    ----------
    rows : X, y (with the offset beside it, if there is one), w or None; no row of weight 0
    coef : (d,)      intercept : float
    family, link : Family and Link      alpha : the penalty
    """

    rows: Rows
    coef: np.ndarray
    intercept: float
    fit_intercept: bool
    names: list[str]
    who: str
    family: Family
    link: Link
    alpha: float = 0.0

    @property
    def penalised(self) -> bool:
        return self.alpha > 0

    @property
    def n(self) -> int:
        return int(self.rows.X.shape[0])

    @property
    def parameters(self) -> int:
        return len(self.coef) + self.fit_intercept

    @property
    def df_residual(self) -> float:
        return float(self.n - self.parameters)

    @cached_property
    def weight(self) -> np.ndarray:
        return np.ones(self.n) if self.rows.w is None else np.asarray(self.rows.w, dtype=np.float64)

    @cached_property
    def target(self) -> np.ndarray:
        return split(self.rows.y)[0]

    @cached_property
    def predictor(self) -> np.ndarray:
        return np.asarray(self.rows.X @ self.coef) + (self.intercept + split(self.rows.y)[1])

    @cached_property
    def mean(self) -> np.ndarray:
        mu = means(self.predictor, self.family, self.link)
        if mu is None:
            raise DegenerateError(
                f"{self.who}: these rows have means that the {self.family.name} family cannot have."
            )
        return mu

    @cached_property
    def slope(self) -> np.ndarray:
        return self.link.slope(self.predictor, self.mean)

    @cached_property
    def curvature(self) -> np.ndarray:
        """(n,) the weight of each row in A."""
        return self.weight * self.slope**2 / self.family.variance(self.mean)

    @cached_property
    def scale(self) -> Scale:
        return column_scale(Rows(self.rows.X, self.target, self.rows.w), self.fit_intercept)

    @cached_property
    def gram(self) -> np.ndarray:
        """(P, P) A - P inside."""
        return Rows(self.rows.X, self.curvature).add_up(
            lambda block: grams(block.X, [block.y], self.scale, self.fit_intercept)[0]
        )

    @cached_property
    def bread(self) -> np.ndarray:
        decay = np.zeros(len(self.gram))
        decay[: len(self.coef)] = self.alpha * self.scale.total / self.scale.spread**2
        return inverse(self.gram + np.diag(decay))

    @cached_property
    def deviance(self) -> float:
        return float(self.weight @ self.family.deviance(self.target, self.mean))

    @cached_property
    def pearson(self) -> float:
        return float(self.weight @ ((self.target - self.mean) ** 2 / self.family.variance(self.mean)))

    @cached_property
    def dispersion(self) -> float:
        fixed = self.family.dispersion
        return fixed if fixed is not None else self.pearson / self.df_residual

    @cached_property
    def log_likelihood(self) -> float:
        """At the estimated dispersion, of the gaussian family at its most likely one; NaN without a closed form."""
        phi = self.deviance / self.n if self.family.name == "gaussian" else self.dispersion
        if phi <= 0:
            return float("inf")
        return float(self.family.log_density(self.target, self.mean, self.weight, phi).sum())

    @cached_property
    def outside(self) -> np.ndarray:
        return Outside(self.scale, self.fit_intercept, 1).matrix

    def check(self) -> None:
        """Errors where there is nothing to infer from."""
        if not self.penalised:
            refuse_dependent(
                self.gram / self.scale.total, self.names, self.who, "Drop it, or set alpha above 0."
            )
        if self.family.dispersion is None and not self.df_residual > 0:
            raise DegenerateError(
                f"{self.who}: {self.n} rows for {self.parameters} coefficients leave nothing to estimate the "
                "dispersion from, so there are no standard errors. Give more rows or fewer columns."
            )
        away = self._distance()
        if away > 0.1:
            from sklearn.exceptions import ConvergenceWarning

            warn_user(
                f"{self.who}: the coefficients are {away:.2g} standard errors away from the best ones for these rows. "
                "Pass the rows and weights of fit.",
                ConvergenceWarning,
            )

    def _distance(self) -> float:
        """How far the coefficients are from the best ones, in standard errors."""
        total = self.scale.total
        objective = DevianceObjective(
            self.rows, self.family, self.link, self.scale, self.alpha, self.fit_intercept
        )
        g = objective.value_gradient(objective.inside(self.coef, self.intercept))[1] * total
        return float(np.sqrt(max(g @ self.bread @ g, 0.0) / max(self.dispersion, 1e-300)))

    def covariance(self, kind: str, groups: np.ndarray | None) -> np.ndarray:
        """(m, m) of the constant and the coefficients."""
        if kind == "model":
            core = sandwich(self.bread, self.gram) if self.penalised else self.bread
            inner = self.dispersion * core  # (1)
        else:
            factor = correction(kind, self.n, self.parameters, groups)
            inner = sandwich(self.bread, self._meat(kind, groups).total * factor)
        return self.outside @ inner @ self.outside.T

    def _meat(self, kind: str, groups: np.ndarray | None) -> Meat:
        G = 0 if groups is None else int(groups.max()) + 1
        scores = self.weight * (self.target - self.mean) * self.slope / self.family.variance(self.mean)
        both = Rows(self.rows.X, np.column_stack((scores, self.curvature)))

        def part(block: Block, members: np.ndarray | None) -> Meat:
            score, h = block.y[:, 0], block.y[:, 1]
            x = inner_rows(block.X, self.scale, self.fit_intercept)
            if kind in ("HC2", "HC3"):
                leverage = h * np.einsum("ij,jk,ik->i", x, self.bread, x)
                score = score / np.maximum(1.0 - leverage, 1e-12) ** (0.5 if kind == "HC2" else 1.0)
            return gradients_part(x, score[:, None], None, members, G)

        return over_blocks(both, groups, part)

    def measures(self, null_deviance: float, kappa: float) -> dict[str, Any]:
        """What describes the whole fit, in the order it is shown."""
        measures: dict[str, Any] = {
            "rows": self.n,
            "residual degrees of freedom": int(self.df_residual),
            "deviance": self.deviance,
            "null deviance": null_deviance,
            "D2": 1 - self.deviance / null_deviance if null_deviance > 0 else 0.0,
            "Pearson chi2": self.pearson,
            "dispersion": self.dispersion,
        }
        if not np.isnan(self.log_likelihood):
            measures["log-likelihood"] = self.log_likelihood
            if not self.penalised:
                k = self.parameters
                measures["AIC"] = 2 * k - 2 * self.log_likelihood
                measures["BIC"] = k * np.log(self.n) - 2 * self.log_likelihood
        return measures | {"condition number": kappa}


def check_residuals(kind: str, who: str) -> None:
    """Raise unless the kind of residuals is known."""
    if kind not in RESIDUALS:
        raise ParameterError(f"{who}: kind must be one of {', '.join(RESIDUALS)}, got {kind!r}.")
