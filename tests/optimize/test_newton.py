"""Newton's method: against worked numbers, on functions without a friendly curvature, and at its limits."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.optimize.newton import newton, newton_step

LOGARITHM = (lambda x: x * x - np.log(x), lambda x: 2 * x - 1 / x, lambda x: 2 + x**-2)


@pytest.mark.capability("C3-24")
def test_steps_of_the_worked_example_in_one_dimension():
    """Oracle: C3 3.1.3, x^2 - ln x from 0.5; the minimum is 1 / sqrt(2)."""
    result = newton(LOGARITHM, 0.5, keep=True, tol=1e-10)
    steps = [record.weights[0] for record in result.history]
    assert_allclose(steps[:5], [0.5, 0.6666666667, 0.7058823529, 0.7071057192, 0.7071067812], atol=5e-11)
    assert_allclose(result.w, [math.sqrt(0.5)], rtol=1e-11)
    assert result.converged and result.reason == "gradient" and result.n_iter == len(steps) - 1


@pytest.mark.capability("C3-24")
def test_a_quadratic_takes_one_step():
    """E = w'Aw/2 - b'w has its minimum at A^-1 b, wherever one begins."""
    A, b = np.array([[3.0, 1.0], [1.0, 2.0]]), np.array([1.0, -1.0])
    result = newton(
        (lambda w: w @ A @ w / 2 - b @ w, lambda w: A @ w - b, lambda w: A), np.array([5.0, -7.0]), keep=True
    )
    assert_allclose(result.w, np.linalg.solve(A, b), rtol=1e-12)
    assert result.n_iter == 1
    assert_allclose(result.history[0].weights, [5, -7])


class Valley:
    """Rosenbrock's function; its curvature is not positive everywhere."""

    def value_gradient(self, w):
        x, y = w
        return (1 - x) ** 2 + 100 * (y - x * x) ** 2, np.array(
            [-2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x)]
        )

    def curvature(self, w):
        x, y = w
        return *self.value_gradient(w), np.array([[2 - 400 * (y - 3 * x * x), -400 * x], [-400 * x, 200]])


@given(x=st.floats(-2, 2), y=st.floats(-2, 3))
@settings(max_examples=40, deadline=None)
def test_value_never_rises_and_the_bottom_is_found(x, y):
    result = newton(Valley(), np.array([x, y]), tol=1e-9, max_iter=500)
    values = [record.value for record in result.history]
    assert all(b <= a + 1e-12 * abs(a) for a, b in pairwise(values))
    assert result.converged
    assert_allclose(result.w, [1, 1], atol=1e-7)


def test_steps_that_leave_the_domain_are_halved():
    """From 2.5 the parabola of ln's curvature leads below 0, where there is no logarithm."""
    result = newton((lambda x: x - np.log(x), lambda x: 1 - 1 / x, lambda x: x**-2), 2.5, tol=1e-12)
    assert_allclose(result.w, [1.0], rtol=1e-9)


def test_flat_directions_are_left_alone():
    """E = (a + b - 1)^2: every point of a line is a minimum; the nearest one is found."""
    H = np.full((2, 2), 2.0)
    result = newton(
        (lambda w: (w.sum() - 1) ** 2, lambda w: np.full(2, 2 * (w.sum() - 1)), lambda w: H),
        np.array([0.0, 4.0]),
    )
    assert_allclose(result.w, [-1.5, 2.5], atol=1e-12)


def test_columns_of_any_unit_are_solved():
    units = np.array([1e-9, 1.0, 1e9])
    A = np.array([[2.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 1.0]]) * np.outer(units, units)
    g = np.array([1.0, -2.0, 0.5]) * units
    assert_allclose(
        newton_step(A, g) * units, -np.linalg.solve(A / np.outer(units, units), g / units), rtol=1e-10
    )


def test_it_says_when_it_had_no_time():
    result = newton(LOGARITHM, 1e-3, max_iter=2)
    assert not result.converged and result.reason == "iterations" and result.n_iter == 2


def test_no_step_at_all():
    result = newton(LOGARITHM, 1.0, max_iter=0)
    assert result.n_iter == 0 and result.w[0] == 1.0


def test_a_watcher_sees_every_step_and_may_stop():
    seen = []
    result = newton(LOGARITHM, 0.1, watch=lambda record: seen.append(record.value) or len(seen) == 3)
    assert result.reason == "watch" and result.n_iter == 2
    assert seen == [record.value for record in result.history]


def test_a_start_without_a_value_is_given_up():
    result = newton(LOGARITHM, -1.0)
    assert result.reason == "diverged" and not result.converged


def test_a_linear_function_ends_without_a_minimum():
    result = newton((lambda x: x, lambda x: 1.0, lambda x: 0.0), 0.0, max_iter=20)
    assert not result.converged


def test_a_watcher_may_stop_at_the_start():
    result = newton(LOGARITHM, 0.5, watch=lambda record: True)
    assert (result.reason, result.n_iter, result.converged) == ("watch", 0, False)
