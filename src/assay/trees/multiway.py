"""Growing trees of n-way splits: what ID3, C4.5 and their kin share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import assay.trees._multiway as _multiway
from assay.errors import DataError
from assay.trees._multiway import SortedRows as NativeRows
from assay.trees.columns import rank_columns
from assay.trees.tree import SUBSET, THRESHOLD, Tree, as_words

__all__ = ["NativeRows", "Offer", "SortedRows", "SplitRules", "grow_multiway", "root_offers"]

CRITERIA = {"gain": 0, "gain_ratio": 1, "gini": 2}
MOST_COUNTS = 1 << 29  # numbers that the nodes of a tree may hold, about 4 GB


@dataclass(frozen=True)
class SplitRules:
    """What a node may do, and which of it is best.

    Parameters
    ----------
    criterion : "gain", "gain_ratio" or "gini"
        What columns compete by. The threshold of a numeric column is the cut of largest gain (or Gini decrease).
    average : bool
        Only columns of at least the average gain compete.
    correction : bool
        Take log2(cuts)/n off the gain of a threshold, the price of choosing among many cuts.
    tenth : bool
        Both sides of a threshold hold a tenth of the average class, 25 rows at most.
    useless : bool
        Split also where the gain is zero, as long as rows are separated.
    one_vs_rest : bool
        Categories: one against all others, instead of a branch for each.
    min_leaf : float
        At least two branches hold this much weight.
    penalty : float
        Taken off the criterion for every branch after the first.
    tolerance : float
        Values closer than this are equal, and the first wins.
    max_depth : int or None
    midpoint : bool
        Thresholds half way between two values; otherwise the largest training value up to there.
    """

    criterion: str = "gain"
    average: bool = False
    correction: bool = False
    tenth: bool = False
    useless: bool = True
    one_vs_rest: bool = False
    min_leaf: float = 0.0
    penalty: float = 0.0
    tolerance: float = 1e-10
    max_depth: int | None = None
    midpoint: bool = True

    def native(self, scale: float = 1.0) -> _multiway.Rules:
        """What native code takes, for weights that were multiplied by ``scale``."""
        return _multiway.Rules(
            criterion=CRITERIA[self.criterion],
            average=self.average,
            correction=self.correction,
            tenth=self.tenth,
            useless=self.useless,
            one_vs_rest=self.one_vs_rest,
            min_leaf=float(self.min_leaf) * scale,
            penalty=float(self.penalty),
            tolerance=self.tolerance,
            max_depth=2**62 if self.max_depth is None else int(self.max_depth),
        )


@dataclass(frozen=True)
class Offer:
    """The best split of one column: its gain (or Gini decrease), gain ratio, branches and threshold."""

    gain: float
    ratio: float
    branches: int
    threshold: float | None


def grow_multiway(
    X: np.ndarray, n_categories: np.ndarray, y: np.ndarray, w: np.ndarray | None, K: int, rules: SplitRules
) -> Tree:
    """The tree of these rows: X (n, d) with categories as codes and missing as NaN, y in 0..K-1.

    >>> from assay.trees.multiway import SplitRules, grow_multiway
    >>> X = np.array([[0, 1.0], [0, 2.0], [1, 3.0], [2, 4.0]])
    >>> tree = grow_multiway(X, np.array([3, 0]), np.array([0, 0, 1, 1]), None, 2, SplitRules())
    >>> tree.node_count, tree.children(0), tree.values[1]
    (4, array([1, 2, 3], dtype=int32), array([1., 0.]))
    """
    if K >= 2**16:
        raise DataError(f"A tree of n-way splits takes at most 65535 classes, y has {K}.")
    w, scale = scaled_weights(w, rules)
    columns = SortedRows(X, n_categories, y, w)
    most = max(MOST_COUNTS // (K + 16), 1)
    try:
        parent, branch, feature, kind, low, high, category, rows, counts = _multiway.grow(
            columns.native(K), rules.native(scale), most
        )
    except OverflowError:
        raise DataError(
            f"A tree with a branch for every category would have more than {most} nodes, most of them without a row. "
            "Leave out columns that name single rows, or use DecisionTreeClassifier, which groups categories."
        ) from None
    counts = counts.reshape(len(parent), K) / scale
    threshold = np.full(len(parent), -2.0)
    for j in np.unique(feature[kind == THRESHOLD]):
        at = np.flatnonzero(feature == j)
        threshold[at] = columns.thresholds(j, low[at], high[at], rules.midpoint)
    none = np.zeros(0, np.uint32)
    sets = None
    if (kind == SUBSET).any():
        sets = [
            as_words([category[i]], int(n_categories[feature[i]])) if kind[i] == SUBSET else none
            for i in range(len(parent))
        ]
    return tree_of_counts(
        counts,
        parent,
        criterion=rules.criterion,
        branch=branch,
        feature=feature,
        kind=kind,
        threshold=threshold,
        sets=sets,
        missing=np.full(len(parent), -1),
        n_node_samples=rows,
        n_categories=n_categories,
    )


def scaled_weights(w: np.ndarray | None, rules: SplitRules) -> tuple[np.ndarray | None, float]:
    """Weights that can be multiplied by their logarithms and compared with 1e-6, and by what they were multiplied.

    The factor is a power of two, so that nothing is rounded. Rules that count weights as rows keep small ones small.
    """
    if w is None:
        return None, 1.0
    exponent = max(np.floor(np.log2(w[w > 0].mean())), -1000.0)
    if exponent <= 30 and not (exponent < 0 and rules.useless):
        return w, 1.0
    scale = float(np.exp2(-exponent))
    return w * scale, scale


def tree_of_counts(counts: np.ndarray, parent: np.ndarray, criterion: str = "gain", **arrays: Any) -> Tree:
    """A tree whose values are the shares of these class weights; a node without rows answers as its parent does.

    ``parent`` stands before its children.
    """
    n = counts.sum(axis=1)
    value = counts / np.where(n > 0, n, 1)[:, None]
    none = np.flatnonzero(n <= 0)
    if (n[parent[none]] > 0).all():
        value[none] = value[parent[none]]
    else:  # whole subtrees without rows
        for i in none:
            value[i] = value[parent[i]]
    if criterion == "gini":
        impurity = 1 - (value**2).sum(axis=1)
    else:
        impurity = -(value * np.log2(np.where(value > 0, value, 1))).sum(axis=1) + 0.0
    impurity = np.where(n > 0, impurity, 0.0)
    return Tree.assemble(parent=parent, values=value, impurity=impurity, weighted_n_node_samples=n, **arrays)


def root_offers(
    X: np.ndarray, n_categories: np.ndarray, y: np.ndarray, w: np.ndarray | None, K: int, rules: SplitRules
) -> list[Offer | None]:
    """What each column offers at the root; None where it does not separate rows.

    >>> from assay.trees.multiway import SplitRules, root_offers
    >>> X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> root_offers(X, np.array([0]), y, None, 2, SplitRules())
    [Offer(gain=1.0, ratio=1.0, branches=2, threshold=2.5)]
    """
    columns = SortedRows(X, n_categories, y, w)
    out = np.zeros((X.shape[1], 6))
    _multiway.offers(columns.native(K), replace(rules, average=False, penalty=0.0).native(), out)
    offers: list[Offer | None] = []
    for j, (gain, ratio, branches, low, high, _) in enumerate(out):
        numeric = not n_categories[j]
        cut = None
        if numeric and branches:
            cut = float(columns.thresholds(j, np.array([int(low)]), np.array([int(high)]), rules.midpoint)[0])
        offers.append(Offer(float(gain), float(ratio), int(branches), cut) if branches else None)
    return offers


class SortedRows:
    """Rows as the native code sees them: categories as whole numbers, numeric columns in sorted order."""

    def __init__(self, X: np.ndarray, n_categories: np.ndarray, y: np.ndarray, w: np.ndarray | None):
        if w is not None and not w.all():  # a row that counts nothing is not there
            X, y, w = X[w > 0], y[w > 0], w[w > 0]
        X = np.ascontiguousarray(X, np.float64)
        n = len(X)
        nominal, numeric = np.flatnonzero(n_categories), np.flatnonzero(np.asarray(n_categories) == 0)
        self.fractions = bool(np.isnan(X).any())
        codes = X[:, nominal].T
        self.codes = np.ascontiguousarray(np.where(np.isnan(codes), -1, codes), np.int32)
        self.order, self.values, self.start = np.empty((0, n), np.uint64), np.empty(0), np.zeros(1, np.int64)
        if len(numeric):
            ranked = rank_columns(X if len(numeric) == X.shape[1] else X[:, numeric])
            self.order, self.values, self.start = ranked.order, ranked.values, ranked.start
        self.place = {int(j): at for at, j in enumerate(numeric)}
        self.n_categories = np.ascontiguousarray(n_categories, np.int32)
        self.y = np.ascontiguousarray(y, np.int32)
        self.w = None if w is None else np.ascontiguousarray(w, np.float64)

    def native(self, K: int) -> NativeRows:
        """What native code takes; it reorders the lists."""
        return NativeRows(
            codes=self.codes,
            lists=self.order,
            distinct=np.diff(self.start).astype(np.int32),
            n_categories=self.n_categories,
            y=self.y,
            w=self.w,
            K=K,
            fractions=self.fractions,
        )

    def thresholds(self, j: int, low: np.ndarray, high: np.ndarray, midpoint: bool) -> np.ndarray:
        """Numbers between neighbours in the order of column j, which stand at these ranks."""
        at = self.place[int(j)]
        values = self.values[self.start[at] : self.start[at + 1]]
        below, above = values[low], values[high]
        middle = below / 2 + above / 2
        middle = np.where(middle < above, middle, below)
        if midpoint:
            return middle
        middle += 1e-9 * above - 1e-9 * below  # so that the middle of 0.1 and 0.3 is 0.2
        middle = np.minimum(middle, np.nextafter(above, below))
        return values[np.searchsorted(values, middle, side="right") - 1]
