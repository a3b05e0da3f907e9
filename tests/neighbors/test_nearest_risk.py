"""The risk of nearest neighbours with endless data."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import ParameterError
from assay.neighbors.nearest_risk import bayes_risk_bounds, nearest_neighbor_risk, nearest_risk_bounds


@pytest.mark.capability("IML-8-12")
@pytest.mark.parametrize(
    ("eta", "one", "three"), [(0.1, 0.18, 0.1224), (0.2, 0.32, 0.2624), (0.3, 0.42, 0.3864)]
)
def test_risks_of_the_book(eta, one, three):
    assert_allclose(nearest_neighbor_risk(eta, 1), one, rtol=1e-12)
    assert_allclose(nearest_neighbor_risk(eta, 3), three, rtol=1e-12)
    assert_allclose(nearest_risk_bounds(eta).high, one)  # constant posterior: the bound is reached


@settings(max_examples=30, deadline=None)
@given(weights=st.lists(st.floats(0.01, 1), min_size=2, max_size=4), k=st.integers(1, 5))
def test_the_risk_lies_within_its_bounds(weights, k):
    p = np.array(weights) / np.sum(weights)
    best = 1 - p.max()
    bounds = nearest_risk_bounds(best, len(p))
    assert bounds.low - 1e-12 <= nearest_neighbor_risk(p, 1) <= bounds.high + 1e-12 <= 2 * best + 2e-12
    assert_allclose(nearest_neighbor_risk(p, 1), 1 - np.sum(p**2), atol=1e-12)
    assert nearest_neighbor_risk(p, k) >= best - 1e-12


def test_more_neighbours_come_closer_to_the_best():
    risks = [nearest_neighbor_risk(0.2, k) for k in (1, 3, 5, 21, 101)]
    assert all(b < a for a, b in pairwise(risks))
    assert_allclose(risks[-1], 0.2, atol=1e-6)
    assert_allclose(nearest_neighbor_risk(0.2, 2), nearest_neighbor_risk(0.2, 1))  # a tie is a toss


@settings(max_examples=20, deadline=None)
@given(best=st.floats(0, 0.5), K=st.integers(2, 6))
def test_the_bounds_of_each_other_meet(best, K):
    high = nearest_risk_bounds(best, K).high
    assert_allclose(bayes_risk_bounds(high, K).low, best, atol=1e-7)
    assert bayes_risk_bounds(best, K).high == best


def test_what_is_no_risk_is_refused():
    for call in (
        lambda: nearest_neighbor_risk([0.5, 0.6]),
        lambda: nearest_neighbor_risk(0.2, 0),
        lambda: nearest_risk_bounds(0.6, 2),
        lambda: nearest_risk_bounds(0.1, 1),
        lambda: bayes_risk_bounds(1.2),
    ):
        with pytest.raises(ParameterError, match=r"must be|is from"):
            call()
