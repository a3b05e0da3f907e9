"""Directed graphs without cycles: order, ancestors, moral graph, and of which class a graph is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from assay.errors import DataError, did_you_mean

__all__ = ["DirectedGraph"]


class DirectedGraph:
    """Names and the parents of each; a cycle is an error that names it.

    Parameters
    ----------
    parents : mapping of each name to the names of its parents
    who : str, the function that speaks in errors

    Examples
    --------
    >>> from assay.graphs.directed_graph import DirectedGraph
    >>> graph = DirectedGraph({"cloudy": [], "sprinkler": ["cloudy"], "rain": ["cloudy"], "wet": ["sprinkler", "rain"]})
    >>> graph.order, graph.kind
    (['cloudy', 'sprinkler', 'rain', 'wet'], 'multiply connected')
    >>> graph.moral_edges()
    [('cloudy', 'sprinkler'), ('cloudy', 'rain'), ('sprinkler', 'wet'), ('rain', 'wet'), ('sprinkler', 'rain')]
    >>> DirectedGraph({"a": ["b"], "b": ["a"]})
    Traceback (most recent call last):
    assay.errors.DataError: DirectedGraph: the arcs a -> b -> a form a cycle. Turn round or leave out one of them.
    """

    def __init__(self, parents: Mapping[str, Sequence[str]], who: str = "DirectedGraph"):
        self.who = who
        self.parents = {name: list(dict.fromkeys(above)) for name, above in parents.items()}
        self.names = list(self.parents)
        self.children: dict[str, list[str]] = {name: [] for name in self.names}
        for name, above in self.parents.items():
            for parent in above:
                if parent not in self.children:
                    raise DataError(
                        f"{name!r} has the parent {parent!r}, which is no node.{did_you_mean(parent, self.names)}",
                        who=who,
                    )
                self.children[parent].append(name)
        self.order = self._order()

    @property
    def arcs(self) -> list[tuple[str, str]]:
        """Pairs (parent, child), by child."""
        return [(parent, name) for name in self.names for parent in self.parents[name]]

    def _order(self) -> list[str]:
        waiting = {name: len(above) for name, above in self.parents.items()}
        ready = [name for name in self.names if not waiting[name]]
        order: list[str] = []
        for name in ready:
            order.append(name)
            for child in self.children[name]:
                waiting[child] -= 1
                if not waiting[child]:
                    ready.append(child)
        if len(order) < len(self.names):
            raise DataError(
                f"the arcs {' -> '.join(find_cycle(self.parents))} form a cycle. "
                "Turn round or leave out one of them.",
                who=self.who,
                code="cycle",
            )
        return order

    def ancestors(self, names: Iterable[str]) -> set[str]:
        """These nodes and all above them."""
        return self._reach(names, self.parents)

    def descendants(self, names: Iterable[str]) -> set[str]:
        """These nodes and all below them."""
        return self._reach(names, self.children)

    @staticmethod
    def _reach(names: Iterable[str], step: Mapping[str, Sequence[str]]) -> set[str]:
        todo, reached = list(names), set(names)
        while todo:
            for other in step[todo.pop()]:
                if other not in reached:
                    reached.add(other)
                    todo.append(other)
        return reached

    def moral_edges(self) -> list[tuple[str, str]]:
        """The undirected edges of the moral graph: all arcs, and an edge between parents of a common child."""
        edges = dict.fromkeys((a, b) for a, b in self.arcs)
        for name in self.names:
            above = self.parents[name]
            for i, a in enumerate(above):
                for b in above[i + 1 :]:
                    if (a, b) not in edges and (b, a) not in edges:
                        edges[a, b] = None
        return list(edges)

    def markov_blanket(self, name: str) -> list[str]:
        """Parents, children and their other parents: given these, the node is independent of all others."""
        blanket = dict.fromkeys(self.parents[name])
        for child in self.children[name]:
            blanket[child] = None
            blanket.update(dict.fromkeys(self.parents[child]))
        blanket.pop(name, None)
        return list(blanket)

    @cached_property
    def kind(self) -> str:
        """ "empty", "chain", "tree", "forest", "polytree" or "multiply connected"."""
        n_arcs, parts = len(self.arcs), self._parts()
        if n_arcs == 0:
            return "empty"
        if n_arcs > len(self.names) - parts:
            return "multiply connected"
        if any(len(above) > 1 for above in self.parents.values()):
            return "polytree"
        if parts > 1:
            return "forest"
        return "chain" if all(len(below) <= 1 for below in self.children.values()) else "tree"

    def _parts(self) -> int:
        both = {name: [*self.parents[name], *self.children[name]] for name in self.names}
        left, parts = set(self.names), 0
        while left:
            left -= self._reach([next(iter(left))], both)
            parts += 1
        return parts


def find_cycle(parents: Mapping[str, Iterable[str]]) -> list[str]:
    """A cycle along the arcs, from one node back to it; empty if there is none.

    >>> from assay.graphs.directed_graph import find_cycle
    >>> find_cycle({"a": [], "b": ["a", "d"], "c": ["b"], "d": ["c"]})
    ['b', 'c', 'd', 'b']
    """
    among = dict.fromkeys(
        parents
    )  # nodes of which none is without a parent among them, once the others are gone
    while ordered := [n for n in among if not any(p in among for p in parents[n])]:
        for name in ordered:
            del among[name]
    if not among:
        return []
    name, path = next(iter(among)), list[str]()
    while name not in path:
        path.append(name)
        name = next(p for p in parents[name] if p in among)
    return [*path[path.index(name) :], name][::-1]
