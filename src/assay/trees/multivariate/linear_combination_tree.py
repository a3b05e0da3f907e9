"""CART with linear combinations: one hyperplane a node, found coordinate by coordinate, without needless inputs."""

from __future__ import annotations

import numpy as np

from assay.core import Card
from assay.core.parameters import Range
from assay.trees.multivariate.hyperplanes import delete_inputs, hyperplane, univariate_start
from assay.trees.multivariate.multivariate_tree import CLASSIFYING, MultivariateTreeClassifier
from assay.trees.multivariate.rows import NodeRows
from assay.trees.multivariate.splits import Split
from assay.types import ClassWeight, RandomState

__all__ = ["LinearCombinationTreeClassifier", "combination_split"]

_SHIFTS = (-0.25, 0.0, 0.25)


class LinearCombinationTreeClassifier(MultivariateTreeClassifier):
    r"""A tree whose nodes test a weighted sum of columns, as CART searches for it.

    A node starts from the purest threshold of a single standardised column and turns that hyperplane about one
    column after the other. With the current :math:`v = w^Tx - c`, the test

    .. math:: v + \delta\,(x_j + \gamma) \le 0, \qquad \gamma \in \{-\tfrac14, 0, \tfrac14\}     \quad (1)

    changes the side of row i at one value of :math:`\delta`; sorted, these give every different split, and the purest
    is taken. Cycles over the columns end when one gains less than ``tol``. Then columns whose removal costs little
    are deleted, so that a node looks at what it needs.

    One oblique node can do what takes an axis-parallel tree a staircase; a leaf of it is a polyhedron. Nominal columns
    come in as indicators. Cost of a node: O(cycles d n log n).

    Cost: fit O(c d n log n) a level for c cycles over the columns; predict O(d depth) a row; memory O(n d) to fit, O(d
    nodes) kept.

    Parameters
    ----------
    tol : float, default 0.001
        A cycle that lowers the impurity by less than this share of the node's own is the last.
    deletion : float from 0 to 1, or None, default 0.1
        The cheapest column is deleted while its cost is at most this share of the dearest; None keeps all.
    criterion : "gini" or "entropy", default "gini"
        How mixed the rows of a node are.
    max_depth : int, default None
        How many tests may lead to a leaf; None is no limit.
    min_samples_split, min_samples_leaf : int, or float as a share of the rows, default 2, 1
        Smaller nodes are not split; no branch has fewer rows.
    min_weight_fraction_leaf : float, default 0
        No branch has less than this share of the weight of all rows.
    min_impurity_decrease : float, default 0
        A split must lower the impurity, weighed by the node's share of all rows, by this much.
    validation_fraction : float, default None
        Set this share of the rows aside and prune by them: a node whose subtree does not err less becomes a leaf.
    class_weight : dict, "balanced" or None, default None
        What each class counts.
    random_state : int, RandomState, Generator or None
        Not needed but for ``validation_fraction``: the search itself draws nothing.

    Attributes
    ----------
    tree_ : BranchTree      classes_ : (K,)      feature_importances_ : (d,)

    Examples
    --------
    A diagonal boundary: one test of two columns.

    >>> import numpy as np
    >>> from assay.trees import LinearCombinationTreeClassifier
    >>> X = np.array([[i, j] for i in range(5) for j in range(5)], dtype=float)
    >>> model = LinearCombinationTreeClassifier().fit(X, X.sum(axis=1) > 4)
    >>> model.get_n_leaves(), model.score(X, X.sum(axis=1) > 4)
    (2, 1.0)

    See Also
    --------
    OC1Classifier, FisherTreeClassifier, LinearCombinationTreeRegressor

    References
    ----------
    - Breiman, L., Friedman, J. H., Olshen, R. A. and Stone, C. J. (1984). Classification and Regression Trees.
      Wadsworth.
    - Brodley, C. E. and Utgoff, P. E. (1995). Multivariate decision trees. Machine Learning 19, 45-77.
      doi:10.1023/A:1022607123649
    """

    card = Card(
        "linear combination tree",
        "a tree of weighted sums of columns, as CART searches for them",
        settings={"random_state": 0},
        learns=(
            "a tree of linear conditions",
            "impurity of the leaves",
            "one split after the other, its direction by a search or a discriminant",
            "greedy",
        ),
    )
    accepts = {"tol": Range(0), "deletion": Range(0, 1) | None, **CLASSIFYING}

    def __init__(
        self,
        tol: float = 1e-3,
        deletion: float | None = 0.1,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        validation_fraction: float | None = None,
        class_weight: ClassWeight = None,
        random_state: RandomState = None,
    ):
        self.tol = tol
        self.deletion = deletion
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.validation_fraction = validation_fraction
        self.class_weight = class_weight
        self.random_state = random_state

    def _split(self, rows: NodeRows, rng: np.random.Generator) -> Split | None:
        return combination_split(rows, self.tol, self.deletion)


def combination_split(rows: NodeRows, tol: float, deletion: float | None) -> Split | None:
    """The hyperplane that CART's search finds, or the best threshold of a single column if that is as pure."""
    start = univariate_start(rows)
    if start is None:
        return None
    weights, _ = rows.descend(start, rows.columns, _SHIFTS, tol=tol)  # (1)
    if deletion is not None:
        weights = delete_inputs(weights, rows, deletion)
    split, impurity = hyperplane(weights[:-1], rows)
    simple, before = rows.best_threshold
    return split if impurity < before else simple
