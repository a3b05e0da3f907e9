"""Lift of the top of a ranking."""

import numpy as np
from numpy.testing import assert_allclose

from assay.plots.lift_display import LiftDisplay


def test_the_line_ends_at_one_and_begins_at_the_best_possible():
    y = np.array([1, 1, 0, 0, 0, 0, 0, 0, 0, 0])
    display = LiftDisplay.from_predictions(y, {"good": -np.arange(10), "bad": np.arange(10)})
    assert_allclose(display.lines_["good"].get_xdata(), np.arange(1, 11) / 10)
    assert_allclose(display.lines_["good"].get_ydata()[[0, 1, 4, 9]], [5, 5, 2, 1])
    assert_allclose(display.lines_["bad"].get_ydata()[[0, 7, 8, 9]], [0, 0, 0.5 / 0.9, 1])
    assert [t.get_text() for t in display.ax_.get_legend().get_texts()] == ["at random", "good", "bad"]
    assert display.ax_.get_ylabel() == "lift of 1"
