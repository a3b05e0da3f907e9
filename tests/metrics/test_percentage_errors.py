"""Relative errors: by hand, like scikit-learn, and where they are not defined."""

import numpy as np
import pytest
import sklearn.metrics as peers
from numpy.testing import assert_allclose

from assay.errors import DataError
from assay.metrics import (
    Outcome,
    mean_absolute_percentage_error,
    mean_log_accuracy_ratio,
    measures,
    symmetric_mean_absolute_percentage_error,
    with_interval,
)

RNG = np.random.default_rng(5)
Y, Z = RNG.gamma(3, size=(2, 50))


def test_same_as_scikit_learn():
    for w in (None, RNG.uniform(size=50)):
        expected = peers.mean_absolute_percentage_error(Y, Z, sample_weight=w)
        assert_allclose(mean_absolute_percentage_error(Y, Z, sample_weight=w), expected, rtol=1e-13)
        assert_allclose(with_interval("mape", Y, Z, sample_weight=w).value, expected, rtol=1e-13)
    assert mean_absolute_percentage_error([0.0], [1.0]) == peers.mean_absolute_percentage_error([0.0], [1.0])


def test_no_percentage_of_zero():
    estimate = measures()["mape"].estimate(Outcome.of_numbers([0, 1, 0], [1, 1, 1]))
    assert np.isnan(estimate.value) and estimate.why.startswith("2 true values are 0")


def test_symmetric_errors_by_hand():
    assert symmetric_mean_absolute_percentage_error([1, 0, 0], [3, 0, 5]) == (1 + 0 + 2) / 3
    assert_allclose(symmetric_mean_absolute_percentage_error(Y, Z), np.mean(2 * np.abs(Y - Z) / (Y + Z)))
    for unit in (1e-300, 1e307):
        assert_allclose(symmetric_mean_absolute_percentage_error([1 * unit], [3 * unit]), 1)
        assert_allclose(measures()["mape"].of(Outcome.of_numbers([2 * unit], [-3 * unit])), 2.5)


def test_factors_up_and_down_count_the_same():
    assert_allclose(mean_log_accuracy_ratio(Y, 1.25 * Y), np.log(1.25))
    assert_allclose(mean_log_accuracy_ratio(Y, Y / 1.25), np.log(1.25))
    assert_allclose(mean_log_accuracy_ratio(-Y, -Z), mean_log_accuracy_ratio(Y, Z))
    assert_allclose(mean_log_accuracy_ratio([1e-300], [1e300]), 600 * np.log(10))
    with pytest.raises(DataError, match="same sign and not be 0; 2 of the rows differ"):
        mean_log_accuracy_ratio([1, -1, 0], [1, 1, 1])
    assert "same sign" in with_interval("log accuracy ratio", [1, -1], [1, 1]).why
