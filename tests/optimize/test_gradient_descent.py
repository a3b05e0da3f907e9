"""Gradient descent: rates, line searches, why it stops, what it keeps."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from assay.errors import ParameterError
from assay.optimize.gradient_descent import Backtracking, Bisection, gradient_descent, inverse_rate
from assay.optimize.losses import margin_loss
from assay.optimize.margin_error import MarginError


class Square:
    """E = w^2, of which a step makes (1 - 2 eta) w."""

    def value_gradient(self, w):
        return float(w @ w), 2 * w


class Bowl:
    """E = (w - c)^T A (w - c) / 2, steep one way and flat the other."""

    def __init__(self, A, c):
        self.A, self.c = np.asarray(A, dtype=float), np.asarray(c, dtype=float)

    def value_gradient(self, w):
        g = self.A @ (w - self.c)
        return float((w - self.c) @ g / 2), g


class Dent(Square):
    """-E, to be climbed."""

    def value_gradient(self, w):
        return -float(w @ w), -2 * w


@pytest.mark.capability("IML-10-11")
@settings(deadline=None, max_examples=50)
@given(st.floats(0.01, 1.4), st.integers(1, 30))
def test_each_step_multiplies_by_one_minus_two_eta(eta, steps):
    """IML 10.6: E = w^2 from w = 1."""
    result = gradient_descent(Square(), [1.0], eta, tol=0, max_iter=steps, keep=True)
    walked = [record.weights[0] for record in result.history]
    assert_allclose(walked, (1 - 2 * eta) ** np.arange(len(walked)), rtol=1e-9, atol=1e-300)


@pytest.mark.capability("IML-10-11")
def test_converges_swings_or_diverges():
    calm = gradient_descent(Square(), [1.0], 0.3, max_iter=500, keep=True)
    assert calm.converged and calm.reason == "gradient" and abs(calm.w[0]) < 1e-6
    assert all(record.weights[0] > 0 for record in calm.history[:20])
    swinging = gradient_descent(Square(), [1.0], 0.9, max_iter=500, keep=True)
    signs = np.sign([record.weights[0] for record in swinging.history[:20]])
    assert swinging.converged
    assert_allclose(signs, (-1.0) ** np.arange(20))
    wild = gradient_descent(Square(), [1.0], 1.1, max_iter=10_000)
    assert not wild.converged and wild.reason == "diverged" and np.isfinite(wild.value)


def test_climbing_is_descending_upside_down():
    down = gradient_descent(Square(), [1.0, -2.0], 0.2, max_iter=7)
    up = gradient_descent(Dent(), [1.0, -2.0], 0.2, max_iter=7, maximize=True)
    assert_allclose(up.w, down.w, rtol=0)
    assert_allclose([r.value for r in up.history], [-r.value for r in down.history], rtol=0)
    assert_allclose(up.gradient, -down.gradient, rtol=0)


@pytest.mark.parametrize(
    "search", [Bisection(), Backtracking(), Bisection(first=1e-6), Backtracking(first=1e6)]
)
def test_line_searches_reach_the_bottom_and_never_rise(search):
    bowl = Bowl([[30.0, 2.0], [2.0, 1.0]], [3.0, -1.0])
    result = gradient_descent(bowl, [0.0, 0.0], search, max_iter=1000, tol=1e-8)
    assert result.converged, result.reason
    assert_allclose(result.w, [3, -1], atol=1e-7)
    values = [record.value for record in result.history]
    assert all(b <= a for a, b in pairwise(values))


def test_bisection_finds_the_best_step_of_a_parabola():
    """Along the gradient g of a bowl the best rate is g^T g / g^T A g."""
    bowl = Bowl([[5.0, 1.0], [1.0, 2.0]], [1.0, 1.0])
    w = np.array([4.0, -3.0])
    g = bowl.value_gradient(w)[1]
    best = w - (g @ g) / (g @ bowl.A @ g) * g
    result = gradient_descent(bowl, w, Bisection(accuracy=1e-10), max_iter=1)
    assert_allclose(result.w, best, rtol=1e-8)


def test_a_rate_for_each_weight():
    result = gradient_descent(
        Bowl(np.diag([1.0, 100.0]), [2.0, 3.0]), [0.0, 0.0], np.array([1.0, 0.01]), max_iter=1
    )
    assert_allclose(result.w, [2, 3], rtol=1e-12)


def test_a_planned_rate():
    result = gradient_descent(Square(), [1.0], inverse_rate(0.25), max_iter=3, tol=0)
    assert_allclose(result.w, (1 - 0.5) * (1 - 0.25) * (1 - 0.5 / 3), rtol=1e-14)


def test_what_is_kept_and_what_is_watched():
    seen = []

    def watch(record):
        seen.append(float(record.weights[0]))
        return record.iteration == 6

    result = gradient_descent(Square(), [1.0], 0.1, keep={0, 2, 5}, watch=watch)
    kept = [record.iteration for record in result.history if record.weights is not None]
    assert kept == [0, 2, 5] and result.reason == "watch" and result.n_iter == 6 and len(seen) == 7
    assert_allclose(seen, 0.8 ** np.arange(7), rtol=1e-14)


def test_stops_when_the_value_stops_changing():
    result = gradient_descent(Square(), [1.0], 0.1, tol=0, change=1e-3)
    assert result.reason == "value" and result.converged
    a, b = result.history[-2:]
    assert 0 < a.value - b.value <= 1e-3


def test_a_start_on_the_bottom_makes_no_step():
    result = gradient_descent(Square(), [0.0], 0.1)
    assert result.n_iter == 0 and result.reason == "gradient"


def test_a_flat_corner_is_distinguished_from_a_minimum():
    """The perceptron's loss has no descent left where its subgradient lies: the search says it is stuck."""

    class Corner:
        def value_gradient(self, w):
            return float(np.abs(w).sum()), np.where(w >= 0, 1.0, -1.0)

    result = gradient_descent(Corner(), [0.0], Backtracking())
    assert result.reason == "stuck" and not result.converged


