"""Residuals in four panels: what is drawn is what was computed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay import compare
from assay.evaluate import Residuals
from assay.linear import LinearRegression
from assay.plots.residuals_display import ResidualsDisplay

RNG = np.random.default_rng(0)
P = RNG.gamma(3, 10, 200)
Y = P + RNG.normal(size=200) * P * 0.2


def test_panels_hold_the_rows_and_their_lines():
    display = ResidualsDisplay.from_predictions(Y, P, name=r"$\name$")
    true, against, normal, spread = display.axes_
    assert_allclose(np.column_stack(true.lines[0].get_data()), np.column_stack([P, Y]))
    assert_allclose(against.lines[0].get_ydata(), Y - P)
    assert_allclose(np.array(normal.lines[0].get_data()), Residuals(Y, P).normal_quantiles())
    assert_allclose(spread.lines[0].get_ydata(), Residuals(Y, P).scale())
    assert [line.get_label() for line in against.lines][-1] == "smooth line"
    display.figure_.canvas.draw()


def test_many_rows_are_hexagons_that_hold_them_all():
    x = RNG.normal(size=5000)
    display = ResidualsDisplay.from_predictions(x + RNG.normal(size=5000), x)
    assert display.axes_[1].collections[0].get_array().sum() == 5000


@pytest.mark.parametrize(
    ("truth", "predicted"), [(Y, Y), (Y, np.ones(200)), (Y * 1e150, P * 1e150), (Y[:1], P[:1])]
)
def test_awkward_numbers_are_drawn(truth, predicted):
    display = ResidualsDisplay.from_predictions(truth, predicted)
    display.figure_.canvas.draw()
    assert len(display.axes_) == 4
    assert all(np.isfinite([*ax.get_xlim(), *ax.get_ylim()]).all() for ax in display.axes_)


def test_from_an_estimator_and_from_a_comparison():
    model = LinearRegression().fit(P[:, None], Y)
    assert_allclose(
        ResidualsDisplay.from_estimator(model, P[:, None], Y).residuals.predicted, model.predict(P[:, None])
    )
    result = compare(["mean", "ols"], P[:, None], Y, design="3-fold")
    display = ResidualsDisplay.from_comparison(result)
    assert display.name == result.best
    assert_allclose(display.residuals.residual, Residuals.of_comparison(result, result.best).residual)
