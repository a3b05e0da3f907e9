"""Model trees: a linear regression in every leaf."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.core import Card, Regressor
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.parallel import one_blas_thread
from assay.core.parameters import Choice, Count, Flag, Range
from assay.core.stored import FloatArray, Object
from assay.tables import Design
from assay.trees.generate_tree import generate_tree
from assay.trees.linear_leaves import (
    LinearMeasure,
    eliminate_terms,
    equation,
    expected_error,
    least_squares,
    no_rules,
)
from assay.trees.node_measures import Floats, NodeMeasure, NumberMeasure, RowIndices
from assay.trees.split_search import SplitSearch
from assay.trees.textbook_tree import one_target_in_unit, refuse_huge
from assay.trees.tree import Tree
from assay.trees.tree_learner import TreeLearner

if TYPE_CHECKING:
    from assay.rulebase.rules import RuleBase

__all__ = ["ModelTreeRegressor"]


class ModelTreeRegressor(TreeLearner, Regressor):
    r"""A regression tree whose leaves answer with a linear function of the row instead of a number.

    In each leaf m the targets are fitted by least squares,

    .. math:: g_m(x) = w_m^T x + w_{m0}                                                          \quad (1)

    so that fewer leaves suffice where the target is locally linear. As in M5, splits reduce the standard deviation
    within the branches, terms that do not pay for themselves are dropped, and subtrees that err more than one linear
    model in their place, both errors raised by :math:`\frac{N+v}{N-v}` for v parameters, are pruned. With
    ``smoothing`` k, a leaf's function is mixed with those of the nodes above it, from the leaf upwards:

    .. math:: g \leftarrow \frac{N_m\, g + k\, g_{parent}}{N_m + k}                              \quad (2)

    Nominal columns are split by groups of categories and enter the linear functions as indicators.

    Cost: fit O(d n log n) to sort the columns and O(n d^2) a level for the models; predict O(depth + d) a row; memory
    O(n d) to fit, O(d nodes) kept.

    Parameters
    ----------
    split : "deviation" or "linear", default "deviation"
        What a split minimises: the mean standard deviation of the branches (M5), or the mean squared residual of a
        linear fit in each branch, which finds kinks that the former misses, at O(p^3) more for each threshold.
    min_samples_leaf : int, default 4
        Rows (their weights) in a leaf, at least.
    min_deviation : float, default 0.05
        A node is a leaf if what ``split`` measures there, as a deviation, is below this part of all targets' standard
        deviation.
    max_depth : int, default None
        Tests from the root to a leaf, at most; None sets no limit.
    max_candidates : int, default 64
        Thresholds of a column that are tried at a node, with equally many rows between them.
    prune : bool, default True
        Whether to drop terms and subtrees that do not pay for themselves.
    smoothing : float, default 0
        k of (2); M5 takes 15. 0 leaves each leaf to itself.
    ridge : float, default 0
        Penalty of the squared standardised coefficients. Without it, a leaf with no more rows than terms answers with
        its mean.

    Attributes
    ----------
    tree_ : Tree, with the mean of the targets as ``value``
    terms_ : Design, the columns of the linear functions
    coef_ : (leaves, p)      intercept_ : (leaves,)      in the order of the leaves in ``tree_``

    Examples
    --------
    Up with slope 1, then down from a height of 40 with slope -2; two leaves suffice:

    >>> from assay.trees import ModelTreeRegressor
    >>> x = np.arange(20.0)[:, None]
    >>> y = np.where(x < 10, x, 60 - 2 * x).ravel()
    >>> model = ModelTreeRegressor().fit(x, y)
    >>> model.coef_.ravel().round(9), model.intercept_.round(9)
    (array([ 1., -2.]), array([-0., 60.]))
    >>> print(model.equations())
    leaf 1: 1 x0
    leaf 2: 60 - 2 x0

    See Also
    --------
    CARTRegressor, LinearLeafClassifier, ContinuousTreeRegressor

    References
    ----------
    - Quinlan, J. R. (1992). Learning with continuous classes. Australian Joint Conference on Artificial
      Intelligence, 343-348.
    - Wang, Y. and Witten, I. H. (1997). Inducing model trees for continuous classes. Poster papers of the European
      Conference on Machine Learning, 128-137.
    """

    card = Card(
        "model tree",
        "a tree with linear functions in its leaves",
        also=("m5",),
        suits="any",
        learns=(
            "a tree with linear functions in the leaves",
            "squared error",
            "one split after the other, then least squares",
            "greedy",
        ),
    )
    takes = frozenset({"nominal"})
    accepts = {
        "split": Choice("deviation", "linear"),
        "min_samples_leaf": Count(1),
        "min_deviation": Range(0, 1),
        "max_depth": Count(0) | None,
        "max_candidates": Count(1),
        "prune": Flag(),
        "smoothing": Range(0),
        "ridge": Range(0),
    }
    stored = {
        "coef_": FloatArray("l", "*"),
        "intercept_": FloatArray("l"),
        "terms_": Object(Design),
        "tree_": Object(Tree, d="d"),
    }

    def __init__(
        self,
        split: str = "deviation",
        min_samples_leaf: int = 4,
        min_deviation: float = 0.05,
        max_depth: int | None = None,
        max_candidates: int = 64,
        prune: bool = True,
        smoothing: float = 0.0,
        ridge: float = 0.0,
    ):
        self.split = split
        self.min_samples_leaf = min_samples_leaf
        self.min_deviation = min_deviation
        self.max_depth = max_depth
        self.max_candidates = max_candidates
        self.prune = prune
        self.smoothing = smoothing
        self.ridge = ridge

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        y, unit = one_target_in_unit(y, type(self).__name__)
        refuse_huge(X, "X", type(self).__name__)
        weights = np.ones(len(y)) if w is None else w
        kept = weights > 0
        X, y, weights = X[kept], y[kept], weights[kept]
        self.terms_ = Design(self.schema_)
        Z = self.terms_.expand(X)
        fit = eliminate_terms if self.prune else least_squares
        with one_blas_thread():  # many small systems
            tree = self._grown(X, Z, y, weights)
            members = _members(tree, X)
            models = [fit(Z[rows], y[rows], weights[rows], self.ridge) for rows in members]
        if self.prune:
            cut = _to_prune(tree, members, models, Z, y, weights)
            kept_nodes = _survivors(tree, cut)
            tree, models = tree.turn_to_leaves(cut), [models[i] for i in kept_nodes]
        coef, intercept = np.array([c for c, _ in models]), np.array([b for _, b in models])
        coef, intercept = _smoothed(tree, coef, intercept, self.smoothing)
        self.tree_ = tree if unit == 1 else self._in_unit(tree, unit)
        self.coef_, self.intercept_ = coef[tree.is_leaf] * unit, intercept[tree.is_leaf] * unit

    def _in_unit(self, tree: Tree, unit: float) -> Tree:
        """The tree of targets that are so many times as large."""
        impurity = tree.impurity * unit
        if self.split == "linear":  # squares instead of a standard deviation
            with np.errstate(over="ignore"):
                impurity = np.minimum(impurity * unit, np.finfo(np.float64).max)
        return replace(tree, values=tree.values * unit, impurity=impurity)

    def _grown(self, X: Floats, Z: Floats, y: Floats, w: Floats) -> Tree:
        measure: NodeMeasure = NumberMeasure(y, "deviation", "mean")
        deviation = measure.node(np.arange(len(y)), w)
        least = self.min_deviation * deviation
        if self.split == "linear":
            measure, least = LinearMeasure(Z, y[:, None]), least**2
        n_categories = self.schema_.category_counts(ordered=False)
        search = SplitSearch(
            measure,
            n_categories,
            nominal="binary grouping",
            candidates="equal-depth",
            max_candidates=self.max_candidates,
            max_categories=6,
            min_weight=self.min_samples_leaf,
        )
        deepest = np.inf if self.max_depth is None else self.max_depth

        def is_leaf(rows: RowIndices, v: Floats, value: Floats, error: float, depth: int) -> bool:
            return error <= least or depth >= deepest or bool(y[rows].min() == y[rows].max())

        tree, _ = generate_tree(
            X, w, measure, lambda rows, v, before: search.best(X, rows, v, before), is_leaf, n_categories
        )
        return tree

    def _predict(self, X: np.ndarray) -> np.ndarray:
        place = (np.cumsum(self.tree_.is_leaf) - 1)[self.tree_.apply(X)]
        return self.intercept_[place] + np.einsum("ij,ij->i", self.terms_.expand(X), self.coef_[place])

    def equations(self) -> str:
        """The linear function of each leaf, one a line."""
        leaves = np.flatnonzero(self._fitted_tree().is_leaf)
        return "\n".join(
            f"leaf {leaf}: {equation(c, b, self.terms_.names)}"
            for leaf, c, b in zip(leaves, self.coef_, self.intercept_)
        )

    def to_text(self) -> str:
        """The tree as indented text with the mean of each leaf, and below it the leaves' linear functions."""
        return f"{super().to_text()}\n\n{self.equations()}"

    def rules(self) -> RuleBase:
        """Refused: a rule has one answer, and here a leaf has a function."""
        raise no_rules(type(self).__name__)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        """The path, and the terms of the leaf's linear function."""
        places, Z = (np.cumsum(self.tree_.is_leaf) - 1)[self.tree_.apply(X)], self.terms_.expand(X)
        columns = ["term", "coefficient", "value", "product"]
        note = "The answer is the sum of the products."

        def sections(i: int) -> list[Section]:
            coef, z = self.coef_[places[i]], Z[i]
            lines: list[list[Any]] = [["intercept", "", "", float(self.intercept_[places[i]])]]
            lines += [
                [self.terms_.names[j], float(coef[j]), float(z[j]), float(coef[j] * z[j])]
                for j in np.flatnonzero(coef)
            ]
            return [Section("Linear function of the leaf", columns, lines, note)]

        return super()._reasons(X, rows).then(sections)


