"""Rankings with intervals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import DataError
from assay.evaluate import compare
from assay.plots._interval_rows import spread
from assay.plots.comparison_display import ComparisonDisplay
from assay.tables.data import load_iris

RESULT = compare(["majority", "lda", "cart"], load_iris(), design="3x5", metrics=["error", "log-loss"])


@pytest.mark.parametrize("metric", [None, "log-loss"])
def test_points_means_and_intervals_are_the_comparison_s(metric):
    display = ComparisonDisplay.from_comparison(RESULT, metric)
    standings = RESULT.ranking(metric)
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == [s.learner for s in standings]
    dots, _, (bars,) = display.intervals_
    assert_allclose(dots.get_xdata(), [s.mean for s in standings])
    ends = np.array([segment[:, 0] for segment in bars.get_segments()])
    low = [np.nanmin([s.low, s.mean]) for s in standings]  # no interval: nothing beyond the mean
    high = [np.nanmax([s.high, s.mean]) for s in standings]
    assert_allclose(ends, np.column_stack([low, high]), atol=1e-12)
    for points, standing in zip(display.points_, standings):
        assert_allclose(points.get_offsets()[:, 0], RESULT.values(standing.learner, metric))
    assert [t.get_text() for t in display.ax_.texts] == [s.letters for s in standings]
    assert display.ax_.get_xlabel() == (metric or "error")


def test_values_can_be_left_out_and_intervals_be_unknown():
    display = ComparisonDisplay(["a", "b"], [0.1, 0.2]).plot()
    assert display.points_ == [] and len(display.ax_.texts) == 0
    assert ComparisonDisplay.from_comparison(RESULT, points=False).points_ == []


def test_what_does_not_fit_together_is_refused():
    with pytest.raises(DataError, match="no learners"):
        ComparisonDisplay([], [])
    with pytest.raises(DataError, match="1 letters for 2 learners"):
        ComparisonDisplay(["a", "b"], [0.1, 0.2], letters=["a"])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), max_size=40))
def test_shifts_part_equal_values_and_stay_in_their_lane(values):
    values = np.array(values)
    shift = spread(values)
    assert (np.abs(shift) <= 0.3).all()
    pairs = list(zip(values.tolist(), shift.tolist()))
    assert len(set(pairs)) == len(pairs)
