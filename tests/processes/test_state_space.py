"""A Gaussian process on a line in linear time: the same numbers as dense algebra, whatever the gaps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import gammainc

from assay.errors import ParameterError
from assay.kernels import RBF, ConstantKernel, ExpSineSquared, Harmonic, Laplacian, Matern, WhiteKernel
from assay.processes import GaussianProcessRegressor
from assay.processes.routes import _matern_chain
from assay.processes.routes.chain import _matern_tables, links_of, no_chain
from assay.processes.routes.exact import Exact
from assay.processes.routes.state_space import StateSpace

KERNELS = [
    2.0 * Matern(1.3, nu=0.5) + WhiteKernel(0.2),
    2.0 * Matern(1.3, nu=1.5) + WhiteKernel(0.2),
    Matern(0.8, nu=2.5) * 3.0 + WhiteKernel(0.01),
    Matern(1.3, nu=3.5) + WhiteKernel(0.2),
    Matern(1.3, nu=1.5) * Matern(3.0, nu=2.5) + ConstantKernel(0.5) + WhiteKernel(0.2),
    Matern(1.3, nu=1.5) * (Matern(3.0, nu=0.5) + WhiteKernel(0.3)) * 2.0
    + 0.3 * Laplacian(2.0, gamma_bounds=(0.1, 10)),
    2.0 * (Matern(1.0, nu=0.5) + Matern(9.0, "fixed", nu=2.5)),
    2.0 * Matern(4.0, nu=1.5) * Harmonic(1.7) + WhiteKernel(0.2),
    Harmonic(3.0, "fixed") + 0.5 * Harmonic(1.1) * Matern(2.0, nu=0.5) + WhiteKernel(0.2),
]


def table(n, t=1, scale=10.0, seed=0, decimals=None):
    random = np.random.default_rng(seed)
    x = random.uniform(0, scale, (n, 1))
    if decimals is not None:
        x = np.round(x, decimals)
    return x, np.sin(x * 10.0 / scale) + 0.3 * random.normal(size=(n, t)), random.uniform(0.05, 0.2, n)


@pytest.mark.parametrize("p", range(4))
def test_native_links_and_slopes_are_those_of_the_formulas(p):
    """Sums of powers, and of SciPy's incomplete gamma functions; to 1e-12 of the terms that are added."""
    tables, s = _matern_tables(p), p + 1
    z = np.concatenate(
        [[0.0, 1e-9, 1e-3, 0.0499999, 0.05, 0.7499999, 0.75, 40.0, 800.0], np.geomspace(1e-4, 30, 50)]
    )
    A, Q = np.empty((len(z), s * s)), np.empty((len(z), s * s))
    _matern_chain.links(tables.native, z, A, Q)
    powers = np.exp(-z)[:, None] * z[:, None] ** np.arange(s)
    gammas = np.stack([gammainc(k, 2 * z) for k in range(1, 2 * p + 2)], axis=1)
    assert (np.abs(A - powers @ tables.powers) <= 1e-12 * (powers @ np.abs(tables.powers)) + 1e-300).all()
    assert (
        np.abs(Q - gammas @ tables.integrals) <= 1e-12 * (gammas @ np.abs(tables.integrals)) + 1e-300
    ).all()
    rng = np.random.default_rng(0)
    by_A, by_Q = rng.normal(size=A.shape), rng.normal(size=Q.shape)
    slope_A = np.exp(-z)[:, None] * (z[:, None] ** np.arange(s) @ tables.slopes)
    slope_Q = np.exp(-2 * z)[:, None] * (z[:, None] ** np.arange(2 * p + 1) @ tables.outer)
    expected = (z * ((by_A * slope_A).sum(axis=1) + (by_Q * slope_Q).sum(axis=1))).sum()
    assert_allclose(_matern_chain.sum_of_slopes(tables.native, z, by_A, by_Q), expected, rtol=1e-10)
    with pytest.raises(ValueError, match="Q does not fit"):
        _matern_chain.links(tables.native, z, A, Q[:-1])


