"""The figure of prediction intervals shows what it says."""

import pytest
from tests.gallery.drawing import draw


@pytest.fixture(scope="module")
def coverage():
    variables = draw("plot_prediction_intervals.py")
    return variables["coverage"]


def test_all_keep_the_promise_on_average(coverage):
    assert all(0.88 < shares[None] < 0.93 for shares in coverage.values())


def test_intervals_of_one_width_fail_on_both_sides_and_adapted_ones_do_not(coverage):
    for name in ("analytic", "jackknife+"):
        assert coverage[name]["left"] > 0.97 and coverage[name]["right"] < 0.8
    for name in ("normalized", "quantile"):
        assert (
            max(coverage[name].values()) - min(coverage[name].values()) < 0.1
            and coverage[name]["right"] > 0.88
        )
