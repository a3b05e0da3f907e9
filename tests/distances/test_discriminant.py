"""The discriminant metric: oracles of the book and Fisher's direction."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine

from assay.distances import DiscriminantMetric
from assay.errors import DataError
from assay.tables.data import load_charity_donors


def charity():
    data = load_charity_donors()
    X = np.asarray(data.X)[:, :2].astype(float) / [50, 50000]
    return X, np.unique(np.asarray(data.y), return_inverse=True)[1]


# Oracle: DC 10.8.1.2, charity donors scaled as (age / 50, salary / 50000).
@pytest.mark.capability("DC-105")
def test_the_matrix_of_the_book():
    X, y = charity()
    L = DiscriminantMetric(epsilon=0.0).learn(X, y).L_
    assert_allclose(L.T @ L, [[51.354829, 74.416621], [74.416621, 107.834717]], atol=5e-7)


# Oracle: DC 10.8.1.2: for two classes sqrt(p0 p1) |(x - z) . w|, w = Sw^-1 (m1 - m0): Fisher's one direction.
@pytest.mark.capability("DC-105")
def test_two_classes_are_compared_along_fishers_direction():
    X, y = charity()
    p = np.bincount(y) / len(y)
    means = np.array([X[y == k].mean(axis=0) for k in (0, 1)])
    Sw = sum(p[k] * np.cov(X[y == k].T, ddof=0) for k in (0, 1))
    z = X @ np.linalg.solve(Sw, means[1] - means[0])
    expected = np.sqrt(p[0] * p[1]) * np.abs(z[:, None] - z)
    assert_allclose(DiscriminantMetric(epsilon=0.0).learn(X, y).between(X, X), expected, rtol=1e-9, atol=1e-9)


def test_the_rank_is_that_of_the_classes_and_epsilon_adds_the_rest():
    X, y = load_wine(return_X_y=True)
    assert DiscriminantMetric(epsilon=0.0).learn(X, y).L_.shape == (2, 13)
    assert DiscriminantMetric(epsilon=1e-3).learn(X, y).L_.shape == (13, 13)


def test_weights_count_as_repetitions():
    X, y = load_wine(return_X_y=True)
    w = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    again = np.repeat(np.arange(len(y)), w.astype(int))
    a = DiscriminantMetric().learn(X, y, w).L_
    b = DiscriminantMetric().learn(X[again], y[again]).L_
    assert_allclose(a.T @ a, b.T @ b, rtol=1e-9)


def test_classes_are_needed():
    with pytest.raises(DataError, match="looks at the classes, but there are none"):
        DiscriminantMetric().learn(np.eye(3))


def test_a_constant_column_whose_mean_is_rounded_counts_nothing():
    rng = np.random.default_rng(3)
    X, Q = rng.normal(size=(60, 2)), rng.normal(size=(40, 2))
    y = (X[:, 0] > 0).astype(int)
    more, asked = np.column_stack([X, np.full(60, 0.1)]), np.column_stack([Q, np.full(40, 0.3)])
    apart = DiscriminantMetric().learn(more, y).between(asked, more)
    assert_allclose(apart, DiscriminantMetric().learn(X, y).between(Q, X), rtol=1e-9)


def test_a_class_without_weight_is_not_there():
    rng = np.random.default_rng(3)
    X, Q = rng.normal(size=(60, 2)), rng.normal(size=(40, 2))
    y = np.arange(60) % 3
    w = (y < 2).astype(float)
    apart = DiscriminantMetric().learn(X, y, w).between(Q, X)
    assert_allclose(apart, DiscriminantMetric().learn(X[w > 0], y[w > 0]).between(Q, X), rtol=1e-9)
