"""The noise around a fit that selected some columns: least squares on these alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import Boolean, CodeArray, FloatArray, Scalar
from assay.errors import DegenerateError
from assay.linear.regression.coordinate_descent import Problem
from assay.linear.regression.least_squares_noise import ROUNDING, LeastSquaresNoise, inverse_root
from assay.stats.distributions.predictive import Student

__all__ = ["SelectedNoise"]


@dataclass(frozen=True)
class SelectedNoise:
    r"""What a new row adds to the uncertainty of a lasso or an elastic net.

    With the columns A that have a weight, and their signs s, the weights are linear in y,

    .. math:: w_A = (X_A^TX_A + n\alpha(1-\rho)I)^{-1}(X_A^Ty - n\alpha\rho\,s)                              \quad (1)

    so that, the selection taken as given, new rows have the predictive distribution of ridge regression on the columns
    A; see `LeastSquaresNoise`. The lasso uses up as many degrees of freedom as it has weights, and one for the constant
    (Zou, Hastie and Tibshirani 2007). Neither the bias of the penalty nor the chance that other columns might have been
    selected is in it, so intervals are too narrow where the penalty is strong or the columns are many for the rows.

    Attributes
    ----------
    columns : (k,) those with a weight      mean : (d,) of all columns
    gram : (k, k) cross products of the centred columns of ``columns``
    penalty : float, of a squared weight in (1)      squares : float, of the residuals      rows : float
    constant : whether there is one
    """

    storable = True
    stored = {
        "columns": CodeArray("k", below="d"),
        "mean": FloatArray("d", finite=True),
        "gram": FloatArray("k", "k", finite=True),
        "penalty": Scalar(low=0, finite=True),
        "squares": Scalar(low=0, finite=True),
        "rows": Scalar(low=0, finite=True),
        "constant": Boolean(),
    }

    columns: np.ndarray
    mean: np.ndarray
    gram: np.ndarray
    penalty: float
    squares: float
    rows: float
    constant: bool

    @classmethod
    def of(cls, data: Problem, w: np.ndarray, penalty: float, constant: bool) -> SelectedNoise:
        """Of the weights w, (d,), of a problem with one output, whose rows weigh 1 on average."""
        columns = np.flatnonzero(w)
        gram, cross = data.products(columns)
        v, square = w[columns], float(data.square[0])
        left = float(square - 2 * v @ cross + v @ gram @ v)
        return cls(
            columns, data.mean, gram, penalty, left if left > ROUNDING * square else 0.0, data.total, constant
        )

    def noise(self, who: str) -> LeastSquaresNoise:
        """Least squares on the columns that have a weight."""
        k = len(self.columns)
        gram, penalty = np.zeros((2, k + self.constant, k + self.constant))
        gram[:k, :k], penalty[:k, :k] = self.gram, self.penalty * np.eye(k)
        if self.constant:
            gram[k, k] = self.rows
        root, freedom = inverse_root(gram, penalty)
        dof = self.rows - freedom
        if not dof > 1e-9 * self.rows:
            raise DegenerateError(
                f"{who}: the weights of {k} columns leave nothing to estimate the noise from, so there is no "
                "predictive distribution. Raise alpha, or give more rows."
            )
        sigma = float(np.sqrt(self.squares / dof))
        return LeastSquaresNoise(sigma, dof, self.mean[self.columns], root, self.constant)

    def distribution(self, X: Any, mean: np.ndarray, who: str) -> Student:
        """The predictive distribution of new rows."""
        return self.noise(who).distribution(X[:, self.columns], mean)
