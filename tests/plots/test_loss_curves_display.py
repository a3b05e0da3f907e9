"""LS-4: the losses of linear models against the margin."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.optimize.losses import MARGIN_LOSSES
from assay.plots.loss_curves_display import LossCurvesDisplay


@pytest.mark.capability("LS-16", "DC-76")
def test_the_curves_have_the_table_s_values():
    display = LossCurvesDisplay.from_losses(low=-2, high=2, steps=9)
    at = [0, 2, 3, 4, 5, 6, 8]  # y s = -2, -1, -0.5, 0, 0.5, 1, 2
    assert_allclose(display.margin[at], [-2, -1, -0.5, 0, 0.5, 1, 2])
    scaled = [3.068508, 1.894636, 1.405296, 1, 0.683949, 0.451941, 0.183118]
    assert_allclose(display.curves["scaled_log_loss"][at], scaled, atol=5e-7)
    assert_allclose(display.curves["hinge"][at], [3, 2, 1.5, 1, 0.5, 0, 0])
    assert (display.curves["scaled_log_loss"] >= display.curves["zero_one"]).all()


@pytest.mark.capability("DC-76")
def test_the_four_losses_of_linear_models_are_drawn_as_they_are_defined():
    """DC 10.5.2.2: log(1 + e^-yf), hinge, squared and 0/1 error against the margin yf, read off the drawn lines."""
    display = LossCurvesDisplay.from_losses(
        ["log_loss", "hinge", "squared_error", "zero_one"], low=-3, high=3, steps=61
    )
    lines = {line.get_label(): line.get_xydata() for line in display.ax_.lines if line.get_label()[0] != "_"}
    m = np.linspace(-3, 3, 61)
    wanted = {
        "log loss": np.log1p(np.exp(-m)),
        "hinge": np.maximum(0, 1 - m),
        "squared error": (1 - m) ** 2,
        "0/1 error": (m <= 0).astype(float),
    }
    assert set(lines) == set(wanted)
    for name, curve in wanted.items():
        assert_allclose(lines[name][:, 0], m, atol=1e-12)
        assert_allclose(lines[name][:, 1], curve, rtol=1e-12, atol=1e-12)


@pytest.mark.capability("LS-16")
def test_each_curve_is_drawn_and_named():
    display = LossCurvesDisplay.from_losses(top=4)
    named = [line.get_label() for line in display.ax_.lines if not line.get_label().startswith("_")]
    assert named[:2] == ["0/1 error", "perceptron"] and len(named) == len(display.curves) == 7
    assert display.ax_.get_ylim() == (0, 4)


def test_own_choice():
    display = LossCurvesDisplay.from_losses({"mine": MARGIN_LOSSES["exponential"]}, steps=3)
    assert_allclose(display.curves["mine"], np.exp([3, 0, -3]))


def test_a_loss_looks_alike_whatever_stands_beside_it():
    looks = []
    for names in (None, ["log_loss", "hinge"], ["squared_sigmoid", "hinge", "log_loss"]):
        lines = LossCurvesDisplay.from_losses(names).ax_.lines
        looks.append({l.get_label(): (l.get_color(), l.get_linestyle()) for l in lines})
    for name in ("log loss", "hinge"):
        assert len({look[name] for look in looks}) == 1
    assert len(set(looks[0].values())) == len(looks[0])
