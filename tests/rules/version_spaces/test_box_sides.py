"""Sides of boxes: what they can cut off, and boxes of which every side is needed."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from assay.errors import DegenerateError
from assay.rules.version_spaces.box import hull
from assay.rules.version_spaces.box_sides import maximal, sides_of, widest
from assay.tables import Column, Schema


def test_sides_of_huge_numbers_have_finite_gaps():
    S = hull(np.array([[1e308], [-1e308]]), Schema.numeric(1))
    sides = sides_of(S, np.array([[1.7e308], [-1.7e308]]), units="range")
    assert np.isfinite(sides.gap).all() and (widest(sides)[0] == [1, 0]).all()


def test_each_side_ranks_the_rows_beyond_it_by_their_distance():
    schema = Schema([Column("a"), Column("c", "nominal", ("u", "v", "w"))])
    S = hull(np.array([[2.0, 0], [4.0, 0]]), schema)
    N = np.array([[1.0, 0], [0.0, 1], [6.0, 2], [3.0, 0], [np.nan, 0]])
    sides = sides_of(S, N)
    assert_array_equal(sides.rows, [0, 1, 2])
    assert_array_equal(sides.inside, [3])
    assert sides.known == (0,)  # the row without a value of a stays outside for that
    assert_array_equal(sides.rank, [[1, 0, 0, 0], [2, 0, 1, 0], [0, 1, 0, 1]])
    assert_array_equal(sides.gap, [[1, 0, 0, 0], [2, 0, np.inf, 0], [0, 2, 0, np.inf]])
    assert_array_equal(sides_of(S, N, "value").rank, [[1, 0, 0], [2, 0, 1], [0, 1, 1]])


def test_no_negatives_need_no_sides():
    S = hull(np.array([[2.0], [4.0]]), Schema.numeric(1))
    sides = sides_of(S, np.zeros((0, 1)))
    assert sides.rank.shape == (0, 0) and len(maximal(sides, 10, "x")) == 1
    assert [len(part) for part in widest(sides)] == [0, 0]


def test_more_boxes_than_allowed_are_refused():
    rng = np.random.default_rng(0)
    S = hull(np.zeros((1, 6)), Schema.numeric(6))
    sides = sides_of(S, rng.normal(size=(40, 6)))
    with pytest.raises(DegenerateError, match="x: there are more than 20 most general boxes"):
        maximal(sides, 20, "x")
