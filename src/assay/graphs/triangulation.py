"""Triangulation of undirected graphs, and the tree of their cliques."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import log, prod

__all__ = ["CliqueTree", "clique_tree", "elimination_cliques", "maximal_cliques", "neighbours_of"]

SMALL_TABLES = 1 << 14  # entries of all cliques up to which no better order is looked for
ANY_MEMORY = 1 << 40  # entries that no better order makes fit


def neighbours_of(n: int, scopes: Iterable[Sequence[int]]) -> list[int]:
    """The neighbours of each of n variables as bits: all that share a scope with it.

    >>> from assay.graphs.triangulation import neighbours_of
    >>> [f"{bits:03b}" for bits in neighbours_of(3, [(0, 1), (1, 2)])]
    ['010', '101', '010']
    """
    adjacent = [0] * n
    for scope in scopes:
        together = 0
        for v in scope:
            together |= 1 << v
        for v in scope:
            adjacent[v] |= together & ~(1 << v)
    return adjacent


def bits_of(mask: int) -> list[int]:
    """The numbers of the bits that are set, ascending."""
    places = []
    while mask:
        low = mask & -mask
        places.append(low.bit_length() - 1)
        mask ^= low
    return places


def elimination_cliques(cards: Sequence[int], adjacent: Sequence[int]) -> list[int]:
    """The cliques, as bits, of the graph filled in by eliminating variables: least fill first.

    Among variables that add equally few edges the one with the smallest table goes first, then the lowest number.
    Where the tables are large, edges are also weighted by the logarithms of their variables' numbers of states, and the
    smaller tables are taken.

    >>> from assay.graphs.triangulation import bits_of, elimination_cliques, neighbours_of
    >>> square = neighbours_of(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> [bits_of(clique) for clique in elimination_cliques([2, 2, 2, 2], square)]
    [[0, 1, 3], [1, 2, 3]]
    """
    cliques = _eliminated(cards, adjacent, _key)
    if not SMALL_TABLES < _entries(cards, cliques) < ANY_MEMORY:
        return cliques
    return min(cliques, _eliminated(cards, adjacent, _weighted_key), key=lambda some: _entries(cards, some))


def _entries(cards: Sequence[int], cliques: Sequence[int]) -> int:
    return sum(prod(cards[v] for v in bits_of(clique)) for clique in cliques)


def _eliminated(
    cards: Sequence[int], adjacent: Sequence[int], key: Callable[..., tuple[float, ...]]
) -> list[int]:
    """The cliques of the order in which the least key goes first; a key is above 0 if edges are added."""
    graph = list(adjacent)
    weight = [log(card) for card in cards]
    remaining = set(range(len(graph)))
    keys = {v: key(v, graph, weight) for v in remaining}
    cliques: list[int] = []
    while remaining:
        v = min(remaining, key=keys.__getitem__)
        around = graph[v]
        clique = around | 1 << v
        if not any(clique & other == clique for other in cliques):
            cliques.append(clique)
        touched, missing = around, keys[v][0] > 0
        for u in bits_of(around):
            if missing:
                touched |= graph[u]
            graph[u] = (graph[u] | around) & ~(1 << u) & ~(1 << v)
        graph[v] = 0
        remaining.discard(v)
        for u in bits_of(touched & ~(1 << v)):
            if u in remaining:
                keys[u] = key(u, graph, weight)
    return cliques


def _key(v: int, graph: Sequence[int], weight: Sequence[float]) -> tuple[int, float, int]:
    """How many edges eliminating v adds, the logarithm of its clique's entries, its number."""
    around = graph[v]
    fill, size = 0, weight[v]
    for u in bits_of(around):
        fill += (around & ~graph[u] & ~(1 << u)).bit_count()
        size += weight[u]
    return fill // 2, round(size, 9), v


def _weighted_key(v: int, graph: Sequence[int], weight: Sequence[float]) -> tuple[float, float, int]:
    """The same, an edge counting as the product of the logarithms of its variables' states, at least a little."""
    around = graph[v]
    fill, size = 0.0, weight[v]
    for u in bits_of(around):
        for w in bits_of(around & ~graph[u] & ~(1 << u)):
            fill += max(weight[u] * weight[w], 1e-6)
        size += weight[u]
    return round(fill / 2, 9), round(size, 9), v


def maximal_cliques(adjacent: Sequence[int]) -> list[list[int]]:
    """All maximal cliques of a graph, each ascending, in ascending order (Bron and Kerbosch, with pivots).

    >>> from assay.graphs.triangulation import maximal_cliques, neighbours_of
    >>> maximal_cliques(neighbours_of(4, [(0, 1, 2), (2, 3)]))
    [[0, 1, 2], [2, 3]]
    """
    cliques: list[list[int]] = []
    todo = [(0, (1 << len(adjacent)) - 1, 0)]
    while todo:
        clique, candidates, excluded = todo.pop()
        if not candidates:
            if not excluded:
                cliques.append(bits_of(clique))
            continue
        pivot = max(bits_of(candidates | excluded), key=lambda v: (candidates & adjacent[v]).bit_count())
        for v in bits_of(candidates & ~adjacent[pivot]):
            todo.append((clique | 1 << v, candidates & adjacent[v], excluded & adjacent[v]))
            candidates &= ~(1 << v)
            excluded |= 1 << v
    return sorted(cliques)


class CliqueTree:
    """Cliques in an order in which parents come before children.

    Attributes
    ----------
    members : list of lists of variables, those that a clique shares with its parent first
    parent : list of int, -1 for the first
    shared : list of int, how many variables a clique shares with its parent
    """

    def __init__(self, members: list[list[int]], parent: list[int], shared: list[int]):
        self.members, self.parent, self.shared = members, parent, shared


def clique_tree(cards: Sequence[int], cliques: Sequence[int], root: int | None = None) -> CliqueTree:
    """Cliques, as bits, joined by a spanning tree of largest separators: the running intersection property holds.

    ``root`` is the variable that the first clique must hold, in the smallest such clique.

    >>> from assay.graphs.triangulation import clique_tree
    >>> tree = clique_tree([2, 2, 2, 2], [0b0111, 0b1110])
    >>> tree.members, tree.parent, tree.shared
    ([[0, 1, 2], [1, 2, 3]], [-1, 0], [0, 2])
    """
    sizes = [sum(log(cards[v]) for v in bits_of(clique)) for clique in cliques]
    first = 0
    if root is not None:
        holders = [c for c, clique in enumerate(cliques) if clique >> root & 1]
        first = min(holders, key=lambda c: (sizes[c], c))
    best = {c: (-(cliques[c] & cliques[first]).bit_count(), 0.0, c, first) for c in range(len(cliques))}
    del best[first]
    order, parents = [first], {first: -1}
    while best:
        c = min(best, key=best.__getitem__)
        parents[c] = best.pop(c)[3]
        order.append(c)
        clique = cliques[c]
        for other, key in best.items():
            overlap = -(clique & cliques[other]).bit_count()
            if overlap < key[0]:
                best[other] = (overlap, 0.0, other, c)
    place = {c: i for i, c in enumerate(order)}
    members: list[list[int]] = []
    shared: list[int] = []
    for c in order:
        if parents[c] < 0:
            members.append(bits_of(cliques[c]))
            shared.append(0)
            continue
        common = cliques[c] & cliques[parents[c]]
        prefix = [v for v in members[place[parents[c]]] if common >> v & 1]
        members.append(prefix + bits_of(cliques[c] & ~common))
        shared.append(len(prefix))
    return CliqueTree(members, [-1 if parents[c] < 0 else place[parents[c]] for c in order], shared)
