"""R2 and its relatives: by hand, like scikit-learn, at the ends of the range of numbers, with their intervals."""

import numpy as np
import pytest
import sklearn.metrics as peers
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import pearsonr
from sklearn.exceptions import UndefinedMetricWarning

import assay.metrics as ours
from assay.errors import DataError, DegenerateError, ParameterError
from assay.metrics import (
    Outcome,
    adjusted_r2_score,
    correlation_score,
    mean_absolute_scaled_error,
    measures,
    r2_score,
    relative_absolute_error,
    relative_squared_error,
    root_relative_squared_error,
    weighted_absolute_percentage_error,
    with_interval,
)

RELATIVE = ("r2", "adjusted r2", "explained variance", "d2 absolute error", "relative squared error",
            "root relative squared error", "relative absolute error", "wape", "mase", "correlation")  # fmt: skip


def noisy(n, seed=0, noise=0.5):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n)
    return y, y + noise * rng.normal(size=n)


@pytest.mark.capability("IML-4-16")
def test_six_points_and_their_line():
    """Oracle: IML 2.6 and 4.6, worked by hand: SSE 1.104762 of 50.833333."""
    x, r = np.arange(1.0, 7.0), np.array([3.0, 5.0, 6.0, 8.0, 9.0, 12.0])
    line = 59 / 35 * x + 19 / 15
    assert_allclose(relative_squared_error(r, line), 0.0217330211, atol=5e-11)
    assert_allclose(r2_score(r, line), 0.9782669789, atol=5e-11)
    assert_allclose(root_relative_squared_error(r, line), np.sqrt(0.0217330211), atol=5e-9)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6), columns=st.integers(1, 3), weighted=st.booleans(), alpha=st.floats(0.05, 0.95)
)
def test_same_as_scikit_learn(seed, columns, weighted, alpha):
    rng = np.random.default_rng(seed)
    y, z = rng.normal(size=(2, 13, columns))
    if columns == 3 and not weighted:  # nothing to explain; weighted, the peer divides by what rounding left
        y[:, 2] = 4.0
    w = rng.uniform(0.1, 2, 13) if weighted else None
    many = ("uniform_average", "raw_values", *([np.arange(1.0, columns + 1)] if columns > 1 else []))
    for multioutput in many:
        options = {"sample_weight": w, "multioutput": multioutput}
        for name in ("r2_score", "explained_variance_score", "d2_absolute_error_score"):
            expected = getattr(peers, name)(y, z, **options)
            assert_allclose(getattr(ours, name)(y, z, **options), expected, rtol=1e-10, atol=1e-12)
        expected = peers.d2_pinball_score(y, z, alpha=alpha, **options)
        assert_allclose(ours.d2_pinball_score(y, z, alpha=alpha, **options), expected, rtol=1e-10)
    for name in ("r2_score", "explained_variance_score"):
        options = {"sample_weight": w, "multioutput": "variance_weighted"}
        assert_allclose(
            getattr(ours, name)(y, z, **options), getattr(peers, name)(y, z, **options), rtol=1e-10
        )


def test_columns_of_unlike_size_are_weighted_by_their_variance():
    y, z = (np.column_stack([v, 1e170 * v[::-1]]) for v in noisy(20))
    both = r2_score(y, z, multioutput="raw_values")
    assert_allclose(both[0], r2_score(y[:, 0], z[:, 0]))
    assert_allclose(r2_score(y, z, multioutput="variance_weighted"), both[1])


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_identities(seed):
    rng = np.random.default_rng(seed)
    y, z, w = *noisy(12, seed), rng.uniform(0.1, 2, 12)
    assert_allclose(relative_squared_error(y, z, sample_weight=w), 1 - r2_score(y, z, sample_weight=w))
    assert_allclose(relative_squared_error(y, np.full(12, w @ y / w.sum()), sample_weight=w), 1)
    assert_allclose(relative_absolute_error(y, np.full(12, y.mean())), 1)
    assert_allclose(weighted_absolute_percentage_error(y, z), np.abs(y - z).sum() / np.abs(y).sum())
    assert_allclose(correlation_score(y, z), pearsonr(y, z)[0])
    assert_allclose(correlation_score(y, 3 - 2 * y, sample_weight=w), -1)
    doubled = correlation_score(np.repeat(y, 2), np.repeat(z, 2))
    assert_allclose(correlation_score(y, z, sample_weight=np.full(12, 2)), doubled)
    naive = np.abs(np.diff(y)).mean()
    assert_allclose(mean_absolute_scaled_error(y, z), np.abs(y - z).mean() / naive)
    assert_allclose(mean_absolute_scaled_error(y, z, y_train=y), np.abs(y - z).mean() / naive)
    assert_allclose(mean_absolute_scaled_error(y[1:], y[:-1], y_train=y), 1)
    step = np.abs(y[4:] - y[:-4]).mean()
    assert_allclose(mean_absolute_scaled_error(y, z, season=4), np.abs(y - z).mean() / step)


