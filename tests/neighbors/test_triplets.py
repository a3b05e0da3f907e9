"""Triplets: the native sums against loops by the book."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime

from assay.neighbors.triplets import Triplets, nearest_others, target_neighbors


def rows_of_classes(seed=0, n=25, d=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    return rng.normal(size=(n, d)) + y[:, None], y, rng.uniform(0.5, 2, n)


def push_by_the_book(X, y, w, targets, L, mu, width):
    """(pull, hinge, smooth, force) by the triple loop."""
    D = np.sum((X[:, None] @ L.T - X[None] @ L.T) ** 2, axis=2)
    pull = hinge = smooth = force = 0.0
    for i in range(len(X)):
        for j in targets[i][targets[i] >= 0]:
            pull += w[i] * D[i, j]
            for other in np.flatnonzero(y != y[i]):
                z = 1 + D[i, j] - D[i, other]
                hinge += w[i] * max(0.0, z)
                smooth += w[i] * (0 if z <= 0 else z * z / (2 * width) if z < width else z - width / 2)
                force += w[i] * np.clip(z / width, 0, 1)
    return pull, hinge, smooth, force


@pytest.mark.parametrize("every", [False, True])
def test_the_sums_are_those_of_the_book(every):
    X, y, w = rows_of_classes()
    L = np.random.default_rng(1).normal(size=(2, 3))
    targets = target_neighbors(X, y, 4)
    triplets = Triplets(X, y, w, targets, every=every)
    triplets.extend(L, 25)
    costs = triplets.costs(L, 0.3, 0.4)
    ours = (costs.pull, costs.hinge, costs.smooth, costs.force)
    assert_allclose(ours, push_by_the_book(X, y, w, targets, L, 0.3, 0.4), rtol=1e-12)


@pytest.mark.parametrize("every", [False, True])
def test_the_slope_is_half_the_derivative(every):
    X, y, w = rows_of_classes(seed=2)
    L = np.random.default_rng(3).normal(size=(2, 3))
    targets = target_neighbors(X, y, 2)
    triplets = Triplets(X, y, w, targets, every=every)
    triplets.extend(L, 25)

    def value(flat):
        pull, _, smooth, _ = push_by_the_book(X, y, w, targets, flat.reshape(2, 3), 0.3, 0.4)
        return 0.7 * pull + 0.3 * smooth

    gradient = 2 * triplets.costs(L, 0.3, 0.4).slope.T @ X
    assert_allclose(gradient.ravel(), approx_fprime(L.ravel(), value, 1e-6), rtol=1e-4, atol=1e-3)


def test_scatter_is_the_sum_of_outer_products():
    X, y, w = rows_of_classes(seed=4)
    triplets = Triplets(X, y, w, target_neighbors(X, y, 2))
    triplets.extend(np.eye(3), 3)
    rng = np.random.default_rng(5)
    near, far = rng.normal(size=(25, 2)), rng.normal(size=len(triplets.impostors))
    book = np.zeros((3, 3))
    for i in range(25):
        for j, weight in zip(triplets.targets[i], near[i]):
            if j >= 0:
                book += weight * np.outer(X[i] - X[j], X[i] - X[j])
        for t in range(triplets.start[i], triplets.start[i + 1]):
            other = triplets.impostors[t]
            book += far[t] * np.outer(X[i] - X[other], X[i] - X[other])
    assert_allclose(triplets.scatter(near, far), book, atol=1e-10)


def test_the_list_holds_the_nearest_rows_within_the_margin():
    X, y, w = rows_of_classes(seed=6)
    triplets = Triplets(X, y, w, target_neighbors(X, y, 2))
    D = np.sum((X[:, None] - X[None]) ** 2, axis=2)
    assert triplets.extend(np.eye(3), 2) == len(triplets.impostors)
    for i in range(25):
        targets = triplets.targets[i][triplets.targets[i] >= 0]
        limit = 1 + D[i, targets].max() if len(targets) else -np.inf
        inside = [l for l in np.argsort(D[i], kind="stable") if y[l] != y[i] and D[i, l] < limit][:2]
        assert_array_equal(triplets.impostors[triplets.start[i] : triplets.start[i + 1]], sorted(inside))
    assert triplets.extend(np.eye(3), 2) == 0
    pairs, slack = triplets.within_margin(np.eye(3))
    triplets.extend(np.eye(3), 25)
    assert (slack > 0).all()
    assert len(pairs) == len(triplets.impostors)


def test_targets_are_of_the_same_class_and_others_are_not():
    X, y, _ = rows_of_classes(seed=7)
    targets, others = target_neighbors(X, y, 3), nearest_others(X, y, 3)
    D = np.sum((X[:, None] - X[None]) ** 2, axis=2)
    np.fill_diagonal(D, np.inf)
    for i in range(25):
        same, different = np.flatnonzero(y == y[i]), np.flatnonzero(y != y[i])
        assert_array_equal(targets[i], same[np.argsort(D[i, same])][:3])
        assert_array_equal(others[i], different[np.argsort(D[i, different])][:3])


def test_a_row_number_outside_is_refused():
    X, y, w = rows_of_classes()
    triplets = Triplets(X, y, w, np.full((25, 1), 25))
    with pytest.raises(ValueError, match="outside"):
        triplets.costs(np.eye(3))
