"""Mixin of linear regressors whose weights have a posterior: summaries, draws, explanations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues, dense_block
from assay.core.parameters import check_count
from assay.core.seeds import as_generator
from assay.errors import DataError, DegenerateError
from assay.linear.bayesian.compressed_rows import CompressedRows
from assay.linear.bayesian.posterior_table import PosteriorTable
from assay.linear.bayesian.precision_grid import draw, marginals, total_variance
from assay.linear.inference.summary import constant_name
from assay.linear.linear_regressor import LinearRegressor
from assay.linear.terms import MAX_TERMS
from assay.stats.bayesian.draws import Draws
from assay.stats.bayesian.linear_posterior import LinearPosterior
from assay.stats.checks import tail_of
from assay.types import RandomState, TableLike

if TYPE_CHECKING:
    from assay.core.learner import Regressor as _Regressor
else:
    _Regressor = object

__all__ = ["CLEARLY_BETTER", "PosteriorRegressor", "above_zero", "check_units", "weights_settled"]

CLEARLY_BETTER = 1.0  # in log evidence: what another start must gain to be taken
LARGEST_WEIGHT = 1e153  # whose square is a number
ROUNDING = 1e-13  # of the weights: what rounding may move them by


class PosteriorRegressor(LinearRegressor, _Regressor):
    """Mixin of regressors that have ``posterior_``, a LinearPosterior of the constant and of the weighted columns.

    The learner may say in ``_weighted()`` which columns those are, and in ``_measures()`` what describes it.
    """

    fit_intercept: bool

    posterior_: Any  # LinearPosterior: made by fit, or when it is asked for

    def _weighted(self) -> np.ndarray:
        """The numbers of the columns that the posterior is about."""
        return np.arange(len(self.coef_))

    def _terms(self) -> list[str]:
        """The names of all columns that have a weight."""
        return list(self._names)

    def _columns(self, X: Any) -> np.ndarray:
        """(n, D) the columns that ``coef_`` multiplies, as floats."""
        return dense_block(X).astype(np.float64, copy=False)

    def _measures(self) -> dict[str, Any]:
        return {}

    def _parts(self) -> list[tuple[float, LinearPosterior]]:
        """The posterior as a mixture: probabilities and parts."""
        return [(1.0, self.posterior_)]

    def _noise_is_known(self) -> bool:
        """Whether the posterior holds one variance of the noise to be certain."""
        parts = self._parts()
        return all(np.isinf(q.dof) and q.noise == parts[0][1].noise for _, q in parts)

    def _marginals(self) -> Any:
        """The distribution of the constant and of each weight."""
        return marginals(self._parts())

    def _uncertain(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """(n,) variance of the prediction by the weights, and (n,) that of the noise."""
        rows, parts = self._design_rows(X), self._parts()
        noise = sum(p * q.noise_variance for p, q in parts)
        means = [rows @ q.mean for _, q in parts]
        variances = [q.noise_variance * q.leverages(rows) for _, q in parts]
        return total_variance([p for p, _ in parts], means, variances), np.full(len(rows), noise)

    def _design_rows(self, X: Any) -> np.ndarray:
        """(n, q) rows as the posterior multiplies them, a 1 for the constant first."""
        Z = self._columns(X)[:, self._weighted()]
        return np.column_stack((np.ones(len(Z)), Z)) if self.fit_intercept else Z

    def summary(self, level: float = 0.95) -> PosteriorTable:
        """The posterior of the constant and of each weight: mean, standard deviation, credible interval.

        Parameters
        ----------
        level : of the central credible intervals
        """
        self._ready()
        tail = tail_of(level, f"{type(self).__name__}.summary")
        names, marginals = self._terms(), self._marginals()
        shown = [names[j] for j in self._weighted()]
        constant = constant_name(shown, self.fit_intercept)
        return PosteriorTable(
            type(self).__name__,
            ([constant] if constant else []) + shown,
            marginals.mean,
            marginals.sd,
            marginals.quantile(tail),
            marginals.quantile(1 - tail),
            1 - marginals.cdf(0.0),
            level,
            self._measures(),
        )

    def sample_coef(self, n: int = 1000, random_state: RandomState = None) -> Draws:
        """Independent draws from the posterior: "intercept", "coef" and, where it is not known, "noise_variance".

        Parameters
        ----------
        n : how many      random_state : seed, generator or None
        """
        self._ready()
        W, variance = self._draw(n, random_state)
        coef = np.zeros((len(W), len(self.coef_)))
        coef[:, self._weighted()] = W[:, 1:] if self.fit_intercept else W
        values = {"coef": coef[None]}
        if self.fit_intercept:
            values = {"intercept": W[None, :, 0], **values}
        if not self._noise_is_known():
            values["noise_variance"] = variance[None]
        return Draws(values)

    def _draw(self, n: int, random_state: RandomState) -> tuple[np.ndarray, np.ndarray]:
        """(n, q) weights, the constant first, and (n,) variances of the noise."""
        n = self._number_of_draws(n)
        W, variance, _ = draw(self._parts(), n, as_generator(random_state, type(self).__name__))
        return W, variance

    def _number_of_draws(self, n: Any) -> int:
        check_count(type(self).__name__, "the number of draws", n)
        return int(n)

    def sample_y(
        self, X: TableLike, n_samples: int = 1, random_state: RandomState = 0, noise: bool = True
    ) -> np.ndarray:
        """(n, n_samples) draws of the numbers at the rows of X, from one set of weights for each sample.

        Parameters
        ----------
        X : rows      n_samples : how many      random_state : seed, generator or None
        noise : whether each number has noise of its own; False draws the functions alone
        """
        rows = self._design_rows(self._admit(X))
        random = as_generator(random_state, f"{type(self).__name__}.sample_y")
        W, variance = self._draw(n_samples, random)
        values = rows @ W.T
        if noise:
            values += np.sqrt(variance) * random.standard_normal(values.shape)
        return values

    def _check_single(self, y: np.ndarray) -> None:
        if y.ndim != 1:
            raise DataError(
                f"{type(self).__name__}: y should be a 1d array, got an array of shape {y.shape}; one posterior is "
                "about one target. Fit one model for each column of y."
            )

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        terms = super()._reasons(X, rows) if len(self.coef_) == len(self._names) else Reasons()
        names = self._terms()

        def uncertainty(i: int) -> list[Section]:
            block = X[i : i + 1]
            weighted = self._weighted()
            values = self._columns(block)[0, weighted]
            scale = self._marginals().sd[int(self.fit_intercept) :] * np.abs(values)
            products = self.coef_[weighted].astype(np.float64) * values
            order = np.argsort(-np.abs(products), kind="stable")[:MAX_TERMS]
            cells = [[names[weighted[j]], float(products[j]), float(scale[j])] for j in order]
            from_weights, noise = (float(np.sqrt(part[0])) for part in self._uncertain(block))
            cells.append(["all weights together", float(np.ravel(self._predict(block))[0]), from_weights])
            cells.append(["noise of a new number", "", noise])
            note = (
                "Weights are correlated: the deviations of their products do not add up to that of the sum."
            )
            return [Section("Uncertainty of the terms", ["term", "product", "sd"], cells, note)]

        return terms.then(uncertainty)


def above_zero(learner: Any, squares: Any, rate: str) -> Any:
    """The squares that a precision is divided by, with twice the rate of its gamma prior."""
    total = squares + 2 * getattr(learner, rate)
    if not np.all(total > 0):
        what = "the weights reach y exactly" if rate == "alpha_2" else "a weight is exactly 0"
        raise DegenerateError(
            f"{type(learner).__name__}: {what}, so that its precision has no bound. Give {rate} above 0."
        )
    return total


def check_units(rows: CompressedRows, names: Sequence[str], who: str) -> None:
    """A DataError for a column in whose units the square of a weight is no number: a precision is its reciprocal."""
    size = np.sqrt(np.einsum("ij,ij->j", rows.R, rows.R) / max(rows.weight, 1.0))
    usual = np.divide(np.sqrt(rows.variance), size, out=np.ones(len(size)), where=size > 0)
    far = usual > LARGEST_WEIGHT
    if far.any():
        j = int(np.argmax(far))
        raise DataError(
            f"the weight of column {names[j]!r} would be about {usual[j]:.0e}, whose square is not a number.",
            who=who,
            remedy="Divide that column, or y, by a power of ten that brings the values near 1.",
        )


def weights_settled(last: np.ndarray, coef: np.ndarray, tol: float) -> bool:
    """Whether the weights moved by less than tol, all together, or by no more than rounding moves them."""
    return float(np.abs(last - coef).sum()) < tol + ROUNDING * float(np.abs(coef).sum())
