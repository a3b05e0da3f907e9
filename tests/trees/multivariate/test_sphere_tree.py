"""Trees of spheres and ellipsoids."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from assay.trees import SphereTreeClassifier
from assay.trees.multivariate import sphere_tree
from assay.trees.multivariate.curved_splits import Ellipsoid, Sphere


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.capability("IML-9-38")
def test_a_disc_in_a_square_takes_one_sphere(seed):
    """IML 9.6: uniform in [-2, 2]^2, class 1 iff inside the unit circle; centre near 0, radius near 1."""
    X = np.random.default_rng(seed).uniform(-2, 2, (500, 2))
    y = np.sum(X**2, axis=1) <= 1
    model = SphereTreeClassifier(random_state=0).fit(X, y)
    split = model.tree_.splits[0]
    assert model.get_n_leaves() == 2 and model.score(X, y) == 1.0
    assert isinstance(split, Sphere)
    assert_allclose(split.centre, 0, atol=0.1)
    assert_allclose(split.limit * split.scale, 1, atol=0.1)


@pytest.mark.capability("IML-9-38")
def test_a_shifted_ball_in_other_units():
    """The same in a corner and in other units: the sphere is found in standardised columns."""
    rng = np.random.default_rng(1)
    X = rng.uniform(0, 4, (600, 3))
    y = np.sum((X - [1.0, 2.5, 1.5]) ** 2, axis=1) <= 1.5
    model = SphereTreeClassifier(random_state=0).fit(X * [1.0, 1000.0, 0.01] + [0, 5, 0], y)
    assert model.score(X * [1.0, 1000.0, 0.01] + [0, 5, 0], y) == 1.0 and model.get_n_leaves() <= 4


@pytest.mark.capability("IML-9-38")
def test_a_tilted_ellipse_takes_one_ellipsoid():
    rng = np.random.default_rng(2)
    A = np.array([[2.0, 1.2], [0.0, 0.5]])
    X = rng.uniform(-4, 4, (800, 2))
    y = np.sum((X @ np.linalg.inv(A)) ** 2, axis=1) <= 1
    models = [
        SphereTreeClassifier(shape, random_state=0, max_depth=1).fit(X, y)
        for shape in ("ellipsoid", "sphere")
    ]
    assert isinstance(models[0].tree_.splits[0], Ellipsoid)
    assert models[0].score(X, y) > 0.99 > models[1].score(X, y)


@pytest.mark.parametrize("shape", ["sphere", "ellipsoid"])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_real_data_are_separated(load, shape):
    X, y = load(return_X_y=True)
    model = SphereTreeClassifier(shape, random_state=0).fit(X, y)
    assert model.score(X, y) == 1.0 and model.get_n_leaves() <= 12


def test_the_search_makes_the_best_first_try_purer():
    """No centre to begin with is right: rows of class 1 fill a ball whose middle is empty of them."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, (400, 2))
    y = (np.sum((X - 0.7) ** 2, axis=1) <= 1) & (X[:, 0] > 0.3)
    refined = SphereTreeClassifier(centres=0, max_depth=1, random_state=0).fit(X, y)
    tree = refined.tree_
    after = tree.weighted_n_node_samples[1:] @ tree.impurity[1:] / 400
    distance = np.linalg.norm(X - X[y].mean(axis=0), axis=1)
    order = np.sort(distance)
    tries = []
    for cut in (order[1:] + order[:-1]) / 2:
        sides = [y[distance <= cut], y[distance > cut]]
        tries.append(sum(len(side) * 2 * side.mean() * (1 - side.mean()) for side in sides) / 400)
    assert after < min(tries)


def test_the_centre_of_a_large_node_is_sought_on_a_sample(monkeypatch):
    monkeypatch.setattr(sphere_tree, "MAX_SEARCHED", 500)
    monkeypatch.setattr(sphere_tree, "SAMPLE", 300)
    X = np.random.default_rng(0).uniform(-2, 2, (3000, 2))
    y = np.sum(X**2, axis=1) <= 1
    model = SphereTreeClassifier(random_state=0, max_depth=1).fit(X, y)
    assert model.score(X, y) > 0.98
    assert_allclose(model.tree_.splits[0].centre, 0, atol=0.1)
