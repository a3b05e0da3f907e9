"""Nearest mean: the book's numbers, distances, and its kinship with the linear discriminant."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.neighbors import NearestCentroid

from assay.bayes import LinearDiscriminantAnalysis, NearestMean
from assay.errors import DegenerateError

T5 = np.array([(1, 2), (2, 3), (3, 3), (4, 5), (5, 7), (4, 1), (5, 3), (6, 2), (7, 3), (8, 6), (6, 3)], float)
T5_CLASS = np.repeat([1, 2], [5, 6])


# Oracle: IML 5.5, T5 at (5, 4), row "shared, spherical"; squared distances 4 and 2; 5-25 has no determinant.
@pytest.mark.capability("IML-5-15")
def test_sphere_of_the_book():
    model = NearestMean(priors="empirical").fit(T5, T5_CLASS)
    assert_allclose(model.variance_, 25 / 11, rtol=1e-12)
    assert_allclose(model.distances([[5, 4]], squared=True), [[4, 2]])
    assert_allclose(model.distances([[5, 4]]), [[2, np.sqrt(2)]])
    assert_allclose(
        -model.distances([[5, 4]], squared=True)[0] / (2 * 25 / 11) + np.log([5 / 11, 6 / 11]),
        [-1.668457, -1.046136],
        atol=5e-7,
    )
    assert_allclose(
        model.predict_joint_log_proba([[5, 4]])[0] + np.log(2 * np.pi), [-2.489438, -1.867116], atol=5e-7
    )
    assert_allclose(model.predict_proba([[5, 4]]), [[0.349254, 0.650746]], atol=5e-7)
    assert_array_equal(model.predict(T5), T5_CLASS)


@pytest.mark.capability("IML-5-15")
def test_with_equal_priors_the_closest_mean_wins():
    """Peer: NearestCentroid, scikit-learn 1.9 (not on digits, whose constant columns it warns about)."""
    for load in (load_iris, load_wine, load_digits):
        X, y = load(return_X_y=True)
        ours = NearestMean().fit(X, y)
        if load is not load_digits:
            assert_array_equal(ours.predict(X), NearestCentroid().fit(X, y).predict(X))
        assert_array_equal(ours.predict(X), ours.classes_[ours.distances(X).argmin(axis=1)])


@pytest.mark.capability("IML-5-15")
def test_mahalanobis_distance_with_class_shares_is_the_linear_discriminant():
    X, y = load_wine(return_X_y=True)
    ours = NearestMean(metric="mahalanobis", priors="empirical").fit(X, y)
    assert_allclose(ours.predict_proba(X), LinearDiscriminantAnalysis().fit(X, y).predict_proba(X), atol=1e-9)
    equal = NearestMean(metric="mahalanobis").fit(X, y)
    gap = X[:, None] - equal.means_
    d2 = np.einsum("ika,ab,ikb->ik", gap, np.linalg.inv(equal.covariance_), gap)
    assert_allclose(equal.distances(X, squared=True), d2, rtol=1e-6)
    assert_array_equal(equal.predict(X), d2.argmin(axis=1))


@settings(max_examples=30, deadline=None)
@given(p=st.floats(0.05, 0.95))
def test_a_prior_moves_the_boundary_towards_the_rarer_class(p):
    """Means 0 and 4, variance 1: the boundary is at 2 - ln(p / (1 - p)) / 4 for prior p of the second."""
    model = NearestMean(priors=[1 - p, p]).fit([[-1.0], [1.0], [3.0], [5.0]], [0, 0, 1, 1])
    assert_allclose(model.decision_function([[2 - np.log(p / (1 - p)) / 4]]), 0, atol=1e-12)


def test_classes_that_are_points_are_no_trouble():
    model = NearestMean().fit([[0.0, 0.0], [3.0, 4.0]], ["a", "b"])
    assert model.variance_ == 1.0
    assert_array_equal(model.predict([[1.0, 1.0], [2.0, 3.0]]), ["a", "b"])
    flat = NearestMean(metric="mahalanobis").fit([[0.0], [0.0], [4.0]], [0, 0, 1])
    assert_allclose(flat.predict_proba([[3.0]]), [[0.5, 0.5]])  # no spread to measure by: all the same


def test_collinear_columns_are_left_out_of_the_distance():
    X, y = load_iris(return_X_y=True)
    more = np.column_stack([X, X.sum(axis=1), np.ones(150)])
    plain, both = (NearestMean(metric="mahalanobis").fit(A, y) for A in (X, more))
    assert_allclose(both.distances(more), plain.distances(X), rtol=1e-8)


def test_a_class_without_weight_is_never_the_answer():
    X, y = [[0.0], [1.0], [9.0]], [0, 0, 1]
    assert_array_equal(NearestMean().fit(X, y, sample_weight=[1, 1, 0]).predict([[9.0]]), [0])
    with pytest.raises(DegenerateError, match="no row that weighs"):
        NearestMean(priors=[0.5, 0.5]).fit(X, y, sample_weight=[1, 1, 0])


def test_one_class_is_always_the_answer():
    assert_array_equal(NearestMean().fit([[1.0]], ["only"]).predict([[5.0]]), ["only"])
