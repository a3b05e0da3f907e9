"""Rows given their nearest neighbours: exact with all rows before, and the exact gradient of the approximation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import assay
from assay.errors import DegenerateError, ParameterError
from assay.kernels import RBF, ConstantKernel, Matern, RationalQuadratic, WhiteKernel
from assay.processes import GaussianProcessRegressor
from assay.processes.routes.exact import Exact
from assay.processes.routes.given_neighbours import ByKernel, ByTerms, conditionals_of
from assay.processes.routes.nearest_before import nearest_before
from assay.processes.routes.terms import terms_of
from assay.processes.routes.vecchia import Vecchia

KERNELS = [
    2.0 * RBF([0.3, 0.5]) + WhiteKernel(0.2),
    Matern([0.3, 0.5], nu=1.5) + WhiteKernel(0.2) + 0.3 * RBF(0.2),
    Matern(0.3, nu=0.5) * 2.0 + WhiteKernel(0.1, "fixed"),
    (1.0 + Matern([0.4, 0.2], nu=2.5)) * 0.5 + WhiteKernel(0.1) * 2.0,
    1.5 * RationalQuadratic(0.3) + WhiteKernel(0.1),  # by the kernel's own blocks
]


def table(n=90, t=2, seed=0):
    random = np.random.default_rng(seed)
    X = random.uniform(0, 1, (n, 2))
    Y = np.sin(6 * X[:, :1]) + random.normal(size=(n, t)) / 3
    return X, Y, random.uniform(0.01, 0.1, n)


def by_the_book(kernel, X, Y, noise, near):
    """The log density of the last rows given their neighbours, and their coefficients and variances."""
    total, coef, variance = 0.0, np.zeros(near.shape), np.zeros(len(near))
    for i, rows in enumerate(near):
        rows = rows[rows >= 0]
        K = kernel(X[[*rows, len(X) - len(near) + i]])
        K = K + np.diag(noise[[*rows, len(X) - len(near) + i]])
        b = np.linalg.solve(K[:-1, :-1], K[:-1, -1])
        v = K[-1, -1] - K[-1, :-1] @ b
        e = Y[len(X) - len(near) + i] - b @ Y[rows]
        total += -0.5 * np.sum(e**2 / v + np.log(2 * np.pi * v))
        coef[i, : len(b)], variance[i] = b, v
    return total, coef, variance


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_native_code_and_its_twin_agree(kernel):
    X, Y, noise = table()
    near = nearest_before(X, 7)
    rows = conditionals_of(kernel, X, Y, noise, near)
    total, coef, variance = by_the_book(kernel, X, Y, noise, near)
    assert isinstance(rows, ByKernel if "Rational" in repr(kernel) else ByTerms)
    assert_allclose(rows.evidence()[0], total, rtol=1e-11)
    assert_allclose(rows.solve()[0], coef, atol=1e-10)
    assert_allclose(rows.solve()[1], variance, rtol=1e-10)
    general = ByKernel(kernel, X, Y, noise, near)
    assert_allclose(rows.evidence()[1], general.evidence()[1], rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("kernel", [RBF(9.0) + WhiteKernel(0.1), sum([RBF(9.0)] * 17, WhiteKernel(0.1))])
@pytest.mark.parametrize("d", [2, 65])
def test_kernels_of_more_columns_or_terms_than_native_code_takes(kernel, d):
    X = np.random.default_rng(0).normal(size=(25, d))
    y = X[:, 0] + X[:, 1]
    model = GaussianProcessRegressor(kernel, method="vecchia", optimizer=None).fit(X, y)
    whole = GaussianProcessRegressor(kernel, method="exact", optimizer=None).fit(X, y)
    assert_allclose(model.predict(X), whole.predict(X), atol=1e-6)  # all rows before it are neighbours


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_with_all_rows_before_it_is_exact(kernel):
    X, Y, noise = table()
    near, exact = Vecchia(89, 90).fit(kernel, X, Y, noise), Exact().fit(kernel, X, Y, noise)
    (value, slopes), (expected, expected_slopes) = (
        route.log_evidence(kernel.theta) for route in (near, exact)
    )
    assert_allclose(value, expected, rtol=1e-11)
    assert_allclose(slopes, expected_slopes, rtol=1e-8, atol=1e-8)
    near.condition(kernel), exact.condition(kernel)
    Q = np.random.default_rng(1).uniform(-0.2, 1.2, (20, 2))
    assert_allclose(near.mean(Q), exact.mean(Q), atol=1e-10)
    assert_allclose(near.variance(Q), exact.variance(Q), atol=1e-10)
    assert_allclose(near.leave_one_out(), exact.leave_one_out(), atol=1e-10)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_gradient_is_that_of_the_approximation(kernel):
    X, Y, noise = table()
    route, theta, step = Vecchia(6).fit(kernel, X, Y, noise), kernel.theta, 1e-5
    numbers = [
        (route.log_evidence(theta + step * e)[0] - route.log_evidence(theta - step * e)[0]) / (2 * step)
        for e in np.eye(len(theta))
    ]
    assert_allclose(route.log_evidence(theta)[1], numbers, rtol=1e-6, atol=1e-5)


def test_leave_one_out_is_that_of_the_approximation():
    """Oracle: the covariance matrix that coefficients and variances imply, inverted."""
    kernel, (X, Y, noise) = KERNELS[0], table(40)
    route = Vecchia(5).fit(kernel, X, Y, noise).condition(kernel)
    rows = route._rows(kernel, 0.0)
    coef, variance = rows.solve()
    B = np.eye(40)
    for i, near in enumerate(rows.near):
        B[i, near[near >= 0]] -= coef[i, : (near >= 0).sum()]
    order = route._order()
    C = np.linalg.inv(B.T @ np.diag(1 / variance) @ B)
    for i in (0, 7, 39):
        rest = np.delete(np.arange(40), i)
        b = np.linalg.solve(C[np.ix_(rest, rest)], C[rest, i])
        assert_allclose(route.leave_one_out()[0][order[i]], b @ Y[order][rest], atol=1e-9)
        assert_allclose(route.leave_one_out()[1][order[i]], C[i, i] - C[i, rest] @ b, rtol=1e-9)


def test_evidence_is_close_and_closer_with_more_neighbours():
    """The mean of 30 draws of targets: the approximation's divergence from the process."""
    random = np.random.default_rng(0)
    kernel = 1.0 * Matern([0.3, 0.3], nu=1.5) + WhiteKernel(0.1)
    X = random.uniform(0, 1, (1000, 2))
    Y = np.linalg.cholesky(kernel(X)) @ random.normal(size=(1000, 30))
    exact = Exact().fit(kernel, X, Y, np.zeros(1000)).log_evidence(kernel.theta, gradient=False)[0]
    short = [
        (exact - Vecchia(m).fit(kernel, X, Y, np.zeros(1000)).log_evidence(kernel.theta)[0]) / 30
        for m in (10, 30, 60)
    ]
    assert 0 < short[2] < short[1] < short[0]
    assert short[1] < 5 and short[2] < 2


