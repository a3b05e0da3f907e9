"""Measures of rules: the numbers of the books, and what must hold for all counts."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from assay.rulebase.measures import (
    chi_square,
    class_entropy,
    confidence,
    exception_bits,
    foil_gain,
    irep_value,
    laplace,
    lift,
    likelihood_p,
    likelihood_ratio,
    m_estimate,
    penalised_error,
    pessimistic_error,
    rule_bits,
    rule_value,
    subset_bits,
    weighted_chi_square,
)

counts = st.integers(0, 500)


@pytest.mark.capability("DC-47")
def test_laplace_of_the_charity_path():
    """DC figure 10.5: nothing asked (6, 5), Age > 50 (5, 1), Salary > 50000 (5, 0)."""
    assert_allclose(laplace([6, 5, 5], [5, 1, 0], 2), [7 / 13, 6 / 8, 6 / 7], rtol=1e-15)
    assert laplace(0, 0, 3) == pytest.approx(1 / 3)
    assert laplace(0, 0, 3, beta=0) == 0.0


@pytest.mark.capability("DC-48")
def test_likelihood_ratio_of_the_charity_path():
    statistic = likelihood_ratio([[5, 1], [5, 0], [0, 4]], [6, 5])
    assert_allclose(statistic, [2.231538, 6.061358, 6.307659], atol=5e-7)
    assert_allclose(statistic[:2] / math.log(2), [3.219429, 8.744691], atol=5e-7)  # in bits
    critical = stats.chi2.ppf(0.95, 1)
    assert critical == pytest.approx(3.841459, abs=5e-7)
    assert (statistic > critical).tolist() == [False, True, True]
    assert_allclose(likelihood_p(statistic, 2), stats.chi2.sf(statistic, 1), rtol=1e-12)
    assert likelihood_p(5.0, 1) == 1.0  # one class: nothing to tell apart


@pytest.mark.capability("DC-49", "IML-9-27")
def test_foil_gain_of_the_books():
    assert_allclose(foil_gain([6, 5], [5, 1], [5, 5], [1, 0]), [3.057174, 1.315172], atol=5e-7)
    assert_allclose(foil_gain(6, 5, [5, 6], [0, 1]), [4.372346, 3.912460], atol=5e-7)
    assert_allclose(foil_gain([5, 10], [5, 10], [4, 6], [0, 2]), [4, 3.509775], atol=5e-7)
    assert foil_gain(6, 5, 0, 3) == 0.0
    # first order: 1 of 16 bindings positive, then 2 of 12, one of the old positives kept
    assert foil_gain(1, 15, 2, 10, s=1) == pytest.approx(1.415037, abs=5e-7)


@pytest.mark.capability("DC-50", "IML-9-30")
def test_description_lengths_of_the_books():
    assert_allclose(rule_bits([1, 2, 3], 20), [2.863970, 5.189956, 7.555333], atol=5e-7)
    assert rule_bits(0, 20) == 0.0
    assert_allclose(
        exception_bits([40, 60, 0], [60, 40, 100], [4, 4, 0], [6, 6, 40]),
        [53.706478, 52.421403, 118.851021],
        atol=5e-7,
    )


@pytest.mark.capability("DC-50")
def test_description_length_of_charity_rules():
    """Class not Donor, expected share 5/11, 44 possible conditions."""
    share = 5 / 11
    assert exception_bits(0, 11, 0, 5, share) == pytest.approx(16.111237, abs=5e-7)
    assert rule_bits(1, 44) == pytest.approx(3.442803, abs=5e-7)
    assert exception_bits(5, 6, 1, 1, share) == pytest.approx(11.101568, abs=5e-7)  # Age <= 50
    assert exception_bits(4, 7, 0, 1, share) == pytest.approx(7.969023, abs=5e-7)  # Salary <= 50000
    assert exception_bits(6, 5, 2, 1, share) == pytest.approx(12.957485, abs=5e-7)


def test_values_that_rules_are_pruned_by():
    assert rule_value(7, 3) == pytest.approx(0.4) and rule_value(0, 0) == 0.0
    assert irep_value(5, 1, 6, 5) == pytest.approx(9 / 11)
    assert penalised_error(1, 10, 2) == pytest.approx(0.2) and penalised_error(0, 0, 2) == 1.0
    assert_allclose(pessimistic_error([0, 0, 1], [6, 1, 16]), [0.206299, 0.75, 0.159611], atol=5e-7)
    assert pessimistic_error(3, 3) == pessimistic_error(0, 0) == 1.0


def test_confidence_and_lift_and_entropy():
    assert confidence(5, 1) == 5 / 6 and confidence(0, 0) == 0.0
    assert lift(5, 1, 6 / 11) == pytest.approx(55 / 36) and lift(5, 1, 0.0) == 0.0
    assert_allclose(class_entropy([[1, 1, 1, 1], [4, 0, 0, 0], [0, 0, 0, 0]]), [2.0, 0.0, 0.0])


@settings(max_examples=100, deadline=None)
@given(counts, counts, st.integers(2, 9))
def test_laplace_is_the_m_estimate_of_equal_priors(p, n, k):
    assert laplace(p, n, k) == pytest.approx(m_estimate(p, n, 1 / k, k), abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 60), min_size=2, max_size=5).filter(sum), st.data())
def test_the_likelihood_ratio_is_zero_where_nothing_changes(totals, data):
    """And it is what SciPy calls the G statistic of the covered rows."""
    assert likelihood_ratio(totals, totals) == pytest.approx(0.0, abs=1e-9)
    seen = [data.draw(st.integers(0, t)) for t in totals]
    totals_, seen_ = np.array(totals, float), np.array(seen, float)
    some = totals_ > 0
    if some.sum() > 1 and seen_.sum():
        expected = totals_[some] / totals_.sum() * seen_.sum()
        peer = stats.power_divergence(seen_[some], expected, lambda_="log-likelihood").statistic
        assert likelihood_ratio(seen, totals) == pytest.approx(float(peer), abs=1e-8)


@settings(max_examples=100, deadline=None)
@given(counts, counts, st.data())
def test_a_subset_is_coded_shortest_at_its_own_share(n, k, data):
    k = min(n, k)
    other = data.draw(st.floats(0, 1))
    best = subset_bits(n, k, k / n if n else 0.0)
    assert 0 <= best <= n + 1e-9 and best <= subset_bits(n, k, other) + 1e-6


@settings(max_examples=100, deadline=None)
@given(counts, counts, st.data(), st.floats(0, 1))
def test_exceptions_always_take_a_finite_number_of_bits(c, u, data, share):
    fp, fn = data.draw(st.integers(0, c)), data.draw(st.integers(0, u))
    assert math.log2(c + u + 1) <= exception_bits(c, u, fp, fn, share) + 1e-9 < math.inf


def test_arrays_of_any_shape():
    p, n = np.arange(6.0).reshape(2, 3), np.ones((2, 3))
    for measure in (
        confidence(p, n),
        laplace(p, n),
        rule_value(p, n),
        foil_gain(3, 3, p, n),
        rule_bits(p, 9),
    ):
        assert measure.shape == (2, 3)
    assert likelihood_ratio(np.ones((4, 5, 3)), [1, 2, 3]).shape == (4, 5)


@pytest.mark.parametrize("table", [[[5, 0], [1, 5]], [[5, 1], [1, 4]], [[1, 9], [30, 2]], [[2, 3], [4, 6]]])
def test_chi_square_as_scipy_has_it(table):
    """Peer: scipy.stats.chi2_contingency without Yates' correction."""
    (p, n), (a, b) = table
    wanted = stats.chi2_contingency(table, correction=False).statistic
    assert_allclose(chi_square(p, n, p + a, n + b), wanted, rtol=1e-9, atol=1e-12)
    best = min(p + n, p + a)
    most = chi_square(best, p + n - best, p + a, n + b)
    assert_allclose(weighted_chi_square(p, n, p + a, n + b), wanted**2 / most, rtol=1e-9, atol=1e-12)


def test_chi_square_of_rows_that_are_all_alike_is_zero():
    assert_allclose(chi_square([0, 3, 3, 0], [0, 2, 0, 0], [3, 3, 3, 0], [2, 2, 0, 5]), 0)
    assert_allclose(weighted_chi_square([0, 3, 3, 0], [0, 2, 0, 0], [3, 3, 3, 0], [2, 2, 0, 5]), 0)


@pytest.mark.parametrize("scale", [2.0**600, 2.0**-600])
def test_chi_square_grows_with_the_weights(scale):
    counts = np.array([5, 1, 6, 5]) * scale
    assert_allclose(chi_square(*counts), scale * chi_square(5, 1, 6, 5), rtol=1e-14)
    assert_allclose(weighted_chi_square(*counts), scale * weighted_chi_square(5, 1, 6, 5), rtol=1e-14)
