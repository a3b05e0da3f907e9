"""Ordinary least squares."""

import warnings

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csc_matrix, csr_matrix, random_array
from scipy.stats import linregress
from sklearn import linear_model as peers
from sklearn.datasets import load_diabetes, load_linnerud
from sklearn.exceptions import ConvergenceWarning

import assay
from assay.errors import DataError, DegenerateWarning
from assay.linear.regression import least_squares_learner
from assay.linear.regression.linear_regression import LinearRegression
from assay.linear.regression.ridge import Ridge
from assay.metrics import r2_score

X, Y = load_diabetes(return_X_y=True)
BODIES, EXERCISES = load_linnerud(return_X_y=True)


@pytest.mark.capability("IML-2-16")
def test_the_line_through_six_points():
    """Oracle: IML 2.6, equation 2-17 by hand: w1 = 59/35, w0 = 19/15."""
    x, r = np.arange(1.0, 7.0), np.array([3.0, 5.0, 6.0, 8.0, 9.0, 12.0])
    model = LinearRegression().fit(x[:, None], r)
    assert_allclose(model.coef_, [59 / 35], rtol=1e-14)
    assert_allclose(model.intercept_, 19 / 15, rtol=1e-14)
    quadratic = LinearRegression().fit(np.column_stack((x, x**2)), r)
    assert_allclose([quadratic.intercept_, *quadratic.coef_], [2.1, 1.0607142857, 0.0892857143], atol=5e-11)
    same = linregress(x, r)
    assert_allclose([model.coef_[0], model.intercept_], [same.slope, same.intercept], rtol=1e-13)


@pytest.mark.capability("IML-5-26")
def test_two_inputs_and_six_points():
    """Oracle: IML 5.8: X'X = [[6, 21, 16], [21, 91, 70], [16, 70, 56]], X'r = (43, 180, 137)."""
    A = np.array([[1, 1], [2, 1], [3, 2], [4, 3], [5, 5], [6, 4]], dtype=float)
    r = np.array([3.0, 5.0, 6.0, 8.0, 9.0, 12.0])
    model = LinearRegression().fit(A, r)
    w = [model.intercept_, *model.coef_]
    assert_allclose(w, [1.1875, 2.1607142857142856, -0.59375], rtol=1e-13)
    assert_allclose(np.array([[6, 21, 16], [21, 91, 70], [16, 70, 56]]) @ w, [43, 180, 137], rtol=1e-13)
    assert_allclose(np.sum((r - model.predict(A)) ** 2), 0.3526785714, atol=5e-11)
    assert_allclose(model.score(A, r), 0.9930620609, atol=5e-11)
    assert_allclose(r2_score(r, model.predict(A)), 0.9930620609, atol=5e-11)
    several = LinearRegression().fit(A, np.column_stack((r, 2 * r + 1)))
    assert_allclose(several.coef_, [model.coef_, 2 * model.coef_], rtol=1e-12)
    with pytest.warns(DegenerateWarning, match="rank 2 of 3"):
        short = LinearRegression().fit(np.column_stack((A, A.sum(axis=1))), r)
    assert_allclose(short.predict(np.column_stack((A, A.sum(axis=1)))), model.predict(A), rtol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("settings", [{}, {"fit_intercept": False}, {"positive": True}])
@pytest.mark.parametrize("data", [(X, Y), (BODIES, EXERCISES), (X[:, :3], np.column_stack((Y, X[:, 5])))])
def test_same_weights_as_scikit_learn(data, settings, weighted):
    """Peer: LinearRegression, scikit-learn 1.9, told to leave nothing out (tol=0 where the table is dense)."""
    A, y = data
    w = np.random.default_rng(0).uniform(0, 2, len(A)) if weighted else None
    ours = LinearRegression(**settings).fit(A, y, w)
    peer = peers.LinearRegression(tol=1e-15, **settings).fit(A, y, w)
    assert_allclose(ours.coef_, peer.coef_, rtol=1e-8, atol=1e-8 * np.abs(peer.coef_).max())
    assert_allclose(ours.intercept_, peer.intercept_, rtol=1e-8, atol=1e-9 * np.abs(y).max())
    assert np.shape(ours.intercept_) == np.shape(peer.intercept_)
    if "positive" not in settings:
        assert ours.rank_ == peer.rank_
        assert_allclose(ours.singular_, peer.singular_, rtol=1e-6)
        sparse = LinearRegression(**settings).fit(csr_matrix(A), y, w)
        assert_allclose(sparse.coef_, ours.coef_, rtol=1e-8, atol=1e-8 * np.abs(peer.coef_).max())


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_more_columns_than_rows_like_scikit_learn(fit_intercept):
    rng = np.random.default_rng(1)
    A, y, w = rng.normal(size=(15, 40)), rng.normal(size=15), rng.uniform(0.1, 1, 15)
    with pytest.warns(DegenerateWarning, match="not unique"):
        ours = LinearRegression(fit_intercept=fit_intercept).fit(A, y, w)
    peer = peers.LinearRegression(fit_intercept=fit_intercept).fit(A, y, w)
    assert_allclose(ours.coef_, peer.coef_, atol=1e-12)
    assert ours.rank_ == peer.rank_ == 15 - fit_intercept
    assert_allclose(ours.singular_, peer.singular_, atol=1e-12)


def test_longleys_data_to_ten_digits():
    """Oracle: the certified values of NIST's Longley data, whose columns are nearly collinear."""
    data = sm.datasets.longley.load_pandas()
    model = LinearRegression().fit(data.exog, data.endog)
    certified = [
        15.0618722713733,
        -0.0358191792925910,
        -2.02022980381683,
        -1.03322686717359,
        -0.0511041056535807,
        1829.15146461355,
    ]
    assert_allclose(model.coef_, certified, rtol=1e-10)
    assert_allclose(model.intercept_, -3482258.63459582, rtol=1e-10)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), weighted=st.booleans())
