"""Standard errors, tests and measures of fit for models of ordered classes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from assay.core.explanation import Section, text_table
from assay.core.sums import Block, Rows
from assay.errors import DegenerateError, warn_user
from assay.linear.inference.coefficient_table import CoefficientTest, chi2_or_f
from assay.linear.inference.fisher_information import (
    Meat,
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
from assay.linear.ordinal.cumulative_links import CumulativeLink, between
from assay.linear.ordinal.cumulative_objective import CumulativeObjective
from assay.optimize.newton import newton

__all__ = ["OrdinalInference", "ParallelSlopesTest", "parallel_slopes_test"]


@dataclass(frozen=True)
class OrdinalInference:
    """A fitted cumulative link model beside its rows; weights count as so many equal rows.

    Parameters
    ----------
    rows : X, y numbers of the ordered classes, w or None; no row of weight 0
    coef : (d,)      thresholds : (K-1,)      link : CumulativeLink      alpha : the penalty
    """

    rows: Rows
    coef: np.ndarray
    thresholds: np.ndarray
    names: list[str]
    who: str
    link: CumulativeLink
    alpha: float = 0.0

    @property
    def K(self) -> int:
        return len(self.thresholds) + 1

    @property
    def penalised(self) -> bool:
        return self.alpha > 0

    @cached_property
    def scale(self) -> Scale:
        return column_scale(self.rows, True)

    @property
    def total(self) -> float:
        return self.scale.total

    @cached_property
    def objective(self) -> CumulativeObjective:
        return CumulativeObjective(self.rows, self.K, self.link, self.scale, self.alpha)

    @cached_property
    def at(self) -> np.ndarray:
        return self.objective.inside(self.coef, self.thresholds)

    @cached_property
    def curvature(self) -> tuple[float, np.ndarray, np.ndarray]:
        return self.objective.curvature(self.at)

    @cached_property
    def gram(self) -> np.ndarray:
        """(d + 1, d + 1) mean products of the columns inside and a constant."""
        ones = np.ones(self.rows.X.shape[0]) if self.rows.w is None else self.rows.w
        return (
            Rows(self.rows.X, ones).add_up(lambda block: grams(block.X, [block.y], self.scale, True)[0])
            / self.total
        )

    @cached_property
    def log_likelihood(self) -> float:
        penalty = 0.5 * float(self.objective.decay @ self.at[: len(self.coef)] ** 2)
        return -(self.curvature[0] - penalty) * self.total

    @cached_property
    def null_log_likelihood(self) -> float:
        """Of the model with thresholds alone: the class shares."""
        count = np.bincount(self.rows.y, self.rows.w, self.K).astype(np.float64)
        return float(np.sum(count[count > 0] * np.log(count[count > 0] / count.sum())))

    @cached_property
    def bread(self) -> np.ndarray:
        """The inverse of the curvature of the sum over all rows."""
        try:
            inv = inverse(self.curvature[2] * self.total)
        except (np.linalg.LinAlgError, ValueError):
            inv = np.full((1, 1), np.nan)
        if not np.isfinite(inv).all():
            raise DegenerateError(
                f"{self.who}: the likelihood is flat in some direction at these coefficients (separated classes?), so "
                "there are no standard errors. Set alpha above 0, or drop columns."
            )
        return inv

    def check(self) -> None:
        """Errors and warnings where there is nothing to infer from."""
        if not self.penalised:
            refuse_dependent(self.gram, self.names, self.who, "Drop it, or set alpha above 0.")
        g = self.curvature[1] * self.total
        away = float(np.sqrt(max(g @ self.bread @ g, 0.0)))
        if away > 0.1 or not np.isfinite(self.curvature[0]):
            from sklearn.exceptions import ConvergenceWarning

            warn_user(
                f"{self.who}: the coefficients are {away:.2g} standard errors away from the best ones for these rows. "
                "Pass the rows and weights of fit; if these are they, lower tol or raise max_iter and fit again.",
                ConvergenceWarning,
            )

    def covariance(self, kind: str, groups: np.ndarray | None) -> np.ndarray:
        """(P, P) of the coefficients and the thresholds."""
        if kind == "model":
            H = self.curvature[2] * self.total
            d = len(self.coef)
            H.flat[: d * (len(H) + 1) : len(H) + 1] -= self.objective.decay * self.total
            inner = sandwich(self.bread, H) if self.penalised else self.bread
        else:
            factor = correction(kind, self.total, len(self.at), groups)
            inner = sandwich(self.bread, self._meat(groups).total * factor)
        T = self.objective.outside_matrix
        return T @ inner @ T.T

    def _meat(self, groups: np.ndarray | None) -> Meat:
        G = 0 if groups is None else int(groups.max()) + 1

        def part(block: Block, members: np.ndarray | None) -> Meat:
            row = between(self.link, np.asarray(block.X @ self.coef), block.y, self.thresholds)
            n, rows = len(block.y), np.arange(len(block.y))
            ends = np.zeros((n, self.K + 1))
            ends[rows, block.y + 1] = row.upper
            ends[rows, block.y] += row.lower
            x = inner_rows(block.X, self.scale, False)
            each = np.column_stack((-(row.upper + row.lower)[:, None] * x, ends[:, 1 : self.K]))
            return gradients_part(each, np.ones((n, 1)), block.w, members, G)

        return over_blocks(self.rows, groups, part)


@dataclass(frozen=True)
class ParallelSlopesTest:
    """Whether the coefficients are the same at every threshold: of all columns together, and of each.

    Attributes
    ----------
    overall : CoefficientTest      terms : dict from each column to its CoefficientTest
    slopes : (K-1, d) the coefficients of separate models of "above the threshold", one for each threshold
    thresholds : their names
    """

    overall: CoefficientTest
    terms: dict[str, CoefficientTest]
    slopes: np.ndarray
    thresholds: list[str]

    def __str__(self) -> str:
        rows: list[list[Any]] = [
            ["all columns", "", self.overall.statistic, self.overall.df, self.overall.p_value]
        ]
        for j, (name, test) in enumerate(self.terms.items()):
            shown = ", ".join(f"{slope:.4g}" for slope in self.slopes[:, j])
            rows.append([name, shown, test.statistic, test.df, test.p_value])
        section = Section(
            "Same coefficients at every threshold", ["column", "coefficients", "chi2", "df", "p"], rows
        )
        names = ", ".join(self.thresholds)
        return f"{section.title}\n{text_table(section.columns, section.rows)}\n  Thresholds: {names}."

    __repr__ = __str__


def parallel_slopes_test(
    rows: Rows, K: int, link: CumulativeLink, names: list[str], thresholds: list[str], who: str
) -> ParallelSlopesTest:
    r"""Brant's test: K-1 models of two classes, "above threshold k or not", whose coefficients should agree.

    With :math:`\pi_k = P(y>k)` of model k, :math:`g_k = \pi_k'/(\pi_k(1-\pi_k))` and the information
    :math:`A_k` of model k, the estimates of the models l >= k have the covariance

    .. math:: A_k^{-1}\Big[\sum_i v_i\,g_{ik}g_{il}\,\pi_{il}(1-\pi_{ik})\,x_ix_i^T\Big]A_l^{-1}     \quad (1)

    and the differences of the coefficients a Wald statistic.
    """
    X, y = rows.X, rows.y
    scale = column_scale(rows, True)
    d = X.shape[1]
    weight = np.ones(len(y)) if rows.w is None else rows.w
    fits = []
    for k in range(K - 1):
        objective = CumulativeObjective(Rows(X, (y > k).astype(np.int64), rows.w), 2, link, scale, 0.0)
        optimum = newton(objective, objective.start(np.bincount((y > k).astype(int), weight, 2)), tol=1e-8)
        coef, threshold = objective.outside(optimum.w)
        if not optimum.converged or np.abs(optimum.w[:d]).max(initial=0.0) > 30:
            raise DegenerateError(
                f"{who}: the model of the classes above {thresholds[k]} alone has no finite coefficients (the classes "
                "are separated there), so there is nothing to compare. Join rare classes, or drop columns."
            )
        a = float(threshold[0]) - np.asarray(X @ coef)
        log_below, log_above = link.log_cdf(a), link.log_sf(a)
        slope = np.exp(link.log_pdf(a) - log_below - log_above)  # g
        fits.append((optimum.w, np.exp(log_above), np.exp(log_below), slope))

    def products(k: int, l: int) -> np.ndarray:
        h = weight * fits[k][3] * fits[l][3] * fits[l][1] * fits[k][2]
        return grams(X, [h], scale, True)[0]

    bread = [inverse(products(k, k)) for k in range(K - 1)]
    V = np.zeros(((K - 1) * d, (K - 1) * d))
    for k in range(K - 1):
        for l in range(k, K - 1):
            block = (bread[k] @ products(k, l) @ bread[l])[:d, :d]  # (1)
            V[k * d : (k + 1) * d, l * d : (l + 1) * d] = block
            V[l * d : (l + 1) * d, k * d : (k + 1) * d] = block.T
    slopes = np.array([w[:d] for w, *_ in fits])
    apart = np.hstack((-np.ones((K - 2, 1)), np.eye(K - 2)))  # differences to the first threshold

    def test(label: str, columns: list[int]) -> CoefficientTest:
        L = np.kron(apart, np.eye(d)[columns])
        gap, C = L @ slopes.ravel(), L @ V @ L.T
        size = np.sqrt(C.diagonal())
        W = float((gap / size) @ np.linalg.solve(C / np.outer(size, size), gap / size))
        return chi2_or_f(label, W, len(L), np.inf)

    each = {name: test(f"{name} alike at every threshold", [j]) for j, name in enumerate(names)}
    return ParallelSlopesTest(
        test("all coefficients alike at every threshold", list(range(d))),
        each,
        slopes / scale.spread,
        thresholds,
    )
