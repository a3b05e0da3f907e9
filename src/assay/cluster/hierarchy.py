"""Trees of merges: how they are made, cut, pruned, and put into an order in which branches do not cross."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappush, heappushpop
from typing import Any

import numpy as np

import assay.cluster._linking as _linking
import assay.cluster._merging as _merging
import assay.cluster._spanning as _spanning
from assay.core.parameters import Range, check, check_count
from assay.core.stored import AnyArray, FloatArray, IntArray
from assay.errors import DataError, ParameterError

__all__ = ["LINKAGES", "MergeTree", "merge_rows", "spanning_tree"]

LINKAGES = ("ward", "complete", "average", "single", "centroid", "weighted")
CHAINED = {"complete": 0, "average": 1, "weighted": 2}  # by distances of rows
MOST_COLUMNS_IN_BOXES = 10  # up to which Boruvka's rounds over boxes are quicker than Prim's rule
FEWEST_ROWS_IN_BOXES = 256
FEWEST_ROWS_WITH_COPIES = 5000  # from which copies of rows are looked for, in a sample of so many rows:
ROWS_LOOKED_AT = 2000
LEAST_SPREAD, MOST_SPREAD = 1e-100, 1e150  # of a column, of which squares are numbers
NO_NUMBERS = np.empty(0)


@dataclass(frozen=True)
class MergeTree:
    """A hierarchy of groups: rows are 0..n-1, merge m makes the group n + m of two that were there.

    Parameters
    ----------
    merges : (n - 1, 2) the two groups of each merge, the lower number first
    heights : (n - 1,) how far apart they were
    sizes : (n - 1,) rows in the new group
    names : (n,) what rows are called; None numbers them

    Examples
    --------
    >>> from assay.cluster import merge_rows
    >>> tree = merge_rows([[0, 0], [1, 0], [5, 0], [5, 2], [3, 6], [7, 1]], linkage="single", names="abcdef")
    >>> tree.heights.round(6).tolist()
    [1.0, 2.0, 2.236068, 4.0, 4.472136]
    >>> tree.cut(height=3).tolist()
    [0, 0, 1, 1, 2, 1]

    See Also
    --------
    AgglomerativeClustering, DendrogramDisplay
    """

    merges: np.ndarray
    heights: np.ndarray
    sizes: np.ndarray
    names: Any = None
    stored = {
        "merges": IntArray("m", "2", low=0),
        "heights": FloatArray("m"),
        "sizes": IntArray("m", low=1),
        "names": AnyArray("*") | None,
    }

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.merges) + 1

    def cut(self, n_groups: int | None = None, height: float | None = None) -> np.ndarray:
        """(n,) labels: the last ``n_groups - 1`` merges undone, or only merges up to ``height`` done.

        Groups are numbered by their first row.
        """
        n = self.n_rows
        if (n_groups is None) == (height is None):
            raise ParameterError("MergeTree.cut: give either n_groups or height.")
        if n_groups is not None:
            check_count("MergeTree.cut", "n_groups", n_groups, low=1, high=n)
            done = np.arange(n - 1) < n - n_groups
        else:
            check("MergeTree.cut", {"height": Range()}, {"height": height})
            done = self.heights <= float(height or 0.0)
        return first_come(self._parts(done))

    def _parts(self, done: np.ndarray) -> np.ndarray:
        """(n,) a number for each row's group after some of the merges."""
        n = self.n_rows
        parent = np.arange(2 * n - 1)
        for m in np.flatnonzero(done):
            parent[self.merges[m]] = n + m
        for i in range(2 * n - 2, -1, -1):
            parent[i] = parent[parent[i]]
        return parent[:n]

    def largest_gap(self) -> tuple[int, float, float]:
        """(number of groups, low, high): a cut inside the largest difference of successive heights.

        >>> from assay.cluster import merge_rows
        >>> merge_rows([[0.0], [1.0], [9.0], [10.5]], linkage="single").largest_gap()
        (2, 1.5, 8.0)
        """
        heights = np.sort(self.heights)
        if len(heights) < 2:
            return 1, 0.0, float(heights.max(initial=0.0))
        gaps = np.diff(heights)
        m = int(np.argmax(gaps))
        return self.n_rows - m - 1, float(heights[m]), float(heights[m + 1])

    def order(self) -> np.ndarray:
        """(n,) the rows in an order in which no branches cross; of two groups, that with the lower row comes first."""
        n = self.n_rows
        lowest = np.concatenate([np.arange(n), np.zeros(n - 1, dtype=np.int64)])
        for m, (a, b) in enumerate(self.merges.tolist()):
            lowest[n + m] = min(lowest[a], lowest[b])
        out, waiting = [], [2 * n - 2]
        while waiting:
            node = waiting.pop()
            if node < n:
                out.append(node)
            else:
                a, b = self.merges[node - n].tolist()
                waiting += [b, a] if lowest[a] < lowest[b] else [a, b]
        return np.array(out, dtype=np.int64)

    def pruned(self, min_size: int = 1, min_gap: float = 0.0) -> np.ndarray:
        """(n,) labels of a pruned tree: going down from the root, a merge stays undone only if it tells something.

        A cut is made where both groups have at least ``min_size`` rows and the merge lies at least ``min_gap`` above
        both of them; other subtrees are collapsed into one leaf.
        """
        n = self.n_rows
        size = np.concatenate([np.ones(n, dtype=np.int64), self.sizes])
        height = np.concatenate([np.zeros(n), self.heights])
        labels, waiting, groups = np.empty(n, dtype=np.int64), [2 * n - 2], 0
        while waiting:
            node = waiting.pop()
            if node >= n:
                parts = self.merges[node - n]
                gap = self.heights[node - n] - height[parts].max()
                if size[parts].min() >= min_size and gap >= min_gap:
                    waiting += parts[::-1].tolist()
                    continue
            labels[self.members(node)] = groups
            groups += 1
        return first_come(labels)

    def members(self, node: int) -> np.ndarray:
        """The rows of a group."""
        n, out, waiting = self.n_rows, [], [node]
        while waiting:
            at = waiting.pop()
            if at < n:
                out.append(at)
            else:
                waiting += self.merges[at - n].tolist()
        return np.sort(np.array(out, dtype=np.int64))

    def linkage_matrix(self) -> np.ndarray:
        """(n - 1, 4) as SciPy has it: two groups, the height, the rows."""
        return np.column_stack([self.merges, self.heights, self.sizes]).astype(np.float64)

    def check(self, who: str) -> None:
        """A ValueError if this is no tree, as may come from a tampered file."""
        n = self.n_rows
        if (
            not (self.merges < np.arange(n, 2 * n - 1)[:, None]).all()
            or len(np.unique(self.merges)) != 2 * n - 2
        ):
            raise ValueError(f"{who}: merges must be of groups that are there, each merged once.")
        if self.names is not None and len(self.names) != n:
            raise ValueError(f"{who}: one name for each row.")


