"""Components of graphs of neighbours: the numbers of Iris, policies, and what a sentence says."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris

from assay.distances import metric_of, searcher
from assay.errors import DegenerateWarning, ParameterError
from assay.reduce import graph_connectivity
from assay.reduce.embedding.connectivity import GraphError, connected, connectivity_of, in_one_piece
from assay.reduce.embedding.neighbor_graph import neighbor_graph, undirected

IRIS = load_iris().data


@pytest.mark.capability("IML-6-46")
@pytest.mark.parametrize(("n_neighbors", "components"), [(3, 2), (24, 2), (25, 1), (40, 1)])
def test_iris_is_connected_from_25_neighbours_on(n_neighbors, components):
    """Below 3 neighbours the number of components depends on how equal distances are told apart: 3 or 4 for 2."""
    report = graph_connectivity(IRIS, n_neighbors=n_neighbors)
    assert report.n_components == components
    assert report.connecting_neighbors == 25
    assert sum(report.sizes) == 150
    assert (report.sizes == (100, 50)) == (components == 2)


@pytest.mark.capability("IML-6-46")
def test_iris_is_connected_for_a_radius_from_the_last_single_link_height_on():
    height = graph_connectivity(IRIS, radius=1.0).connecting_radius
    assert_allclose(height, 1.640122, atol=5e-7)
    assert not graph_connectivity(IRIS, radius=height * (1 - 1e-9)).connected
    assert graph_connectivity(IRIS, radius=height * (1 + 1e-9)).connected


def test_components_are_joined_by_their_closest_rows():
    X = np.array([[0.0], [1.0], [5.0], [6.5], [20.0]])
    metric = metric_of("euclidean")
    graph = undirected(neighbor_graph(searcher(X, metric), radius=2.0))
    joined, gaps = connected(graph, X, metric, connectivity_of(graph))
    assert {(gap.row, gap.other): gap.distance for gap in gaps} == {(1, 2): 4.0, (1, 4): 19.0, (3, 4): 13.5}
    assert connectivity_of(joined).connected
    assert_array_equal(joined.toarray(), joined.toarray().T)
    of_distances, _ = connected(graph, metric.between(X, X), metric_of("precomputed"), connectivity_of(graph))
    assert_array_equal(of_distances.toarray(), joined.toarray())


def test_a_sparse_graph_cannot_be_joined():
    graph = csr_matrix([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    with pytest.raises(GraphError, match="cannot be completed"):
        in_one_piece(graph, graph, metric_of("precomputed"), "connect", "Isomap")


def test_policies_for_components():
    X, metric = np.array([[0.0], [1.0], [9.0]]), metric_of("euclidean")
    graph = undirected(neighbor_graph(searcher(X, metric), radius=2.0))
    with pytest.warns(
        DegenerateWarning, match=r"2 > 1 \(of 2, 1 rows\).*1 edges, the longest 8 between rows 2 and 3"
    ):
        assert connectivity_of(in_one_piece(graph, X, metric, "connect", "Isomap")[0]).connected
    with pytest.warns(DegenerateWarning, match="not fully connected"):
        assert in_one_piece(graph, X, metric, "warn", "Isomap")[0] is graph
    assert in_one_piece(graph, X, metric, "separate", "Isomap")[1].sizes == (2, 1)
    with pytest.raises(GraphError, match="graph_connectivity says how many"):
        in_one_piece(graph, X, metric, "raise", "Isomap")


def test_rows_at_distance_zero_are_joined():
    X = np.array([[0.0], [0.0], [0.0]])
    graph = undirected(neighbor_graph(searcher(X, "euclidean"), n_neighbors=1))
    assert graph.nnz == 4
    assert connectivity_of(graph).connected


def test_the_shorter_of_two_lengths_counts():
    graph = undirected(csr_matrix([[0.0, 3.0], [2.0, 0.0]]))
    assert_array_equal(graph.toarray(), [[0.0, 2.0], [2.0, 0.0]])


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ({"n_neighbors": 2, "radius": 1.0}, "Both n_neighbors and radius"),
        ({}, "n_neighbors or radius must be a number"),
        ({"radius": -1.0}, "radius must be a number from 0 up"),
        ({"n_neighbors": 150}, "Expected n_neighbors < n_samples_fit"),
    ],
)
def test_neighbourhoods_that_make_no_graph_are_refused(size, words):
    with pytest.raises(ParameterError, match=words):
        graph_connectivity(IRIS, **size)


def test_one_row_is_connected():
    assert connectivity_of(csr_matrix((1, 1))).connected
