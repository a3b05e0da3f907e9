"""L-BFGS: the bottom is found, by any start, in any unit, down to rounding; its first guess of the curvature counts."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from assay.optimize.lbfgs import lbfgs


class Quadratic:
    """(w - c)'A(w - c) / 2 + level"""

    def __init__(self, A, c, level=0.0):
        self.A, self.c, self.level, self.calls = A, c, level, 0

    def value_gradient(self, w):
        self.calls += 1
        g = self.A @ (w - self.c)
        return float((w - self.c) @ g / 2 + self.level), g


class Valley:
    """Rosenbrock's function in n dimensions."""

    def value_gradient(self, w):
        a, b = w[1:] - w[:-1] ** 2, 1 - w[:-1]
        g = np.zeros_like(w)
        g[:-1] = -400 * a * w[:-1] - 2 * b
        g[1:] += 200 * a
        return float((100 * a * a + b * b).sum()), g


def curved(d, condition, seed=0):
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.normal(size=(d, d)))[0]
    return Q @ np.diag(np.geomspace(1, condition, d)) @ Q.T, rng.normal(size=d)


def test_bottom_of_a_long_valley_as_scipy_finds_it():
    """Peer: scipy.optimize.minimize, L-BFGS-B; the minimum is at (1, ..., 1)."""
    start = np.tile([-1.2, 1.0], 5)
    ours = lbfgs(Valley(), start, tol=1e-9)
    peer = minimize(
        lambda w: Valley().value_gradient(w),
        start,
        jac=True,
        method="L-BFGS-B",
        options={"gtol": 1e-9, "ftol": 0},
    )
    assert ours.converged
    assert_allclose(ours.w, np.ones(10), atol=1e-8)
    assert ours.n_iter <= 1.5 * peer.nit


@given(seed=st.integers(0, 1000), power=st.floats(0, 6), d=st.integers(1, 12))
@settings(max_examples=30, deadline=None)
def test_gradient_vanishes_and_values_fall(seed, power, d):
    A, c = curved(d, 10**power, seed)
    result = lbfgs(Quadratic(A, c), np.zeros(d), tol=1e-7)
    assert result.converged
    assert np.abs(result.gradient).max() <= 1e-7
    values = np.array([record.value for record in result.history])
    assert (np.diff(values) <= 1e-12 * np.abs(values[:-1])).all()


def test_the_right_metric_needs_one_step():
    A, c = curved(30, 1e8)
    result = lbfgs(
        Quadratic(A, c), np.zeros(30), metric=lambda g: np.linalg.solve(A, g), scaled=False, tol=1e-6
    )
    assert result.n_iter == 1
    assert_allclose(result.w, c, atol=1e-6)


def test_a_metric_of_another_scale_is_scaled():
    A, c = curved(30, 1e4)
    for factor in (1e-6, 1.0, 1e6):
        result = lbfgs(
            Quadratic(A, c), np.zeros(30), metric=lambda g, f=factor: f * np.linalg.solve(A, g), tol=1e-9
        )
        assert result.converged and result.n_iter <= 25
        assert_allclose(result.w, c, atol=1e-8)


def test_units_of_the_weights_do_not_matter_with_a_metric():
    A, c = curved(10, 10.0)
    units = 10.0 ** np.linspace(-6, 6, 10)
    B = A * np.outer(units, units)
    metric = lambda g: g / B.diagonal()  # noqa: E731
    result = lbfgs(
        Quadratic(B, c / units),
        np.zeros(10),
        metric=metric,
        tol=1e-10,
        norm=lambda g: np.abs(g / units).max(),
    )
    assert result.converged and result.n_iter < 40
    assert_allclose(result.w * units, c, atol=1e-8)


def test_a_tolerance_below_rounding_ends_cleanly():
    """A value of 1e6 hides changes below 1e-8; the slopes lead on, and then there is an end."""
    A, c = curved(8, 1e3)
    objective = Quadratic(A, c, level=1e6)
    result = lbfgs(objective, np.zeros(8), tol=0.0, max_iter=10_000)
    assert result.converged and result.reason in (
        "value",
        "gradient",
    )  # some processors' products reach 0 itself
    assert result.reason == "value" or not result.gradient.any()
    assert objective.calls < 1000
    assert_allclose(result.w, c, atol=1e-7)


def test_steps_out_of_the_domain_are_cut():
    class Logarithm:
        def value_gradient(self, w):
            return float(w[0] - 1e-3 * np.log(w[0])), np.array([1 - 1e-3 / w[0]])

    result = lbfgs(Logarithm(), np.array([5.0]), tol=1e-10)
    assert_allclose(result.w, [1e-3], rtol=1e-6)


def test_history_watch_and_limits():
    seen = []
    result = lbfgs(
        Valley(), np.array([-1.2, 1.0]), keep=True, watch=lambda r: seen.append(r) or len(seen) == 4
    )
    assert result.reason == "watch" and result.n_iter == 3 and seen == result.history
    assert_allclose(result.history[-1].weights, result.w)
    assert_allclose(np.linalg.norm(result.w - result.history[-2].weights), result.history[-1].step)
    assert lbfgs(Valley(), np.array([-1.2, 1.0]), max_iter=2).reason == "iterations"
    assert lbfgs(Valley(), np.ones(2)).n_iter == 0


def test_a_function_without_a_bottom_ends():
    class Slope:
        def value_gradient(self, w):
            return float(w[0]), np.array([1.0])

    assert not lbfgs(Slope(), np.array([0.0]), max_iter=50).converged


def test_a_watcher_may_stop_at_the_start():
    result = lbfgs(Quadratic(np.eye(2), np.ones(2)), np.zeros(2), watch=lambda record: True)
    assert (result.reason, result.n_iter, result.converged) == ("watch", 0, False)
