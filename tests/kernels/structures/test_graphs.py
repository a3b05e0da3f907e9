"""Graphs, kernels of graphs, and kernels of the nodes of one graph."""

from collections import Counter
from typing import ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import expm

import assay
from assay.errors import DataError, ParameterError
from assay.kernels import (
    DiffusionKernel,
    Graph,
    Nystroem,
    RegularizedLaplacian,
    SharedWalks,
    ShortestPaths,
    WeisfeilerLehman,
)

THREE, TWO = Graph.of_edges([(0, 1), (1, 2)]), Graph.of_edges([(0, 1)])


def random_graph(seed, labels="ab"):
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 8))
    A = np.triu(random.random((n, n)) < 0.4, 1).astype(float)
    return Graph.of_matrix(A + A.T, labels=random.choice(list(labels), n).tolist() if labels else None)


LABELLED, PLAIN = [random_graph(s) for s in range(12)], [random_graph(s, "") for s in range(12)]
KERNELS = [SharedWalks(3, decay=0.2), ShortestPaths(), WeisfeilerLehman(2), WeisfeilerLehman(0)]


def dense(graph):
    return graph.adjacency.toarray()


def agree(a, b):
    if a.labels is None:
        return np.ones((len(a), len(b)))
    return np.array([[x == y for y in b.labels] for x in a.labels], dtype=float)


def walks_by_the_book(a, b, length, decay):
    same = agree(a, b).ravel()
    product = np.kron(dense(a), dense(b)) * np.outer(same, same)
    return sum(decay**k * same @ np.linalg.matrix_power(product, k) @ same for k in range(length + 1))


def distances_by_the_book(graph):
    n = len(graph)
    D = np.where(dense(graph) > 0, 1.0, np.inf)
    np.fill_diagonal(D, 0)
    for k in range(n):
        D = np.minimum(D, D[:, k : k + 1] + D[k])
    return D


def paths_by_the_book(a, b):
    counts = []
    for graph in (a, b):
        labels, D = graph.labels or [0] * len(graph), distances_by_the_book(graph)
        pairs = [
            (i, j) for i in range(len(graph)) for j in range(len(graph)) if i != j and np.isfinite(D[i, j])
        ]
        counts.append(Counter((labels[i], labels[j], D[i, j]) for i, j in pairs))
    return sum(counts[0][kind] * counts[1][kind] for kind in counts[0])


def colours_by_the_book(a, b, rounds):
    total, colours = 0, [list(g.labels or [0] * len(g)) for g in (a, b)]
    for k in range(rounds + 1):
        total += sum(x == y for x in colours[0] for y in colours[1])
        colours = [
            [
                (k, c[i], tuple(sorted(map(repr, (c[j] for j in np.nonzero(dense(g)[i])[0])))))
                for i in range(len(g))
            ]
            for g, c in zip((a, b), colours)
        ]
    return total


@pytest.mark.capability("IML-13-21")
def test_walks_shared_by_two_paths():
    """Oracle: IML 13.7, walks of length 0, 1, 2 of paths of three and of two nodes."""
    values = [SharedWalks(length, decay=1.0)([THREE], [TWO]).item() for length in (0, 1, 2)]
    assert np.diff([0, *values]).tolist() == [6.0, 8.0, 12.0]


@pytest.mark.parametrize("graphs", [LABELLED, PLAIN], ids=["labels", "no labels"])
def test_kernels_of_graphs_are_those_of_the_book(graphs):
    for kernel, by_the_book in (
        (KERNELS[0], lambda a, b: walks_by_the_book(a, b, 3, 0.2)),
        (KERNELS[1], paths_by_the_book),
        (KERNELS[2], lambda a, b: colours_by_the_book(a, b, 2)),
    ):
        assert_allclose(kernel(graphs), [[by_the_book(a, b) for b in graphs] for a in graphs], rtol=1e-10)


@pytest.mark.capability("DC-91")
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("graphs", [LABELLED, PLAIN], ids=["labels", "no labels"])
def test_kernel_matrices_of_graphs_are_positive_semidefinite(kernel, graphs, tmp_path):
    K = kernel(graphs)
    assert (K == K.T).all() and np.linalg.eigvalsh(K)[0] > -1e-9 * K.max()
    assert_allclose(kernel.diagonal(graphs), np.diagonal(K))
    assert_allclose(kernel(graphs, graphs[3:5]), K[:, 3:5])
    model = Nystroem(kernel, n_components=3, random_state=0).fit(graphs)
    assay.save(model, tmp_path / "model.assay")
    assert_allclose(assay.load(tmp_path / "model.assay").transform(graphs), model.transform(graphs), rtol=0)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_how_nodes_are_numbered_does_not_matter(kernel):
    order = np.random.default_rng(0).permutation(len(LABELLED[3]))
    A, labels = dense(LABELLED[3])[np.ix_(order, order)], [LABELLED[3].labels[i] for i in order]
    renumbered = Graph.of_matrix(A, labels=labels)
    assert_allclose(kernel([renumbered], LABELLED), kernel([LABELLED[3]], LABELLED))


