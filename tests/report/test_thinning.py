"""Thinning keeps the drawn line within its tolerance."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.report.thinning import thinned


def distance(p, line):
    """How far a point is from a line of segments, the slow way."""
    best = np.inf
    for a, b in pairwise(line):
        way = b - a
        share = np.clip((p - a) @ way / (way @ way), 0, 1) if way @ way else 0.0
        best = min(best, float(np.linalg.norm(p - a - share * way)))
    return best


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=40),
    st.sampled_from([1e-3, 0.02, 0.3]),
)
def test_no_dropped_point_is_farther_than_the_tolerance(points, tolerance):
    points = np.array(points)
    kept = thinned(points, tolerance)
    assert len(kept) <= len(points)
    np.testing.assert_array_equal(kept[[0, -1]], points[[0, -1]])
    assert all(distance(p, kept) <= tolerance + 1e-12 for p in points)
    assert {tuple(k) for k in kept} <= {tuple(p) for p in points}


def test_a_staircase_of_many_rows_needs_few_points():
    rng = np.random.default_rng(0)
    x, y = np.sort(rng.random(20_000)), np.sort(rng.random(20_000))
    assert len(thinned(np.column_stack([x, y]), 0.004)) < 60


def test_a_corner_stays():
    corner = np.array([[0.0, 0.0], [0.0, 0.5], [0.0, 1.0], [0.5, 1.0], [1.0, 1.0]])
    np.testing.assert_array_equal(thinned(corner, 0.002), corner[[0, 2, 4]])


def test_two_points_or_equal_points_are_left_alone():
    assert len(thinned(np.zeros((2, 2)))) == 2
    assert len(thinned(np.zeros((9, 2)))) == 2
