"""Prediction intervals of the lasso and the elastic net."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from assay import load, save
from assay.errors import DegenerateError
from assay.linear import ElasticNet, ElasticNetCV, Lasso, LassoCV, LinearRegression, Ridge

rng = np.random.default_rng(5)
X = rng.normal(size=(40, 6)) + 3
y = 2 * X[:, 0] - X[:, 3] + rng.normal(size=40)
weights = rng.integers(1, 4, 40).astype(float)


def test_a_vanishing_penalty_gives_the_intervals_of_least_squares():
    ours = Lasso(alpha=1e-10, tol=1e-14, max_iter=100_000).fit(X, y)
    assert_allclose(ours.predict_interval(X), LinearRegression().fit(X, y).predict_interval(X), rtol=1e-7)


def test_without_the_absolute_penalty_they_are_those_of_ridge_regression():
    ours = ElasticNet(alpha=0.2, l1_ratio=0.0, tol=1e-14, max_iter=100_000).fit(X, y)
    assert_allclose(
        ours.predict_interval(X), Ridge(alpha=0.2 * len(X)).fit(X, y).predict_interval(X), rtol=1e-9
    )


def test_the_spread_is_that_of_least_squares_on_the_selected_columns():
    """Oracle: (1) of SelectedNoise; the widths depend on the residuals and the selected columns alone."""
    model = Lasso(alpha=0.3).fit(X, y)
    chosen = np.flatnonzero(model.coef_)
    assert 0 < len(chosen) < 6
    dof = len(X) - len(chosen) - 1
    sigma = np.sqrt(np.sum((y - model.predict(X)) ** 2) / dof)
    U = np.column_stack((X[:, chosen], np.ones(len(X))))
    leverage = np.einsum("ij,ij->i", U, np.linalg.solve(U.T @ U, U.T).T)
    distribution = model.predict_distribution(X)
    assert_allclose(distribution.sd, sigma * np.sqrt((1 + leverage) * dof / (dof - 2)), rtol=1e-9)
    assert_allclose(distribution.mean, model.predict(X))


@pytest.mark.parametrize("learner", [Lasso(alpha=0.1, tol=1e-13), ElasticNetCV(tol=1e-12, cv=3)])
def test_dense_sparse_and_products_agree(learner, tmp_path):
    dense = learner.fit(X, y, sample_weight=weights).predict_interval(X)
    sparse = learner.fit(csr_array(X), y, sample_weight=weights).predict_interval(csr_array(X))
    assert_allclose(sparse, dense, rtol=1e-6)
    learner.set_params(precompute=True)
    assert_allclose(learner.fit(X, y, sample_weight=weights).predict_interval(X), dense, rtol=1e-6)
    save(learner, tmp_path / "m.assay")
    assert (load(tmp_path / "m.assay").predict_interval(X) == learner.predict_interval(X)).all()


def test_intervals_hold_what_they_promise_where_the_rows_are_many_for_the_columns():
    random = np.random.default_rng(0)
    inside = []
    for _ in range(25):
        A, B = random.normal(size=(2, 100, 8))
        a, b = (Z[:, 0] - Z[:, 1] + random.normal(size=100) for Z in (A, B))
        ends = LassoCV(cv=3).fit(A, a).predict_interval(B, 0.9)
        inside.append(np.mean((ends[:, 0] <= b) & (b <= ends[:, 1])))
    assert 0.88 <= np.mean(inside) <= 0.92


def test_no_weight_at_all_is_the_mean_with_students_t():
    model = Lasso(alpha=100.0).fit(X, y)
    assert not model.coef_.any()
    half = np.ptp(model.predict_interval(X[:1], 0.9)) / 2
    from scipy.stats import t

    assert_allclose(half, t.ppf(0.95, 39) * y.std(ddof=1) * np.sqrt(1 + 1 / 40), rtol=1e-12)


def test_refusals():
    with pytest.raises(AttributeError) as refusal:
        Lasso(positive=True).fit(X, y).predict_interval(X)
    assert "may not be negative" in str(refusal.value.__cause__)
    with pytest.raises(DegenerateError, match="Raise alpha"):
        Lasso(alpha=1e-6, max_iter=100_000).fit(X[:6], y[:6]).predict_interval(X)


@pytest.mark.parametrize("unit", [1e-150, 1e-20, 1e150])
def test_the_unit_of_the_target_does_not_matter(unit):
    """Targets of 1e-20 used to lie below the smallest penalty of the grid."""
    plain, scaled = LassoCV(cv=3).fit(X, y), LassoCV(cv=3).fit(X, y * unit)
    assert_allclose(scaled.coef_, plain.coef_ * unit, rtol=1e-6)
    assert_allclose(scaled.predict_interval(X), plain.predict_interval(X) * unit, rtol=1e-6)
