"""Shattering and VC dimensions: the figures of the textbook, brute force, and hypotheses that do what they say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import DataError, ParameterError
from assay.theory.labellings import Boxes, FiniteClass, Intervals, LookUp, Stumps
from assay.theory.separators import Balls, HalfSpaces
from assay.theory.shatter import CLASSES, shatters, vc_dimension, vc_search
from assay.theory.triangles import Triangles

SQUARE = [(0, 0), (1, 0), (0, 1), (1, 1)]
DIAMOND = [(0, 1), (1, 0), (0, -1), (-1, 0)]


def circle(n):
    t = 2 * np.pi * np.arange(n) / n
    return np.column_stack([np.cos(t), np.sin(t)])


@pytest.mark.capability("BC-53")
def test_lines_in_the_plane():
    """Three points 8/8, collinear 6/8, square 14/16 (XOR and its complement fail), triangle and inner point 14/16."""
    assert shatters("lines", [(0, 0), (1, 0), (0, 1)]).count == 8
    assert shatters("lines", [(0, 0), (1, 1), (2, 2)]).count == 6
    square = shatters("lines", SQUARE)
    assert square.count == 14 and not square
    assert square.failing.astype(int).tolist() == [[0, 1, 1, 0], [1, 0, 0, 1]]
    assert shatters("lines", [(0, 0), (4, 0), (0, 4), (1, 1)]).count == 14


@pytest.mark.capability("IML-2-09")
def test_boxes_lines_and_triangles_of_the_textbook():
    assert shatters("boxes", DIAMOND).shattered
    assert not shatters("boxes", [(0, 0), (1, 1), (2, 2), (3, 3)])
    assert shatters("boxes", SQUARE).count == 10
    assert shatters("triangles", circle(7)).count == 128
    eight = shatters("triangles", circle(8))
    assert eight.count == 254
    assert eight.failing.astype(int).tolist() == [[1, 0] * 4, [0, 1] * 4]
    assert shatters("lines", [(0, 0), (1, 0), (0, 1)]) and not shatters("lines", [(0, 0), (1, 0), (2, 0)])


@pytest.mark.capability("BC-54", "IML-2-10")
def test_the_search_finds_the_known_dimensions():
    """Rectangles 4, lines 3, triangles 7, and linear K + 1 in K dimensions; a look-up table has no limit."""
    for name, size in (("rectangles", 4), ("lines", 3), ("triangles", 7), ("circles", 3), ("stumps", 3)):
        assert vc_search(name, tries=20).size == vc_dimension(name) == size
    for d in (1, 3, 4):
        assert vc_search("half-spaces", d, tries=1).size == vc_dimension("half-spaces", d) == d + 1
        assert vc_search("boxes", d, tries=1).size == vc_dimension("boxes", d) == 2 * d
    assert vc_search("intervals").size == 2 and vc_search("thresholds").size == 1
    assert vc_search(Intervals(pieces=2)).size == Intervals(pieces=2).vc(1) == 4
    assert vc_dimension("look-up table") == np.inf and vc_search("look-up table", most=6).size == 6
    found = vc_search("lines", tries=30)
    assert found.points.shape == (3, 2) and found.tried == 33  # a curve, a circle, a cross, 30 by chance


def test_no_five_points_are_shattered_by_boxes_nor_four_by_lines():
    rng = np.random.default_rng(0)
    for _ in range(300):
        assert not shatters("boxes", rng.normal(size=(5, 2)))
        assert shatters("lines", rng.normal(size=(4, 2))).count == 14


def test_no_eight_points_are_shattered_by_triangles():
    rng = np.random.default_rng(1)
    for _ in range(10):
        assert not shatters("triangles", rng.normal(size=(8, 2)))


@pytest.mark.parametrize("name", CLASSES)
@given(data=st.data())
@settings(deadline=None, max_examples=12)
def test_a_hypothesis_does_what_the_table_says(name, data):
    """Points on a small grid: ties, copies and collinear points are the rule."""
    klass = CLASSES[name]
    d = klass.columns or data.draw(st.integers(1, 3))
    cells = st.lists(st.tuples(*[st.integers(-2, 2)] * d), min_size=1, max_size=5)
    points = np.array(data.draw(cells), dtype=float)
    found = shatters(klass, points)
    for label, real in zip(found.labellings, found.realised):
        rule = found.rule(label)
        assert (rule is not None) == real, (points, label)
        if rule is not None:
            assert np.array_equal(rule(points), label), (points, label)


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=6))
@settings(deadline=None, max_examples=25)
def test_turning_lines_and_linear_programmes_agree(points):
    points = np.array(points, dtype=float)
    listed = HalfSpaces().realised(points)
    solved = [HalfSpaces().rule(points, label) is not None for label in shatters("lines", points).labellings]
    assert listed.tolist() == solved


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=3, max_size=6, unique=True))
@settings(deadline=None, max_examples=10)
def test_no_triangle_is_overlooked(points):
    """Twin: all triples of 60 directions. What they cut off must be found; that no more is found, the rules show."""
    points = np.array(points, dtype=float)
    t = np.linspace(0, 2 * np.pi, 61)[:-1] + 0.0137
    along, bits = points @ np.array([np.cos(t), np.sin(t)]), 1 << np.arange(len(points))
    near = (np.arange(60)[None, :] - np.arange(60)[:, None]) % 60 < 30  # less than half a turn ahead
    closed = near[:, :, None] & near[None, :, :] & near.T[:, None, :]
    found = shatters("triangles", points)
    for label in found.labellings[1:]:
        cut = ((along > along[label].max(axis=0) + 1e-12) & ~label[:, None]).T @ bits
        union = cut[:, None, None] | cut[None, :, None] | cut[None, None, :]
        if (closed & (union == (~label) @ bits)).any():
            assert found.realised[int(label @ bits)], (points, label)


def test_triangles_have_corners_to_draw():
    for label in shatters("triangles", circle(7)).labellings[1:]:
        corners = Triangles().corners(circle(7), label)
        ahead = np.roll(corners, -1, axis=0) - corners
        side = [
            ahead[i, 0] * (circle(7)[:, 1] - corners[i, 1]) - ahead[i, 1] * (circle(7)[:, 0] - corners[i, 0])
            for i in range(3)
        ]
        inside = (np.array(side) > 0).all(axis=0) | (np.array(side) < 0).all(axis=0)
        assert np.array_equal(inside, label)
    assert Triangles().corners(circle(8), np.array([True, False] * 4)) is None


def test_stumps_reach_their_dimension():
    """Four points in three dimensions: each pair, each single point and each three are one end of an order."""
    places = np.array([[0, 1, 2, 3], [2, 0, 3, 1], [0, 2, 3, 1]], dtype=float).T
    assert shatters("stumps", places).count == 16
    assert [Stumps().vc(d) for d in (1, 2, 3, 4, 5)] == [2, 3, 4, 4, 5]


def test_balls_are_not_lines():
    """A point amid three others: a circle around it alone, no line; the three without it: neither."""
    points = [(0, 0), (4, 0), (0, 4), (1, 1)]
    found = shatters("circles", points)
    assert found.realised[8] and not shatters("lines", points).realised[8]
    assert not found.realised[7]


def test_a_list_of_hypotheses():
    rules = [lambda X, t=t: X[:, 0] >= t for t in (0, 1, 2, 3)]
    found = shatters(FiniteClass(rules), [0.5, 1.5])
    assert found.count == 3 and FiniteClass(rules).vc(1) == 2
    assert shatters(LookUp(), [1.0, 1.0]).count == 2  # one place cannot have two labels


def test_very_small_and_very_large_coordinates_are_exact():
    tiny = np.array([(0, 0), (1e-300, 0), (0, 1e-300)])
    assert shatters("lines", tiny).count == 8 and shatters("lines", tiny * 1e300 * 1e300).count == 8
    almost = [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0 + 1e-15)]
    assert shatters("lines", almost).count == 8  # not quite collinear
    assert shatters("triangles", [(0.0, 0.0)]).count == 2


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: shatters("ellipses", SQUARE), "hypotheses must be one of thresholds"),
        (lambda: shatters("triangles", [1.0, 2.0]), "triangles live in 2 dimensions, the points have 1"),
        (lambda: shatters("boxes", np.zeros((17, 2))), "at most 16 points are tried"),
        (lambda: shatters("boxes", [[np.nan, 1.0]]), "point 0 has nan"),
        (lambda: shatters("boxes", []), "points must have shape"),
        (lambda: vc_search("triangles", most=11), "most must be at most 10"),
        (lambda: Intervals(pieces=0), "pieces must be a whole number"),
        (lambda: shatters("boxes", SQUARE).rule([True]), "one label per point, 4"),
        (lambda: shatters(FiniteClass([lambda X: [True]]), SQUARE), "one label per point, 4"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises((DataError, ParameterError), match=words):
        call()


def test_boxes_and_balls_in_any_dimension():
    for d in (1, 2, 3):
        assert Boxes().realised(np.vstack([np.eye(d), -np.eye(d)])).all()
        assert Balls().realised(np.vstack([np.zeros(d), np.eye(d)])).all()
