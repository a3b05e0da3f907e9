"""Where the nodes of a tree stand in a drawing, and which of a large tree are drawn at all."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace

from assay.trees.outline import Outline

__all__ = ["Layout", "Place", "lay_out"]

FAN = 16  # of more branches than this, the heaviest are drawn and the others counted


@dataclass(frozen=True)
class Place:
    """One thing that is drawn: a node, or a note of what is left out.

    Parameters
    ----------
    node : int
        Which node; for a note, the node whose branches are left out.
    breadth : float
        Its place across the tree, in leaves from 0.
    depth : int
    parent : int
        The place (not the node) above; -1 for the root.
    label : str
        What stands at the edge that leads here, short; ``words`` says all of it.
    hidden : int
        How many nodes below are not drawn. A node that hides its branches is drawn like a leaf.
    note : bool
        No node, but the count of ``hidden`` branches.
    inner : bool
        A test whose branches are drawn.
    """

    node: int
    breadth: float
    depth: int
    parent: int
    label: str = ""
    words: str = ""
    hidden: int = 0
    note: bool = False
    inner: bool = False


@dataclass(frozen=True)
class Layout:
    """The places of a drawing, parents before children; ``leaves`` across and ``depth`` levels down."""

    places: list[Place]
    leaves: int
    depth: int
    hidden: int  # nodes that are not drawn


def lay_out(outline: Outline, max_leaves: int = 60, max_depth: int | None = None) -> Layout:
    """Choose the nodes to draw, heaviest first, and put every parent over the middle of its children.

    >>> from assay.tables import Schema
    >>> from assay.trees.layout import lay_out
    >>> from assay.trees.outline import outline_of
    >>> from assay.trees.tree import Tree
    >>> tree = Tree.of({"feature": 0, "threshold": 0.8, "children": [
    ...     {"value": 1, "n": 50}, {"value": 2, "n": 10}]}, n_categories=[0])
    >>> [(place.node, place.breadth) for place in lay_out(outline_of(tree, Schema.numeric(1))).places]
    [(0, 0.5), (1, 0.0), (2, 1.0)]
    """
    open_nodes = _opened(outline, max_leaves, max_depth)
    drawn: list[Place] = []  # in preorder, breadth still to come
    todo = [(0, 0, -1, "", "", False)]
    while todo:
        i, depth, parent, label, words, note = todo.pop()
        here, inner = len(drawn), i in open_nodes and not note
        hidden = len(outline.nodes[i].branches) - FAN + 1 if note else 0 if inner else int(outline.below[i])
        drawn.append(Place(i, 0.0, depth, parent, label, words, hidden, note, inner))
        if not inner:
            continue
        branches = outline.nodes[i].branches
        kept = _heaviest(outline, i)
        omitted = [(i, depth + 1, here, "", "", True)] if len(kept) < len(branches) else []
        below = [
            (branches[b].child, depth + 1, here, branches[b].label, branches[b].words, False) for b in kept
        ]
        todo += [*omitted, *reversed(below)]
    return _spread(drawn, len(outline.nodes))


def _opened(outline: Outline, max_leaves: int, max_depth: int | None) -> set[int]:
    """The nodes whose branches are drawn: those of most rows, while there is room."""
    opened: set[int] = set()
    ends, heap = 1, [(-outline.nodes[0].n, 0)]
    while heap:
        _, i = heapq.heappop(heap)
        if outline.nodes[i].is_leaf or (max_depth is not None and outline.depth[i] >= max_depth):
            continue
        kept = _heaviest(outline, i)
        more = len(kept) + (len(kept) < len(outline.nodes[i].branches)) - 1
        if ends + more > max_leaves and opened:
            continue
        opened.add(i)
        ends += more
        for b in kept:
            child = outline.nodes[i].branches[b].child
            heapq.heappush(heap, (-outline.nodes[child].n, child))
    return opened


def _heaviest(outline: Outline, i: int) -> list[int]:
    """Which branches of a node are drawn, in their order."""
    branches = outline.nodes[i].branches
    if len(branches) <= FAN:
        return list(range(len(branches)))
    by_weight = sorted(range(len(branches)), key=lambda b: -outline.nodes[branches[b].child].n)
    return sorted(by_weight[: FAN - 1])


def _spread(drawn: list[Place], total: int) -> Layout:
    """Leaves side by side; parents in the middle between their first and last child."""
    ends = [k for k, place in enumerate(drawn) if not place.inner]
    breadth = [0.0] * len(drawn)
    for at, k in enumerate(ends):
        breadth[k] = float(at)
    low, high = list(breadth), list(breadth)
    first: list[bool] = [True] * len(drawn)
    for k in range(len(drawn) - 1, 0, -1):
        if drawn[k].inner:
            breadth[k] = (low[k] + high[k]) / 2
        up = drawn[k].parent
        low[up] = breadth[k] if first[up] else min(low[up], breadth[k])
        high[up] = breadth[k] if first[up] else max(high[up], breadth[k])
        first[up] = False
    if drawn[0].inner:
        breadth[0] = (low[0] + high[0]) / 2
    places = [replace(place, breadth=b) for place, b in zip(drawn, breadth)]
    shown = sum(not p.note for p in places)
    return Layout(places, len(ends), max(p.depth for p in places), total - shown)
