"""Scores of predictive distributions and of prediction intervals of numbers."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.targets import check_weights
from assay.errors import DataError, ParameterError
from assay.metrics._inputs import numbers
from assay.metrics.absolute_errors import check_quantile, sloped_errors
from assay.metrics.forms import Form, OfRows
from assay.metrics.measure import Measure
from assay.metrics.number_forms import OfDistance
from assay.metrics.outcome import Outcome
from assay.stats.distributions.predictive.predictive import check_coverage
from assay.types import Floats, Target, Weights

__all__ = [
    "interval_coverage",
    "mean_crps",
    "mean_interval_score",
    "mean_interval_width",
    "mean_log_likelihood",
    "mean_quantile_loss",
]

DEFAULT_COVERAGE = 0.9  # of intervals that are taken from a distribution, if none is named


def mean_log_likelihood(y_true: Target, distribution: Any, *, sample_weight: Weights | None = None) -> float:
    r"""The mean log density that was predicted for what came, :math:`\frac1n\sum_i\ln f_i(y_i)`.

    Of counts it is the log probability. Minus infinity if a row was held impossible; of the proper scores it punishes
    overconfidence most.

    Parameters
    ----------
    y_true : (n,) numbers
    distribution : predictive distribution of the n rows, as ``predict_distribution`` gives it
    sample_weight : (n,)

    Examples
    --------
    >>> from assay.metrics import mean_log_likelihood
    >>> from assay.stats.distributions.predictive import Normal
    >>> round(mean_log_likelihood([0.0, 1.0], Normal([0.0, 0.0], 1.0)), 4)
    -1.1689
    """
    return LOG_LIKELIHOOD.of(_of_distribution(y_true, distribution, sample_weight, "mean_log_likelihood"))


def mean_crps(y_true: Target, distribution: Any, *, sample_weight: Weights | None = None) -> float:
    r"""The mean continuous ranked probability score, :math:`\frac1n\sum_i\int (F_i(t) - [y_i \le t])^2\,dt`.

    It is in the units of the target: for distributions without spread it is the mean absolute error, so that
    distributions and plain predictions can be compared (Gneiting and Raftery 2007).

    Parameters
    ----------
    y_true : (n,) numbers
    distribution : predictive distribution of the n rows, or (n, m) a sample of m numbers for each row
    sample_weight : (n,)

    Examples
    --------
    >>> from assay.metrics import mean_crps
    >>> from assay.stats.distributions.predictive import Normal
    >>> round(mean_crps([0.0, 1.0], Normal([0.0, 0.0], 1.0)), 4)
    0.4181
    >>> mean_crps([2.0, 5.0], [[1.0, 3.0], [5.0, 5.0]])
    0.25
    """
    if not hasattr(distribution, "crps"):
        from assay.stats.distributions.predictive import Empirical

        distribution = Empirical(numbers(distribution, "mean_crps", "the sample", (2,)))
    return CRPS.of(_of_distribution(y_true, distribution, sample_weight, "mean_crps"))


def interval_coverage(
    y_true: Target, lower: ArrayLike, upper: ArrayLike, *, sample_weight: Weights | None = None
) -> float:
    """The share of rows whose number lies in its prediction interval, ends included.

    Parameters
    ----------
    y_true : (n,) numbers
    lower, upper : (n,) ends of the intervals; an end may be infinite
    sample_weight : (n,)

    Examples
    --------
    >>> from assay.metrics import interval_coverage
    >>> interval_coverage([1, 2, 3, 4], lower=[0, 0, 0, 0], upper=[2, 2, 2, 2])
    0.5
    """
    return COVERAGE.of(_of_interval(y_true, lower, upper, None, sample_weight, "interval_coverage"))


def mean_interval_width(lower: ArrayLike, upper: ArrayLike, *, sample_weight: Weights | None = None) -> float:
    """The mean width of prediction intervals, in units of the target.

    Parameters
    ----------
    lower, upper : (n,) ends of the intervals
    sample_weight : (n,)

    Examples
    --------
    >>> from assay.metrics import mean_interval_width
    >>> mean_interval_width([0, 1], [2, 2])
    1.5
    """
    anywhere = np.zeros(len(numbers(lower, "mean_interval_width", "lower", finite=False)))
    return WIDTH.of(_of_interval(anywhere, lower, upper, None, sample_weight, "mean_interval_width"))


def mean_interval_score(
    y_true: Target,
    lower: ArrayLike,
    upper: ArrayLike,
    *,
    coverage: float,
    sample_weight: Weights | None = None,
) -> float:
    r"""The width of prediction intervals and a penalty for what they miss, :math:`\alpha = 1 - \text{coverage}`.

    .. math:: \frac1n\sum_i (u_i-l_i) + \frac2\alpha (l_i-y_i)_+ + \frac2\alpha (y_i-u_i)_+

    It is proper: the quantiles :math:`\alpha/2` and :math:`1-\alpha/2` minimise its expectation (Winkler 1972; Gneiting
    and Raftery 2007). The lower the better.

    Parameters
    ----------
    y_true : (n,) numbers
    lower, upper : (n,) ends of the intervals
    coverage : the share of rows that the intervals should hold
    sample_weight : (n,)

    Examples
    --------
    >>> from assay.metrics import mean_interval_score
    >>> round(mean_interval_score([1, 5], lower=[0, 0], upper=[2, 4], coverage=0.9), 6)
    13.0
    """
    who = "mean_interval_score"
    coverage = check_coverage(coverage, who)
    return INTERVAL_SCORE.of(_of_interval(y_true, lower, upper, coverage, sample_weight, who))


def mean_quantile_loss(
    y_true: Any, quantiles: ArrayLike, levels: ArrayLike | None, *, sample_weight: Weights | None = None
) -> float:
    r"""The mean pinball loss of several predicted quantiles, over rows and levels.

    Over many equidistant levels, twice of it is nearly the CRPS.

    Parameters
    ----------
    y_true : (n,) numbers
    quantiles : (n, P) predicted quantiles, or a predictive distribution
    levels : (P,) between 0 and 1
    sample_weight : (n,)

    Examples
    --------
    >>> from assay.metrics import mean_quantile_loss
    >>> mean_quantile_loss([1.0, 5.0], [[0.0, 2.0], [0.0, 4.0]], [0.25, 0.75])
    0.625
    """
    who = "mean_quantile_loss"
    q = [check_quantile(level, "a level", who) for level in np.atleast_1d(np.asarray(levels)).tolist()]
    y = numbers(y_true, who, "the truth")
    Q = quantiles.quantile(q) if hasattr(quantiles, "quantile") and hasattr(quantiles, "cdf") else quantiles
    Q = numbers(Q, who, "the quantiles", (2,))
    if Q.shape != (len(y), len(q)):
        raise DataError(
            f"{len(y)} true values and {len(q)} levels need quantiles of shape {(len(y), len(q))}, got {Q.shape}.",
            who=who,
        )
    w = check_weights(sample_weight, len(y), who, squared=True)
    losses = [
        Outcome(y, column, None, 0, weight=w).mean(sloped_errors(p, 1 - p, Outcome(y, column, None, 0)))
        for p, column in zip(q, Q.T)
    ]
    return float(np.mean(losses))


def _of_distribution(y_true: Any, distribution: Any, sample_weight: Any, who: str) -> Outcome:
    if not hasattr(distribution, "cdf"):
        raise ParameterError(
            f"distribution must be a predictive distribution, as predict_distribution gives it, got "
            f"{type(distribution).__name__}.",
            who=who,
        )
    y = numbers(y_true, who, "the truth")
    if len(distribution.mean) != len(y):
        raise DataError(f"{len(y)} true values and distributions of {len(distribution.mean)} rows.", who=who)
    w = check_weights(sample_weight, len(y), who, squared=True)
    return Outcome(y, y, None, 0, weight=w, distribution=distribution)


def _of_interval(
    y_true: Any, lower: Any, upper: Any, coverage: float | None, sample_weight: Any, who: str
) -> Outcome:
    return Outcome.of_numbers(
        y_true, None, lower=lower, upper=upper, coverage=coverage, weight=sample_weight, who=who
    )


def interval_of(outcome: Outcome) -> tuple[np.ndarray, np.ndarray] | None:
    """(n,) lower and (n,) upper ends, given or of the distribution; None without either."""
    if outcome.lower is not None and outcome.upper is not None:
        return outcome.lower, outcome.upper
    if outcome.distribution is None:
        return None
    ends: tuple[np.ndarray, np.ndarray] = outcome.distribution.interval(nominal_coverage(outcome))
    return ends


def nominal_coverage(outcome: Outcome) -> float:
    """What share of rows the intervals should hold; NaN if nobody said."""
    if outcome.coverage is not None:
        return outcome.coverage
    return float("nan") if outcome.lower is not None else DEFAULT_COVERAGE


def _log_densities(outcome: Outcome) -> np.ndarray | None:
    return None if outcome.distribution is None else outcome.distribution.logpdf(outcome.truth)


def _ranked_scores(outcome: Outcome) -> np.ndarray | None:
    return None if outcome.distribution is None else outcome.distribution.crps(outcome.truth)


def _inside(outcome: Outcome) -> np.ndarray | None:
    ends = interval_of(outcome)
    return None if ends is None else (ends[0] <= outcome.truth) & (outcome.truth <= ends[1])


def _widths(outcome: Outcome) -> np.ndarray | None:
    ends = interval_of(outcome)
    return None if ends is None else ends[1] - ends[0]


def _interval_scores(outcome: Outcome) -> np.ndarray | None:
    ends, alpha = interval_of(outcome), 1 - nominal_coverage(outcome)
    if ends is None or np.isnan(alpha):
        return None
    low, high = ends
    scores: Floats = (high - low) + 2 / alpha * (
        np.maximum(low - outcome.truth, 0) + np.maximum(outcome.truth - high, 0)
    )
    return scores


def _losses_of_ends(outcome: Outcome) -> np.ndarray | None:
    """The pinball loss of both ends as quantiles: alpha / 4 times the interval score."""
    scores = _interval_scores(outcome)
    return None if scores is None else (1 - nominal_coverage(outcome)) / 4 * scores


def _losses_of_levels(levels: tuple[float, ...], outcome: Outcome) -> np.ndarray | None:
    if outcome.distribution is None:
        return None
    Q = outcome.distribution.quantile(list(levels))
    off = outcome.truth[:, None] - Q
    p = np.asarray(levels)
    losses: Floats = np.maximum(p * off, (p - 1) * off).mean(axis=1)
    return losses


def _quantile_loss(levels: Any = None) -> Form:
    if levels is None:
        return OfRows(_losses_of_ends, positive=True)
    checked = tuple(check_quantile(v, "a level", "quantile loss") for v in np.atleast_1d(levels).tolist())
    return OfRows(partial(_losses_of_levels, checked), positive=True)


def _no_distribution(outcome: Outcome) -> str:
    return "" if outcome.distribution is not None else "the learner gives no predictive distribution"


def _no_interval(outcome: Outcome) -> str:
    if outcome.lower is None and outcome.distribution is None:
        return "the learner gives no prediction interval"
    return "the nominal coverage of the intervals is not known" if np.isnan(nominal_coverage(outcome)) else ""


LOG_LIKELIHOOD = Measure(
    "log-likelihood", OfRows(_log_densities), "higher", "mean log density predicted for the true value", "distribution",
    "regression", functions=(mean_log_likelihood,), aliases=("log density",), reason=_no_distribution,
)  # fmt: skip
CRPS = Measure(
    "crps", OfRows(_ranked_scores, positive=True), "lower",
    "continuous ranked probability score: the absolute error of distributions",
    "distribution", "regression", bounds=(0.0, np.inf), functions=(mean_crps,), reason=_no_distribution,
)  # fmt: skip
COVERAGE = Measure(
    "coverage", OfRows(_inside, share=True), "higher", "share of rows inside their prediction interval", "quantiles",
    "regression", bounds=(0.0, 1.0), functions=(interval_coverage,), reason=_no_interval,
)  # fmt: skip
COVERAGE_ERROR = Measure(
    "coverage error", OfDistance(COVERAGE.of, nominal_coverage), "lower",
    "how far the coverage is from the nominal one", "quantiles", "regression", bounds=(0.0, 1.0), reason=_no_interval,
)  # fmt: skip
WIDTH = Measure(
    "interval width", OfRows(_widths), "lower", "mean width of the prediction intervals", "quantiles",
    "regression", bounds=(0.0, np.inf), functions=(mean_interval_width,), reason=_no_interval,
)  # fmt: skip
INTERVAL_SCORE = Measure(
    "interval score", OfRows(_interval_scores, positive=True), "lower",
    "width, and a penalty for rows outside (Winkler)", "quantiles",
    "regression", bounds=(0.0, np.inf), functions=(mean_interval_score,), aliases=("winkler score", "winkler"),
    reason=_no_interval,
)  # fmt: skip
QUANTILE_LOSS = Measure(
    "quantile loss", _quantile_loss(), "lower", "pinball loss of the ends of the interval, or of levels=", "quantiles",
    "regression", bounds=(0.0, np.inf), aliases=("mean quantile loss",), options=_quantile_loss, reason=_no_interval,
)  # fmt: skip