def test_evaluations_of_a_search_share_memory_and_nothing_else():
    kernel = 2.0 * Matern(1.3, nu=1.5) + 0.3 * Matern(0.2, nu=0.5) + WhiteKernel(0.2)
    route = StateSpace().fit(kernel, *table(200, 2))
    search = route.searched_log_evidence()
    for shift in (0.3, -0.5, 0.0, 0.3):
        value, slopes = search(kernel.theta + shift)
        expected, expected_slopes = route.log_evidence(kernel.theta + shift)
        assert value == expected and (slopes == expected_slopes).all()


def both(kernel, *data):
    return StateSpace().fit(kernel, *data), Exact().fit(kernel, *data)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("decimals", [None, 1])
def test_evidence_and_gradient_are_those_of_dense_algebra(kernel, decimals):
    """Unsorted rows, noise of each row, two targets; with one decimal most points are there several times."""
    line, exact = both(kernel, *table(150, 2, decimals=decimals))
    (value, slopes), (expected, expected_slopes) = (
        route.log_evidence(kernel.theta + 0.1) for route in (line, exact)
    )
    assert_allclose(value, expected, rtol=1e-11)
    assert_allclose(slopes, expected_slopes, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_answers_are_those_of_dense_algebra(kernel):
    data = table(80, 2, decimals=1)
    line, exact = (route.condition(kernel) for route in both(kernel, *data))
    Q = np.concatenate([np.linspace(-3, 13, 30)[:, None], data[0][:4], data[0][:1]])
    assert_allclose(line.mean(Q), exact.mean(Q), atol=1e-11)
    assert_allclose(line.variance(Q), exact.variance(Q), atol=1e-11)
    assert_allclose(line.covariance(Q), exact.covariance(Q), atol=1e-11)
    assert_allclose(line.leave_one_out(), exact.leave_one_out(), atol=1e-10)
    assert_allclose(line.a, exact.a, atol=1e-10)


@pytest.mark.parametrize(
    ("scale", "length", "noise"), [(1e-6, 1e-7, 0.1), (1e6, 1e5, 0.1), (10.0, 2.0, 1e-6), (1.0, 30.0, 1e-2)]
)
@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5])
def test_evidence_of_300_rows_to_eight_digits_well_and_ill_scaled(nu, scale, length, noise):
    kernel = Matern(length, nu=nu, length_scale_bounds=(1e-9, 1e9))
    x, Y, _ = table(300, scale=scale)
    line, exact = both(kernel, x, Y, np.full(300, noise))
    assert_allclose(line.log_evidence(kernel.theta)[0], exact.log_evidence(kernel.theta)[0], rtol=1e-8)


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5, 3.5])
def test_small_gaps_keep_their_digits(nu):
    """Oracle: the kernel's own algebra in long doubles, noise 1e-6 and points 1e-3 length scales apart."""
    n, kernel = 40, Matern(1.0, nu=nu)
    x = np.cumsum(np.full(n, 1e-3))[:, None]
    Y = np.cos(40 * x)
    z = np.abs(x - x.T).astype(np.longdouble) * np.sqrt(np.longdouble(2 * nu))
    polynomial = {0.5: 1 + 0 * z, 1.5: 1 + z, 2.5: 1 + z + z**2 / 3, 3.5: 1 + z + 2 * z**2 / 5 + z**3 / 15}[
        nu
    ]
    C = polynomial * np.exp(-z) + np.longdouble(1e-6) * np.eye(n)
    v, logdet = Y[:, 0].astype(np.longdouble), np.longdouble(0)
    for i in range(n):  # elimination without pivots
        logdet += np.log(C[i, i])
        f = C[i + 1 :, i] / C[i, i]
        C[i + 1 :] -= f[:, None] * C[i]
        v[i + 1 :] -= f * v[i]
    expected = float(-0.5 * np.sum(v**2 / np.diagonal(C)) - 0.5 * (logdet + n * np.log(2 * np.pi)))
    line = StateSpace().fit(kernel, x, Y, np.full(n, 1e-6))
    assert_allclose(line.log_evidence(np.zeros(1))[0], expected, rtol=1e-10)


