"""CART: binary splits, surrogates for missing values, and cost-complexity pruning by cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from assay.core import Card, Classifier
from assay.core.parameters import Any_, Choice, Count, Range, Seed
from assay.core.stored import FloatArray, IntArray, Kind, Object, Scalar
from assay.trees.columns import rank_columns
from assay.trees.growing import grow
from assay.trees.pruning.cost_complexity import cost_complexity
from assay.trees.pruning.cross_validated import weigh_path
from assay.trees.tree import Tree
from assay.trees.tree_learner import TreeLearner
from assay.types import RandomState, Splitter

__all__ = ["CART_ACCEPTS", "CARTClassifier", "PrunedByPrice"]


def _splits(cv: Any) -> bool:
    return hasattr(cv, "split") or (isinstance(cv, (list, tuple)) and len(cv) > 1)


CART_ACCEPTS = {
    "cv": Count(2) | Any_("a splitter or a list of (train, test) row numbers", _splits),
    "within": Range(0),
    "min_samples_split": Count(2),
    "min_samples_leaf": Count(1),
    "max_depth": Count(0) | None,
    "missing": Choice("surrogate", "learned", "spread"),
    "random_state": Seed(),
}


class PrunedByPrice(TreeLearner):
    """Grow a large tree, then keep the subtree that cross-validation chooses."""

    stored: ClassVar[Mapping[str, Kind]] = {
        "ccp_alpha_": Scalar(),
        "path_alphas_": FloatArray("a"),
        "path_errors_": FloatArray("a"),
        "path_standard_errors_": FloatArray("a"),
        "path_leaves_": IntArray("a"),
        "tree_": Object(Tree, d="d"),
    }

    def _grown(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> Tree:
        me: Any = self
        return grow(
            rank_columns(X, self.schema_.category_counts(ordered=False)),
            y,
            w,
            n_classes=len(me.classes_) if hasattr(self, "classes_") else 0,
            criterion=me.criterion,
            max_depth=me.max_depth,
            min_samples_split=me.min_samples_split,
            min_samples_leaf=me.min_samples_leaf,
            missing=me.missing,
        )

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        me: Any = self
        size = _size(y) if y.dtype.kind == "f" else 1.0
        y = y if size == 1 else y / size
        tree = self._grown(X, y, w)

        def fold(train: np.ndarray, test: np.ndarray) -> tuple[Tree, np.ndarray, None]:
            return self._grown(X[train], y[train], None if w is None else w[train]), X[test], None

        cost = getattr(self, "cost", "impurity")
        choice = weigh_path(
            tree, fold, y, w, cv=me.cv, within=me.within, cost=cost, random_state=me.random_state
        )
        kept = cost_complexity(tree, choice.alpha, cost)
        again = 1.0 if getattr(self, "criterion", "") in ("absolute_error", "poisson") else size
        with np.errstate(over="ignore"):  # the square of a number beyond 1e154 is no number
            self.tree_ = replace(kept, values=kept.values * size, impurity=kept.impurity * size * again)
            self.ccp_alpha_ = choice.alpha * size * again
            self.path_alphas_, self.path_leaves_ = choice.alphas * size * again, choice.leaves
            self.path_errors_ = choice.errors * size * size
            self.path_standard_errors_ = choice.standard_errors * size * size


def _size(y: np.ndarray) -> float:
    """A power of two by which to divide numbers whose fourth powers are too large or too small; 1 for all others."""
    most = float(np.abs(y).max())
    return 1.0 if most == 0 or 1e-70 < most < 1e70 else 2.0 ** max(int(np.floor(np.log2(most))), -1000)


class CARTClassifier(PrunedByPrice, Classifier):
    r"""Classify by the tree of Breiman, Friedman, Olshen and Stone: grown fully, then pruned by cross-validation.

    Nodes are split in two where the Gini impurity falls most: numbers at a threshold, categories in two groups. A
    row whose value is missing goes where the best agreeing other column sends it (a surrogate). From the full tree the
    subtrees that minimise

    .. math:: R(T) + \alpha \, |\text{leaves of } T| \quad (1)

    for some price :math:`\alpha` of a leaf form a path, and cross-validation chooses on it: the smallest subtree whose
    error is within one standard error of the least. :class:`DecisionTreeClassifier` grows the same trees with a price
    that you give.

    Use it where a small tree is wanted and the cost of a tenfold fit is acceptable.

    Cost: fit cv + 1 trees of O(d n log n + n d depth); predict O(depth) a row; memory O(n d) to fit, O(nodes) kept.

    Parameters
    ----------
    criterion : "gini" or "entropy", default "gini"
    cost : "error" or "impurity", default "error"
        R(T): the share of training rows that the leaves get wrong, as in the book, or their mean impurity.
    cv : int, splitter or list of (train, test) row numbers, default 10
        How many folds, rows dealt out in the order of y so that classes are spread evenly; or which rows.
    within : float, default 1
        How many standard errors above the least error are allowed; 0 takes the least.
    min_samples_split : int, default 2
    min_samples_leaf : int, default 1
    max_depth : int or None, default None
    missing : "surrogate", "learned" or "spread", default "surrogate"
        How missing values are treated: by surrogate columns, on the side that was better while growing, or on both
        sides in fractions.
    random_state : int, RandomState or None, default None
        None deals out the rows in turn; a seed shuffles rows of the same class first.

    Attributes
    ----------
    tree_ : Tree      classes_ : (K,)      ccp_alpha_ : float
    path_alphas_, path_leaves_, path_errors_, path_standard_errors_ : (s,)
        The path: from which price on each subtree is best, its leaves, its cross-validated error and standard error.

    Examples
    --------
    >>> from assay.tables.data import load_iris
    >>> from assay.trees import CARTClassifier
    >>> iris = load_iris()
    >>> model = CARTClassifier(random_state=0).fit(iris.X, iris.y)
    >>> model.path_leaves_
    array([9, 7, 4, 3, 2, 1])
    >>> model.get_n_leaves()
    3

    See Also
    --------
    DecisionTreeClassifier, C45Classifier, CARTRegressor

    References
    ----------
    - Breiman, L., Friedman, J. H., Olshen, R. A. and Stone, C. J. (1984). Classification and Regression Trees.
      Wadsworth.
    """

    card = Card(
        "cart",
        "one binary tree, pruned by cross-validation",
        settings={"random_state": 0},
        learns=(
            "a tree of conditions",
            "impurity of the leaves (entropy, Gini)",
            "one split after the other, then pruning",
            "greedy",
        ),
    )
    takes = frozenset({"nominal", "missing", "sparse"})
    accepts = {"criterion": Choice("gini", "entropy"), "cost": Choice("error", "impurity"), **CART_ACCEPTS}

    def __init__(
        self,
        criterion: str = "gini",
        cost: str = "error",
        cv: Splitter = 10,
        within: float = 1.0,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        max_depth: int | None = None,
        missing: str = "surrogate",
        random_state: RandomState = None,
    ):
        self.criterion = criterion
        self.cost = cost
        self.cv = cv
        self.within = within
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.missing = missing
        self.random_state = random_state

    def _posterior(self, X: np.ndarray) -> np.ndarray:
        return self.tree_.predict(X)
