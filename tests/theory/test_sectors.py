"""The orders of points along a turning direction, exactly."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.sectors import Sectors
from assay.theory.shatter import shatters


def test_very_small_and_very_large_coordinates_are_exact():
    tiny = np.array([(0, 0), (1e-300, 0), (0, 1e-300)])
    assert shatters("lines", tiny).count == 8 and shatters("lines", tiny * 1e300 * 1e300).count == 8
    almost = [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0 + 1e-15)]
    assert shatters("lines", almost).count == 8  # not quite collinear
    assert shatters("triangles", [(0.0, 0.0)]).count == 2


def test_three_points_have_six_sectors_opposite_ones_with_opposite_orders():
    result = Sectors.of(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    assert len(result.starts) == len(result.ranks) == 6
    np.testing.assert_array_equal(result.ranks[:3], 2 - result.ranks[3:])


@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=6, unique=True))
@settings(deadline=None, max_examples=40)
def test_every_direction_finds_its_order_among_the_sectors(points):
    points = np.array(points, dtype=float)
    result = {tuple(r) for r in Sectors.of(points).ranks.tolist()}
    for t in np.random.default_rng(0).uniform(0, 2 * np.pi, 50):
        along = points @ [np.cos(t), np.sin(t)]
        assert tuple(np.argsort(np.argsort(along)).tolist()) in result


def test_points_on_a_line_have_two_orders_and_one_place_has_one():
    assert Sectors.of(np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]])).ranks.tolist() in (
        [[0, 1, 2], [2, 1, 0]],
        [[2, 1, 0], [0, 1, 2]],
    )
    alone = Sectors.of(np.array([[3.0, 3.0], [3.0, 3.0]]))
    assert alone.starts == [] and alone.ranks.tolist() == [[0, 0]] and alone.triples().tolist() == [[0, 0, 0]]
