"""The stability index of Nogueira, Sechidis and Brown: worked values, its interval, chance."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError
from assay.select import stability_index


def test_a_value_worked_by_hand():
    """Shares 1, 2/3, 1/3, 0; mean size 2 of 4; (1/4) 3/2 (2/9 + 2/9) = 1/6; 1 - (1/6) / (1/4) = 1/3."""
    index = stability_index([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]])
    assert_allclose(index.value, 1 / 3, rtol=1e-14)
    assert index.grade == "poor" and "0.33" in str(index)


def test_equal_choices_have_stability_one_without_doubt():
    index = stability_index([[True, False, True]] * 5)
    assert (index.value, index.low, index.high) == (1.0, 1.0, 1.0)


def test_random_choices_have_stability_zero_and_its_interval_covers_it():
    """400 samples of 60 random choices: zero lies in nearly 95 % of the intervals, within three standard errors."""
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(400):
        index = stability_index(rng.random((60, 30)) < 0.3)
        covered.append(index.low <= 0 <= index.high)
    assert abs(np.mean(covered) - 0.95) < 3 * np.sqrt(0.95 * 0.05 / 400)


def test_of_equal_sizes_it_is_kuncheva_s_consistency():
    """Kuncheva (2007): the mean over pairs of (r d - k^2) / (k (d - k)), r columns in common."""
    rng = np.random.default_rng(1)
    d, k = 12, 4
    Z = np.array([np.isin(np.arange(d), rng.choice(d, k, replace=False)) for _ in range(7)])
    pairs = [(Z[i] & Z[j]).sum() for i in range(7) for j in range(i)]
    assert_allclose(stability_index(Z).value, np.mean([(r * d - k * k) / (k * (d - k)) for r in pairs]))


def test_no_column_or_all_columns_have_no_stability():
    assert np.isnan(stability_index(np.zeros((3, 4))).value)
    assert "not defined" in str(stability_index(np.ones((3, 4))))


@pytest.mark.parametrize("wrong", [[[1, 0]], [1, 0, 1], [[0.5, 1], [1, 0]]])
def test_what_is_wrong_is_said(wrong):
    with pytest.raises(DataError, match="at least 2 rows"):
        stability_index(wrong)
