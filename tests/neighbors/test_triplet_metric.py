"""Metric learning by triplets."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from sklearn.datasets import load_wine

from assay.neighbors import TripletMetric
from assay.neighbors.triplet_metric import _energy
from assay.neighbors.triplets import Triplets, target_neighbors


def noisy_classes(seed=0, n=60):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], n // 3)
    return np.column_stack(
        [rng.normal(scale=8, size=n), rng.normal(size=n) + 3 * y, rng.normal(size=(n, 6))]
    ), y


@pytest.mark.capability("IML-5-17")
def test_fewer_triplets_break_the_inequality_after_learning():
    """IML 5.5: D(x1, x2) < D(x1, x3) for x1, x2 of one class and x3 of another."""
    X, y = noisy_classes()
    metric = TripletMetric().fit(X, y)
    history = [record["violations"] for record in metric.history_]
    assert history[-1] < 0.5 * history[0]
    objective = [record["objective"] for record in metric.history_]
    assert np.all(np.diff(objective) <= 1e-9 * objective[0])


def test_the_informative_column_gets_the_largest_weight():
    X, y = noisy_classes(seed=1)
    L = TripletMetric().fit(X, y).components_ * X.std(axis=0)
    weight = np.diag(L.T @ L)
    assert np.argmax(weight) == 1


def test_gradient_is_the_derivative_of_the_energy():
    X, y = noisy_classes(seed=2, n=30)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    triplets = Triplets(Z, y, np.ones(30), target_neighbors(Z, y, 3), every=True)
    L = np.random.default_rng(3).normal(size=(2, 8))
    value, gradient, _ = _energy(L, triplets, 0.5)
    numeric = approx_fprime(L.ravel(), lambda v: _energy(v.reshape(2, 8), triplets, 0.5)[0], 1e-6)
    assert_allclose(gradient.ravel(), numeric, rtol=1e-4, atol=1e-3)


def test_energy_by_the_book():
    """Twin: the triple loop of equation (2)."""
    X, y = noisy_classes(seed=4, n=15)
    targets = target_neighbors(X, y, 2)
    L = np.eye(8)
    value, violations = 0.0, 0
    for i, j in zip(np.repeat(np.arange(15), 2), targets.ravel()):
        near = np.sum((X[i] - X[j]) ** 2)
        value += 0.5 * near
        for other in np.flatnonzero(y != y[i]):
            far = np.sum((X[i] - X[other]) ** 2)
            value += 0.5 * max(0.0, 1 + near - far)
            violations += near > far
    ours = _energy(L, Triplets(X, y, np.ones(15), targets, every=True), 0.5)
    assert_allclose(ours[0], value, rtol=1e-12)
    assert ours[2] == violations


def test_nearest_neighbours_improve_with_noise_columns():
    from sklearn.model_selection import cross_val_score
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline

    X, y = load_wine(return_X_y=True)
    plain = cross_val_score(KNeighborsClassifier(3), X, y, cv=5).mean()
    learned = cross_val_score(
        make_pipeline(TripletMetric(tol=1e-3), KNeighborsClassifier(3)), X, y, cv=5
    ).mean()
    assert learned > plain + 0.1


def test_one_class_leaves_only_the_pull():
    X, _ = noisy_classes()
    metric = TripletMetric().fit(X, np.zeros(len(X)))
    assert metric.history_[0]["violations"] == 0


@pytest.mark.capability("IML-8-17")
def test_the_learned_metric_answers_x_where_euclid_answers_o():
    """IML Fig 8-7: the classes lie on both sides of a line, and x along it; the query (0, 0) is on the line."""
    X = np.array([[-1, 0], [0, 1], [1, 2], [-0.5, 0.5], [-3, -3], [-2, -2], [3, 3], [4, 4]], dtype=float)
    y = np.array(list("ooooxxxx"))
    query = np.zeros((1, 2))
    metric = TripletMetric(n_neighbors=2).fit(X, y)
    answers = []
    for points, asked in ((X, query), (metric.transform(X), metric.transform(query))):
        near = np.argsort(np.linalg.norm(points - asked, axis=1), kind="stable")[:3]
        answers.append(max("ox", key=list(y[near]).count))
    assert answers == ["o", "x"]
    line = np.array([1.0, 1.0])  # along the line hardly any distance is left
    assert np.linalg.norm(metric.components_ @ line) < 0.5 * np.linalg.norm(metric.components_ @ [1.0, -1.0])


def test_a_constant_column_whose_mean_is_rounded_is_not_magnified():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2))
    model = TripletMetric(n_neighbors=3).fit(np.column_stack([X, np.full(60, 0.1)]), X[:, 0] > 0)
    assert np.abs(model.components_[:, 2]).max() <= 1 < np.abs(model.components_).max() * 10
