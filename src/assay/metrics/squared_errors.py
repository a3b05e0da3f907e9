"""Squared errors of predicted numbers, of the numbers themselves or of their logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError
from assay.metrics._number_pairs import NumberPair, number_pair
from assay.metrics.forms import OfRows
from assay.metrics.measure import Measure
from assay.metrics.outcome import Outcome
from assay.types import Floats, Target, Weights

__all__ = [
    "mean_squared_error",
    "mean_squared_log_error",
    "root_mean_squared_error",
    "root_mean_squared_log_error",
]


def mean_squared_error(
    y_true: Target,
    y_pred: Target,
    *,
    sample_weight: Weights | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    r"""The mean squared error, :math:`\frac1n\sum_i (y_i - \hat y_i)^2`.

    Parameters
    ----------
    y_true, y_pred : (n,) numbers, or (n, k) of several columns
    sample_weight : (n,)
    multioutput : "uniform_average" over columns, "raw_values" for each column, or (k,) weights of the columns

    Examples
    --------
    >>> from assay.metrics import mean_squared_error
    >>> mean_squared_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    0.375
    >>> mean_squared_error([[0.5, 1], [-1, 1]], [[0, 2], [-1, 2]], multioutput="raw_values")
    array([0.125, 1.   ])
    """
    return number_pair(y_true, y_pred, "mean_squared_error", sample_weight, multioutput).of(MSE.of)


def root_mean_squared_error(
    y_true: Target,
    y_pred: Target,
    *,
    sample_weight: Weights | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    r"""The root of the mean squared error, in the units of the target.

    Parameters
    ----------
    y_true, y_pred : (n,) numbers, or (n, k) of several columns
    sample_weight : (n,)
    multioutput : as in :func:`mean_squared_error`; the root is taken of each column

    Examples
    --------
    >>> from assay.metrics import root_mean_squared_error
    >>> root_mean_squared_error([0, 0, 0, 0], [3, -3, 3, -3])
    3.0
    """
    return number_pair(y_true, y_pred, "root_mean_squared_error", sample_weight, multioutput).of(RMSE.of)


def mean_squared_log_error(
    y_true: Target,
    y_pred: Target,
    *,
    sample_weight: Weights | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    r"""The mean squared difference of logarithms, :math:`\frac1n\sum_i (\ln(1+y_i) - \ln(1+\hat y_i))^2`.

    For counts and prices that grow by factors; it punishes a prediction that is too low more than one too high.

    Parameters
    ----------
    y_true, y_pred : (n,) numbers above -1, or (n, k) of several columns
    sample_weight : (n,)
    multioutput : as in :func:`mean_squared_error`

    Examples
    --------
    >>> from assay.metrics import mean_squared_log_error
    >>> round(mean_squared_log_error([3, 5, 2.5, 7], [2.5, 5, 4, 8]), 4)
    0.0397
    """
    return _above_minus_one(
        number_pair(y_true, y_pred, "mean_squared_log_error", sample_weight, multioutput), "Mean"
    ).of(MSLE.of)


def root_mean_squared_log_error(
    y_true: Target,
    y_pred: Target,
    *,
    sample_weight: Weights | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    r"""The root of the mean squared difference of logarithms, nearly the typical relative error.

    Parameters
    ----------
    y_true, y_pred : (n,) numbers above -1, or (n, k) of several columns
    sample_weight : (n,)
    multioutput : as in :func:`mean_squared_error`; the root is taken of each column

    Examples
    --------
    >>> from assay.metrics import root_mean_squared_log_error
    >>> round(root_mean_squared_log_error([3, 5, 2.5, 7], [2.5, 5, 4, 8]), 4)
    0.1993
    """
    return _above_minus_one(
        number_pair(y_true, y_pred, "root_mean_squared_log_error", sample_weight, multioutput), "Root Mean"
    ).of(RMSLE.of)


def _above_minus_one(pair: NumberPair, name: str) -> NumberPair:
    if min(pair.truth.min(), pair.answer.min()) <= -1:
        raise DataError(
            f"{name} Squared Logarithmic Error cannot be used when targets contain values less than or equal to -1.",
            who=pair.who,
        )
    return pair


def squared_errors(outcome: Outcome) -> np.ndarray:
    """(n,) squared differences."""
    error = outcome.truth - outcome.answer
    squares: Floats = np.multiply(error, error, out=error)
    return squares


def _squared_log_errors(outcome: Outcome) -> np.ndarray | None:
    if min(outcome.truth.min(), outcome.answer.min()) <= -1:
        return None
    error = np.log1p(outcome.truth)
    error -= np.log1p(outcome.answer)
    squares: Floats = np.multiply(error, error, out=error)
    return squares


def _no_logarithm(outcome: Outcome) -> str:
    return "a true or predicted value is -1 or below, which has no logarithm of 1 + y"


MSE = Measure(
    "mse", OfRows(squared_errors, degree=2, positive=True), "lower", "mean squared error", "numbers", "regression",
    bounds=(0.0, np.inf), functions=(mean_squared_error,),
)  # fmt: skip
RMSE = Measure(
    "rmse", OfRows(squared_errors, link=np.sqrt, degree=1, positive=True), "lower",
    "root of the mean squared error, in units of the target", "numbers", "regression",
    bounds=(0.0, np.inf), functions=(root_mean_squared_error,),
)  # fmt: skip
MSLE = Measure(
    "msle", OfRows(_squared_log_errors, positive=True), "lower",
    "mean squared difference of the logarithms of 1 + y", "numbers",
    "regression", bounds=(0.0, np.inf), functions=(mean_squared_log_error,), reason=_no_logarithm,
)  # fmt: skip
RMSLE = Measure(
    "rmsle", OfRows(_squared_log_errors, link=np.sqrt, positive=True), "lower",
    "root of the msle, nearly the typical relative error",
    "numbers", "regression", bounds=(0.0, np.inf), functions=(root_mean_squared_log_error,), reason=_no_logarithm,
)  # fmt: skip
