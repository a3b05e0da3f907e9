"""Losses of the margin and of the residual: values, derivatives, bounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import metrics

from assay.errors import ParameterError
from assay.optimize.losses import (
    MARGIN_LOSSES,
    RESIDUAL_LOSSES,
    margin_loss,
    residual_loss,
    soft_maximum,
    zero_one_error,
)

MARGINS = [-2, -1, -0.5, 0, 0.5, 1, 2]

# Oracle: LS-4, the table of point-wise errors against y s.
TABLE = {
    "squared_error": [9, 4, 2.25, 1, 0.25, 0, 1],
    "log_loss": [2.126928, 1.313262, 0.974077, 0.693147, 0.474077, 0.313262, 0.126928],
    "scaled_log_loss": [3.068508, 1.894636, 1.405296, 1, 0.683949, 0.451941, 0.183118],
    "hinge": [3, 2, 1.5, 1, 0.5, 0, 0],
    "exponential": [7.389056, 2.718282, 1.648721, 1, 0.606531, 0.367879, 0.135335],
    "perceptron": [2, 1, 0.5, 0, 0, 0, 0],
    "zero_one": [1, 1, 1, 1, 0, 0, 0],
}

# Where a loss has a corner or a jump of its slope, so that a difference quotient is no oracle.
CORNERS = {
    "zero_one": [0],
    "perceptron": [0],
    "hinge": [1],
    "squared_hinge": [1],
    "modified_huber": [-1, 1],
    "absolute_error": [0],
    "huber": [-1.35, 1.35],
    "epsilon_insensitive": [-0.1, 0.1],
    "squared_epsilon_insensitive": [-0.1, 0.1],
    "quantile": [0],
}

ALL = [*MARGIN_LOSSES.values(), *RESIDUAL_LOSSES.values()]
NAMED = {"ids": lambda loss: type(loss).__name__}
POINTS = st.floats(-6, 6)


@pytest.mark.capability("LS-15", "LS-05")
@pytest.mark.parametrize("name", TABLE)
def test_the_table_of_point_wise_errors(name):
    assert_allclose(margin_loss(name).value(MARGINS), TABLE[name], atol=5e-7)


@pytest.mark.capability("LS-15")
def test_the_error_of_a_score_of_zero_depends_on_the_class():
    """LS-4: sign(0) = +1, so s = 0 is an error for y = -1 alone; elsewhere it is the error of the margin."""
    assert_array_equal(zero_one_error([0, 0], [1, -1]), [0, 1])
    s = np.array([-2.0, -0.1, 0.1, 3.0])
    for y in (-1.0, 1.0):
        assert_array_equal(zero_one_error(s, np.full(4, y)), margin_loss("zero_one").value(y * s))


@settings(deadline=None, max_examples=60)
@given(POINTS)
@pytest.mark.parametrize("loss", ALL, **NAMED)
def test_slope_and_curvature_are_derivatives(loss, m):
    h = 1e-5
    if any(abs(m - corner) < 10 * h for corner in CORNERS.get(loss.name, ())):
        return
    slope = (loss.value(m + h) - loss.value(m - h)) / (2 * h)
    curvature = (loss.slope(m + h) - loss.slope(m - h)) / (2 * h)
    assert_allclose(loss.slope(m), slope, rtol=1e-7, atol=1e-7)
    assert_allclose(loss.curvature(m), curvature, rtol=1e-7, atol=1e-7)


@pytest.mark.capability("LS-22", "LS-16")
@settings(deadline=None, max_examples=100)
@given(POINTS)
def test_which_losses_bound_the_error_from_above(m):
    """LS-7, 4: exp, hinge and log2(1 + e^-m) do; the plain log loss and the perceptron's do not."""
    bounding = {name for name, loss in MARGIN_LOSSES.items() if loss.bounds_error}
    assert bounding == {
        "zero_one",
        "hinge",
        "squared_hinge",
        "modified_huber",
        "scaled_log_loss",
        "squared_error",
        "exponential",
    }
    error = margin_loss("zero_one").value(m)
    for name in bounding:
        assert margin_loss(name).value(m) >= error - 1e-15


def test_the_other_losses_are_below_the_error_somewhere():
    for name, loss in MARGIN_LOSSES.items():
        if not loss.bounds_error:
            m = np.linspace(-3, 3, 601)
            assert (loss.value(m) < margin_loss("zero_one").value(m)).any(), name


@pytest.mark.capability("LS-22")
def test_exercises_on_the_cross_entropy():
    """LS-7: 1 the sign of the score decides; 2 the loss has no upper bound; 3 the smallest margin pulls most."""
    loss = margin_loss("log_loss")
    s = np.linspace(-4, 4, 33)
    assert_array_equal(1 / (1 + np.exp(-s)) >= 0.5, s >= 0)
    assert_allclose(loss.value(-1e6), 1e6)
    assert_array_equal(np.argsort(np.abs(loss.slope(s)))[::-1], np.argsort(s))
    assert_allclose([margin_loss(n).value(0.0) for n in ("exponential", "hinge", "scaled_log_loss")], 1)


