"""Trees packed flat for keeping: about 14 bytes a node, from which the trees grow back bit for bit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

import assay.trees._packed_forest as _packed_forest
from assay.core.stored import CodeArray, FloatArray, IntArray, Integer, NumberArray, OffsetArray
from assay.trees.forest_walker import MISSING_FIRST, ForestWalker, refuse
from assay.trees.tree import LEAF, SUBSET, THRESHOLD, Tree

__all__ = ["PackedForest"]


@dataclass(frozen=True, eq=False)
class PackedForest:
    """Many binary trees, end to end, without anything that follows from the rest.

    In preorder the kinds of the nodes alone say which node is whose child. What only inner nodes have stands once
    per inner node, what follows from the leaves stands at the leaves. Class shares are kept as the weights of the
    classes that occur in a leaf, so a pure leaf takes three bytes however many classes there are. Whole numbers
    take the smallest type that holds them.

    Attributes
    ----------
    roots : (T + 1,) int64
        Where each tree's nodes begin.
    kind : (N,) uint8
        LEAF, THRESHOLD or SUBSET, plus 128 where missing values go to the first child.
    feature : (inner nodes,)      threshold : (THRESHOLD nodes,) float64
    set_length, sets : (SUBSET nodes,), (words,) uint32
        How many words each set has, and the words.
    impurity : (N,) float64, or empty      samples : (leaves,) rows at each leaf
    n_present, present, present_weight : (leaves,), (pairs,), (pairs,)
        Of each leaf: how many classes occur in it, which, with what weight. Empty if ``value`` is kept.
    value, weight : (leaves or N, V) float64, (leaves,)
        The numbers that leaves answer and their weights; of all nodes where inner nodes' numbers are no means of
        their leaves'.
    n_categories : (d,) int32      n_classes : int, 0 for numbers
    """

    roots: np.ndarray
    kind: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    set_length: np.ndarray
    sets: np.ndarray
    impurity: np.ndarray
    samples: np.ndarray
    n_present: np.ndarray
    present: np.ndarray
    present_weight: np.ndarray
    value: np.ndarray
    weight: np.ndarray
    n_categories: np.ndarray
    n_classes: int
    stored = {
        "kind": IntArray("m"),
        "roots": OffsetArray("t + 1", end="m"),
        "feature": CodeArray("i", below="d"),
        "n_categories": IntArray("d", low=0),
        "threshold": FloatArray("*"),
        "set_length": IntArray("*"),
        "sets": IntArray("*"),
        "impurity": FloatArray("*"),
        "samples": IntArray("l"),
        "n_present": IntArray("*"),
        "present": IntArray("*"),
        "present_weight": NumberArray("*", low=0),
        "value": FloatArray("*", "*"),
        "weight": NumberArray("*", low=0),
        "n_classes": Integer(high=2**31),
    }

    @classmethod
    def of(cls, trees: Iterable[Tree], n_classes: int = 0) -> PackedForest:
        """Pack trees; ``n_classes`` above 0 says that their values are class shares.

        >>> from assay.trees.packed_forest import PackedForest
        >>> from assay.trees.tree import Tree
        >>> stump = Tree.of({"feature": 0, "threshold": 2.5, "missing": 1, "children": [
        ...     {"value": [1.0, 0.0], "n": 3}, {"value": [0.25, 0.75], "n": 4}]}, n_categories=[0])
        >>> packed = PackedForest.of([stump, stump], n_classes=2)
        >>> len(packed), packed.present_weight.tolist()
        (2, [3, 1, 3, 3, 1, 3])
        >>> packed.tree(1).values.round(3).tolist() == stump.values.round(3).tolist()
        True
        """
        return cls.join([_pack(tree, n_classes) for tree in trees])

    @classmethod
    def join(cls, parts: Sequence[PackedForest]) -> PackedForest:
        """All trees of several packed forests, in order."""
        if len(parts) == 1:
            return parts[0]
        if len({(len(p.value) == len(p.kind), len(p.value) > 0) for p in parts}) > 1:
            parts = [cls.of_whole(p) for p in parts]
        ends = np.cumsum([0] + [p.roots[-1] for p in parts])
        joined = {
            f.name: np.concatenate([getattr(p, f.name) for p in parts])
            for f in fields(cls)
            if f.name not in ("roots", "n_categories", "n_classes")
        }
        for name in ("feature", "set_length", "samples", "n_present", "present", "present_weight", "weight"):
            joined[name] = _small(joined[name])
        return cls(
            roots=np.concatenate([[0]] + [p.roots[1:] + e for p, e in zip(parts, ends)]).astype(np.int64),
            n_categories=parts[0].n_categories,
            n_classes=parts[0].n_classes,
            **joined,
        )

    @classmethod
    def of_whole(cls, packed: PackedForest) -> PackedForest:
        """The same trees with the values of all nodes written out."""
        trees = [packed.tree(t) for t in range(len(packed))]
        parts = [_pack(tree, packed.n_classes, whole=True) for tree in trees]
        return parts[0] if len(parts) == 1 else cls.join(parts)

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # the walker grows back

    def __len__(self) -> int:
        return len(self.roots) - 1

    @property
    def node_count(self) -> int:
        """How many nodes all trees have together."""
        return len(self.kind)

    def tree(self, t: int) -> Tree:
        """Tree number t, grown back."""
        self.walker  # noqa: B018  checks the arrays, once
        a, b = self._places[:, t], self._places[:, t + 1]
        node, inner, cut, subset, word, leaf, pair = (slice(*ends) for ends in zip(a.tolist(), b.tolist()))
        kind = self.kind[node] & ~np.uint8(MISSING_FIRST)
        is_leaf, m = kind == LEAF, int(b[0] - a[0])
        above = np.flatnonzero(~is_leaf)
        first, second = above + 1, self.walker.right[node][above] - int(a[0])
        parent = np.full(m, -1, np.int32)
        parent[first] = parent[second] = above
        child = np.empty(m - 1, np.int32)
        child[0::2], child[1::2] = first, second
        feature = np.full(m, -2, np.int32)
        feature[above] = self.feature[inner]
        threshold = np.full(m, -2.0)
        threshold[kind == THRESHOLD] = self.threshold[cut]
        lengths = np.zeros(m, np.int64)
        lengths[kind == SUBSET] = self.set_length[subset]
        samples = _gathered(self.samples[leaf], is_leaf, parent)
        value, weight = self._values(node, leaf, pair, is_leaf, parent)
        return Tree(
            feature=feature,
            kind=kind,
            threshold=threshold,
            offset=np.concatenate(([0], np.cumsum(2 * ~is_leaf))).astype(np.int32),
            child=child,
            set_offset=np.concatenate(([0], np.cumsum(lengths))).astype(np.int32),
            sets=self.sets[word],
            missing=np.where(is_leaf, -1, (self.kind[node] & MISSING_FIRST) == 0).astype(np.int32),
            values=value,
            impurity=self.impurity[node] if len(self.impurity) else np.zeros(m),
            n_node_samples=samples[:, 0].astype(np.int64),
            weighted_n_node_samples=weight,
            n_categories=self.n_categories,
        )

    @cached_property
    def parent(self) -> np.ndarray:
        """(N,) the node above each node, among the nodes of all trees; -1 above roots."""
        above = np.flatnonzero(self.kind & ~np.uint8(MISSING_FIRST)).astype(np.int32)
        parent = np.full(self.node_count, -1, np.int32)
        parent[self.walker.right[above]] = parent[above + 1] = above
        return parent

    def weights(self) -> np.ndarray:
        """(N,) the weight of the training rows at each node of all trees."""
        is_leaf = self.kind & ~np.uint8(MISSING_FIRST) == LEAF
        if len(self.value):
            return _gathered(self.weight, is_leaf, self.parent)[:, 0]
        ends = np.cumsum(self.n_present, dtype=np.int64)
        at_leaves = np.add.reduceat(self.present_weight, ends - self.n_present, dtype=np.float64)
        return _gathered(at_leaves, is_leaf, self.parent)[:, 0]

    def without_history(self) -> PackedForest:
        """The same trees without the impurities of their nodes, which no prediction needs."""
        return replace(self, impurity=np.zeros(0))

    @cached_property
    def walker(self) -> ForestWalker:
        """The same trees as they are walked; a ValueError if the arrays do not make up trees."""
        places = self._places
        if len(self.value) == len(self.kind) and len(self.samples) < len(self.kind):
            leaves = self.value[self.kind & ~np.uint8(MISSING_FIRST) == LEAF]
        elif len(self.value):
            leaves = self.value
        else:
            return self._walker_of_shares(places)
        return ForestWalker.of_packed(self, *_distinct(leaves))

    def _walker_of_shares(self, places: np.ndarray) -> ForestWalker:
        """The shares of some trees at a time, so that the table of all leaves and all classes never exists."""
        tables, numbers, known = [np.zeros((0, self.n_classes))], [], 0
        step = max(1, len(self) * (1 << 20) // max(1, len(self.samples) * self.n_classes))
        for t in range(0, len(self), step):
            end = min(t + step, len(self))
            weights = self._class_weights(*(slice(*places[k, [t, end]].tolist()) for k in (5, 6)))
            rows, number = _distinct(weights / weights.sum(axis=1, keepdims=True))
            tables.append(rows)
            numbers.append(number + known)
            known += len(rows)
        rows, merged = _distinct(np.concatenate(tables))
        return ForestWalker.of_packed(self, rows, merged[np.concatenate(numbers)])

    def _class_weights(self, leaf: slice, pair: slice) -> np.ndarray:
        """(leaves, K) the weight of each class at some leaves."""
        n_present = self.n_present[leaf]
        weights = np.zeros((len(n_present), self.n_classes))
        at = np.repeat(np.arange(len(n_present)), n_present)
        weights[at, self.present[pair]] = self.present_weight[pair]
        return weights

    def _values(
        self, node: slice, leaf: slice, pair: slice, is_leaf: np.ndarray, parent: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """(m, V) the values of a tree's nodes and (m,) their weights."""
        if len(self.value) == 0:
            weights = _gathered(self._class_weights(leaf, pair), is_leaf, parent)
            total = weights.sum(axis=1)
            return weights / total[:, None], total
        weight = _gathered(self.weight[leaf], is_leaf, parent)[:, 0]
        if len(self.value) == len(self.kind):
            return self.value[node], weight
        return _means(self.value[leaf], self.weight[leaf], is_leaf, parent), weight

    @cached_property
    def _places(self) -> np.ndarray:
        """(7, T + 1) where the nodes, inner nodes, thresholds, sets, words, leaves, pairs of each tree begin."""
        _require(
            all(isinstance(getattr(self, name), np.ndarray) for name in _TYPES), "parts that are no arrays"
        )
        for name, kinds in _TYPES.items():
            array = getattr(self, name)
            _require(array.dtype.kind in kinds and array.ndim == 1 + (name == "value"), name)
        what = self.kind & ~np.uint8(MISSING_FIRST)
        N, L = len(self.kind), int(np.count_nonzero(what == LEAF))
        roots = self.roots
        _require(len(roots) > 0 and roots[0] == 0 and roots[-1] == N and (np.diff(roots) > 0).all(), "roots")
        _require(
            (what <= SUBSET).all() and len(self.impurity) in (0, N) and len(self.samples) == L,
            "kind or samples",
        )
        _require(len(self.feature) == N - L, "feature")
        if len(self.value):
            _require(len(self.value) in (L, N) and len(self.weight) == L, "value or weight")
            pairs = np.zeros(N + 1, np.int64)
        else:
            _require(len(self.n_present) == L and self.n_classes > 0, "n_present")
            _require(self.value.shape[1] == self.n_classes, "n_classes")
            _require(
                (self.n_present >= 1).all() and self.n_present.sum(dtype=np.int64) == len(self.present),
                "present",
            )
            _require(len(self.present_weight) == len(self.present), "present_weight")
            _require(
                int(self.present.max(initial=0)) < self.n_classes and (self.present_weight > 0).all(),
                "present",
            )
            pairs = _counted(what == LEAF, self.n_present)
        counts = [np.concatenate(([0], np.cumsum(what == k))) for k in (LEAF, THRESHOLD, SUBSET)]
        _require(
            counts[1][-1] == len(self.threshold) and counts[2][-1] == len(self.set_length),
            "threshold or sets",
        )
        _require(self.set_length.sum(dtype=np.int64) == len(self.sets), "sets")
        asked = self.feature[what[what != LEAF] == SUBSET].astype(np.int64)
        _require(not len(asked) or asked.max() < len(self.n_categories), "feature")
        words = (self.n_categories.astype(np.int64)[asked] + 31) // 32
        _require((words == self.set_length).all() and (words > 0).all(), "n_categories or set_length")
        nodes, before = np.arange(N + 1), _counted(what == SUBSET, self.set_length)
        rows = (nodes, nodes - counts[0], counts[1], counts[2], before, counts[0], pairs)
        return np.stack([row[roots] for row in rows])

    def _check_stored(self) -> None:
        self.walker  # noqa: B018