def test_neighbours_before_are_the_nearest():
    random = np.random.default_rng(0)
    Z = np.round(random.uniform(size=(700, 2)), 2)  # with ties
    near = nearest_before(Z, 5)
    for i in (0, 1, 3, 5, 6, 100, 511, 512, 699):
        distances = np.linalg.norm(Z[:i] - Z[i], axis=1)
        expected = np.sort(distances)[:5]
        assert (near[i, min(i, 5) :] == -1).all()
        assert_allclose(distances[near[i, : min(i, 5)]], expected, atol=1e-12)


def test_covariances_are_positive_and_have_the_variances_on_their_diagonal():
    kernel, (X, Y, noise) = KERNELS[1], table()
    route = Vecchia(10, 15).fit(kernel, X, Y, noise).condition(kernel)
    Q = np.random.default_rng(1).uniform(0, 1, (25, 2))
    C = route.covariance(np.concatenate([Q, Q[:1]]))  # a row twice
    assert_allclose(np.diagonal(C), route.variance(np.concatenate([Q, Q[:1]])), rtol=1e-12)
    assert np.linalg.eigvalsh(C)[0] > 0
    exact = Exact().fit(kernel, X, Y, noise).condition(kernel)
    assert np.abs(C[:-1, :-1] - exact.covariance(Q)).max() < 0.05


def test_variances_are_never_negative():
    kernel = RBF(2.0)
    X = np.random.default_rng(0).uniform(0, 1, (300, 2))
    route = Vecchia().fit(kernel, X, X[:, :1], np.full(300, 1e-10)).condition(kernel)
    assert (route.variance(np.concatenate([X, X + 1e-6])) >= 0).all()


def test_equal_rows_without_noise_get_the_jitter_that_is_reported():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    route = Vecchia().fit(RBF(), X, np.ones((4, 1)), np.zeros(4)).condition(RBF())
    assert 0 < route.jitter <= 1e-6
    nothing = ConstantKernel(0.0, "fixed")
    with pytest.raises(DegenerateError, match="Add noise"):
        Vecchia().fit(nothing, X, np.ones((4, 1)), np.zeros(4)).condition(nothing)


@pytest.mark.parametrize("kernel", [RBF([1.0, 1.0]), Matern(nu=0.7), RationalQuadratic() * RBF()], ids=repr)
def test_a_model_survives_its_file(kernel, tmp_path):
    X, Y, _ = table(60, 1)
    model = GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None, method="vecchia").fit(X, Y[:, 0])
    assay.save(model, tmp_path / "m.assay")
    loaded = assay.load(tmp_path / "m.assay")
    assert (loaded.predict(X) == model.predict(X)).all()
    for before, after in zip(model.route_.leave_one_out(), loaded.route_.leave_one_out()):
        assert (before == after).all()


def test_threads_do_not_change_the_numbers(monkeypatch):
    kernel, (X, Y, noise) = KERNELS[0], table(1500)
    values = []
    for threads in ("1", "4"):
        monkeypatch.setenv("ASSAY_NUM_THREADS", threads)
        values.append(Vecchia(5).fit(kernel, X, Y, noise).log_evidence(kernel.theta))
    assert values[0][0] == values[1][0]
    assert (values[0][1] == values[1][1]).all()


def test_products_of_two_functions_are_no_terms():
    assert terms_of(RBF() * Matern(), 2) is None
    assert terms_of(Matern(nu=0.7), 2) is None
    assert terms_of(RBF([1.0, 1.0, 1.0]), 2) is None


def test_missing_values_are_refused_in_a_sentence():
    x = np.random.default_rng(0).normal(size=(20, 2))
    x[0, 0] = np.nan
    with pytest.raises(ParameterError, match="without missing values"):
        GaussianProcessRegressor("auto", method="vecchia").fit(x, x[:, 1])
