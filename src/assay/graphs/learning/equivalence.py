"""Equivalence classes of structures: which arcs data can direct, and which they cannot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from assay.errors import DataError
from assay.graphs.directed_graph import DirectedGraph
from assay.graphs.learning.constraints import Constraints

__all__ = ["PartialGraph", "class_within", "equivalence_class", "meek_closure"]


@dataclass(frozen=True)
class PartialGraph:
    """A graph of which some edges have a direction.

    Attributes
    ----------
    names : list of names      arcs : list of pairs (parent, child)      edges : list of pairs without a direction
    """

    names: list[str]
    arcs: list[tuple[str, str]] = field(default_factory=list)
    edges: list[tuple[str, str]] = field(default_factory=list)

    @classmethod
    def of(cls, names: list[str], directed: np.ndarray) -> PartialGraph:
        """From a matrix: (i, j) alone is an arc, (i, j) and (j, i) are an edge."""
        arcs = [(names[i], names[j]) for i, j in np.argwhere(directed & ~directed.T)]
        edges = [(names[i], names[j]) for i, j in np.argwhere(directed & directed.T) if i < j]
        return cls(names, arcs, edges)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, PartialGraph)
            and set(self.arcs) == set(other.arcs)
            and {frozenset(e) for e in self.edges} == {frozenset(e) for e in other.edges}
        )

    __hash__ = None  # type: ignore[assignment]

    def a_member(self) -> list[tuple[str, str]]:
        """The arcs of one structure of the class; none if the edges cannot be directed without a new collider."""
        place = {name: i for i, name in enumerate(self.names)}
        matrix = np.zeros((len(self.names), len(self.names)), bool)
        for a, b in self.arcs:
            matrix[place[a], place[b]] = True
        for a, b in self.edges:
            matrix[place[a], place[b]] = matrix[place[b], place[a]] = True
        while True:
            open_edges = np.argwhere(matrix & matrix.T)
            if not len(open_edges):
                break
            i, j = open_edges[0]
            matrix[j, i] = False
            matrix = meek_closure(matrix)
        return [(self.names[i], self.names[j]) for i, j in np.argwhere(matrix)]

    def __str__(self) -> str:
        return (
            ", ".join([*(f"{a} -> {b}" for a, b in self.arcs), *(f"{a} - {b}" for a, b in self.edges)])
            or "no edges"
        )


def equivalence_class(
    names: Sequence[str],
    arcs: Sequence[tuple[str, str]],
    *,
    required: Sequence[tuple[str, str]] = (),
    forbidden: Sequence[tuple[str, str]] = (),
    tiers: Sequence[Sequence[str]] | None = None,
) -> PartialGraph:
    """The class of structures that say the same about independence: the same edges and the same colliders.

    An arc keeps its direction if all structures of the class have it; the others become edges. What is known of the
    structure directs further edges, and so does what follows from these.

    Parameters
    ----------
    names : list of names      arcs : pairs (parent, child)
    required, forbidden, tiers : as in :func:`learn_structure`

    Examples
    --------
    >>> from assay.graphs import equivalence_class, load_network
    >>> network = load_network("sprinkler")
    >>> print(equivalence_class(network.names, network.arcs))
    sprinkler -> wet, rain -> wet, cloudy - sprinkler, cloudy - rain
    >>> print(equivalence_class(network.names, network.arcs, forbidden=[("cloudy", "rain")]))
    Traceback (most recent call last):
    assay.errors.DataError: equivalence_class: the arc cloudy -> rain is forbidden.
    >>> print(equivalence_class(network.names, network.arcs, forbidden=[("rain", "cloudy")]))
    cloudy -> rain, sprinkler -> wet, rain -> wet, cloudy - sprinkler

    References
    ----------
    - Verma, T. and Pearl, J. (1990). Equivalence and synthesis of causal models. Uncertainty in Artificial
      Intelligence, 220-227.
    - Meek, C. (1995). Causal inference and causal explanation with background knowledge. Uncertainty in Artificial
      Intelligence, 403-410.
    """
    names, who = list(names), "equivalence_class"
    return class_within(names, arcs, Constraints(names, required, forbidden, tiers, who))


def class_within(names: list[str], arcs: Sequence[tuple[str, str]], constraints: Constraints) -> PartialGraph:
    """The same, from constraints that were checked."""
    graph = DirectedGraph({n: [a for a, b in arcs if b == n] for n in names}, "equivalence_class")
    place = {name: i for i, name in enumerate(names)}
    wrong = next((arc for arc in graph.arcs if not constraints.allowed[place[arc[0]], place[arc[1]]]), None)
    if wrong is not None:
        raise DataError(f"the arc {wrong[0]} -> {wrong[1]} is forbidden.", who="equivalence_class")
    matrix = np.zeros((len(names), len(names)), bool)
    for a, b in graph.arcs:
        matrix[place[a], place[b]] = matrix[place[b], place[a]] = True
    adjacent = matrix.copy()
    for name in names:
        above = [place[p] for p in graph.parents[name]]
        for k, i in enumerate(above):
            for j in above[k + 1 :]:
                if not adjacent[i, j]:  # two parents that are not joined: a collider
                    matrix[place[name], i] = matrix[place[name], j] = False
    return PartialGraph.of(names, meek_closure(matrix & constraints.allowed & ~constraints.required.T))


def meek_closure(matrix: np.ndarray) -> np.ndarray:
    """All directions that follow from those known, by Meek's rules: no new collider, no cycle."""
    matrix = matrix.copy()
    changed = True
    while changed:
        changed = False
        adjacent = matrix | matrix.T
        arc = matrix & ~matrix.T
        for i, j in np.argwhere(matrix & matrix.T):
            if not (matrix[i, j] and matrix[j, i]):
                continue
            both_i = matrix[i] & matrix[:, i]  # edges without a direction at i
            into_j = arc[:, j]
            rule1 = (arc[:, i] & ~adjacent[:, j]).any()  # k -> i - j, k and j not joined
            rule2 = (arc[i] & into_j).any()  # i -> k -> j
            between = np.flatnonzero(both_i & into_j)  # i - k -> j, i - l -> j, k and l not joined
            rule3 = any(not adjacent[k, m] for a, k in enumerate(between) for m in between[a + 1 :])
            rule4 = any(  # i - k -> l -> j, with i and l joined, k and j not
                arc[k, m] and arc[m, j] and adjacent[i, m] and not adjacent[k, j]
                for k in np.flatnonzero(both_i)
                for m in np.flatnonzero(arc[k])
            )
            if rule1 or rule2 or rule3 or rule4:
                matrix[j, i] = False
                arc = matrix & ~matrix.T
                changed = True
    return matrix
