"""Statistics of least squares beside statsmodels 0.15."""

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from statsmodels.stats.outliers_influence import variance_inflation_factor

from assay.errors import DataError, DegenerateError, DegenerateWarning, ParameterError
from assay.linear.regression.linear_regression import LinearRegression
from assay.linear.regression.ridge import Ridge


def noisy(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1, 20, 0.01] + [5, 0, 1]
    y = X @ [1.0, -0.1, 30.0] + 2 + rng.normal(size=n) * (1 + np.abs(X[:, 0] - 5))
    return X, y, rng


def same_table(table, peer):
    for ours, theirs in (
        (table.estimate, peer.params),
        (table.standard_error, peer.bse),
        (table.statistic, peer.tvalues),
        (table.p_value, peer.pvalues),
        (np.column_stack((table.lower, table.upper)), peer.conf_int()),
    ):
        assert_allclose(ours, theirs, rtol=1e-6)
    assert_allclose(
        table.covariance, peer.cov_params(), rtol=1e-6, atol=1e-10 * np.abs(peer.cov_params()).max()
    )


def same_measures(table, peer):
    for name, theirs in (
        ("R2", peer.rsquared),
        ("adjusted R2", peer.rsquared_adj),
        ("F", peer.fvalue),
        ("p of F", peer.f_pvalue),
        ("log-likelihood", peer.llf),
        ("AIC", peer.aic),
        ("BIC", peer.bic),
        ("residual standard error", np.sqrt(peer.scale)),
        ("residual squares", peer.ssr),
        ("residual degrees of freedom", peer.df_resid),
    ):
        assert_allclose(table.measures[name], theirs, rtol=1e-6, err_msg=name)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("load", [noisy, lambda: (*load_diabetes(return_X_y=True), np.random.default_rng(1))])
def test_same_as_ols_and_wls(load, weighted, fit_intercept):
    """Peers: OLS, and WLS, whose weights are precisions as ours are."""
    X, y, rng = load()
    w = rng.uniform(0.2, 5, len(y)) if weighted else None
    table = LinearRegression(fit_intercept=fit_intercept).fit(X, y, w).summary(X, y, w)
    A = sm.add_constant(X) if fit_intercept else X
    peer = sm.WLS(y, A, weights=w).fit() if weighted else sm.OLS(y, A).fit()
    same_table(table, peer)
    same_measures(table, peer)
    residual = peer.wresid
    assert_allclose(list(table.residuals.values()), np.quantile(residual, [0, 0.25, 0.5, 0.75, 1]), rtol=1e-6)
    if fit_intercept and not weighted:
        wanted = [variance_inflation_factor(A, j) for j in range(1, A.shape[1])]
        assert_allclose(table.vif[1:], wanted, rtol=1e-6)
    if not weighted:
        length = np.linalg.norm(A, axis=0)
        assert_allclose(table.measures["condition number"], np.linalg.cond(A / length), rtol=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["HC0", "HC1", "HC2", "HC3"])
def test_robust_errors(kind, weighted):
    """Peer: cov_type HC0 to HC3 with use_t, as ours are judged by t."""
    X, y, rng = noisy()
    w = rng.uniform(0.2, 5, len(y)) if weighted else np.ones(len(y))
    table = LinearRegression().fit(X, y, w).summary(X, y, w, covariance=kind)
    peer = sm.WLS(y, sm.add_constant(X), weights=w).fit(cov_type=kind, use_t=True)
    same_table(table, peer)
    assert_allclose(table.measures["F"], peer.fvalue, rtol=1e-6)
    assert_allclose(table.measures["p of F"], peer.f_pvalue, rtol=1e-6)


def test_clusters():
    X, y, rng = noisy()
    groups = np.array(["north", "south", "east", "west", "middle"])[rng.integers(0, 5, len(y))]
    table = LinearRegression().fit(X, y).summary(X, y, covariance="cluster", groups=groups)
    codes = np.unique(groups, return_inverse=True)[1]
    peer = sm.OLS(y, sm.add_constant(X)).fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=True)
    same_table(table, peer)
    assert table.df == 4


