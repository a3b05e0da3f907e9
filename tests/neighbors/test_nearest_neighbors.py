"""Neighbours and their graphs: the peer on real data, with and without the rows themselves."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import neighbors as peers
from sklearn.datasets import load_breast_cancer, load_iris

from assay.errors import ParameterError
from assay.neighbors.nearest_neighbors import NearestNeighbors, kneighbors_graph, radius_neighbors_graph

X = load_iris().data + np.random.default_rng(0).uniform(-0.01, 0.01, (150, 4))  # no two alike


@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd_tree", "ball_tree"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_same_neighbours_as_scikit_learn(algorithm, metric):
    ours, peer = (
        cls(algorithm=algorithm, metric=metric).fit(X) for cls in (NearestNeighbors, peers.NearestNeighbors)
    )
    for asked in (X[:40] + 0.05, None):
        for a, b in zip(ours.kneighbors(asked, 6), peer.kneighbors(asked, 6)):
            assert_allclose(a, b, rtol=1e-9)
        assert_array_equal(
            ours.kneighbors(asked, return_distance=False), peer.kneighbors(asked, return_distance=False)
        )
        found, expected = (m.radius_neighbors(asked, 0.8, sort_results=True) for m in (ours, peer))
        for a, b in zip(found[0], expected[0]):
            assert_allclose(a, b, rtol=1e-9)
        for mode in ("connectivity", "distance"):
            a, b = (m.kneighbors_graph(asked, 3, mode=mode) for m in (ours, peer))
            assert_allclose(a.toarray(), b.toarray(), rtol=1e-9)


@pytest.mark.parametrize("include_self", [True, False, "auto"])
@pytest.mark.parametrize("mode", ["connectivity", "distance"])
def test_same_graphs_as_scikit_learn(mode, include_self):
    a = kneighbors_graph(X, 4, mode=mode, include_self=include_self)
    b = peers.kneighbors_graph(X, 4, mode=mode, include_self=include_self)
    assert_allclose(a.toarray(), b.toarray(), atol=1e-7)
    a = radius_neighbors_graph(X, 0.7, mode=mode, include_self=include_self)
    b = peers.radius_neighbors_graph(X, 0.7, mode=mode, include_self=include_self)
    assert_allclose(a.toarray(), b.toarray(), atol=1e-7)


def test_a_fitted_searcher_gives_the_same_graph():
    found = NearestNeighbors(n_neighbors=3).fit(X)
    for include_self in (True, False):
        a, b = (
            kneighbors_graph(found, 3, include_self=include_self),
            kneighbors_graph(X, 3, include_self=include_self),
        )
        assert (a != b).nnz == 0


def test_frames_and_mixed_tables():
    frame = pd.DataFrame({"age": [20.0, 30.0, np.nan], "town": ["a", "b", "a"]})
    distances, rows = NearestNeighbors(n_neighbors=2, metric="gower").fit(frame).kneighbors()
    assert_array_equal(rows, [[2, 1], [0, 2], [0, 1]])
    assert_allclose(distances, [[0.0, 1.0], [1.0, 1.0], [0.0, 1.0]])


def test_large_and_sparse_rows_come_back_in_bounded_pieces():
    Z = sp.csr_matrix(load_breast_cancer().data)
    found = NearestNeighbors(n_neighbors=3).fit(Z).kneighbors(Z[:50])[0]
    assert_allclose(
        found, NearestNeighbors(n_neighbors=3).fit(Z.toarray()).kneighbors(Z[:50].toarray())[0], atol=1e-4
    )


def test_what_is_refused():
    found = NearestNeighbors().fit(X)
    with pytest.raises(ParameterError, match="Unsupported mode"):
        found.kneighbors_graph(mode="weights")
    with pytest.raises(ParameterError, match="return_distance must be True"):
        found.radius_neighbors(return_distance=False, sort_results=True)
    with pytest.raises(ParameterError, match="radius must be a number from 0 up"):
        NearestNeighbors(radius=-1.0).fit(X)
