"""Distances of matrices: oracles of the books, peers, maps of low rank, singular covariances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from assay.distances import Mahalanobis, metric_of
from assay.distances.mahalanobis import covariance_of, inverse_of, root_of
from assay.errors import DataError, ParameterError
from assay.tables.data import load_charity_donors

RNG = np.random.default_rng(2)
X = RNG.normal(size=(50, 4)) @ RNG.normal(size=(4, 4))


# Oracle: DC 10.8.1.1, charity donors with the covariance of all rows (divisor n - 1).
@pytest.mark.capability("DC-104")
def test_charity_donors_of_the_book():
    rows = np.asarray(load_charity_donors().X)[:, :2].astype(float)
    assert_allclose(np.cov(rows.T), [[191.0909, 81863.64], [81863.64, 272854545.45]], rtol=1e-7)
    D = Mahalanobis().learn(rows).between(rows, rows)
    assert_allclose(D[0, 1], 0.443832, atol=5e-7)  # Nancy, Jim
    assert_allclose(D[2, 3], 0.439799, atol=5e-7)  # Allen, Jane


def test_same_numbers_as_scipy():
    VI = np.linalg.inv(np.cov(X.T))
    expected = cdist(X, X, "mahalanobis", VI=VI)
    for metric in (Mahalanobis().learn(X), Mahalanobis(VI=VI), Mahalanobis(V=np.cov(X.T))):
        assert_allclose(metric.between(X, X), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.capability("DC-103")
def test_the_identity_gives_euclids_distance():
    assert_allclose(Mahalanobis(VI=np.eye(4)).between(X, X), cdist(X, X), rtol=1e-12, atol=1e-14)
    assert_allclose(Mahalanobis(VI=9 * np.eye(4)).between(X, X), 3 * cdist(X, X), rtol=1e-12, atol=1e-14)


# Oracle: IML 8.6, (8-20) and (8-21): the distance in x is Euclid's in z = L x.
@pytest.mark.capability("IML-8-16", "DC-103")
@given(L=arrays(np.float64, (2, 4), elements=st.floats(-5, 5, width=16)))
def test_a_map_of_low_rank_is_euclid_after_the_map(L):
    expected = cdist(X[:6] @ L.T, X[:6] @ L.T)
    assert_allclose(Mahalanobis(L=L).between(X[:6], X[:6]), expected, rtol=1e-9, atol=1e-9)
    assert_allclose(Mahalanobis(VI=L.T @ L).between(X[:6], X[:6]), expected, rtol=1e-6, atol=1e-5)


def test_directions_without_variance_count_nothing():
    flat = np.column_stack([X, X[:, 0] + X[:, 1], np.ones(50)])  # rank 4 of 6, scales far apart
    flat = flat * [1e6, 1, 1e-6, 1, 1e3, 1]
    full = cdist(X, X, "mahalanobis", VI=np.linalg.inv(np.cov(X.T)))
    assert_allclose(Mahalanobis().learn(flat).between(flat, flat), full, rtol=1e-5, atol=1e-7)
    assert not Mahalanobis().learn(X[:1]).between(X, X).any()


def test_equal_rows_are_equal_points_wherever_they_stand():
    metric = Mahalanobis().learn(X)
    many = np.concatenate([X, X[::-1], X[7:9]])
    points = metric.points(many)
    assert (points[:50] == points[50:100][::-1]).all() and (points[100:] == points[7:9]).all()


def test_inverse_and_root_are_what_they_are_called():
    V = np.cov(X.T)
    assert_allclose(inverse_of(V) @ V, np.eye(4), atol=1e-9)
    L = root_of(V, "test")
    assert_allclose(L.T @ L, V, rtol=1e-10)


def test_what_is_refused():
    with pytest.raises(ParameterError, match="give V, VI or L, got V and VI"):
        Mahalanobis(V=np.eye(2), VI=np.eye(2))
    with pytest.raises(ParameterError, match="VI must be a square matrix"):
        Mahalanobis(VI=np.ones((2, 3)))
    with pytest.raises(ParameterError, match="positive semidefinite, its least eigenvalue is -1"):
        metric_of("mahalanobis", metric_params={"VI": np.diag([1.0, -1.0])})
    with pytest.raises(DataError, match="not known before it learns"):
        Mahalanobis().points(X)
    with pytest.raises(DataError, match="for 2 columns, the table has 4"):
        Mahalanobis(VI=np.eye(2)).between(X, X)


def test_a_weight_of_two_is_a_row_that_came_twice_and_shares_have_no_unit():
    w = RNG.integers(0, 4, len(X)).astype(float)
    again = X[np.repeat(np.arange(len(X)), w.astype(int))]
    assert_allclose(covariance_of(X, w), np.cov(again, rowvar=False), rtol=1e-12)
    assert_allclose(
        Mahalanobis().learn(X, None, w).between(X, X), Mahalanobis().learn(again).between(X, X), rtol=1e-9
    )
    ones = np.full(len(X), 1e-3)
    assert_allclose(covariance_of(X, ones), np.cov(X, rowvar=False), rtol=1e-12)
    assert not covariance_of(X, np.eye(len(X))[0]).any()  # one row


def test_a_constant_column_counts_nothing_even_if_its_mean_is_rounded():
    rows = np.column_stack([np.full(7, 0.1), [1.0, 2, 4, 5, 6, 7, 9]])  # the mean of seven 0.1 is not 0.1
    assert np.cov(rows.T)[0, 0] > 0
    one = Mahalanobis().learn(rows).between(rows[:1], [[0.3, 2.0]])
    assert_allclose(one, 1 / np.std(rows[:, 1], ddof=1), rtol=1e-12)
