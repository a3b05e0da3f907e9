"""Linear machine tree: at each node K trained linear scores, the largest of which takes the row."""

from __future__ import annotations

import numpy as np

from assay.core import Card
from assay.core.parameters import Count, Range
from assay.core.scores import log_softmax
from assay.trees.multivariate.multivariate_tree import CLASSIFYING, MultivariateTreeClassifier
from assay.trees.multivariate.rows import NodeRows
from assay.trees.multivariate.splits import Discriminants, Split
from assay.types import ClassWeight, RandomState

__all__ = ["LinearMachineTreeClassifier"]


class LinearMachineTreeClassifier(MultivariateTreeClassifier):
    r"""A tree with a branch for every class of a node, chosen by linear scores that are trained to separate them.

    The scores :math:`g_k(x) = w_k^Tx + v_k` of a node maximise the likelihood of a softmax of them, with a small
    penalty that keeps the weights of separable classes finite:

    .. math:: \min_{w, v}\; -\sum_i \frac{n_i}{N} \ln\frac{e^{g_{y_i}(x_i)}}{\sum_k e^{g_k(x_i)}}
              + \frac{\alpha}{2} \sum_k \lVert w_k\rVert^2                                    \quad (1)

    A row goes to the branch with the largest score. Unlike :class:`LDATreeClassifier` nothing is assumed of the shape
    of the classes, and classes that hyperplanes can separate are separated by one node.

    Columns are standardised in each node; nominal ones come in as indicators. Branches that no row takes are left
    out. Cost of a node: O(n d K) an iteration.

    Cost: fit O(i n d K) a level for i steps; predict O(d K depth) a row; memory O(n d) to fit, O(d K nodes) kept.

    Parameters
    ----------
    alpha : float, default 0.0001
        The penalty in (1), for standardised columns.
    max_iter : int, default 200
        Iterations of L-BFGS; a node's scores need not be the very best.
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
    n_iter_ : int, the most iterations that a node took

    Examples
    --------
    >>> from assay.trees import LinearMachineTreeClassifier
    >>> X = [[0, 0], [1, 0], [5, 0], [6, 1], [3, 6], [3, 7]]
    >>> model = LinearMachineTreeClassifier().fit(X, ["a", "a", "b", "b", "c", "c"])
    >>> model.get_depth(), model.get_n_leaves(), model.predict([[3, 5]]).tolist()
    (1, 3, ['c'])

    See Also
    --------
    LDATreeClassifier, LinearLeafClassifier, assay.linear.LogisticRegression

    References
    ----------
    - Utgoff, P. E. and Brodley, C. E. (1991). Linear machine decision trees. Technical report 91-10, University of
      Massachusetts, Amherst.
    - Brodley, C. E. and Utgoff, P. E. (1995). Multivariate decision trees. Machine Learning 19, 45-77.
      doi:10.1023/A:1022607123649
    """

    card = Card(
        "linear machine tree",
        "a tree with trained linear scores in every node",
        also=("lmdt",),
        settings={"random_state": 0},
        learns=(
            "a tree of linear conditions",
            "impurity of the leaves",
            "one split after the other, its direction by a search or a discriminant",
            "greedy",
        ),
    )
    accepts = {"alpha": Range(0), "max_iter": Count(), **CLASSIFYING}

    def __init__(
        self,
        alpha: float = 1e-4,
        max_iter: int = 200,
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
        self.alpha = alpha
        self.max_iter = max_iter
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.validation_fraction = validation_fraction
        self.class_weight = class_weight
        self.random_state = random_state

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        self.n_iter_ = 1
        super()._learn(X, y, w)

    def _split(self, rows: NodeRows, rng: np.random.Generator) -> Split | None:
        present = rows.classes
        weights, constants, n_iter = softmax_scores(
            rows.standard, np.searchsorted(present, rows.y), rows.w, len(present), self.alpha, self.max_iter
        )
        self.n_iter_ = max(self.n_iter_, n_iter)
        return Discriminants(weights / rows.scale, constants, rows.centre, rows.scale, present)


def softmax_scores(
    Z: np.ndarray, y: np.ndarray, w: np.ndarray, K: int, alpha: float, max_iter: int
) -> tuple[np.ndarray, np.ndarray, int]:
    """(K, d) weights and (K,) constants that minimise (1), the constants with mean 0, and the iterations taken."""
    from scipy.optimize import minimize

    n, d = Z.shape
    share = w / w.sum()
    target = np.zeros((n, K))
    target[np.arange(n), y] = share

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        W, v = flat[: K * d].reshape(K, d), flat[K * d :]
        log_p = log_softmax(Z @ W.T + v)
        value = -np.sum(target * log_p) + 0.5 * alpha * np.sum(W * W)  # (1)
        gap = np.exp(log_p) * share[:, None] - target
        return value, np.concatenate(((gap.T @ Z + alpha * W).ravel(), gap.sum(axis=0)))

    optimum = minimize(
        loss, np.zeros(K * (d + 1)), jac=True, method="L-BFGS-B", options={"maxiter": max_iter, "gtol": 1e-7}
    )
    constants = optimum.x[K * d :]
    return optimum.x[: K * d].reshape(K, d), constants - constants.mean(), int(optimum.nit)
