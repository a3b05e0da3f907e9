"""Standard errors, tests and measures of fit for least squares, with or without a ridge."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from assay.core.sums import Block, Rows
from assay.errors import DegenerateError, warn_user
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

__all__ = ["LeastSquaresInference"]


@dataclass(frozen=True)
class LeastSquaresInference:
    r"""A fitted line, plane, ... beside its rows; weights are precisions, the noise of row i having variance
    :math:`\sigma^2/v_i`.

    .. math:: \widehat{\mathrm{Cov}} = \hat\sigma^2 A^{-1}(A-P)A^{-1},\quad A = \textstyle\sum_i v_ix_ix_i^T + P,
              \quad \hat\sigma^2 = \frac{\sum_i v_ie_i^2}{n - \nu}                                   \quad (1)

    with the penalty :math:`P=\alpha I` and :math:`\nu = \mathrm{tr}(2S - SS^T)`, S being the matrix that makes fitted
    values of targets: the number of coefficients if there is no penalty.

    Parameters
    ----------
    rows : X, y, w or None, none of weight 0      coef : (d,)      intercept : float
    alpha : the ridge's penalty, 0 for none       penalise_intercept : whether the constant pays, too
    """

    rows: Rows
    coef: np.ndarray
    intercept: float
    fit_intercept: bool
    names: list[str]
    who: str
    alpha: float = 0.0
    penalise_intercept: bool = False

    @property
    def penalised(self) -> bool:
        return self.alpha > 0

    @property
    def n(self) -> int:
        return int(self.rows.X.shape[0])

    @property
    def parameters(self) -> int:
        return len(self.coef) + self.fit_intercept

    @cached_property
    def scale(self) -> Scale:
        return column_scale(
            self.rows, self.fit_intercept and not (self.penalise_intercept and self.penalised)
        )

    @cached_property
    def gram(self) -> np.ndarray:
        """(P, P) the sum of v x x' inside."""

        def part(block: Block) -> np.ndarray:
            w = np.ones(block.X.shape[0]) if block.w is None else block.w
            return grams(block.X, [w], self.scale, self.fit_intercept)[0]

        return self.rows.add_up(part)

    @cached_property
    def residual(self) -> np.ndarray:
        return self.rows.y - (np.asarray(self.rows.X @ self.coef) + self.intercept)

    @cached_property
    def squares(self) -> float:
        """The weighted sum of squared residuals."""
        e = self.residual
        return float(e @ e if self.rows.w is None else e @ (self.rows.w * e))

    @cached_property
    def total_squares(self) -> float:
        """The same of the targets, about their mean if there is a constant."""
        y, w = self.rows.y, self.rows.w
        middle = np.average(y, weights=w) if self.fit_intercept else 0.0
        return float(np.sum((y - middle) ** 2 * (1.0 if w is None else w)))

    @cached_property
    def _decay(self) -> np.ndarray:
        decay = np.zeros(len(self.gram))
        decay[: len(self.coef)] = self.alpha / self.scale.spread**2
        if self.fit_intercept and self.penalise_intercept:
            decay[-1] = self.alpha
        return decay

    @cached_property
    def _bread(self) -> np.ndarray:
        return inverse(self.gram + np.diag(self._decay))

    @cached_property
    def df_residual(self) -> float:
        if not self.penalised:
            return float(self.n - self.parameters)
        S = self._bread @ self.gram
        return float(self.n - 2 * np.trace(S) + np.sum(S * S.T))

    @property
    def noise(self) -> float:
        """The estimated variance of the noise of a row of weight 1."""
        return self.squares / self.df_residual

    @cached_property
    def log_likelihood(self) -> float:
        """Of Gaussian noise, its variance put at its most likely value."""
        n = self.n
        if self.squares <= 0:
            return float("inf")
        logs = 0.0 if self.rows.w is None else 0.5 * float(np.log(self.rows.w).sum())
        return -0.5 * n * (np.log(2 * np.pi * self.squares / n) + 1) + logs

    def check(self) -> None:
        """Errors where there is nothing to infer from."""
        heaviest = 1.0 if self.rows.w is None else float(np.sqrt(self.rows.w.max()))
        top = heaviest * float(np.abs(self.rows.y).max(initial=0.0))
        if top and not 1e-150 < top < 1e150:
            raise DegenerateError(
                f"{self.who}: targets (with their weights) of size {top:.1g} cannot be squared and added up. Multiply "
                "them by a power of ten."
            )
        if not self.penalised:
            refuse_dependent(self.gram / self.scale.total, self.names, self.who, "Drop it, or use Ridge.")
        if not self.df_residual > 0.5:
            raise DegenerateError(
                f"{self.who}: {self.n} rows for {self.parameters} coefficients leave nothing to estimate the noise "
                "from, so there are no standard errors. Give more rows or fewer columns."
            )
        away = self._distance()
        if away > 0.1 and self.squares > 1e-20 * self.total_squares:
            from sklearn.exceptions import ConvergenceWarning

            warn_user(
                f"{self.who}: the coefficients are {away:.2g} standard errors away from the best ones for these rows. "
                "Pass the rows and weights of fit.",
                ConvergenceWarning,
            )

    def _distance(self) -> float:
        """How far the coefficients are from those with the least squares, in standard errors."""
        e = self.residual if self.rows.w is None else self.rows.w * self.residual
        d, scale = len(self.coef), self.scale
        g = np.zeros(self.parameters)
        g[:d] = (np.asarray(self.rows.X.T @ e) - scale.mean * e.sum()) / scale.spread
        g[:d] -= self._decay[:d] * self.coef * scale.spread
        if self.fit_intercept:
            g[d] = e.sum() - self._decay[d] * (self.intercept + scale.mean @ self.coef)
        return float(np.sqrt(max(g @ self._bread @ g, 0.0) / max(self.noise, 1e-300)))

    @cached_property
    def outside(self) -> np.ndarray:
        return Outside(self.scale, self.fit_intercept, 1).matrix

    def covariance(self, kind: str, groups: np.ndarray | None) -> np.ndarray:
        """(m, m) of the constant and the coefficients."""
        bread = self._bread
        if kind == "model":
            core = sandwich(bread, self.gram) if self.penalised else bread
            inner = self.noise * core  # (1)
        else:
            factor = correction(kind, self.n, self.parameters, groups)
            inner = sandwich(bread, self._meat(kind, groups).total * factor)
        return self.outside @ inner @ self.outside.T

    def _meat(self, kind: str, groups: np.ndarray | None) -> Meat:
        G = 0 if groups is None else int(groups.max()) + 1
        bread = self._bread

        def part(block: Block, groups: np.ndarray | None) -> Meat:
            e = block.y - (np.asarray(block.X @ self.coef) + self.intercept)
            x = inner_rows(block.X, self.scale, self.fit_intercept)
            w = np.ones(len(e)) if block.w is None else block.w
            if kind in ("HC2", "HC3"):
                leverage = w * np.einsum("ij,jk,ik->i", x, bread, x)
                e = e / np.maximum(1.0 - leverage, 1e-12) ** (0.5 if kind == "HC2" else 1.0)
            return gradients_part(x, (w * e)[:, None], None, groups, G)

        return over_blocks(self.rows, groups, part)


def quantiles(values: np.ndarray) -> dict[str, Any]:
    """The five numbers that show how the residuals lie."""
    low, first, middle, third, high = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist()
    return {"min": low, "1st quartile": first, "median": middle, "3rd quartile": third, "max": high}
