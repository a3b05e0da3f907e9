"""Absolute errors of predicted numbers: their mean, median and largest, other weights for too low and too high."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.decide.newsvendor import unit_costs
from assay.errors import ParameterError
from assay.metrics._number_pairs import number_pair, one_column_pair
from assay.metrics.forms import OfRows
from assay.metrics.measure import Measure
from assay.metrics.number_forms import OfDistance, OfMaximum, OfMedian
from assay.metrics.outcome import Outcome
from assay.stats.checks import is_number
from assay.types import Floats, Target, Weights

__all__ = [
    "asymmetric_cost",
    "max_error",
    "mean_absolute_error",
    "mean_error",
    "mean_pinball_loss",
    "median_absolute_error",
]


def mean_absolute_error(
    y_true: Target,
    y_pred: Target,
    *,
    sample_weight: Weights | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    r"""The mean absolute error, :math:`\frac1n\sum_i |y_i - \hat y_i|`, which the median of the target minimises.

    Parameters
    ----------
    y_true, y_pred : (n,) numbers, or (n, k) of several columns
    sample_weight : (n,)
    multioutput : "uniform_average" over columns, "raw_values" for each column, or (k,) weights of the columns

    Examples
    --------
    >>> from assay.metrics import mean_absolute_error
    >>> mean_absolute_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    0.5
    """
    return number_pair(y_true, y_pred, "mean_absolute_error", sample_weight, multioutput).of(MAE.of)


def median_absolute_error(
    y_true: Target,
    y_pred: Target,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: Weights | None = None,
) -> Any:
    r"""The median absolute error, which a few large errors do not move.

    Parameters
    ----------
    y_true, y_pred : (n,) numbers, or (n, k) of several columns
    multioutput : as in :func:`mean_absolute_error`
    sample_weight : (n,)

    Examples
    --------
    >>> from assay.metrics import median_absolute_error
    >>> median_absolute_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 80])
    0.5
    """
    return number_pair(y_true, y_pred, "median_absolute_error", sample_weight, multioutput).of(MEDIAN_AE.of)


def max_error(y_true: Target, y_pred: Target) -> float:
    """The largest absolute error.

    Parameters
    ----------
    y_true, y_pred : (n,) numbers

    Examples
    --------
    >>> from assay.metrics import max_error
    >>> max_error([3, 2, 7, 1], [4, 2, 7, 1])
    1.0
    """
    return MAX_ERROR.of(one_column_pair(y_true, y_pred, "max_error"))


def mean_error(
    y_true: Target,
    y_pred: Target,
    *,
    sample_weight: Weights | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    r"""The bias, :math:`\frac1n\sum_i (\hat y_i - y_i)`: above 0 if predictions are too high on the whole.

    Parameters
    ----------
    y_true, y_pred : (n,) numbers, or (n, k) of several columns
    sample_weight : (n,)
    multioutput : as in :func:`mean_absolute_error`

    Examples
    --------
    >>> from assay.metrics import mean_error
    >>> mean_error([3, 5, 8], [4, 5, 9.5])
    0.8333333333333334
    """
    return number_pair(y_true, y_pred, "mean_error", sample_weight, multioutput).of(MEAN_ERROR.of)


def mean_pinball_loss(
    y_true: Target,
    y_pred: Target,
    *,
    sample_weight: Weights | None = None,
    alpha: float = 0.5,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    r"""The loss of a predicted quantile, which the quantile :math:`\alpha` of the target minimises.

    .. math:: \frac1n\sum_i \max\bigl(\alpha (y_i - \hat y_i),\ (1-\alpha)(\hat y_i - y_i)\bigr)

    Parameters
    ----------
    y_true, y_pred : (n,) numbers, or (n, k) of several columns
    sample_weight : (n,)
    alpha : from 0 to 1, the quantile; 0.5 gives half the mean absolute error
    multioutput : as in :func:`mean_absolute_error`

    Examples
    --------
    >>> from assay.metrics import mean_pinball_loss
    >>> low, high = [0, 2, 3], [2, 2, 3]
    >>> [round(mean_pinball_loss([1, 2, 3], predicted, alpha=0.9), 4) for predicted in (low, high)]
    [0.3, 0.0333]
    """
    who = "mean_pinball_loss"
    form = _pinball(check_quantile(alpha, "alpha", who))
    return number_pair(y_true, y_pred, who, sample_weight, multioutput).of(form)


def asymmetric_cost(
    y_true: Target,
    y_pred: Target,
    *,
    under: float = 1.0,
    over: float = 1.0,
    sample_weight: Weights | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    r"""The mean cost of predictions, if each unit too low costs ``under`` and each unit too high ``over``.

    .. math:: \frac1n\sum_i \max\bigl(c_u (y_i - \hat y_i),\ c_o(\hat y_i - y_i)\bigr)

    Selling out loses a margin for each unit of demand that was not met, a leftover loses what was paid for it; the
    amount that minimises the expected cost is the quantile :math:`c_u/(c_u+c_o)` of the target
    (:func:`assay.decide.newsvendor`).

    Parameters
    ----------
    y_true, y_pred : (n,) numbers, or (n, k) of several columns
    under, over : costs of one unit, from 0 up
    sample_weight : (n,)
    multioutput : as in :func:`mean_absolute_error`

    Examples
    --------
    >>> from assay.metrics import asymmetric_cost
    >>> asymmetric_cost([10, 10], [8, 11], under=5, over=2)
    6.0
    """
    who = "asymmetric_cost"
    return number_pair(y_true, y_pred, who, sample_weight, multioutput).of(_unit_costs(under, over))


def absolute_errors(outcome: Outcome) -> np.ndarray:
    """(n,) sizes of the differences."""
    error = outcome.answer - outcome.truth
    sizes: Floats = np.abs(error, out=error)
    return sizes


def signed_errors(outcome: Outcome) -> np.ndarray:
    """(n,) prediction minus truth."""
    errors: Floats = outcome.answer - outcome.truth
    return errors


def sloped_errors(under: float, over: float, outcome: Outcome) -> np.ndarray:
    """(n,) ``under`` times each unit that a prediction is too low, ``over`` times each unit that it is too high."""
    return unit_costs(outcome.truth, outcome.answer, under, over)


def check_quantile(alpha: Any, name: str, who: str) -> float:
    """A number from 0 to 1."""
    if not is_number(alpha) or not 0 <= alpha <= 1:
        raise ParameterError(f"{name} must be a number from 0 to 1, got {alpha!r}.", who=who)
    return float(alpha)


def _pinball(quantile: float) -> OfRows:
    q = check_quantile(quantile, "quantile", "pinball")
    return OfRows(partial(sloped_errors, q, 1 - q), degree=1, positive=True)


def _unit_costs(under: float = 1.0, over: float = 1.0) -> OfRows:
    for name, cost in (("under", under), ("over", over)):
        if not is_number(cost) or not 0 <= cost < np.inf:
            raise ParameterError(
                f"{name}, the cost of a unit, must be a number from 0 up, got {cost!r}.",
                who="asymmetric_cost",
            )
    return OfRows(partial(sloped_errors, float(under), float(over)), degree=1, positive=True)


def _pinball_named(name: str) -> Measure | None:
    """ "pinball 0.9" """
    number = name.removeprefix("pinball ").removeprefix("at ")
    try:
        quantile = float(number) if name != number else -1.0
    except ValueError:
        return None
    if not 0 <= quantile <= 1:
        return None
    words = f"loss of predictions of the quantile {quantile:g}"
    return Measure(f"pinball {quantile:g}", _pinball(quantile), "lower", words, "numbers", "regression",
                   bounds=(0.0, np.inf))  # fmt: skip


MEAN_ERROR = Measure(
    "mean error", OfRows(signed_errors, degree=1), "neither", "by how much predictions are too high on the whole",
    "numbers", "regression", functions=(mean_error,),
)  # fmt: skip
MAE = Measure(
    "mae", OfRows(absolute_errors, degree=1, positive=True), "lower",
    "mean absolute error, in units of the target", "numbers",
    "regression", bounds=(0.0, np.inf), functions=(mean_absolute_error,),
)  # fmt: skip
MEDIAN_AE = Measure(
    "median absolute error", OfMedian(absolute_errors, degree=1), "lower", "half of all errors are smaller", "numbers",
    "regression", bounds=(0.0, np.inf), functions=(median_absolute_error,), aliases=("medae",),
)  # fmt: skip
MAX_ERROR = Measure(
    "max error", OfMaximum(absolute_errors), "lower", "the largest error", "numbers", "regression",
    bounds=(0.0, np.inf), functions=(max_error,),
)  # fmt: skip
BIAS = Measure(
    "bias", OfDistance(MEAN_ERROR.of), "lower", "size of the mean error: too high or too low on the whole", "numbers",
    "regression", bounds=(0.0, np.inf), aliases=("absolute bias",),
)  # fmt: skip
PINBALL = Measure(
    "pinball", _pinball(0.5), "lower", "loss of a predicted quantile (0.5; others by number: pinball 0.9)", "numbers",
    "regression", bounds=(0.0, np.inf), functions=(mean_pinball_loss,), aliases=("pinball loss",),
    options=_pinball, variant=_pinball_named,
)  # fmt: skip
ASYMMETRIC_COST = Measure(
    "asymmetric cost", _unit_costs(), "lower", "mean cost, of each unit too low (under) and too high (over)", "numbers",
    "regression", bounds=(0.0, np.inf), functions=(asymmetric_cost,), options=_unit_costs,
)  # fmt: skip
