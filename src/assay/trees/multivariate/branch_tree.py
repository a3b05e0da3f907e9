"""A tree with any kind of test: flat arrays for its shape, one small object for each test."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from assay.core.stored import CodeArray, Each, FloatArray, IntArray, Integer, Object, OffsetArray, require
from assay.tables import Schema
from assay.trees.multivariate.curved_splits import Ellipsoid, Network, Quadric, Sphere
from assay.trees.multivariate.splits import Discriminants, Hyperplane, Split, Threshold
from assay.trees.outline import Branch, Outline, OutlineNode

__all__ = ["BranchTree"]


@dataclass(frozen=True, eq=False)
class BranchTree:
    """Nodes in preorder (a node's first child follows it), each a question with two or more branches, or a leaf.

    Attributes
    ----------
    splits : list of m questions, None at leaves
    offset, child : (m + 1,), (m - 1,) int32
        The children of i are ``child[offset[i]:offset[i + 1]]``, one for each branch of ``splits[i]``.
    value : (m, V) float64
        Class shares at the node (V classes), or the number it predicts.
    impurity : (m,) float64      n_node_samples : (m,) int64      weighted_n_node_samples : (m,) float64
    n_features : int

    Examples
    --------
    >>> import numpy as np
    >>> from assay.trees.multivariate.branch_tree import BranchTree
    >>> from assay.trees.multivariate.splits import Hyperplane
    >>> line = Hyperplane(np.array([1.0, 1.0]), 1.5, np.ones(2))
    >>> tree = BranchTree.of([line, None, None], parent=[-1, 0, 0], value=[[0.5, 0.5], [1, 0], [0, 1]], n=[4, 2, 2],
    ...                      impurity=[0.5, 0, 0], n_features=2)
    >>> tree.n_leaves, tree.predict(np.array([[1.0, 0.0], [1.0, 1.0]])).tolist()
    (2, [[1.0, 0.0], [0.0, 1.0]])
    """

    splits: list[Any]
    offset: np.ndarray
    child: np.ndarray
    value: np.ndarray
    impurity: np.ndarray
    n_node_samples: np.ndarray
    weighted_n_node_samples: np.ndarray
    n_features: int
    stored = {
        "n_features": Integer("d"),
        "splits": Each(
            Object(Threshold, Hyperplane, Discriminants, Ellipsoid, Network, Quadric, Sphere, d="d") | None,
            "m",
        ),
        "offset": OffsetArray("m + 1", end="m - 1"),
        "child": CodeArray("m - 1", low=1, below="m"),
        "value": FloatArray("m", "o"),
        "impurity": FloatArray("m"),
        "n_node_samples": IntArray("m", low=0),
        "weighted_n_node_samples": FloatArray("m"),
    }

    @classmethod
    def of(
        cls,
        splits: list[Split | None],
        parent: Any,
        value: Any,
        n: Any,
        impurity: Any,
        n_features: int,
        weight: Any = None,
    ) -> BranchTree:
        """The tree of nodes in preorder, given each node's parent (-1 for the root)."""
        parent = np.asarray(parent, np.int64)
        lengths = np.bincount(parent[1:], minlength=len(parent)) if len(parent) > 1 else np.zeros(1, np.int64)
        return cls(
            splits=list(splits),
            offset=np.concatenate(([0], np.cumsum(lengths))).astype(np.int32),
            child=(np.argsort(parent[1:], kind="stable") + 1).astype(np.int32),
            value=np.asarray(value, np.float64),
            impurity=np.asarray(impurity, np.float64),
            n_node_samples=np.asarray(n, np.int64),
            weighted_n_node_samples=np.asarray(n if weight is None else weight, np.float64),
            n_features=n_features,
        )

    # ------------------------------------------------------------------ shape

    @property
    def node_count(self) -> int:
        return len(self.splits)

    @property
    def n_leaves(self) -> int:
        return int(self.is_leaf.sum())

    @property
    def max_depth(self) -> int:
        return int(self.depth.max())

    @property
    def n_parameters(self) -> int:
        """How many numbers the questions of all nodes are made of."""
        return sum(split.n_parameters for split in self.splits if split is not None)

    @cached_property
    def is_leaf(self) -> np.ndarray:
        """(m,) bool."""
        return np.diff(self.offset) == 0

    @cached_property
    def parent(self) -> np.ndarray:
        """(m,) the node above each node; -1 above the root."""
        parent = np.full(self.node_count, -1)
        parent[self.child] = np.repeat(np.arange(self.node_count), np.diff(self.offset))
        return parent

    @cached_property
    def depth(self) -> np.ndarray:
        """(m,) how many questions lead to each node."""
        depth, parent = [0] * self.node_count, self.parent.tolist()
        for i in range(1, self.node_count):  # parents stand before their children
            depth[i] = depth[parent[i]] + 1
        return np.array(depth)

    def children(self, node: int) -> np.ndarray:
        """The children of a node, one for each branch."""
        return self.child[self.offset[node] : self.offset[node + 1]]

    # ------------------------------------------------------------------ rows

    def apply(self, X: np.ndarray) -> np.ndarray:
        """(n,) the leaf that each row reaches."""
        leaf = np.zeros(len(X), np.int64)
        for node, rows in self._visits(X):
            if self.is_leaf[node]:
                leaf[rows] = node
        return leaf

    def predict(self, X: np.ndarray) -> np.ndarray:
        """(n, V) the value of the leaf that each row reaches."""
        return self.value[self.apply(X)]

    def decision_path(self, X: np.ndarray) -> Any:
        """(n, m) sparse: 1 at the nodes that each row passes."""
        from scipy.sparse import csr_matrix

        visits = list(self._visits(X))
        rows = np.concatenate([rows for _, rows in visits]) if visits else np.zeros(0, np.int64)
        nodes = np.repeat([node for node, _ in visits], [len(rows) for _, rows in visits])
        path = csr_matrix((np.ones(len(rows), np.int64), (rows, nodes)), shape=(len(X), self.node_count))
        path.sort_indices()
        return path

    def path(self, x: np.ndarray) -> list[tuple[int, int]]:
        """The nodes that a row passes, each with the branch it takes; -1 at the leaf."""
        steps, node = [], 0
        while not self.is_leaf[node]:
            branch = int(self.splits[node].branch(x[None])[0])
            steps.append((node, branch))
            node = int(self.children(node)[branch])
        return [*steps, (node, -1)]

    def _visits(self, X: np.ndarray) -> Iterable[tuple[int, np.ndarray]]:
        """Every node that rows reach, with the numbers of those rows."""
        waiting = {0: np.arange(len(X))}
        for node in range(self.node_count):
            rows = waiting.pop(node, None)
            if rows is None or not len(rows):
                continue
            yield node, rows
            if not self.is_leaf[node]:
                branch = self.splits[node].branch(X[rows] if len(rows) < len(X) else X)
                for b, child in enumerate(self.children(node).tolist()):
                    waiting[child] = rows[branch == b]

    # ------------------------------------------------------------------ whole trees

    def turn_to_leaves(self, nodes: Iterable[int]) -> BranchTree:
        """The tree in which these nodes are leaves; what was below them is gone."""
        cut = np.zeros(self.node_count, bool)
        cut[list(nodes)] = True
        gone = np.zeros(self.node_count, bool)
        for i, above in enumerate(self.parent.tolist()):
            gone[i] = above >= 0 and (gone[above] or cut[above])
        keep = np.flatnonzero(~gone)
        number = np.cumsum(~gone) - 1
        above = self.parent[keep]
        return BranchTree.of(
            splits=[None if cut[i] else self.splits[i] for i in keep],
            parent=np.where(above >= 0, number[above], -1),
            value=self.value[keep],
            n=self.n_node_samples[keep],
            impurity=self.impurity[keep],
            n_features=self.n_features,
            weight=self.weighted_n_node_samples[keep],
        )

    def compute_feature_importances(self, normalize: bool = True) -> np.ndarray:
        """(d,) how much each column lowers the impurity: a split's gain is shared out by its columns' parts."""
        mass = self.weighted_n_node_samples * self.impurity
        importances = np.zeros(self.n_features)
        for i in np.flatnonzero(~self.is_leaf).tolist():
            gain = mass[i] - mass[self.children(i)].sum()
            importances += gain * self.splits[i].shares(self.n_features)
        total = importances.sum() if normalize else self.weighted_n_node_samples[0]
        return importances / total if total > 0 else np.zeros(self.n_features)

    def outline(self, schema: Schema, classes: Any = None) -> Outline:
        """The tree in words; ``schema`` describes the columns of the block that it sees."""
        labels = None if classes is None else tuple(np.asarray(classes).tolist())
        class_names = [str(label) for label in labels or ()]
        nodes = []
        for i, split in enumerate(self.splits):
            shares, weight = self.value[i], float(self.weighted_n_node_samples[i])
            counts = shares * weight
            whole = np.round(counts)
            counts = np.where(np.abs(counts - whole) <= 1e-9 * np.maximum(1.0, whole), whole, counts)
            nodes.append(
                OutlineNode(
                    answer=float(shares[0]) if labels is None else labels[int(np.argmax(shares))],
                    n=weight,
                    counts=() if labels is None else tuple(counts.tolist()),
                    value=tuple(shares.tolist()),
                    test="" if split is None else split.words(schema.names),
                    branches=() if split is None else self._branches(i, schema, class_names),
                    impurity=float(self.impurity[i]),
                )
            )
        return Outline(nodes, schema, labels)

    def _branches(self, node: int, schema: Schema, classes: list[str]) -> tuple[Branch, ...]:
        split = self.splits[node]
        test = split.words(schema.names)
        branches = []
        for label, way, child in zip(split.labels(classes), split.conditions(), self.children(node).tolist()):
            words = f"{test} {label.replace('≤', '<=')}" if way is None else way.words(schema, False)
            branches.append(Branch(words, label, child, way))
        return tuple(branches)

    # ------------------------------------------------------------------ trees from files

    def _check_stored(self) -> None:
        """Raise a ValueError unless the parts make up a tree that rows can walk."""
        require(self)  # above all that the lengths add up, before rows are repeated as often
        m, lengths = len(self.splits), np.diff(self.offset)
        above = np.repeat(np.arange(m), lengths)
        sound = m > 0 and np.array_equal(np.sort(self.child), np.arange(1, m))
        if not sound or not (self.child > above).all():
            raise ValueError("BranchTree: offset and child do not make up a tree.")
        for split, length in zip(self.splits, lengths.tolist()):
            if (split is None) != (length == 0):
                raise ValueError("BranchTree: a node has a question without branches, or the reverse.")
            if split is not None:
                split.check(self.n_features)
                named = split.classes if isinstance(split, Discriminants) else np.zeros(0)
                if split.arity != length or (named < 0).any() or (named >= self.value.shape[1]).any():
                    raise ValueError(
                        "BranchTree: a node has too few or too many branches, or unknown classes."
                    )
