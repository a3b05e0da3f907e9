"""Differences between learners on the same splits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.evaluate import compare
from assay.plots.paired_difference_display import PairedDifferenceDisplay
from assay.tables.data import load_iris

RESULT = compare(["majority", "lda", "cart"], load_iris(), design="3x5")


def test_estimates_and_intervals_are_those_of_the_tests():
    display = PairedDifferenceDisplay.from_comparison(RESULT, rope=0.02)
    best, *others = [s.learner for s in RESULT.ranking()]
    assert display.reference == best and display.names == others
    verdicts = [RESULT.test(name, best) for name in others]
    dots, _, (bars,) = display.intervals_
    assert_allclose(dots.get_xdata(), [v.result.estimate for v in verdicts])
    ends = np.array([segment[:, 0] for segment in bars.get_segments()])
    assert_allclose(ends, [[v.result.low, v.result.high] for v in verdicts])
    for points, name in zip(display.points_, others):
        assert_allclose(points.get_offsets()[:, 0], RESULT.values(name) - RESULT.values(best))
    assert display.ax_.get_xlabel() == f"error, learner minus {best}"
    (region,) = [p for p in display.ax_.patches if p.get_label() == "does not matter"]
    assert_allclose([region.get_x(), region.get_x() + region.get_width()], [-0.02, 0.02])


def test_another_learner_can_be_subtracted():
    display = PairedDifferenceDisplay.from_comparison(RESULT, "majority", learners=["lda"])
    assert display.names == ["lda"] and display.estimates[0] < 0
    assert display.ax_.texts[0].get_text() == "p < 0.001"


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(DataError, match="nothing to compare"):
        PairedDifferenceDisplay.from_comparison(RESULT, "lda", learners=["lda"])
    with pytest.raises(ParameterError, match="'ripper' is not among"):
        PairedDifferenceDisplay.from_comparison(RESULT, "ripper")
    with pytest.raises(ParameterError, match="rope must be a number of at least 0, got -1"):
        PairedDifferenceDisplay.from_comparison(RESULT, rope=-1)
    with pytest.raises(DataError, match="2 lows for 1 learners"):
        PairedDifferenceDisplay(["a"], [0.1], [0, 0], [1])
