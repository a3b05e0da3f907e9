"""Mid-ranks: ties that rounding made or broke, and values of very different sizes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import rankdata

from assay.stats import friedman, kruskal_wallis, quade, rank_sum
from assay.stats.significance.ranks import mid_ranks


def test_same_ranks_as_scipy():
    X = np.random.default_rng(0).integers(-3, 4, (50, 9)).astype(float)
    assert_allclose(mid_ranks(X), rankdata(X, axis=1), rtol=0)


@pytest.mark.parametrize("unit", [1e-290, 1e-9, 1.0, 1e290])
def test_rounding_neither_breaks_nor_makes_ties(unit):
    assert mid_ranks(np.array([[0.3, 0.1 + 0.2, 0.5, 0.5 + 1e-9]]) * unit).tolist() == [[1.5, 1.5, 3, 4]]
    assert mid_ranks(np.array([[1e-17, -1e-17, 0.3, 0.4, 0.5]]) * unit).tolist() == [[1.5, 1.5, 3, 4, 5]]


def test_one_huge_value_does_not_make_the_others_equal():
    """One learner that diverged: the ranks of the others stay what they are."""
    assert mid_ranks(np.array([[1e20, 0.3, 0.2, 0.1]])).tolist() == [[4, 3, 2, 1]]
    assert mid_ranks(np.array([[-1e308, 0.3, 1e308, 0.1]])).tolist() == [[1, 3, 4, 2]]
    errors = np.array([[1e20, 0.1, 0.2, 0.3], [1e20, 0.2, 0.3, 0.4], [1e20, 0.1, 0.4, 0.5]])
    tame = np.minimum(errors, 1.0)
    assert_allclose(
        friedman(errors, better="lower").average_ranks, friedman(tame, better="lower").average_ranks
    )
    assert rank_sum([1, 2, 3, 1e20], [4, 5, 6, 7]).p == rank_sum([1, 2, 3, 99], [4, 5, 6, 7]).p
    assert (
        kruskal_wallis([1, 2, 3, 1e20], [4, 5, 6, 7]).test.p
        == kruskal_wallis([1, 2, 3, 99], [4, 5, 6, 7]).test.p
    )


def test_ranges_of_data_sets_on_other_scales_keep_their_order():
    table = np.array([[1.0, 2, 4], [2, 1, 5], [1e20, 2e20, 3e20]])
    near = np.array([[1.0, 2, 4], [2, 1, 5], [10, 20, 30]])
    assert_allclose(quade(table).statistic, quade(near).statistic, rtol=1e-12)
