"""LogitBoost: steps by the book, its likelihood, and scores that sum to zero."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score

import assay
from assay.ensembles.logit_boost import LogitBoostClassifier


def linear_rounds_by_the_book(X, y, rounds, z_max=4.0):
    """Two classes, least squares lines: Friedman, Hastie and Tibshirani 2000, algorithm 3."""
    F = np.zeros(len(y))
    A = np.column_stack((np.ones(len(y)), X))
    for _ in range(rounds):
        p = expit(2 * F)
        w = np.maximum(p * (1 - p), 2 * np.finfo(float).eps)
        z = np.clip((y - p) / w, -z_max, z_max)
        root = np.sqrt(w)[:, None]
        F = F + 0.5 * A @ np.linalg.lstsq(A * root, z * root[:, 0], rcond=None)[0]
    return F


@pytest.mark.capability("IML-17-11")
def test_rounds_by_the_book():
    X, y = load_iris(return_X_y=True)
    X, y = X[50:, :2], y[50:] - 1
    model = LogitBoostClassifier(LinearRegression(), n_estimators=2).fit(X, y)
    assert_allclose(model.decision_function(X), linear_rounds_by_the_book(X, y, 2), atol=1e-10)


def test_rounds_that_the_book_lets_rise_fall():
    """The third round of the book's algorithm raises the loss, since responses that are cut are no gradient."""
    X, y = load_iris(return_X_y=True)
    X, y = X[50:, :2], y[50:] - 1

    def loss(F):
        return np.mean(np.logaddexp(0, 2 * F) - 2 * y * F)

    assert loss(linear_rounds_by_the_book(X, y, 3)) > loss(linear_rounds_by_the_book(X, y, 2)) + 1e-3
    model = LogitBoostClassifier(LinearRegression(), n_estimators=8).fit(X, y)
    losses = [record["loss"] for record in model.history_]
    assert max(np.diff(losses)) <= 1e-12
    by_newton = LogitBoostClassifier(LinearRegression(), n_estimators=30, z_max=1e9).fit(X, y)
    assert_allclose(losses[-1], by_newton.history_[-1]["loss"], atol=1e-9)  # the maximum of the likelihood
    staged = list(model.staged_decision_function(X))
    assert_allclose([loss(F) for F in staged], losses, atol=1e-12)


@pytest.mark.capability("IML-17-11")
def test_with_straight_lines_it_is_logistic_regression():
    """Newton steps of a linear weak learner end at the maximum of the likelihood: the gradient vanishes there."""
    X, y = load_iris(return_X_y=True)
    X, y = X[50:, :2], y[50:] - 1
    model = LogitBoostClassifier(LinearRegression(), n_estimators=30, z_max=1e9).fit(X, y)
    residual = y - model.predict_proba(X)[:, 1]
    assert_allclose(np.column_stack((np.ones(100), X)).T @ residual, 0, atol=1e-8)


@pytest.mark.parametrize("load, least", [(load_wine, 0.93), (load_breast_cancer, 0.95), (load_digits, 0.9)])
def test_it_learns_real_data(load, least):
    X, y = load(return_X_y=True)
    assert cross_val_score(LogitBoostClassifier(n_estimators=30), X, y, cv=3).mean() > least


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 999), K=st.integers(2, 4))
def test_scores_sum_to_zero_and_the_likelihood_grows(seed, K):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % K
    model = LogitBoostClassifier(n_estimators=6, learning_rate=0.3).fit(X, y)
    F, P = model.decision_function(X), model.predict_proba(X)
    if K > 2:
        assert_allclose(F.sum(axis=1), 0, atol=1e-12)
    assert_allclose(P.sum(axis=1), 1)
    losses = [record["loss"] for record in model.history_]
    assert_allclose(losses[-1], -np.log(P[np.arange(60), y]).mean(), rtol=1e-10)
    assert (np.diff(losses) <= 1e-9).all()


def test_one_round_on_two_pure_halves():
    X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    model = LogitBoostClassifier(n_estimators=1).fit(X, y)
    assert_allclose(model.predict_proba([[0.0]]), [[expit(2.0), expit(-2.0)]], rtol=1e-12)


def test_rows_that_are_sure_do_no_harm():
    X, y = [[0.0], [1.0]], ["a", "b"]
    model = LogitBoostClassifier(n_estimators=500).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all() and model.predict(X).tolist() == y


def test_stages_explanations_and_model_files(tmp_path):
    X, y = load_wine(return_X_y=True)
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(13)])
    table["c0"] = np.where(X[:, 0] > 13, "strong", "light")
    table.loc[::10, "c1"] = np.nan
    model = LogitBoostClassifier(n_estimators=5, random_state=0).fit(table, y)
    assert len(model.members_) == 15 and len(list(model.staged_predict(table))) == 5
    assert_allclose(list(model.staged_predict_proba(table))[-1], model.predict_proba(table), rtol=1e-12)
    assert_allclose(
        list(model.staged_decision_function(table))[-1], model.decision_function(table), rtol=1e-12
    )
    scores, added = model.explain(table.iloc[:1]).sections
    assert_allclose(added.rows[-1][2], max(row[1] for row in scores.rows), atol=1e-12)
    assay.save(model, tmp_path / "model.assay")
    assert_array_equal(assay.load(tmp_path / "model.assay").predict_proba(table), model.predict_proba(table))


def test_one_class_and_one_row():
    assert LogitBoostClassifier().fit([[0.0], [1.0]], ["a", "a"]).predict_proba([[0.0]]).tolist() == [[1.0]]
    assert LogitBoostClassifier().fit([[0.0]], ["a"]).predict([[0.0]]).tolist() == ["a"]


def test_weights_count_like_repeated_rows():
    X, y = load_iris(return_X_y=True)
    X, y, w = X[50::4], y[50::4], np.tile([1.0, 2.0, 3.0, 1.0, 2.0], 5)
    repeated = np.repeat(np.arange(25), w.astype(int))
    one = LogitBoostClassifier(n_estimators=4).fit(X, y, sample_weight=w).decision_function(X)
    two = LogitBoostClassifier(n_estimators=4).fit(X[repeated], y[repeated]).decision_function(X)
    assert_allclose(one, two, atol=1e-9)