def test_adjusted_for_columns():
    """Oracle: 1 - (1 - R2)(n - 1)/(n - p - 1) by hand, R2 = 0.9, n = 5, p = 2."""
    y, z = [1, 2, 3, 4, 5], [1, 2, 3, 4, 6]
    assert_allclose(adjusted_r2_score(y, z, 2), 1 - 0.1 * 4 / 2)
    assert adjusted_r2_score(y, z, 0) == r2_score(y, z)
    with pytest.warns(UndefinedMetricWarning, match="4 columns and a constant need more than 5 rows"):
        assert np.isnan(adjusted_r2_score(y, z, 4))
    with pytest.raises(ParameterError, match="columns must be a whole number"):
        adjusted_r2_score(y, z, 1.5)
    assert "number of columns of the table is not known" in with_interval("adjusted r2", y, z).why
    assert with_interval("adjusted r2", y, z, columns=2).value == adjusted_r2_score(y, z, 2)


@pytest.mark.parametrize("unit", [1e-300, 1e-170, 1e150, 1e170, 1e307])
def test_numbers_at_the_ends_of_their_range(unit):
    y, z = noisy(30)
    plain, scaled = (Outcome.of_numbers(y * c, z * c, columns=3) for c in (1, unit))
    for name in RELATIVE:
        one, other = (measures()[name].estimate(outcome) for outcome in (plain, scaled))
        assert_allclose(
            [other.value, other.low, other.high], [one.value, one.low, one.high], rtol=1e-9, err_msg=name
        )


def test_a_large_shift_leaves_r2_as_it_is():
    y, z = noisy(50)
    y, z = np.round(y, 3), np.round(z, 3)
    assert_allclose(r2_score(y + 2.0**30, z + 2.0**30), r2_score(y, z), rtol=1e-7)


def test_of_equal_values_nothing_can_be_explained():
    """0.1 added three times and divided is not 0.1: the deviations must be 0 all the same."""
    outcome = Outcome.of_numbers([0.1] * 3, [1.0, 2.0, 3.0], columns=1)
    for name in (*RELATIVE[:5], "relative absolute error", "correlation"):
        estimate = measures()[name].estimate(outcome)
        assert np.isnan(estimate.value) and "all true values are equal" in estimate.why, name
    assert r2_score([0.1] * 3, [1.0, 2.0, 3.0]) == 0
    assert r2_score([0.1] * 3, [1.0, 2.0, 3.0], force_finite=False) == -np.inf
    with pytest.raises(DegenerateError, match="all true values are equal"):
        relative_squared_error([0.1] * 3, [1.0, 2.0, 3.0])
    with pytest.raises(DegenerateError, match="all true values are 0"):
        weighted_absolute_percentage_error([0, 0], [1, 2])
    with pytest.raises(DegenerateError, match="makes no error"):
        mean_absolute_scaled_error([1, 1, 1], [1, 2, 3])
    with pytest.raises(DegenerateError, match="makes no error on y_train"):
        mean_absolute_scaled_error([1, 2], [1, 2], y_train=[3, 3])
    with pytest.raises(DataError, match="y_train has 2 rows of 1 columns, expected more than season=3"):
        mean_absolute_scaled_error([1, 2, 3, 4], [1, 2, 3, 4], y_train=[3, 3], season=3)
    with pytest.warns(UndefinedMetricWarning, match="all predicted values are equal"):
        assert np.isnan(correlation_score([1, 2], [3, 3]))
    with pytest.warns(UndefinedMetricWarning, match="less than two samples"):
        assert np.isnan(r2_score([1], [1]))


@pytest.mark.parametrize("name", RELATIVE)
def test_the_delta_interval_and_the_bootstrap_agree(name):
    """400 rows, weighted or not: the ends differ by less than a fifth of the width."""
    y, z = noisy(400, seed=7)
    for weight in (None, np.random.default_rng(1).uniform(0.5, 2, 400)):
        outcome = Outcome.of_numbers(y, z, columns=4, weight=weight)
        m = measures()[name]
        formula, drawn = (
            m.of.interval(outcome, ours.forms.IntervalRequest(method=method), m.bounds)
            for method in ("auto", "bca")
        )
        assert formula.method == "delta method" and drawn.method == "BCa bootstrap"
        assert formula.value == drawn.value == m.of(outcome)
        width = drawn.high - drawn.low
        assert_allclose([formula.low, formula.high], [drawn.low, drawn.high], atol=0.2 * width)


def test_fishers_interval_of_a_correlation():
    """Of normal rows the delta method on the scale of z is near Fisher's own, atanh r -+ 1.96 / sqrt(n - 3)."""
    y, z = noisy(2000, seed=11, noise=1)
    estimate = with_interval("correlation", y, z)
    fisher = pearsonr(y, z).confidence_interval(0.95)
    assert_allclose([estimate.low, estimate.high], fisher, atol=0.1 * (fisher.high - fisher.low))


def test_exact_predictions_have_an_interval_without_width():
    estimate = with_interval("r2", np.arange(9.0), np.arange(9.0))
    assert (estimate.value, estimate.low, estimate.high) == (1, 1, 1) and "no variation" in estimate.why


def test_rows_in_groups_are_resampled_together():
    y, z = noisy(60)
    groups = np.repeat(np.arange(12), 5)
    estimate = with_interval("r2", y, z, groups=groups, resamples=300)
    assert (
        estimate.method == "percentile bootstrap of 12 groups"
        and estimate.low < estimate.value < estimate.high
    )
