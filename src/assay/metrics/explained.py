r"""How much of a number's variation predictions explain: R2 and its relatives, errors relative to a simple prediction.

All are :math:`A/B` or :math:`1 - A/B` with the mean loss A of the predictions and the mean loss B of a simple one: the
mean of the true values (squared errors), a quantile of them (pinball loss), the value before (scaled errors).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.parameters import check_count
from assay.errors import DataError, DegenerateError
from assay.metrics._inputs import undefined
from assay.metrics._number_pairs import NumberPair, number_pair
from assay.metrics.absolute_errors import absolute_errors, check_quantile, sloped_errors
from assay.metrics.measure import Measure
from assay.metrics.number_forms import Columns, OfMeans
from assay.metrics.outcome import Outcome
from assay.stats.estimators.weighted_quantile import weighted_quantile
from assay.types import Floats, Target, Weights

__all__ = [
    "adjusted_r2_score",
    "correlation_score",
    "d2_absolute_error_score",
    "d2_pinball_score",
    "explained_variance_score",
    "mean_absolute_scaled_error",
    "r2_score",
    "relative_absolute_error",
    "relative_squared_error",
    "root_relative_squared_error",
    "weighted_absolute_percentage_error",
]

ROUNDING = 1e-24  # a mean square that is less than this share of the squared mean may be rounding alone
FEW_ROWS = "one row has no variation to explain"


@dataclass(frozen=True)
class Relative:
    """A loss relative to that of a simple prediction, both of means over rows.

    Parameters
    ----------
    values : of an Outcome, gives the columns whose means are taken
    loss, reference : of (..., q) means
    degree : by which power of c both grow if all numbers are multiplied by c
    """

    values: Callable[[Outcome], Columns | None]
    loss: Callable[[np.ndarray], np.ndarray]
    reference: Callable[[np.ndarray], np.ndarray]
    degree: int = 1

    def ratio(self) -> OfMeans:
        """Loss / reference."""
        return OfMeans(self.values, self._ratio, degree=0)

    def root(self) -> OfMeans:
        """Its root."""
        return OfMeans(self.values, self._root, degree=0)

    def score(self) -> OfMeans:
        """1 - loss / reference."""
        return OfMeans(self.values, self._score, degree=0)

    def _ratio(self, m: np.ndarray) -> np.ndarray:
        reference = self.reference(m)
        return self.loss(m) / np.where(reference == 0, np.nan, reference)

    def _root(self, m: Floats) -> Floats:
        root: Floats = np.sqrt(self._ratio(m))
        return root

    def _score(self, m: np.ndarray) -> np.ndarray:
        return 1 - self._ratio(m)

    def of(self, pair: NumberPair, name: str, force_finite: bool = True) -> Any:
        """1 - loss / reference of each column, put together as scikit-learn does; NaN and a warning for one row."""
        if pair.n < 2 and name:
            undefined(f"{pair.who}: {name} score is not well-defined with less than two samples.")
            return float("nan")
        form = self.score()
        means, units = zip(*(form.means(outcome) for outcome in pair.outcomes()))
        losses, references = (np.array([part(m) for m in means]) for part in (self.loss, self.reference))
        with np.errstate(all="ignore"):
            scores = 1 - losses / references
            spreads = references * (np.array(units) / max(units)) ** self.degree
        if force_finite:
            scores = np.where(losses == 0, 1.0, np.where(references == 0, 0.0, scores))
        return pair.put_together(scores, spreads)


def deviations(outcome: Outcome) -> np.ndarray:
    """(n,) true values minus their mean; exactly 0 where all are equal."""
    return _centred(outcome.truth, outcome)


def _centred(values: np.ndarray, outcome: Outcome) -> np.ndarray:
    mean = outcome.mean(values)
    centred = values - mean
    if float(centred @ centred) <= ROUNDING * mean * mean * len(values):
        counted = values if outcome.weight is None else values[outcome.weight > 0]
        if (counted == counted[0]).all():
            return np.zeros(len(values))
    return centred


def _squares(outcome: Outcome) -> Columns:
    off = deviations(outcome)
    error = outcome.truth - outcome.answer
    return (error, error), (off, off), off


def _variances(outcome: Outcome) -> Columns:
    off, error = deviations(outcome), _centred(outcome.truth - outcome.answer, outcome)
    return (error, error), (off, off), error, off


def _sizes(outcome: Outcome) -> Columns:
    """Of the errors and of the deviations; the deviations, and how the mean of their sizes grows with the centre."""
    off = deviations(outcome)
    growth = outcome.mean(np.sign(-off))
    return absolute_errors(outcome), np.abs(off), off, np.full(len(off), growth)


def _shares(outcome: Outcome) -> Columns:
    return absolute_errors(outcome), np.abs(outcome.truth)


def _pinballs(quantile: float, outcome: Outcome) -> Columns:
    if outcome.weight is None:
        constant = np.quantile(outcome.truth, quantile, method="averaged_inverted_cdf")
    else:
        constant = weighted_quantile(outcome.truth[:, None], outcome.weight, quantile)[0]
    reference = replace(outcome, answer=constant)
    return (
        sloped_errors(quantile, 1 - quantile, outcome),
        sloped_errors(quantile, 1 - quantile, reference),
    )


def _steps(season: int, outcome: Outcome) -> Columns | None:
    y = outcome.truth
    if len(y) <= season:
        return None
    step = np.zeros(len(y))
    step[season:] = np.abs(y[season:] - y[:-season])
    counted = (np.arange(len(y)) >= season).astype(np.float64)
    return absolute_errors(outcome), step, counted


def _first(m: np.ndarray) -> np.ndarray:
    return m[..., 0]


def _second(m: np.ndarray) -> np.ndarray:
    return m[..., 1]


def _variance_of_truth(m: Floats) -> Floats:
    return m[..., 1] - m[..., 2] ** 2


def _variance_of_errors(m: Floats) -> Floats:
    return m[..., 0] - m[..., 2] ** 2


def _variance_beside_errors(m: Floats) -> Floats:
    return m[..., 1] - m[..., 3] ** 2


def _size_about_mean(m: Floats) -> Floats:
    return m[..., 1] + m[..., 3] * m[..., 2]


def _mean_step(m: Floats) -> Floats:
    return m[..., 1] / m[..., 2]


SQUARED = Relative(_squares, _first, _variance_of_truth, degree=2)
VARIANCE = Relative(_variances, _variance_of_errors, _variance_beside_errors, degree=2)
ABSOLUTE = Relative(_sizes, _first, _size_about_mean)
OF_TOTAL = Relative(_shares, _first, _second)


def _pinball_of(quantile: float) -> Relative:
    return Relative(partial(_pinballs, quantile), _first, _second)


def _naive(season: int) -> Relative:
    return Relative(partial(_steps, season), _first, _mean_step)


def r2_score(
    y_true: Target,
    y_pred: Target,
    *,
    sample_weight: Weights | None = None,
    multioutput: str | ArrayLike = "uniform_average",
    force_finite: bool = True,
) -> Any:
    r"""The coefficient of determination, :math:`R^2 = 1 - \sum_i (y_i-\hat y_i)^2 / \sum_i (y_i-\bar y)^2`.

    1 for exact predictions, 0 for the mean of the true values, below 0 for worse.

    Parameters
    ----------
    y_true, y_pred : (n,) numbers, or (n, k) of several columns
    sample_weight : (n,)
    multioutput : "uniform_average" over columns, "raw_values" for each, "variance_weighted", or (k,) weights
    force_finite : where all true values are equal, 1 for exact predictions and else 0; False leaves NaN and -inf

    Examples
    --------
    >>> from assay.metrics import r2_score
    >>> round(r2_score([3, -0.5, 2, 7], [2.5, 0.0, 2, 8]), 4)
    0.9486
    """
    words = ("raw_values", "uniform_average", "variance_weighted")
    pair = number_pair(y_true, y_pred, "r2_score", sample_weight, multioutput, words)
    return SQUARED.of(pair, "R^2", force_finite)


def explained_variance_score(
    y_true: Target,
    y_pred: Target,
    *,
    sample_weight: Weights | None = None,
    multioutput: str | ArrayLike = "uniform_average",
    force_finite: bool = True,
) -> Any:
    r"""The explained variance, :math:`1 - \operatorname{var}(y-\hat y)/\operatorname{var}(y)`: R2 that forgives a bias.

    Parameters
    ----------
    y_true, y_pred, sample_weight, multioutput, force_finite : as in :func:`r2_score`

    Examples
    --------
    >>> from assay.metrics import explained_variance_score, r2_score
    >>> explained_variance_score([1, 2, 3], [2, 3, 4]), r2_score([1, 2, 3], [2, 3, 4])
    (1.0, -0.5)
    """
    words = ("raw_values", "uniform_average", "variance_weighted")
    pair = number_pair(y_true, y_pred, "explained_variance_score", sample_weight, multioutput, words)
    return VARIANCE.of(pair, "", force_finite)


def adjusted_r2_score(y_true: Target, y_pred: Target, columns: int, *, sample_weight: Any = None) -> float:
    r"""R2 that allows for the number of columns p, :math:`1 - (1-R^2)\frac{n-1}{n-p-1}` (Ezekiel 1930).

    NaN, with a warning, where there are not more rows than columns and one, or all true values are equal.

    Parameters
    ----------
    y_true, y_pred : (n,) numbers
    columns : p, of the table that the predictions were made from
    sample_weight : (n,)

    Examples
    --------
    >>> from assay.metrics import adjusted_r2_score
    >>> round(adjusted_r2_score([1, 2, 3, 4, 5], [1, 2, 3, 4, 6], columns=2), 4)
    0.8
    """
    who = "adjusted_r2_score"
    check_count(who, "columns", columns, low=0)
    outcome = Outcome.of_numbers(y_true, y_pred, weight=sample_weight, columns=int(columns), who=who)
    return _or_warn(ADJUSTED_R2, outcome)


def d2_pinball_score(
    y_true: Target,
    y_pred: Target,
    *,
    sample_weight: Weights | None = None,
    alpha: float = 0.5,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    r"""The explained share of the pinball loss of the quantile :math:`\alpha` of the true values.

    Parameters
    ----------
    y_true, y_pred : (n,) numbers, or (n, k) of several columns
    sample_weight : (n,)
    alpha : from 0 to 1, the quantile
    multioutput : "uniform_average" over columns, "raw_values" for each, or (k,) weights

    Examples
    --------
    >>> from assay.metrics import d2_pinball_score
    >>> d2_pinball_score([1, 2, 3], [1, 2, 4], alpha=0.5)
    0.5
    """
    who = "d2_pinball_score"
    relative = _pinball_of(check_quantile(alpha, "alpha", who))
    return relative.of(number_pair(y_true, y_pred, who, sample_weight, multioutput), "D^2")


def d2_absolute_error_score(
    y_true: Target,
    y_pred: Target,
    *,
    sample_weight: Weights | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    r"""The explained share of the absolute error of the median, :math:`1 - \sum|y_i-\hat y_i| / \sum|y_i-\tilde y|`.

    Parameters
    ----------
    y_true, y_pred, sample_weight, multioutput : as in :func:`d2_pinball_score`

    Examples
    --------
    >>> from assay.metrics import d2_absolute_error_score
    >>> d2_absolute_error_score([1, 2, 3], [1, 2, 4])
    0.5
    """
    pair = number_pair(y_true, y_pred, "d2_absolute_error_score", sample_weight, multioutput)
    return _pinball_of(0.5).of(pair, "D^2")


def relative_squared_error(
    y_true: Target,
    y_pred: Target,
    *,
    sample_weight: Weights | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    r"""Squared error relative to that of the mean of the same rows, :math:`\sum(y_i-\hat y_i)^2/\sum(y_i-\bar y)^2`.

    Near 1 the predictions are no better than the mean, near 0 they explain nearly all; it is 1 - R2. An error where all
    true values are equal.

    Parameters
    ----------
    y_true, y_pred : (n,) numbers, or (n, k) of several columns
    sample_weight : (n,)
    multioutput : "uniform_average" over columns, "raw_values" for each, or (k,) weights

    Examples
    --------
    >>> from assay.metrics import relative_squared_error
    >>> relative_squared_error([1, 2, 3], [1, 2, 4])
    0.5
    """
    pair = number_pair(y_true, y_pred, "relative_squared_error", sample_weight, multioutput)
    return pair.of(partial(_or_error, RSE))


def root_relative_squared_error(
    y_true: Target,
    y_pred: Target,
    *,
    sample_weight: Weights | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    r"""The root of the relative squared error: the RMSE in standard deviations of the true values.

    Parameters
    ----------
    y_true, y_pred, sample_weight, multioutput : as in :func:`relative_squared_error`

    Examples
    --------
    >>> from assay.metrics import root_relative_squared_error
    >>> root_relative_squared_error([0, 0, 4, 4], [1, 1, 5, 5])
    0.5
    """
    pair = number_pair(y_true, y_pred, "root_relative_squared_error", sample_weight, multioutput)
    return pair.of(partial(_or_error, RRSE))


def relative_absolute_error(
    y_true: Target,
    y_pred: Target,
    *,
    sample_weight: Weights | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    r"""Absolute error relative to that of the mean of the same rows, :math:`\sum|y_i-\hat y_i|/\sum|y_i-\bar y|`.

    Parameters
    ----------
    y_true, y_pred, sample_weight, multioutput : as in :func:`relative_squared_error`

    Examples
    --------
    >>> from assay.metrics import relative_absolute_error
    >>> relative_absolute_error([1, 2, 3], [1, 2, 4])
    0.5
    """
    pair = number_pair(y_true, y_pred, "relative_absolute_error", sample_weight, multioutput)
    return pair.of(partial(_or_error, RAE))


def weighted_absolute_percentage_error(
    y_true: Target,
    y_pred: Target,
    *,
    sample_weight: Weights | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    r"""The absolute error as a share of the whole, :math:`\sum|y_i-\hat y_i|/\sum|y_i|` (WAPE).

    Unlike the mean percentage error it stands where some true values are 0, and small values do not rule it.

    Parameters
    ----------
    y_true, y_pred, sample_weight, multioutput : as in :func:`relative_squared_error`

    Examples
    --------
    >>> from assay.metrics import weighted_absolute_percentage_error
    >>> weighted_absolute_percentage_error([0, 2, 6], [1, 2, 7])
    0.25
    """
    pair = number_pair(y_true, y_pred, "weighted_absolute_percentage_error", sample_weight, multioutput)
    return pair.of(partial(_or_error, WAPE))


def mean_absolute_scaled_error(
    y_true: Target,
    y_pred: Target,
    *,
    y_train: Target | None = None,
    season: int = 1,
    sample_weight: Weights | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    r"""The mean absolute error in units of the naive forecast's, which repeats the value of one season ago.

    .. math:: \frac{\frac1n\sum_i|y_i-\hat y_i|}{\frac1{m-s}\sum_{t>s}|y_t-y_{t-s}|}

    Below 1 the predictions are better than the naive forecast (Hyndman and Koehler 2006). Rows are in order of time.

    Parameters
    ----------
    y_true, y_pred : (n,) numbers, or (n, k) of several columns
    y_train : (m,) or (m, k) the values before, of which the naive forecast's error is taken; None takes y_true
    season : s, how many rows ago
    sample_weight : (n,)
    multioutput : as in :func:`relative_squared_error`

    Examples
    --------
    >>> from assay.metrics import mean_absolute_scaled_error
    >>> mean_absolute_scaled_error([4, 6, 5], [5, 5, 5], y_train=[1, 2, 4, 3, 5])
    0.4444444444444444
    """
    who = "mean_absolute_scaled_error"
    check_count(who, "season", season)
    pair = number_pair(y_true, y_pred, who, sample_weight, multioutput)
    if y_train is None:
        return pair.of(partial(_or_error, _mase(int(season))))
    past = number_pair(y_train, y_train, who)
    if len(past.truth) != len(pair.truth) or past.n <= season:
        raise DataError(
            f"y_train has {past.n} rows of {len(past.truth)} columns, expected more than season={season} rows of "
            f"{len(pair.truth)}.",
            who=who,
        )
    scale = np.abs(past.truth[:, season:] - past.truth[:, :-season]).mean(axis=1)
    if not scale.all():
        raise DegenerateError("the naive forecast makes no error on y_train, so there is no unit.", who=who)
    sizes = [outcome.mean(absolute_errors(outcome)) for outcome in pair.outcomes()]
    return pair.put_together(np.array(sizes) / scale)


def correlation_score(
    y_true: Target,
    y_pred: Target,
    *,
    sample_weight: Weights | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    r"""Pearson's correlation of predicted and true values: how well they agree up to a shift and a scale.

    NaN, with a warning, where all true or all predicted values are equal.

    Parameters
    ----------
    y_true, y_pred, sample_weight, multioutput : as in :func:`relative_squared_error`

    Examples
    --------
    >>> from assay.metrics import correlation_score
    >>> round(correlation_score([1, 2, 3, 4], [10, 30, 20, 40]), 4)
    0.8
    """
    pair = number_pair(y_true, y_pred, "correlation_score", sample_weight, multioutput)
    return pair.of(partial(_or_warn, CORRELATION))


def _or_error(measure: Measure, outcome: Outcome) -> float:
    value = measure.of(outcome)
    if np.isnan(value):
        raise DegenerateError(f"{measure.why_undefined(outcome)}.", who=measure.functions[0].__name__)
    return value


def _or_warn(measure: Measure, outcome: Outcome) -> float:
    value = measure.of(outcome)
    if np.isnan(value):
        undefined(f"{measure.functions[0].__name__}: {measure.why_undefined(outcome)}.")
    return value


def _adjusted(outcome: Outcome) -> Columns | None:
    n, p = len(outcome.truth), outcome.columns
    if p is None or n - p - 1 <= 0:
        return None
    return *_squares(outcome), np.full(n, (n - 1) / (n - p - 1))


def _adjusted_score(m: Floats) -> Floats:
    return 1 - (1 - SQUARED.score().function(m)) * m[..., 3]


def _products(outcome: Outcome) -> Columns:
    y, z = deviations(outcome), _centred(outcome.answer, outcome)
    return (y, y), (z, z), (y, z), y, z


def _correlation(m: Floats) -> Floats:
    spread = (m[..., 0] - m[..., 3] ** 2) * (m[..., 1] - m[..., 4] ** 2)
    return (m[..., 2] - m[..., 3] * m[..., 4]) / np.sqrt(np.where(spread == 0, np.nan, spread))


def _no_variance(outcome: Outcome) -> str:
    if len(outcome.truth) < 2:
        return FEW_ROWS
    return (
        "" if deviations(outcome).any() else "all true values are equal, so there is no variance to explain"
    )


def _no_adjustment(outcome: Outcome) -> str:
    if outcome.columns is None:
        return "the number of columns of the table is not known"
    if len(outcome.truth) <= outcome.columns + 1:
        return f"{outcome.columns} columns and a constant need more than {len(outcome.truth)} rows"
    return _no_variance(outcome)


def _no_correlation(outcome: Outcome) -> str:
    constant = len(outcome.truth) > 1 and not _centred(outcome.answer, outcome).any()
    return "all predicted values are equal" if constant else _no_variance(outcome)


def _nothing_at_all(outcome: Outcome) -> str:
    return "all true values are 0, so there is no whole to take a share of"


def _no_naive_error(outcome: Outcome) -> str:
    return "too few rows, or repeating the value before makes no error"


def _mase(season: int = 1) -> Measure:
    return Measure(
        "mase", _naive(season).ratio(), "lower", "mean absolute error over that of repeating the last value", "numbers",
        "regression", bounds=(0.0, np.inf), functions=(mean_absolute_scaled_error,), options=_mase_options,
        reason=_no_naive_error,
    )  # fmt: skip


def _mase_options(season: int = 1) -> OfMeans:
    return _naive(season).ratio()


def _d2_pinball_options(quantile: float = 0.5) -> OfMeans:
    return _pinball_of(check_quantile(quantile, "quantile", "d2 pinball")).score()


R2 = Measure(
    "r2", SQUARED.score(), "higher", "share of the variance that is explained", "numbers", "regression",
    bounds=(-np.inf, 1.0), functions=(r2_score,), aliases=("r squared", "coefficient of determination"),
    reason=_no_variance,
)  # fmt: skip
ADJUSTED_R2 = Measure(
    "adjusted r2", OfMeans(_adjusted, _adjusted_score, degree=0), "higher",
    "r2 that allows for the number of columns", "numbers", "regression",
    bounds=(-np.inf, 1.0), functions=(adjusted_r2_score,), aliases=("adjusted r squared",), reason=_no_adjustment,
)  # fmt: skip
EXPLAINED_VARIANCE = Measure(
    "explained variance", VARIANCE.score(), "higher", "r2 that forgives a bias", "numbers", "regression",
    bounds=(-np.inf, 1.0), functions=(explained_variance_score,), reason=_no_variance,
)  # fmt: skip
D2_ABSOLUTE = Measure(
    "d2 absolute error", _pinball_of(0.5).score(), "higher", "share of the median's absolute error that is explained",
    "numbers", "regression", bounds=(-np.inf, 1.0), functions=(d2_absolute_error_score,), reason=_no_variance,
)  # fmt: skip
D2_PINBALL = Measure(
    "d2 pinball", _pinball_of(0.5).score(), "higher", "share of a constant quantile's pinball loss that is explained",
    "numbers", "regression", bounds=(-np.inf, 1.0), functions=(d2_pinball_score,), options=_d2_pinball_options,
    reason=_no_variance,
)  # fmt: skip
RSE = Measure(
    "relative squared error", SQUARED.ratio(), "lower", "squared error over that of the mean", "numbers", "regression",
    bounds=(0.0, np.inf), functions=(relative_squared_error,), reason=_no_variance,
)  # fmt: skip
RRSE = Measure(
    "root relative squared error", SQUARED.root(), "lower", "rmse over the standard deviation of the target", "numbers",
    "regression", bounds=(0.0, np.inf), functions=(root_relative_squared_error,), reason=_no_variance,
)  # fmt: skip
RAE = Measure(
    "relative absolute error", ABSOLUTE.ratio(), "lower", "absolute error over that of the mean", "numbers",
    "regression", bounds=(0.0, np.inf), functions=(relative_absolute_error,), reason=_no_variance,
)  # fmt: skip
WAPE = Measure(
    "wape", OF_TOTAL.ratio(), "lower", "sum of absolute errors over the sum of the target's sizes", "numbers",
    "regression", bounds=(0.0, np.inf), functions=(weighted_absolute_percentage_error,), reason=_nothing_at_all,
)  # fmt: skip
MASE = _mase()
CORRELATION = Measure(
    "correlation", OfMeans(_products, _correlation, 0), "higher", "of predicted and true values", "numbers",
    "regression", bounds=(-1.0, 1.0), functions=(correlation_score,), aliases=("pearson",), reason=_no_correlation,
)  # fmt: skip
