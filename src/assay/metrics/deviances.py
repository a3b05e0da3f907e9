"""Deviances of predicted means: of counts, of positive amounts, of any power of the variance."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from assay.errors import DataError, ParameterError
from assay.metrics._inputs import undefined
from assay.metrics._number_pairs import one_column_pair
from assay.metrics.explained import SQUARED
from assay.metrics.forms import OfRows
from assay.metrics.measure import Measure
from assay.metrics.number_forms import Columns, OfMeans
from assay.metrics.outcome import Outcome
from assay.stats.checks import is_number
from assay.types import Target, Weights

BLOCK_ROWS = 16_384  # at a time, so that what lies between the steps stays in the cache

__all__ = ["d2_tweedie_score", "mean_gamma_deviance", "mean_poisson_deviance", "mean_tweedie_deviance"]


def mean_tweedie_deviance(
    y_true: Target, y_pred: Target, *, sample_weight: Weights | None = None, power: float = 0
) -> float:
    r"""The mean unit deviance of a distribution whose variance is the mean to a power p.

    .. math:: d_p(y,\mu) = 2\int_\mu^y \frac{y-t}{t^p}\,dt

    0 is the squared error, 1 Poisson's, 2 gamma's, 3 the inverse Gaussian's; between 1 and 2 amounts that may be 0
    (rain, claims).

    Parameters
    ----------
    y_true, y_pred : (n,) numbers: y_pred above 0 unless power is 0; y_true from 0 up for 1 <= power < 2, above 0 from 2
    sample_weight : (n,)
    power : up to 0, or from 1 up

    Examples
    --------
    >>> from assay.metrics import mean_tweedie_deviance
    >>> round(mean_tweedie_deviance([2, 0, 1, 4], [0.5, 0.5, 2.0, 2.0], power=1), 4)
    1.426
    """
    return _deviance(y_true, y_pred, sample_weight, power, "mean_tweedie_deviance")


def mean_poisson_deviance(y_true: Target, y_pred: Target, *, sample_weight: Weights | None = None) -> float:
    r"""The mean deviance of counts, :math:`\frac2n\sum_i y_i\ln(y_i/\hat y_i) - y_i + \hat y_i`.

    Parameters
    ----------
    y_true : (n,) numbers from 0 up
    y_pred : (n,) numbers above 0
    sample_weight : (n,)

    Examples
    --------
    >>> from assay.metrics import mean_poisson_deviance
    >>> round(mean_poisson_deviance([2, 0, 1, 4], [0.5, 0.5, 2.0, 2.0]), 4)
    1.426
    """
    return _deviance(y_true, y_pred, sample_weight, 1, "mean_poisson_deviance")


def mean_gamma_deviance(y_true: Target, y_pred: Target, *, sample_weight: Weights | None = None) -> float:
    r"""The mean deviance of positive amounts, :math:`\frac2n\sum_i \ln(\hat y_i/y_i) + y_i/\hat y_i - 1`.

    Parameters
    ----------
    y_true, y_pred : (n,) numbers above 0
    sample_weight : (n,)

    Examples
    --------
    >>> from assay.metrics import mean_gamma_deviance
    >>> round(mean_gamma_deviance([2, 0.5, 1, 4], [0.5, 0.5, 2.0, 2.0]), 4)
    1.0569
    """
    return _deviance(y_true, y_pred, sample_weight, 2, "mean_gamma_deviance")


def d2_tweedie_score(
    y_true: Target, y_pred: Target, *, sample_weight: Weights | None = None, power: float = 0
) -> float:
    r"""The share of the mean's deviance that is explained, :math:`1 - \sum d_p(y_i,\hat y_i)/\sum d_p(y_i,\bar y)`.

    Parameters
    ----------
    y_true, y_pred, sample_weight, power : as in :func:`mean_tweedie_deviance`; power 0 gives R2

    Examples
    --------
    >>> from assay.metrics import d2_tweedie_score
    >>> round(d2_tweedie_score([0.5, 1, 2.5, 7], [1, 1, 5, 3.5], power=1), 4)
    0.4879
    """
    who = "d2_tweedie_score"
    outcome = one_column_pair(y_true, y_pred, who, sample_weight)
    power = _check_power(power, who)
    if len(outcome.truth) < 2:
        undefined(f"{who}: D^2 score is not well-defined with less than two samples.")
        return float("nan")
    _check_range(outcome, power, who)
    return _explained(power)(outcome)


def _deviance(y_true: Any, y_pred: Any, sample_weight: Any, power: Any, who: str) -> float:
    outcome = one_column_pair(y_true, y_pred, who, sample_weight)
    power = _check_power(power, who)
    _check_range(outcome, power, who)
    return _mean_of(power)(outcome)


def _check_power(power: Any, who: str) -> float:
    if not is_number(power) or not np.isfinite(power) or 0 < power < 1:
        raise ParameterError(
            f"power must be a number up to 0 or from 1 up, got {power!r}; no distribution has one between.",
            who=who,
        )
    return float(power)


def _check_range(outcome: Outcome, power: float, who: str) -> None:
    if (fault := _fault(power, outcome)) is not None:
        raise DataError(
            f"Mean Tweedie deviance error with power={power:g} can only be used on {fault}.", who=who
        )


def _fault(power: float, outcome: Outcome) -> str | None:
    """What the numbers should be and are not; None if the power allows them."""
    if power == 0:
        return None
    positive = float(outcome.answer.min()) > 0
    lowest = float(outcome.truth.min()) if power >= 1 else np.inf
    if power < 0:
        return None if positive else "strictly positive y_pred"
    if power < 2:
        return None if positive and lowest >= 0 else "non-negative y and strictly positive y_pred"
    return None if positive and lowest > 0 else "strictly positive y and y_pred"


def _unit_deviances(power: float, y: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """(n,) the deviance of each row from its mean or from one mean (), as the generalised linear models have it."""
    from assay.linear.generalized.families import (
        GammaFamily,
        GaussianFamily,
        InverseGaussian,
        Poisson,
        Tweedie,
    )

    named = {0: GaussianFamily, 1: Poisson, 2: GammaFamily, 3: InverseGaussian}.get(power)
    family = Tweedie(power) if named is None else named()
    deviance = np.empty(len(y))
    for first in range(0, len(y), BLOCK_ROWS):
        part = slice(first, first + BLOCK_ROWS)
        deviance[part] = family.deviance(y[part], mu if mu.ndim == 0 else mu[part])
    return deviance


def _rows(power: float, outcome: Outcome) -> np.ndarray | None:
    if _fault(power, outcome) is not None:
        return None
    return _unit_deviances(power, outcome.truth, outcome.answer)


def _rows_and_reference(power: float, outcome: Outcome) -> Columns | None:
    """Deviances from the predictions and from the mean; the mean minimises the latter, so that it may stay as it is."""
    rows, mean = _rows(power, outcome), outcome.mean(outcome.truth)
    if rows is None or (power != 0 and mean <= 0):
        return None
    if float(outcome.truth.min()) == float(outcome.truth.max()):
        return rows, np.zeros(len(rows))
    return rows, _unit_deviances(power, outcome.truth, np.asarray(mean))


def _share_explained(m: np.ndarray) -> np.ndarray:
    return 1 - m[..., 0] / np.where(m[..., 1] == 0, np.nan, m[..., 1])


def _mean_of(power: float) -> OfRows:
    return OfRows(partial(_rows, power), degree=2 - power, positive=True)


def _explained(power: float) -> OfMeans:
    if power == 0:
        return SQUARED.score()
    return OfMeans(partial(_rows_and_reference, power), _share_explained, degree=0)


def _out_of_range(power: float, outcome: Outcome) -> str:
    fault = _fault(power, outcome)
    return "all true values are equal" if fault is None else f"the deviance is of {fault}"


def _deviance_measure(power: float, name: str, words: str, **more: Any) -> Measure:
    return Measure(name, _mean_of(power), "lower", words, "numbers", "regression", bounds=(0.0, np.inf),
                   reason=partial(_out_of_range, power), **more)  # fmt: skip


def _explained_measure(power: float, name: str, words: str, **more: Any) -> Measure:
    return Measure(name, _explained(power), "higher", words, "numbers", "regression", bounds=(-np.inf, 1.0),
                   reason=partial(_out_of_range, power), **more)  # fmt: skip


def _named(prefix: str, make: Callable[..., Measure], words: str, name: str) -> Measure | None:
    """ "tweedie deviance 1.5" """
    number = name.removeprefix(prefix)
    try:
        power = float(number) if name != number else 0.5
    except ValueError:
        return None
    return (
        None
        if 0 < power < 1 or not np.isfinite(power)
        else make(power, f"{prefix}{power:g}", f"{words} {power:g}")
    )


POISSON_DEVIANCE = _deviance_measure(
    1, "poisson deviance", "mean deviance of predicted counts (other powers by number: tweedie deviance 1.5)",
    functions=(mean_poisson_deviance,),
    variant=partial(_named, "tweedie deviance ", _deviance_measure, "mean deviance of variance power"),
)  # fmt: skip
GAMMA_DEVIANCE = _deviance_measure(
    2, "gamma deviance", "mean deviance of predicted positive amounts", functions=(mean_gamma_deviance,)
)
D2_POISSON = _explained_measure(
    1, "d2 poisson", "share of the mean's Poisson deviance that is explained (other powers: d2 tweedie 1.5)",
    variant=partial(_named, "d2 tweedie ", _explained_measure, "share of the mean's deviance explained, power"),
)  # fmt: skip
D2_GAMMA = _explained_measure(2, "d2 gamma", "share of the mean's gamma deviance that is explained")
