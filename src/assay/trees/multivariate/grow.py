"""Growing a tree from the root down with any node learner, and pruning it by rows that were set aside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assay.core.progress import progress
from assay.trees.multivariate.branch_tree import BranchTree
from assay.trees.multivariate.rows import NodeRows
from assay.trees.multivariate.splits import Discriminants, Split

__all__ = ["Limits", "NodeLearner", "grow", "prune_by_error", "usable"]

NodeLearner = Callable[[NodeRows, np.random.Generator], Split | None]


@dataclass(frozen=True)
class Limits:
    """When a node becomes a leaf; the names are scikit-learn's."""

    max_depth: int | None = None
    min_samples_split: int = 2
    min_impurity_decrease: float = 0.0


def grow(rows: NodeRows, learn: NodeLearner, limits: Limits, rng: np.random.Generator) -> BranchTree:
    """The tree that a node learner makes of the rows, node by node in preorder.

    A node is a leaf if it is pure, too small or too deep. Where the learner's own split does not divide the rows, the
    best threshold of a single column takes its place, so that rows which differ can always be separated.

    Parameters
    ----------
    rows : Rows
    learn : function of (rows at the node, random generator) that returns a split or None
    limits : Limits
    rng : numpy Generator

    Examples
    --------
    >>> import numpy as np
    >>> from assay.trees.multivariate.grow import Limits, grow
    >>> from assay.trees.multivariate.rows import NodeRows
    >>> X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])
    >>> tree = grow(NodeRows(X, y, np.ones(4), K=2), lambda rows, rng: None, Limits(), np.random.default_rng(0))
    >>> tree.n_leaves, tree.predict(X).argmax(axis=1).tolist()
    (4, [0, 1, 1, 0])
    """
    splits: list[Split | None] = []
    parents: list[int] = []
    nodes: list[tuple[np.ndarray, int, float, float]] = []
    total = float(rows.w.sum())
    stack = [(rows, -1, 0)]
    with progress(len(rows), "growing a tree") as bar:
        while stack:
            here, parent, depth = stack.pop()
            i, weight = len(splits), float(here.w.sum())
            split, branch = _decide(here, learn, limits, depth, total, rng)
            splits.append(split)
            parents.append(parent)
            nodes.append((here.value, len(here), here.impurity, weight))
            if split is None:
                bar.advance(len(here))
                continue
            for b in range(split.arity)[::-1]:  # the first branch is on top of the stack
                stack.append((here.take(branch == b), i, depth + 1))
    value, n, impurity, weights = zip(*nodes)
    return BranchTree.of(splits, parents, value, n, impurity, rows.X.shape[1], weights)


def _decide(
    here: NodeRows, learn: NodeLearner, limits: Limits, depth: int, total: float, rng: np.random.Generator
) -> tuple[Split | None, np.ndarray]:
    """The split of a node and the branch of each row; None for a leaf."""
    nothing = None, np.zeros(0, np.intp)
    too_deep = limits.max_depth is not None and depth >= limits.max_depth
    too_small = len(here) < max(limits.min_samples_split, 2 * here.min_leaf)
    too_light = here.w.sum() < 2 * here.min_weight
    all_alike = (here.X.min(axis=0) == here.X.max(axis=0)).all()
    if too_deep or too_small or too_light or all_alike or here.impurity <= 1e-12 * _unit(here):
        return nothing
    split, branch = usable(learn(here, rng), here)
    if split is None:
        split, branch = usable(here.best_threshold[0], here)
    if split is None:
        return nothing
    if limits.min_impurity_decrease > 0:
        gain = here.impurity - here.impurity_of(branch)
        if here.w.sum() / total * gain < limits.min_impurity_decrease:
            return nothing
    return split, branch


def _unit(here: NodeRows) -> float:
    """What an impurity is small against: 1, or for numbers their mean square."""
    return 1.0 if here.K else float(np.average(here.y**2, weights=here.w))


def usable(split: Split | None, rows: NodeRows) -> tuple[Split | None, np.ndarray]:
    """The split with the branch of each row, or None if a branch of it has less than a leaf must have.

    Of several discriminants those with too little are left out, lightest first.
    """
    while split is not None:
        branch = split.branch(rows.X)
        sizes, weights = (np.bincount(branch, w, minlength=split.arity) for w in (None, rows.w))
        if sizes.min() >= rows.min_leaf and weights.min() >= rows.min_weight:
            return split, branch
        several = isinstance(split, Discriminants) and split.arity > 2
        split = split.without(np.array([int(np.argmin(weights))])) if several else None  # type: ignore[attr-defined]
    return None, np.zeros(0, np.intp)


def prune_by_error(tree: BranchTree, held: NodeRows) -> BranchTree:
    """Reduced-error pruning: bottom up, a node becomes a leaf unless its subtree errs less on the rows set aside.

    For numbers the error is the squared one.
    """
    as_leaf = np.zeros(tree.node_count)
    answer = tree.value.argmax(axis=1)
    for node, rows in tree._visits(held.X):
        y, w = held.y[rows], held.w[rows]
        wrong = (y - tree.value[node, 0]) ** 2 if held.K == 0 else y != answer[node]
        as_leaf[node] = float(wrong @ w)
    below = as_leaf.copy()
    cut = []
    for i in range(tree.node_count - 1, -1, -1):  # children stand behind their parents
        if tree.is_leaf[i]:
            continue
        below[i] = below[tree.children(i)].sum()
        if as_leaf[i] <= below[i]:
            below[i] = as_leaf[i]
            cut.append(i)
    return tree.turn_to_leaves(cut)
