"""The interior point method: the answers of the search by pairs, and answers where that crawls."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

import assay
from assay.kernels import RBF, Linear, MatrixRows
from assay.linear.regression.tube_program import Program, solve_tube
from assay.svm import SVC, SVCCV, SVR, NuSVC
from assay.svm.engine import Dual, solve
from assay.svm.engine.interior import interior_point
from assay.svm.engine.search import Search


def problem(n, d, C=1.0, seed=0, scale=1.0, bias=True, weighted=False):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, d)) * scale
    y = np.where(X[:, 0] / np.max(scale) + draw.normal(size=n) > 0, 1.0, -1.0)
    upper = C * (draw.uniform(0.1, 3.0, size=n) if weighted else np.ones(n))
    return X, Dual(y, -np.ones(n), upper, np.zeros(n), "sum" if bias else "none")


def searched(X, dual, alpha):
    search = Search(Linear().gram_rows(X), dual)
    search.alpha = alpha
    search.refresh()
    return search


def primal_and_dual(X, dual, alpha):
    """Both objectives, the first with the best offset: equal at the solution only."""
    w, y = (dual.sign * alpha) @ X, dual.sign
    scores = X @ w
    offsets = np.append(y - scores, 0.0) if dual.constraint == "sum" else np.zeros(1)
    slack = np.maximum(0, 1 - y * (scores + offsets[:, None])) @ dual.upper
    return 0.5 * w @ w + slack.min(), alpha.sum() - 0.5 * w @ w


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize(("n", "d", "C"), [(60, 2, 1.0), (300, 10, 0.01), (300, 10, 30.0), (40, 60, 1.0)])
def test_both_objectives_are_equal_and_those_of_the_search_by_pairs(n, d, C, weighted, bias):
    X, dual = problem(n, d, C, seed=n + d, bias=bias, weighted=weighted)
    alpha, weights, iterations = interior_point(Linear().gram_rows(X), dual)
    assert 0 < iterations < 30
    assert (alpha >= 0).all() and (alpha <= dual.upper).all()
    above, below = primal_and_dual(X, dual, alpha)
    assert_allclose(above, below, rtol=1e-7)
    assert_allclose(weights, (dual.sign * alpha) @ X, atol=1e-6)
    by_pairs = solve(MatrixRows(X @ X.T), dual, tol=1e-9)
    assert_allclose(-by_pairs.objective, below, rtol=1e-9)
    assert_allclose((dual.sign * alpha) @ X, (dual.sign * by_pairs.alpha) @ X, atol=1e-6)
    if bias:
        assert abs(dual.sign @ alpha) < 1e-12 * alpha.sum()


@settings(max_examples=40)
@given(
    st.integers(5, 80),
    st.integers(1, 8),
    st.floats(-3, 5),
    st.floats(-6, 6),
    st.booleans(),
    st.integers(0, 99),
)
def test_no_pair_violates_the_conditions_whatever_the_units(n, d, log_C, log_scale, bias, seed):
    X, dual = problem(n, d, 10.0**log_C, seed, 10.0**log_scale, bias)
    near = interior_point(Linear().gram_rows(X), dual)
    if near is None:  # it may say so; where C times squared lengths is this moderate it must not
        assert log_C + 2 * log_scale > 8 or abs(dual.sign.sum()) == n
        return
    rounding = 1e-15 * 10.0 ** (log_C + 2 * log_scale) * n * d
    assert searched(X, dual, near.alpha).violation() < 1e-6 + 100 * rounding


def test_steps_of_pairs_crawl_where_this_does_not():
    """Rows of length 400 and C = 10: ten million steps of pairs do not suffice."""
    X, dual = problem(90, 15, 10.0, scale=100.0)
    above, below = primal_and_dual(X, dual, interior_point(Linear().gram_rows(X), dual).alpha)
    assert_allclose(above, below, rtol=1e-8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SVC(kernel="linear", C=10.0).fit(X, dual.sign)
    w = model.coef_[0]
    loss = 0.5 * w @ w + 10 * np.maximum(0, 1 - dual.sign * (X @ w + model.intercept_[0])).sum()
    assert_allclose(loss, below, rtol=1e-8)


def test_columns_of_all_units_constant_ones_and_copies():
    X, dual = problem(500, 6, 2.0, seed=3)
    X = X * 10.0 ** np.arange(-3, 3) + [0, 1e3, 0, 0, -50, 0]
    X = np.column_stack([X, np.full(500, 7.0), X[:, 2], X[:, 3] - X[:, 4]])
    alpha = interior_point(Linear().gram_rows(X), dual).alpha
    above, below = primal_and_dual(X, dual, alpha)
    assert_allclose(above, below, rtol=1e-6)
    assert searched(X, dual, alpha).violation() < 1e-5


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_machines_of_many_rows_and_few_columns_are_those_of_the_matrix(fit_intercept):
    X, dual = problem(900, 4, seed=5)
    ours = SVC(kernel="linear", fit_intercept=fit_intercept).fit(X, dual.sign)
    given_matrix = SVC(kernel="precomputed", fit_intercept=fit_intercept, tol=1e-8).fit(X @ X.T, dual.sign)
    assert ours.n_iter_[0] < 30 < given_matrix.n_iter_[0]
    assert_allclose(ours.decision_function(X), given_matrix.decision_function(X @ X.T), atol=1e-6)


def test_regression_of_many_rows_and_few_columns_is_that_of_the_matrix():
    X, _ = problem(800, 3, seed=6)
    y = X @ [1.0, -2.0, 0.5] + np.random.default_rng(7).normal(size=800)
    ours, given_matrix = SVR(kernel="linear").fit(X, y), SVR(kernel="precomputed", tol=1e-8).fit(X @ X.T, y)
    assert ours.n_iter_ < 30
    assert_allclose(ours.predict(X), given_matrix.predict(X @ X.T), atol=1e-6)


def test_weights_are_repeats_and_rows_that_weigh_nothing_are_not_there():
    X, dual = problem(450, 3, seed=8)
    times = np.random.default_rng(9).integers(0, 4, size=450)
    weighted = SVC(kernel="linear").fit(X, dual.sign, sample_weight=times)
    repeated = SVC(kernel="linear").fit(np.repeat(X, times, axis=0), np.repeat(dual.sign, times))
    assert_allclose(weighted.coef_, repeated.coef_, atol=1e-8)
    assert_allclose(weighted.intercept_, repeated.intercept_, atol=1e-8)


def test_it_says_where_it_does_not_apply():
    X, dual = problem(50, 3)
    halves = np.where(np.cumsum(dual.sign > 0) == 1, 0.5, 0.0)
    for gram, other in [
        (RBF().gram_rows(X), dual),
        (Linear().gram_rows(csr_array(X)), dual),
        (
            Linear().gram_rows(X),
            Dual(dual.sign, dual.linear, np.full(50, np.inf), dual.start, ridge=np.ones(50)),
        ),
        (Linear().gram_rows(X), Dual(dual.sign, 0 * dual.linear, dual.upper, halves, "each sign")),
        (Linear().gram_rows(X), Dual(dual.sign, dual.linear, dual.upper, halves)),
        (Linear().gram_rows(0 * X + np.inf), dual),
    ]:
        assert interior_point(gram, other) is None
    X, dual = problem(600, 3)
    assert NuSVC(nu=0.8, kernel="linear").fit(X, dual.sign).n_iter_[0] > 30  # steps of pairs


def least_slack(X, side, C):
    """The objective of the soft margin by its primal problem: interior steps over weights, columns scaled first."""
    scale = X.std(axis=0)
    Z = np.column_stack([(X - X.mean(axis=0)) / scale, np.ones(len(X))])
    price = np.full(len(X), C)
    program = Program(
        Z,
        side,
        np.where(side > 0, price, 0.0),
        np.where(side < 0, price, 0.0),
        np.zeros(len(X)),
        np.append(1 / scale**2, 0.0),
    )
    return program.value(solve_tube(program, tol=1e-12, of_value=True).beta)


@pytest.mark.parametrize("C", [1e-6, 1e-3, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("units", [[1, 1e3, 1e-3, 1e6], [1, 1e5, 1, 1], [1, 1, 1, 1]], ids=str)
def test_the_linear_kernel_finishes_for_all_prices_and_units(C, units):
    """Multipliers of 1e6 times rows of length 1e6 add up to no digit of w; the weights have them all."""
    X, dual = problem(300, 4, seed=11)
    X, side = X * units, dual.sign
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SVC(kernel="linear", C=C).fit(X, side)
    scores = model.decision_function(X)
    value = 0.5 * (model.coef_**2).sum() + C * np.maximum(0, 1 - side * scores).sum()
    assert_allclose(value, least_slack(X, side, C), rtol=1e-7)
    assert_allclose(scores, X @ model.coef_[0] + model.intercept_[0], atol=1e-4)
    p = model.predict_proba(X)
    assert_array_equal(model.classes_[np.argmax(p, axis=1)], model.predict(X))


def test_regression_by_the_linear_kernel_finishes_for_all_units():
    X, _ = problem(300, 4, seed=12)
    y = X @ [1.0, -2.0, 0.5, 0.0] + np.random.default_rng(7).normal(size=300)
    units = np.array([1, 1e3, 1e-3, 1e6])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SVR(kernel="linear", C=1e6).fit(X * units, y)
    plain = SVR(kernel="linear", C=1e6).fit(X, y)  # so large that the units of the weights hardly matter
    assert_allclose(model.predict(X * units), plain.predict(X), atol=1e-2)


def test_own_weights_are_stored_explained_and_used_for_every_pair(tmp_path):
    X, dual = problem(300, 4, seed=13)
    y = np.where(X[:, 1] > 1, 2.0, dual.sign)
    X = X * [1, 1e3, 1e-3, 1e6]
    for form in ({}, {"multi_class": "ovr"}):
        model = SVC(kernel="linear", C=1e3, **form).fit(X, y)
        assert model.fit_status_ == 0 and model._exact_weights.shape == (3, 4)
        assay.save(model, tmp_path / "model.assay")
        loaded = assay.load(tmp_path / "model.assay")
        assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
        assert_allclose(model.decision_function(csr_array(X)), model.decision_function(X), atol=1e-6)
        reasons = model.explain(X[:1])
        assert "Votes" in str(reasons) or "Scores" in str(reasons)
    chosen = SVCCV(kernel="linear", Cs=[1.0, 1e3], cv=3).fit(X, y)
    assert (chosen.scores_ > 0.6).all()


def test_many_columns_are_left_to_it_once_steps_of_pairs_crawl():
    X, dual = problem(120, 100, 1e4, scale=30.0)
    begun = Dual(dual.sign, dual.linear, dual.upper, np.where(np.arange(120) < 0, 1.0, 0.0))
    blocks = solve(Linear().gram_rows(X), begun, cache_size=1e-3, weighs=True)
    assert blocks.converged
    assert_allclose(-blocks.objective, primal_and_dual(X, dual, blocks.alpha)[1], rtol=1e-6)
