"""Quadratic tree: two groups of classes a node, each with a covariance of its own, parted by a quadric."""

from __future__ import annotations

import numpy as np

from assay.core import Card
from assay.core.moments import class_scatter
from assay.core.parameters import Choice
from assay.trees.multivariate.curved_splits import Quadric
from assay.trees.multivariate.multivariate_tree import CLASSIFYING, MultivariateTreeClassifier
from assay.trees.multivariate.rows import NodeRows
from assay.trees.multivariate.splits import Split
from assay.trees.multivariate.superclasses import GROUPINGS, group_classes
from assay.types import ClassWeight, RandomState

__all__ = ["QuadraticTreeClassifier", "own_covariances"]


class QuadraticTreeClassifier(MultivariateTreeClassifier):
    r"""A tree whose nodes compare a quadratic function of the columns with a number.

    The classes of a node go into two groups, each taken as a Gaussian with mean :math:`m_g` and a covariance of its
    own. The logarithm of the ratio of their densities is, up to a constant,

    .. math:: q(x) = \tfrac12 (x-m_0)^T\Sigma_0^{-1}(x-m_0) - \tfrac12 (x-m_1)^T\Sigma_1^{-1}(x-m_1)  \quad (1)

    and the node tests :math:`q(x) \le t` with the t that leaves the branches purest. Ellipsoids, hyperboloids and
    pairs of planes are such surfaces; a circle in a square and the exclusive or take one node.

    The covariance of a group with few rows leans on the common one, so that small nodes stay sound. Columns are
    standardised in each node; nominal ones come in as indicators. Cost of a node: O(n d^2 + d^3).

    Cost: fit O(n d^2 + d^3) a level; predict O(d^2 depth) a row; memory O(n d + d^2) to fit, O(d^2 nodes) kept.

    Parameters
    ----------
    grouping : "exchange" or "2-means", default "exchange"
        How more than two classes become two groups; see :class:`FisherTreeClassifier`.
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
    >>> from assay.trees import QuadraticTreeClassifier
    >>> X = [[x, y] for x in (-2, -1, 1, 2) for y in (-2, -1, 1, 2)]
    >>> model = QuadraticTreeClassifier().fit(X, [x * y > 0 for x, y in X])
    >>> model.get_n_leaves(), model.predict([[3, 3], [-3, 3]]).tolist()
    (2, [True, False])

    See Also
    --------
    FisherTreeClassifier, SphereTreeClassifier, assay.bayes.QuadraticDiscriminantAnalysis

    References
    ----------
    - Alpaydin, E. (2020). Introduction to Machine Learning, fourth edition. MIT Press.
    """

    card = Card(
        "quadratic tree",
        "a tree of quadratic functions of the columns",
        settings={"random_state": 0},
        learns=(
            "a tree of curved conditions",
            "impurity of the leaves",
            "one split after the other, each by a small learner",
            "greedy",
        ),
    )
    accepts = {"grouping": Choice(*GROUPINGS), **CLASSIFYING}

    def __init__(
        self,
        grouping: str = "exchange",
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
        high = group_classes(rows, self.grouping).astype(np.int64)
        means, covariances = own_covariances(rows, high, 2)
        A = np.linalg.inv(covariances)
        matrix = 0.5 * (A[0] - A[1])  # (1), in standardised columns
        weights = A[1] @ means[1] - A[0] @ means[0]
        split = Quadric(
            matrix / np.outer(rows.scale, rows.scale), weights / rows.scale, rows.centre, 0.0, rows.scale
        )
        limit, impurity = rows.cut(split.value(rows.X))
        return (
            Quadric(split.matrix, split.weights, split.centre, limit, split.scale)
            if np.isfinite(impurity)
            else None
        )


def own_covariances(rows: NodeRows, group: np.ndarray, G: int) -> tuple[np.ndarray, np.ndarray]:
    r"""(G, d) means and (G, d, d) covariances of groups of rows, standardised columns.

    .. math:: \Sigma_g = \frac{S_g + k_g\,\Sigma}{n_g + k_g} + 10^{-4} I, \qquad k_g = \frac{(d+1)^2}{n_g + d + 1}

    with the scatter :math:`S_g` of the group and the common covariance :math:`\Sigma` within the groups, which counts
    as :math:`k_g` rows: as many as there are columns where rows are few, next to none where they are many.
    """
    sums = class_scatter(rows.standard, group, rows.w, G, pooled=False)
    d = rows.X.shape[1]
    common = sums.scatter.sum(axis=0) / sums.count.sum()
    added = ((d + 1) ** 2 / (sums.count + d + 1))[:, None, None]
    covariances = (sums.scatter + added * common) / (sums.count[:, None, None] + added)
    return sums.mean, covariances + 1e-4 * np.eye(d)
