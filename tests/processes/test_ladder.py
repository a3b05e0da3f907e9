"""Which method is taken for which table, and that it is said."""

import numpy as np
import pytest

from assay.kernels import RBF, ExpSineSquared, Matern, WhiteKernel
from assay.processes import GaussianProcessRegressor
from assay.processes.routes.ladder import choose_route

NOISY = WhiteKernel(0.1)


def step(kernel, n, d, detail=1.0, noise=0.3):
    random = np.random.default_rng(0)
    X = random.uniform(0, 1, (n, d))
    y = np.sin(6 * detail * X[:, 0]) * np.cos(5 * detail * X[:, -1]) + noise * random.normal(size=n)
    return choose_route("auto", kernel, X, y[:, None], np.full(n, 1e-10))


@pytest.mark.parametrize(
    ("kernel", "n", "d", "detail", "name"),
    [
        (RBF() + NOISY, 5000, 2, 1.0, "exact"),
        (Matern() + NOISY, 1000, 1, 1.0, "exact"),
        (Matern() + NOISY, 1001, 1, 1.0, "line"),
        (RBF() + NOISY, 5001, 1, 1.0, "inducing"),
        (RBF() + NOISY, 5001, 2, 1.0, "inducing"),
        (RBF() + NOISY, 5001, 2, 8.0, "vecchia"),
        (RBF() + NOISY, 5001, 4, 1.0, "inducing"),
    ],
)
def test_the_method_follows_from_rows_columns_and_detail(kernel, n, d, detail, name):
    assert step(kernel, n, d, detail).name == name


def test_a_periodic_kernel_of_one_column_needs_no_whole_matrix():
    periods = ExpSineSquared(1.0, 0.3) * Matern(nu=1.5) + NOISY
    assert step(periods, 5001, 1).name == "inducing"
    assert step(periods, 5001, 2).name == "exact"  # no covariance in general, so that nothing else will do
    assert step(ExpSineSquared().on([0]) * RBF().on([1]) + NOISY, 5001, 2).name != "exact"


def test_without_noise_neighbours_are_taken():
    assert step(1.0 * RBF(), 5001, 4, noise=0.0).name == "vecchia"


def test_points_that_leave_little_of_the_noise_lose_less_than_neighbours():
    """They leave 4 % here; of 10,000 such rows the bound is 167 above the log density by neighbours."""
    made = step(Matern([1.0, 1.0], nu=2.5) + NOISY, 5001, 2, 2.5, noise=0.1)
    assert made.name == "inducing" and made.tolerance == 1e-3
    assert [make().n_inducing for make, _ in made.subsets(5001)] == [200]


def test_the_choice_is_announced():
    X = np.linspace(0, 9, 1200)[:, None]
    model = GaussianProcessRegressor(Matern() + NOISY, optimizer=None).fit(X, np.sin(X[:, 0]))
    assert (
        model.method_ == "on a line: the exact posterior by a chain of states, O(n) (one column, 1,200 rows)"
    )
    asked = GaussianProcessRegressor(Matern() + NOISY, optimizer=None, method="vecchia").fit(X, X[:, 0])
    assert asked.method_.endswith("(as asked for)")


@pytest.mark.parametrize("method", ["line", "vecchia", "inducing"])
def test_targets_with_missing_values_and_noise_of_each_row(method):
    random = np.random.default_rng(0)
    X = random.uniform(0, 9, (80, 1))
    Y = np.column_stack([np.sin(X[:, 0]), np.cos(X[:, 0])]) + 0.1 * random.normal(size=(80, 2))
    Y[::3, 1] = np.nan
    noise = random.uniform(0.005, 0.02, 80)
    kernel = 1.0 * Matern(2.0, nu=2.5)
    model = GaussianProcessRegressor(kernel, method=method, n_restarts_optimizer=0).fit(X, Y, noise=noise)
    exact = GaussianProcessRegressor(kernel, method="exact").fit(X, Y, noise=noise)
    Q = np.linspace(0.5, 8.5, 20)[:, None]
    mean, sd = model.predict(Q, return_std=True)
    expected, expected_sd = exact.predict(Q, return_std=True)
    tolerance = {"line": 1e-5, "vecchia": 0.02, "inducing": 1e-3}[method]
    assert np.abs(mean - expected).max() < tolerance
    assert np.abs(sd - expected_sd).max() < tolerance
