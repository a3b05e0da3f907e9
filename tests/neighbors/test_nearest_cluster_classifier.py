"""NearestClusterClassifier: several centres a class."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, load_iris

from assay.neighbors.nearest_centroid import NearestCentroid
from assay.neighbors.nearest_cluster_classifier import NearestClusterClassifier, best_of_starts


@pytest.mark.capability("IML-8-15")
def test_two_centres_solve_xor_where_one_cannot():
    rng = np.random.default_rng(0)
    corner = np.array([[0, 0], [4, 4], [0, 4], [4, 0]])
    X = np.repeat(corner, 30, axis=0) + rng.normal(size=(120, 2)) * 0.3
    y = np.repeat(["same", "same", "other", "other"], 30)
    model = NearestClusterClassifier(2, random_state=0).fit(X, y)
    assert model.score(X, y) == 1.0
    assert NearestCentroid().fit(X, y).score(X, y) < 0.8
    assert_array_equal(model.sizes_, [30, 30, 30, 30])
    nearest = np.argmin(np.linalg.norm(X[:, None] - model.centers_, axis=2), axis=1)
    assert_array_equal(model.predict(X), model.classes_[model.codes_[nearest]])


def test_one_centre_is_the_nearest_mean_and_a_centre_for_every_row_the_nearest_neighbour():
    X, y = load_iris(return_X_y=True)
    one = NearestClusterClassifier(1).fit(X, y)
    assert_array_equal(one.predict(X), NearestCentroid().fit(X, y).predict(X))
    assert_allclose(one.centers_, NearestCentroid().fit(X, y).centroids_)
    all_ = NearestClusterClassifier(50, random_state=0).fit(X, y)
    assert all_.score(X, y) == 1.0


def test_the_sum_of_squares_is_that_of_scikit_learns_k_means():
    X, _ = load_digits(return_X_y=True)
    X = X[:400]
    centers, label, _ = best_of_starts(X, 6, 10, 100, np.random.RandomState(0))
    peer = KMeans(6, n_init=10, random_state=0).fit(X)
    ours = float(np.sum((X - centers[label]) ** 2))
    assert ours <= 1.02 * peer.inertia_
    assert_allclose(centers, [X[label == c].mean(axis=0) for c in range(6)])


def test_mahalanobis_knows_how_wide_a_group_is():
    rng = np.random.default_rng(1)
    X = np.concatenate(
        [rng.normal(0, 0.2, (60, 1)), rng.normal(9, 0.2, (60, 1)), rng.normal(4, 1.5, (60, 1))]
    )
    y = np.repeat(["narrow", "narrow", "wide"], 60)
    euclidean = NearestClusterClassifier(2, random_state=0).fit(X, y)
    assert NearestClusterClassifier(2, metric="mahalanobis", random_state=0).fit(X, y).predict([[1.2]]) == [
        "wide"
    ]
    assert euclidean.predict([[1.2]]) == ["narrow"]


def test_fewer_distinct_rows_than_centres_and_an_explanation():
    model = NearestClusterClassifier(5).fit([[1.0], [1.0], [2.0], [8.0]], ["a", "a", "a", "b"])
    assert len(model.centers_) == 3
    said = model.explain([[1.9]])
    assert said.answer == "a" and said.sections[0].rows[0][0] == "a"
    assert_allclose([row[-1] for row in said.sections[0].rows], np.sort(model.distances([[1.9]])[0]))


def test_a_constant_column_whose_mean_is_rounded_counts_nothing():
    rng = np.random.default_rng(3)
    X, Q = rng.normal(size=(60, 2)), rng.normal(size=(40, 2))
    y = X[:, 0] > 0
    more, asked = np.column_stack([X, np.full(60, 0.1)]), np.column_stack([Q, np.full(40, 0.3)])
    model = NearestClusterClassifier(metric="mahalanobis", random_state=0)
    assert_array_equal(model.fit(more, y).predict(asked), model.fit(X, y).predict(Q))
