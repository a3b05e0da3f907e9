"""Tails and quantiles: SciPy's distributions, arrays, far out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.stats.tails import judge, noncentral_t, tail


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
