"""Half-spaces and balls: two ways of deciding agree, and margins are wide."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.labellings import Boxes
from assay.theory.separators import Balls, HalfSpaces
from assay.theory.shatter import shatters


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=6))
@settings(deadline=None, max_examples=25)
def test_turning_lines_and_linear_programmes_agree(points):
    points = np.array(points, dtype=float)
    listed = HalfSpaces().realised(points)
    solved = [HalfSpaces().rule(points, label) is not None for label in shatters("lines", points).labellings]
    assert listed.tolist() == solved


def test_balls_are_not_lines():
    """A point amid three others: a circle around it alone, no line; the three without it: neither."""
    points = [(0, 0), (4, 0), (0, 4), (1, 1)]
    result = shatters("circles", points)
    assert result.realised[8] and not shatters("lines", points).realised[8]
    assert not result.realised[7]


def test_boxes_and_balls_in_any_dimension():
    for d in (1, 2, 3):
        assert Boxes().realised(np.vstack([np.eye(d), -np.eye(d)])).all()
        assert Balls().realised(np.vstack([np.zeros(d), np.eye(d)])).all()


def test_of_all_separating_lines_the_one_with_the_widest_margin_is_taken():
    """Points at -1 and 3 on a line: the middle is 1."""
    rule = HalfSpaces().rule(np.array([[-1.0], [3.0]]), np.array([False, True]))
    assert rule(np.array([[0.99], [1.01]])).tolist() == [False, True]


def test_through_the_origin_a_point_and_its_double_have_one_label():
    points = np.array([[1.0, 1.0], [2.0, 2.0]])
    assert HalfSpaces(bias=False).realised(points).sum() == 2 and HalfSpaces().realised(points).sum() == 4