@pytest.mark.parametrize("p", [0, 1, 2, 3])
def test_noise_of_a_gap_is_what_the_stationary_covariance_lacks(p):
    gaps = np.array([0.0, 0.3, 1.0, 5.0, 1e4])
    link = links_of(Matern(1.0, nu=p + 0.5), gaps)
    assert_allclose(link.Q, link.P - link.A @ link.P @ link.A.transpose(0, 2, 1), atol=1e-14)
    tiny = links_of(Matern(1.0, nu=p + 0.5), np.array([1e-9])).Q[0, 0, 0]
    assert 0 < tiny < 1e-8  # where the difference has no digits left


def test_order_of_rows_does_not_matter():
    kernel = KERNELS[2]
    x, Y, noise = table(60, decimals=1)
    turned = np.random.default_rng(1).permutation(60)
    values = [
        StateSpace().fit(kernel, x[rows], Y[rows], noise[rows]).log_evidence(kernel.theta)
        for rows in (np.arange(60), turned)
    ]
    assert_allclose(values[0][0], values[1][0], rtol=1e-12)
    assert_allclose(values[0][1], values[1][1], rtol=1e-9, atol=1e-9)


def test_variances_are_never_negative():
    kernel = Matern(5.0, nu=2.5)
    x = np.linspace(0, 1, 400)[:, None]
    line = StateSpace().fit(kernel, x, np.sin(x), np.full(400, 1e-10)).condition(kernel)
    Q = np.concatenate([x, x + 1e-4, [[1e6]]])
    assert (line.variance(Q) >= 0).all()
    assert_allclose(line.variance([[1e6]]), 1.0)


def test_equal_points_without_noise_get_the_jitter_that_is_reported():
    kernel = Matern(1.0, nu=0.5)
    x = np.array([[0.0], [1.0], [1.0]])
    line = StateSpace().fit(kernel, x, np.ones((3, 1)), np.zeros(3)).condition(kernel)
    assert 0 < line.jitter <= 1e-6
    assert np.isfinite(line.mean([[0.5]])).all()


def test_other_kernels_and_more_columns_are_refused_with_a_reason():
    assert no_chain(RBF() + Matern(nu=1.5)) == (
        "RBF(length_scale=1) is no chain of states: Matern(nu=2.5) is nearly as smooth, and is one"
    )
    assert no_chain(Matern(nu=1.2)) is not None
    with pytest.raises(ParameterError, match="there are 2 columns, expected one"):
        StateSpace().fit(Matern(), np.zeros((3, 2)), np.zeros((3, 1)), np.ones(3))


def test_a_rhythm_that_loses_its_phase_is_learned_in_linear_time():
    """5000 points of an oscillation of period 3: the period is found, on a line of exact answers."""
    x = np.sort(np.random.default_rng(0).uniform(0, 300, 5000))[:, None]
    kernel = 1.0 * Matern(20.0, nu=1.5) * Harmonic(3.0) + WhiteKernel(0.1)
    y = np.sin(2 * np.pi * x[:, 0] / 3 + 0.3 * np.sin(x[:, 0] / 40)) + 0.3 * np.random.default_rng(1).normal(
        size=5000
    )
    model = GaussianProcessRegressor(kernel.with_theta(kernel.theta + 0.02), alpha=0).fit(x, y)
    assert "on a line" in str(model.method_)
    assert_allclose(model.kernel_.k1.k2.periodicity, 3.0, atol=0.03)
    assert "Harmonic" in no_chain(ExpSineSquared())
