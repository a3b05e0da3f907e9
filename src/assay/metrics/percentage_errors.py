"""Errors relative to the size of each row's own number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError
from assay.metrics._number_pairs import number_pair
from assay.metrics.absolute_errors import absolute_errors
from assay.metrics.forms import OfRows
from assay.metrics.measure import Measure
from assay.metrics.outcome import Outcome
from assay.types import Floats, Target, Weights

__all__ = [
    "mean_absolute_percentage_error",
    "mean_log_accuracy_ratio",
    "symmetric_mean_absolute_percentage_error",
]


def mean_absolute_percentage_error(
    y_true: Target,
    y_pred: Target,
    *,
    sample_weight: Weights | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    r"""The mean of :math:`|y_i-\hat y_i|/|y_i|`, as a share (0.1 is 10 %).

    It favours predictions that are too low and explodes where a true value is near 0 (0 itself counts as 2.2e-16, as
    in scikit-learn; the measure "mape" of ``compare`` is not defined then). Saner relatives:
    :func:`weighted_absolute_percentage_error`, :func:`mean_log_accuracy_ratio`.

    Parameters
    ----------
    y_true, y_pred : (n,) numbers, or (n, k) of several columns
    sample_weight : (n,)
    multioutput : "uniform_average" over columns, "raw_values" for each column, or (k,) weights of the columns

    Examples
    --------
    >>> from assay.metrics import mean_absolute_percentage_error
    >>> round(mean_absolute_percentage_error([3, -0.5, 2, 8], [2.4, -0.5, 2, 10]), 4)
    0.1125
    """
    pair = number_pair(y_true, y_pred, "mean_absolute_percentage_error", sample_weight, multioutput)
    return pair.of(OfRows(_shares_of_truth))


def symmetric_mean_absolute_percentage_error(
    y_true: Target,
    y_pred: Target,
    *,
    sample_weight: Weights | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    r"""The mean of :math:`2|y_i-\hat y_i|/(|y_i|+|\hat y_i|)`, from 0 to 2; a row where both are 0 counts 0.

    Parameters
    ----------
    y_true, y_pred, sample_weight, multioutput : as in :func:`mean_absolute_percentage_error`

    Examples
    --------
    >>> from assay.metrics import symmetric_mean_absolute_percentage_error
    >>> symmetric_mean_absolute_percentage_error([100, 0], [300, 0])
    0.5
    """
    pair = number_pair(y_true, y_pred, "symmetric_mean_absolute_percentage_error", sample_weight, multioutput)
    return pair.of(SMAPE.of)


def mean_log_accuracy_ratio(
    y_true: Target,
    y_pred: Target,
    *,
    sample_weight: Weights | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    r"""The mean size of the logarithm of predicted over true, :math:`\frac1n\sum_i|\ln(\hat y_i/y_i)|`.

    Too high and too low by the same factor count the same (Tofallis 2015); its exponential is the typical factor.

    Parameters
    ----------
    y_true, y_pred : (n,) numbers of the same sign, none 0; or (n, k) of several columns
    sample_weight, multioutput : as in :func:`mean_absolute_percentage_error`

    Examples
    --------
    >>> import math
    >>> from assay.metrics import mean_log_accuracy_ratio
    >>> round(math.exp(mean_log_accuracy_ratio([100, 50], [200, 25])), 4)
    2.0
    """
    pair = number_pair(y_true, y_pred, "mean_log_accuracy_ratio", sample_weight, multioutput)
    return pair.of(_log_accuracy_or_error)


def _shares_of_truth(outcome: Outcome) -> np.ndarray:
    share = absolute_errors(outcome)
    size = np.abs(outcome.truth)
    share /= np.maximum(size, np.finfo(np.float64).eps, out=size)
    return share


def _percentages(outcome: Outcome) -> np.ndarray | None:
    if not outcome.truth.all():
        return None
    percentages: Floats = absolute_errors(outcome) / np.abs(outcome.truth)
    return percentages


def _symmetric_percentages(outcome: Outcome) -> np.ndarray:
    whole = np.abs(outcome.truth)
    whole += np.abs(outcome.answer)
    error = absolute_errors(outcome)
    percentages: Floats = 2 * np.divide(error, whole, out=np.zeros(len(error)), where=whole > 0)
    return percentages


def _log_ratios(outcome: Outcome) -> np.ndarray | None:
    if (np.sign(outcome.truth) * np.sign(outcome.answer)).min() <= 0:
        return None
    ratio = np.log(np.abs(outcome.answer))
    ratio -= np.log(np.abs(outcome.truth))
    sizes: Floats = np.abs(ratio, out=ratio)
    return sizes


def _log_accuracy_or_error(outcome: Outcome) -> float:
    value = LOG_ACCURACY.of(outcome)
    if np.isnan(value):
        raise DataError(f"{_no_ratio(outcome)}.", who="mean_log_accuracy_ratio")
    return value


def _zero_truth(outcome: Outcome) -> str:
    zeros = int(np.count_nonzero(outcome.truth == 0))
    return f"{zeros} true value{'s are' if zeros > 1 else ' is'} 0, of which no percentage can be taken; wape can"


def _no_ratio(outcome: Outcome) -> str:
    rows = int(np.count_nonzero(np.sign(outcome.truth) * np.sign(outcome.answer) <= 0))
    return f"true and predicted values must have the same sign and not be 0; {rows} of the rows differ"


MAPE = Measure(
    "mape", OfRows(_percentages, degree=0, positive=True), "lower",
    "mean absolute error as a share of each true value", "numbers",
    "regression", bounds=(0.0, np.inf), functions=(mean_absolute_percentage_error,), reason=_zero_truth,
)  # fmt: skip
SMAPE = Measure(
    "smape", OfRows(_symmetric_percentages, degree=0), "lower", "mean absolute error as a share of true and predicted",
    "numbers", "regression", bounds=(0.0, 2.0), functions=(symmetric_mean_absolute_percentage_error,),
)  # fmt: skip
LOG_ACCURACY = Measure(
    "log accuracy ratio", OfRows(_log_ratios, positive=True), "lower",
    "mean size of the logarithm of predicted over true", "numbers",
    "regression", bounds=(0.0, np.inf), functions=(mean_log_accuracy_ratio,), reason=_no_ratio,
)  # fmt: skip
