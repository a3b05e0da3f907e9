"""Gentle boosting: steps by the book, bounded steps, and many classes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score

import assay
from assay.ensembles.gentle_boost import GentleBoostClassifier


def rounds_by_the_book(X, sign, rounds):
    """Friedman, Hastie and Tibshirani 2000, algorithm 4, with least squares lines."""
    w, F, A = np.full(len(sign), 1 / len(sign)), np.zeros(len(sign)), np.column_stack((np.ones(len(sign)), X))
    for _ in range(rounds):
        root = np.sqrt(w)[:, None]
        f = A @ np.linalg.lstsq(A * root, sign * root[:, 0], rcond=None)[0]
        F, w = F + f, w * np.exp(-sign * f)
        w /= w.sum()
    return F


@pytest.mark.capability("IML-17-11")
def test_rounds_by_the_book():
    X, y = load_iris(return_X_y=True)
    X, y = X[50:, :2], y[50:] - 1
    model = GentleBoostClassifier(LinearRegression(), n_estimators=5).fit(X, y)
    F = rounds_by_the_book(X, 2.0 * y - 1, 5)
    assert_allclose(model.decision_function(X), F, atol=1e-10)
    assert_allclose(model.predict_proba(X)[:, 1], expit(2 * F), atol=1e-10)


@pytest.mark.capability("IML-17-11")
def test_for_many_classes_each_is_separated_from_the_rest():
    X, y = load_wine(return_X_y=True)
    many = GentleBoostClassifier(n_estimators=6).fit(X, y)
    for k in range(3):
        one = GentleBoostClassifier(n_estimators=6).fit(X, y == k)
        assert_allclose(many.decision_function(X)[:, k], one.decision_function(X), atol=1e-10)
    P = expit(2 * many.decision_function(X))
    assert_allclose(many.predict_proba(X), P / P.sum(axis=1, keepdims=True), rtol=1e-10)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 999))
def test_steps_lie_between_minus_one_and_one_and_the_loss_falls(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(50, 3)), rng.integers(2, size=50)
    y[:2] = 0, 1
    model = GentleBoostClassifier(n_estimators=8).fit(X, y)
    assert max(np.abs(tree.values).max() for tree in model.members_) <= 1 + 1e-12
    losses = [record["loss"] for record in model.history_]
    assert (np.diff(losses) <= 1e-9).all()
    assert_allclose(losses[-1], np.exp(-(2 * y - 1) * model.decision_function(X)).mean(), rtol=1e-10)


@pytest.mark.parametrize("load, least", [(load_wine, 0.9), (load_breast_cancer, 0.95), (load_digits, 0.9)])
def test_it_learns_real_data(load, least):
    X, y = load(return_X_y=True)
    assert cross_val_score(GentleBoostClassifier(n_estimators=40), X, y, cv=3).mean() > least


def test_many_rounds_on_separable_rows_stay_finite():
    X, y = np.arange(6.0)[:, None], np.array(["a", "a", "b", "b", "c", "c"])
    model = GentleBoostClassifier(n_estimators=600).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all() and model.predict(X).tolist() == y.tolist()


def test_one_class_one_row_stages_and_model_files(tmp_path):
    assert GentleBoostClassifier().fit([[0.0], [1.0]], ["a", "a"]).predict_proba([[0.0]]).tolist() == [[1.0]]
    assert GentleBoostClassifier().fit([[0.0]], ["a"]).predict([[0.0]]).tolist() == ["a"]
    X, y = load_breast_cancer(return_X_y=True)
    model = GentleBoostClassifier(n_estimators=5).fit(X, y)
    assert_allclose(list(model.staged_decision_function(X))[-1], model.decision_function(X), rtol=1e-12)
    told = model.explain(X[:1]).sections
    assert_allclose(told[1].rows[-1][2], told[0].rows[0][1], atol=1e-12)
    assay.save(model, tmp_path / "model.assay")
    assert_array_equal(assay.load(tmp_path / "model.assay").predict_proba(X), model.predict_proba(X))
