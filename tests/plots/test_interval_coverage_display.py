"""Coverage of prediction intervals: the points are the shares of rows inside."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError
from assay.plots.interval_coverage_display import NOMINAL, IntervalCoverageDisplay
from assay.stats.distributions.predictive import Normal

RNG = np.random.default_rng(0)
Y = RNG.normal(size=400)


def test_points_are_shares_of_rows_inside():
    distribution = Normal(np.zeros(400), 1.0)
    display = IntervalCoverageDisplay.from_distributions(
        Y, {"$right$": distribution, "narrow": Normal(np.zeros(400), 0.3)}
    )
    inside = [np.mean((low <= Y) & (high >= Y)) for low, high in map(distribution.interval, NOMINAL)]
    assert_allclose(display.lines_[0].get_ydata(), inside)
    assert display.lines_[1].get_ydata()[-1] < 0.6
    assert "95% interval 3.92 wide" in display.ax_.get_legend().get_texts()[0].get_text()
    display.figure_.canvas.draw()


def test_intervals_can_be_given_and_have_no_end():
    lower, upper = np.full((400, 2), -np.inf), np.column_stack([np.zeros(400), np.full(400, 1.0)])
    display = IntervalCoverageDisplay.from_intervals(Y, lower, upper, [0.5, 0.8], name="half")
    assert_allclose(display.lines_[0].get_ydata(), [np.mean(Y <= 0), np.mean(Y <= 1)])
    with pytest.raises(DataError, match="no intervals"):
        IntervalCoverageDisplay({})
