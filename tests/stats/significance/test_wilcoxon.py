"""Wilcoxon's signed-rank test: worked numbers, SciPy, all sign patterns, coverage, ties and zeros."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.stats.significance.wilcoxon import sum_distribution, wilcoxon_signed_rank

# Oracle: IML 19.13.1. Accuracies of two learners on fourteen data sets (Demsar 2006).
C45 = [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.0, 0.940, 0.619, 0.972, 0.957]
C45_M = [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.0, 0.962, 0.666, 0.981, 0.978]
OWN = [0.02, -0.01, 0.05, 0.03, 0.04, -0.015, 0.06, 0.025, 0.07, 0.035]


@pytest.mark.capability("IML-19-16")
def test_fourteen_data_sets():
    result = wilcoxon_signed_rank(C45_M, C45, method="normal")
    assert (result.r_plus, result.r_minus, result.statistic, result.n) == (93, 12, 12, 14)
    assert_allclose([result.z, result.p], [-2.54244752, 0.01100791], atol=5e-9)
    assert result.statistic < 21  # critical at 0.05
    corrected = wilcoxon_signed_rank(C45_M, C45, method="normal", tie_correction=True)
    assert_allclose(corrected.p, 0.01096850, atol=5e-9)  # as SciPy's zsplit


@pytest.mark.capability("IML-19-16")
def test_ten_differences():
    result = wilcoxon_signed_rank(OWN)
    assert (result.r_minus, result.r_plus, result.p) == (3, 52, 0.009765625)
    assert_allclose(result.z, -2.49727124, atol=5e-9)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("n", [5, 12, 30])
def test_same_as_scipy(n, alternative):
    """Peer: SciPy 1.17. Exact without ties; normal with ties and zeros dropped or split, tie-corrected."""
    from scipy.stats import wilcoxon

    rng = np.random.default_rng(n)
    d = rng.normal(0.3, 1, n)
    ours = wilcoxon_signed_rank(d, alternative=alternative, method="exact")
    assert_allclose(ours.p, wilcoxon(d, alternative=alternative, method="exact").pvalue, rtol=1e-9)
    d = rng.integers(-4, 7, n).astype(float)
    for zeros, theirs in (("drop", "wilcox"), ("split", "zsplit")):
        peer = wilcoxon(d, alternative=alternative, method="asymptotic", zero_method=theirs, correction=False)
        ours = wilcoxon_signed_rank(
            d, alternative=alternative, method="normal", zeros=zeros, tie_correction=True
        )
        assert_allclose(ours.p, peer.pvalue, rtol=1e-9)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_exact_is_the_count_over_all_sign_patterns(alternative):
    d = np.array([1.0, -1, 2, 2, -3, 0, 0, 4])
    result = wilcoxon_signed_rank(d, alternative=alternative)
    ranks = np.array([3.5, 3.5, 5.5, 5.5, 7, 1.5, 1.5, 8])
    sums = np.array([ranks @ signs for signs in product([0, 1], repeat=8)])
    low = {"greater": result.r_minus, "less": result.r_plus}.get(alternative, result.statistic)
    assert_allclose(result.p, min(1, (2 if alternative == "two-sided" else 1) * np.mean(sums <= low)))
    assert result.r_plus + result.r_minus == 36


def test_rounding_does_not_rank():
    """0.3 - 0.2 and 0.2 - 0.1 differ by 3e-17; they are ties."""
    result = wilcoxon_signed_rank([0.3, 0.2, 0.4, 0.9], [0.2, 0.1, 0.3, 0.5])
    assert result.r_plus == 10 and result.p == 0.125
    tied = wilcoxon_signed_rank([0.3, 0.1, 0.4, 0.9], [0.2, 0.2, 0.3, 0.5])
    assert tied.r_minus == 2.0


@settings(max_examples=30, deadline=None)
@given(d=st.lists(st.integers(-6, 6), min_size=1, max_size=25), scale=st.floats(1e-3, 1e3))
def test_signs_turn_the_sides_and_units_do_not_matter(d, scale):
    result, back = wilcoxon_signed_rank(d), wilcoxon_signed_rank(-scale * np.array(d))
    assert (result.r_plus, result.r_minus) == (back.r_minus, back.r_plus) and result.p == back.p
    more, fewer = (wilcoxon_signed_rank(d, alternative=a).p for a in ("greater", "less"))
    assert more + fewer >= 1 - 1e-12 and 0 < result.p <= 1


def test_exact_and_normal_agree_for_many_pairs():
    d = np.random.default_rng(0).normal(0.15, 1, 150)
    exact, normal = (wilcoxon_signed_rank(d, method=m) for m in ("exact", "normal"))
    assert_allclose(exact.p, normal.p, atol=1e-3)
    assert_allclose(wilcoxon_signed_rank(d).p, normal.p)


def test_size_coverage_and_the_shift():
    worlds, n = 2000, 12
    D = np.random.default_rng(5).standard_t(2, (worlds, n))
    result = [wilcoxon_signed_rank(d + 1, alpha=0.1) for d in D]
    covered = np.mean([r.low <= 1 <= r.high for r in result])
    size = np.mean([wilcoxon_signed_rank(d).rejected for d in D])
    # exact level of n = 12: 2 P(T <= 13) = 0.0425; interval at 0.9: 1 - 2 P(T <= 17) = 0.9077
    assert abs(size - 0.0425) < 4 * np.sqrt(0.0425 * 0.9575 / worlds)
    assert abs(covered - 0.9077) < 4 * np.sqrt(0.09 / worlds)


def test_interval_and_test_say_the_same():
    d = np.random.default_rng(8).normal(0.4, 1, 20)
    result = wilcoxon_signed_rank(d)
    for bound, inside in ((result.low, 1e-6), (result.high, -1e-6)):
        assert wilcoxon_signed_rank(d - bound - inside).p > 0.05 >= wilcoxon_signed_rank(d - bound + inside).p


def test_few_or_no_differences():
    none = wilcoxon_signed_rank([1, 2], [1, 2])
    assert none.p == 1 and "zero" in none.why
    few = wilcoxon_signed_rank([1.0, 2.0, 3.0])
    assert few.p == 0.25 and np.isnan(few.low) and "Too few" in few.why
    one = wilcoxon_signed_rank([0.5])
    assert one.p == 1.0 and one.estimate == 0.5
    assert "2 of 4" in wilcoxon_signed_rank([0, 0, 1, 2], zeros="drop").why
    many = wilcoxon_signed_rank(np.arange(5000) - 2000.0)
    assert np.isnan(many.low) and "median" in many.why and many.p < 1e-6


def test_sum_distribution_of_equal_steps_is_binomial():
    from scipy.stats import binom

    assert_allclose(sum_distribution([1] * 20), binom.pmf(np.arange(21), 20, 0.5), rtol=1e-12)


@pytest.mark.parametrize(
    ("call", "words"),
    [(lambda: wilcoxon_signed_rank([1, 2], zeros="pratt"), "zeros"), (lambda: wilcoxon_signed_rank([]), "at least 1"),
     (lambda: wilcoxon_signed_rank([1, 2], method="z"), "method"),
     (lambda: wilcoxon_signed_rank([1, 2], [1]), "length"),
     (lambda: wilcoxon_signed_rank(np.arange(1, 1200), method="exact"), "up to 1000"),
     (lambda: wilcoxon_signed_rank([[1, 2]]), "shape")],
)  # fmt: skip
def test_wrong_input_is_named(call, words):
    with pytest.raises((DataError, ParameterError), match=words):
        call()


def test_same_as_the_example_of_r():
    """R 4, help of wilcox.test: depression of nine patients before and after (Hollander and Wolfe 1973)."""
    before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    result = wilcoxon_signed_rank(before, after, alternative="greater")
    assert result.r_plus == 40
    assert_allclose(result.p, 0.01953, atol=5e-6)
