"""Landscapes over two factors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.experiments.designs.response_surface import ResponseSurface
from assay.experiments.designs.surface_designs import central_composite
from assay.plots.response_surface_display import ResponseSurfaceDisplay

# Oracle: the summit of 80 + 4a + 2b - 3a^2 - 2b^2 + ab is at (18/23, 16/23), height 82.26087.
FACTORS = {"depth": (2, 8), "rate": (0.1, 0.5)}
DESIGN = central_composite(FACTORS)


def response(coded):
    a, b = coded[:, 0], coded[:, 1]
    return 80 + 4 * a + 2 * b - 3 * a**2 - 2 * b**2 + a * b


def test_heights_and_summit_are_the_surface_s():
    display = ResponseSurfaceDisplay.from_runs(DESIGN, response(DESIGN.coded), response="accuracy")
    depth, rate = (np.asarray(side) for side in display.grid_)
    a, b = np.meshgrid((depth - 5) / 3, (rate - 0.3) / 0.2)
    assert_allclose(display.height_.ravel(), response(np.column_stack([a.ravel(), b.ravel()])), rtol=1e-9)
    x, y = display.stationary_.get_data()
    assert_allclose([x[0], y[0]], [5 + 3 * 18 / 23, 0.3 + 0.2 * 16 / 23], rtol=1e-9)
    assert [t.get_text() for t in display.ax_.get_legend().get_texts()] == ["runs", "maximum"]
    runs = next(c for c in display.ax_.collections if c.get_label() == "runs")
    assert_allclose(runs.get_offsets()[:, 0], 5 + 3 * DESIGN.coded[:, 0])
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("depth", "rate")


def test_the_path_of_steepest_ascent_rises():
    display = ResponseSurfaceDisplay.from_runs(DESIGN, response(DESIGN.coded), path="maximum")
    way = next(line for line in display.ax_.lines if "steepest" in line.get_label())
    x, y = way.get_data()
    along = response(np.column_stack([(x - 5) / 3, (y - 0.3) / 0.2]))
    assert (np.diff(along)[:2] > 0).all() and (x[0], y[0]) == (5, pytest.approx(0.3))


def test_of_three_factors_one_is_held():
    three = central_composite(3)
    values = three.coded @ [1.0, 2.0, 4.0] - (three.coded**2).sum(axis=1)
    display = ResponseSurfaceDisplay.from_runs(three, values, factors=("C", "A"), at={"B": 0.5})
    assert display.ax_.get_title() == "at B 0.5" and display.ax_.get_xlabel() == "C"
    middle = len(display.height_) // 2
    assert display.height_[middle, middle] == pytest.approx(2 * 0.5 - 0.25)


def test_a_summit_outside_is_not_marked_and_a_plain_is_told():
    far = ResponseSurfaceDisplay.from_runs(DESIGN, 50 * DESIGN.coded[:, 0] - (DESIGN.coded**2).sum(axis=1))
    assert far.stationary_ is None
    flat = ResponseSurfaceDisplay(ResponseSurface.fit(DESIGN, np.full(len(DESIGN), 7.0))).plot()
    assert flat.contours_ is None and flat.ax_.texts[0].get_text() == "flat at 7"


def test_what_is_no_landscape_is_refused():
    surface = ResponseSurface.fit(DESIGN, response(DESIGN.coded))
    with pytest.raises(ParameterError, match=r"no factor 'height'\. Factors: depth, rate"):
        ResponseSurfaceDisplay(surface).plot(factors=("height", "rate"))
    with pytest.raises(DataError, match=r"each of 2 factors, got shape \(3, 1\)"):
        ResponseSurfaceDisplay(surface, np.zeros((3, 1)))
    one = ResponseSurface.fit(np.array([[-1.0], [0.0], [1.0], [0.5]]), [1.0, 2.0, 1.0, 1.7])
    with pytest.raises(DataError, match="needs two factors"):
        ResponseSurfaceDisplay(one)
