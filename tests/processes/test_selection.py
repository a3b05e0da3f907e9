"""The choice of parameters: ends, retries, priors, and what it says."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import rosen, rosen_der

from assay.kernels import RBF, ConstantKernel, WhiteKernel
from assay.processes.box_descent import box_descent
from assay.processes.selection import KernelPrior, choose_theta

BOX = np.array([[-5.0, 5.0], [-5.0, 5.0]])


def banana(x):
    return float(rosen(x)), rosen_der(x)


@pytest.mark.parametrize("bounds", [BOX, np.array([[-5.0, 0.5], [-5.0, 5.0]])])
def test_descent_ends_where_no_free_variable_goes_downhill(bounds):
    end = box_descent(banana, np.array([-1.2, 1.0]), bounds, tol=1e-12)
    assert end.converged and end.evaluations < 80
    inside = (end.x > bounds[:, 0]) & (end.x < bounds[:, 1])
    assert np.abs(end.gradient[inside]).max() < 1e-4
    assert (end.x >= bounds[:, 0]).all() and (end.x <= bounds[:, 1]).all()


def test_a_known_curvature_saves_evaluations():
    H = np.diag([1.0, 1e4])
    quadratic = lambda x: (0.5 * float(x @ H @ x), H @ x)  # noqa: E731
    start = np.array([2.0, 2.0])
    assert box_descent(quadratic, start, BOX, curvature=H).evaluations == 2
    assert box_descent(quadratic, start, BOX).evaluations > 3


def test_a_point_without_a_value_is_too_far():
    def wall(x):
        return (np.inf, np.zeros(1)) if x[0] > 1 else (float(-x[0]), np.array([-1.0]))

    end = box_descent(wall, np.array([0.0]), np.array([[-5.0, 5.0]]))
    assert 0.9 < end.x[0] <= 1.0


def test_a_start_without_a_value_is_followed_by_draws_from_the_prior():
    def hidden(theta):
        return (np.inf, np.zeros(1)) if theta[0] > -0.5 else (float((theta[0] + 1) ** 2), 2 * (theta + 1))

    choice = choose_theta(hidden, RBF(), random_state=0)
    assert_allclose(choice.theta, [-1.0], atol=1e-4)
    assert choice.converged and "starts" in choice.sentence


def test_nothing_that_has_a_value_ends_in_a_sentence():
    choice = choose_theta(lambda theta: (np.inf, np.zeros(1)), RBF(), random_state=0)
    assert not choice.converged
    assert choice.sentence == "no parameters were found for which the covariance matrix is positive definite"


def test_a_parameter_at_its_bound_is_named():
    choice = choose_theta(lambda theta: (float(theta.sum()), np.ones(1)), RBF(1.0, (0.5, 2.0)))
    assert choice.sentence.endswith("length_scale at its lower bound 0.5")


def test_more_starts_never_end_higher():
    def two_valleys(theta):
        t = theta[0]
        return float((t**2 - 4) ** 2 + t), np.array([4 * t * (t**2 - 4) + 1])

    kernel = RBF(np.exp(1.5))
    ends = [choose_theta(two_valleys, kernel, restarts=k, random_state=0).value for k in range(4)]
    assert all(a >= b - 1e-12 for a, b in pairwise(ends)) and ends[0] > ends[-1]


def test_default_priors_go_by_names_and_by_the_data():
    X = np.column_stack([np.linspace(0, 1, 50), np.linspace(0, 1000, 50)])
    kernel = ConstantKernel() * RBF([1.0, 1.0]) + WhiteKernel()
    prior = KernelPrior.of(kernel, X, variance=4.0)
    assert_allclose(np.exp(prior.mean), [4.0, *(X.std(axis=0) * np.sqrt(2)), 0.04])
    value, slope = prior.loss(prior.mean + 0.1)
    for k in range(4):
        step = 1e-6 * np.eye(4)[k]
        rise = prior.loss(prior.mean + 0.1 + step)[0] - prior.loss(prior.mean + 0.1 - step)[0]
        assert_allclose(slope[k], rise / 2e-6, rtol=1e-6)
    draws = np.array([prior.sample(np.random.default_rng(i), kernel.bounds) for i in range(400)])
    assert_allclose(draws.mean(axis=0), prior.mean, atol=0.4)
