"""The regression tree of the textbook, with each of its choices open."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card, Regressor
from assay.core.parameters import Choice, Range
from assay.core.stored import Scalar
from assay.trees.node_measures import NumberMeasure
from assay.trees.textbook_tree import SEARCH, TextbookTree, one_target

__all__ = ["TextbookTreeRegressor"]

NATURAL = {"squared": "mean", "absolute": "median", "worst": "midrange"}  # the value with the least error


class TextbookTreeRegressor(TextbookTree, Regressor):
    r"""Split the rows where the numbers of each branch lie closest to one value, and do the same in every branch.

    Node m answers with :math:`g_m`, the mean of its targets by default, and its error is

    .. math:: E_m = \frac{1}{N_m} \sum_{t \in m} (r^t - g_m)^2                                   \quad (1)

    or with ``criterion="worst"`` the largest deviation, :math:`\max_t |r^t - g_m|`. The test is taken that leaves
    the least error in its branches: their mean, or for the worst case their maximum. A node becomes a leaf if its
    error is below ``error_threshold`` or no test separates its rows; with the worst case the threshold is then a
    bound for every training row. For practical work use ``DecisionTreeRegressor``.

    Cost: fit O(d n log n) a level; predict O(depth) a row; memory O(n d) to fit, O(nodes) kept.

    Parameters
    ----------
    criterion : "squared", "absolute" or "worst", default "squared"
        The error of a node.
    leaf_value : "mean", "median" or "midrange", default None
        What a node answers with; None takes the value of least error: mean for squared, median for absolute,
        midrange for worst.
    nominal : "n-way", "binary grouping" or "one-vs-rest", default "n-way"
        Splits of nominal columns: a branch per category, the best division of the categories in two, or one against
        all others.
    numeric : "binary" or "ternary", default "binary"
        Splits of numeric columns: at one threshold, or at the best pair of them.
    candidates : "midpoints" or "equal-depth", default "midpoints"
        Thresholds that are tried: half way between all neighbouring values, or ``max_candidates`` with as many rows
        between any two.
    max_candidates : int, default 32
        Thresholds of a column that "equal-depth" tries.
    max_categories : int, default 10
        Up to so many categories "binary grouping" tries all :math:`2^{r-1} - 1` divisions. Beyond, the squared error
        needs only the cuts through the categories in the order of their means; other errors try one against the rest.
    error_threshold : float, default 0
        A node whose error is below becomes a leaf (:math:`\theta_r`).
    min_share : float, default 0
        A node that fewer than this share of the training rows reach becomes a leaf; 0.05 is a common choice.
    max_depth : int, default None
        Tests from the root to a leaf, at most; None sets no limit.
    look_ahead : int, default 1
        Levels of tests that are tried before one is chosen; the cost is raised to this power.
    missing : "spread" or "heaviest", default "spread"
        A row without the value goes down all branches in proportion to their weights, or down the heaviest.

    Attributes
    ----------
    tree_ : Tree
    history_ : list of GrowthStep, one for each split, in the order of growing
    error_bound_ : float, the largest deviation of a training row from the value of its leaf

    Examples
    --------
    >>> from assay.trees import TextbookTreeRegressor
    >>> X, y = [[1], [2], [3], [4]], [1.0, 1.2, 5.0, 5.4]
    >>> model = TextbookTreeRegressor(criterion="worst", error_threshold=0.5).fit(X, y)
    >>> model.predict([[0], [9]]), round(model.error_bound_, 12)
    (array([1.1, 5.2]), 0.2)

    See Also
    --------
    DecisionTreeRegressor, TextbookTreeClassifier

    References
    ----------
    - Alpaydin, E. (2020). Introduction to Machine Learning, fourth edition. MIT Press.
    - Breiman, L., Friedman, J. H., Olshen, R. A. and Stone, C. J. (1984). Classification and Regression Trees.
      Wadsworth.
    """

    card = Card(
        "textbook tree",
        "a tree with every choice open and its growth on record",
        learns=(
            "a tree of conditions",
            "squared or absolute error of the leaves",
            "one split after the other, then pruning",
            "greedy",
        ),
    )
    takes = frozenset({"nominal", "missing", "sparse"})
    accepts = {
        "criterion": Choice("squared", "absolute", "worst"),
        "leaf_value": Choice("mean", "median", "midrange") | None,
        **SEARCH,
        "candidates": Choice("midpoints", "equal-depth"),
        "error_threshold": Range(0),
    }
    stored = {"error_bound_": Scalar()}

    def __init__(
        self,
        criterion: str = "squared",
        leaf_value: str | None = None,
        nominal: str = "n-way",
        numeric: str = "binary",
        candidates: str = "midpoints",
        max_candidates: int = 32,
        max_categories: int = 10,
        error_threshold: float = 0.0,
        min_share: float = 0.0,
        max_depth: int | None = None,
        look_ahead: int = 1,
        missing: str = "spread",
    ):
        self.criterion = criterion
        self.leaf_value = leaf_value
        self.nominal = nominal
        self.numeric = numeric
        self.candidates = candidates
        self.max_candidates = max_candidates
        self.max_categories = max_categories
        self.error_threshold = error_threshold
        self.min_share = min_share
        self.max_depth = max_depth
        self.look_ahead = look_ahead
        self.missing = missing

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        y = one_target(y, type(self).__name__)
        leaf = NATURAL[self.criterion] if self.leaf_value is None else self.leaf_value
        self._grow(X, w, NumberMeasure(y, self.criterion, leaf), self._exact_enough)
        kept = slice(None) if w is None else w > 0
        self.error_bound_ = float(np.max(np.abs(y[kept] - self.tree_.predict(X[kept])[:, 0])))

    def _exact_enough(self, value: Any, error: float) -> bool:
        return error < self.error_threshold or error == 0.0

    def _predict(self, X: np.ndarray) -> np.ndarray:
        return self.tree_.predict(X)[:, 0]
