"""LMCA: large margins in few directions."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from assay.neighbors import LMCA, LMNN, KNeighborsClassifier


def noisy(seed=0, n=90, noise=4):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], n // 3)
    return np.column_stack([rng.normal(size=(n, 2)) + 2.5 * y[:, None], rng.normal(size=(n, noise))]), y


def objective_by_the_book(L, X, y, targets):
    """Equation (1) with mu = 1/2, one row at a time."""
    D = np.sum((X[:, None] @ L.T - X[None] @ L.T) ** 2, axis=2)
    total = 0.0
    for i, near in enumerate(targets):
        hinges = 1 + D[i, near][:, None] - D[i, y != y[i]]
        total += (D[i, near].sum() + np.maximum(hinges, 0).sum()) / 2
    return total


@pytest.mark.capability("IML-13-43")
@pytest.mark.parametrize("m", [1, 2, 4])
def test_the_objective_falls_and_the_rank_is_at_most_the_number_of_components(m):
    X, y = noisy()
    model = LMCA(m).fit(X, y)
    objective = [record["objective"] for record in model.history_]
    assert np.all(np.diff(objective) <= 0)
    assert objective[-1] < objective[0]
    assert np.linalg.matrix_rank(model.metric_) <= m
    assert model.transform(X).shape == (len(X), m)
    book = objective_by_the_book(model.components_, X, y, model.target_neighbors_)
    assert abs(model.objective_ - book) < 1e-6 * book


@pytest.mark.capability("IML-13-43")
def test_with_all_directions_it_is_not_below_the_convex_minimum():
    X, y = noisy(1)
    all_directions, convex = LMCA(6).fit(X, y), LMNN().fit(X, y)
    assert all_directions.objective_ >= convex.bound_
    assert all_directions.objective_ == pytest.approx(convex.objective_, rel=2e-3)
    assert LMCA(1).fit(X, y).objective_ > convex.objective_


def test_it_ends_where_no_small_change_of_the_map_helps():
    X, y = noisy(2, n=60)
    model = LMCA(2, tol=1e-6).fit(X, y)
    rng = np.random.default_rng(0)
    for _ in range(20):
        L = model.components_ * (1 + 1e-3 * rng.normal(size=model.components_.shape))
        assert objective_by_the_book(L, X, y, model.target_neighbors_) > model.objective_ * (1 - 1e-5)


def test_two_directions_keep_the_classes_of_wine_apart():
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = LMCA(2).fit(X[::2], y[::2])
    neighbours = KNeighborsClassifier(3, metric=model.distance_).fit(X[::2], y[::2])
    assert neighbours.score(X[1::2], y[1::2]) > 0.9
