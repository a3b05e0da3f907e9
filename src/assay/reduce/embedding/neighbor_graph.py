"""The graph of neighbouring rows, on which embeddings of curved data are built."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.csr import compressed_matrix
from assay.distances.search import Searcher
from assay.errors import DataError, ParameterError

__all__ = ["neighbor_graph", "undirected"]


def neighbor_graph(
    search: Searcher,
    n_neighbors: int | None = None,
    radius: float | None = None,
    *,
    who: str = "neighbor_graph",
) -> Any:
    """(n, n) CSR matrix: the distances from each row to its neighbours; no row is its own neighbour.

    A neighbour at distance 0 has an entry, 0. The graph is as the search gives it: row i may have j as neighbour and j
    not i (see :func:`undirected`).

    Cost: that of the search; memory O(edges).

    Parameters
    ----------
    search : Searcher of the rows
    n_neighbors : int or None
        The nearest rows, so many for each.
    radius : float or None
        All rows at most that far. Without either, every entry of a sparse matrix of distances is an edge.
    who : str
        Who asks, for the words of an error.

    Examples
    --------
    >>> from assay.distances import searcher
    >>> from assay.reduce.embedding.neighbor_graph import neighbor_graph
    >>> neighbor_graph(searcher([[0.0], [1.0], [3.0]]), n_neighbors=1).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 2., 0.]])
    """
    n = search.n
    if n_neighbors is not None and radius is not None:
        raise ParameterError(
            f"{who}: Both n_neighbors and radius are provided. Use n_neighbors=None for the neighbours within radius="
            f"{radius}."
        )
    if radius is not None and not radius >= 0:
        raise ParameterError(f"{who}: radius must be a number from 0 up, got {radius!r}.")
    if n_neighbors is not None:
        if n_neighbors >= n:
            raise ParameterError(
                f"{who}: Expected n_neighbors < n_samples_fit, but n_neighbors = {n_neighbors}, n_samples_fit = {n}, "
                f"n_samples = {n}. {f'Ask for at most {n - 1}' if n > 1 else 'One row has no neighbours'}."
            )
        distances, rows = search.nearest(None, n_neighbors, leave_out_self=True)
        start = np.arange(0, n * n_neighbors + 1, n_neighbors)
        return compressed_matrix("csr_matrix", distances.ravel(), rows.ravel(), start, (n, n))
    if radius is None and not (search.metric.precomputed and hasattr(search.X, "tocsr")):
        raise ParameterError(
            f"{who}: n_neighbors or radius must be a number; both are None, which means that all entries of a sparse "
            "matrix of distances (metric='precomputed') are edges."
        )
    start, rows, distances = search.within(None, np.inf if radius is None else radius, leave_out_self=True)
    return compressed_matrix("csr_matrix", distances, rows, start, (n, n))


def undirected(graph: Any) -> Any:
    """(n, n) symmetric CSR matrix: an edge wherever either row has the other; where their lengths differ, the shorter.

    >>> from scipy.sparse import csr_matrix
    >>> from assay.reduce.embedding.neighbor_graph import undirected
    >>> undirected(csr_matrix([[0.0, 1.0, 4.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]])).toarray()
    array([[0., 1., 4.],
           [1., 0., 0.],
           [4., 0., 0.]])
    """
    n = graph.shape[0]
    if graph.shape != (n, n):
        raise DataError(f"undirected: a graph of n rows is a matrix of (n, n) lengths, got {graph.shape}.")
    tail = np.repeat(np.arange(n), np.diff(graph.indptr))
    head, length = graph.indices, graph.data
    tail, head, length = np.r_[tail, head], np.r_[head, tail], np.r_[length, length]
    order = np.lexsort((length, head, tail))
    tail, head, length = tail[order], head[order], length[order]
    first = np.ones(len(tail), dtype=bool)
    first[1:] = (tail[1:] != tail[:-1]) | (head[1:] != head[:-1])
    first &= tail != head
    start = np.concatenate([[0], np.cumsum(np.bincount(tail[first], minlength=n))])
    return compressed_matrix("csr_matrix", length[first], head[first], start, (n, n))
