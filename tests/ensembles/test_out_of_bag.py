"""Bags of rows and the rows outside of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.ensembles.out_of_bag import (
    bag_size,
    draw_rows,
    draw_seeds,
    expected_distinct_share,
    mean_of_outsiders,
    out_of_bag,
)
from assay.errors import DegenerateWarning


@pytest.mark.capability("IML-17-08")
@pytest.mark.parametrize(
    ("n", "share"), [(10, 0.65132156), (100, 0.63396766), (10**12, 0.63212056), (1, 1.0)]
)
def test_the_expected_share_of_distinct_rows(n, share):
    assert_allclose(expected_distinct_share(n), share, atol=5e-9)


@pytest.mark.capability("IML-17-08")
def test_bags_hold_the_expected_share_of_distinct_rows():
    shares = [1 - out_of_bag(draw_rows(seed, 100, 100, None), 100).mean() for seed in range(400)]
    assert abs(np.mean(shares) - expected_distinct_share(100)) < 4 * np.std(shares) / np.sqrt(400)


def test_a_smaller_bag_holds_fewer_rows():
    assert_allclose(expected_distinct_share(4, 1), 1 / 4)
    assert_allclose(expected_distinct_share(4, 2), 1 - (3 / 4) ** 2)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**31), old=st.integers(0, 20), new=st.integers(0, 20))
def test_a_seed_depends_on_its_number_alone(seed, old, new):
    assert_array_equal(draw_seeds(seed, old, new), draw_seeds(seed, 0, old + new)[old:])


def test_rows_of_weight_zero_are_never_drawn():
    w = np.array([0.0, 1.0, 3.0, 0.0])
    rows = draw_rows(0, 4, 4000, w)
    assert set(rows) == {1, 2}
    assert abs(np.mean(rows == 2) - 0.75) < 0.04
    assert sorted(draw_rows(0, 6, 6, None, replace=False)) == list(range(6))


def test_the_size_of_a_bag():
    assert bag_size(50, None, None) == 50
    assert bag_size(50, 7, None) == 7
    assert bag_size(50, 0.5, None) == 25
    assert bag_size(50, 0.5, np.full(50, 2.0)) == 50
    with pytest.warns(DegenerateWarning, match=r"results in a low number \(1\) of bootstrap samples"):
        assert bag_size(50, 0.001, None) == 1


@pytest.mark.capability("IML-17-08")
def test_the_estimate_for_a_row_is_the_mean_of_those_who_did_not_see_it():
    bags = [np.array([0, 1]), np.array([1, 1]), np.array([0, 2])]
    mean, votes = mean_of_outsiders(bags, lambda t, rows: np.full((len(rows), 1), 10.0**t), 4, 1)
    assert_array_equal(votes, [1, 1, 2, 3])
    assert_allclose(mean[:, 0], [10, 100, (1 + 10) / 2, 111 / 3])


def test_a_row_in_every_bag_has_no_estimate_and_says_so():
    with pytest.warns(DegenerateWarning, match="1 rows are in every bag"):
        mean, votes = mean_of_outsiders([np.array([0])], lambda t, rows: np.ones((len(rows), 1)), 2, 1)
    assert_array_equal(mean[:, 0], [0, 1])
    assert_array_equal(votes, [0, 1])
