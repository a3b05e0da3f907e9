"""The figures of local units: what they must show."""

import pathlib
import runpy

import pytest
from numpy.testing import assert_allclose

matplotlib = pytest.importorskip("matplotlib", reason="pictures need the extra assay[plot]")

GALLERY = pathlib.Path(__file__).resolve().parents[2] / "gallery"


@pytest.fixture
def draw():
    """Run a script without a screen; its variables."""
    import matplotlib.pyplot as plt

    with matplotlib.rc_context({"backend": "agg"}):
        plt.switch_backend("agg")
        yield lambda name: runpy.run_path(str(GALLERY / name))
        plt.close("all")


@pytest.mark.capability("IML-12-40")
def test_bells_shares_codes_and_exclusive_or(draw):
    """A bell is e^-4.5 three spreads away; shares sum to one; both networks tell the corners apart."""
    v = draw("plot_local_units.py")
    assert_allclose(v["bell"][[200, 80]], [1.0, 0.011109], atol=1e-6)
    assert_allclose(v["units"].shares(v["x"]).sum(axis=1), 1)
    for net in (v["round_units"].activations(v["corners"]).sum(axis=1) - 0.5,
                v["oblique"].activations(v["corners"])[:, 0] - 0.3):  # fmt: skip
        assert ((net > 0) == [False, True, True, False]).all()
    local, distributed = v["local"], v["distributed"]
    assert (local.sum(axis=1) <= 1).all() and len({tuple(code) for code in local.tolist()}) == 4
    assert (
        len({tuple(code) for code in distributed.tolist()}) > 4
    )  # three lines have more regions than three circles
