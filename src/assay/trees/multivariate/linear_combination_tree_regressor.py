"""CART with linear combinations for numbers: hyperplanes that leave the least variance."""

from __future__ import annotations

import numpy as np

from assay.core import Card
from assay.core.parameters import Range
from assay.trees.multivariate.linear_combination_tree import combination_split
from assay.trees.multivariate.multivariate_tree import STOPPING, MultivariateTreeRegressor
from assay.trees.multivariate.rows import NodeRows
from assay.trees.multivariate.splits import Split
from assay.types import RandomState

__all__ = ["LinearCombinationTreeRegressor"]


class LinearCombinationTreeRegressor(MultivariateTreeRegressor):
    r"""A regression tree whose nodes test a weighted sum of columns, as CART searches for it.

    The search is that of :class:`LinearCombinationTreeClassifier`; instead of the impurity of classes it lowers the
    variance that the two branches are left with,

    .. math:: \frac1N \sum_b \sum_{i \in b} (y_i - \bar y_b)^2                                  \quad (1)

    A leaf answers with the mean of its rows. Cost of a node: O(cycles d n log n).

    Cost: fit O(c d n log n) a level for c cycles over the columns; predict O(d depth) a row; memory O(n d) to fit, O(d
    nodes) kept.

    Parameters
    ----------
    tol : float, default 0.001
        A cycle that lowers the variance by less than this share of the node's own is the last.
    deletion : float from 0 to 1, or None, default 0.1
        The cheapest column is deleted while its cost is at most this share of the dearest; None keeps all.
    max_depth : int, default None
        How many tests may lead to a leaf; None is no limit.
    min_samples_split, min_samples_leaf : int, or float as a share of the rows, default 2, 1
        Smaller nodes are not split; no branch has fewer rows.
    min_weight_fraction_leaf : float, default 0
        No branch has less than this share of the weight of all rows.
    min_impurity_decrease : float, default 0
        A split must lower the variance, weighed by the node's share of all rows, by this much.
    validation_fraction : float, default None
        Set this share of the rows aside and prune by them: a node whose subtree does not have the smaller squared
        error becomes a leaf.
    random_state : int, RandomState, Generator or None
        Not needed but for ``validation_fraction``: the search itself draws nothing.

    Attributes
    ----------
    tree_ : BranchTree      feature_importances_ : (d,)

    Examples
    --------
    A step across the diagonal: one test of two columns.

    >>> import numpy as np
    >>> from assay.trees import LinearCombinationTreeRegressor
    >>> X = np.array([[i, j] for i in range(5) for j in range(5)], dtype=float)
    >>> y = np.where(X.sum(axis=1) > 4, 10.0, 2.0)
    >>> model = LinearCombinationTreeRegressor().fit(X, y)
    >>> model.get_n_leaves(), model.predict([[0.0, 1.0], [4.0, 4.0]]).tolist()
    (2, [2.0, 10.0])

    See Also
    --------
    LinearCombinationTreeClassifier, ModelTreeRegressor

    References
    ----------
    - Breiman, L., Friedman, J. H., Olshen, R. A. and Stone, C. J. (1984). Classification and Regression Trees.
      Wadsworth.
    """

    card = Card(
        "linear combination tree",
        "a tree of weighted sums of columns, as CART searches for them",
        settings={"random_state": 0},
        learns=(
            "a tree of linear conditions",
            "squared error of the leaves",
            "one split after the other, its direction by a search",
            "greedy",
        ),
    )
    accepts = {"tol": Range(0), "deletion": Range(0, 1) | None, **STOPPING}

    def __init__(
        self,
        tol: float = 1e-3,
        deletion: float | None = 0.1,
        *,
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        validation_fraction: float | None = None,
        random_state: RandomState = None,
    ):
        self.tol = tol
        self.deletion = deletion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.validation_fraction = validation_fraction
        self.random_state = random_state

    def _split(self, rows: NodeRows, rng: np.random.Generator) -> Split | None:
        return combination_split(rows, self.tol, self.deletion)  # (1), since y holds numbers
