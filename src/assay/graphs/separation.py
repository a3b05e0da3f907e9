"""d-separation: what a graph says about independence, path by path; and independence in a joint table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, ParameterError
from assay.graphs.directed_graph import DirectedGraph

__all__ = [
    "PathReason",
    "Separation",
    "d_separation",
    "implied_independences",
    "independent_in",
    "moral_separation",
]

MOST_PATHS = 200  # that are listed with their reasons


@dataclass(frozen=True)
class PathReason:
    """One path between two nodes: whether it is blocked, by which node, and why.

    Attributes
    ----------
    path : tuple of names      text : the path with its arrows      blocked : bool
    node : the node that blocks it, or None      reason : a sentence
    """

    path: tuple[str, ...]
    text: str
    blocked: bool
    node: str | None
    reason: str


@dataclass(frozen=True)
class Separation:
    """The answer to "are a and b independent given c?": True or False as a condition, and the paths behind it."""

    independent: bool
    a: tuple[str, ...]
    b: tuple[str, ...]
    given: tuple[str, ...]
    paths: list[PathReason] = field(default_factory=list)
    complete: bool = True

    def __bool__(self) -> bool:
        return self.independent

    def __str__(self) -> str:
        verdict = "are independent" if self.independent else "may depend on each other"
        given = f" given {', '.join(self.given)}" if self.given else ""
        lines = [f"{', '.join(self.a)} and {', '.join(self.b)} {verdict}{given}."]
        lines += [f"  {p.text}: {'blocked' if p.blocked else 'open'}, {p.reason}" for p in self.paths]
        if not self.paths:
            lines.append("  No path joins them.")
        if not self.complete:
            lines.append(f"  ... and more paths; the first {len(self.paths)} are listed.")
        return "\n".join(lines)


def d_separation(
    graph: DirectedGraph, a: str | Sequence[str], b: str | Sequence[str], given: str | Sequence[str] = ()
) -> Separation:
    """Whether a graph says that sets of nodes are independent given others, with the reason for every path.

    A path is blocked by a node in the middle of a chain or a fork that is given, or by a collider (two arrows meet)
    that is not given and none of whose descendants is. The answer itself comes from Bayes ball, linear in the arcs;
    paths are listed to explain it.

    Parameters
    ----------
    graph : DirectedGraph; ``network.independent(a, b, given)`` asks for that of a network
    a, b, given : names or lists of names

    Examples
    --------
    >>> from assay.graphs import load_network
    >>> print(load_network("sprinkler").independent("sprinkler", "rain", ["cloudy"]))
    sprinkler and rain are independent given cloudy.
      sprinkler <- cloudy -> rain: blocked, cloudy is a common cause and is given
      sprinkler -> wet <- rain: blocked, wet is a common effect; neither it nor a descendant is given

    References
    ----------
    - Pearl, J. (1988). Probabilistic Reasoning in Intelligent Systems. Morgan Kaufmann.
    - Shachter, R. D. (1998). Bayes-ball: the rational pastime. Uncertainty in Artificial Intelligence, 480-487.
    """
    first, second, known = (_names(graph, v) for v in (a, b, given))
    if not first or not second:
        raise ParameterError("d_separation: name at least one node on each side.")
    overlap = (set(first) & set(second)) | (set(first) | set(second)) & set(known)
    if overlap:
        raise ParameterError(f"d_separation: {sorted(overlap)[0]!r} stands on two sides.")
    paths: list[PathReason] = []
    complete = True
    above = graph.ancestors(known)
    for path in _paths(graph, first, second):
        if len(paths) == MOST_PATHS:
            complete = False
            break
        paths.append(_reason(graph, path, set(known), above))
    independent = not (_reached(graph, first, set(known), above) & set(second))
    return Separation(independent, tuple(first), tuple(second), tuple(known), paths, complete)


def _names(graph: DirectedGraph, names: str | Sequence[str]) -> list[str]:
    listed = [names] if isinstance(names, str) else list(names)
    for name in listed:
        if name not in graph.parents:
            raise DataError(f"d_separation: there is no node {name!r}. Nodes: {', '.join(graph.names[:20])}.")
    return listed


def _reached(graph: DirectedGraph, start: Sequence[str], known: set[str], above: set[str]) -> set[str]:
    """Bayes ball: all nodes that depend on the start given what is known; ``above`` are the ancestors of the known."""
    todo = [(name, "up") for name in start]
    visited: set[tuple[str, str]] = set()
    reached: set[str] = set()
    while todo:
        name, way = todo.pop()
        if (name, way) in visited:
            continue
        visited.add((name, way))
        if name not in known:
            reached.add(name)
        if way == "up" and name not in known:  # from a child, or the start
            todo += [(p, "up") for p in graph.parents[name]]
            todo += [(c, "down") for c in graph.children[name]]
        elif way == "down":  # from a parent
            if name not in known:
                todo += [(c, "down") for c in graph.children[name]]
            if name in above:
                todo += [(p, "up") for p in graph.parents[name]]
    return reached


def _paths(graph: DirectedGraph, first: Sequence[str], second: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """All paths between two sets that do not pass through either, by length within each start."""
    ends, starts = set(second), set(first)
    for name in first:
        level: list[tuple[str, ...]] = [(name,)]
        while level:
            longer = []
            for path in level:
                for other in (*graph.parents[path[-1]], *graph.children[path[-1]]):
                    if other in ends:
                        yield (*path, other)
                    elif other not in path and other not in starts:
                        longer.append((*path, other))
            level = longer[: 50 * MOST_PATHS]


def _reason(graph: DirectedGraph, path: tuple[str, ...], known: set[str], above: set[str]) -> PathReason:
    down = [a in graph.parents[b] for a, b in pairwise(path)]
    text = path[0] + "".join(f" {'->' if d else '<-'} {name}" for d, name in zip(down, path[1:]))
    opened = ""
    for k in range(1, len(path) - 1):
        name, into, out = path[k], down[k - 1], down[k]
        if into and not out:
            if name not in above:
                reason = f"{name} is a common effect; neither it nor a descendant is given"
                return PathReason(path, text, True, name, reason)
            opened = f"{name} is a common effect and {'it' if name in known else 'a descendant'} is given"
        elif name in known:
            role = "a common cause" if not into and out else "a step between"
            return PathReason(path, text, True, name, f"{name} is {role} and is given")
    if len(path) == 2:
        return PathReason(path, text, False, None, "a direct arc")
    return PathReason(path, text, False, None, opened or "no step between is given")


def moral_separation(graph: DirectedGraph, a: Sequence[str], b: Sequence[str], given: Sequence[str]) -> bool:
    """The same answer by other means: in the moral graph of all ancestors, the given nodes cut a off from b."""
    keep = graph.ancestors([*a, *b, *given])
    part = DirectedGraph({n: [p for p in graph.parents[n] if p in keep] for n in graph.names if n in keep})
    around: dict[str, set[str]] = {name: set() for name in part.names}
    for x, y in part.moral_edges():
        around[x].add(y)
        around[y].add(x)
    todo, reached = list(a), set(a)
    while todo:
        for other in around[todo.pop()] - set(given):
            if other not in reached:
                reached.add(other)
                todo.append(other)
    return not reached & set(b)


def implied_independences(graph: DirectedGraph, max_given: int = 2) -> list[tuple[str, str, tuple[str, ...]]]:
    """All pairs that the graph says are independent, each with the smallest sets that make them so.

    >>> from assay.graphs import load_network
    >>> from assay.graphs.separation import implied_independences
    >>> implied_independences(load_network("sprinkler").graph)
    [('cloudy', 'wet', ('sprinkler', 'rain')), ('sprinkler', 'rain', ('cloudy',))]
    """
    listed = []
    for a, b in combinations(graph.names, 2):
        if a in graph.parents[b] or b in graph.parents[a]:
            continue
        others = [n for n in graph.names if n not in (a, b)]
        for size in range(max_given + 1):
            sets = [c for c in combinations(others, size) if moral_separation(graph, [a], [b], c)]
            if sets:
                listed += [(a, b, c) for c in sets]
                break
    return listed


def independent_in(joint: ArrayLike, a: int, b: int, given: Sequence[int] = (), tol: float = 1e-9) -> bool:
    """Whether axes a and b of a joint table are independent given other axes: P(a, b | c) = P(a | c) P(b | c).

    Parameters
    ----------
    joint : table of probabilities, an axis for each variable
    a, b : axes      given : list of axes
    tol : float, by how much the two sides may differ

    Examples
    --------
    >>> import numpy as np
    >>> from assay.graphs import independent_in
    >>> independent_in(np.outer([0.4, 0.6], [0.2, 0.8]), 0, 1)
    True
    """
    table = np.asarray(joint, np.float64)
    if table.ndim < 2 or not (table >= 0).all() or not table.sum() > 0:
        raise DataError("independent_in: joint must be a table of probabilities, an axis for each variable.")
    axes = [a, b, *given]
    if len(set(axes)) < len(axes) or not all(0 <= v < table.ndim for v in axes):
        raise ParameterError(f"independent_in: axes must be different numbers from 0 to {table.ndim - 1}.")
    table = table / table.sum()
    rest_axes = tuple(v for v in range(table.ndim) if v not in axes)
    order = [v for v in range(table.ndim) if v in axes]
    kept = np.transpose(table.sum(axis=rest_axes), [order.index(v) for v in axes])
    kept = kept.reshape(*kept.shape[:2], -1)
    # P(a, b, c) P(c) = P(a, c) P(b, c), without a division
    left = kept * kept.sum(axis=(0, 1))
    right = kept.sum(axis=1)[:, None] * kept.sum(axis=0)[None]
    return bool(np.abs(left - right).max() <= tol)
