"""The mean regressor: one number for all rows, from the training target alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card, Regressor
from assay.core.parameters import Choice, Range
from assay.core.stored import FloatArray, Integer, Scalar
from assay.core.targets import row_counts
from assay.errors import ParameterError
from assay.stats.distributions.predictive import Student
from assay.stats.estimators.weighted_quantile import weighted_quantile

__all__ = ["MeanRegressor"]


class MeanRegressor(Regressor):
    r"""Predict the mean, the median or a quantile of the training target, for every row.

    The mean has the least squared error of all constants, the median the least absolute error, the quantile of order
    q the least pinball loss at q. A regressor that is no better than this one has learned nothing from the columns:
    with "mean" its :math:`R^2` on the training rows is 0. It takes every table: categories, missing values, sparse.

    As scikit-learn's ``DummyRegressor``, except that a quantile that falls between two training numbers is the mean
    of the two, with and without weights, so that a row of weight 2 is two rows.

    Cost: fit O(n), with a quantile O(n log n), for each output; predict O(1) a row; memory O(outputs).

    Parameters
    ----------
    strategy : "mean", "median" or "quantile", default "mean"
    quantile : float from 0 to 1, default None
        The order of the quantile; needed for "quantile" alone.

    Attributes
    ----------
    constant_ : (1, outputs) what is predicted      n_outputs_ : int
    spread_ : (outputs,) the standard deviation of the training target, by the mean's strategy; else NaN
    total_weight_ : float, how many rows that was

    Examples
    --------
    >>> from assay.baselines import MeanRegressor
    >>> X, y = [[1], [2], [3], [4]], [0.0, 1.0, 1.0, 10.0]
    >>> MeanRegressor().fit(X, y).predict([[7]]), MeanRegressor(strategy="median").fit(X, y).predict([[7]])
    (array([3.]), array([1.]))

    See Also
    --------
    MajorityClassifier

    References
    ----------
    - Koenker, R. and Bassett, G. (1978). Regression quantiles. Econometrica 46(1), 33-50. doi:10.2307/1913643
    """

    card = Card(
        "mean",
        "the mean of the training target; the baseline",
        also=("baseline", "dummy"),
        suits="any",
        learns=(
            "a constant",
            "squared error (absolute error by the median)",
            "a mean or a quantile",
            "analytic",
        ),
    )
    accepts = {"strategy": Choice("mean", "median", "quantile"), "quantile": Range(0, 1) | None}
    stored = {
        "constant_": FloatArray(1, "O", finite=True),
        "n_outputs_": Integer("O", low=1),
        "spread_": FloatArray("O", low=0),
        "total_weight_": Scalar(low=0, finite=True),
    }
    takes = frozenset({"nominal", "missing", "sparse"})

    def __init__(self, *, strategy: str = "mean", quantile: float | None = None):
        self.strategy = strategy
        self.quantile = quantile

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # it does not look at the columns
        tags.target_tags.multi_output = True
        return tags

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        Y = y.reshape(len(y), -1)
        self.spread_, self.total_weight_ = np.full(Y.shape[1], np.nan), 0.0
        if self.strategy == "mean":
            constant = np.average(Y, axis=0, weights=w)
            counts = np.ones(len(Y)) if w is None else row_counts(w)
            self.total_weight_ = float(counts.sum())
            unit = np.abs(Y - constant).max(axis=0)
            unit[unit == 0] = 1.0  # whose squares are numbers
            squares = counts @ ((Y - constant) / unit) ** 2
            if self.total_weight_ > 1:
                self.spread_ = unit * np.sqrt(squares / (self.total_weight_ - 1))
        else:
            order = 0.5 if self.strategy == "median" else self.quantile
            if order is None:
                raise ParameterError(
                    'MeanRegressor: strategy="quantile" needs the order of the quantile, such as quantile=0.9.'
                )
            constant = weighted_quantile(Y, np.ones(len(Y)) if w is None else w, order)
        self.constant_, self.n_outputs_ = constant[None, :], Y.shape[1]

    def _no_distribution(self) -> str:
        if self.strategy != "mean":
            return f'strategy="{self.strategy}" has no predictive distribution. Use strategy="mean".'
        if "constant_" in vars(self) and not np.isfinite(getattr(self, "spread_", np.nan)).all():
            return "one row, or a model file of an earlier version, has no spread, and so no predictive distribution."
        return super()._no_distribution()

    def _distribution(self, X: Any) -> Student:
        """Student's t of one more number of the same normal distribution."""
        self._refuse_several_targets(self.n_outputs_ > 1)
        scale = float(self.spread_[0]) * np.sqrt(1 + 1 / self.total_weight_)
        return Student(self._predict(X), scale, self.total_weight_ - 1)

    def _predict(self, X: Any) -> np.ndarray:
        Y = np.tile(self.constant_, (X.shape[0], 1))
        return Y[:, 0] if self.n_outputs_ == 1 else Y
