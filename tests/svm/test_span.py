"""Leave-one-out by the span rule, against leaving out one row after the other."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, make_blobs, make_classification
from sklearn.preprocessing import scale

from assay.kernels import MatrixRows
from assay.svm import SVC
from assay.svm.span import _inverse, span_values, spans_by_columns


def by_the_book(K, scores, signed, free, bounded):
    """(1) with the inverse of M, one bounded vector after the other."""
    M = np.ones((len(free) + 1, len(free) + 1))
    M[:-1, :-1], M[-1, -1] = K[np.ix_(free, free)], 0.0
    inverse, values = np.linalg.inv(M), scores.copy()
    values[free] -= signed[free] / np.diag(inverse)[:-1]
    for i in bounded:
        v = np.append(K[free, i], 1.0)
        values[i] -= signed[i] * max(0.0, K[i, i] - v @ inverse @ v)
    return values


def machine(X, y, **settings):
    """A fitted machine of two classes, as the rule sees it."""
    model = SVC(probability=False, **settings).fit(X, y)
    K = model.kernel_(X)
    sign = np.where(y == 1, 1.0, -1.0)
    return model, model._binary(MatrixRows(K), sign, np.ones(len(y))), K


def left_out(X, y, i, **settings):
    kept = np.arange(len(y)) != i
    return SVC(probability=False, **settings).fit(X[kept], y[kept]).decision_function(X[[i]])[0]


def test_the_rule_is_that_of_the_inverse_matrix():
    X, y = make_classification(120, 5, flip_y=0.1, random_state=0)
    _, fit, K = machine(X, y, gamma=0.3)
    free = np.flatnonzero((fit.alpha > 0) & (fit.alpha < 1))
    bounded = np.flatnonzero(fit.alpha >= 1)
    assert len(free) > 20 and len(bounded) > 5
    expected = by_the_book(K, fit.scores, fit.sign * fit.alpha, free, bounded)
    assert_allclose(fit.left_out_scores(MatrixRows(K))[0], expected, atol=1e-6)


def test_it_is_exact_where_the_other_support_vectors_stay_what_they_are():
    X, y = make_classification(60, 4, class_sep=1.5, random_state=2)
    settings = {"gamma": 1.0, "C": 5.0}
    _, fit, K = machine(X, y, **settings)
    values, exact = fit.left_out_scores(MatrixRows(K))[0], 0
    for i in range(len(y)):
        true = left_out(X, y, i, **settings)
        exact += abs(true - values[i]) < 1e-6
    assert exact >= 35  # without the others some vector reaches or leaves a bound


@pytest.mark.parametrize(
    "settings", [{"gamma": 0.03}, {"gamma": 0.03, "C": 10.0}, {"kernel": "linear", "C": 0.1}], ids=str
)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_it_is_near_true_leave_one_out(settings, loss):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = scale(X)[:200], y[:200]
    _, fit, K = machine(X, y, loss=loss, **settings)
    values = fit.left_out_scores(MatrixRows(K))[0]
    some = np.random.default_rng(0).choice(fit.support, 25, replace=False)
    true = np.array([left_out(X, y, i, loss=loss, **settings) for i in some])
    assert np.median(np.abs(true - values[some])) < 0.06
    assert np.mean((true > 0) == (values[some] > 0)) >= 0.96
    outside = np.flatnonzero(fit.alpha == 0)[:5]
    assert_allclose(values[outside], [left_out(X, y, i, loss=loss, **settings) for i in outside], atol=1e-6)


def test_without_a_bias_the_border_is_not_there():
    X, y = make_blobs(50, centers=2, cluster_std=3.0, random_state=1)
    settings = {"gamma": 0.05, "C": 2.0, "fit_intercept": False}
    _, fit, K = machine(X, y, **settings)
    values = fit.left_out_scores(MatrixRows(K))[0]
    true = np.array([left_out(X, y, i, **settings) for i in range(50)])
    assert np.median(np.abs(true - values)) < 0.01


@pytest.mark.capability("IML-13-06")
def test_the_share_of_support_vectors_is_no_less_than_the_leave_one_out_error():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = scale(X)[:150], y[:150]
    model = SVC(gamma=0.03).fit(X, y)
    errors = np.mean([(left_out(X, y, i, gamma=0.03) > 0) != y[i] for i in range(150)])
    assert abs(model.loo_error_ - errors) <= 0.0134
    assert errors <= len(model.support_) / len(y)


def test_a_matrix_that_is_no_kernel_falls_back_to_the_norm():
    K = np.array([[1.0, 2.0], [2.0, 1.0]])
    values = span_values(
        np.array([1.0, -1.0]), np.array([0.5, -0.5]), np.array([0, 1]), np.array([], int), K, np.ones(2)
    )
    assert_allclose(values, [0.5, -0.5])


@pytest.mark.parametrize(
    ("n", "gamma"), [(120, 0.3), (500, 0.3), (500, 0.01)]
)  # in float64, float32, ill-conditioned
@pytest.mark.parametrize("settings", [{}, {"loss": "squared_hinge"}, {"fit_intercept": False}], ids=str)
def test_some_spans_are_those_of_all(n, gamma, settings):
    X, y = make_classification(n, 5, flip_y=0.1, random_state=0)
    _, fit, K = machine(X, y, gamma=gamma, C=100.0, **settings)
    every, counted = fit.left_out_scores(MatrixRows(K))
    assert (counted == 1).all()
    some, share = fit.left_out_scores(MatrixRows(K), 20)
    below = (fit.alpha > 0) & (fit.alpha < fit.upper)
    others = (fit.alpha > 0) & ~below
    ridge = 0.0 if fit.ridge is None else fit.ridge
    fall = np.abs(every - fit.scores) + fit.alpha * ridge  # the multiplier times the squared span
    assert (np.abs(some - every)[share > 0] <= 1e-3 * fall[share > 0] + 1e-6).all()  # what float32 may lose
    for kind in (below, others, fit.alpha == 0):
        assert_allclose(share[kind].sum(), kind.sum())
    assert np.count_nonzero(share[below]) == min(20, below.sum()) and np.count_nonzero(share[others]) <= 20


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(
    ("free", "bounded", "columns"), [(5, 8, 9), (9, 8, 3), (1, 4, 2), (0, 4, 2), (4, 6, 3)]
)
def test_spans_by_columns_are_those_of_the_kernel_matrix(free, bounded, columns, bias):
    draw = np.random.default_rng(free)
    Z = draw.normal(size=(free + bounded, columns))
    both, signed = np.arange(free + bounded), np.full(free + bounded, -1.0)
    K = Z @ Z.T
    by_matrix = span_values(
        np.zeros(len(Z)), signed, both[:free], both[free:], K[:free], np.diagonal(K), None, bias
    )
    assert_allclose(spans_by_columns(Z, both[:free], both[free:], bias), by_matrix, atol=1e-6)


@pytest.mark.parametrize("units", [[1, 1, 1], [1, 1e3, 1e-3], [1e6, 1, 1e3]], ids=str)
def test_leave_one_out_of_the_linear_kernel_whatever_the_units(units):
    """Prices so large that the scores are the same in all units, and so is what is left when a row is."""
    draw = np.random.default_rng(4)
    X = draw.normal(size=(80, 3))
    y = X @ [1.0, 1.0, 0.5] + draw.normal(size=80) > 0
    plain, other = (SVC(kernel="linear", C=1e4).fit(rows, y) for rows in (X, X * units))
    assert abs(plain.loo_error_ - other.loo_error_) < 0.03
    left_out = [
        SVC(kernel="linear", C=1e4, probability=False)
        .fit(np.delete(X, i, 0), np.delete(y, i))
        .predict(X[i : i + 1])
        for i in range(80)
    ]
    assert abs(plain.loo_error_ - np.mean(np.ravel(left_out) != y)) < 0.04


@pytest.mark.parametrize("n", [1, 64, 65, 200, 333])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_triangle_is_inverted_by_halves(n, dtype):
    draw = np.random.default_rng(n)
    L = np.tril(draw.normal(size=(n, n)) / n).astype(dtype, order="F")
    L[np.diag_indices(n)] = draw.uniform(1.0, 2.0, n)
    inverse = _inverse(L)
    assert inverse.dtype == dtype
    assert_allclose(inverse @ L, np.eye(n), atol=50 * np.finfo(dtype).eps)
    assert not np.triu(inverse, 1).any()