def test_an_impossible_start_is_refused():
    with pytest.raises(ParameterError, match="not a finite number at the start"):
        gradient_descent(Square(), [np.inf], 0.1)


# Age / 50, Salary / 50000 and who donates: the charity table of DC 10.1.
AGE = np.array([21, 27, 43, 38, 44, 51, 53, 56, 59, 61, 63]) / 50
SALARY = np.array([37, 41, 61, 55, 30, 56, 70, 74, 25, 68, 51]) / 50
DONOR = np.array([-1, -1, 1, -1, -1, 1, 1, 1, -1, 1, 1])
CHARITY = np.column_stack([AGE, SALARY])


@pytest.mark.capability("DC-71")
def test_logistic_regression_by_gradient_ascent_with_line_search():
    """DC 10.5.2.1: LL(0) = -11 ln 2, gradient (0.5, 1.38, 1.92); with lambda = 1 the optimum and its likelihood."""

    class LogLikelihood(MarginError):
        def value_gradient(self, w):
            value, gradient = super().value_gradient(w)
            return -value, -gradient

    LL = LogLikelihood(CHARITY, DONOR, "log_loss")
    value, gradient = LL.value_gradient(np.zeros(3))
    assert_allclose(value, -7.624619, atol=5e-7)
    assert_allclose(gradient, [0.5, 1.38, 1.92], rtol=1e-12)
    penalised = LogLikelihood(CHARITY, DONOR, "log_loss", penalty=1)
    for search in (Bisection(), Backtracking()):
        result = gradient_descent(penalised, np.zeros(3), search, maximize=True, max_iter=5000, tol=1e-9)
        assert result.converged
        assert_allclose(result.w, [-1.564888, 0.697009, 1.066176], atol=1e-6)
        assert_allclose(result.value, -6.516323, atol=5e-7)
        assert (penalised.margins(result.w) > 0).sum() == 10


@pytest.mark.capability("DC-71")
def test_without_a_penalty_separable_rows_drive_the_weights_away():
    free = MarginError(CHARITY, DONOR, "log_loss")
    short = gradient_descent(free, np.zeros(3), Bisection(), max_iter=20, tol=0)
    long = gradient_descent(free, np.zeros(3), Bisection(), max_iter=200, tol=0)
    assert np.linalg.norm(long.w) > 1.5 * np.linalg.norm(short.w)
    assert long.value < short.value


@pytest.mark.parametrize(
    "loss", ["log_loss", "squared_hinge", "squared_error", "exponential", "modified_huber"]
)
def test_same_minimum_as_scipy(loss):
    """Peer: scipy.optimize.minimize, BFGS."""
    error = MarginError(CHARITY - CHARITY.mean(0), DONOR, margin_loss(loss), penalty=0.5, C=2)
    peer = minimize(error.value_gradient, np.zeros(3), jac=True, method="BFGS", options={"gtol": 1e-9})
    result = gradient_descent(error, np.zeros(3), Backtracking(), max_iter=20_000, tol=1e-8)
    assert result.converged
    assert_allclose(result.w, peer.x, atol=1e-6)


@pytest.mark.parametrize("rate", [None, "fast", np.nan, np.inf, [0.1, 0.2, 0.3], {}])
def test_a_rate_is_a_number_for_each_weight_or_a_search(rate):
    with pytest.raises(ParameterError, match="rate must be a number, 2 numbers, a function"):
        gradient_descent(Square(), [1.0, 2.0], rate)


@pytest.mark.parametrize("search", [Bisection(), Backtracking()])
def test_a_gradient_whose_square_overflows_ends_without_a_warning(search):
    class Steep(Square):
        def value_gradient(self, w):
            return 1e200 * float(w @ w), 2e200 * w

    assert gradient_descent(Steep(), [1.0], search).reason == "stuck"
