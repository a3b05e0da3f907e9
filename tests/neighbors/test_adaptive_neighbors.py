"""AdaptiveNeighborsClassifier: a metric for every query."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, load_wine
from sklearn.neighbors import KNeighborsClassifier

from assay.neighbors.adaptive_neighbors import AdaptiveNeighborsClassifier


@pytest.mark.capability("IML-8-18")
@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("k", [1, 3, 7])
def test_a_constant_metric_is_plain_nearest_neighbours(load, k):
    X, y = load(return_X_y=True)
    X = X + np.random.default_rng(0).normal(size=X.shape) * 1e-6
    plain = KNeighborsClassifier(k).fit(X[::2], y[::2])
    ours = AdaptiveNeighborsClassifier(k, n_iter=0).fit(X[::2], y[::2])
    assert_array_equal(ours.predict_proba(X[1::2]), plain.predict_proba(X[1::2]))


@pytest.mark.capability("IML-8-18")
def test_where_one_column_of_six_matters_it_does_better():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(200, 6)), rng.normal(size=(1000, 6))
    plain = AdaptiveNeighborsClassifier(n_iter=0).fit(X, X[:, 0] > 0).score(new, new[:, 0] > 0)
    adaptive = AdaptiveNeighborsClassifier(n_iter=2).fit(X, X[:, 0] > 0).score(new, new[:, 0] > 0)
    assert adaptive > plain + 0.05


def test_the_matrix_is_the_formula():
    X, y = load_iris(return_X_y=True)
    model = AdaptiveNeighborsClassifier(n_local=60, epsilon=0.5).fit(X, y)
    Z, q = X / X.std(axis=0), X[70] / X.std(axis=0)
    near = np.argsort(np.linalg.norm(Z - q, axis=1), kind="stable")[:60]
    W, B, mean = np.zeros((4, 4)), np.zeros((4, 4)), Z[near].mean(axis=0)
    for k in np.unique(y[near]):
        mine = Z[near][y[near] == k]
        W += len(mine) / 60 * np.cov(mine.T, bias=True)
        B += len(mine) / 60 * np.outer(mine.mean(axis=0) - mean, mine.mean(axis=0) - mean)
    values, vectors = np.linalg.eigh(W)
    root = vectors @ np.diag(values**-0.5) @ vectors.T
    sigma = root @ (root @ B @ root + 0.5 * np.eye(4)) @ root
    scale = X.std(axis=0)
    assert_allclose(model.local_metric(X[70:71])[0], sigma / np.outer(scale, scale), rtol=1e-8)


def test_constant_columns_one_class_and_few_rows_do_no_harm():
    X = np.column_stack([np.arange(10.0), np.full(10, 3.0)])
    model = AdaptiveNeighborsClassifier(3).fit(X, X[:, 0] > 4)
    assert_array_equal(model.predict(X), X[:, 0] > 4)
    assert np.isfinite(model.local_metric(X)).all()
    assert_array_equal(AdaptiveNeighborsClassifier(5).fit(X, np.zeros(10)).predict(X), np.zeros(10))
    assert AdaptiveNeighborsClassifier(5).fit([[1.0], [2.0]], ["a", "a"]).predict([[9.0]]) == ["a"]


def test_an_explanation_shows_neighbours_and_weights():
    X = np.random.default_rng(0).normal(size=(200, 3))
    said = AdaptiveNeighborsClassifier().fit(X, X[:, 0] > 0).explain([[0.1, 0.0, 0.0]])
    assert len(said.sections[0].rows) == 5
    weights = [row[1] for row in said.sections[1].rows]
    assert weights[0] > 2 * max(weights[1:])


def test_a_constant_column_whose_mean_is_rounded_changes_nothing():
    rng = np.random.default_rng(3)
    X, Q = rng.normal(size=(60, 2)), rng.normal(size=(40, 2))
    y = X[:, 0] > 0
    more, asked = np.column_stack([X, np.full(60, 0.1)]), np.column_stack([Q, np.full(40, 0.3)])
    model = AdaptiveNeighborsClassifier().fit(more, y)
    assert model.scale_[2] == 1
    assert_allclose(model.predict_proba(asked), AdaptiveNeighborsClassifier().fit(X, y).predict_proba(Q))