@pytest.mark.capability("LS-08")
@settings(deadline=None, max_examples=60)
@given(st.floats(-800, 800))
def test_soft_maximum_turns_the_perceptron_into_logistic_regression(m):
    assert_allclose(soft_maximum(0.0, -m), margin_loss("log_loss").value(m), rtol=1e-14)
    hard = margin_loss("perceptron").value(m)
    assert hard <= soft_maximum(0.0, -m) <= hard + np.log(2) + 1e-12


@pytest.mark.parametrize("loss", [loss for loss in ALL if loss.convex], **NAMED)
def test_convex_losses_are_convex(loss):
    a, b = np.random.default_rng(0).uniform(-5, 5, (2, 500))
    assert (loss.value((a + b) / 2) <= (loss.value(a) + loss.value(b)) / 2 + 1e-12).all()


def test_the_squared_sigmoid_is_not_convex():
    assert margin_loss("squared_sigmoid").curvature(-3.0) < 0


def test_same_losses_as_scikit_learn():
    """Peer: sklearn.metrics 1.9."""
    rng = np.random.default_rng(1)
    y, s = rng.choice([-1, 1], 50), rng.normal(size=50) * 2
    assert_allclose(margin_loss("hinge").value(y * s).mean(), metrics.hinge_loss(y, s), rtol=1e-14)
    p = 1 / (1 + np.exp(-s))
    assert_allclose(margin_loss("log_loss").value(y * s).mean(), metrics.log_loss(y, p), rtol=1e-12)
    target, text = rng.normal(size=(2, 50))
    r = target - text
    assert_allclose(
        residual_loss("quantile", q=0.3).value(r).mean(),
        metrics.mean_pinball_loss(target, text, alpha=0.3),
        rtol=1e-14,
    )
    assert_allclose(
        residual_loss("squared_error").value(r).mean() * 2,
        metrics.mean_squared_error(target, text),
        rtol=1e-14,
    )
    assert_allclose(
        residual_loss("absolute_error").value(r).mean(),
        metrics.mean_absolute_error(target, text),
        rtol=1e-14,
    )


def test_residual_losses_at_worked_points():
    assert_allclose(residual_loss("huber", epsilon=1).value([0.5, -3]), [0.125, 2.5])
    assert_allclose(residual_loss("epsilon_insensitive", epsilon=0.5).value([0.4, -2]), [0, 1.5])
    assert_allclose(residual_loss("squared_epsilon_insensitive", epsilon=0.5).value([0.4, -2]), [0, 2.25])
    assert_allclose(residual_loss("quantile", q=0.9).value([1, -1]), [0.9, 0.1])


@pytest.mark.parametrize("loss", MARGIN_LOSSES.values(), **NAMED)
def test_huge_margins_give_finite_numbers(loss):
    m = np.array([-1e6, 1e6, 0.0, -800.0, 800.0])
    for part in (loss.value, loss.slope, loss.curvature):
        assert np.isfinite(part(m)).all()


def test_losses_are_values():
    assert residual_loss("huber", epsilon=2.0) == residual_loss("huber", epsilon=2.0)
    assert residual_loss("huber", epsilon=2.0) != residual_loss("huber")


def test_unknown_words_are_refused():
    with pytest.raises(ParameterError, match="must be one of zero_one, perceptron, hinge"):
        margin_loss("hunge")
    with pytest.raises(ParameterError, match="huber does not know q; it has epsilon"):
        residual_loss("huber", q=0.5)
    with pytest.raises(ParameterError, match="absolute_error does not know q; it has no parameter"):
        residual_loss("absolute_error", q=0.5)


@pytest.mark.parametrize(
    "name,parameters,text",
    [
        ("huber", {"epsilon": -1.0}, "epsilon must be a number from 0 up, got -1.0"),
        ("huber", {"epsilon": np.nan}, "epsilon must be"),
        ("epsilon_insensitive", {"epsilon": "wide"}, "epsilon must be"),
        ("quantile", {"q": 2}, "q must be a number from 0 to 1, got 2"),
    ],
)
def test_parameters_of_residual_losses_have_limits(name, parameters, text):
    with pytest.raises(ParameterError, match=text):
        residual_loss(name, **parameters)


def test_a_name_is_a_word():
    with pytest.raises(ParameterError, match="name must be one of"):
        margin_loss(["hinge"])


def test_rows_far_on_the_right_side_cost_nothing():
    assert_array_equal(margin_loss("modified_huber").value([1e308, np.inf]), [0.0, 0.0])
