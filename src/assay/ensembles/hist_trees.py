"""The trees of a boosted sum, end to end in flat arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import assay.ensembles._hist_trees as _hist_trees
from assay.core.parallel import in_threads
from assay.core.stored import FloatArray, IntArray, OffsetArray
from assay.trees.tree import LEAF, SUBSET, THRESHOLD, Tree

__all__ = ["BoostedTrees", "Grown"]

BLOCK = 8192  # rows that one thread takes at a time


@dataclass(frozen=True)
class Grown:
    """One tree, as the native code hands it over; the arrays mean what they mean in :class:`BoostedTrees`."""

    column: np.ndarray
    number: np.ndarray
    right: np.ndarray
    missing_left: np.ndarray
    rows: np.ndarray
    gain: np.ndarray
    set_start: np.ndarray
    sets: np.ndarray
    leaf: np.ndarray  # (leaves,) its leaves, from left to right
    leaf_start: np.ndarray  # (leaves,) where the rows of each begin among the rows by leaf
    depth: int  # tests on the longest way down


@dataclass(frozen=True, eq=False)
class BoostedTrees:
    """Trees of tests on single columns whose leaves' values are added up.

    Nodes stand in preorder, tree after tree: the left child of a node follows it. Tree t adds to score t mod K.

    Attributes
    ----------
    start : (T + 1,) int32
        Tree t has the nodes ``start[t]`` to ``start[t + 1]``.
    column : (m,) int32, -1 at leaves
    number : (m,) float64
        At a numeric test the threshold: x goes left if x <= number. At a leaf its value.
    right : (m,) int32
        The right child, counted from the tree's first node.
    missing_left : (m,) uint8
        Whether missing values go left; so do categories that training did not know.
    rows : (m,) int32       training rows at the node
    gain : (m,) float64     by how much the test lowered the loss, to second order
    set_start, sets : (m + 1,) int32, (words,) uint32
        Nominal tests: bit c of the node's words says that category c goes left.
    n_categories : (d,) int32, 0 for numeric columns

    Examples
    --------
    >>> from assay.ensembles import HistGradientBoostingRegressor
    >>> model = HistGradientBoostingRegressor(max_iter=2, min_samples_leaf=1).fit([[1.0], [2.0]], [0.0, 8.0])
    >>> model.trees_.n_trees, model.trees_.number.round(3)
    (2, array([ 1.5 , -0.4 ,  0.4 ,  1.5 , -0.36,  0.36]))
    """

    start: np.ndarray
    column: np.ndarray
    number: np.ndarray
    right: np.ndarray
    missing_left: np.ndarray
    rows: np.ndarray
    gain: np.ndarray
    set_start: np.ndarray
    sets: np.ndarray
    n_categories: np.ndarray
    stored = {
        "start": OffsetArray("t + 1", end="m"),
        "column": IntArray("m", low=-2, below="d"),
        "number": FloatArray("m"),
        "right": IntArray("m"),
        "missing_left": IntArray("m"),
        "rows": IntArray("m", low=0),
        "gain": FloatArray("m"),
        "set_start": OffsetArray("m + 1", end="w"),
        "sets": IntArray("w"),
        "n_categories": IntArray("d", low=0),
    }

    @classmethod
    def of(
        cls, grown: list[Grown], n_categories: np.ndarray, before: BoostedTrees | None = None
    ) -> BoostedTrees:
        """These trees end to end, after those that were there before."""
        parts = ([before] if before is not None else []) + grown  # type: ignore[operator]

        def joined(name: str, dtype: type) -> np.ndarray:
            return np.concatenate([getattr(part, name) for part in parts] or [[]]).astype(dtype)

        sizes = [] if before is None else np.diff(before.start).tolist()
        sizes += [len(tree.column) for tree in grown]
        widths = [np.diff(part.set_start) for part in parts]
        return cls(
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
            joined("column", np.int32),
            joined("number", np.float64),
            joined("right", np.int32),
            joined("missing_left", np.uint8),
            joined("rows", np.int32),
            joined("gain", np.float64),
            np.concatenate([[0], np.cumsum(np.concatenate([np.empty(0), *widths]))]).astype(np.int32),
            joined("sets", np.uint32),
            n_categories.astype(np.int32),
        )

    @property
    def n_trees(self) -> int:
        return len(self.start) - 1

    @cached_property
    def _native(self) -> _hist_trees.Trees:
        """What native code walks, once it is known to hold together: a model may come from an untrusted file."""
        return _hist_trees.Trees(
            start=self.start,
            column=self.column,
            number=self.number,
            right=self.right,
            missing_left=self.missing_left,
            set_start=self.set_start,
            sets=self.sets,
            categories=self.n_categories,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_native"}

    def _check_stored(self) -> None:
        m = len(self.column)
        if not self._native or len(self.rows) != m or len(self.gain) != m or (self.rows < 0).any():
            raise ValueError("BoostedTrees: each node needs a number of rows and a gain.")

    def add_scores(
        self, X: np.ndarray, out: np.ndarray, first: int = 0, last: int | None = None
    ) -> np.ndarray:
        """Add the values of trees ``first`` to ``last`` for the rows of X to ``out`` (n, K)."""
        trees, n = self._native, len(X)
        last = self.n_trees if last is None else last
        X = np.ascontiguousarray(X)
        if n * (last - first) < 100_000:
            _hist_trees.add_scores(trees=trees, t0=first, t1=last, X=X, a=0, b=n, out=out)
            return out

        def block(a: int) -> None:
            b = min(a + BLOCK, n)
            _hist_trees.add_scores(trees=trees, t0=first, t1=last, X=X, a=a, b=b, out=out)

        in_threads(block, range(0, n, BLOCK))
        return out

    def gains(self) -> np.ndarray:
        """(d,) the sum of the gains of the tests on each column."""
        tests = self.column >= 0
        return np.bincount(self.column[tests], weights=self.gain[tests], minlength=len(self.n_categories))

    def tree(self, t: int) -> Tree:
        """Tree t alone, to be read and drawn like any other; an inner node's value is its leaves' mean."""
        at = slice(int(self.start[t]), int(self.start[t + 1]))
        column, right, rows = self.column[at], self.right[at], self.rows[at]
        m = len(column)
        test = column >= 0
        value = np.where(test, 0.0, self.number[at])
        for i in range(m - 1, -1, -1):  # children stand behind their parents
            if test[i]:
                l, r = i + 1, right[i]
                value[i] = (rows[l] * value[l] + rows[r] * value[r]) / max(1, rows[l] + rows[r])
        nominal = test & (self.n_categories[column] > 0)
        child = np.column_stack([np.arange(1, m + 1), right])[test].ravel()
        sets = self.sets[self.set_start[at.start] : self.set_start[at.stop]]
        return Tree(
            feature=np.where(test, column, -2).astype(np.int32),
            kind=np.where(nominal, SUBSET, np.where(test, THRESHOLD, LEAF)).astype(np.uint8),
            threshold=np.where(test & ~nominal, self.number[at], -2.0),
            offset=np.concatenate([[0], np.cumsum(2 * test)]).astype(np.int32),
            child=child.astype(np.int32),
            set_offset=(self.set_start[at.start : at.stop + 1] - self.set_start[at.start]).astype(np.int32),
            sets=sets,
            missing=np.where(test, 1 - self.missing_left[at].astype(np.int32), -1).astype(np.int32),
            values=value[:, None],
            impurity=np.zeros(m),
            n_node_samples=rows.astype(np.int64),
            weighted_n_node_samples=rows.astype(np.float64),
            n_categories=self.n_categories,
        )
