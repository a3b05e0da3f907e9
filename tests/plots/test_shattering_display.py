"""Small pictures of labellings."""

import numpy as np
import pytest

from assay.errors import DataError
from assay.plots.shattering_display import ShatteringDisplay
from assay.theory.shatter import shatters

TRIANGLE = [(0.0, 0.0), (1.0, 0.0), (0.4, 0.9)]


@pytest.mark.capability("BC-56")
def test_eight_labellings_of_three_points_each_with_its_line():
    """BC figure 5.5.1: every labelling of three points that are not on a line, with a line that realises it."""
    display = ShatteringDisplay.from_points("lines", TRIANGLE)
    assert sorted(display.cells_.tolist()) == list(range(8)) and len(display.regions_) == 8
    at, _, _ = display._placed()
    steps = np.round(at * 120).astype(int)  # cells of the grid that hold the points
    for c, region in display.regions_.items():
        assert region[steps[:, 1], steps[:, 0]].tolist() == display.shattering.labellings[c].tolist()
    assert display.ax_.get_title() == "half-spaces: 8 of 8 labellings"


@pytest.mark.parametrize(
    ("points", "count"),
    [
        ([(0, 0), (1, 0), (2, 0)], 6),
        ([(0, 0), (1, 0), (0, 1), (1, 1)], 14),
        ([(0, 0), (4, 0), (2, 3), (2, 1)], 14),
    ],
)
def test_labellings_without_a_line_stand_on_grey(points, count):
    """BC 5.5.2: three points on a line 6 of 8, a square 14 of 16, a triangle with a point inside 14 of 16."""
    display = ShatteringDisplay.from_points("lines", points)
    assert len(display.regions_) == count
    words = [t.get_text() for t in display.ax_.texts]
    assert words == ["none"] * (2 ** len(points) - count)


def test_numbers_on_a_line_and_boxes():
    assert len(ShatteringDisplay.from_points("intervals", [1.0, 2.0, 4.0]).regions_) == 7
    assert (
        len(ShatteringDisplay.from_points("boxes", [(0, 1), (1, 0), (0, -1), (-1, 0)], columns=8).regions_)
        == 16
    )


def test_points_that_coincide_have_labellings_that_nothing_realises():
    assert len(ShatteringDisplay.from_points("lines", [(1.0, 1.0), (1.0, 1.0)]).regions_) == 2


def test_too_many_points_or_columns_are_refused():
    with pytest.raises(DataError, match="7 points have 128 labellings; at most 6"):
        ShatteringDisplay(shatters("lines", np.random.default_rng(0).normal(size=(7, 2))))
    with pytest.raises(DataError, match="these have 3 columns"):
        ShatteringDisplay.from_points("boxes", np.eye(3))
