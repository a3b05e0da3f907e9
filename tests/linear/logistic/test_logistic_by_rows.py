"""Logistic regression among sums of rows: the same objective in fewer coordinates."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import linear_model as peers

from assay.core.sums import Rows
from assay.linear.logistic.logistic_by_rows import by_rows
from assay.linear.logistic.logistic_objective import LogisticObjective
from assay.linear.logistic.logistic_regression import LogisticRegression
from assay.linear.logistic.logistic_sums import Scale


def table(K, n=12, d=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10 ** rng.uniform(-1, 1, d) + rng.normal(size=d)
    y = np.concatenate((np.arange(K), rng.integers(0, K, n - K)))
    return X, y, rng.uniform(0.5, 2, n)


def objective(
    X, y, w, K, *, strength=0.3, intercept=True, intercept_strength=0.0, reference=None, factors=None
):
    u = w if factors is None else w * factors[y]
    mean = u @ X / u.sum()
    scale = Scale.of(mean, u @ (X - mean) ** 2 / u.sum(), u.sum(), intercept and not intercept_strength)
    how = {"strength": strength, "fit_intercept": intercept, "intercept_strength": intercept_strength}
    plain = LogisticObjective(Rows(X, y, w), K, scale, reference=reference, **how)
    return plain.over(Rows(X, y, w), factors)


CASES = [
    {},
    {"intercept": False},
    {"intercept_strength": 0.7},
    {"factors": np.array([0.5, 2.0, 1.0, 3.0])},
    {"reference": 1},
]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("K", [2, 3, 4])
def test_values_in_few_coordinates_are_those_in_many(K, case):
    large = objective(*table(K), K, **case)
    narrow = by_rows(large)
    assert narrow.small.shape[0] < large.shape[0]
    rng = np.random.default_rng(1)
    for _ in range(3):
        v = rng.normal(size=narrow.small.shape).ravel()
        w = narrow.outside(v)
        assert_allclose(narrow.small.value_gradient(v)[0], large.value_gradient(w)[0], rtol=1e-10)
        assert_allclose(narrow.inside(w), v, atol=1e-8)


def test_rows_that_are_there_twice_are_one_direction():
    X, y, w = table(3)
    X[1], X[5] = X[0], X[2]
    narrow = by_rows(objective(X, y, w, 3, intercept=False))
    assert len(narrow.rows) == len(X) - 2
    v = np.random.default_rng(0).normal(size=narrow.small.shape).ravel()
    assert_allclose(
        narrow.small.value_gradient(v)[0], narrow.large.value_gradient(narrow.outside(v))[0], rtol=1e-10
    )


def test_without_a_penalty_there_is_no_such_form():
    assert by_rows(objective(*table(2), 2, strength=0.0)) is None


def test_a_table_of_nothing_has_no_such_form():
    X, y, w = table(2)
    assert by_rows(objective(np.zeros_like(X), y, w, 2)) is None


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cholesky"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("K", [2, 4])
def test_wide_tables_have_the_weights_of_scikit_learn(K, intercept, solver):
    X, y, w = table(K, 30, 300)
    settings = {"C": 0.2, "fit_intercept": intercept, "tol": 1e-10, "max_iter": 5000}
    ours = LogisticRegression(solver=solver, **settings).fit(X, y, sample_weight=w)
    peer = peers.LogisticRegression(solver="newton-cg", **settings).fit(X, y, sample_weight=w)
    assert_allclose(ours.coef_, peer.coef_, atol=1e-7)
    assert_allclose(ours.intercept_, peer.intercept_, atol=1e-6)
    assert ours.history_[-1].gradient <= 1e-10
    again = LogisticRegression(solver=solver, warm_start=True, **{**settings, "tol": 1e-7}).fit(X, y, w)
    first = again.n_iter_[0]
    assert again.fit(X, y, w).n_iter_[0] < first


def test_columns_of_all_scales_need_few_steps():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 400)) * 10 ** rng.uniform(-6, 6, 400)
    y = np.arange(20) % 3
    model = LogisticRegression(C=1e-8, tol=1e-9).fit(
        X, y
    )  # not converging would be a warning, and so an error
    residual = np.eye(3)[y] - model.predict_proba(X)
    slope = residual.T @ X / 20
    assert np.abs(slope).max() > 1e-3
    assert_allclose(model.coef_ / (1e-8 * 20), slope, atol=2e-9)


@pytest.mark.parametrize("weight", [1.0, 1e-3])
def test_columns_of_all_scales_leave_steps_for_newton(weight):
    """Rows not few enough to be summed: once, 200 steps went by without a look at the whole curvature."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 60)) * 10 ** rng.uniform(-6, 6, 60)
    y = np.arange(60) % 6
    model = LogisticRegression(C=200.0, max_iter=200)
    model.fit(X, y, sample_weight=np.full(60, weight))
    assert model.history_[-1].gradient <= 1e-4
