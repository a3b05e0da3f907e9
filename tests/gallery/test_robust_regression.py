"""The figure of robust regression shows what its text says."""

import pathlib
import runpy

import pytest

matplotlib = pytest.importorskip("matplotlib", reason="pictures need the extra assay[plot]")

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "gallery" / "plot_robust_regression.py"


@pytest.mark.capability("IML-2-17")
def test_only_least_squares_follows_the_gross_error():
    import matplotlib.pyplot as plt

    with matplotlib.rc_context({"backend": "agg"}):
        plt.switch_backend("agg")
        slopes = runpy.run_path(str(SCRIPT))["slopes"]
    plt.close("all")
    moved = {name: abs(after - before) for name, (before, after) in slopes.items()}
    assert moved.pop("squared") > 0.4
    assert max(moved.values()) < 0.1
