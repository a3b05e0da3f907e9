"""Permutation tests: SciPy in full, random arrangements near it, level, reproducibility."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.stats.significance.permutation_test import permutation_test


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_same_as_scipy_in_full(alternative):
    """Peer: SciPy 1.17, permutation_test, exact.

    Two-sided unpaired is compared for equal sizes only: the peer doubles the smaller tail, ours counts both;
    they are the same where the distribution is symmetric.
    """
    from scipy.stats import permutation_test as peer

    rng = np.random.default_rng(0)
    d = rng.normal(0.4, 1, 9)
    theirs = peer((d,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative=alternative)
    assert_allclose(permutation_test(d, alternative=alternative).p, theirs.pvalue, rtol=1e-12)
    a, b = rng.normal(0.5, 1, 5), rng.normal(0, 1, 5)
    theirs = peer((a, b), lambda x, y: x.mean() - y.mean(), n_resamples=np.inf, alternative=alternative)
    assert_allclose(
        permutation_test(a, b, paired=False, alternative=alternative).p, theirs.pvalue, rtol=1e-12
    )


@pytest.mark.parametrize("paired", [True, False])
def test_random_arrangements_come_near_and_repeat(paired):
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.3, 1, 40), rng.normal(0, 1, 40)
    result = permutation_test(a, b, paired=paired, n_resamples=20_000, random_state=3)
    again = permutation_test(a, b, paired=paired, n_resamples=20_000, random_state=3)
    assert result.p == again.p and "random arrangements" in result.why
    from scipy.stats import ttest_ind, ttest_rel

    expected = (ttest_rel if paired else ttest_ind)(a, b).pvalue
    assert_allclose(result.p, expected, atol=0.012)  # of 40 normal values, the t test's p is nearly the same


def test_level_over_small_samples():
    rng, worlds = np.random.default_rng(2), 2000
    D = rng.laplace(size=(worlds, 7))
    size = np.mean([permutation_test(d).rejected for d in D])
    # 128 patterns, two-sided in steps of 1/64: the level 0.05 means 3/64
    assert abs(size - 3 / 64) < 4 * np.sqrt(3 / 64 * 61 / 64 / worlds)


def test_never_zero_and_ties_by_rounding_count():
    assert permutation_test(np.full(30, 1.0) + np.arange(30) * 1e-3, n_resamples=99).p == 1 / 100
    assert permutation_test([0.1, 0.2, 0.3], alternative="greater").p == 1 / 8
    assert permutation_test([0.1, 0.1, 0.1, 0.3]).p == 2 / 16


def test_nothing_to_exchange():
    result = permutation_test([1, 2], [1, 2])
    assert result.p == 1 and "nothing" in result.why
    assert permutation_test([0.3]).p == 1


@pytest.mark.parametrize(
    ("call", "words"),
    [(lambda: permutation_test([1, 2], paired=False), "second one"), (lambda: permutation_test([1], [1, 2]), "length"),
     (lambda: permutation_test([1, 2], n_resamples=0), "n_resamples"), (lambda: permutation_test([]), "at least 1"),
     (lambda: permutation_test([1, np.nan]), "row 2 ")],
)  # fmt: skip
def test_wrong_input_is_named(call, words):
    with pytest.raises((DataError, ParameterError), match=words):
        call()


def test_where_zero_lies_does_not_matter():
    """Moments of a day in seconds since 1970: differences of hundredths still count."""
    a, b = np.arange(6) * 0.01, np.arange(6) * 0.01 + 0.05
    near = permutation_test(a, b, paired=False)
    assert_allclose(permutation_test(a + 1.7e9, b + 1.7e9, paired=False).p, near.p)
    assert permutation_test([5.0, 5, 5], [5.0, 5], paired=False).why == "There is nothing to exchange."


def test_a_seed_that_is_none_is_named():
    with pytest.raises(ParameterError, match="permutation_test: random_state must be"):
        permutation_test([1, 2, 3], random_state="x")
