import numpy as np
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose

from assay.errors import DataError, DegenerateError
from assay.linear import LinearRegression, PolynomialRegressor, Ridge


def sample(n=40, d=4, seed=0, shift=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(shift, 1 + np.arange(d), (n, d))
    return X, 3 + X @ np.arange(1.0, d + 1) + rng.normal(size=n) * 2, rng.random(n) + 0.2


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("shift", [0.0, 1e4])
def test_prediction_intervals_are_those_of_statsmodels(weighted, constant, shift):
    """Peer: statsmodels 0.15, OLS and WLS, obs_ci; there, too, weights are precisions and a new row weighs 1."""
    X, y, w = sample(shift=shift)
    w = w if weighted else None
    new = X[:7] + 0.5
    ours = LinearRegression(fit_intercept=constant).fit(X, y, w).predict_interval(new, coverage=0.8)
    design = sm.add_constant if constant else np.asarray
    peer = sm.WLS(y, design(X), weights=1.0 if w is None else w).fit()
    frame = peer.get_prediction(design(new)).summary_frame(alpha=0.2)
    assert_allclose(ours, frame[["obs_ci_lower", "obs_ci_upper"]], rtol=1e-7)


def test_rows_of_weight_zero_are_not_there():
    X, y, _ = sample()
    w = np.ones(40)
    w[30:] = 0
    assert_allclose(
        LinearRegression().fit(X, y, w).predict_interval(X[:3]),
        LinearRegression().fit(X[:30], y[:30]).predict_interval(X[:3]),
        rtol=1e-10,
    )


@pytest.mark.parametrize("penalize_intercept", [False, True])
@pytest.mark.parametrize("n", [40, 6])
def test_ridge_by_the_formula(n, penalize_intercept):
    """Oracle: A = U'U + P with a column of ones, sigma^2 = RSS / (n - tr(2H - HH)), computed from the rows."""
    X, y, _ = sample(n, 8, seed=3)
    model = Ridge(alpha=5.0, penalize_intercept=penalize_intercept).fit(X, y)
    U, P = np.column_stack([X, np.ones(n)]), 5.0 * np.eye(9)
    P[8, 8] = 5.0 * penalize_intercept
    A = U.T @ U + P
    H = U @ np.linalg.solve(A, U.T)
    dof = n - np.trace(2 * H - H @ H)
    sigma = np.sqrt(np.sum((y - H @ y) ** 2) / dof)
    new = np.column_stack([X[:4] * 1.1, np.ones(4)])
    given = model.predict_distribution(X[:4] * 1.1)
    assert_allclose(given.dof, dof, rtol=1e-8)
    assert_allclose(
        given.scale, sigma * np.sqrt(1 + np.sum(new * np.linalg.solve(A, new.T).T, axis=1)), rtol=1e-7
    )
    assert_allclose(given.mean, model.predict(X[:4] * 1.1), rtol=1e-12)


def test_ridge_without_a_penalty_is_least_squares():
    X, y, w = sample()
    assert_allclose(
        Ridge(alpha=0).fit(X, y, w).predict_interval(X),
        LinearRegression().fit(X, y, w).predict_interval(X),
        rtol=1e-8,
    )


def test_dependent_columns_do_not_cost_degrees_of_freedom():
    X, y, _ = sample()
    doubled = np.column_stack([X, X[:, 0] - X[:, 1], np.full(40, 7.0)])
    with pytest.warns(UserWarning, match="linearly dependent"):
        model = LinearRegression().fit(doubled, y)
    assert_allclose(
        model.predict_interval(doubled), LinearRegression().fit(X, y).predict_interval(X), rtol=1e-6
    )


def test_nothing_left_for_the_noise_is_said():
    X, y, _ = sample(5, 4)
    with pytest.raises(
        DegenerateError, match="5 rows for 5 parameters leave nothing to estimate the noise from"
    ):
        LinearRegression().fit(X, y).predict_distribution(X)
    with pytest.raises(DataError, match="of one target"):
        LinearRegression().fit(*sample()[:1], np.ones((40, 2))).predict_interval(sample()[0])
    assert not hasattr(LinearRegression(positive=True), "predict_interval")


def test_rows_on_a_plane_have_an_interval_of_width_nothing():
    X, _, _ = sample()
    y = 1 + X @ np.ones(4)
    assert_allclose(np.ptp(LinearRegression().fit(X, y).predict_interval(X), axis=1), 0, atol=1e-5)


def test_partial_fit_and_memory_give_the_same_intervals():
    X, y, _ = sample(60)
    parts = LinearRegression().partial_fit(X[:25], y[:25]).partial_fit(X[25:], y[25:])
    assert_allclose(parts.predict_interval(X), LinearRegression().fit(X, y).predict_interval(X), rtol=1e-9)


def test_polynomial_interval_is_its_band():
    X, y, _ = sample(50, 1)
    model = PolynomialRegressor(3).fit(X, y)
    assert_allclose(model.predict_interval(X, 0.8), model.predict_band(X, 0.8, kind="new"), rtol=1e-10)


def test_exact_coverage_under_normal_noise():
    """Under the model's own assumptions a new number lies below each quantile with exactly its probability."""
    rng = np.random.default_rng(0)
    hits = []
    for _ in range(400):
        X = rng.normal(size=(12, 3))
        y = X @ [1.0, 2.0, 3.0] + rng.normal(size=12)
        low, high = LinearRegression().fit(X[:11], y[:11]).predict_interval(X[11:], coverage=0.8)[0]
        hits.append(low <= y[11] <= high)
    assert abs(np.mean(hits) - 0.8) < 3 * np.sqrt(0.16 / 400)


@pytest.mark.parametrize(
    ("alpha", "variance"), [(1, 2.20512821), (2, 2.06666667), (10, 1.66666667), (0, 2.5)]
)
def test_variance_of_a_new_row_in_units_of_the_noise(alpha, variance):
    """Oracle: Bayesian linear regression with beta = 1 of x = 0, 1, 2, 3, its constant penalised, at x = 4."""
    x, r = np.arange(4.0)[:, None], np.array([1.0, 3.0, 4.0, 8.0])
    noise = Ridge(alpha=alpha, penalize_intercept=True).fit(x, r).noise()
    assert_allclose(1 + noise.leverages(np.array([[4.0]])), variance, rtol=1e-8)