def _members(tree: Tree, X: Floats) -> list[RowIndices]:
    """For each node the rows that reach it, in their order."""
    path = tree.decision_path(X).tocsc()
    path.sort_indices()
    return [path.indices[a:b] for a, b in zip(path.indptr[:-1], path.indptr[1:])]


def _to_prune(
    tree: Tree, members: list[RowIndices], models: list[tuple[Floats, float]], Z: Floats, y: Floats, w: Floats
) -> list[int]:
    """The nodes whose own linear model is expected to err no more than what grew below them."""
    residual = np.zeros(len(y))  # of the pruned subtree that each row is in so far
    parameters = np.zeros(tree.node_count, dtype=int)
    negligible = 1e-5 * float(np.sqrt(np.cov(y, aweights=w, ddof=0))) if len(y) > 1 else 0.0
    cut = []
    for i in range(tree.node_count - 1, -1, -1):  # children stand behind their parents
        rows, (coef, intercept) = members[i], models[i]
        errors = y[rows] - Z[rows] @ coef - intercept
        terms = int(np.count_nonzero(coef)) + 1
        below = int(parameters[tree.children(i)].sum()) + 1
        leaf = bool(tree.is_leaf[i])
        if not leaf:
            alone = expected_error(errors, w[rows], terms)
            leaf = alone <= negligible or alone <= expected_error(residual[rows], w[rows], below)
            cut += [i] if leaf else []
        parameters[i] = terms if leaf else below
        if leaf:
            residual[rows] = errors
    return cut


def _survivors(tree: Tree, cut: list[int]) -> NDArray[np.intp]:
    gone = np.zeros(tree.node_count + 1, dtype=int)
    np.add.at(gone, np.array(cut, dtype=int) + 1, 1)
    np.add.at(gone, tree.end[np.array(cut, dtype=int)], -1)
    return np.flatnonzero(np.cumsum(gone[:-1]) == 0)


def _smoothed(tree: Tree, coef: Floats, intercept: Floats, k: float) -> tuple[Floats, Floats]:
    """The functions of the nodes with (2) applied all the way up: down the tree, the share of each ancestor follows."""
    if k == 0:
        return coef, intercept
    coef, intercept = coef.copy(), intercept.copy()
    for leaf in np.flatnonzero(tree.is_leaf):
        c, b, node = coef[leaf].copy(), float(intercept[leaf]), int(leaf)
        while tree.parent[node] >= 0:
            N, above = tree.weighted_n_node_samples[node], int(tree.parent[node])
            c, b = (N * c + k * coef[above]) / (N + k), (N * b + k * intercept[above]) / (N + k)  # (2)
            node = above
        coef[leaf], intercept[leaf] = c, b
    return coef, intercept