def labels_of_largest(merges: np.ndarray, n_groups: int) -> np.ndarray:
    """(n,) labels after the last merges are undone, numbered as scikit-learn numbers them."""
    n = len(merges) + 1
    if n_groups > n:
        raise DataError(
            f"Cannot extract more clusters than samples: {n_groups} clusters were given for a tree with {n} leaves."
        )
    nodes = [-(2 * n - 2)]
    for _ in range(n_groups - 1):
        a, b = merges[-nodes[0] - n].tolist()
        heappush(nodes, -a)
        heappushpop(nodes, -b)
    parent = np.arange(2 * n - 1)
    inner = [-node for node in nodes]
    for m in range(n - 2, -1, -1):
        parent[merges[m]] = parent[n + m] if n + m not in inner else n + m
    for node in inner:
        parent[node] = node
    place = {node: i for i, node in enumerate(inner)}
    tops = np.arange(2 * n - 1)
    for node in range(2 * n - 2, -1, -1):
        tops[node] = node if node in place else tops[parent[node]]
    return np.array([place.get(int(top), 0) for top in tops[:n]], dtype=np.int64)


def first_come(labels: np.ndarray) -> np.ndarray:
    """Labels 0, 1, ... in the order of their first rows; negative ones stay.

    >>> import numpy as np
    >>> from assay.cluster.hierarchy import first_come
    >>> first_come(np.array([7, 3, -1, 7, 5])).tolist()
    [0, 1, -1, 0, 2]
    """
    values, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(np.where(values < 0, -1, first), kind="stable")
    name = np.empty(len(values), dtype=np.int64)
    name[order] = np.arange(len(values)) - np.count_nonzero(values < 0)
    name[values < 0] = values[values < 0]
    return name[codes]


