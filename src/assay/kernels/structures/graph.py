"""Graphs: nodes with labels, and edges with weights."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import CodeArray, FloatArray, OffsetArray, Plain
from assay.errors import DataError
from assay.kernels.admitted import finite_rows
from assay.kernels.structures.bags import feature_number
from assay.kernels.structures.parts import Parts
from assay.types import Labels, PointsLike

__all__ = ["Graph", "graphs_as_parts"]


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph that does not change: for each node its neighbours, and perhaps labels of the nodes.

    Make one by :meth:`of_edges`, :meth:`of_matrix`, or :meth:`of`, which also takes graphs of networkx.

    Attributes
    ----------
    start : (n + 1,) where the neighbours of each node begin
    neighbor : (e,) the nodes that edges lead to; an edge without direction stands at both of its ends
    weight : (e,)
    labels : tuple of n labels, or None
    nodes : tuple of n names, or None for numbers from 0

    Examples
    --------
    >>> from assay.kernels import Graph
    >>> Graph.of_edges([("a", "b"), ("b", "c")])
    Graph(3 nodes, 2 edges)
    """

    start: np.ndarray
    neighbor: np.ndarray
    weight: np.ndarray
    labels: tuple[Any, ...] | None = None
    nodes: tuple[Any, ...] | None = None
    stored = {
        "start": OffsetArray("n + 1", end="e"),
        "neighbor": CodeArray("e", below="n"),
        "weight": FloatArray("e", finite=True),
        "labels": Plain(tuple) | None,
        "nodes": Plain(tuple) | None,
    }

    def __len__(self) -> int:
        return len(self.start) - 1

    def __repr__(self) -> str:
        n, e = len(self), len(self.neighbor)
        loops = int((self.neighbor == np.repeat(np.arange(n), np.diff(self.start))).sum())
        edges = f"{e} directed edges" if self.directed else f"{(e + loops) // 2} edges"
        return f"Graph({n} nodes, {edges}{'' if self.labels is None else ', labels'})"

    def _check_stored(self) -> None:
        """Raise a ValueError if labels or names are not one for each node."""
        for name in ("labels", "nodes"):
            values = getattr(self, name)
            if values is not None and len(values) != len(self):
                raise ValueError(f"Graph.{name} has {len(values)} entries for {len(self)} nodes")

    @property
    def directed(self) -> bool:
        """Whether some edge leads one way only, or has another weight in the other direction."""
        A = self.adjacency
        return bool((A != A.T).nnz)

    @property
    def adjacency(self) -> Any:
        """(n, n) CSR matrix of the weights of edges."""
        from assay.core.csr import compressed_matrix

        return compressed_matrix("csr_array", self.weight, self.neighbor, self.start, (len(self), len(self)))

    @classmethod
    def of_edges(
        cls,
        edges: Iterable[Sequence[Any]],
        *,
        nodes: Iterable[Hashable] | None = None,
        labels: Mapping[Any, Any] | None = None,
        directed: bool = False,
    ) -> Graph:
        """A graph of pairs (u, v) or triples (u, v, weight) of names of nodes.

        Parameters
        ----------
        edges : pairs or triples
        nodes : names of all nodes, default None
            None takes those of the edges, as they come; nodes without edges must be named.
        labels : dict of node to label, or sequence in the order of the nodes, default None
        directed : bool, default False
        """
        edges = [tuple(edge) for edge in edges]
        for edge in edges:
            if len(edge) not in (2, 3):
                raise DataError(f"Graph: an edge is (from, to) or (from, to, weight), got {edge!r}.")
        names = dict.fromkeys(nodes if nodes is not None else (end for edge in edges for end in edge[:2]))
        place = {name: i for i, name in enumerate(names)}
        try:
            ends = np.array([[place[e[0]], place[e[1]]] for e in edges], dtype=np.int64).reshape(-1, 2)
        except KeyError as error:
            raise DataError(f"Graph: an edge names {error.args[0]!r}, which is none of the nodes.") from None
        try:
            weight = np.array([float(e[2]) if len(e) == 3 else 1.0 for e in edges])
        except (TypeError, ValueError):
            raise DataError("Graph: the weights of edges must be numbers.") from None
        if not directed:
            back = ends[:, 0] != ends[:, 1]  # a loop stands once
            ends, weight = np.vstack([ends, ends[back][:, ::-1]]), np.concatenate([weight, weight[back]])
        plain = list(place) == list(range(len(place)))
        return cls._of_arrays(
            ends[:, 0], ends[:, 1], weight, labels, None if plain else tuple(place), len(place)
        )

    @classmethod
    def of_matrix(cls, A: PointsLike, *, labels: Labels | None = None) -> Graph:
        """A graph by its matrix of weights of edges, dense or sparse; 0 is no edge."""
        from scipy.sparse import coo_array

        if not hasattr(A, "tocsr"):
            A = finite_rows(A, "Graph")
        A = coo_array(A)
        if A.shape[0] != A.shape[1]:
            raise DataError(f"Graph: the adjacency matrix must be square, got the shape {A.shape}.")
        A.sum_duplicates()
        some = A.data != 0
        row, column = (np.asarray(part)[some] for part in A.coords)
        return cls._of_arrays(row, column, A.data[some].astype(np.float64), labels, None, A.shape[0])

    @classmethod
    def of(cls, graph: Any, label: str = "label") -> Graph:
        """A graph of ours, a graph of networkx, or an adjacency matrix, as a Graph.

        Parameters
        ----------
        graph : Graph, networkx graph, or square matrix
        label : str, default "label"
            The attribute of networkx's nodes that holds their labels; edges have theirs in "weight".
        """
        if isinstance(graph, Graph):
            return graph
        if hasattr(graph, "nodes") and hasattr(graph, "edges"):  # networkx, or what looks like it
            data = dict(graph.nodes(data=True))
            labelled = bool(data) and all(label in d for d in data.values())
            return cls.of_edges(
                [(u, v, d.get("weight", 1.0)) for u, v, d in graph.edges(data=True)],
                nodes=data,
                labels={node: d[label] for node, d in data.items()} if labelled else None,
                directed=bool(graph.is_directed()),
            )
        if hasattr(graph, "shape") and len(graph.shape) == 2:
            return cls.of_matrix(graph)
        raise DataError(
            f"a graph must be a Graph, a graph of networkx or an adjacency matrix, got {type(graph).__name__}."
        )

    @classmethod
    def _of_arrays(cls, row: Any, column: Any, weight: Any, labels: Any, nodes: Any, n: int) -> Graph:
        if not np.isfinite(weight).all():
            raise DataError("Graph: the weights of edges must be finite numbers.")
        order = np.lexsort((column, row))
        start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n))]).astype(np.int64)
        if isinstance(labels, dict):
            names = range(n) if nodes is None else nodes
            missing = [name for name in names if name not in labels]
            if missing:
                raise DataError(f"Graph: node {missing[0]!r} has no label. Give every node one, or none.")
            labels = [labels[name] for name in names]
        if labels is not None:
            labels = tuple(value.item() if isinstance(value, np.generic) else value for value in labels)
            if len(labels) != n:
                raise DataError(f"Graph: {len(labels)} labels for {n} nodes.")
        return cls(start, column[order].astype(np.int64), np.asarray(weight, float)[order], labels, nodes)


