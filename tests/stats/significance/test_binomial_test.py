"""Tests of error rates by counts: worked numbers, SciPy, statsmodels, exact size."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.stats.significance.binomial_test import binomial_test, proportion_test, two_proportions_test


@pytest.mark.capability("IML-19-10")
def test_fifteen_errors_part_the_exact_from_the_normal_test():
    # Oracle: IML 19.10, N = 100 and p0 = 0.1.
    exact = [binomial_test(e, 100, 0.1, alternative="greater") for e in (14, 15, 16, 17)]
    assert_allclose([r.p for r in exact], [0.12387679, 0.07257297, 0.03989053, 0.02059881], atol=5e-9)
    normal = [proportion_test(e, 100, 0.1, alternative="greater") for e in (14, 15, 16)]
    assert_allclose([r.statistic for r in normal], [4 / 3, 5 / 3, 2], rtol=1e-12)
    assert_allclose([r.p for r in normal], [0.09121122, 0.04779035, 0.02275013], atol=5e-9)
    assert normal[1].rejected and not exact[1].rejected


@settings(max_examples=80, deadline=None)
@given(data=st.data(), alternative=st.sampled_from(["two-sided", "greater", "less"]))
def test_same_as_scipy(data, alternative):
    """Peer: SciPy 1.17, binomtest with the exact interval."""
    from scipy.stats import binomtest

    n = data.draw(st.integers(1, 200))
    k = data.draw(st.integers(0, n))
    p0 = data.draw(st.one_of(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]), st.floats(0.01, 0.99)))
    ours, theirs = binomial_test(k, n, p0, alternative=alternative), binomtest(k, n, p0, alternative)
    assert_allclose(ours.p, theirs.pvalue, rtol=1e-9, atol=1e-200)
    interval = theirs.proportion_ci(0.95, "exact")
    assert_allclose((ours.low, ours.high), (interval.low, interval.high), rtol=1e-8)


def test_many_rows_are_no_trouble():
    assert_allclose(binomial_test(500_900, 1_000_000, 0.5).p, 0.0721, atol=5e-4)  # z = 1.8


def test_the_exact_test_keeps_its_level_and_the_normal_one_does_not():
    """Oracle: IML 19.10, true sizes at p = p0 = 0.1 and n = 100."""
    from scipy.stats import binom

    k = np.arange(101)
    exact = np.array([binomial_test(int(e), 100, 0.1, alternative="greater").rejected for e in k])
    normal = np.array([proportion_test(int(e), 100, 0.1, alternative="greater").rejected for e in k])
    chance = binom.pmf(k, 100, 0.1)
    assert_allclose([chance[exact].sum(), chance[normal].sum()], [0.03989053, 0.07257297], atol=5e-9)


def test_wilson_belongs_to_the_normal_test():
    result = proportion_test(15, 100, 0.1)
    for bound in (result.low, result.high):
        assert_allclose(proportion_test(15, 100, bound).p, 0.05, rtol=1e-8)
    assert result.why == "" and "binomial_test" in proportion_test(1, 20, 0.1).why


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_two_shares_same_as_statsmodels(alternative):
    """Peer: statsmodels 0.15: proportions_ztest, confint_proportions_2indep (newcomb, two-sided)."""
    from statsmodels.stats.proportion import confint_proportions_2indep, proportions_ztest

    side = {"greater": "larger", "less": "smaller"}.get(alternative, alternative)
    for e1, n1, e2, n2 in [(30, 100, 15, 100), (3, 50, 9, 70), (0, 20, 4, 30)]:
        ours = two_proportions_test(e1, n1, e2, n2, alternative=alternative)
        assert_allclose(
            (ours.statistic, ours.p), proportions_ztest([e1, e2], [n1, n2], alternative=side), rtol=1e-10
        )
        if alternative == "two-sided":
            bounds = confint_proportions_2indep(e1, n1, e2, n2, method="newcomb")
            assert_allclose((ours.low, ours.high), bounds, rtol=1e-8)


def test_rows_that_are_all_alike():
    result = two_proportions_test(0, 20, 0, 30)
    assert result.p == 1 and "alike" in result.why and result.low < 0 < result.high
    assert two_proportions_test(20, 20, 30, 30, alternative="greater").p == 1


@pytest.mark.parametrize(
    ("call", "words"),
    [(lambda: binomial_test(5, 4, 0.1), "successes <= n"), (lambda: binomial_test(1.5, 4, 0.1), "whole"),
     (lambda: binomial_test(1, 4, 1.1), "p0"), (lambda: binomial_test(1, 4, np.nan), "p0"),
     (lambda: proportion_test(1, 4, 0.0), "binomial_test"), (lambda: binomial_test("1", 4, 0.1), "whole"),
     (lambda: two_proportions_test(1, 0, 1, 2), "n from 1"), (lambda: binomial_test(np.nan, 4, 0.1), "whole")],
)  # fmt: skip
def test_wrong_input_is_named(call, words):
    with pytest.raises((DataError, ParameterError), match=words):
        call()


def test_same_as_the_example_of_r():
    """R 4, help of binom.test: Mendel's 682 of 925 plants against three quarters."""
    result = binomial_test(682, 925, 0.75)
    assert_allclose([result.p, result.low, result.high], [0.3825, 0.7076683, 0.7654066], rtol=5e-5)
