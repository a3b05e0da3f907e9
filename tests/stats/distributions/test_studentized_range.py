"""The studentized range and Dunnett's distribution: against SciPy, tables, simulation and special cases."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import ndtr, stdtr
from scipy.stats import multivariate_t, studentized_range

from assay.errors import ParameterError
from assay.stats.distributions.studentized_range import (
    dunnett_quantile,
    dunnett_sf,
    studentized_range_quantile,
    studentized_range_sf,
)

EQUAL = 0.5**0.5


@pytest.mark.parametrize("k", [2, 3, 10, 30])
@pytest.mark.parametrize("df", [1, 2, 5, 12, 120, np.inf])
def test_same_tail_as_scipy(k, df):
    """Peer: scipy.stats.studentized_range of SciPy 1.17."""
    q = np.array([0.0, 0.3, 2.0, 4.0, 7.0, 15.0])
    assert_allclose(studentized_range_sf(q, k, df), studentized_range.sf(q, k, df), atol=1e-9, rtol=0)


@settings(max_examples=40, deadline=None)
@given(st.floats(0, 30), st.floats(0.6, 1e6))
def test_of_two_means_it_is_the_t_test(q, df):
    assert_allclose(studentized_range_sf(q, 2, df), 2 * stdtr(df, -q / np.sqrt(2)), atol=1e-10)
    assert_allclose(studentized_range_sf(q, 2), 2 * ndtr(-q / np.sqrt(2)), rtol=1e-9, atol=1e-40)


def test_small_tails_keep_their_digits():
    """Bonferroni's bound is sharp far out: k (k - 1) / 2 pairs of P(|z| > q / sqrt 2)."""
    q = np.array([12.0, 14.0, 16.0])
    assert_allclose(studentized_range_sf(q, 4), 6 * 2 * ndtr(-q / np.sqrt(2)), rtol=1e-5)


def test_many_degrees_of_freedom_lead_to_the_limit():
    q = np.linspace(0, 8, 9)
    assert_allclose(studentized_range_sf(q, 7, 1e9), studentized_range_sf(q, 7), atol=1e-8)


# Oracle: IML 19.13.2, studentized range with infinite df over sqrt 2, k = 2..10.
Q05 = [1.960, 2.344, 2.569, 2.728, 2.850, 2.948, 3.031, 3.102, 3.164]
Q10 = [1.645, 2.052, 2.291, 2.460, 2.589, 2.693, 2.780, 2.855, 2.920]


@pytest.mark.capability("IML-19-18")
@pytest.mark.parametrize(("alpha", "published"), [(0.05, Q05), (0.10, Q10)])
def test_nemenyis_quantiles(alpha, published):

    ours = [studentized_range_quantile(alpha, k) / np.sqrt(2) for k in range(2, 11)]
    assert_allclose(ours, published, atol=6e-4)


@pytest.mark.capability("IML-19-15")
def test_tukeys_quantile_of_the_worked_example():
    assert_allclose(studentized_range_quantile(0.05, 3, 12), 3.77292897, atol=5e-9)


@settings(max_examples=25, deadline=None)
@given(st.floats(1e-6, 0.999), st.integers(2, 40), st.one_of(st.floats(1, 500), st.just(np.inf)))
def test_quantile_inverts_the_tail(p, k, df):
    assert_allclose(studentized_range_sf(studentized_range_quantile(p, k, df), k, df), p, rtol=1e-6)


def test_the_tail_of_a_simulated_range():
    rng = np.random.default_rng(0)
    n, k, df = 200_000, 6, 7
    q = np.ptp(rng.normal(size=(n, k)), axis=1) / np.sqrt(rng.chisquare(df, n) / df)
    for x in (2.0, 4.0, 5.0):
        p = float(studentized_range_sf(x, k, df))
        assert abs(np.mean(q > x) - p) < 4 * np.sqrt(p * (1 - p) / n)


# Oracle: Dunnett (1964), two-sided 5 % points for p treatments and a control of equal size, two decimals.
@pytest.mark.parametrize(
    ("m", "df", "point"), [(1, 10, 2.23), (3, 20, 2.54), (5, 10, 2.99), (4, np.inf, 2.44)]
)
def test_dunnetts_table(m, df, point):
    assert round(dunnett_quantile(0.05, [EQUAL] * m, df), 2) == point


def test_dunnett_against_multivariate_t():
    """Peer: scipy.stats.multivariate_t.cdf (quasi-Monte Carlo, 1e-4) with correlations l_i l_j."""
    loadings = np.array([0.4, 0.7, 0.9])
    R = np.outer(loadings, loadings)
    np.fill_diagonal(R, 1)
    t = 1.7
    inside = multivariate_t.cdf([t] * 3, shape=R, df=8, lower_limit=[-t] * 3, random_state=0, maxpts=200_000)
    assert_allclose(dunnett_sf(t, loadings, 8), 1 - inside, atol=2e-4)
    below = multivariate_t.cdf([t] * 3, shape=R, df=8, random_state=0, maxpts=200_000)
    assert_allclose(dunnett_sf(t, loadings, 8, two_sided=False), 1 - below, atol=2e-4)


@settings(max_examples=25, deadline=None)
@given(st.floats(0, 12), st.floats(0.05, 0.99), st.floats(1, 300))
def test_dunnett_with_one_comparison_is_a_t_test(t, loading, df):
    assert_allclose(dunnett_sf(t, [loading], df), 2 * stdtr(df, -t), atol=1e-9)
    assert_allclose(dunnett_sf(-t, [loading], df, two_sided=False), stdtr(df, t), atol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: studentized_range_sf(-1, 3), "from 0 upwards"),
        (lambda: studentized_range_sf(np.nan, 3), "from 0 upwards"),
        (lambda: studentized_range_sf(1, 1), "k must be a whole number from 2"),
        (lambda: studentized_range_sf(1, 2.5), "k must be"),
        (lambda: studentized_range_sf(1, 3, 0), "df must be above 0"),
        (lambda: studentized_range_quantile(0, 3), "p must lie between 0 and 1"),
        (lambda: dunnett_sf(1, [1.0]), "loadings must be numbers above 0 and below 1"),
        (lambda: dunnett_sf(1, []), "loadings must be"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


def test_shape_is_kept():
    assert studentized_range_sf(np.ones((2, 3)), 3, 9).shape == (2, 3)
    assert np.ndim(studentized_range_sf(1.0, 3)) == 0


def test_a_value_that_nearly_all_statistics_exceed_is_below_zero():
    t = dunnett_quantile(0.99, [0.5] * 3, 3, two_sided=False)
    assert t < 0
    assert_allclose(dunnett_sf(t, [0.5] * 3, 3, two_sided=False), 0.99, rtol=1e-9)


@pytest.mark.parametrize("p", ["x", None, 0, 1, 2.0, float("nan")])
def test_levels_outside_are_named(p):
    with pytest.raises(ParameterError, match="p must lie between 0 and 1"):
        dunnett_quantile(p, [0.5], 3)
    with pytest.raises(ParameterError, match="p must lie between 0 and 1"):
        studentized_range_quantile(p, 3, 3)