def graphs_as_parts(rows: np.ndarray, who: str) -> Parts:
    """Many graphs one after the other; labels as numbers of 64 bits, 0 for all nodes of graphs without."""
    graphs = [_graph(row, i, who) for i, row in enumerate(rows)]
    numbers: dict[Any, int] = {}
    labels = []
    for graph in graphs:
        if graph.labels is None:
            labels.append(np.zeros(len(graph), dtype=np.uint64))
            continue
        for label in graph.labels:
            if label not in numbers:
                numbers[label] = feature_number(label)
        labels.append(np.array([numbers[label] for label in graph.labels], dtype=np.uint64))
    first = np.concatenate([[0], np.cumsum([len(graph) for graph in graphs])])
    edges = np.concatenate([[0], np.cumsum([len(graph.neighbor) for graph in graphs])])
    start = np.concatenate([*(g.start[:-1] + e for g, e in zip(graphs, edges)), edges[-1:]])
    weight = np.concatenate([g.weight for g in graphs])
    return Parts(
        first,
        np.concatenate(labels),
        start,
        np.concatenate([g.neighbor for g in graphs]),
        () if (weight == 1.0).all() else weight,
    )


def _graph(row: Any, i: int, who: str) -> Graph:
    try:
        return Graph.of(row)
    except DataError as error:
        raise DataError(f"{who}: row {i + 1}: {error}") from None
