"""The z test: worked numbers, statsmodels, values without spread."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.stats.significance.summary import Summary
from assay.stats.significance.z_test import z_test


@pytest.mark.capability("IML-19-09")
def test_worked_example_and_its_sides():
    # Oracle: IML 19.9. m = 5.2, mu0 = 5, sigma = 2, N = 100.
    result = z_test(Summary(5.2, 2, 100), 5, sigma=2)
    assert_allclose([result.statistic, result.p], [1, 0.31731051], atol=5e-9)
    assert not result.rejected
    # Exercise 3: mu >= mu0 is rejected if sqrt(N) (m - mu0) / sigma < -z_alpha = -1.64485
    for m, rejected in [(4.672, False), (4.670, True)]:
        assert z_test(Summary(m, 2, 100), 5, sigma=2, alternative="less").rejected is rejected


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_same_as_statsmodels(alternative):
    """Peer: statsmodels 0.15, ztest, which estimates the deviation."""
    from statsmodels.stats.weightstats import ztest

    x = np.random.default_rng(0).normal(0.1, 1, 200)
    side = {"greater": "larger", "less": "smaller"}.get(alternative, alternative)
    ours = z_test(x, 0.05, alternative=alternative)
    assert_allclose([ours.statistic, ours.p], ztest(x, value=0.05, alternative=side), rtol=1e-10)


def test_the_interval_holds_what_is_not_rejected():
    s = Summary(5.2, 2, 100)
    for alternative in ("two-sided", "greater", "less"):
        result = z_test(s, 5, sigma=2, alternative=alternative)
        for bound in (result.low, result.high):
            if np.isfinite(bound):
                assert_allclose(z_test(s, bound, sigma=2, alternative=alternative).p, 0.05, rtol=1e-9)


def test_values_without_spread():
    same = z_test([3, 3, 3], 3)
    assert same.p == 1 and "equal" in same.why
    other = z_test([3, 3, 3], 2, alternative="greater")
    assert (
        other.p == 1 / 8 and other.statistic == np.inf and "throw of a coin" in other.why
    )  # as t_test has it
    assert z_test([3, 3, 3], 2, alternative="less").p == 1
    assert z_test([3], 2, sigma=1).statistic == 1
    assert "stands in" in z_test([1, 2, 3]).why


def test_wrong_input_is_named():
    with pytest.raises(DataError, match="Give sigma"):
        z_test([3])
    with pytest.raises(ParameterError, match="sigma above 0"):
        z_test([3, 4], sigma=-1)
    with pytest.raises(ParameterError, match="finite"):
        z_test([3, 4], np.nan)