def test_residuals_are_orthogonal_to_the_columns(seed, weighted):
    rng = np.random.default_rng(seed)
    A, y = rng.normal(size=(30, 4)) + rng.normal(size=4) * 10, rng.normal(size=30)
    w = rng.uniform(0, 3, 30) if weighted else np.ones(30)
    residual = w * (y - LinearRegression().fit(A, y, w if weighted else None).predict(A))
    assert_allclose(residual @ A, 0, atol=1e-9)
    assert_allclose(residual.sum(), 0, atol=1e-10)


def test_columns_of_any_scale_and_far_from_zero():
    rng = np.random.default_rng(2)
    Z = rng.normal(size=(200, 6))
    w, scale = np.arange(1.0, 7.0), 10.0 ** np.array([-12, -6, 0, 3, 8, 12])
    model = LinearRegression().fit(Z * scale, Z @ w + 5)
    assert_allclose(model.coef_ * scale, w, rtol=1e-12)
    assert model.rank_ == 6
    for tiny in (1e-145, 1e-150):
        assert_allclose(LinearRegression().fit(Z * tiny, Z @ w + 5).coef_ * tiny, w, rtol=1e-12)
    far = LinearRegression().fit(Z + 1e8, Z @ w + 5)  # the column itself is rounded to 1e-8
    assert_allclose(far.coef_, w, rtol=1e-7)


def dask_model(A, y, w):
    da = pytest.importorskip("dask.array", reason="the dask extra is not installed")
    return LinearRegression().fit(*(da.from_array(a, chunks=(60, *a.shape[1:])) for a in (A, y, w)))


