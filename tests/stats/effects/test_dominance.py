"""Effect sizes of ranks and counts: by hand, by brute force, against the tests they belong to, coverage."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import ndtr

from assay.errors import DataError
from assay.stats.effects.dominance import cliff_delta, discordant_odds, rank_biserial, vargha_delaney_a
from assay.stats.significance.rank_sum import rank_sum
from assay.stats.significance.wilcoxon import wilcoxon_signed_rank

values = st.lists(st.integers(-5, 5), min_size=2, max_size=15)


@settings(max_examples=50, deadline=None)
@given(a=values, b=values)
def test_delta_by_all_pairs(a, b):
    result = cliff_delta(a, b)
    wins = np.sign(np.subtract.outer(np.array(a), np.array(b)))
    assert_allclose(result.value, wins.mean(), atol=1e-12)
    assert -1 <= result.low <= result.value + 1e-9 and result.value - 1e-9 <= result.high <= 1
    back = cliff_delta(b, a)
    assert_allclose([back.value, back.low, back.high], [-result.value, -result.high, -result.low], atol=1e-12)
    assert_allclose(vargha_delaney_a(a, b).value, rank_sum(a, b).statistic / (len(a) * len(b)))


def test_variance_by_the_definition():
    """Cliff (1996): the unbiased variance written out over the matrix of dominances."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.5, 1, 7), rng.normal(0, 1, 9)
    d = np.sign(np.subtract.outer(a, b))
    n1, n2, delta = 7, 9, d.mean()
    s = n2**2 * np.sum((d.mean(axis=1) - delta) ** 2) + n1**2 * np.sum((d.mean(axis=0) - delta) ** 2)
    variance = (s - np.sum((d - delta) ** 2)) / (n1 * n2 * (n1 - 1) * (n2 - 1))
    z = 1.959963984540054
    half = z * np.sqrt(variance * ((1 - delta**2) ** 2 + z * z * variance))
    expected = (delta - delta**3 + np.array([-1, 1]) * half) / (1 - delta**2 + z * z * variance)
    result = cliff_delta(a, b)
    assert_allclose([result.low, result.high], expected, rtol=1e-12)


@pytest.mark.parametrize("shift", [0.0, 0.8])
def test_coverage_of_delta(shift):
    from scipy.special import ndtr

    rng, worlds = np.random.default_rng(1), 2000
    A, B = rng.normal(shift, 1, (worlds, 15)), rng.normal(0, 1, (worlds, 20))
    true = 2 * ndtr(shift / np.sqrt(2)) - 1
    covered = np.mean([e.low <= true <= e.high for e in (cliff_delta(a, b) for a, b in zip(A, B))])
    assert abs(covered - 0.95) < 0.02  # an approximation: within two points of its promise


def test_samples_that_do_not_overlap():
    result = cliff_delta([5, 6, 7, 8, 9], [1, 2, 3, 4])
    z2 = 1.959963984540054**2
    assert result.value == 1 and result.high == 1 and "overlap" in result.why
    assert_allclose(result.low, (4 - z2) / (4 + z2))
    assert cliff_delta([1], [2]).value == -1
    assert "One value" in cliff_delta([2], [1, 3]).why
    assert cliff_delta([1, 1], [1, 1, 1]).value == 0


@settings(max_examples=40, deadline=None)
@given(d=st.lists(st.integers(-8, 8), min_size=1, max_size=20))
def test_rank_biserial_belongs_to_the_signed_rank_test(d):
    result, test = rank_biserial(d), wilcoxon_signed_rank(d, zeros="drop")
    if any(d):
        assert_allclose(result.value, (test.r_plus - test.r_minus) / (test.r_plus + test.r_minus))
        assert np.isnan(result.low) or result.low <= result.value <= result.high
    else:
        assert result.value == 0 and "zero" in result.why


def test_spread_of_the_rank_biserial():
    """Without difference, its variance is 2 (2n + 1) / (3n (n + 1)): what the interval is made of."""
    n, draws = 10, 200_000
    signs = np.random.default_rng(4).integers(0, 2, (draws, n)) * 2 - 1
    r = signs @ np.arange(1, n + 1) / 55
    assert_allclose(r.var(), 2 * (2 * n + 1) / (3 * n * (n + 1)), rtol=0.02)


def test_odds():
    result = discordant_odds(15, 5)
    assert_allclose([result.value, discordant_odds(5, 15).value], [3, 1 / 3])
    assert_allclose(
        [discordant_odds(5, 15).low, discordant_odds(5, 15).high], [1 / result.high, 1 / result.low]
    )
    none = discordant_odds(0, 0)
    assert none.value == 1 and "No row" in none.why and none.word == "negligible"
    assert discordant_odds(4, 0).value == np.inf and discordant_odds(0, 4).value == 0
    with pytest.raises(DataError, match="whole numbers"):
        discordant_odds(1.5, 2)


def test_values_equal_but_for_rounding_are_tied():
    assert cliff_delta([0.3, 0.3], [0.1 + 0.2, 0.1 + 0.2]).value == 0
    assert vargha_delaney_a([0.3], [0.1 + 0.2]).value == 0.5


@pytest.mark.parametrize("shift", [0.0, 0.6, 1.0])
def test_interval_of_the_rank_biserial_covers_also_large_effects(shift):
    """The mean of sign(d_i + d_j) is 2 Phi(shift sqrt 2) - 1; the spread of no difference would cover 76 % at 1."""
    true, rng = 2 * ndtr(shift * np.sqrt(2)) - 1, np.random.default_rng(5)
    result = [rank_biserial(rng.normal(shift, 1, 50)) for _ in range(400)]
    assert 0.895 <= np.mean([f.low <= true <= f.high for f in result]) <= 0.985


def test_the_spread_is_that_of_all_pairs():
    d = np.array([0.5, -1.0, 2.0, 3.0, -0.25, 4.0])
    S = np.sign(np.add.outer(d, d))
    h = (S.sum(axis=1) - np.sign(d)) / 5
    r = rank_biserial(d)
    half = 1.959963984540054 * np.sqrt(4 * h.var(ddof=1) / 6) / (1 - r.value**2)
    assert_allclose([r.low, r.high], np.tanh(np.arctanh(r.value) + np.array([-half, half])), rtol=1e-12)
