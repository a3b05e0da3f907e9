"""Whether a graph of neighbours hangs together, what it would take, and what to do if it does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.csr import compressed_matrix
from assay.distances.metric import Metric, metric_of
from assay.distances.search import Searcher, searcher
from assay.errors import DegenerateError, DegenerateWarning, warn_user
from assay.reduce.embedding.neighbor_graph import neighbor_graph
from assay.tables import Table
from assay.types import MetricLike, TableLike

__all__ = [
    "MOST_SIZES",
    "Connectivity",
    "Gap",
    "GraphError",
    "closest_pairs",
    "connected",
    "connectivity_of",
    "graph_connectivity",
    "in_one_piece",
]

MOST_SIZES = 8  # sizes of components that a sentence lists


@dataclass(frozen=True)
class Gap:
    """The closest pair of rows of two components: the rows, and their distance."""

    row: int
    other: int
    distance: float


@dataclass(frozen=True)
class Connectivity:
    """The connected components of a graph of neighbours.

    n_components : int      labels : (n,) the component of each row      sizes : rows in each, the largest first
    connecting_radius : float or None, the smallest radius at which all rows hang together
    connecting_neighbors : int or None, the smallest number of neighbours with which they do
    """

    n_components: int
    labels: np.ndarray
    sizes: tuple[int, ...]
    connecting_radius: float | None = None
    connecting_neighbors: int | None = None

    @property
    def connected(self) -> bool:
        """Whether there is a path between any two rows."""
        return self.n_components == 1

    def __str__(self) -> str:
        shown = ", ".join(map(str, self.sizes[:MOST_SIZES])) + (
            ", ..." if self.n_components > MOST_SIZES else ""
        )
        if self.connected:
            text = f"The graph of {len(self.labels)} rows is connected."
        else:
            text = (
                f"The graph of {len(self.labels)} rows has {self.n_components} components, of {shown} rows."
            )
        if self.connecting_neighbors is not None:
            text += f" It is connected from n_neighbors={self.connecting_neighbors} on"
            text += f", and for a radius from {self.connecting_radius:.7g} on."
        return text


def connectivity_of(graph: Any) -> Connectivity:
    """The components of a CSR graph, whose entries are edges in either direction.

    >>> from scipy.sparse import csr_matrix
    >>> from assay.reduce.embedding.connectivity import connectivity_of
    >>> print(connectivity_of(csr_matrix([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])))
    The graph of 3 rows has 2 components, of 2, 1 rows.
    """
    from scipy.sparse.csgraph import connected_components

    edges = compressed_matrix(
        "csr_matrix", np.ones(len(graph.indices)), graph.indices, graph.indptr, graph.shape
    )  # an edge of length 0 is one
    count, labels = connected_components(edges, directed=False)
    sizes = np.sort(np.bincount(labels, minlength=count))[::-1]
    return Connectivity(int(count), labels.astype(np.int64), tuple(sizes.tolist()))


def graph_connectivity(
    X: TableLike,
    *,
    n_neighbors: int | None = None,
    radius: float | None = None,
    metric: MetricLike = "euclidean",
    p: float = 2,
) -> Connectivity:
    r"""How the graph of neighbours of the rows of X hangs together, and from what size of neighbourhood on.

    Rows are joined if one is among the other's ``n_neighbors`` nearest, or if they are at most ``radius`` apart. The
    smallest radius that joins all is the longest edge of the shortest spanning tree (the last single-link height); the
    smallest number of neighbours is found by bisection, since more neighbours only add edges.

    Cost: O(n^2 d) time, O(n d) memory, and some ten searches.

    Parameters
    ----------
    X : table, or distances if ``metric="precomputed"``
    n_neighbors, radius : int or float
        One of them.
    metric, p : as in :class:`Isomap`

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from assay.reduce import graph_connectivity
    >>> print(graph_connectivity(load_iris().data, n_neighbors=10))
    The graph of 150 rows has 2 components, of 100, 50 rows. It is connected from n_neighbors=25 on, and for a
    radius from 1.640122 on.

    See Also
    --------
    LocalWeights
    """
    table = X if isinstance(X, Table) else Table.of(X, who="graph_connectivity")
    rows = table.values
    rule = metric_of(metric, p=p, schema=table.schema).learn(rows)
    search = searcher(rows, rule)
    report = connectivity_of(neighbor_graph(search, n_neighbors, radius, who="graph_connectivity"))
    return Connectivity(
        report.n_components,
        report.labels,
        report.sizes,
        _longest_of_tree(rows, rule),
        _fewest_neighbors(search),
    )


def _fewest_neighbors(search: Searcher) -> int:
    """The smallest number of neighbours with which the graph is connected: doubled until it is, then bisected."""
    few, many = 0, min(1, search.n - 1)
    while many < search.n - 1 and not connectivity_of(neighbor_graph(search, many)).connected:
        few, many = many, min(2 * many, search.n - 1)
    while many - few > 1:
        middle = (few + many) // 2
        hangs_together = connectivity_of(neighbor_graph(search, middle)).connected
        few, many = (few, middle) if hangs_together else (middle, many)
    return many


def _longest_of_tree(rows: Any, metric: Metric) -> float:
    """The longest edge of the shortest spanning tree, by Prim's rule with one row of distances at a time."""
    n = rows.shape[0]
    reached, gap, longest, at = np.zeros(n, dtype=bool), np.full(n, np.inf), 0.0, 0
    for _ in range(n - 1):
        reached[at] = True
        gap = np.minimum(gap, metric.between(rows[at : at + 1], rows)[0])
        gap[reached] = np.inf
        at = int(np.argmin(gap))
        longest = max(longest, float(gap[at]))
    return longest