@pytest.mark.parametrize("restriction", [["x0", "x1"], [[0, 1, 0, 0], [0, 0, 2, -1]]])
def test_wald_tests_are_f_tests(restriction):
    X, y, _ = noisy()
    table = LinearRegression().fit(X, y).summary(X, y)
    peer = sm.OLS(y, sm.add_constant(X)).fit()
    L = np.eye(4)[1:3] if isinstance(restriction[0], str) else np.array(restriction, dtype=float)
    value = 0.0 if isinstance(restriction[0], str) else [1.0, -30.0]
    test = table.wald_test(restriction, value)
    theirs = peer.f_test((L, np.broadcast_to(value, 2)))
    assert_allclose([test.statistic, test.p_value], [theirs.statistic, theirs.pvalue], rtol=1e-6)
    assert (test.df, test.df_residual) == (2, 196)


def test_rows_without_weight_do_not_count():
    X, y, rng = noisy()
    w = rng.integers(0, 3, len(y)).astype(float)
    table = LinearRegression().fit(X, y, w).summary(X, y, w)
    kept = w > 0
    same = LinearRegression().fit(X[kept], y[kept], w[kept]).summary(X[kept], y[kept], w[kept])
    assert table.measures == same.measures
    assert "Weights count as precisions." in table.notes


