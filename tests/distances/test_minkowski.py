"""Minkowski's family: peers, identities, weights, sparse rows."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from assay.distances import Minkowski, SquaredEuclidean, Standardized
from assay.errors import DataError, ParameterError

RNG = np.random.default_rng(1)
A, B = RNG.normal(size=(20, 5)), RNG.normal(size=(30, 5))
numbers = arrays(np.float64, (3, 4), elements=st.floats(-1e3, 1e3, width=32))


@pytest.mark.capability("C3-29")
@given(X=numbers, p=st.sampled_from([1.0, 1.5, 2.0, 3.0, np.inf]))
def test_the_triangle_inequality_holds(X, p):
    D = Minkowski(p).between(X, X)
    assert D[0, 2] <= (D[0, 1] + D[1, 2]) * (1 + 1e-12)
    assert_allclose(D, D.T, rtol=1e-15)
    assert not np.diag(D).any()


@pytest.mark.capability("C3-29")
@given(X=numbers)
def test_larger_exponents_give_smaller_distances(X):
    steps = [Minkowski(p).between(X, X) for p in (1, 2, 4, np.inf)]
    for far, near in pairwise(steps):
        assert (near <= far * (1 + 1e-12)).all()


@pytest.mark.parametrize("p", [0.5, 1, 2, 2.5, np.inf])
def test_weights_are_those_of_scipy(p):
    w = np.array([0.0, 1.0, 2.0, 0.5, 3.0])
    expected = cdist(A, B, "chebyshev", w=w > 0) if np.isinf(p) else cdist(A, B, "minkowski", p=p, w=w)
    assert_allclose(Minkowski(p, w).between(A, B), expected, rtol=1e-12)
    with pytest.raises(DataError, match="w has 2 weights, the table has 5 columns"):
        Minkowski(p, [1.0, 1.0]).between(A, B)
    with pytest.raises(ParameterError, match="none negative"):
        Minkowski(p, [-1.0])


@pytest.mark.parametrize(
    "metric", [Minkowski(1), Minkowski(2), Minkowski(3), Minkowski(np.inf), SquaredEuclidean()]
)
def test_sparse_rows_are_as_far_apart_as_dense_ones(metric):
    X = sp.random(40, 12, 0.3, format="csr", random_state=0)
    D = metric.between(X.toarray(), X.toarray())
    assert_allclose(metric.between(X, X), D, rtol=1e-7, atol=1e-7)
    assert not np.diag(metric.between(X, X)).any()  # not even by rounding
    with pytest.raises(DataError, match="expected as many"):
        metric.between(X, X[:, :3])


def test_standardized_is_that_of_scipy_and_constant_columns_count_nothing():
    V = B.var(axis=0, ddof=1)
    assert_allclose(Standardized().learn(B).between(A, B), cdist(A, B, "seuclidean", V=V), rtol=1e-12)
    constant = np.column_stack([B, np.full(30, 0.1)])
    asked = np.column_stack([A, np.full(20, 7.0)])
    assert_allclose(
        Standardized().learn(constant).between(asked, constant), cdist(A, B, "seuclidean", V=V), rtol=1e-12
    )
    assert not Standardized().learn(B[:1]).between(A, B).any()  # one row varies in nothing
    with pytest.raises(DataError, match="V has 2 variances"):
        Standardized([1.0, 1.0]).between(A, B)
    with pytest.raises(ParameterError, match="V must be variances"):
        Standardized([-1.0])


def test_points_begin_and_finish_give_the_distance():
    for metric in (Minkowski(3, np.arange(5.0)), SquaredEuclidean(), Standardized(np.arange(1.0, 6.0))):
        apart = metric.finish(cdist(metric.points(A), metric.points(B), "minkowski", p=metric.power))
        assert_allclose(apart, metric.between(A, B), rtol=1e-12)
        assert metric.begin(metric.finish(np.array([3.0]))[0]) == pytest.approx(3.0)
