"""Levene's and Brown and Forsythe's tests: SciPy, size, no spread."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import levene as peer

from assay.errors import DataError, ParameterError
from assay.stats.significance.anova import anova
from assay.stats.significance.equal_variances import levene


@pytest.mark.parametrize("centre", ["median", "mean"])
@pytest.mark.parametrize("seed", range(3))
def test_same_as_scipy(centre, seed):
    """Peer: scipy.stats.levene."""
    rng = np.random.default_rng(seed)
    samples = [rng.gamma(2, s, n) for s, n in ((1, 6), (2, 9), (1.5, 15))]
    result = levene(*samples, centre=centre)
    assert_allclose([result.statistic, result.p], peer(*samples, center=centre), rtol=1e-10)


def test_skewed_samples_keep_the_level():
    X = np.random.default_rng(1).exponential(size=(2000, 25, 2))
    wrong = np.mean([levene(x).rejected for x in X])
    assert abs(wrong - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 2000) + 0.005  # slightly careful for odd n


def test_no_spread_has_an_answer():
    assert levene([1, 1, 1], [2, 2, 2]).p == 1
    sure = levene([1, 1, 1, 1], [0, 2, 0, 2])
    assert sure.p == 0 and "all distances" in sure.why


def test_bad_input_is_named():
    with pytest.raises(DataError, match="b has one value"):
        levene({"a": [1, 2], "b": [1]})
    with pytest.raises(ParameterError, match="median, mean"):
        levene([1, 2], [3, 4], centre="mode")


def test_samples_of_two_values_say_nothing():
    """Two values are equally far from their middle, so that all distances within a sample are equal."""
    with pytest.raises(DataError, match="three or more"):
        levene([1, 2], [1, 3])
    assert anova([1, 2], [1, 3]).doubts == ()
