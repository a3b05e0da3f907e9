"""The rank-sum test: SciPy, all deals with ties, coverage, degenerate samples."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.stats.significance.rank_sum import rank_sum


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(("n1", "n2"), [(3, 4), (8, 20), (1, 9)])
def test_same_as_scipy(n1, n2, alternative):
    """Peer: SciPy 1.17, mannwhitneyu: exact without ties, normal with ties, with and without continuity."""
    from scipy.stats import mannwhitneyu

    rng = np.random.default_rng(n2)
    a, b = rng.normal(0.5, 1, n1), rng.normal(0, 1, n2)
    peer = mannwhitneyu(a, b, alternative=alternative, method="exact")
    ours = rank_sum(a, b, alternative=alternative, method="exact")
    assert_allclose([ours.statistic, ours.p], [peer.statistic, peer.pvalue], rtol=1e-9)
    a, b = np.round(2 * a), np.round(2 * b)
    for continuity in (True, False):
        peer = mannwhitneyu(a, b, alternative=alternative, method="asymptotic", use_continuity=continuity)
        ours = rank_sum(a, b, alternative=alternative, method="normal", continuity=continuity)
        assert_allclose([ours.statistic, ours.p], [peer.statistic, peer.pvalue], rtol=1e-9)


def test_exact_with_ties_is_the_count_over_all_deals():
    a, b = [3.0, 3, 5], [1.0, 3, 2, 5, 4]
    ranks = np.array([4, 4, 7.5, 1, 4, 2, 7.5, 6])
    sums = np.array([ranks[list(deal)].sum() for deal in combinations(range(8), 3)])
    seen = ranks[:3].sum()
    assert_allclose(rank_sum(a, b, alternative="greater").p, np.mean(sums >= seen))
    assert_allclose(rank_sum(a, b, alternative="less").p, np.mean(sums <= seen))


def test_the_interval_of_the_shift():
    rng, worlds = np.random.default_rng(2), 1500
    A, B = rng.exponential(1, (worlds, 8)) + 0.7, rng.exponential(1, (worlds, 10))
    result = [rank_sum(a, b) for a, b in zip(A, B)]
    covered = np.mean([r.low <= 0.7 <= r.high for r in result])
    # exact: 1 - 2 P(U <= 17) = 0.9545 for 8 and 10 values
    assert abs(covered - 0.9545) < 4 * np.sqrt(0.0455 * 0.9545 / worlds)
    a, b = A[0], B[0]
    bound, edge = result[0].low, 1e-7
    assert rank_sum(a - bound - edge, b).p > 0.05 >= rank_sum(a - bound + edge, b).p


def test_large_samples_use_the_approximation():
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.3, 1, 300), rng.normal(0, 1, 200)
    result = rank_sum(a, b)
    assert "normal" in result.test and result.low < result.estimate < result.high
    assert_allclose(rank_sum(a[:30], b[:30], method="normal").p, rank_sum(a[:30], b[:30]).p, atol=0.005)


def test_degenerate_samples():
    same = rank_sum([1, 1], [1, 1, 1])
    assert same.p == 1 and "equal" in same.why
    tiny = rank_sum([2.0], [1.0])
    assert tiny.p == 1 and "Too few" in tiny.why and tiny.estimate == 1
    with pytest.raises(DataError, match="at least 1"):
        rank_sum([], [1])
    with pytest.raises(ParameterError, match="method"):
        rank_sum([1], [2], method="fast")
    with pytest.raises(ParameterError, match="up to 200"):
        rank_sum(np.arange(150), np.arange(100), method="exact")


def test_same_as_the_example_of_r():
    """R 4, help of wilcox.test: permeability of a membrane at term and before (Hollander and Wolfe 1973)."""
    term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
    result = rank_sum(term, [1.15, 0.88, 0.90, 0.74, 1.21], alternative="greater")
    assert result.statistic == 35
    assert_allclose(result.p, 0.1272, atol=5e-5)


def test_the_smallest_p_is_the_same_on_both_sides():
    """30 values above 30 others: 2 of C(60, 30) ways, too few for what is left of 1 after a subtraction."""
    low, high = np.arange(30.0), np.arange(30.0) + 100
    assert_allclose([rank_sum(low, high).p, rank_sum(high, low).p], 2 / comb(60, 30), rtol=1e-9)
    tied = np.repeat(np.arange(10.0), 3)
    assert_allclose(rank_sum(tied, tied + 100).p, rank_sum(tied + 100, tied).p, rtol=1e-9)
    assert_allclose(rank_sum(tied + 100, tied).p, 2 / comb(60, 30), rtol=1e-9)
