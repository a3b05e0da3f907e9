"""A tree of tests on single columns, as flat arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

import assay.trees._routing as _routing
from assay.core.csr import compressed_matrix, csr_arrays
from assay.core.parallel import in_threads
from assay.core.stored import CodeArray, FloatArray, IntArray, Object, OffsetArray

if TYPE_CHECKING:
    from assay.trees.forest_walker import ForestWalker

__all__ = ["LEAF", "NWAY", "SUBSET", "TERNARY", "THRESHOLD", "Surrogates", "Tree", "as_words"]

LEAF, THRESHOLD, SUBSET, NWAY, TERNARY = range(5)  # what a node does with a row
NO_TEST = -2  # feature and threshold where there is none, as scikit-learn has it
BLOCK = 8192  # rows that one thread takes at a time
MIN_PACKED_STEPS = 1 << 15  # steps below the first four from which packed nodes pay off


@dataclass(frozen=True, eq=False)
class Surrogates:
    """Tests on other columns that stand in for a node's own when its value is missing, best first.

    ``flip`` says that the surrogate's child 0 is the node's child 1. The arrays mean what they mean in
    :class:`Tree`; those of node i stand at ``offset[i]`` to ``offset[i + 1]``.
    """

    offset: np.ndarray  # (m + 1,) int32
    feature: np.ndarray  # (s,) int32
    kind: np.ndarray  # (s,) uint8: THRESHOLD or SUBSET
    threshold: np.ndarray  # (s,) float64
    set_offset: np.ndarray  # (s + 1,) int32
    sets: np.ndarray  # (words,) uint32
    flip: np.ndarray  # (s,) uint8
    stored = {
        "offset": OffsetArray("m + 1", end="s"),
        "feature": CodeArray("s"),
        "kind": IntArray("s"),
        "threshold": FloatArray("s"),
        "set_offset": OffsetArray("s + 1", end="w"),
        "sets": IntArray("w"),
        "flip": IntArray("s", high=1),
    }


@dataclass(frozen=True, eq=False)
class Tree:
    r"""Nodes in preorder (a node's first child follows it), each a test of one column or a leaf.

    A row starts at node 0. A node with ``kind``

    ===========  ==================================================================
    THRESHOLD    sends :math:`x_f \le t` to child 0, all else to child 1
    SUBSET       sends the categories of its set to child 0, all else to child 1
    NWAY         sends category c to child c
    TERNARY      sends :math:`x_f \le t` to 0, :math:`x_f \le s` to 1, all else to 2
    LEAF         answers with its ``values``
    ===========  ==================================================================

    A missing value asks the surrogates, then goes to child ``missing``; if that is -1 the row is spread over
    all children in proportion to their weights, and its answer is the same mixture of the leaves' values.

    Attributes
    ----------
    feature : (m,) int32, -2 at leaves      kind : (m,) uint8      threshold : (m,) float64, -2 if none
    offset, child : (m + 1,), (m - 1,) int32
        The children of i are ``child[offset[i]:offset[i + 1]]``.
    set_offset, sets : (m + 1,) int32, (words,) uint32
        Bit c of a SUBSET's words: category c goes to child 0. A TERNARY's two words are the bits of s.
    missing : (m,) int32
    values : (m, V) float64
        Class shares at the node, those of several targets one after the other, or the numbers it predicts.
    output_sizes : (O,) int32 or None
        How many of the V columns each output has: its classes, or 1 for a number. None is one output.
    impurity : (m,) float64      n_node_samples : (m,) int64      weighted_n_node_samples : (m,) float64
    n_categories : (d,) int32
        How many categories each column has; 0 for numbers.
    surrogates : Surrogates or None

    Examples
    --------
    >>> from assay.trees.tree import Tree
    >>> tree = Tree.of({"feature": 0, "threshold": 2.5, "children": [
    ...     {"value": [1.0, 0.0], "n": 3}, {"value": [0.25, 0.75], "n": 4}]}, n_categories=[0])
    >>> tree.node_count, tree.n_leaves, tree.max_depth
    (3, 2, 1)
    >>> tree.predict(np.array([[2.5], [3.0]]))
    array([[1.  , 0.  ],
           [0.25, 0.75]])
    """

    feature: np.ndarray
    kind: np.ndarray
    threshold: np.ndarray
    offset: np.ndarray
    child: np.ndarray
    set_offset: np.ndarray
    sets: np.ndarray
    missing: np.ndarray
    values: np.ndarray
    impurity: np.ndarray
    n_node_samples: np.ndarray
    weighted_n_node_samples: np.ndarray
    n_categories: np.ndarray
    surrogates: Surrogates | None = None
    output_sizes: np.ndarray | None = None
    renamed = MappingProxyType({"value": "values"})  # in files of earlier versions; no field of its own
    stored = {
        "n_categories": IntArray("d", low=0),
        "feature": IntArray("m"),
        "kind": IntArray("m"),
        "threshold": FloatArray("m"),
        "offset": OffsetArray("m + 1", end="m - 1"),
        "child": CodeArray("m - 1", low=1, below="m"),
        "set_offset": OffsetArray("m + 1", end="w"),
        "sets": IntArray("w"),
        "missing": IntArray("m", low=-1),
        "values": FloatArray("m", "o"),
        "impurity": FloatArray("m"),
        "n_node_samples": IntArray("m", low=0),
        "weighted_n_node_samples": FloatArray("m"),
        "output_sizes": IntArray("*", low=1) | None,
        "surrogates": Object(Surrogates, m="m") | None,
    }

    # ------------------------------------------------------------------ making trees

    @classmethod
    def of(cls, nested: Mapping[str, Any], n_categories: Sequence[int]) -> Tree:
        """A tree from nested plain data, as one writes it by hand.

        A node is a dict. Leaves have ``value`` (a number, or the class shares) and ``n``; inner nodes have
        ``feature``, ``children`` and ``threshold`` (also ``second`` for a ternary split), or ``subset`` (the codes
        that go to child 0), or neither (one child per category). ``missing`` is the child for missing values
        (default -1, spread), ``impurity`` defaults to 0; value and n of inner nodes follow from their children.
        """
        nodes: list[Mapping[str, Any]] = []
        parent, branch = [], []
        todo = [(nested, -1, 0)]
        while todo:
            node, above, at = todo.pop()
            parent.append(above)
            branch.append(at)
            nodes.append(node)
            here = len(nodes) - 1
            todo += [(c, here, b) for b, c in reversed(list(enumerate(node.get("children", ()))))]
        m = len(nodes)
        kind = np.array([_kind(node) for node in nodes], np.uint8)
        words = [_words(node, k, n_categories) for node, k in zip(nodes, kind)]
        width = next(np.size(node["value"]) for node in nodes if "value" in node)
        value, n = np.zeros((m, width)), np.zeros(m)
        for i in range(m - 1, -1, -1):  # children stand behind their parents
            n[i] = nodes[i]["n"] if "n" in nodes[i] else n[i]
            value[i] = nodes[i]["value"] if "value" in nodes[i] else value[i] / max(n[i], 1e-300)
            if parent[i] >= 0:
                value[parent[i]] += n[i] * value[i]
                n[parent[i]] += n[i]
        tree = cls.assemble(
            parent=np.array(parent),
            branch=np.array(branch),
            feature=np.array([node.get("feature", NO_TEST) for node in nodes]),
            kind=kind,
            threshold=np.array([float(node.get("threshold", NO_TEST)) for node in nodes]),
            sets=words,
            missing=np.array([node.get("missing", -1) for node in nodes]),
            values=value,
            impurity=np.array([float(node.get("impurity", 0)) for node in nodes]),
            n_node_samples=np.ceil(n),
            weighted_n_node_samples=n,
            n_categories=np.asarray(n_categories),
        )
        tree.check()
        return tree

    @classmethod
    def assemble(
        cls,
        *,
        parent: np.ndarray,
        branch: np.ndarray,
        feature: np.ndarray,
        kind: np.ndarray,
        threshold: np.ndarray,
        missing: np.ndarray,
        values: np.ndarray,
        impurity: np.ndarray,
        n_node_samples: np.ndarray,
        weighted_n_node_samples: np.ndarray,
        n_categories: np.ndarray,
        sets: Sequence[np.ndarray] | tuple[np.ndarray, np.ndarray] | None = None,
    ) -> Tree:
        """A tree from nodes in any order: ``parent`` (-1 at the root) and ``branch`` number say where each hangs.

        ``sets`` is None, or one array of uint32 words per node (empty where there are none), or the pair of
        ``set_offset`` and ``sets`` arrays in the order of the nodes given.
        """
        m = len(parent)
        parent = np.ascontiguousarray(parent, np.int32)
        order = np.empty(m, np.int32)
        if _routing.preorder(parent, np.ascontiguousarray(branch, np.int32), order) < m:
            raise ValueError("Tree: some nodes do not hang on the root.")
        if sets is None:
            lengths, words = np.zeros(m, np.int64), np.zeros(0, np.uint32)
        elif isinstance(sets, tuple) and len(sets) == 2:
            lengths = np.diff(sets[0])
            words = np.asarray(sets[1], np.uint32)[_ranges(sets[0][:-1][order], lengths[order])]
            lengths = lengths[order]
        else:
            chosen = [np.asarray(sets[i], np.uint32) for i in order]
            lengths = np.array([len(s) for s in chosen], np.int64)
            words = np.concatenate([*chosen, np.zeros(0, np.uint32)])
        place = np.empty(m, np.int32)
        place[order] = np.arange(m, dtype=np.int32)
        above = parent[order]
        above[1:] = place[above[1:]]
        offset, child = _children(above)
        return cls(
            feature=np.ascontiguousarray(feature, np.int32)[order],
            kind=np.ascontiguousarray(kind, np.uint8)[order],
            threshold=np.ascontiguousarray(threshold, np.float64)[order],
            offset=offset,
            child=child,
            set_offset=_starts(lengths),
            sets=words,
            missing=np.ascontiguousarray(missing, np.int32)[order],
            values=np.ascontiguousarray(values, np.float64)[order],
            impurity=np.ascontiguousarray(impurity, np.float64)[order],
            n_node_samples=np.ascontiguousarray(n_node_samples, np.int64)[order],
            weighted_n_node_samples=np.ascontiguousarray(weighted_n_node_samples, np.float64)[order],
            n_categories=np.ascontiguousarray(n_categories, np.int32),
        )

    def turn_to_leaves(self, nodes: Iterable[int]) -> Tree:
        """The tree in which these nodes are leaves: what hangs below them is gone, the rest is renumbered."""
        cut = np.zeros(self.node_count, bool)
        cut[np.asarray(list(nodes), np.int64)] = True
        depth_of_cut = np.zeros(self.node_count + 1, np.int64)
        at = np.flatnonzero(cut)
        np.add.at(depth_of_cut, at + 1, 1)
        np.add.at(depth_of_cut, self.end[at], -1)
        keep = np.flatnonzero(np.cumsum(depth_of_cut[:-1]) == 0)
        place = np.cumsum(np.isin(np.arange(self.node_count), keep), dtype=np.int32) - 1
        above = self.parent[keep]
        above[1:] = place[above[1:]]
        leaf = cut[keep] | self.is_leaf[keep]
        lengths = np.where(leaf, 0, np.diff(self.set_offset)[keep])
        offset, child = _children(above)
        return Tree(
            feature=np.where(leaf, NO_TEST, self.feature[keep]).astype(np.int32),
            kind=np.where(leaf, LEAF, self.kind[keep]).astype(np.uint8),
            threshold=np.where(leaf, NO_TEST, self.threshold[keep]).astype(np.float64),
            offset=offset,
            child=child,
            set_offset=_starts(lengths),
            sets=self.sets[_ranges(self.set_offset[:-1][keep], lengths)],
            missing=np.where(leaf, -1, self.missing[keep]).astype(np.int32),
            values=self.values[keep],
            impurity=self.impurity[keep],
            n_node_samples=self.n_node_samples[keep],
            weighted_n_node_samples=self.weighted_n_node_samples[keep],
            n_categories=self.n_categories,
            surrogates=_kept_surrogates(self.surrogates, keep, leaf),
            output_sizes=self.output_sizes,
        )

    # ------------------------------------------------------------------ what a tree is

    @property
    def node_count(self) -> int:
        """How many nodes there are, leaves included."""
        return len(self.feature)

    @property
    def n_features(self) -> int:
        """How many columns the tree's rows have."""
        return len(self.n_categories)

    @property
    def n_leaves(self) -> int:
        """How many leaves there are."""
        return int(np.count_nonzero(self.is_leaf))

    @property
    def max_depth(self) -> int:
        """The largest number of tests from the root to a leaf."""
        return int(self.depth.max())

    @property
    def is_leaf(self) -> np.ndarray:
        """(m,) whether each node is a leaf."""
        return self.kind == LEAF

    @property
    def n_children(self) -> np.ndarray:
        """(m,) how many children each node has."""
        return np.diff(self.offset)

    @cached_property
    def parent(self) -> np.ndarray:
        """(m,) the node above each node; -1 above the root."""
        parent = np.full(self.node_count, -1, np.int32)
        parent[self.child] = np.repeat(np.arange(self.node_count, dtype=np.int32), self.n_children)
        return parent

    @cached_property
    def branch(self) -> np.ndarray:
        """(m,) which child of its parent each node is, from 0; 0 for the root."""
        branch = np.zeros(self.node_count, np.int32)
        at = np.arange(len(self.child)) - np.repeat(self.offset[:-1], self.n_children)
        branch[self.child] = at
        return branch

    @cached_property
    def depth(self) -> np.ndarray:
        """(m,) how many tests lead to each node."""
        depth = np.empty(self.node_count, np.int32)
        _routing.depths(self.parent, depth)
        return depth

    @cached_property
    def end(self) -> np.ndarray:
        """(m,) one past the last node below each node."""
        end = np.empty(self.node_count, np.int32)
        _routing.ends(self.parent, end)
        return end

    def children(self, node: int) -> np.ndarray:
        """The nodes below a node, in the order of its branches."""
        return self.child[self.offset[node] : self.offset[node + 1]]

    @cached_property
    def children_left(self) -> np.ndarray:
        """(m,) child 0 of each node, -1 at leaves."""
        return self._nth_child(0)

    @cached_property
    def children_right(self) -> np.ndarray:
        """(m,) child 1 of each node, -1 at leaves; for trees whose nodes have two children."""
        return self._nth_child(1)

    @property
    def missing_go_to_left(self) -> np.ndarray:
        """(m,) uint8: whether missing values go to child 0."""
        return (self.missing == 0).astype(np.uint8)

    @property
    def n_outputs(self) -> int:
        """How many targets, or numbers, the tree answers."""
        return 1 if self.output_sizes is None else len(self.output_sizes)

    @property
    def n_classes(self) -> np.ndarray:
        """(O,) how many classes each output has; 1 for a number."""
        return np.array([self.values.shape[1]]) if self.output_sizes is None else self.output_sizes

    @property
    def max_n_classes(self) -> int:
        """The largest of ``n_classes``."""
        return int(self.n_classes.max())

    @property
    def value(self) -> np.ndarray:
        """(m, O, K) ``values`` as in scikit-learn: node, output, class; 0 where an output has fewer classes.

        >>> from assay.trees import DecisionTreeClassifier
        >>> DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_.value.tolist()
        [[[0.6666666666666666, 0.3333333333333333]], [[1.0, 0.0]], [[0.0, 1.0]]]
        """
        m, sizes = self.node_count, self.n_classes
        if (sizes == sizes[0]).all():
            return self.values.reshape(m, len(sizes), -1)
        table = np.zeros((m, len(sizes), int(sizes.max())))
        for o, share in enumerate(np.split(self.values, np.cumsum(sizes)[:-1], axis=1)):
            table[:, o, : share.shape[1]] = share
        return table

    def _nth_child(self, which: int) -> np.ndarray:
        children = np.full(self.node_count, -1, np.int64)
        inner = np.flatnonzero(self.n_children > which)
        children[inner] = self.child[self.offset[inner] + which]
        return children

    def subset(self, node: int) -> np.ndarray:
        """The category codes that a SUBSET node sends to child 0, ascending."""
        words = self.sets[self.set_offset[node] : self.set_offset[node + 1]]
        bits = np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little")
        return np.flatnonzero(bits)

    def second(self, node: int) -> float:
        """The upper threshold of a TERNARY node."""
        return float(self.sets[self.set_offset[node] : self.set_offset[node] + 2].copy().view(np.float64)[0])

    def compute_feature_importances(self, normalize: bool = True) -> np.ndarray:
        """(d,) how much the tests of each column lower the impurity, weighted by the rows they see."""
        share = self.weighted_n_node_samples * self.impurity
        gained = np.bincount(
            self.feature[~self.is_leaf], weights=share[~self.is_leaf], minlength=self.n_features
        )
        lost = np.bincount(self.feature[self.parent[1:]], weights=share[1:], minlength=self.n_features)
        importances = np.maximum(gained - lost, 0) / max(self.weighted_n_node_samples[0], 1e-300)
        total = importances.sum()
        return importances / total if normalize and total > 0 else importances

    # ------------------------------------------------------------------ what a tree answers

    def apply(self, X: np.ndarray) -> np.ndarray:
        """(n,) the leaf that each row, dense or sparse, reaches; one that is spread follows its heaviest branches."""
        if not isinstance(X, np.ndarray) and hasattr(X, "tocsr"):
            leaf = np.empty(X.shape[0], np.int32)
            self._over_sparse(X, lambda rows, at: _routing.apply_sparse(self._nodes, leaf=leaf[at], **rows))
            return leaf
        X = self._block(X)
        if self._worth_packing(len(X)) and self._walker is not None:
            return self._walker.apply(X)[:, 0]
        leaf = np.empty(len(X), np.int32)
        self._over_blocks(len(X), lambda at: _routing.apply(self._nodes, X[at], leaf[at]))
        return leaf

    def predict(self, X: np.ndarray) -> np.ndarray:
        """(n, V) the value of the leaf that each row reaches, or the mixture over the leaves it is spread over."""
        if not isinstance(X, np.ndarray) and hasattr(X, "tocsr"):
            out = np.zeros((X.shape[0], self.values.shape[1]))
            self._over_sparse(
                X,
                lambda rows, at: _routing.predict_sparse(self._nodes, value=self.values, out=out[at], **rows),
            )
            return out
        X = self._block(X)
        if self._worth_packing(len(X)) and self._walker is not None:
            return self._walker.sums(X)
        out = np.zeros((len(X), self.values.shape[1]))
        self._over_blocks(len(X), lambda at: _routing.predict(self._nodes, X[at], self.values, out[at]))
        return out

    def decision_path(self, X: Any) -> Any:
        """(n, m) sparse: 1 at the nodes that each row passes."""
        leaf = self.apply(X)
        indptr = np.concatenate(([0], np.cumsum(self.depth[leaf] + 1, dtype=np.int64)))
        indices = np.empty(indptr[-1], np.int32)
        _routing.ancestors(leaf, self.parent, indptr, indices)
        ones = np.ones(len(indices), np.int64)
        return compressed_matrix("csr_matrix", ones, indices, indptr, (len(leaf), self.node_count))

    def path(self, x: np.ndarray) -> list[tuple[int, int]]:
        """The nodes that one row passes, each with the number of the branch it takes there; -1 at the leaf."""
        node = int(self.apply(np.reshape(x, (1, -1)))[0])
        steps = [(node, -1)]
        while self.parent[node] >= 0:
            steps.append((int(self.parent[node]), int(self.branch[node])))
            node = int(self.parent[node])
        return steps[::-1]

    def _block(self, X: np.ndarray) -> np.ndarray:
        X = np.ascontiguousarray(X)
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(f"Tree: expected rows of {self.n_features} columns, got shape {X.shape}.")
        return X if X.dtype in (np.float64, np.float32) else X.astype(np.float64)

    def _over_sparse(self, X: Any, work: Any) -> None:
        n, d = X.shape
        if d != self.n_features:
            raise ValueError(f"Tree: expected rows of {self.n_features} columns, got shape {X.shape}.")
        start, column, value = csr_arrays(X.tocsr(), np.float64)

        def block(at: slice) -> None:
            work({"starts": start[at.start : at.stop + 1], "columns": column, "values": value}, at)

        self._over_blocks(n, block)

    def _over_blocks(self, n: int, work: Any) -> None:
        if n <= BLOCK:
            work(slice(0, n))
        else:
            in_threads(work, [slice(a, min(a + BLOCK, n)) for a in range(0, n, BLOCK)])

    def _worth_packing(self, n: int) -> bool:
        return "_walker" in vars(self) or n * (self.node_count.bit_length() - 4) >= MIN_PACKED_STEPS

    @cached_property
    def _walker(self) -> ForestWalker | None:
        """The same tree in packed nodes, which are walked faster; None if some node is of another kind."""
        inner = ~self.is_leaf
        if self.surrogates is not None or (self.kind > SUBSET).any() or (self.missing[inner] < 0).any():
            return None
        from assay.trees.forest_walker import ForestWalker

        return ForestWalker.from_trees([self])

    @cached_property
    def _nodes(self) -> Any:
        """The arrays as the native code walks them: looked through once, whoever made them."""
        s = self.surrogates or Surrogates(*(np.zeros(0, dtype) for dtype in SURROGATE_TYPES))
        surrogates = _routing.Surrogates(
            offset=s.offset,
            feature=s.feature,
            kind=s.kind,
            threshold=s.threshold,
            set_offset=s.set_offset,
            sets=s.sets,
            flip=s.flip,
        )
        return _routing.Nodes(
            feature=self.feature,
            kind=self.kind,
            threshold=self.threshold,
            offset=self.offset,
            child=self.child,
            set_offset=self.set_offset,
            sets=self.sets,
            missing=self.missing,
            weight=self.weighted_n_node_samples,
            surrogates=surrogates,
            n_features=self.n_features,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_nodes"}

    # ------------------------------------------------------------------ trees from files

    def check(self) -> None:
        """Raise a ValueError unless the arrays make up a tree that can be walked without harm."""
        from assay.trees.tree_checks import check_tree

        check_tree(self)

    def _check_stored(self) -> None:
        self.check()


SURROGATE_TYPES = (np.int32, np.int32, np.uint8, np.float64, np.int32, np.uint32, np.uint8)


def as_words(codes: Iterable[int], n_categories: int) -> np.ndarray:
    """The uint32 words of a set of category codes: bit c says that c is in it.

    >>> from assay.trees.tree import as_words
    >>> as_words([0, 2, 33], 40)
    array([5, 2], dtype=uint32)
    """
    bits = np.zeros(-(-max(n_categories, 1) // 32) * 32, np.uint8)
    bits[np.asarray(list(codes), np.int64)] = 1
    return np.packbits(bits, bitorder="little").view("<u4").astype(np.uint32)


def _kind(node: Mapping[str, Any]) -> int:
    if "children" not in node:
        return LEAF
    if "subset" in node:
        return SUBSET
    if "threshold" not in node:
        return NWAY
    return TERNARY if "second" in node else THRESHOLD


def _words(node: Mapping[str, Any], kind: int, n_categories: Sequence[int]) -> np.ndarray:
    if kind == SUBSET:
        return as_words(node["subset"], n_categories[node["feature"]])
    if kind == TERNARY:
        return np.array([node["second"]], np.float64).view(np.uint32)
    return np.zeros(0, np.uint32)


def _children(parent: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """offset and child of nodes in preorder, given each node's parent."""
    child = np.argsort(parent[1:], kind="stable").astype(np.int32) + 1
    counts = np.bincount(parent[1:], minlength=len(parent)) if len(parent) > 1 else np.zeros(1, np.int64)
    return _starts(counts), child.astype(np.int32)


def _starts(lengths: np.ndarray) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)


def _ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """starts[0], ..., starts[0] + lengths[0] - 1, starts[1], ..."""
    total = int(lengths.sum())
    shift = np.repeat(np.asarray(starts, np.int64) - np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths)
    return np.arange(total) + shift


def _kept_surrogates(s: Surrogates | None, keep: np.ndarray, leaf: np.ndarray) -> Surrogates | None:
    if s is None:
        return None
    counts = np.where(leaf, 0, np.diff(s.offset)[keep])
    at = _ranges(s.offset[:-1][keep], counts)
    lengths = np.diff(s.set_offset)[at]
    return Surrogates(
        offset=_starts(counts),
        feature=s.feature[at],
        kind=s.kind[at],
        threshold=s.threshold[at],
        set_offset=_starts(lengths),
        sets=s.sets[_ranges(s.set_offset[:-1][at], lengths)],
        flip=s.flip[at],
    )
