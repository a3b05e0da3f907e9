"""The exact route: oracles by hand, and the closed forms against what they stand for."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError
from assay.kernels import RBF, ConstantKernel, WhiteKernel
from assay.processes.cholesky import factor
from assay.processes.routes.exact import Exact

# Oracle: x = (0, 1, 2, 3), r = (0, 1, 0, -1), K = exp(-d^2 / s^2) with s^2 = 1/2, which is a length scale of 1/2, and
# noise 1/10.
X, Y, NOISE = np.arange(4.0)[:, None], np.array([[0.0], [1.0], [0.0], [-1.0]]), np.full(4, 0.1)


@pytest.mark.capability("IML-16-24")
def test_means_and_variances_of_the_worked_example():
    route = Exact().fit(RBF(0.5), X, Y, NOISE).condition(RBF(0.5))
    Q = np.array([[1.5], [2.0], [5.0]])
    assert_allclose(route.mean(Q)[:, 0], [0.54775260, 0.00017374, -0.00030499], atol=5e-9)
    assert_allclose(route.variance(Q) + 0.1, [0.49872749, 0.19062321, 1.09999990], atol=5e-9)
    assert_allclose(route.a[:, 0], [-0.11362717, 0.92356171, -0.00173737, -0.90915881], atol=5e-9)
    assert_allclose(route.log_evidence(route.kernel.theta)[0], -4.75962729, atol=5e-9)
    units = (
        Exact().fit(RBF(0.5), X, np.eye(4), NOISE).condition(RBF(0.5))
    )  # each target alone: what it weighs
    assert_allclose(units.mean(Q[:1])[0], [-0.05115036, 0.49660224, 0.49660224, -0.05115036], atol=5e-9)


@pytest.mark.capability("IML-16-26")
def test_leave_one_out_of_the_worked_example():
    mean, variance = Exact().fit(RBF(0.5), X, Y, NOISE).condition(RBF(0.5)).leave_one_out()
    assert_allclose(mean[:, 0], [0.12306959, 0.01505520, 0.00185284, -0.01529006], atol=5e-9)
    assert_allclose(variance[:, 0], [1.08310004, 1.06646344, 1.06646344, 1.08310004], atol=5e-9)


def test_gradient_is_the_slope_of_the_log_evidence_for_two_targets():
    random = np.random.default_rng(0)
    rows = random.normal(size=(30, 2))
    kernel = ConstantKernel(2.0) * RBF([0.7, 1.5]) + WhiteKernel(0.1)
    route = Exact().fit(kernel, rows, random.normal(size=(30, 2)), np.full(30, 1e-3))
    gradient = route.log_evidence(kernel.theta)[1]
    for k in range(len(gradient)):
        step = 1e-5 * np.eye(len(gradient))[k]
        rise = route.log_evidence(kernel.theta + step)[0] - route.log_evidence(kernel.theta - step)[0]
        assert_allclose(gradient[k], rise / 2e-5, rtol=1e-6, atol=1e-6)


def test_covariance_has_the_variances_on_its_diagonal():
    route = Exact().fit(RBF(0.5), X, Y, NOISE).condition(RBF(0.5))
    Q = np.linspace(-1, 4, 7)[:, None]
    assert_allclose(np.diagonal(route.covariance(Q)), route.variance(Q), atol=1e-14)


def test_a_stored_route_whose_parts_do_not_fit_is_refused():
    route = Exact().fit(RBF(0.5), X, Y, NOISE).condition(RBF(0.5))
    route._check_stored()
    route.factor = factor(np.eye(3))
    with pytest.raises(ValueError, match="3 rows, 4 are stored"):
        route._check_stored()


def test_a_matrix_that_no_machine_holds_is_refused_before_it_is_made():
    n = 10_000_000
    with pytest.raises(DataError, match="GB for 10000000 rows"):
        Exact().fit(RBF(), np.zeros((n, 0)), np.zeros((n, 1)), np.zeros(n))
