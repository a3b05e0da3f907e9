"""Many trees walked together: the sums of the leaves that rows reach."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

import assay.trees._packed_forest as _packed_forest
from assay.core.parallel import in_threads
from assay.trees._packed_forest import gather_up
from assay.trees.tree import SUBSET, Tree

if TYPE_CHECKING:
    from assay.trees.packed_forest import PackedForest

__all__ = ["ForestWalker", "gather_up"]

MISSING_FIRST = 0x80  # beside the kind of a node: missing values go to the first child
WORK = 1 << 19  # steps from node to node below which a second thread would only wait
NONE = np.zeros((0, 0), np.uint8)


class ForestWalker:
    r"""Binary trees end to end in nodes of 16 bytes, for prediction.

    Row x reaches leaf :math:`l_t(x)` of tree t with values :math:`v_{l}`; the answer of all trees is

    .. math:: s(x) = \sum_{t=1}^T v_{l_t(x)}                       \quad (1)

    added in the order of the trees, so it does not depend on threads, blocks or the other rows. Thresholds are
    compared as the float64 numbers they are. A node is the test ``x <= threshold`` or "category in set"; a missing
    value, or a category that the node does not know, goes where the node learned to send it. Trees with other nodes
    (one child per category, three intervals, missing values spread over all children) are refused.

    Cost: O(depth) per row and tree. A walker is made of a :class:`~assay.trees.packed_forest.PackedForest` or of a list
    of trees.

    Examples
    --------
    >>> from assay.trees.forest_walker import ForestWalker
    >>> from assay.trees.tree import Tree
    >>> stump = Tree.of({"feature": 0, "threshold": 2.5, "missing": 1, "children": [
    ...     {"value": 1.0, "n": 3}, {"value": 4.0, "n": 4}]}, n_categories=[0])
    >>> walker = ForestWalker.from_trees([stump, stump])
    >>> walker.sums(np.array([[2.5], [3.0], [np.nan]])).tolist()
    [[2.0], [8.0], [8.0]]
    """

    def __init__(
        self, nodes: np.ndarray, roots: np.ndarray, sets: np.ndarray, leaves: np.ndarray, n_features: int
    ):
        self._nodes, self.roots, self._sets, self.leaves = nodes, roots, sets, leaves
        self.n_features = n_features
        self.columns = np.zeros(len(roots) - 1, np.int32)  # where the values of each tree begin in the sums
        self.width = leaves.shape[1]

    @classmethod
    def from_trees(cls, trees: Sequence[Tree], columns: Sequence[int] | None = None) -> ForestWalker:
        """A walker over these trees.

        Parameters
        ----------
        trees : list of Tree, all with values of the same width V
        columns : (T,) column of the sums at which the values of each tree are added
            None adds all at column 0. With trees that answer one number each, ``[0, 1, 2, 0, 1, 2, ...]`` keeps the
            scores of three classes.
        """
        from assay.trees.packed_forest import PackedForest

        walker = PackedForest.of(trees).walker
        return walker if columns is None else walker.with_columns(columns)

    @classmethod
    def of_packed(cls, packed: PackedForest, leaves: np.ndarray, leaf_row: np.ndarray) -> ForestWalker:
        """The form of a packed forest that is walked, whose leaf number l answers ``leaves[leaf_row[l]]``."""
        nodes = np.empty((packed.node_count, 2), np.int64)
        d = len(packed.n_categories)
        lengths = packed.set_length.astype(np.int64)
        sets = np.insert(
            packed.sets, np.cumsum(lengths) - lengths, lengths.astype(np.uint32)
        )  # length, words, ...
        feature = packed.feature.astype(np.int32)
        _packed_forest.lay_out(
            roots=packed.roots,
            kind=packed.kind,
            feature=feature,
            threshold=np.ascontiguousarray(packed.threshold),
            sets=sets,
            leaf_row=leaf_row.astype(np.int32, copy=False),
            d=d,
            n_rows=len(leaves),
            nodes=nodes,
        )
        return cls(nodes, packed.roots, sets, np.ascontiguousarray(leaves), d)

    def with_columns(self, columns: Sequence[int] | np.ndarray) -> ForestWalker:
        """The same trees with values that are added at these columns of the sums."""
        places = np.ascontiguousarray(columns, np.int32)
        if places.shape != (len(self),) or (places < 0).any():
            raise ValueError(f"ForestWalker: expected {len(self)} column numbers, one per tree.")
        walker = ForestWalker(self._nodes, self.roots, self._sets, self.leaves, self.n_features)
        walker.columns, walker.width = places, int(places.max(initial=0)) + self.leaves.shape[1]
        return walker

    def __len__(self) -> int:
        return len(self.roots) - 1

    @property
    def right(self) -> np.ndarray:
        """(N,) the second child of each node among all nodes; of a leaf, itself."""
        return self._nodes.view(np.int32)[:, 3]

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self._nodes.nbytes + self._sets.nbytes + self.leaves.nbytes + self.roots.nbytes

    def sums(
        self,
        X: np.ndarray,
        first: int = 0,
        last: int | None = None,
        start: np.ndarray | None = None,
        skip: np.ndarray | None = None,
        n_jobs: int | None = None,
    ) -> np.ndarray:
        """(n, W) the sum (1) over the trees ``first`` to ``last``.

        Parameters
        ----------
        X : (n, d) float block (categories as codes, missing as NaN), or sparse
        first, last : the trees that speak, as in ``range(first, last)``; None is all
        start : (n, W) or (W,) what the trees are added to; None for zeros
        skip : (last - first, n) bool
            Pairs of tree and row that are left out, for instance the rows that a tree has learned from.
        n_jobs : most threads to use; None for as many as there are
        """
        last = len(self) if last is None else last
        out = np.zeros((X.shape[0], self.width))
        if start is not None:
            out += start
        left_out = None if skip is None else np.ascontiguousarray(skip).view(np.uint8)

        def work(at: slice) -> None:
            some = NONE if left_out is None else np.ascontiguousarray(left_out[:, at])
            block = self._block(X, at)
            _packed_forest.add(
                packed=self._checked_nodes,
                first=first,
                last=last,
                column=self.columns,
                leaves=self.leaves,
                X=block,
                skip=some,
                out=out[at],
            )

        self._over_blocks(X, last - first, work, n_jobs)
        return out

    def staged_sums(self, X: Any, every: int = 1, start: np.ndarray | None = None) -> Iterator[np.ndarray]:
        """(n, W) the sums after ``every`` trees, after twice as many, ...; each a new array."""
        for first in range(0, len(self), every):
            start = self.sums(X, first, min(first + every, len(self)), start)
            yield start

    def apply(self, X: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
        """(n, T) int32: the number of the leaf that each row reaches, among the nodes of each tree."""
        out = np.empty((X.shape[0], len(self)), np.int32)
        self._over_blocks(
            X,
            len(self),
            lambda at: _packed_forest.apply(self._checked_nodes, 0, len(self), self._block(X, at), out[at]),
            n_jobs,
        )
        return out

    @cached_property
    def _checked_nodes(self) -> Any:
        """The nodes as the native code walks them: looked through once, whoever made them."""
        return _packed_forest.CheckedNodes(
            self._nodes, self.roots, self._sets, self.n_features, len(self.leaves)
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_checked_nodes"}

    def _block(self, X: Any, at: slice) -> np.ndarray:
        """Some rows as the native code takes them; sparse rows are filled up a block at a time."""
        rows = X[at] if isinstance(X, np.ndarray) else X[at].toarray()
        rows = np.ascontiguousarray(rows)
        return rows if rows.dtype in (np.float64, np.float32) else rows.astype(np.float64)

    def _over_blocks(self, X: Any, n_trees: int, work: Any, n_jobs: int | None) -> None:
        n, d = X.shape
        if d != self.n_features:
            raise ValueError(f"ForestWalker: expected rows of {self.n_features} columns, got {d}.")
        if n * n_trees < WORK // 16 and isinstance(X, np.ndarray):
            work(slice(0, n))
        else:
            rows = min(n, max(64, min(16384, -(-n // 8))))  # eight shares, or more of large tables
            in_threads(work, [slice(a, min(a + rows, n)) for a in range(0, n, rows)], n_jobs)


def refuse(tree: Tree) -> None:
    """Raise if a tree has nodes that a walker cannot hold."""
    inner = ~tree.is_leaf
    if (tree.kind > SUBSET).any() or (tree.missing[inner] < 0).any() or tree.surrogates is not None:
        raise ValueError(
            "ForestWalker: trees with more than two branches, surrogates, or missing values spread over the branches "
            "are walked one by one, with Tree.predict."
        )