_TYPES = {
    **dict.fromkeys(("roots", "n_categories"), "i"),
    **dict.fromkeys(("kind", "feature", "set_length", "sets", "samples", "n_present", "present"), "u"),
    **dict.fromkeys(("threshold", "impurity", "value"), "f"),
    **dict.fromkeys(("present_weight", "weight"), "uf"),
}


_none = np.zeros(0, np.uint8)


def _pack(tree: Tree, n_classes: int, whole: bool = False) -> PackedForest:
    refuse(tree)
    kind, leaf = tree.kind, tree.is_leaf
    inner = ~leaf
    value, weight = tree.values[:0], _none
    n_present, present, present_weight = _none, _none, _none
    if n_classes and not whole:
        follows, n_present, present, present_weight = _packed_forest.class_weights(
            kind, tree.offset, tree.child, tree.values, tree.weighted_n_node_samples
        )
        if not follows:
            return _pack(tree, n_classes, whole=True)
    else:
        value, weight = tree.values[leaf], tree.weighted_n_node_samples[leaf]
        if whole or not np.allclose(_means(value, weight, leaf, tree.parent), tree.values, rtol=1e-9, atol=0):
            value = tree.values
    return PackedForest(
        roots=np.array([0, tree.node_count], np.int64),
        kind=kind | np.where(inner & (tree.missing == 0), MISSING_FIRST, 0).astype(np.uint8),
        feature=_small(tree.feature[inner]),
        threshold=tree.threshold[kind == THRESHOLD],
        set_length=_small(np.diff(tree.set_offset)[kind == SUBSET]),
        sets=tree.sets,
        impurity=tree.impurity,
        samples=_small(tree.n_node_samples[leaf]),
        n_present=_small(n_present),
        present=_small(present),
        present_weight=_small(present_weight),
        value=value,
        weight=_small(weight),
        n_categories=tree.n_categories,
        n_classes=n_classes,
    )