def closest_pairs(rows: Any, metric: Metric, labels: np.ndarray) -> list[Gap]:
    """The closest rows of any two components."""
    groups = [np.flatnonzero(labels == c) for c in range(int(labels.max()) + 1)]
    gaps = []
    for b in range(1, len(groups)):
        search = None if metric.precomputed else searcher(rows[groups[b]], metric)
        for a in range(b):
            if search is None:
                apart = np.asarray(rows[groups[a]])[:, groups[b]]
                i, j = divmod(int(np.argmin(apart)), len(groups[b]))
                gaps.append(Gap(int(groups[a][i]), int(groups[b][j]), float(apart[i, j])))
                continue
            distances, nearest = search.nearest(rows[groups[a]], 1)
            i = int(np.argmin(distances[:, 0]))
            gaps.append(Gap(int(groups[a][i]), int(groups[b][nearest[i, 0]]), float(distances[i, 0])))
    return gaps


class GraphError(DegenerateError, RuntimeError):
    """A graph of neighbours falls into components, and nothing may or can join them."""


def in_one_piece(graph: Any, rows: Any, metric: Metric, policy: str, who: str) -> tuple[Any, Connectivity]:
    """The graph after a policy for components has been followed, and what its components were.

    "connect" joins the closest rows of any two components and warns; "warn" leaves the graph as it is and warns;
    "separate" leaves it; "raise" refuses it.
    """
    report = connectivity_of(graph)
    if report.connected or policy == "separate":
        return graph, report
    number = f"{who}: The number of connected components of the neighbors graph is {report.n_components} > 1"
    shown = ", ".join(map(str, report.sizes[:MOST_SIZES])) + (
        ", ..." if report.n_components > MOST_SIZES else ""
    )
    number += f" (of {shown} rows)"
    remedy = "Take more neighbours or a larger radius; graph_connectivity says how many are needed."
    if policy == "raise":
        raise GraphError(f"{number}. {remedy}")
    if policy == "warn":
        warn_user(
            f"{number}: Graph is not fully connected, the embedding may not work as expected. {remedy}",
            DegenerateWarning,
        )
        return graph, report
    if metric.precomputed and hasattr(rows, "tocsr"):
        raise GraphError(
            f"{number}. The graph cannot be completed with metric='precomputed': a sparse graph says nothing of the "
            f"distances of rows that it does not join. Give all distances. {remedy}"
        )
    joined, gaps = connected(graph, rows, metric, report)
    longest = max(gaps, key=lambda gap: gap.distance)
    warn_user(
        f"{number}. Their closest rows were joined by {len(gaps)} edges, the longest {longest.distance:.4g} between "
        f"rows {longest.row + 1} and {longest.other + 1}. {remedy}",
        DegenerateWarning,
    )
    return joined, report


def connected(graph: Any, rows: Any, metric: Metric, report: Connectivity) -> tuple[Any, list[Gap]]:
    """The graph with an edge more, both ways, between any two components, of their closest rows; and these edges."""
    gaps = closest_pairs(rows, metric, report.labels)
    n = graph.shape[0]
    tail = np.repeat(np.arange(n), np.diff(graph.indptr))
    tail = np.r_[tail, [gap.row for gap in gaps], [gap.other for gap in gaps]].astype(np.int64)
    head = np.r_[graph.indices, [gap.other for gap in gaps], [gap.row for gap in gaps]].astype(np.int64)
    length = np.r_[graph.data, [gap.distance for gap in gaps] * 2]
    order = np.lexsort((head, tail))
    start = np.concatenate([[0], np.cumsum(np.bincount(tail, minlength=n))])
    return compressed_matrix("csr_matrix", length[order], head[order], start, (n, n)), gaps
