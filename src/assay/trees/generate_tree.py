"""GenerateTree: grow a tree top down, one node after the other, and keep a record of each step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.core.progress import progress
from assay.core.stored import Each, Integer, Object
from assay.trees.node_measures import Floats, NodeMeasure, RowIndices
from assay.trees.split_search import Split
from assay.trees.tree import LEAF, SUBSET, TERNARY, Tree, as_words

__all__ = ["GrowthStep", "generate_tree"]

Chooser = Callable[[RowIndices, Floats, float], "tuple[Split | None, list[Split]]"]


@dataclass(frozen=True)
class GrowthStep:
    """One split, in the order in which the tree grew.

    Attributes
    ----------
    node : int, number of the node, as in ``tree_``      depth : int
    rows : int, rows at the node
    impurity : float, of the node      after : float, after the split
    split : Split, the test that was taken
    tried : tuple of Split, the best test of each column, the one taken among them
    """

    node: int
    depth: int
    rows: int
    impurity: float
    after: float
    split: Split
    tried: tuple[Split, ...]
    stored = {
        "node": Integer(),
        "depth": Integer(),
        "rows": Integer(),
        "split": Object(Split),
        "tried": Each(Object(Split)),
    }


def generate_tree(
    X: Floats,
    w: Floats,
    measure: NodeMeasure,
    choose: Chooser,
    is_leaf: Callable[[RowIndices, Floats, Floats, float, int], bool],
    n_categories: NDArray[np.int32],
    spread: bool = True,
) -> tuple[Tree, list[GrowthStep]]:
    """The tree that grows from the rows by choosing a test, sending the rows down, and doing the same there.

    Parameters
    ----------
    X : (n, d) categories as codes, missing as NaN
    w : (n,) what each row counts
    measure : NodeMeasure
    choose : function of (rows, weights, impurity) that returns the test to take, or None, and those it was chosen from
    is_leaf : function of (rows, weights, value, impurity, depth) that says whether to stop at a node
    n_categories : (d,) categories per column, 0 for numbers
    spread : bool
        Whether a row without a value goes down all branches, with its weight divided as theirs; else it goes down the
        heaviest.
    """
    nodes: list[_Node] = []
    history: list[GrowthStep] = []
    everything = np.flatnonzero(w > 0)
    todo = [(everything, w[everything], -1, 0, 0)]
    with progress(float(w.sum()), "growing a tree") as bar:
        while todo:
            rows, weights, parent, branch, depth = todo.pop()
            here = len(nodes)
            if not len(rows):  # a category that the node does not have: answer as the node does
                nodes.append(_Node(parent, branch, nodes[parent].value, 0.0, 0, 0.0))
                continue
            value, impurity = measure.value(rows, weights), measure.node(rows, weights)
            node = _Node(parent, branch, value, impurity, len(rows), float(weights.sum()))
            nodes.append(node)
            split, tried = None, []
            if not is_leaf(rows, weights, value, impurity, depth):
                split, tried = choose(rows, weights, impurity)
            if split is None:
                bar.advance(node.weight)  # the rows of a leaf are done
                continue
            parts, node.missing = _parts(split, X[rows, split.column], rows, weights, spread)
            node.split = split
            history.append(GrowthStep(here, depth, len(rows), impurity, split.after, split, tuple(tried)))
            todo += [(r, v, here, b, depth + 1) for b, (r, v) in reversed(list(enumerate(parts)))]
    return _as_tree(nodes, n_categories), history


def _parts(
    split: Split, x: Floats, rows: RowIndices, w: Floats, spread: bool
) -> tuple[list[tuple[RowIndices, Floats]], int]:
    """The rows and weights of each branch, and the branch for missing values (-1: all)."""
    taken = split.branch(x)
    known = taken >= 0
    weight = np.bincount(taken[known], weights=w[known], minlength=split.branches)
    heaviest = int(np.argmax(weight))
    parts = []
    for b in range(split.branches):
        at = taken == b
        if known.all() or not weight[b]:
            parts.append((rows[at], w[at]))
        elif spread:
            share = np.where(at, w, w * (weight[b] / weight.sum()))
            at |= ~known
            parts.append((rows[at], share[at]))
        else:
            at = at | ~known if b == heaviest else at
            parts.append((rows[at], w[at]))
    return parts, -1 if spread else heaviest


@dataclass
class _Node:
    parent: int
    branch: int
    value: Floats
    impurity: float
    n: int
    weight: float
    split: Split | None = None
    missing: int = -1


def _as_tree(nodes: list[_Node], n_categories: NDArray[np.int32]) -> Tree:
    return Tree.assemble(
        parent=np.array([node.parent for node in nodes]),
        branch=np.array([node.branch for node in nodes]),
        feature=np.array([node.split.column if node.split else -2 for node in nodes]),
        kind=np.array([node.split.kind if node.split else LEAF for node in nodes]),
        threshold=np.array([node.split.threshold if node.split else -2.0 for node in nodes]),
        sets=[_words(node.split, n_categories) for node in nodes],
        missing=np.array([node.missing for node in nodes]),
        values=np.array([node.value for node in nodes]),
        impurity=np.array([node.impurity for node in nodes]),
        n_node_samples=np.array([node.n for node in nodes]),
        weighted_n_node_samples=np.array([node.weight for node in nodes]),
        n_categories=n_categories,
    )


def _words(split: Split | None, n_categories: NDArray[np.int32]) -> NDArray[np.uint32]:
    if split is not None and split.kind == SUBSET:
        return as_words(split.members, int(n_categories[split.column]))
    if split is not None and split.kind == TERNARY:
        return np.array([split.second]).view(np.uint32)
    return np.zeros(0, np.uint32)
