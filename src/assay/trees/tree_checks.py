"""Whether arrays make up a tree: checked once for an untrusted file, before native code follows its indices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from assay.trees.tree import NWAY, SUBSET, SURROGATE_TYPES, TERNARY, THRESHOLD, Surrogates, Tree

__all__ = ["check_tree"]

_TYPES = {
    **dict.fromkeys(("feature", "offset", "child", "set_offset", "missing", "n_categories"), np.int32),
    **dict.fromkeys(("threshold", "values", "impurity", "weighted_n_node_samples"), np.float64),
    "kind": np.uint8,
    "sets": np.uint32,
    "n_node_samples": np.int64,
}


def check_tree(tree: Tree) -> None:
    """Raise a ValueError unless the arrays make up a tree that can be walked without harm."""
    m, d = len(tree.feature), len(tree.n_categories)
    _require_types(tree, _TYPES)
    shapes = {"kind": m, "threshold": m, "missing": m, "impurity": m, "n_node_samples": m, "values": m}
    shapes |= {"weighted_n_node_samples": m, "offset": m + 1, "set_offset": m + 1, "child": m - 1}
    for name, length in shapes.items():
        _require(len(getattr(tree, name)) == length, f"{name} does not have one entry per node")
    _require(m > 0 and tree.values.ndim == 2, "there is no node, or values is no table")
    if tree.output_sizes is not None:
        _require_types(tree, {"output_sizes": np.int32})
        sizes = tree.output_sizes
        _require(
            len(sizes) and (sizes > 0).all() and sizes.sum(dtype=np.int64) == tree.values.shape[1],
            "output_sizes",
        )
    _require(tree.offset[0] == 0 and tree.offset[-1] == m - 1, "offset")
    _require((tree.offset[1:] >= tree.offset[:-1]).all(), "offset")  # differences could wrap around
    above = np.repeat(np.arange(m), tree.n_children)
    _require(np.array_equal(np.sort(tree.child), np.arange(1, m)), "child")
    _require((tree.child > above).all(), "a child stands before its parent")
    inner = ~tree.is_leaf
    _require((tree.kind <= TERNARY).all() and (tree.feature[inner] >= 0).all(), "kind or feature")
    _require((tree.feature[inner] < d).all(), "a node tests a column that is not there")
    wanted = np.choose(np.minimum(tree.kind, TERNARY), (0, 2, 2, 0, 3))
    nway = tree.kind == NWAY
    wanted[nway] = tree.n_categories[tree.feature[nway]]
    _require((tree.n_children == wanted).all(), "a node has too few or too many children")
    _require(((tree.missing >= -1) & (tree.missing < np.maximum(tree.n_children, 1))).all(), "missing")
    _check_sets(tree.kind, tree.set_offset, tree.sets)
    subset = tree.kind == SUBSET
    bits = 32 * np.diff(tree.set_offset)[subset]
    _require((tree.n_categories[tree.feature[subset]] <= bits).all(), "a set does not name all categories")
    if tree.surrogates is not None:
        _check_surrogates(tree.surrogates, m, d, tree.n_children)


def _require(holds: Any, what: str) -> None:
    if not holds:
        raise ValueError(f"Tree: not a tree ({what}).")


def _require_types(owner: Any, types: Mapping[str, Any]) -> None:
    for name, dtype in types.items():
        array = getattr(owner, name)
        sound = isinstance(array, np.ndarray) and array.dtype == dtype and array.flags.c_contiguous
        _require(sound and array.ndim == (2 if name == "values" else 1), f"{name} is of the wrong type")


def _check_sets(kind: np.ndarray, set_offset: np.ndarray, sets: np.ndarray) -> None:
    _require(set_offset[0] == 0 and set_offset[-1] == len(sets), "set_offset")
    _require((set_offset[1:] >= set_offset[:-1]).all(), "set_offset")
    lengths = np.diff(set_offset)
    _require((lengths[kind == TERNARY] == 2).all(), "a second threshold is not there")


def _check_surrogates(s: Surrogates, m: int, d: int, n_children: np.ndarray) -> None:
    _require_types(s, dict(zip((f.name for f in fields(Surrogates)), SURROGATE_TYPES)))
    count = len(s.feature)
    _require(len(s.offset) == m + 1 and len(s.set_offset) == count + 1, "surrogates")
    _require(len(s.kind) == len(s.threshold) == len(s.flip) == count, "surrogates")
    per_node = np.diff(s.offset)
    _require(
        s.offset[0] == 0 and s.offset[-1] == count and (s.offset[1:] >= s.offset[:-1]).all(), "surrogates"
    )
    _require((per_node[n_children != 2] == 0).all(), "only nodes with two children have surrogates")
    _require(((s.feature >= 0) & (s.feature < d)).all(), "surrogates")
    _require(np.isin(s.kind, (THRESHOLD, SUBSET)).all() and (s.flip <= 1).all(), "surrogates")
    _check_sets(s.kind, s.set_offset, s.sets)
