"""Curved splits: quadrics, spheres, ellipsoids, networks."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.trees.multivariate.curved_splits import Ellipsoid, Network, Quadric, Sphere

NAMES = ["a", "b"]
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
W = np.array([[1.0, 0.3], [0.3, -2.0]])
QUADRIC = Quadric(W, np.array([0.5, -1.0]), np.array([0.2, 0.1]), 0.7, np.ones(2))
SPHERE = Sphere(np.array([0.3, -0.2]), np.array([1.0, 2.0]), 0.9, np.array([3.0, 2.0]))
ELLIPSOID = Ellipsoid(np.array([0.3, -0.2]), np.array([[1.0, 0.0], [0.5, 2.0]]), 1.1, np.ones(2))
NETWORK = Network(
    RNG.normal(size=(3, 2)),
    RNG.normal(size=3),
    RNG.normal(size=3),
    np.array([0.1, 0.0]),
    np.array([2.0, 1.0]),
    0.2,
)
SPLITS = [QUADRIC, SPHERE, ELLIPSOID, NETWORK]


def by_the_book(split, x):
    if split is QUADRIC:
        u = x - split.centre
        return u @ W @ u + split.weights @ u
    if split is SPHERE:
        return np.hypot(*((x - split.centre) / split.scale))
    if split is ELLIPSOID:
        A = split.axes @ split.axes.T
        return np.sqrt((x - split.centre) @ A @ (x - split.centre))
    units = [np.tanh(h @ ((x - split.centre) / split.scale) + b) for h, b in zip(split.hidden, split.biases)]
    return sum(v * unit for v, unit in zip(split.output, units))


@pytest.mark.parametrize("split", SPLITS, ids=lambda split: split.kind)
def test_the_value_is_the_formula_and_the_branch_follows_from_it(split):
    values = [by_the_book(split, x) for x in X]
    assert_allclose(split.value(X), values, rtol=1e-12)
    assert_array_equal(split.branch(X), np.array(values) > split.limit)
    assert 0 < split.branch(X).sum() < len(X)
    split.check(2)
    assert_allclose(split.shares(2).sum(), 1)
    assert split.words(NAMES) and len(split.labels([])) == 2


@pytest.mark.parametrize("split", [QUADRIC, NETWORK], ids=lambda split: split.kind)
def test_terms_add_up_to_the_value(split):
    for x in X[:5]:
        assert_allclose(
            sum(part for _, _, part in split.terms(x, NAMES)), split.value(x[None])[0], rtol=1e-10
        )


def test_terms_of_a_sphere_add_up_to_the_squared_distance():
    for x in X[:5]:
        assert_allclose(sum(part for _, _, part in SPHERE.terms(x, NAMES)), SPHERE.value(x[None])[0] ** 2)


def test_columns_take_part_in_a_sphere_by_what_they_add_to_squared_distances():
    assert_allclose(SPHERE.shares(2), [0.9, 0.1])


def test_a_node_counts_its_numbers():
    """Symmetric matrix, linear part and limit; centre and radius; weights, biases, outputs and limit."""
    assert [split.n_parameters for split in SPLITS] == [6, 3, 6, 13]


@pytest.mark.parametrize(
    "split",
    [
        Quadric(np.eye(3), np.zeros(2), np.zeros(2), 0.0, np.ones(2)),
        Quadric(np.eye(2), np.zeros(2), np.zeros(2), np.nan, np.ones(2)),
        Sphere(np.zeros(2), np.array([1.0, 0.0]), 1.0, np.ones(2)),
        Sphere(np.zeros(3), np.ones(3), 1.0, np.ones(3)),
        Ellipsoid(np.zeros(2), np.zeros((3, 2)), 1.0, np.ones(2)),
        Ellipsoid(np.zeros(2), np.zeros(2), 1.0, np.ones(2)),
        Network(np.zeros((2, 2)), np.zeros(3), np.zeros(3), np.zeros(2), np.ones(2), 0.0),
        Network(np.zeros((2, 2)), np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2), 0.0),
    ],
)
def test_a_split_that_rows_cannot_be_given_is_refused(split):
    with pytest.raises(ValueError, match="BranchTree"):
        split.check(2)
