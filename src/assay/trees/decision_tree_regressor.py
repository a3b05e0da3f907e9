"""Regression tree: recursive splits where the means of the two sides differ most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card, Regressor
from assay.core.parameters import Choice, Flag
from assay.core.stored import Object
from assay.errors import DataError
from assay.stats.distributions.predictive import Empirical
from assay.trees.decision_tree import DecisionTree
from assay.trees.leaf_targets import LeafTargets
from assay.types import RandomState

__all__ = ["KEEP_TARGETS", "DecisionTreeRegressor", "check_numbers", "has_pure_leaves"]

PURE = 1e-12  # impurity of a leaf, as a share of the largest, that is rounding

KEEP_TARGETS = (
    "it has not kept the training targets in its leaves, and so has no predictive distribution. Fit with "
    "keep_targets=True."
)


class DecisionTreeRegressor(DecisionTree, Regressor):
    r"""Predict a number by a binary tree of tests, each of one column: a piecewise constant function.

    A node of weight W is cut in two where :math:`W I - W_l I_l - W_r I_r` is largest. With the numbers y of a node
    and its answer g, the impurity I is

    ==============  ======================================  =================
    squared_error   the mean of :math:`(y - g)^2`           g is the mean
    absolute_error  the mean of :math:`|y - g|`             g is the median
    poisson         the mean of :math:`y \ln (y / g)`       g is the mean
    ==============  ======================================  =================

    Categories are divided in two groups, the best division there is (in the order of their means it is a cut). For the
    rest, and for what differs from scikit-learn, see :class:`DecisionTreeClassifier`.

    Cost: fit O(d n log n) to sort the columns and O(n d) a level, absolute_error O(n d log n) a level; predict O(depth)
    a row; memory O(n d) to fit, O(nodes) kept.

    Parameters
    ----------
    criterion : "squared_error", "friedman_mse", "absolute_error" or "poisson", default "squared_error"
        The impurity. "friedman_mse" is "squared_error": both prefer the same cuts. Of several outputs the mean counts.
    splitter : "best" or "random", default "best"
    max_depth : int, default None
    min_samples_split : int or fraction, default 2
    min_samples_leaf : int or fraction, default 1
    min_weight_fraction_leaf : float, default 0
    max_features : int, fraction, "sqrt", "log2" or None, default None
    random_state : int, RandomState or None, default None
    max_leaf_nodes : int, default None
    min_impurity_decrease : float, default 0
    ccp_alpha : float, default 0
    monotonic_cst : array of -1, 0, 1, or dict of column names to these, default None
        The prediction never falls (1) or rises (-1) with the column.
    missing : "learned", "surrogate" or "spread", default "learned"
    max_candidates : int, default None
    keep_targets : bool, default False
        Whether to keep the training targets in each leaf, for ``predict_distribution`` and ``predict_interval``. Leaves
        should then be large: with ``min_samples_leaf=20`` a quantile of 0.05 is among their numbers.

    Attributes
    ----------
    tree_ : Tree      n_outputs_ : int      max_features_ : int      feature_importances_ : (d,)

    Examples
    --------
    The variance is 2.574375 before and 0.684 after the first cut:

    >>> from assay.trees import DecisionTreeRegressor
    >>> X = [[1], [2], [3], [4], [5], [6], [7], [8]]
    >>> model = DecisionTreeRegressor(max_depth=1).fit(X, [1, 1.2, 0.8, 3, 3.2, 2.8, 5, 5.2])
    >>> model.tree_.threshold, model.tree_.impurity.round(6)[0].item()
    (array([ 3.5, -2. , -2. ]), 2.574375)
    >>> model.predict([[3.5], [3.6]])
    array([1.  , 3.84])

    See Also
    --------
    CARTRegressor, ModelTreeRegressor, DecisionTreeClassifier, assay.ensembles.RandomForestRegressor

    References
    ----------
    - Breiman, L., Friedman, J. H., Olshen, R. A. and Stone, C. J. (1984). Classification and Regression Trees.
      Wadsworth.
    """

    card = Card(
        "decision tree",
        "one binary tree, grown to the end",
        also=("tree",),
        settings={"random_state": 0},
        learns=(
            "a tree of conditions",
            "squared or absolute error of the leaves",
            "one split after the other, then pruning",
            "greedy",
        ),
    )
    accepts = {
        "criterion": Choice("squared_error", "friedman_mse", "absolute_error", "poisson"),
        **DecisionTree.accepts,
        "keep_targets": Flag(),
    }
    stored = {"leaf_targets_": Object(LeafTargets)}

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = None,
        random_state: RandomState = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        monotonic_cst: ArrayLike | Mapping[str, int] | None = None,
        missing: str = "learned",
        max_candidates: int | None = None,
        keep_targets: bool = False,
    ):
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.missing = missing
        self.max_candidates = max_candidates
        self.keep_targets = keep_targets

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self.n_outputs_ = 1 if y.ndim == 1 else y.shape[1]
        check_numbers(y, w, self.criterion, type(self).__name__)
        self.tree_ = self._grown(X, y, w, 0)
        self.__dict__.pop("leaf_targets_", None)
        if self.keep_targets:
            self._refuse_several_targets(self.n_outputs_ > 1)
            roots = np.array([0, self.tree_.node_count])
            self.leaf_targets_ = LeafTargets.of(y, self.tree_.apply(X)[:, None], roots, None, w)

    def _no_distribution(self) -> str:
        kept = "leaf_targets_" in vars(self) or ("tree_" not in vars(self) and self.keep_targets)
        return "" if kept else KEEP_TARGETS

    def _distribution(self, X: Any) -> Empirical:
        """The training targets in the leaf that a row reaches."""
        return self.leaf_targets_.distribution(self.tree_.apply(X)[:, None])

    def _predict(self, X: Any) -> np.ndarray:
        out = self._answers(X)
        return out[:, 0] if self.n_outputs_ == 1 else out


def has_pure_leaves(impurity: np.ndarray, leaf: np.ndarray) -> bool:
    """Whether each leaf has one target only, so that the answers of trees are all there is to know of them.

    Parameters
    ----------
    impurity : (nodes,)      leaf : (nodes,) bool

    >>> import numpy as np
    >>> from assay.trees.decision_tree_regressor import has_pure_leaves
    >>> has_pure_leaves(np.array([2.0, 0.0, 0.5]), np.array([False, True, True]))
    False
    """
    return bool(impurity[leaf].max() <= PURE * impurity.max())


def check_numbers(y: np.ndarray, w: np.ndarray | None, criterion: str, who: str) -> None:
    """Raise a DataError for numbers that the criterion cannot use."""
    with np.errstate(over="ignore"):
        if not np.isfinite(np.abs(y).sum()):
            raise DataError(
                f"{who}: the numbers of y are too large to be added up. Divide them by a power of ten."
            )
    if criterion == "poisson":
        if (y < 0).any():
            raise DataError(
                f"{who}: Some value(s) of y are negative which is not allowed for Poisson regression: the least is "
                f"{y.min():g}. Use 'squared_error'."
            )
        if (y if w is None else (y.T * w).T).sum(axis=0).min() <= 0:
            raise DataError(f"{who}: Sum of y is not positive which is necessary for Poisson regression.")
