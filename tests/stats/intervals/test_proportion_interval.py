"""Intervals of a share: worked numbers, statsmodels, and their exact coverage."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.stats.intervals.proportion_interval import METHODS, proportion_interval, wilson_interval


@pytest.mark.capability("IML-19-08")
def test_fifteen_of_a_hundred_and_none_of_fifty():
    # Oracle: IML 19.8.
    assert_allclose(proportion_interval(15, 100, method="normal"), (0.08001529, 0.21998471), atol=5e-9)
    assert_allclose(proportion_interval(15, 100), (0.09305985, 0.23283560), atol=5e-9)
    assert_allclose(wilson_interval(0.15, 100), (0.09305985, 0.23283560), atol=5e-9)
    assert_allclose(
        proportion_interval(15, 100, method="clopper-pearson"), (0.08645439, 0.23530750), atol=5e-9
    )
    low, high = proportion_interval(0, 50, method="clopper-pearson", alternative="less")
    assert low == 0
    assert_allclose(high, 0.05815508, atol=5e-9)
    assert abs(high - 3 / 50) < 0.002  # the rule of three


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
@pytest.mark.parametrize(("successes", "n"), [(15, 100), (1, 7), (499, 500), (3, 3), (0, 9)])
def test_same_as_statsmodels(successes, n, alpha):
    """Peer: statsmodels 0.15, proportion_confint.

    Not compared: Jeffreys at 0 and n of n, where ours keeps the bound 0 or 1 (Brown, Cai and DasGupta 2001).
    """
    from statsmodels.stats.proportion import proportion_confint

    names = {
        "wilson": "wilson",
        "normal": "normal",
        "clopper-pearson": "beta",
        "agresti-coull": "agresti_coull",
    }
    if 0 < successes < n:
        names["jeffreys"] = "jeffreys"
    for ours, theirs in names.items():
        result = proportion_interval(successes, n, method=ours, alpha=alpha)
        assert_allclose(result, proportion_confint(successes, n, alpha, theirs), rtol=1e-9, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), method=st.sampled_from(METHODS), alpha=st.floats(0.001, 0.5))
def test_the_interval_holds_the_share_and_turns_with_it(data, method, alpha):
    n = data.draw(st.integers(1, 300))
    s = data.draw(st.integers(0, n))
    low, high = proportion_interval(s, n, method=method, alpha=alpha)
    assert 0 <= low <= s / n + 1e-12 and s / n - 1e-12 <= high <= 1
    assert_allclose(proportion_interval(n - s, n, method=method, alpha=alpha), (1 - high, 1 - low), atol=1e-9)
    one = proportion_interval(s, n, method=method, alpha=alpha / 2, alternative="less")
    assert_allclose(one, (0, high), atol=1e-12)
    assert_allclose(
        proportion_interval(s, n, method=method, alpha=alpha / 2, alternative="greater"), (low, 1), atol=1e-12
    )


def test_exact_coverage():
    """Sums over all outcomes: Clopper-Pearson never below the level; Wilson and Jeffreys near it on average."""
    from scipy.stats import binom

    n, k, p = 30, np.arange(31), np.linspace(0.02, 0.98, 97)
    coverage = {}
    for method in METHODS:
        low, high = np.array([proportion_interval(int(e), n, method=method) for e in k]).T
        inside = (low[:, None] <= p) & (p <= high[:, None])
        coverage[method] = np.sum(binom.pmf(k[:, None], n, p) * inside, axis=0)
    assert coverage["clopper-pearson"].min() >= 0.95
    assert coverage["normal"].min() < 0.6  # the reason not to use it
    for method in ("wilson", "jeffreys", "agresti-coull"):
        assert abs(coverage[method].mean() - 0.95) < 0.015


def test_wilson_of_many_shares_at_once():
    share, n = np.array([0.0, 0.15, 1.0]), np.array([50, 100, 50])
    low, high = wilson_interval(share, n)
    assert low[0] == 0 and high[2] == 1
    for i in range(3):
        assert_allclose((low[i], high[i]), wilson_interval(share[i], int(n[i])))
    assert wilson_interval(0.0, 50)[0] == 0.0 and wilson_interval(1.0, 50)[1] == 1.0


@pytest.mark.parametrize("pair", [(-1, 10), (11, 10), (0, 0), (np.nan, 10), (1, np.nan)])
def test_impossible_counts_are_refused(pair):
    with pytest.raises(DataError, match="successes"):
        proportion_interval(*pair)
    with pytest.raises(ParameterError, match="method"):
        proportion_interval(1, 2, method="exact")


@pytest.mark.parametrize("share, n, alpha", [(1.5, 10, 0.05), (-0.1, 10, 0.05), (0.5, 0, 0.05), ("a", 10, 0.05),
                                             (0.5, 10, 2.0)])  # fmt: skip
def test_shares_outside_are_refused(share, n, alpha):
    with pytest.raises((DataError, ParameterError), match="wilson_interval"):
        wilson_interval(share, n, alpha)


def test_half_of_the_probability_on_one_side_is_refused():
    with pytest.raises(ParameterError, match=r"below 0\.5"):
        proportion_interval(3, 10, alpha=0.6, alternative="greater")
