"""Absolute errors: by hand, like scikit-learn, with their intervals."""

import numpy as np
import pytest
import sklearn.metrics as peers
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import binom

import assay.metrics as ours
from assay.errors import DataError, ParameterError
from assay.metrics import (
    Outcome,
    asymmetric_cost,
    max_error,
    mean_absolute_error,
    mean_error,
    mean_pinball_loss,
    measure_named,
    measures,
    median_absolute_error,
    with_interval,
)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), columns=st.integers(1, 3), weighted=st.booleans(), alpha=st.floats(0, 1))
def test_same_as_scikit_learn(seed, columns, weighted, alpha):
    rng = np.random.default_rng(seed)
    y, z = rng.normal(size=(2, 16, columns)).round(1)
    w = rng.integers(0, 3, 16).astype(float) if weighted else None
    if weighted and not w.any():
        w[0] = 1
    for multioutput in ("uniform_average", "raw_values"):
        options = {"sample_weight": w, "multioutput": multioutput}
        for name, more in (
            ("mean_absolute_error", {}),
            ("median_absolute_error", {}),
            ("mean_pinball_loss", {"alpha": alpha}),
        ):
            expected = getattr(peers, name)(y, z, **options, **more)
            assert_allclose(getattr(ours, name)(y, z, **options, **more), expected, rtol=1e-12, atol=1e-15)
    assert max_error(y[:, 0], z[:, 0]) == peers.max_error(y[:, 0], z[:, 0])


def test_the_largest_error_says_what_it_is_worth():
    estimate = with_interval("max error", np.zeros(100), np.arange(100.0))
    assert estimate.value == 99 and np.isnan(estimate.high)
    assert "97.05% or more have no larger one" in estimate.why  # 0.05 ** (1 / 100)
    with pytest.raises(DataError, match="Multioutput not supported in max_error"):
        max_error(np.eye(2), np.eye(2))


def test_costs_of_a_unit_are_a_scaled_pinball_loss():
    rng = np.random.default_rng(0)
    y, z = rng.normal(size=(2, 30))
    assert_allclose(asymmetric_cost(y, z, under=3, over=1), 4 * mean_pinball_loss(y, z, alpha=0.75))
    assert_allclose(asymmetric_cost(y, z), mean_absolute_error(y, z))
    assert_allclose(
        with_interval("asymmetric cost", y, z, under=3, over=1).value, asymmetric_cost(y, z, under=3)
    )
    for wrong in ({"under": -1}, {"over": np.inf}, {"under": "much"}):
        with pytest.raises(ParameterError, match="cost of a unit"):
            asymmetric_cost(y, z, **wrong)


def test_a_quantile_is_named_by_its_number():
    assert measure_named("pinball 0.9").name == measure_named("pinball at 0.9").name == "pinball 0.9"
    y, z = np.random.default_rng(0).normal(size=(2, 20))
    outcome = Outcome.of_numbers(y, z)
    assert_allclose(measure_named("pinball 0.9").of(outcome), mean_pinball_loss(y, z, alpha=0.9))
    assert_allclose(with_interval("pinball", y, z, quantile=0.9).value, mean_pinball_loss(y, z, alpha=0.9))
    for wrong in ("pinball 1.5", "pinball much"):
        with pytest.raises(ParameterError, match="there is no metric"):
            measure_named(wrong)
    with pytest.raises(ParameterError, match="alpha must be a number from 0 to 1, got 2"):
        mean_pinball_loss(y, z, alpha=2)


def test_bias_is_the_size_of_the_mean_error():
    y, z = np.array([1.0, 2, 3, 4]), np.array([0.0, 1, 3, 3])
    assert mean_error(y, z) == -0.75 and measures()["bias"].of(Outcome.of_numbers(y, z)) == 0.75
    certain = with_interval("bias", np.zeros(50), np.r_[np.full(25, 0.9), np.full(25, 1.1)])
    assert_allclose(certain.value, 1) and 0.9 < certain.low < 1 < certain.high < 1.1
    open_ = with_interval("bias", np.zeros(50), np.r_[np.full(25, -1.0), np.full(25, 1.1)])
    assert open_.low == 0 < open_.value < open_.high


def test_a_signed_error_has_an_interval_and_ranks_nobody():
    y, z = np.zeros(40), np.r_[np.full(20, -1.5), np.full(20, -0.5)]
    for measure in ("mean error", mean_error):
        estimate = with_interval(measure, y, z)
        assert estimate.method == "t" and estimate.low < -1 < estimate.high < 0
    assert "mean error" not in measures() and measures(ranked=False)["mean error"].sign == 0
    with pytest.raises(ParameterError, match="there is no metric 'mean error'"):
        measure_named("mean error")


@pytest.mark.parametrize("n", [6, 7, 20, 101])
def test_the_median_lies_between_two_order_statistics(n):
    """The ranks are the innermost ones with at least 95 %, by the binomial distribution itself."""
    errors = np.random.default_rng(n).permutation(n).astype(float)
    estimate = with_interval("median absolute error", np.zeros(n), errors)
    k = max(k for k in range(1, n // 2 + 1) if binom.cdf(k - 1, n, 0.5) <= 0.025)
    assert (estimate.low, estimate.high, estimate.value) == (k - 1, n - k, (n - 1) / 2)
    assert estimate.method == "order statistics"
    alike = with_interval("median absolute error", np.zeros(n), errors, sample_weight=np.full(n, 2.0))
    assert (alike.low, alike.high) == (estimate.low, estimate.high)


def test_five_rows_have_no_interval_of_the_median():
    estimate = with_interval("medae", np.zeros(5), np.arange(5.0))
    assert estimate.value == 2 and np.isnan(estimate.low) and "needs 6 rows" in estimate.why
    drawn = with_interval("medae", np.zeros(30), np.arange(30.0), method="percentile", resamples=200)
    assert 5 < drawn.low < drawn.value < drawn.high < 25
    assert median_absolute_error([0, 0], [1e308, -1.5e308]) > 1e308
