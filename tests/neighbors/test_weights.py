"""What neighbours weigh: ratios, zeros, underflow, and neighbourhoods of several sizes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.densities.kernels import KERNELS
from assay.neighbors.weights import Neighborhoods, weigh


def near(*groups, reach=None):
    start = np.cumsum([0, *map(len, groups)])
    d = np.array([v for group in groups for v in group], dtype=float)
    reach = (
        np.array([max(group, default=0.0) for group in groups])
        if reach is None
        else np.full(len(groups), reach)
    )
    return Neighborhoods(start, np.arange(len(d)), d, reach)


def test_inverse_distances_and_zeros_in_each_neighbourhood():
    found = near([1, 2, 4], [], [0, 0, 3], [5])
    assert_allclose(weigh(found, "distance", None, "x"), [1, 0.5, 0.25, 1, 1, 0, 0.2])
    assert_array_equal(weigh(found, None, None, "x"), np.ones(7))
    assert_array_equal(found.empty, [False, True, False, False])
    assert_array_equal(found.query, [0, 0, 0, 2, 2, 2, 3])


@pytest.mark.capability("DC-101", "IML-8-09")
@given(d=st.lists(st.floats(0, 1e3), min_size=1, max_size=6), t=st.floats(0.5, 1e3))
def test_squared_exponential_ratios(d, t):
    """Only ratios matter, so the nearest weighs 1 and nothing underflows for it."""
    d = np.sort(d)
    expected = np.exp(-(d**2 - d[0] ** 2) / t**2)
    assert_allclose(weigh(near(d), "squared_exponential", t, "x"), expected, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_by_ratio(name):
    found = near([0.1, 0.4, 0.8], reach=1.0)
    profile = KERNELS[name].profile([0.1, 0.4, 0.8])
    assert_allclose(weigh(found, name, None, "x"), profile / profile[0], rtol=1e-12)
    assert_allclose(weigh(found, name, 1.0, "x"), profile / profile[0], rtol=1e-12)


@pytest.mark.parametrize("name", [*KERNELS, "squared_exponential"])
def test_neighbourhoods_without_extent_or_weight(name):
    assert_array_equal(weigh(near([0, 0]), name, None, "x"), [1, 1])  # all on the query
    assert_array_equal(weigh(near([2, 2], reach=2.0), name, None, "x"), [1, 1])  # all at the rim
    far = weigh(near([1e200, 2e200]), name, 1e-150, "x")
    assert np.isfinite(far).all() and far[0] == 1


def test_inverses_of_the_smallest_distances_keep_their_ratios():
    distances = np.array([1e-310, 4e-310, 0.0, 2e-310, 1.0])
    found = Neighborhoods(np.array([0, 2, 4, 5]), np.arange(5), distances, np.ones(3))
    weights = weigh(found, "distance", None, "test")
    np.testing.assert_allclose(weights[0] / weights[1], 4, rtol=1e-9)
    np.testing.assert_array_equal(weights[2:], [1, 0, 1])
