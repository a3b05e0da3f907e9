"""Linear models of a node's rows, and the search for splits by them, against solving each by itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import softmax
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression

from assay.trees import linear_leaves
from assay.trees.criteria import entropy
from assay.trees.linear_leaves import (
    LinearMeasure,
    _newton,
    _quasi_newton,
    eliminate_terms,
    equation,
    expected_error,
    least_squares,
    softmax_regression,
)
from assay.trees.split_search import SplitSearch


@given(st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_least_squares_leaves_residuals_orthogonal_to_the_columns(seed):
    rng = np.random.default_rng(seed)
    Z, y, w = rng.normal(5, 2, (15, 3)), rng.normal(size=15), rng.uniform(0.1, 2, 15)
    coef, intercept = least_squares(Z, y, w)
    residual = w * (y - Z @ coef - intercept)
    assert_allclose(residual @ Z, 0, atol=1e-9)
    assert_allclose(residual.sum(), 0, atol=1e-10)


@pytest.mark.capability("IML-9-18")
def test_the_mean_where_there_are_too_few_rows_or_no_variation():
    rng = np.random.default_rng(0)
    Z, y = rng.normal(size=(4, 3)), rng.normal(size=4)
    coef, intercept = least_squares(Z, y, np.ones(4))
    assert_allclose(coef, 0)
    assert_allclose(intercept, y.mean())
    coef, _ = least_squares(Z, y, np.ones(4), ridge=1.0)
    assert np.all(coef != 0)
    coef, intercept = least_squares(np.full((9, 2), 3.7), np.arange(9.0), np.ones(9))
    assert_allclose(coef, 0)
    assert_allclose(intercept, 4)


def test_columns_that_depend_on_each_other_share_the_slope():
    x = np.arange(10.0)
    coef, intercept = least_squares(np.column_stack([x, 2 * x]), 3 * x + 1, np.ones(10))
    assert_allclose(coef, [1.5, 0.75], atol=1e-9)  # the same standardised
    assert_allclose(intercept, 1, atol=1e-9)


def test_useless_terms_are_dropped_and_useful_ones_kept():
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(40, 6))
    y = 3 * Z[:, 1] - 2 * Z[:, 4] + rng.normal(0, 0.1, 40)
    coef, intercept = eliminate_terms(Z, y, np.ones(40))
    assert {1, 4} <= set(np.flatnonzero(coef)) and np.count_nonzero(coef) < 6
    full, start = least_squares(Z, y, np.ones(40))
    few = expected_error(y - Z @ coef - intercept, np.ones(40), np.count_nonzero(coef) + 1)
    assert few <= expected_error(y - Z @ full - start, np.ones(40), 7)


@pytest.mark.parametrize(
    "case", ["plain", "one far from zero", "nearly dependent", "dependent", "exact", "few rows"]
)
def test_terms_dropped_by_updates_are_those_that_fit_after_fit_drops(case, monkeypatch):
    rng = np.random.default_rng(5)
    for _ in range(20):
        n, p = (int(rng.integers(4, 9)), 5) if case == "few rows" else (int(rng.integers(12, 60)), 6)
        Z, w = rng.normal(size=(n, p)), rng.uniform(0.5, 2, n)
        y = Z[:, 1] - 0.4 * Z[:, 3] + rng.normal(0, 1, n)
        if case == "one far from zero":
            Z[:, 0] += 1e6
        elif "dependent" in case:
            Z[:, 2] = Z[:, 1] + Z[:, 3] + rng.normal(0, 1e-5 if "nearly" in case else 0, n)
        elif case == "exact":
            y = 2 * Z[:, 1] - Z[:, 4]
        coef, intercept = eliminate_terms(Z, y, w)
        with monkeypatch.context() as patch:
            patch.setattr(linear_leaves, "_terms_by_updates", lambda *_: None)
            expected, start = eliminate_terms(Z, y, w)
        assert_allclose(coef, expected, rtol=1e-8, atol=1e-9)
        assert_allclose(intercept, start, rtol=1e-8, atol=1e-9)


def test_a_scatter_matrix_that_is_regular_by_rounding_alone_is_not_inverted(monkeypatch):
    """The marks of all categories add up to one; a factor exists for some of them, the inverse does not."""
    Z, y = np.eye(3)[np.arange(30) % 3], np.arange(30.0) % 3
    singular = np.linalg.LinAlgError("Singular matrix")
    monkeypatch.setattr(np.linalg, "cholesky", lambda A: np.diag([1.0, 1.0, 1e-9]))
    monkeypatch.setattr(np.linalg, "inv", lambda A: (_ for _ in ()).throw(singular))
    coef, intercept = eliminate_terms(Z, y, np.ones(30))
    assert_allclose(Z @ coef + intercept, y, atol=1e-9)


def test_expected_error_by_hand():
    assert expected_error(np.array([1.0, -1, 1, -1]), np.ones(4), 2) == pytest.approx(3.0)  # 1 (4+2)/(4-2)
    assert expected_error(np.ones(4), np.ones(4), 4) == pytest.approx(10.0)


@pytest.mark.parametrize("load", [load_iris, load_digits])
def test_same_posteriors_as_scikit_learns_logistic_regression(load):
    """Peer: LogisticRegression 1.9 on standardised columns; C = 1 / ridge."""
    X, y = load(return_X_y=True)
    X, y = X[::7], y[::7]
    moves = X.std(axis=0) > 0
    Z = (X[:, moves] - X[:, moves].mean(axis=0)) / X[:, moves].std(axis=0)
    peer = LogisticRegression(C=0.5, tol=1e-9, max_iter=5000).fit(Z, y)
    coef, intercept = softmax_regression(X, y, np.ones(len(X)), len(np.unique(y)), 2.0)
    assert_allclose(softmax(X @ coef.T + intercept, axis=1), peer.predict_proba(Z), atol=2e-4)


def test_newton_and_quasi_newton_meet_where_the_gradient_vanishes():
    rng = np.random.default_rng(3)
    A = np.column_stack([np.ones(60), rng.normal(size=(60, 3))])
    Y, w = np.eye(3)[rng.integers(0, 3, 60)], rng.uniform(0.5, 2, 60)
    B, again = _newton(A, Y, w, 0.5), _quasi_newton(A, Y, w, 0.5)
    P = softmax(A @ B.T, axis=1)
    gradient = (w[:, None] * (P - Y)).T @ A + 0.5 * np.column_stack([np.zeros(3), B[:, 1:]])
    assert_allclose(gradient, 0, atol=1e-8)
    assert_allclose(softmax(A @ again.T, axis=1), P, atol=1e-4)


def test_without_ridge_the_entropy_of_the_posteriors_is_the_cross_entropy_of_the_labels():
    """A property of maximum likelihood in exponential families, on classes that overlap."""
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1, 2], 40)
    Z = rng.normal(size=(120, 2)) + y[:, None]
    coef, intercept = softmax_regression(Z, y, np.ones(120), 3, 1e-12)
    P = softmax(Z @ coef.T + intercept, axis=1)
    assert entropy(P).mean() == pytest.approx(-np.log2(P[np.arange(120), y]).mean(), rel=1e-7)


def by_the_book(Z, Y, w):
    A = np.column_stack([np.ones(len(Z)), Z]) * np.sqrt(w)[:, None]
    B = Y * np.sqrt(w)[:, None]
    return float(((B - A @ np.linalg.lstsq(A, B, rcond=None)[0]) ** 2).sum() / w.sum())


@pytest.mark.parametrize("targets", [1, 3])
def test_every_cut_gives_the_residual_of_its_own_fits(targets):
    rng = np.random.default_rng(7)
    n = 40
    Z, Y, w = rng.normal(100, 2, (n, 2)), rng.normal(size=(n, targets)), rng.uniform(0.5, 2, n)
    measure, rows = LinearMeasure(Z, Y), np.arange(n)
    assert measure.node(rows, w) == pytest.approx(by_the_book(Z, Y, w), rel=1e-6)
    (found,) = SplitSearch(measure, np.array([0]), min_weight=8.0).columns(Z[:, :1], rows, w)
    assert len(found.weight) and (found.weight >= 8).all()
    for t, errors in zip(found.thresholds, found.impurity):
        left = Z[:, 0] <= t
        wanted = [by_the_book(Z[at], Y[at], w[at]) for at in (left, ~left)]
        assert_allclose(errors, wanted, rtol=1e-6)
    codes = rng.integers(0, 3, n).astype(float)
    (grouped,) = SplitSearch(measure, np.array([3]), nominal="one-vs-rest").columns(codes[:, None], rows, w)
    for c, errors in enumerate(grouped.impurity):
        wanted = [by_the_book(Z[at], Y[at], w[at]) for at in (codes == c, codes != c)]
        assert_allclose(errors, wanted, rtol=1e-6)


def test_a_small_constant_is_shown():
    assert equation(np.array([1e-14]), 3e-13, ["x"]) == "3e-13 + 1e-14 x"
    assert equation(np.array([1.0]), 3e-16, ["x"]) == "1 x"
