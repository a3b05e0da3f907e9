"""Few points that stand for all rows: bounds of the evidence, exact gradients, the same numbers from blocks."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import assay
from assay.core.sums import Block, Rows, Stream
from assay.errors import DegenerateError
from assay.kernels import RBF, DotProduct, Matern, Sigmoid, WhiteKernel
from assay.processes import GaussianProcessRegressor, SparseGaussianProcessRegressor
from assay.processes.routes.collapsed_bound import CollapsedBound
from assay.processes.routes.exact import Exact
from assay.processes.routes.inducing_points import InducingPoints

KERNELS = [
    2.0 * RBF([0.3, 0.5, 1.0]) + WhiteKernel(0.2),
    Matern(0.6, nu=1.5) + WhiteKernel(0.1, "fixed"),
    (Matern(0.6, nu=2.5) + 0.2 * DotProduct()) * (1.0 + WhiteKernel(0.1)),  # noise that grows with x
    RBF(0.7),
]


def table(n=150, t=2, seed=0):
    random = np.random.default_rng(seed)
    X = random.uniform(0, 1, (n, 3))
    return X, np.sin(6 * X[:, :1]) + random.normal(size=(n, t)) / 3, random.uniform(0.01, 0.1, n)


def by_the_book(kernel, X, Y, noise, Z):
    """Titsias' bound by dense matrices."""
    from assay.processes.noise import noise_variance, without_noise

    latent = without_noise(kernel)
    noise = noise + noise_variance(kernel, X)
    K = latent(X, Z)
    Q = K @ np.linalg.solve(latent(Z), K.T)
    C = Q + np.diag(noise)
    value = 0.0
    for y in Y.T:
        value -= 0.5 * (y @ np.linalg.solve(C, y) + np.linalg.slogdet(2 * np.pi * C)[1])
        value -= 0.5 * np.sum((latent.diagonal(X) - np.diagonal(Q)) / noise)
    return value


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_bound_is_that_of_dense_matrices(kernel):
    X, Y, noise = table()
    bound = CollapsedBound(kernel, X[:9], Rows(X, Y, noise))
    assert_allclose(bound.value, by_the_book(kernel, X, Y, noise, X[:9]), rtol=1e-9)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_gradient_is_that_of_the_bound(kernel):
    X, Y, noise = table()
    route, theta, step = InducingPoints(12).fit(kernel, X, Y, noise), kernel.theta, 1e-5
    slopes = route.log_evidence(theta)[1]
    numbers = [
        (route.log_evidence(theta + step * e)[0] - route.log_evidence(theta - step * e)[0]) / (2 * step)
        for e in np.eye(len(theta))
    ]
    assert_allclose(slopes, numbers, rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_evidence_lies_between_the_bounds_which_close_with_more_points(kernel):
    X, Y, noise = table()
    evidence = Exact().fit(kernel, X, Y, noise).log_evidence(kernel.theta)[0]
    lower, upper = [], []
    for m in (5, 20, 80, 150):
        bound = CollapsedBound(kernel, X[:m], Rows(X, Y, noise))
        lower.append(bound.value)
        upper.append(bound.upper)
    assert lower == sorted(lower) and upper == sorted(upper, reverse=True)
    assert lower[2] <= evidence + 1e-9 and upper[2] >= evidence - 1e-9
    assert_allclose([lower[3], upper[3]], evidence, rtol=1e-4)


@pytest.mark.parametrize("kernel", [KERNELS[1], KERNELS[2]], ids=repr)
def test_with_all_rows_as_points_it_is_exact(kernel):
    X, Y, noise = table(60)
    points, exact = (
        route.fit(kernel, X, Y, noise).condition(kernel) for route in (InducingPoints(60), Exact())
    )
    Q = np.random.default_rng(1).uniform(-0.2, 1.2, (20, 3))
    assert_allclose(points.mean(Q), exact.mean(Q), atol=1e-8)
    assert_allclose(points.variance(Q), exact.variance(Q), atol=1e-8)
    assert_allclose(points.covariance(Q), exact.covariance(Q), atol=1e-8)
    assert_allclose(points.leave_one_out(), exact.leave_one_out(), atol=1e-7)
    assert points.gap < 1e-3


def test_variances_have_the_part_that_points_do_not_explain():
    X, Y, noise = table()
    route = InducingPoints(3).fit(KERNELS[3], X, Y, noise).condition(KERNELS[3])
    assert_allclose(route.variance(np.full((1, 3), 50.0)), 1.0)  # far from all rows: the prior
    assert (route.variance(X) >= 0).all()


def test_blocks_of_any_size_give_the_same_numbers():
    kernel, (X, Y, noise) = KERNELS[0], table()
    whole = CollapsedBound(kernel, X[:9], Rows(X, Y, noise))
    parts = [(X[a : a + 40], Y[a : a + 40], noise[a : a + 40]) for a in range(0, 150, 40)]
    blocks = CollapsedBound(kernel, X[:9], Stream(parts, lambda part: Block(*part)))
    assert_allclose(blocks.value, whole.value, rtol=1e-12)
    assert_allclose(blocks.gradient(), whole.gradient(), rtol=1e-9, atol=1e-9)


def test_rows_without_noise_are_refused_with_the_remedy():
    X, Y, _ = table(20)
    with pytest.raises(DegenerateError, match="add a WhiteKernel"):
        InducingPoints(5).fit(RBF(), X, Y, np.zeros(20)).condition(RBF())


def test_a_model_survives_its_file_and_says_what_it_did(tmp_path):
    X, Y, _ = table(80, 1)
    model = GaussianProcessRegressor(KERNELS[0], method="inducing").fit(X, Y[:, 0])
    assert model.method_.startswith(
        "inducing points: 80 rows stand for all, O(n); the log evidence is at most"
    )
    assay.save(model, tmp_path / "m.assay")
    loaded = assay.load(tmp_path / "m.assay")
    assert (loaded.predict(X) == model.predict(X)).all()


@pytest.mark.parametrize(
    "learner",
    [GaussianProcessRegressor(Sigmoid(1.0), method="inducing"), SparseGaussianProcessRegressor(Sigmoid(1.0))],
)
def test_a_kernel_that_is_not_positive_semidefinite_is_refused(learner):
    x = np.random.default_rng(0).uniform(0, 5, (40, 1))
    with pytest.raises(DegenerateError, match="not positive semidefinite"):
        learner.fit(x, np.sin(x[:, 0]))


def test_what_is_announced_counts_one_row_and_has_no_negative_gap():
    x = np.full((20, 1), 3.0)
    model = GaussianProcessRegressor(1.0 * RBF() + WhiteKernel(0.1), method="inducing", optimizer=None)
    model.fit(x, np.random.default_rng(0).normal(size=20))
    assert "1 row stands for all" in model.method_ and model.route_.gap >= 0
