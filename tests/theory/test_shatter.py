"""Shattering and VC dimensions: the figures of the textbook, brute force, and hypotheses that do what they say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import DataError, ParameterError
from assay.theory.labellings import FiniteClass, Intervals
from assay.theory.shatter import CLASSES, shatters, vc_dimension, vc_search

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
    result = vc_search("lines", tries=30)
    assert result.points.shape == (3, 2) and result.tried == 33  # a curve, a circle, a cross, 30 by chance


def test_no_five_points_are_shattered_by_boxes_nor_four_by_lines():
    rng = np.random.default_rng(0)
    for _ in range(300):
        assert not shatters("boxes", rng.normal(size=(5, 2)))
        assert shatters("lines", rng.normal(size=(4, 2))).count == 14


@pytest.mark.parametrize("name", CLASSES)
@given(data=st.data())
@settings(deadline=None, max_examples=12)
def test_a_hypothesis_does_what_the_table_says(name, data):
    """Points on a small grid: ties, copies and collinear points are the rule."""
    klass = CLASSES[name]
    d = klass.columns or data.draw(st.integers(1, 3))
    cells = st.lists(st.tuples(*[st.integers(-2, 2)] * d), min_size=1, max_size=5)
    points = np.array(data.draw(cells), dtype=float)
    result = shatters(klass, points)
    for label, real in zip(result.labellings, result.realised):
        rule = result.rule(label)
        assert (rule is not None) == real, (points, label)
        if rule is not None:
            assert np.array_equal(rule(points), label), (points, label)


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