def spanning_tree(
    X: np.ndarray, core: np.ndarray | None = None, p: float = 2
) -> tuple[np.ndarray, np.ndarray]:
    """(n - 1, 2) edges of the shortest spanning tree of rows, by rising length, and their lengths.

    With ``core`` (n,) the length of an edge is the mutual reachability :math:`\\max(c_i, c_j, |x_i - x_j|)`.

    >>> import numpy as np
    >>> from assay.cluster.hierarchy import spanning_tree
    >>> spanning_tree(np.array([[0.0], [3.0], [1.0]]))[1].tolist()
    [1.0, 2.0]
    """
    X = np.ascontiguousarray(X, dtype=np.float64)
    distinct = _copies(X, core)
    if distinct is None:
        return in_order(*_tree_of_rows(X, core, p))
    first, of = distinct
    edges, lengths = _tree_of_rows(X[first], None if core is None else core[first], p)
    return in_order(*_with_copies(first, of, edges, lengths))


def _with_copies(
    first: np.ndarray, of: np.ndarray, edges: np.ndarray, lengths: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Edges of all rows, from those of distinct rows: copies are joined first."""
    copies = np.setdiff1d(np.arange(len(of)), first)
    joins = np.column_stack([first[of[copies]], copies])
    return np.concatenate([joins, first[edges]]), np.concatenate([np.zeros(len(copies)), lengths])


def _copies(X: np.ndarray, core: np.ndarray | None) -> tuple[np.ndarray, np.ndarray] | None:
    """Where each distinct row stands first, and which of them the rows are, if many are copies at distance 0.

    None else, and where rows with copies have core distances above 0: then all edges between copies, and some to
    others, are equally long, and which are taken first is for the one rule that orders all of them.
    """
    n = len(X)
    if n < FEWEST_ROWS_WITH_COPIES:
        return None
    some = np.unique(np.random.RandomState(0).randint(n, size=ROWS_LOOKED_AT))
    if len(np.unique(X[some], axis=0)) > 0.9 * len(some):
        return None
    _, first, of, counts = np.unique(X, axis=0, return_index=True, return_inverse=True, return_counts=True)
    of = of.reshape(-1)
    if len(first) > n / 2 or (core is not None and core[counts[of] > 1].any()):
        return None
    return first, of


def _tree_of_rows(X: np.ndarray, core: np.ndarray | None, p: float) -> tuple[np.ndarray, np.ndarray]:
    n, d = X.shape
    edges, lengths = np.empty((n - 1, 2), dtype=np.int64), np.empty(n - 1)
    reach = NO_NUMBERS if core is None else np.ascontiguousarray(core, dtype=np.float64)
    code = {1: 1, 2: 2, np.inf: 0}[p]
    if p != 2 or (d <= MOST_COLUMNS_IN_BOXES and n >= FEWEST_ROWS_IN_BOXES):
        _spanning.boruvka(X, reach, code, edges, lengths)
    else:
        _spanning.prim(X, reach, edges, lengths)
    return edges, lengths


def in_order(edges: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Edges by rising length; among equals by their rows."""
    low, high = edges.min(axis=1), edges.max(axis=1)
    order = np.lexsort((high, low, lengths))
    return np.ascontiguousarray(edges[order]), lengths[order]


def tree_of_edges(edges: np.ndarray, lengths: np.ndarray, names: Any = None) -> MergeTree:
    """The merges along edges of a tree, one after the other."""
    merges, sizes = np.empty_like(edges), np.empty(len(edges), dtype=np.int64)
    _spanning.merges_of(np.ascontiguousarray(edges), merges, sizes)
    return MergeTree(merges, lengths, sizes, names)


def merge_tree(
    X: Any, linkage: str, distances: Any = None, w: np.ndarray | None = None, names: Any = None
) -> MergeTree:
    """The merges of rows (n, d), or by a function that gives the distances of some rows, where the linkage does not
    need rows, or None for Euclid's; or by the distances themselves.

    Of many rows that are copies, the distinct ones alone are compared, with the weight of their copies.
    """
    n = X.shape[0]
    if n == 1:
        return MergeTree(np.empty((0, 2), dtype=np.int64), np.empty(0), np.empty(0, dtype=np.int64), names)
    if linkage == "single" and distances is None:
        return tree_of_edges(*spanning_tree(np.ascontiguousarray(X, dtype=np.float64)), names)
    by_rows = distances is None or callable(distances)
    distinct = _copies(X, None) if by_rows and isinstance(X, np.ndarray) else None
    if distinct is None:
        return tree_of_edges(*_merges(X, linkage, distances, w), names)
    first, of = distinct
    weights = np.bincount(of, w, len(first))
    edges, heights = _merges(X[first], linkage, distances, weights)
    return tree_of_edges(*_with_copies(first, of, edges, heights), names)


def squares_are_numbers(X: np.ndarray) -> bool:
    """Whether rows can be compared in the units they have.

    >>> import numpy as np
    >>> from assay.cluster.hierarchy import squares_are_numbers
    >>> [squares_are_numbers(np.array([[0.0], [gap]])) for gap in (1.0, 1e200, 1e-200)]
    [True, False, False]
    """
    with np.errstate(over="ignore"):
        spread = np.ptp(X, axis=0).max()
    return bool(LEAST_SPREAD < spread < MOST_SPREAD)


def _merges(X: Any, linkage: str, distances: Any, w: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """(n - 1, 2) a row of each of two groups and (n - 1,) how far apart they were, in the order of the merges."""
    n = X.shape[0]
    edges, heights = np.empty((n - 1, 2), dtype=np.int64), np.empty(n - 1)
    weights = NO_NUMBERS if w is None else np.ascontiguousarray(w, dtype=np.float64)
    if linkage in ("ward", "centroid"):
        X = np.ascontiguousarray(X, dtype=np.float64)
        (_merging.ward if linkage == "ward" else _merging.centroid)(X, weights, edges, heights)
        if linkage == "centroid":  # in the order of the merges, which may come nearer
            return edges, heights
    else:
        D = distances(X) if callable(distances) else distances
        if D is None:
            X = np.ascontiguousarray(X, dtype=np.float64)
            _linking.chain_of_rows(X, weights, CHAINED[linkage], edges, heights)
        elif linkage == "single":
            _spanning.prim_of_matrix(np.ascontiguousarray(D, dtype=np.float64), edges, heights)
            return in_order(edges, heights)
        else:
            D = np.ascontiguousarray(D, dtype=np.float64)
            _linking.chain(D, weights, CHAINED[linkage], edges, heights)
    order = np.argsort(heights, kind="stable")
    return edges[order], heights[order]


def merge_rows(
    X: Any,
    linkage: str = "ward",
    *,
    metric: Any = "euclidean",
    names: Any = None,
) -> MergeTree:
    """The whole hierarchy of merges of the rows of a table, to be looked at, cut and drawn.

    Cost: O(n^2 d) time; O(n d) memory for "ward", "centroid" and "single" of numbers, else O(n^2).

    Parameters
    ----------
    X : table (n, d), or distances with ``metric="precomputed"``
    linkage : as AgglomerativeClustering
    metric : as AgglomerativeClustering
    names : (n,), default None
        What rows are called in plots.

    Examples
    --------
    >>> from assay.cluster import merge_rows
    >>> merge_rows([[0], [1], [3], [6], [10], [15]], linkage="complete").heights.tolist()
    [1.0, 3.0, 4.0, 9.0, 15.0]

    See Also
    --------
    AgglomerativeClustering, MergeTree
    """
    from assay.cluster.agglomerative_clustering import AgglomerativeClustering

    model = AgglomerativeClustering(1, linkage=linkage, metric=metric, compute_distances=True)
    model.fit(X)
    labels = None if names is None else np.array(list(names), dtype=object)
    if labels is not None and len(labels) != model.n_leaves_:
        raise DataError(f"merge_rows: {len(labels)} names for {model.n_leaves_} rows.")
    return MergeTree(model.tree_.merges, model.tree_.heights, model.tree_.sizes, labels)
