"""Scores of predictive distributions and prediction intervals: closed forms, integrals, identities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from scipy.integrate import quad

from assay.errors import DataError, ParameterError
from assay.metrics import (
    Outcome,
    interval_coverage,
    mean_absolute_error,
    mean_crps,
    mean_interval_score,
    mean_interval_width,
    mean_log_likelihood,
    mean_pinball_loss,
    mean_quantile_loss,
    measures,
    with_interval,
)
from assay.stats.distributions.predictive import Empirical, Normal, Poisson
from assay.stats.intervals.proportion_interval import wilson_interval

RNG = np.random.default_rng(2)
MEAN, SD = RNG.normal(size=40), RNG.uniform(0.5, 2, 40)
Y = MEAN + SD * RNG.normal(size=40)
DISTRIBUTION = Normal(MEAN, SD)


def test_log_likelihood_of_normal_and_of_counts():
    w = RNG.uniform(size=40)
    logs = stats.norm(MEAN, SD).logpdf(Y)
    assert_allclose(mean_log_likelihood(Y, DISTRIBUTION), logs.mean())
    assert_allclose(mean_log_likelihood(Y, DISTRIBUTION, sample_weight=w), np.average(logs, weights=w))
    counts = mean_log_likelihood([0, 3], Poisson([1.0, 2.0]))
    assert_allclose(counts, stats.poisson([1, 2]).logpmf([0, 3]).mean())


def test_an_impossible_row_costs_everything_and_says_so():
    certain = Normal([0.0, 0.0, 0.0], [1.0, 1.0, 0.0])
    assert mean_log_likelihood([0.0, 0.0, 1.0], certain) == -np.inf
    estimate = with_interval("log-likelihood", [0.0, 0.0, 1.0], certain)
    assert estimate.value == -np.inf and estimate.why == "the value of 1 of the rows is infinite"


@pytest.mark.parametrize(("y", "mean", "sd"), [(0.3, 0.0, 1.0), (-2.0, 1.0, 0.5)])
def test_crps_is_the_integral_of_its_definition(y, mean, sd):
    F = stats.norm(mean, sd).cdf
    below, above = quad(lambda t: F(t) ** 2, -12, y)[0], quad(lambda t: (1 - F(t)) ** 2, y, 12)[0]
    assert_allclose(mean_crps([y], Normal([mean], [sd])), below + above, rtol=1e-7)


def test_crps_without_spread_is_the_absolute_error():
    assert_allclose(mean_crps(Y, Normal(MEAN, 0.0)), mean_absolute_error(Y, MEAN))
    assert_allclose(mean_crps(Y, MEAN[:, None]), mean_absolute_error(Y, MEAN))


def test_crps_of_a_sample_by_its_definition():
    """E|X - y| - E|X - X'| / 2, over all pairs."""
    sample = RNG.normal(size=(40, 7))
    pairs = np.abs(sample[:, :, None] - sample[:, None]).mean(axis=(1, 2))
    expected = np.abs(sample - Y[:, None]).mean(axis=1) - pairs / 2
    assert_allclose(mean_crps(Y, sample), expected.mean())
    assert_allclose(mean_crps(Y, Empirical(sample)), expected.mean())


def test_many_quantiles_give_half_the_crps():
    levels = (np.arange(2000) + 0.5) / 2000
    assert_allclose(2 * mean_quantile_loss(Y, DISTRIBUTION, levels), mean_crps(Y, DISTRIBUTION), rtol=1e-4)
    Q = DISTRIBUTION.quantile([0.1, 0.7])
    by_level = [mean_pinball_loss(Y, Q[:, j], alpha=p) for j, p in enumerate((0.1, 0.7))]
    assert_allclose(mean_quantile_loss(Y, Q, [0.1, 0.7]), np.mean(by_level))
    assert_allclose(
        with_interval("quantile loss", Y, DISTRIBUTION, levels=[0.1, 0.7]).value, np.mean(by_level)
    )
    with pytest.raises(DataError, match=r"need quantiles of shape \(40, 3\), got \(40, 2\)"):
        mean_quantile_loss(Y, Q, [0.1, 0.5, 0.9])
    with pytest.raises(ParameterError, match="a level must be a number from 0 to 1"):
        mean_quantile_loss(Y, Q, [0.1, 7])


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), coverage=st.floats(0.05, 0.95))
def test_the_interval_score_is_the_pinball_loss_of_both_ends(seed, coverage):
    rng = np.random.default_rng(seed)
    y, low = rng.normal(size=(2, 15))
    high = low + rng.gamma(2, size=15)
    tail = (1 - coverage) / 2
    ends = mean_pinball_loss(y, low, alpha=tail), mean_pinball_loss(y, high, alpha=1 - tail)
    score = mean_interval_score(y, low, high, coverage=coverage)
    assert_allclose(score, sum(ends) / tail, rtol=1e-9)
    outcome = Outcome.of_numbers(y, None, lower=low, upper=high, coverage=coverage)
    assert_allclose(measures()["quantile loss"].of(outcome), np.mean(ends), rtol=1e-9)


