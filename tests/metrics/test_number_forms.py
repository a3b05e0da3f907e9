"""Forms of measures of numbers: intervals hold the true value as often as they say, derivatives, pickling."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import ParameterError
from assay.metrics import OfMeans, Outcome, measure_named, measures, with_interval
from assay.metrics.forms import IntervalRequest, on_open_scale, scaled_back
from assay.stats.distributions.predictive import Normal

NAMES = ("mse", "rmse", "mae", "median absolute error", "r2", "adjusted r2", "explained variance", "d2 absolute error",
         "relative absolute error", "root relative squared error", "wape", "correlation", "pinball 0.9",
         "asymmetric cost", "crps", "log-likelihood", "coverage", "interval width")  # fmt: skip
REPETITIONS = 400


def rows(rng, n):
    """Numbers, their predictions with noise of uneven size, and distributions that are right but for a shift."""
    y, sd = rng.normal(10, 3, n), rng.uniform(0.5, 2, n)
    z = y - sd * rng.normal(size=n) + 0.2
    return Outcome.of_numbers(y, z, columns=0, distribution=Normal(z, sd))


@pytest.fixture(scope="module")
def true_values():
    whole = rows(np.random.default_rng(1), 400_000)
    return {name: measure_named(name).of(whole) for name in NAMES}


@pytest.fixture(scope="module")
def intervals():
    """(repetitions, measures, 2) intervals of 80 rows."""
    rng = np.random.default_rng(2)
    records = [measure_named(name) for name in NAMES]
    drawn = []
    for _ in range(REPETITIONS):
        outcome = rows(rng, 80)
        estimates = [m.of.interval(outcome, IntervalRequest(), m.bounds) for m in records]
        drawn.append([(e.low, e.high) for e in estimates])
    return np.array(drawn)


@pytest.mark.parametrize("name", NAMES)
def test_intervals_hold_the_true_value_as_often_as_they_say(name, true_values, intervals):
    """0.95 of 400: a right interval is below 0.915 once in 1000 measures; skewed losses of 80 rows lose some."""
    low, high = intervals[:, NAMES.index(name)].T
    share = np.mean((low <= true_values[name]) & (true_values[name] <= high))
    assert share >= 0.915, share
    assert share <= 0.995


def test_scores_that_rare_rows_rule_need_more_rows():
    """The interval score of 80 rows lies mostly in the 8 outside: 0.88 of its intervals hold it; of 500 rows enough."""
    m, rng = measures()["interval score"], np.random.default_rng(4)
    true_value = m.of(rows(np.random.default_rng(1), 400_000))
    drawn = [m.of.interval(rows(rng, 500), IntervalRequest(), m.bounds) for _ in range(REPETITIONS)]
    assert 0.915 <= np.mean([e.low <= true_value <= e.high for e in drawn]) <= 0.995


def test_every_measure_of_numbers_has_an_interval_around_its_value():
    rng = np.random.default_rng(0)
    y = rng.gamma(3, size=60)
    z = y * np.exp(0.3 * rng.normal(size=60))
    for weight in (None, rng.uniform(0.5, 2, 60)):
        outcome = Outcome.of_numbers(y, z, weight=weight, columns=3, distribution=Normal(z, 0.3))
        for name, m in measures("regression").items():
            assert m.needs in ("numbers", "quantiles", "distribution"), name
            estimate = m.estimate(outcome, resamples=100)
            assert_allclose(estimate.value, m.of(outcome), err_msg=name)
            assert m.bounds[0] <= estimate.value <= m.bounds[1]
            if name != "max error":
                assert m.bounds[0] <= estimate.low <= estimate.value <= estimate.high <= m.bounds[1], name
                drawn = m.of.interval(outcome, IntervalRequest(method="percentile", resamples=100), m.bounds)
                assert drawn.low <= drawn.high and "bootstrap" in drawn.method


@pytest.mark.parametrize("name", [n for n in measures("regression") if n != "mase"])
def test_weights_are_copies_and_the_order_of_rows_is_free(name):
    rng = np.random.default_rng(3)
    y = rng.gamma(3, size=30)
    z = y * np.exp(0.3 * rng.normal(size=30))
    times = rng.integers(1, 4, 30)
    m = measures()[name]
    whole = Outcome.of_numbers(y, z, columns=0, distribution=Normal(z, 0.3))
    weighted = Outcome.of_numbers(y, z, columns=0, distribution=Normal(z, 0.3), weight=times)
    copies = whole.take(np.repeat(np.arange(30), times))
    if name != "adjusted r2":  # which counts rows
        assert_allclose(m.of(weighted), m.of(copies), rtol=1e-9)
    assert_allclose(m.of(whole.take(rng.permutation(30))), m.of(whole), rtol=1e-9)


def test_every_measure_of_numbers_can_be_pickled():
    for name, m in measures("regression").items():
        outcome = Outcome.of_numbers(
            [1.0, 2.0, 4.0], [1.5, 2.0, 3.0], columns=1, distribution=Normal([1.5, 2, 3], 1.0)
        )
        assert_allclose(pickle.loads(pickle.dumps(m)).of(outcome), m.of(outcome), err_msg=name)


def test_derivatives_are_exact():
    """g = m0 / sqrt(m1): derivatives 1 / sqrt(m1) and -m0 / (2 m1^1.5)."""
    form = OfMeans(lambda outcome: None, lambda m: m[..., 0] / np.sqrt(m[..., 1]))
    assert_allclose(form._gradient(np.array([3.0, 4.0])), [0.5, -3 / 16], rtol=1e-14)


def test_the_delta_method_by_hand():
    """A ratio of means: influence (a - r b) / mean b, the interval on the scale of the logarithm."""
    y, z = np.array([2.0, 4.0, 6.0, 8.0]), np.array([3.0, 4.0, 5.0, 10.0])
    a = np.abs(y - z)
    ratio = a.sum() / y.sum()
    influence = (a - ratio * y) / y.mean()
    half = 3.182446305284263 * influence.std(ddof=1) / 2 / ratio
    estimate = with_interval("wape", y, z)
    assert_allclose([estimate.low, estimate.high], [ratio * np.exp(-half), ratio * np.exp(half)], rtol=1e-9)


def test_scales_without_bounds():
    """One bound: the logarithm of the distance; two: the log odds; none: as it is."""
    t = 2.2281388519649385  # of 10 degrees of freedom
    assert_allclose(on_open_scale(2.0, 0.5, 10, 0.05, (-np.inf, np.inf)), [2 - t / 2, 2 + t / 2])
    assert_allclose(on_open_scale(2.0, 0.5, 10, 0.05, (0, np.inf)), [2 * np.exp(-t / 4), 2 * np.exp(t / 4)])
    assert_allclose(on_open_scale(0.5, 0.1, 10, 0.05, (-np.inf, 1)), 1 - 0.5 * np.exp([t / 5, -t / 5]))
    z = np.arctanh(0.5) + np.array([-1, 1]) * t * 0.1 / 0.75
    assert_allclose(on_open_scale(0.5, 0.1, 10, 0.05, (-1, 1)), np.tanh(z))
    assert on_open_scale(1.0, 0.0, 10, 0.05, (-np.inf, 1)) == (1.0, 1.0)


def test_units_are_put_back_in_steps_that_do_not_overflow():
    assert scaled_back(2.0**-500, 2.0**1000, 1.5) == 2.0**1000
    assert scaled_back(0.25, 2.0**4, 0.5) == 1.0
    assert scaled_back(3.0, 2.0**-1000, 0) == 3.0
    assert_allclose(scaled_back(np.array([1.0, 2.0]), 4.0, 2), [16.0, 32.0])


def test_a_ratio_has_no_interval_by_a_method_that_it_lacks():
    with pytest.raises(ParameterError, match="rows in groups have no analytic interval"):
        with_interval("r2", [1, 2, 3], [1, 2, 4], method="analytic", groups=[0, 0, 1])
