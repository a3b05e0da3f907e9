"""Choice of a smoothing parameter by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from assay.core.progress import track
from assay.errors import ParameterError
from assay.smoothers.smoother import Smoother
from assay.types import TableLike, Target, Weights

__all__ = ["SmoothingChoice", "choose_smoothing"]


@dataclass(frozen=True)
class SmoothingChoice:
    """Result of `choose_smoothing`.

    Attributes
    ----------
    parameter : its name      values : what was tried      errors : (m,) the criterion of each
    best : the value with the least error      smoother : fitted with it
    """

    parameter: str
    values: list[Any]
    errors: np.ndarray
    best: Any
    smoother: Smoother


def choose_smoothing(
    smoother: Smoother,
    X: TableLike,
    y: Target,
    values: Sequence[Any],
    *,
    parameter: str | None = None,
    criterion: str = "loo",
    validation: tuple[Any, Any] | None = None,
    sample_weight: Weights | None = None,
) -> SmoothingChoice:
    r"""The value of a smoothing parameter (h, k, λ, span or degree) that predicts best.

    .. math:: \mathrm{LOO} = \frac1n\sum_t(r^t-\hat g_{-t}(x^t))^2, \qquad
              \mathrm{GCV} = \frac{\frac1n\sum_t(r^t-\hat g(x^t))^2}{(1-\operatorname{tr}S/n)^2}         \quad (1)

    No smoother is fitted n times: windows are looked at without the row in their middle, and of splines and bins the
    left-out error has a closed form. Infinite or undefined errors lose; of equals the first value wins.

    Parameters
    ----------
    smoother : a Smoother, whose other parameters stay
    X, y, sample_weight : the rows
    values : what to try
    parameter : name of the parameter; None is the one that steers this smoother, such as "bandwidth"
    criterion : "loo" or "gcv"
    validation : (X, y) of other rows; then the mean squared error on these decides instead

    Examples
    --------
    >>> from assay.smoothers import RunningMean, choose_smoothing
    >>> x, r = [[float(i)] for i in range(8)], [1, 2, 1.5, 4, 5, 4.5, 7, 6]
    >>> result = choose_smoothing(RunningMean(), x, r, [1.5, 2.5, 8.0])
    >>> result.best, result.errors.round(4)
    (2.5, array([1.4062, 1.0486, 5.449 ]))

    See Also
    --------
    SmoothingSpline, KernelSmoother

    References
    ----------
    - Craven, P. and Wahba, G. (1978). Smoothing noisy data with spline functions. Numerische Mathematik 31,
      377-403. doi:10.1007/BF01404567
    - Hastie, T. J. and Tibshirani, R. J. (1990). Generalized Additive Models. Chapman and Hall.
    """
    name = smoother.steered_by if parameter is None else parameter
    values = list(values)
    if not values or name not in smoother.get_params() or criterion not in ("loo", "gcv"):
        raise ParameterError(
            f"choose_smoothing: expected values to try for a parameter of {type(smoother).__name__} and the criterion "
            f'"loo" or "gcv", got {len(values)} values for {name!r} and {criterion!r}.'
        )
    errors, models = [], []
    for value in track(values, "values"):
        model = clone(smoother).set_params(**{name: value}).fit(X, y, sample_weight)
        models.append(model)
        errors.append(_error(model, criterion, validation))
    scores = np.array(errors)
    best = int(np.argmin(np.where(np.isnan(scores), np.inf, scores)))
    with np.errstate(over="ignore"):
        scores = scores * models[best]._unit * models[best]._unit
    return SmoothingChoice(name, values, scores, values[best], models[best])


def _error(model: Smoother, criterion: str, validation: tuple[Any, Any] | None) -> float:
    """The error in the unit of the model's y."""
    if validation is not None:
        X, y = validation
        return float(np.mean(((np.asarray(y, dtype=np.float64) - model.predict(X)) / model._unit) ** 2))
    counts = np.ones(len(model.y_)) if model.weight_ is None else model.weight_
    if criterion == "loo":
        return float(counts @ ((model.y_ - model.leave_one_out()) / model._unit) ** 2 / counts.sum())
    left = 1 - model.degrees_of_freedom() / counts.sum()
    fitted = model._predict(model.X_)
    return (
        np.inf
        if left < 1e-9
        else float(counts @ ((model.y_ - fitted) / model._unit) ** 2 / counts.sum() / left**2)
    )
