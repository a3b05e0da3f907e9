"""Many trees in one set of arrays, as ensembles keep them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from assay.core.stored import CodeArray, FloatArray, IntArray
from assay.trees.tree import Tree

__all__ = ["TreeList"]

_PER_NODE = ["feature", "kind", "threshold", "missing", "values", "impurity"]
_PER_NODE += ["n_node_samples", "weighted_n_node_samples"]
_OTHERS = ["offset", "child", "set_offset", "sets"]


@dataclass(frozen=True, eq=False)
class TreeList:
    """Trees end to end: the arrays of each behind those of the one before, so a file holds a dozen arrays in all.

    It is read like a list; the trees it gives are views of its arrays, equal bit for bit to those that went in. Trees
    with surrogates are kept in a plain list instead.

    Attributes
    ----------
    sizes, words : (T,) int64
        How many nodes, and how many words of category sets, each tree has.
    feature, kind, threshold, missing, values, impurity, n_node_samples, weighted_n_node_samples : (N, ...)
        What they are in :class:`~assay.trees.tree.Tree`, for the N nodes of all trees.
    offset, child, set_offset, sets : the same, numbered within each tree      n_categories : (d,)

    Examples
    --------
    >>> from assay.trees.tree import Tree
    >>> from assay.trees.tree_list import TreeList
    >>> stump = Tree.of({"feature": 0, "threshold": 2.5, "children": [
    ...     {"value": 1.0, "n": 3}, {"value": 4.0, "n": 4}]}, n_categories=[0])
    >>> trees = TreeList.of([stump, stump, stump])
    >>> len(trees), len(trees.feature), trees[2].threshold.tolist()
    (3, 9, [2.5, -2.0, -2.0])
    """

    sizes: np.ndarray
    words: np.ndarray
    feature: np.ndarray
    kind: np.ndarray
    threshold: np.ndarray
    missing: np.ndarray
    values: np.ndarray
    impurity: np.ndarray
    n_node_samples: np.ndarray
    weighted_n_node_samples: np.ndarray
    offset: np.ndarray
    child: np.ndarray
    set_offset: np.ndarray
    sets: np.ndarray
    n_categories: np.ndarray
    renamed = MappingProxyType({"value": "values"})  # in files of earlier versions; no field of its own
    stored = {
        "n_categories": IntArray("d", low=0),
        "feature": IntArray("m"),
        "sizes": CodeArray("t", low=1, below="m + 1"),
        "sets": IntArray("w"),
        "words": CodeArray("t", below="w + 1"),
        "kind": IntArray("m"),
        "missing": IntArray("m"),
        "n_node_samples": IntArray("m"),
        "threshold": FloatArray("m"),
        "impurity": FloatArray("m"),
        "weighted_n_node_samples": FloatArray("m"),
        "values": FloatArray("m", "o"),
        "offset": IntArray("m + t", low=0),
        "set_offset": IntArray("m + t", low=0),
        "child": IntArray("m - t", low=0),
    }

    @classmethod
    def of(cls, trees: Sequence[Tree] | TreeList) -> TreeList:
        """The list of these trees; there must be at least one, and all must have the same number of outputs."""
        if isinstance(trees, TreeList):
            return trees
        if any(tree.surrogates is not None for tree in trees):
            raise ValueError("TreeList: trees with surrogates are kept in a plain list.")
        arrays = {name: np.concatenate([getattr(t, name) for t in trees]) for name in (*_PER_NODE, *_OTHERS)}
        return cls(
            sizes=np.array([t.node_count for t in trees], np.int64),
            words=np.array([len(t.sets) for t in trees], np.int64),
            n_categories=trees[0].n_categories,
            **arrays,
        )

    @property
    def roots(self) -> np.ndarray:
        """(T + 1,) where the nodes of each tree begin."""
        return np.concatenate(([0], np.cumsum(self.sizes)))

    @cached_property
    def _trees(self) -> list[Tree]:
        """The trees as views; arrays that do not fit together are a ValueError."""
        sizes, words, ends = self.sizes, self.words, {}
        for name in (*_PER_NODE, *_OTHERS):
            extra = {"offset": 1, "set_offset": 1, "child": -1}.get(name, 0)
            ends[name] = np.cumsum(words if name == "sets" else sizes + extra)
            if len(sizes) == 0 or len(words) != len(sizes) or len(getattr(self, name)) != ends[name][-1]:
                raise ValueError(f"TreeList: {name} does not have one entry for each node.")
        cut = {name: np.split(getattr(self, name), at[:-1]) for name, at in ends.items()}
        return [self._tree({name: parts[t] for name, parts in cut.items()}) for t in range(len(sizes))]

    def _tree(self, arrays: dict[str, Any]) -> Tree:
        return Tree(n_categories=self.n_categories, **arrays)

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # the trees grow back

    def __len__(self) -> int:
        return len(self.sizes)

    def __getitem__(self, t: int) -> Tree:
        return self._trees[t]

    def __iter__(self) -> Iterator[Tree]:
        return iter(self._trees)

    def _check_stored(self) -> None:
        if not all(
            isinstance(a, np.ndarray) and a.ndim == 1 and a.dtype == np.int64
            for a in (self.sizes, self.words)
        ):
            raise ValueError("TreeList: sizes and words are whole numbers, one for each tree.")
        if (self.sizes < 1).any() or (self.words < 0).any():
            raise ValueError("TreeList: a tree has at least one node.")
        for tree in self._trees:
            tree.check()
