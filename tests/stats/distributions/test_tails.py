"""Tails and quantiles: SciPy's distributions, arrays, far out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.stats.distributions.tails import at_least, at_most, judge, noncentral_t, tail


@pytest.mark.parametrize("df", [1, 4.5, 99, np.inf])
def test_tails_same_as_scipy(df):
    """Peer: SciPy 1.17, stats.t and stats.norm."""
    from scipy.stats import norm, t

    law, x = (norm if df == np.inf else t(df)), np.linspace(-40, 40, 33)
    assert_allclose(tail(x, df, "greater"), law.sf(x), rtol=1e-10)
    assert_allclose(tail(x, df, "less"), law.cdf(x), rtol=1e-10)
    assert_allclose(tail(x, df, "two-sided"), 2 * law.sf(np.abs(x)), rtol=1e-10)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_a_bound_is_the_hypothesis_that_is_just_rejected(alternative):
    gap, error = np.array([0.3, -1.0]), np.array([0.1, 2.0])
    _, _, low, high = judge(gap, error, 7, 0.1, alternative)
    for bounds in (low, high):
        for g, e, bound in zip(gap, error, bounds):
            if np.isfinite(bound):
                assert_allclose(judge(g, e, 7, 0.1, alternative, bound)[1], 0.1, rtol=1e-9)


@pytest.mark.parametrize(("df", "shift"), [(3, 0.5), (9, -2.0), (40, 5.0), (1000, 0.0)])
def test_noncentral_t_same_as_scipy(df, shift):
    """Peer: SciPy 1.17, stats.nct."""
    from scipy.stats import nct

    for x in (-3.0, -0.5, 0.0, 1.7, 6.0):
        assert_allclose(noncentral_t(x, df, shift), nct.cdf(x, df, shift), atol=1e-9)


def test_noncentral_t_never_gives_up():
    for shift in (-1e6, -50.0, 50.0, 1e6):
        for x in (-1e3, -5.0, 0.0, 5.0, 1e3):
            assert 0 <= noncentral_t(x, 4, shift) <= 1


@pytest.mark.parametrize("df", [1, 2, 5, 30])
def test_far_out_the_noncentral_t_is_the_shift_over_the_deviation(df):
    """SciPy's nctdtr gives NaN from shifts of about 2e5 on; just below both must agree."""
    from scipy.special import gammaincc, nctdtr

    for t in (7e4, 1e5, 1.5e5):
        assert_allclose(nctdtr(df, 1e5, t), gammaincc(df / 2, df / 2 * (1e5 / t) ** 2), atol=1e-5)
        assert_allclose(noncentral_t(10 * t, df, 1e6), noncentral_t(t, df, 1e5), atol=1e-5)
        assert_allclose(noncentral_t(-10 * t, df, -1e6), 1 - noncentral_t(t, df, 1e5), atol=1e-5)


def test_binomial_tails_are_those_of_scipy():
    from scipy.stats import binom

    k, n = np.arange(-1, 13), 11
    assert_allclose(at_most(k, n, 0.3), binom.cdf(k, n, 0.3), rtol=1e-12)
    assert_allclose(at_least(k, n, 0.3), binom.sf(k - 1, n, 0.3), rtol=1e-12)
