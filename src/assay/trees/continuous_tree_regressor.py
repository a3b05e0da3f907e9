"""A continuous regression tree: leaves are blended near the thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.core import Card, Regressor
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.parameters import Count, Range
from assay.core.stored import FloatArray, Object
from assay.trees.growing import grow, rank_columns
from assay.trees.linear_leaves import no_rules
from assay.trees.textbook_tree import one_target, refuse_huge
from assay.trees.tree import SUBSET, Tree
from assay.trees.tree_learner import TreeLearner
from assay.types import TableLike

if TYPE_CHECKING:
    from assay.rulebase.rules import RuleBase

__all__ = ["ContinuousTreeRegressor"]

Floats = NDArray[np.float64]
BLOCK = 4096  # rows whose leaf weights are held at a time


class ContinuousTreeRegressor(TreeLearner, Regressor):
    r"""A regression tree whose answer is continuous in every numeric column.

    An ordinary tree is grown first; its answer jumps where a row crosses a threshold t. Here node m sends the share

    .. math:: s_m(x) = S\!\left(\frac{x_j - t}{h_m}\right), \qquad
              S(u) = \tfrac12 + \tfrac34 u - \tfrac14 u^3 \text{ on } [-1, 1]                      \quad (1)

    of a row to the right (S is 0 below and 1 above), with :math:`h_m` a part of the column's spread among the rows of
    the node. A leaf weighs the product of the shares on the way to it, the weights of all leaves sum to 1, and the
    answer is the weighted mean of the leaf values, which are fitted anew by least squares: it has no jump, and no kink
    either. Nominal columns have nothing in between, so their tests stay as they are. A missing value takes the branch
    that the tree learned for it.

    Cost: fit that of a tree, and O(n L^2 + L^3) for the values of L leaves; predict O(nodes) a row; memory O(n d + n L)
    to fit, O(nodes) kept.

    Parameters
    ----------
    width : float, default 0.5
        :math:`h_m` in standard deviations of the tested column at the node. 0 is the ordinary tree.
    ridge : float, default 1
        How many rows' worth the leaf values hold on to the mean of their leaf; the larger, the closer.
    min_samples_leaf : int, default 5
        Rows (their weights) in a leaf, at least.
    max_depth : int, default None
        Tests from the root to a leaf, at most; None sets no limit.
    max_leaf_nodes : int or None, default 128
        Leaves, at most; those that lower the error most are made. Fitting their values costs O(n L^2 + L^3).

    Attributes
    ----------
    tree_ : Tree, with the means of the rows as ``value``
    widths_ : (nodes,) :math:`h_m`, 0 where the test is not softened
    leaf_values_ : (leaves,) the fitted values, in the order of the leaves in ``tree_``

    Examples
    --------
    >>> from assay.trees import ContinuousTreeRegressor
    >>> x = np.arange(10.0)[:, None]
    >>> model = ContinuousTreeRegressor(max_depth=1).fit(x, np.where(x.ravel() < 5, 0.0, 1.0))
    >>> model.predict([[4.0], [4.5], [5.0]]).round(3)
    array([0.238, 0.5  , 0.762])

    See Also
    --------
    DecisionTreeRegressor, SoftTreeRegressor, ModelTreeRegressor

    References
    ----------
    - Breiman, L., Friedman, J. H., Olshen, R. A. and Stone, C. J. (1984). Classification and Regression Trees.
      Wadsworth.
    - Jordan, M. I. and Jacobs, R. A. (1994). Hierarchical mixtures of experts and the EM algorithm. Neural
      Computation 6(2), 181-214.
    """

    card = Card(
        "continuous tree",
        "one tree without jumps at the borders of its leaves",
        learns=(
            "a tree with linear functions in the leaves",
            "squared error",
            "one split after the other, then least squares",
            "greedy",
        ),
    )
    takes = frozenset({"nominal", "missing"})
    accepts = {
        "width": Range(0),
        "ridge": Range(0),
        "min_samples_leaf": Count(1),
        "max_depth": Count(0) | None,
        "max_leaf_nodes": Count(2) | None,
    }
    stored = {
        "leaf_values_": FloatArray("*"),
        "tree_": Object(Tree, d="d", m="m"),
        "widths_": FloatArray("m"),
    }

    def __init__(
        self,
        width: float = 0.5,
        ridge: float = 1.0,
        min_samples_leaf: int = 5,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = 128,
    ):
        self.width = width
        self.ridge = ridge
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        y = one_target(y, type(self).__name__)
        refuse_huge(X, "X", type(self).__name__)
        weights = np.ones(len(y)) if w is None else w
        kept = weights > 0
        X, y, weights = X[kept], y[kept], weights[kept]
        columns = rank_columns(X, self.schema_.category_counts(ordered=False))
        self.tree_ = grow(
            columns,
            y,
            weights,
            n_classes=0,
            criterion="squared_error",
            min_weight_leaf=float(self.min_samples_leaf),
            max_depth=self.max_depth,
            max_leaf_nodes=self.max_leaf_nodes,
        )
        self.widths_ = _widths(self.tree_, X, weights, self.width)
        self.leaf_values_ = self._refitted(X, y, weights)

    def to_text(self) -> str:
        """The ordinary tree as indented text, and below it what makes it continuous."""
        leaves = np.flatnonzero(self._fitted_tree().is_leaf)
        values = ", ".join(f"leaf {i}: {v:.6g}" for i, v in zip(leaves, self.leaf_values_))
        return (
            f"{super().to_text()}\n\nA row near a threshold takes both branches, and the answer is the weighted mean "
            f"of these values:\n{values}"
        )

    def rules(self) -> RuleBase:
        """Refused: a rule has one answer, and here leaves are mixed."""
        raise no_rules(type(self).__name__)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        """The path of the ordinary tree, and the leaves that contribute."""
        weights, leaves = self._weights(X), np.flatnonzero(self.tree_.is_leaf)

        def sections(i: int) -> list[Section]:
            lines = [
                [int(leaves[k]), float(weights[i, k]), float(self.leaf_values_[k])]
                for k in np.argsort(-weights[i], kind="stable")[:12]
                if weights[i, k] > 0
            ]
            note = "The answer is the weighted mean of the values."
            return [Section("Leaves", ["leaf", "weight", "value"], lines, note)]

        return super()._reasons(X, rows).then(sections)

    def leaf_weights(self, X: TableLike) -> np.ndarray:
        """(n, leaves) how much each leaf counts for each row; rows sum to 1."""
        return self._weights(self._admit(X))

    def _weights(self, X: Floats) -> Floats:
        tree = self.tree_
        reached = np.zeros((tree.node_count, len(X)))
        reached[0] = 1.0
        for i in np.flatnonzero(~tree.is_leaf):  # parents stand before their children
            left, right = tree.children(int(i))
            share = self._right_share(int(i), X[:, tree.feature[i]])
            reached[left], reached[right] = reached[i] * (1 - share), reached[i] * share
        return reached[tree.is_leaf].T

    def _right_share(self, i: int, x: Floats) -> Floats:
        tree = self.tree_
        if tree.kind[i] == SUBSET:
            share = (~np.isin(x, tree.subset(i))).astype(float)
        elif self.widths_[i] > 0:
            u = np.clip((x - tree.threshold[i]) / self.widths_[i], -1.0, 1.0)
            share = 0.5 + 0.75 * u - 0.25 * u**3  # (1)
        else:
            share = (x > tree.threshold[i]).astype(float)
        parts = tree.weighted_n_node_samples[tree.children(i)]
        unknown = float(tree.missing[i]) if tree.missing[i] >= 0 else float(parts[1] / parts.sum())
        return np.where(np.isnan(x), unknown, share)

    def _refitted(self, X: Floats, y: Floats, w: Floats) -> Floats:
        """Leaf values of least squares, pulled towards the leaves' means."""
        means = self.tree_.values[self.tree_.is_leaf, 0]
        A, b = self.ridge * np.eye(len(means)), np.zeros(len(means))
        for at in _blocks(len(X)):
            leaves = self._weights(X[at])
            A += (leaves * w[at, None]).T @ leaves
            b += (w[at] * (y[at] - leaves @ means)) @ leaves
        return means + np.linalg.lstsq(A, b, rcond=1e-12)[0]

    def _predict(self, X: np.ndarray) -> np.ndarray:
        return np.concatenate([self._weights(X[at]) @ self.leaf_values_ for at in _blocks(len(X))])


def _blocks(n: int) -> list[slice]:
    return [slice(a, min(a + BLOCK, n)) for a in range(0, n, BLOCK)]


def _widths(tree: Tree, X: Floats, w: Floats, width: float) -> Floats:
    """(nodes,) width times the standard deviation of the tested column among the rows of each node."""
    path = tree.decision_path(X).tocsc()
    widths = np.zeros(tree.node_count)
    for i in np.flatnonzero(~tree.is_leaf & (tree.kind != SUBSET)):
        rows = np.sort(path.indices[path.indptr[i] : path.indptr[i + 1]])
        x = X[rows, tree.feature[i]]
        known = ~np.isnan(x)
        if known.any():
            v, x = w[rows][known], x[known]
            widths[i] = width * np.sqrt(v @ (x - v @ x / v.sum()) ** 2 / v.sum())
    return widths
