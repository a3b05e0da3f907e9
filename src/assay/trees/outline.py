"""Any tree as one reads it: per node the test in words, the branches, the rows of each class, the answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from assay.core.palette import class_colour, shade
from assay.core.words import one_line
from assay.rulebase.conditions import Condition, RowTest
from assay.tables import Schema
from assay.trees.tree import SUBSET, TERNARY, THRESHOLD, Tree

__all__ = ["Branch", "Outline", "OutlineNode", "outline_of"]

NEAR = 256  # how far up a node looks for a test of the same column


@dataclass(frozen=True)
class Branch:
    """One way out of a node.

    Parameters
    ----------
    words : str
        The whole condition, exactly as it is applied: ``petal width <= 0.8``.
    label : str
        What stands at the edge of a drawing, under the node's ``test``: ``<= 0.8``.
    child : int
        The node it leads to.
    condition : Condition, LinearCondition or None
        The condition as an object that can be applied to rows; None if it has no such form.
    missing : bool
        Whether all rows whose value is missing come this way; with surrogates other columns decide.
    """

    words: str
    label: str
    child: int
    condition: RowTest | None = None
    missing: bool = False

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class OutlineNode:
    """One node: a test with its branches, or a leaf with its answer; every node knows what it would answer.

    Parameters
    ----------
    answer : the class label, or the number, that the node would answer
    n : float
        The weight of the training rows that reach the node.
    counts : tuple of float
        Their weight per class; empty for numbers.
    value : tuple of float
        Class shares, or the number(s) predicted.
    test : str
        What is looked at: a column's name, or a formula. Empty at leaves.
    branches : tuple of Branch
    impurity : float
    spread : bool
        Rows whose value is missing are spread over all branches by weight.
    """

    answer: Any
    n: float
    counts: tuple[float, ...] = ()
    value: tuple[float, ...] = ()
    test: str = ""
    branches: tuple[Branch, ...] = ()
    impurity: float = 0.0
    spread: bool = False

    @property
    def is_leaf(self) -> bool:
        """Whether nothing is tested here."""
        return not self.branches


@dataclass(frozen=True)
class Outline:
    """The nodes of a tree in preorder (node 0 is the root), with the columns and classes they speak of.

    Parameters
    ----------
    nodes : sequence of OutlineNode
    schema : Schema
        The columns of the block that the tree sees.
    classes : tuple or None
        Class labels in the order of ``counts``; None for a tree of numbers.
    target : str
        What the answers are called, if that is known.

    Examples
    --------
    >>> from assay.trees import DecisionTreeClassifier
    >>> outline = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).outline()
    >>> [(node.test, node.answer, node.counts) for node in outline.nodes]
    [('x0', 'a', (2.0, 1.0)), ('', 'a', (2.0, 0.0)), ('', 'b', (0.0, 1.0))]
    >>> [branch.words for branch in outline.nodes[0].branches]
    ['x0 <= 3', 'x0 > 3']
    """

    nodes: Sequence[OutlineNode]
    schema: Schema
    classes: tuple[Any, ...] | None = None
    target: str = field(default="")

    @cached_property
    def parent(self) -> np.ndarray:
        """(m,) the node above each node; -1 above the root."""
        parent = np.full(len(self.nodes), -1)
        for i, node in enumerate(self.nodes):
            for branch in node.branches:
                parent[branch.child] = i
        return parent

    @cached_property
    def depth(self) -> np.ndarray:
        """(m,) how many tests lead to each node."""
        depth = np.zeros(len(self.nodes), np.int64)
        for i in range(1, len(depth)):  # parents stand before their children
            depth[i] = depth[self.parent[i]] + 1
        return depth

    @cached_property
    def below(self) -> np.ndarray:
        """(m,) how many nodes hang below each node."""
        below = np.zeros(len(self.nodes), np.int64)
        for i in range(len(below) - 1, 0, -1):
            below[self.parent[i]] += below[i] + 1
        return below

    @property
    def leaves(self) -> list[int]:
        """The numbers of the leaves, from the first branch to the last."""
        return [i for i, node in enumerate(self.nodes) if node.is_leaf]

    @cached_property
    def value_range(self) -> tuple[float, float]:
        """The least and the greatest (first) number that a leaf answers."""
        values = [node.value[0] for node in self.nodes if node.is_leaf]
        return min(values), max(values)

    def colour(self, node: int) -> str:
        """The colour of a node's answer: its class's, or a shade between the least and the greatest number."""
        if self.classes is not None:
            return class_colour(self.classes.index(self.nodes[node].answer))
        low, high = self.value_range
        return shade((self.nodes[node].value[0] - low) / (high - low) if high > low else 0.5)

    def steps(self, node: int) -> list[Branch]:
        """The branches that lead from the root to a node: together, the region of the node.

        >>> from assay.tables import Schema
        >>> from assay.trees.outline import outline_of
        >>> from assay.trees.tree import Tree
        >>> tree = Tree.of({"feature": 0, "threshold": 0.5, "children": [
        ...     {"value": 1.0, "n": 3}, {"feature": 1, "threshold": 0.2, "children": [
        ...         {"value": 2.0, "n": 1}, {"value": 3.0, "n": 2}]}]}, n_categories=[0, 0])
        >>> [branch.words for branch in outline_of(tree, Schema.numeric(2)).steps(4)]
        ['x0 > 0.5', 'x1 > 0.2']
        """
        steps: list[Branch] = []
        while (above := self.parent[node]) >= 0:
            steps.append(next(b for b in self.nodes[above].branches if b.child == node))
            node = above
        return steps[::-1]


def outline_of(
    tree: Tree, schema: Schema, classes: Any = None, *, answers: Any = None, target: str = ""
) -> Outline:
    """A tree of tests on single columns, as one reads it.

    Parameters
    ----------
    tree : Tree
    schema : Schema
        The columns of the block that the tree sees.
    classes : (K,) labels, or None if the tree's values are numbers
    answers : (m,) or None
        What each node answers; by default the class of the largest share, or the (first) number.
    target : str
        What the answers are called.

    Examples
    --------
    >>> from assay.tables import Column, Schema
    >>> from assay.trees.outline import outline_of
    >>> from assay.trees.tree import Tree
    >>> tree = Tree.of({"feature": 0, "children": [
    ...     {"value": [1.0, 0.0], "n": 3}, {"value": [0.25, 0.75], "n": 4}]}, n_categories=[2])
    >>> outline = outline_of(tree, Schema([Column("taste", "nominal", ("sour", "sweet"))]), ["no", "yes"])
    >>> [(branch.words, outline.nodes[branch.child].answer) for branch in outline.nodes[0].branches]
    [('taste = sour', 'no'), ('taste = sweet', 'yes')]
    >>> outline.nodes[2].counts
    (1.0, 3.0)
    """
    labels = None if classes is None else tuple(_native(c) for c in classes)
    return Outline(_Nodes(tree, schema, labels, answers), schema, labels, target)


class _Nodes(Sequence[OutlineNode]):
    """The nodes of a tree in words, each put into words when it is first looked at."""

    def __init__(self, tree: Tree, schema: Schema, classes: tuple[Any, ...] | None, answers: Any):
        self.tree, self.schema, self.classes, self.answers = tree, schema, classes, answers
        self.made: list[OutlineNode | None] = [None] * tree.node_count
        self.leaf = tree.is_leaf
        self.reaching: dict[int, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self.made)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        i = range(len(self))[i]
        node = self.made[i]
        if node is None:
            node = self.made[i] = self._node(i)
        return node

    def _node(self, i: int) -> OutlineNode:
        tree, leaf, value = self.tree, self.leaf[i], self.tree.values[i]
        n = float(tree.weighted_n_node_samples[i])
        if self.answers is not None:
            answer = _native(self.answers[i])
        else:
            answer = float(value[0]) if self.classes is None else self.classes[int(value.argmax())]
        return OutlineNode(
            answer=answer,
            n=n,
            counts=() if self.classes is None else tuple(_tidy(v * n) for v in value.tolist()),
            value=tuple(value.tolist()),
            test="" if leaf else one_line(self.schema[int(tree.feature[i])].name),
            branches=() if leaf else _branches(tree, i, self.schema, self._reach(i)),
            impurity=float(tree.impurity[i]),
            spread=bool(not leaf and tree.missing[i] < 0 and tree.surrogates is None),
        )

    def _reach(self, i: int) -> np.ndarray | None:
        """The categories that a row may have at a SUBSET node; None at all others.

        Earlier tests of the same column leave only some, and only these need words: a tree that divides r categories
        down to the last takes r log r words, not r^2.
        """
        tree = self.tree
        if tree.kind[i] != SUBSET:
            return None
        waiting = []
        while i not in self.reaching:
            waiting.append(i)
            if (i := self._same_column_above(i)[0]) < 0:
                break
        for i in reversed(waiting):
            above, first = self._same_column_above(i)
            if above < 0:
                held = np.arange(tree.n_categories[tree.feature[i]])
            else:
                held = self.reaching[above]
                held = held[np.isin(held, tree.subset(above), invert=not first)]
            self.reaching[i] = held
        return self.reaching[i]

    def _same_column_above(self, i: int) -> tuple[int, bool]:
        """The next SUBSET node above that asks for the same column, and whether its first branch leads here.

        (-1, False) if there is none near: then all categories are named, which is as true.
        """
        tree, column = self.tree, self.tree.feature[i]
        for _ in range(NEAR):
            child, i = i, int(tree.parent[i])
            if i < 0:
                break
            if tree.feature[i] == column and tree.kind[i] == SUBSET:
                return i, int(tree.children(i)[0]) == child
        return -1, False


def _branches(tree: Tree, i: int, schema: Schema, reach: np.ndarray | None) -> tuple[Branch, ...]:
    kind, children = tree.kind[i], tree.children(i)
    j, t = int(tree.feature[i]), float(tree.threshold[i])
    backed = tree.surrogates is not None and tree.surrogates.offset[i + 1] > tree.surrogates.offset[i]
    missing = -1 if backed else int(tree.missing[i])  # with surrogates, other columns say where it goes
    if kind == THRESHOLD:
        ways = [Condition(j, high=t, missing=missing == 0), Condition(j, low=t, missing=missing == 1)]
    elif kind == TERNARY:
        second = tree.second(i)
        ends = [(-np.inf, t), (t, second), (second, np.inf)]
        ways = [Condition(j, low, high, missing=missing == b) for b, (low, high) in enumerate(ends)]
    elif kind == SUBSET:
        assert reach is not None
        held = np.isin(reach, tree.subset(i))
        sides = (tuple(reach[held].tolist()), tuple(reach[~held].tolist()))
        ways = [Condition(j, codes=codes, missing=missing == b) for b, codes in enumerate(sides)]
    else:  # NWAY
        ways = [Condition(j, codes=(b,), missing=missing == b) for b in range(len(children))]
    return tuple(
        Branch(way.words(schema, False, False), way.label(schema), int(child), way, way.missing)
        for way, child in zip(ways, children)
    )


def _tidy(count: float) -> float:
    """A count that differs from a whole number by rounding only is whole."""
    if not math.isfinite(count):
        return count
    whole = round(count)
    return float(whole) if abs(count - whole) <= 1e-9 * max(1.0, whole) else count


def _native(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
