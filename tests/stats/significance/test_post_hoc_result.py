"""What a comparison of pairs knows: order, groups, letters, records, text."""

import numpy as np
import pytest

from assay.stats.significance.post_hoc_result import PostHoc
from assay.stats.significance.test_result import TestResult


def made(centre, adjusted, better="lower", control=None, margin=None):
    L = len(centre)
    matrix = np.array(adjusted, float)
    margin = np.full((L, L), np.nan) if margin is None else margin
    return PostHoc(
        "pairs", TestResult("all", 5.0, 0.01), tuple("abcdef"[:L]), np.array(centre, float), np.zeros((L, L)),
        matrix, matrix, margin, better, control,
    )  # fmt: skip


CHAIN = [[1, 0.5, 0.01], [0.5, 1, 0.4], [0.01, 0.4, 1]]


def test_a_chain_of_neighbours():
    result = made([1, 2, 3], CHAIN)
    assert result.groups == [(0, 1), (1, 2)] and result.letters == ("a", "ab", "b")
    assert result.underlined() == "a  b  c\n----\n   ----"
    assert made([1, 2, 3], CHAIN, better="higher").order.tolist() == [2, 1, 0]
    assert made([1, 2, 3], CHAIN, better="higher").letters == ("b", "ab", "a")


def test_p_at_alpha_is_a_difference():
    assert made([1, 2], [[1, 0.05], [0.05, 1]]).differ[0, 1]
    assert not made([1, 2], [[1, 0.0500001], [0.0500001, 1]]).differ[0, 1]


def test_equal_centres_keep_their_order_and_share_a_group():
    assert made([2, 2, 2], np.ones((3, 3))).groups == [(0, 1, 2)]


def test_one_critical_difference_or_none():
    same = np.full((2, 2), 0.3)
    np.fill_diagonal(same, np.nan)
    result = made([1, 2], [[1, 0.01], [0.01, 1]], margin=same)
    assert result.critical == pytest.approx(0.3) and "above 0.3 is significant" in str(result)
    assert result.pairs()[0]["high"] == pytest.approx(-0.7)
    assert np.isnan(made([1, 2], np.ones((2, 2))).critical)


def test_not_compared_is_no_difference():
    nan = float("nan")
    result = made([1, 2, 3], [[1, 0.5, 0.01], [0.5, 1, nan], [0.01, nan, 1]], control=0)
    assert not result.differ[1, 2] and len(result.pairs()) == 2 and result.groups == [(0, 1)]
    alone = made([1, 2], [[1, 0.01], [0.01, 1]], control=0)
    assert alone.groups == [] and alone.letters == ("a", "")
