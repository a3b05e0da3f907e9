"""Distances along a graph of neighbours: shortest paths from many sources."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.reduce.embedding._geodesics as _geodesics
from assay.core.csr import compressed_matrix, csr_arrays
from assay.core.parallel import in_threads
from assay.reduce.embedding.neighbor_graph import undirected

__all__ = ["PathSearch", "geodesic_distances", "linked_distances"]

SOURCES_AT_A_TIME = 256  # in one piece of work


def geodesic_distances(graph: Any, sources: np.ndarray | None = None) -> np.ndarray:
    r"""(m, n) the lengths of the shortest paths in a graph from some of its nodes to all; infinite where there is none.

    Edges hold in both directions. Nodes are numbered anew so that neighbours are close in memory (reverse
    Cuthill-McKee); sources that are close together are followed at the same time. The lengths are those that Dijkstra's
    algorithm adds up, to the last bit, whatever the number of threads.

    Cost: about O(m (n + e)), e edges; memory O(m n).

    Parameters
    ----------
    graph : (n, n) sparse matrix of lengths; an entry 0 is an edge of length 0
    sources : (m,) different nodes; None takes all

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> from assay.reduce import geodesic_distances
    >>> geodesic_distances(csr_matrix([[0.0, 1.0, 9.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]))
    array([[0., 1., 3.],
           [1., 0., 2.],
           [3., 2., 0.]])

    See Also
    --------
    Isomap, LandmarkIsomap

    References
    ----------
    - Dijkstra, E. W. (1959). A note on two problems in connexion with graphs. Numerische Mathematik 1, 269-271.
      doi:10.1007/BF01386390
    """
    search = PathSearch(graph)
    return search.distances(
        np.arange(graph.shape[0]) if sources is None else np.asarray(sources, dtype=np.int64)
    )


class PathSearch:
    """A graph prepared for shortest paths: edges in both directions, neighbours close in memory."""

    def __init__(self, graph: Any):
        from scipy.sparse.csgraph import reverse_cuthill_mckee

        graph = undirected(graph.tocsr())
        n = graph.shape[0]
        self.node = reverse_cuthill_mckee(graph, symmetric_mode=True).astype(np.int64)  # of each new number
        self.number = np.empty(n, np.int64)
        self.number[self.node] = np.arange(n)
        self.start, self.head, self.apart = csr_arrays(_renumbered(graph, self.node, self.number), np.float64)

    def distances(self, sources: np.ndarray) -> np.ndarray:
        """(m, n) the lengths of the shortest paths from these nodes."""
        rows = np.argsort(self.number[sources], kind="stable")
        out = np.empty((len(sources), len(self.node)))

        def paths(first: int) -> None:
            some = rows[first : first + SOURCES_AT_A_TIME]
            _geodesics.geodesics(
                start=self.start,
                head=self.head,
                apart=self.apart,
                sources=self.number[sources[some]],
                rows=some,
                columns=self.node,
                out=out,
            )

        in_threads(paths, range(0, len(rows), SOURCES_AT_A_TIME))
        return out


def _renumbered(graph: Any, node: np.ndarray, number: np.ndarray) -> Any:
    """The graph with new numbers for its nodes; entries of 0 stay."""
    counts = np.diff(graph.indptr)[node]
    start = np.concatenate([[0], np.cumsum(counts)])
    entry = np.repeat(graph.indptr[node] - start[:-1], counts) + np.arange(start[-1])
    return compressed_matrix(
        "csr_matrix", graph.data[entry], number[graph.indices[entry]], start, graph.shape
    )


def linked_distances(
    start: np.ndarray, rows: np.ndarray, distances: np.ndarray, geodesics: np.ndarray
) -> np.ndarray:
    """(q, m) the shortest ways from new rows through their neighbours: min over s of d(x, x_s) + g(x_s, .).

    Parameters
    ----------
    start, rows, distances : the neighbours of each new row, one after the other, at least one each
    geodesics : (n, m) from the training rows
    """
    counts = np.diff(start)
    out = np.full((len(counts), geodesics.shape[1]), np.inf)
    for j in range(int(counts.max(initial=0))):
        some = np.flatnonzero(counts > j)
        at = start[some] + j
        out[some] = np.minimum(out[some], geodesics[rows[at]] + distances[at][:, None])
    return out