@pytest.mark.parametrize("powers", [1, 9])
def test_blocks_dask_and_rows_added_later_give_the_same_weights(powers):
    """Nine powers of one column are so close to collinear that blocks and Dask look at the rows a second time."""
    rng = np.random.default_rng(3)
    x = rng.uniform(0, 2, 200)
    A = np.column_stack([x**k for k in range(1, powers + 1)])
    y, w = A.sum(axis=1), rng.uniform(0.5, 2, 200)
    cuts = [slice(0, 50), slice(50, 120), slice(120, 200)]
    blocks = LinearRegression().fit_blocks([(A[c], y[c], w[c]) for c in cuts])
    for model in (LinearRegression().fit(A, y, w), blocks, dask_model(A, y, w)):
        assert_allclose(model.coef_, np.ones(powers), rtol=1e-6)
    later = LinearRegression()
    for c in cuts:
        later.partial_fit(A[c], y[c], sample_weight=w[c])
    assert_allclose(later.predict(A), y, atol=1e-7)


def test_rows_can_be_added_to_fewer_rows_than_columns():
    rng = np.random.default_rng(4)
    A, y = rng.normal(size=(30, 8)), rng.normal(size=30)
    model = LinearRegression()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        model.fit(A[:5], y[:5])

        for i in range(5, 30, 5):
            model.partial_fit(A[i : i + 5], y[i : i + 5])
    assert_allclose(model.coef_, LinearRegression().fit(A, y).coef_, rtol=1e-9)
    assert_allclose(model.singular_, np.linalg.svd(A - A.mean(axis=0), compute_uv=False), rtol=1e-9)


def test_sparse_tables_of_many_columns_go_by_iterations(monkeypatch):
    monkeypatch.setattr(least_squares_learner, "compact", lambda X: X)  # it is small
    monkeypatch.setattr(least_squares_learner, "PRODUCT_COLUMNS", 5)
    rng = np.random.default_rng(5)
    S = random_array((300, 20), density=0.3, rng=rng, format="csr")
    y, w = rng.normal(size=(300, 2)), rng.uniform(0.1, 2, 300)
    model = LinearRegression(tol=1e-12).fit(S, y, w)
    peer = peers.LinearRegression(tol=1e-15).fit(S.toarray(), y, w)
    assert_allclose(model.coef_, peer.coef_, atol=1e-8)
    assert_allclose(model.intercept_, peer.intercept_, atol=1e-8)
    with pytest.raises(DataError, match="rows cannot be added"):
        model.partial_fit(S, y)


@pytest.mark.parametrize("offset", [1e2, 1e6])
def test_a_sparse_table_may_have_a_column_far_from_zero(offset):
    rng = np.random.default_rng(6)
    A = random_array((3000, 60), density=0.05, rng=rng).toarray()
    A[:, 3] = offset + rng.normal(size=3000)
    y = (A - A.mean(axis=0)) @ rng.normal(size=60) + rng.normal(size=3000)
    for sparse in (csr_matrix(A), csc_matrix(A)):
        assert_allclose(
            LinearRegression().fit(sparse, y).coef_, LinearRegression().fit(A, y).coef_, atol=1e-9
        )


def test_iterations_that_do_not_settle_give_way_to_products_or_are_reported(monkeypatch):
    rng = np.random.default_rng(8)
    x = rng.uniform(0, 2, 200)
    S = csr_matrix(np.column_stack([x**k for k in range(1, 9)]))
    y = S.sum(axis=1).A1
    monkeypatch.setattr(least_squares_learner, "compact", lambda X: X)  # it is small
    monkeypatch.setattr(least_squares_learner, "PRODUCT_COLUMNS", 5)
    monkeypatch.setattr(least_squares_learner, "PATIENCE", 10)
    model = LinearRegression(tol=1e-14).fit(S, y)
    assert_allclose(model.coef_, np.ones(8), rtol=1e-5)
    model.partial_fit(S, y)  # the sums are there
    monkeypatch.setattr(least_squares_learner, "MAX_PRODUCT_COLUMNS", 5)
    with pytest.warns(ConvergenceWarning, match="did not settle"):
        LinearRegression(tol=1e-14).fit(S, y)


