"""Linear discriminant tree: the classes of a node in two groups, Fisher's direction between them, the purest cut."""

from __future__ import annotations

import numpy as np

from assay.core import Card
from assay.core.parameters import Choice, Range
from assay.trees.multivariate.hyperplanes import delete_inputs, hyperplane
from assay.trees.multivariate.multivariate_tree import CLASSIFYING, MultivariateTreeClassifier
from assay.trees.multivariate.rows import NodeRows
from assay.trees.multivariate.splits import Split
from assay.trees.multivariate.superclasses import GROUPINGS, class_sums, fisher_weights, group_classes
from assay.types import ClassWeight, RandomState

__all__ = ["FisherTreeClassifier", "fisher_split"]


class FisherTreeClassifier(MultivariateTreeClassifier):
    r"""A tree of hyperplanes across Fisher's direction between two groups of classes.

    A node puts its classes into two groups and projects on Fisher's direction between them,

    .. math:: w = S_W^{-1} (m_1 - m_0)                                                        \quad (1)

    where :math:`S_W` is the scatter within the groups. The threshold is the one that leaves the branches purest. There
    is no search over hyperplanes, so it is fast with many columns. Where :math:`S_W` is singular, the principal
    components that hold 99 % of the variance take the columns' place.

    Columns are standardised in each node; nominal ones come in as indicators. Cost of a node: O(n d^2 + d^3), and the
    latter K times for each exchange of classes.

    Cost: fit O(n d^2 + d^3) a level; predict O(d depth) a row; memory O(n d + d^2) to fit, O(d nodes) kept.

    Parameters
    ----------
    grouping : "exchange" or "2-means", default "exchange"
        How more than two classes become two groups. "exchange": from the two classes farthest apart, moving single
        classes over while that makes the split purer. "2-means": by 2-means on the class means.
    deletion : float from 0 to 1, or None, default None
        Afterwards the cheapest column is deleted while its cost in impurity is at most this share of the dearest;
        None keeps all.
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
        Not needed but for ``validation_fraction``.

    Attributes
    ----------
    tree_ : BranchTree      classes_ : (K,)      feature_importances_ : (d,)

    Examples
    --------
    >>> from assay.trees import FisherTreeClassifier
    >>> model = FisherTreeClassifier().fit([[0, 0], [2, 0], [4, 2], [6, 4]], ["a", "a", "b", "b"])
    >>> model.get_n_leaves(), model.predict([[1, 1], [5, 3]]).tolist()
    (2, ['a', 'b'])

    See Also
    --------
    LDATreeClassifier, LinearCombinationTreeClassifier, OmnivariateTreeClassifier

    References
    ----------
    - Yildiz, O. T. and Alpaydin, E. (2005). Linear discriminant trees. International Journal of Pattern
      Recognition and Artificial Intelligence 19(3), 323-353.
    """

    card = Card(
        "oblique tree",
        "a tree of linear discriminants",
        learns=(
            "a tree of linear conditions",
            "impurity of the leaves",
            "one split after the other, its direction by a search or a discriminant",
            "greedy",
        ),
    )
    accepts = {"grouping": Choice(*GROUPINGS), "deletion": Range(0, 1) | None, **CLASSIFYING}

    def __init__(
        self,
        grouping: str = "exchange",
        deletion: float | None = None,
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
        self.grouping = grouping
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
        return fisher_split(rows, self.grouping, self.deletion)


def fisher_split(rows: NodeRows, grouping: str = "exchange", deletion: float | None = None) -> Split | None:
    """The hyperplane across Fisher's direction between two groups of classes."""
    high = np.zeros(rows.K, bool)
    high[rows.y[group_classes(rows, grouping)]] = True
    weights = fisher_weights(class_sums(rows), high)  # (1)
    if deletion is not None:
        weights = delete_inputs(np.append(weights, 0.0), rows, deletion)[:-1]
    return hyperplane(weights, rows)[0]