def test_coverage_and_width_with_their_intervals():
    low, high = DISTRIBUTION.interval(0.5)
    inside = (low <= Y) & (high >= Y)
    ends = np.column_stack([low, high])
    assert interval_coverage(Y, low, high) == inside.mean()
    assert_allclose(mean_interval_width(low, high), np.mean(high - low))
    estimate = with_interval("coverage", Y, ends)
    assert estimate.method == "Wilson"
    assert_allclose([estimate.low, estimate.high], wilson_interval(inside.mean(), 40, 0.05))
    assert with_interval("coverage", Y, DISTRIBUTION, coverage=0.5).value == inside.mean()
    assert with_interval("interval width", Y, ends).method == "t"
    off = with_interval("coverage error", Y, ends, coverage=0.5)
    assert_allclose(off.value, abs(inside.mean() - 0.5))
    assert off.low == 0 and off.high > off.value
    far = with_interval("coverage error", Y, np.column_stack([Y - 1, Y + 1]), coverage=0.5)
    assert_allclose([far.value, far.low], [0.5, wilson_interval(1.0, 40, 0.05)[0] - 0.5])


def test_ends_count_as_inside_and_may_be_infinite():
    assert interval_coverage([1, 2], [1, -np.inf], [1, 2]) == 1
    assert mean_interval_width([0, -np.inf], [1, 2]) == np.inf


def test_what_is_missing_is_said():
    plain = Outcome.of_numbers(Y, MEAN)
    for name in ("crps", "log-likelihood", "coverage", "interval score", "interval width", "coverage error"):
        estimate = measures()[name].estimate(plain)
        assert np.isnan(
            estimate.value
        ) and "the learner gives no prediction interval" in estimate.why.replace(
            "predictive distribution", "prediction interval"
        )
    ends = np.column_stack([MEAN - 1, MEAN + 1])
    assert "nominal coverage of the intervals is not known" in with_interval("interval score", Y, ends).why
    with pytest.raises(ParameterError, match="crps is of predictive distributions"):
        with_interval("crps", Y, MEAN)
    with pytest.raises(ParameterError, match="as predict_distribution gives it, got ndarray"):
        mean_log_likelihood(Y, MEAN)
    with pytest.raises(DataError, match="3 true values and distributions of 40 rows"):
        mean_crps(Y[:3], DISTRIBUTION)
    with pytest.raises(DataError, match="two columns; got 3"):
        with_interval("coverage", Y, np.zeros((40, 3)))
    with pytest.raises(ParameterError, match="coverage must be a number above 0 and below 1, got 90"):
        mean_interval_score(Y, MEAN, MEAN, coverage=90)


def test_a_right_distribution_scores_better_than_a_wrong_one():
    """Proper scores: over many rows, the true spread beats one twice or half as wide."""
    rng = np.random.default_rng(0)
    y = rng.normal(size=20_000)
    for name in ("crps", "log-likelihood", "interval score", "quantile loss"):
        m = measures()[name]
        right, wide, narrow = (
            m.sign * m.of(Outcome.of_numbers(y, None, distribution=Normal(np.zeros(len(y)), s)))
            for s in (1, 2, 0.5)
        )
        assert right < min(wide, narrow), name