def test_categories_are_measured_from_the_first():
    frame = pd.DataFrame({"size": [1.0, 2, 3, 4, 5, 6], "kind": list("abcabc")})
    y = 2 * frame["size"] + frame["kind"].map({"a": 0.0, "b": 10.0, "c": -3.0}) + 1
    model = LinearRegression().fit(frame, y)
    assert model.design_.names == ["size", "kind=b", "kind=c"]
    assert_allclose([model.intercept_, *model.coef_], [1, 2, 10, -3], atol=1e-11)
    assert "kind" in str(model.explain(frame.iloc[[1]]))


def test_degenerate_tables():
    x = np.arange(6.0)
    constant = LinearRegression().fit(np.column_stack((x, np.full(6, 7.7))), 2 * x + 1)
    assert_allclose(constant.coef_, [2, 0], atol=1e-12)
    only = LinearRegression().fit(np.full((6, 2), 3.3), x)
    assert_array_equal(only.coef_, [0, 0])
    assert only.intercept_ == 2.5 and only.rank_ == 0
    one = LinearRegression().fit([[1.0, 2.0]], [5.0])
    assert_array_equal(one.predict([[1.0, 2.0], [9.0, 9.0]]), [5.0, 5.0])
    with pytest.warns(DegenerateWarning, match="rank 1 of 2"):
        twice = LinearRegression().fit(np.column_stack((x, x)), 2 * x)
    assert_allclose(twice.coef_, [1, 1], rtol=1e-12)
    with pytest.raises(DataError, match="squares of column x0 are too large"):
        LinearRegression().fit(x[:, None] * 1e200, x)
    with pytest.raises(DataError, match="too large"):
        LinearRegression().fit(np.full((2, 3), 1e200) * np.arange(2)[:, None], [0.0, 1.0])
    with pytest.raises(DataError, match="weights must contain at least one non-zero"):
        LinearRegression().fit(x[:, None], x, np.zeros(6))


def test_weights_below_zero_can_be_forbidden_for_dependent_columns_too():
    rng = np.random.default_rng(6)
    Z = rng.normal(size=(40, 3))
    A = np.column_stack((Z, Z.sum(axis=1)))
    y = Z @ [1.0, -2.0, 3.0] + rng.normal(size=40)
    ours, peer = LinearRegression(positive=True).fit(A, y), peers.LinearRegression(positive=True).fit(A, y)
    assert (ours.coef_ >= 0).all()
    assert_allclose(np.sum((y - ours.predict(A)) ** 2), np.sum((y - peer.predict(A)) ** 2), rtol=1e-10)
    wide = rng.normal(size=(6, 9))
    ours, peer = (
        m.fit(wide, y[:6]) for m in (LinearRegression(positive=True), peers.LinearRegression(positive=True))
    )
    assert_allclose(
        np.sum((y[:6] - ours.predict(wide)) ** 2), np.sum((y[:6] - peer.predict(wide)) ** 2), atol=1e-10
    )


def test_a_table_of_one_target_stays_a_table():
    model = LinearRegression().fit(X, Y[:, None])
    assert model.coef_.shape == (1, 10) and model.intercept_.shape == (1,)
    assert model.predict(X).shape == (442, 1)


def test_a_model_of_few_rows_can_be_saved(tmp_path):
    rng = np.random.default_rng(7)
    for A in (rng.normal(size=(4, 6)), csr_matrix(rng.normal(size=(4, 6)))):
        with pytest.warns(DegenerateWarning):
            model = LinearRegression().fit(A, rng.normal(size=4))
        assay.save(model, tmp_path / "m.assay")
        assert_array_equal(assay.load(tmp_path / "m.assay").predict(A), model.predict(A))


@pytest.mark.parametrize("learner", [LinearRegression, Ridge])
def test_some_rows_without_a_target_are_refused_in_words(learner):
    with pytest.raises(DataError, match="requires y to be passed"):
        learner().partial_fit(np.ones((3, 2)))