def test_weights_of_edges_count_for_walks_and_paths():
    heavy = Graph.of_edges([(0, 1, 2.0)])
    assert SharedWalks(1, decay=1.0)([heavy], [TWO]).item() == 4 + 4 * 2
    assert ShortestPaths()([heavy], [TWO]).item() == 0.0  # a path of length 2, and one of length 1


# Graphs


class OfNetworkx:
    """What networkx's graphs have, as far as it is asked for."""

    table: ClassVar = {"a": {"label": "red"}, "b": {"label": "blue"}, "c": {"label": "red"}}

    def nodes(self, data):
        return list(self.table.items())

    def edges(self, data):
        return [("a", "b", {"weight": 2.0}), ("c", "b", {})]

    def is_directed(self):
        return False


def test_a_graph_is_made_in_several_ways():
    a = Graph.of(OfNetworkx())
    b = Graph.of_edges([("a", "b", 2.0), ("c", "b")], labels={"a": "red", "b": "blue", "c": "red"})
    assert a.labels == ("red", "blue", "red") and a.nodes == ("a", "b", "c")
    assert dense(a).tolist() == [[0, 2, 0], [2, 0, 1], [0, 1, 0]]
    assert sorted(dense(b).sum(axis=0).tolist()) == [1, 2, 3]
    assert repr(a) == "Graph(3 nodes, 2 edges, labels)" and not a.directed
    one_way = Graph.of_edges([(0, 1)], directed=True)
    assert one_way.directed and repr(one_way) == "Graph(2 nodes, 1 directed edges)"
    assert len(Graph.of_edges([], nodes=range(4))) == 4
    assert dense(Graph.of_edges([(0, 0), (0, 1)])).tolist() == [[1, 1], [1, 0]]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Graph.of_edges([(1,)]), "an edge is"),
        (lambda: Graph.of_edges([(0, 5)], nodes=range(2)), "names 5"),
        (lambda: Graph.of_edges([(0, 1)], labels=["a"]), "1 labels for 2 nodes"),
        (lambda: Graph.of_edges([(0, 1)], labels={0: "a"}), "node 1 has no label"),
        (lambda: Graph.of_matrix(np.ones((2, 3))), "square"),
        (lambda: Graph.of_edges([(0, 1, np.nan)]), "finite"),
        (lambda: WeisfeilerLehman()([TWO, "ab"]), "row 2: a graph must be"),
        (lambda: WeisfeilerLehman(-1), "iterations"),
        (lambda: SharedWalks(decay=0), "decay"),
        (lambda: SharedWalks(-1), "length"),
        (lambda: DiffusionKernel(TWO, beta=-1.0), "beta"),
        (lambda: DiffusionKernel(Graph.of_edges([(0, 1)], directed=True)), "both ways"),
        (lambda: DiffusionKernel(Graph.of_edges([(0, 1, -1.0)])), "negative"),
        (lambda: DiffusionKernel(TWO)([7]), "7 is no node"),
    ],
)
def test_what_is_wrong_is_said(make, words):
    with pytest.raises((DataError, ParameterError), match=words):
        make()


# Nodes of one graph


@pytest.mark.capability("IML-13-23")
def test_heat_flows_between_neighbours():
    """Oracles: IML 13.7, two joined nodes and a path of three nodes."""
    K = DiffusionKernel(TWO, beta=0.5)([0, 1])
    assert_allclose(K, [[0.68394, 0.31606], [0.31606, 0.68394]], atol=5e-6)
    K = DiffusionKernel(THREE)([0, 1, 2])
    assert_allclose(K[:2], [[0.52557, 0.31674, 0.15769], [0.31674, 0.36652, 0.31674]], atol=5e-6)


def test_kernels_of_nodes_are_functions_of_the_laplacian(tmp_path):
    graph = PLAIN[5]
    A = dense(graph)
    L = np.diag(A.sum(axis=1)) - A
    nodes = list(range(len(graph)))
    diffusion, regularized = DiffusionKernel(graph, 0.7), RegularizedLaplacian(graph, 0.7)
    assert_allclose(diffusion(nodes), expm(-0.7 * L), atol=1e-12)
    assert_allclose(regularized(nodes), np.linalg.inv(np.eye(len(A)) + 0.7 * L), atol=1e-12)
    assert_allclose(diffusion.diagonal(nodes), np.diagonal(diffusion(nodes)))
    model = Nystroem(diffusion, n_components=2, random_state=0).fit(nodes)
    assay.save(model, tmp_path / "model.assay")
    assert_allclose(assay.load(tmp_path / "model.assay").transform(nodes), model.transform(nodes), rtol=0)


def test_nodes_have_their_names():
    kernel = DiffusionKernel(Graph.of_edges([("ann", "bob"), ("bob", "cid")]))
    K = kernel(["ann"], ["ann", "bob", "cid"])
    assert K[0, 0] > K[0, 1] > K[0, 2] > 0
