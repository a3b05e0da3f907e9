"""The figure of prediction intervals shows what it says."""

import pathlib
import runpy

import pytest

matplotlib = pytest.importorskip("matplotlib", reason="pictures need the extra assay[plot]")

GALLERY = pathlib.Path(__file__).resolve().parents[2] / "gallery"


@pytest.fixture(scope="module")
def coverage():
    import matplotlib.pyplot as plt

    plt.close("all")
    with matplotlib.rc_context({"backend": "agg"}):
        plt.switch_backend("agg")
        variables = runpy.run_path(str(GALLERY / "plot_prediction_intervals.py"))
    plt.close("all")
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