@pytest.mark.parametrize("penalize_intercept", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_ridge_by_hand(fit_intercept, penalize_intercept):
    X, y, _ = noisy(n=40)
    alpha = 3.0
    model = Ridge(alpha=alpha, fit_intercept=fit_intercept, penalize_intercept=penalize_intercept).fit(X, y)
    table = model.summary(X, y)
    A = sm.add_constant(X) if fit_intercept else X
    P = alpha * np.eye(A.shape[1])
    if fit_intercept and not penalize_intercept:
        P[0, 0] = 0
    B = np.linalg.inv(A.T @ A + P)
    theta = B @ A.T @ y
    S = A @ B @ A.T
    df = len(y) - np.trace(2 * S - S @ S.T)
    noise = np.sum((y - A @ theta) ** 2) / df
    assert_allclose(table.estimate, theta, rtol=1e-6)
    assert_allclose(table.covariance, noise * B @ A.T @ A @ B, rtol=1e-6, atol=1e-12)
    assert_allclose(table.df, df, rtol=1e-9)
    assert table.penalised and "shrunken" in table.notes[0] and "LinearRegression" in table.notes[0]
    assert "AIC" not in table.measures and "F" not in table.measures


def test_ridge_without_penalty_is_least_squares():
    X, y, _ = noisy()
    ridge, plain = (m.fit(X, y).summary(X, y) for m in (Ridge(alpha=0.0), LinearRegression()))
    assert_allclose(ridge.covariance, plain.covariance, rtol=1e-6, atol=1e-12)
    assert ridge.measures.keys() == plain.measures.keys() and not ridge.penalised


def test_columns_of_any_scale_and_place():
    X, y, _ = noisy()
    plain = LinearRegression().fit(X, y).summary(X, y)
    scale = 10.0 ** np.array([-12, 12, 6])
    wide = LinearRegression().fit(X * scale, y).summary(X * scale, y)
    assert_allclose(wide.statistic, plain.statistic, rtol=1e-6)
    far = X + np.array([1e7, 0, 0])
    moved = LinearRegression().fit(far, y).summary(far, y)
    assert_allclose(moved.statistic[1:], plain.statistic[1:], rtol=1e-5)


def test_sparse_rows_say_the_same():
    X, y, rng = noisy()
    X = np.where(rng.random(X.shape) < 0.5, X, 0.0)
    dense = LinearRegression().fit(X, y).summary(X, y, covariance="HC3")
    sparse = LinearRegression().fit(csr_matrix(X), y).summary(csr_matrix(X), y, covariance="HC3")
    assert_allclose(sparse.covariance, dense.covariance, rtol=1e-6, atol=1e-12)


def test_collinear_columns_get_a_sentence():
    rng = np.random.default_rng(0)
    a = rng.normal(size=100)
    X = np.column_stack((a, a + 1e-3 * rng.normal(size=100), rng.normal(size=100)))
    y = a + rng.normal(size=100)
    table = LinearRegression().fit(X, y).summary(X, y)
    assert any(note.startswith("Nearly combinations of other columns, by VIF: x") for note in table.notes)
    far = rng.normal(size=(100, 1)) + 100
    notes = LinearRegression().fit(far, y).summary(far, y).notes
    assert any("columns far from 0" in note for note in notes)


def test_an_exact_fit_is_certain():
    X = np.arange(10.0)[:, None]
    table = LinearRegression().fit(X, 3 * X[:, 0]).summary(X, 3 * X[:, 0])
    assert table.measures["R2"] == pytest.approx(1) and table["x0"]["p_value"] < 1e-30
    flat = LinearRegression().fit(X, np.zeros(10)).summary(X, np.zeros(10))
    assert flat.measures["R2"] == 0 and not np.isnan(flat.p_value).any()


@pytest.mark.parametrize("learner", [LinearRegression(), Ridge(alpha=2.0), Ridge(fit_intercept=False)])
def test_other_rows_than_those_of_fit_are_noticed(learner):
    X, y, _ = noisy()
    model = learner.fit(X, y)
    model.summary(X, y)  # without a warning
    with pytest.warns(ConvergenceWarning, match="standard errors away"):
        model.summary(X[::2], y[::2])


def test_what_is_refused():
    X, y, rng = noisy(n=12)
    model = LinearRegression().fit(X, np.column_stack((y, y)))
    with pytest.raises(ParameterError, match="one output, this model has 2"):
        model.summary(X, np.column_stack((y, y)))
    with pytest.raises(ParameterError, match="held at 0 or above"):
        LinearRegression(positive=True).fit(X, y).summary(X, y)
    with pytest.raises(DegenerateError, match="4 rows for 4 coefficients leave nothing"):
        LinearRegression().fit(X[:4], y[:4]).summary(X[:4], y[:4])
    twice = np.column_stack((X, X[:, 0] + X[:, 1]))
    with pytest.warns(DegenerateWarning):
        model = LinearRegression().fit(twice, y)
    with pytest.raises(DegenerateError, match=r"column x3 is a combination .* Drop it, or use Ridge"):
        model.summary(twice, y)
    model = LinearRegression().fit(X, y)
    with pytest.raises(ParameterError, match="'profile' and reference are for classes"):
        model.summary(X, y, intervals="profile")
    with pytest.raises(ParameterError, match="score_test: is for classes"):
        model.score_test(X, y, X)
    with pytest.raises(DataError, match="needs groups="):
        model.summary(X, y, covariance="cluster")
    with pytest.raises(DataError, match="one entry for each of 12 rows"):
        model.summary(X, y, covariance="cluster", groups=[1, 2])
    with pytest.raises(DataError, match="has one group"):
        model.summary(X, y, covariance="cluster", groups=np.zeros(12))
    with pytest.raises(ParameterError, match="level must be a number above 0 below 1"):
        model.summary(X, y, level=95)
    with pytest.raises(ParameterError, match="covariance must be one of model, HC0"):
        model.summary(X, y, covariance="white")


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_squares_that_are_no_numbers(size):
    X, y, _ = noisy()
    model = LinearRegression().fit(X, y)
    with pytest.raises(DegenerateError, match=r"targets .* cannot be squared"):
        model.summary(X, y * size)
    with pytest.raises(DegenerateError, match="numbers too small to be squared"):
        LinearRegression().fit(X[:, :1] * 1e-300, y).summary(X[:, :1] * 1e-300, y)
