"""Bounds above what happens."""

import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError
from assay.plots.bound_display import BoundDisplay
from assay.theory.gap import simulate_gap


@pytest.mark.capability("BC-57")
def test_the_observed_gap_stays_below_the_bounds():
    """BC 5.5: the bound against N next to the observed gap, which stays below it."""
    study = simulate_gap([100, 300, 1000], runs=100, random_state=1)
    display = BoundDisplay.from_study(study)
    drawn = {name: line.get_ydata() for name, line in display.lines_.items()}
    assert_allclose(drawn["bound for 100 hypotheses"], study.finite)
    assert_allclose(drawn["bound by the VC dimension"], study.vc)
    assert_allclose(drawn["observed, 95% of the samples"], study.high)
    assert (study.high < study.finite).all() and (study.mean < study.high).all()
    assert display.ax_.get_xscale() == "log"
    assert [t.get_text() for t in display.ax_.get_legend().get_texts()] == list(display.lines_)


def test_sizes_are_drawn_in_order():
    display = BoundDisplay([100, 10], {"b": [0.1, 0.3]}).plot(log=False)
    assert display.lines_["b"].get_xdata().tolist() == [10, 100]
    assert display.ax_.get_xscale() == "linear"


def test_curves_of_another_length_are_refused():
    with pytest.raises(DataError, match="b has 1 values for 2 sizes"):
        BoundDisplay([1, 2], {"b": [0.1]})
    with pytest.raises(DataError, match="n must be a list"):
        BoundDisplay([], {})