def _means(value: np.ndarray, weight: np.ndarray, leaf: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """(m, V) the leaves' values, and the weighted means of them at inner nodes."""
    sums = _gathered(np.column_stack((value * weight[:, None], weight)), leaf, parent)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums[:, :-1] / sums[:, -1:]
    means[leaf] = value
    return means


def _gathered(at_leaves: np.ndarray, leaf: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """(m, V) sums over the leaves below each node."""
    at_leaves = at_leaves[:, None] if at_leaves.ndim == 1 else at_leaves
    sums = np.zeros((len(leaf), at_leaves.shape[1]))
    sums[leaf] = at_leaves
    _packed_forest.gather_up(parent, sums)
    return sums


def _distinct(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows of a table, and for each row the number of its like."""
    rows = np.ascontiguousarray(rows)
    number, example = np.empty(len(rows), np.int32), np.empty(len(rows), np.int32)
    count = _packed_forest.distinct(rows, number, example)
    return rows[example[:count]], number


def _small(numbers: np.ndarray) -> np.ndarray:
    """The same numbers in the smallest unsigned type, if they are whole and not negative."""
    if numbers.dtype.kind == "f":
        if (numbers != np.rint(numbers)).any() or numbers.max(initial=0.0) >= 2**32:
            return numbers
        numbers = numbers.astype(np.int64)
    largest = int(numbers.max(initial=0))
    return numbers.astype(np.uint8 if largest < 1 << 8 else np.uint16 if largest < 1 << 16 else np.uint32)


def _counted(mask: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """(N + 1,) how much of something there is before each node, if nodes that are ``there`` have so much."""
    per_node = np.zeros(len(mask) + 1, np.int64)
    per_node[1:][mask] = lengths
    return np.cumsum(per_node)


def _require(holds: object, what: str) -> None:
    if not holds:
        raise ValueError(f"PackedForest: not trees ({what}).")
