"""The figures of local units: what they must show."""

import pytest
from numpy.testing import assert_allclose
from tests.gallery.drawing import draw


@pytest.mark.capability("IML-12-40")
def test_bells_shares_codes_and_exclusive_or():
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
