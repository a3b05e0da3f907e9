"""LDA tree: at each node one branch for each class, chosen by the linear discriminants of Gaussian classes."""

from __future__ import annotations

import numpy as np

from assay.bayes.shared_covariance import whitening
from assay.core import Card
from assay.core.moments import class_scatter
from assay.trees.multivariate.multivariate_tree import CLASSIFYING, MultivariateTreeClassifier
from assay.trees.multivariate.rows import NodeRows
from assay.trees.multivariate.splits import Discriminants, Split
from assay.types import ClassWeight, RandomState

__all__ = ["LDATreeClassifier"]


class LDATreeClassifier(MultivariateTreeClassifier):
    r"""A tree with a branch for every class of a node: a row goes to the class whose Gaussian explains it best.

    The classes of a node are taken as Gaussians with a common covariance :math:`\Sigma`, which gives linear scores

    .. math:: g_k(x) = \ln\pi_k + x^T\Sigma^{-1}m_k - \tfrac12 m_k^T\Sigma^{-1}m_k            \quad (1)

    and branch k takes the rows with the largest :math:`g_k`. The root is linear discriminant analysis; where it errs,
    the next node learns from the rows that it sent there alone, so the boundary of the tree is piecewise linear.
    Branches that no row takes are left out. A node whose scores send all rows one way uses the best threshold of a
    single column instead.

    Columns are standardised in each node, and directions without scatter within the classes are left out; nominal
    columns come in as indicators. Cost of a node: O(n d^2 + d^3).

    Cost: fit O(n d^2 + d^3) a level; predict O(d depth) a row; memory O(n d + d^2) to fit, O(d nodes) kept.

    Parameters
    ----------
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
    >>> from sklearn.datasets import load_iris
    >>> from assay.trees import LDATreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LDATreeClassifier(max_depth=1).fit(X, y)
    >>> model.get_n_leaves(), round(model.score(X, y), 4)                 # three branches, as LDA
    (3, 0.98)

    See Also
    --------
    FisherTreeClassifier, LinearMachineTreeClassifier, assay.bayes.LinearDiscriminantAnalysis

    References
    ----------
    - Loh, W.-Y. and Vanichsetakul, N. (1988). Tree-structured classification via generalized discriminant
      analysis. Journal of the American Statistical Association 83(403), 715-728.
    - Friedman, J. H. (1977). A recursive partitioning decision rule for nonparametric classification. IEEE
      Transactions on Computers 26(4), 404-408.
    """

    card = Card(
        "lda tree",
        "a tree with a Gaussian for each class in every node",
        learns=(
            "a tree of linear conditions",
            "impurity of the leaves",
            "one split after the other, its direction by a search or a discriminant",
            "greedy",
        ),
    )
    accepts = {**CLASSIFYING}

    def __init__(
        self,
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
        sums = class_scatter(rows.standard, rows.y, rows.w, rows.K, pooled=True)
        present = rows.classes
        n = sums.count.sum()
        P = whitening(sums.scatter[0] / n, tol=1e-4)
        means, priors = sums.mean[present], sums.count[present] / n
        z = means @ P
        constants = np.log(priors) - 0.5 * np.sum(z * z, axis=1)  # (1), in standardised columns
        return Discriminants(z @ P.T / rows.scale, constants, rows.centre, rows.scale, present)
