"""Beliefs drawn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.plots import BeliefDisplay
from assay.stats import BetaBernoulli, GammaPoisson, GridPosterior, NormalInverseWishart, NormalMean


@pytest.mark.capability("IML-16-33")
def test_prior_likelihood_and_posterior_are_densities():
    x = [1, 1, 0, 1, 1, 1]
    display = BeliefDisplay.from_update(BetaBernoulli(2, 2), x, limits=(0.001, 0.999), parameter="p")
    theta, curves = display.theta, display.curves
    assert list(curves) == ["prior", "likelihood", "posterior"]
    for values in curves.values():
        assert_allclose(np.trapezoid(values, theta), 1, atol=1e-3)
    assert_allclose(theta[np.argmax(curves["likelihood"])], 5 / 6, atol=0.002)  # the share of ones
    assert_allclose(curves["posterior"], np.exp(BetaBernoulli(7, 3).logpdf(theta)))
    assert display.ax_.get_xlabel() == "p" and len(display.ax_.collections) == 1  # the interval is shaded
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == list(curves)


def test_an_improper_prior_leaves_the_posterior_alone():
    display = BeliefDisplay.from_update(NormalMean.flat(), [1.0, 2.0], level=None)
    assert list(display.curves) == ["posterior"] and not display.ax_.collections


@pytest.mark.capability("IML-16-33")
def test_several_beliefs_and_infinite_heights():
    beliefs = {"peaks": BetaBernoulli(0.5, 0.5), "flat": BetaBernoulli(1, 1)}
    display = BeliefDisplay.from_beliefs(beliefs, limits=(0, 1))
    assert np.isinf(display.curves["peaks"]).any() and np.isnan(display.lines_["peaks"].get_ydata()).any()
    assert_allclose(display.lines_["flat"].get_ydata(), 1)
    display.plot(top=3)
    assert display.ax_.get_ylim() == (0, pytest.approx(3.15))


def test_grids_are_beliefs_too_and_the_axis_holds_them():
    theta = np.linspace(0, 10, 501)
    grid = GridPosterior(theta, GammaPoisson(7, 4).logpdf)
    display = BeliefDisplay.from_beliefs({"grid": grid, "closed": GammaPoisson(7, 4)})
    assert_allclose(display.curves["grid"], display.curves["closed"], atol=0.01)
    assert display.theta[0] > 0.2 and display.theta[-1] < 6


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ParameterError, match="no belief to draw"):
        BeliefDisplay.from_beliefs({})
    with pytest.raises(DataError, match="one parameter can be drawn"):
        BeliefDisplay.from_update(NormalInverseWishart([0, 0], np.eye(2)), np.eye(2))
    with pytest.raises(ParameterError, match="the lower first"):
        BeliefDisplay.from_beliefs({"a": BetaBernoulli(2, 2)}, limits=(1, 0))
    with pytest.raises(DataError, match="prior has shape"):
        BeliefDisplay([0.0, 1.0], {"prior": [1.0]})
