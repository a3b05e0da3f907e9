"""What b estimates of one error say together."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.stats.intervals.repeated_estimate import corrected_interval, repeated_estimate

ERRORS = [0.12, 0.15, 0.11, 0.14, 0.13, 0.16, 0.10, 0.12, 0.15, 0.12]


@pytest.mark.capability("DC-111")
def test_mean_variance_and_interval_over_b():
    # Oracle: DC 10.9.1 with the ten error rates of IML 19.8.
    result = repeated_estimate(ERRORS)
    assert_allclose([result.mean, result.variance], [0.13, 0.01943651**2], atol=5e-9)
    assert_allclose([result.low, result.high], [0.11609596, 0.14390404], atol=5e-9)
    assert result.b == 10


@pytest.mark.capability("DC-111")
def test_shared_rows_widen_the_interval():
    low, high = corrected_interval(ERRORS, 1 / 9)
    assert_allclose((high - low) / (0.14390404 - 0.11609596), np.sqrt((1 / 10 + 1 / 9) / (1 / 10)), rtol=1e-6)
    result = repeated_estimate(ERRORS, 1 / 9)
    assert (result.low, result.high) == (low, high)


@pytest.mark.capability("DC-111")
@pytest.mark.parametrize("b", [5, 40])
def test_independent_rounds_cover_the_error(b):
    worlds = 2000
    rounds = np.random.default_rng(b).binomial(200, 0.2, (worlds, b)) / 200
    result = [repeated_estimate(r, alpha=0.1) for r in rounds]
    covered = np.mean([r.low <= 0.2 <= r.high for r in result])
    assert abs(covered - 0.9) < 4 * np.sqrt(0.1 * 0.9 / worlds)  # 0.027


def test_equal_estimates_have_no_interval():
    assert np.isnan(corrected_interval([0.1, 0.1, 0.1], 0.5)).all()
    result = repeated_estimate([0.1, 0.1, 0.1])
    assert np.isnan(result.low) and "no interval" in str(result)
    with pytest.raises(DataError, match="at least 2 estimates"):
        repeated_estimate([0.1])


def test_wrong_ratio_and_alpha_of_an_interval_are_named():
    with pytest.raises(ParameterError, match="corrected_interval: ratio"):
        corrected_interval([1, 3, 2], -1)
    with pytest.raises(ParameterError, match="corrected_interval: alpha"):
        corrected_interval([1, 3, 2], 0.1, 2)
    with pytest.raises(DataError, match="corrected_interval"):
        corrected_interval("abc", 0.1)
    assert np.isnan(corrected_interval([1, np.nan, 2], 0)).all() and np.isnan(corrected_interval([], 0)).all()
