"""CART for numbers: means in the leaves, and cost-complexity pruning by cross-validation."""

from __future__ import annotations

import numpy as np

from assay.core import Card, Regressor
from assay.core.parameters import Choice
from assay.trees.cart_classifier import CART_ACCEPTS, PrunedByPrice
from assay.types import RandomState, Splitter

__all__ = ["CARTRegressor"]


class CARTRegressor(PrunedByPrice, Regressor):
    r"""Predict by the regression tree of Breiman et al.: grown fully, then pruned by cross-validation.

    Nodes are split in two where the squared error around their means falls most. Of the subtrees that minimise the
    training error plus a price for each leaf, cross-validation takes the smallest whose squared error is within one
    standard error of the least:

    .. math:: \min_T \; \tfrac1n \sum_i \bigl(y_i - g_T(x_i)\bigr)^2 + \alpha \, |\text{leaves of } T| \quad (1)

    Missing values follow surrogate splits; categories are divided in two groups.

    Cost: fit cv + 1 trees of O(d n log n + n d depth); predict O(depth) a row; memory O(n d) to fit, O(nodes) kept.

    Parameters
    ----------
    criterion : "squared_error", "absolute_error" or "poisson", default "squared_error"
        What a split lowers; the path and the cross-validation follow its impurity and the squared error.
    cv : int, splitter or list of (train, test) row numbers, default 10
    within : float, default 1
        How many standard errors above the least error are allowed; 0 takes the least.
    min_samples_split : int, default 2
    min_samples_leaf : int, default 1
    max_depth : int or None, default None
    missing : "surrogate", "learned" or "spread", default "surrogate"
    random_state : int, RandomState or None, default None
        None deals out the rows in turn, in the order of y; a seed shuffles equal ones first.

    Attributes
    ----------
    tree_ : Tree      ccp_alpha_ : float
    path_alphas_, path_leaves_, path_errors_, path_standard_errors_ : (s,)

    Examples
    --------
    A step and some noise: one split is worth its price.

    >>> from assay.trees import CARTRegressor
    >>> x = np.arange(20.0)[:, None]
    >>> y = np.where(x[:, 0] < 10, 1.0, 3.0) + 0.1 * np.tile([0, 1, -1, 0], 5)
    >>> model = CARTRegressor(random_state=0).fit(x, y)
    >>> model.get_n_leaves(), model.predict([[4.0], [15.0]]).round(2)
    (2, array([1.01, 2.99]))

    See Also
    --------
    DecisionTreeRegressor, ModelTreeRegressor, CARTClassifier

    References
    ----------
    - Breiman, L., Friedman, J. H., Olshen, R. A. and Stone, C. J. (1984). Classification and Regression Trees.
      Wadsworth.
    """

    card = Card(
        "cart",
        "one binary tree, pruned by cross-validation",
        settings={"random_state": 0},
        suits="any",
        learns=(
            "a tree of conditions",
            "squared or absolute error of the leaves",
            "one split after the other, then pruning",
            "greedy",
        ),
    )
    takes = frozenset({"nominal", "missing", "sparse"})
    accepts = {"criterion": Choice("squared_error", "absolute_error", "poisson"), **CART_ACCEPTS}

    def __init__(
        self,
        criterion: str = "squared_error",
        cv: Splitter = 10,
        within: float = 1.0,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        max_depth: int | None = None,
        missing: str = "surrogate",
        random_state: RandomState = None,
    ):
        self.criterion = criterion
        self.cv = cv
        self.within = within
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.missing = missing
        self.random_state = random_state

    def _predict(self, X: np.ndarray) -> np.ndarray:
        value = self.tree_.predict(X)
        return value[:, 0] if value.shape[1] == 1 else value
