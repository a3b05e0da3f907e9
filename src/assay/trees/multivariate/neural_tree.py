"""Neural tree: a node is a small network that separates two groups of classes."""

from __future__ import annotations

import numpy as np

from assay.core import Card
from assay.core.parameters import Choice, Count, Range
from assay.trees.multivariate.curved_splits import Network
from assay.trees.multivariate.multivariate_tree import CLASSIFYING, MultivariateTreeClassifier
from assay.trees.multivariate.rows import NodeRows
from assay.trees.multivariate.splits import Split
from assay.trees.multivariate.superclasses import GROUPINGS, group_classes
from assay.types import ClassWeight, RandomState

__all__ = ["NeuralTreeClassifier", "network_split"]


class NeuralTreeClassifier(MultivariateTreeClassifier):
    r"""A tree whose nodes are networks with one hidden layer and one output.

    A node puts its classes into two groups :math:`r_i \in \{-1, 1\}` and trains

    .. math:: f(x) = v_0 + \sum_h v_h \tanh(w_h^Tx + w_{h0}), \qquad
              \min \sum_i \frac{n_i}{N} \ln\bigl(1 + e^{-r_i f(x_i)}\bigr)
              + \frac\alpha2 \Bigl(\sum_h \lVert w_h\rVert^2 + v_h^2\Bigr)                  \quad (1)

    by L-BFGS from a few random starts. The node tests :math:`f(x) \le t` with the t that leaves the branches purest.
    Any smooth boundary is in reach, the exclusive or with two hidden units; but a node has many numbers to learn, and
    deep in the tree few rows to learn them from.

    Columns are standardised in each node; nominal ones come in as indicators. Cost of a node: O(n d hidden) an
    iteration.

    Cost: fit O(r i h n d) a level for r starts of i steps with h hidden units; predict O(h d depth) a row; memory O(n d
    + n h) to fit, O(h d nodes) kept.

    Parameters
    ----------
    hidden : int, default 4
        Hidden units of a node.
    alpha : float, default 0.0001
        The penalty in (1).
    restarts : int, default 3
        Random starts; a pure split ends them early.
    steps : int, default 100
        At most so many iterations of L-BFGS from each start.
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
        Seed of the starts.

    Attributes
    ----------
    tree_ : BranchTree      classes_ : (K,)      feature_importances_ : (d,)

    Examples
    --------
    Exclusive or in one node:

    >>> from assay.trees import NeuralTreeClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> model = NeuralTreeClassifier(random_state=0).fit(X, y)
    >>> model.get_depth(), model.predict(X).tolist()
    (1, [0, 1, 1, 0])

    See Also
    --------
    OmnivariateTreeClassifier, QuadraticTreeClassifier

    References
    ----------
    - Guo, H. and Gelfand, S. B. (1992). Classification trees with neural network feature extraction. IEEE
      Transactions on Neural Networks 3(6), 923-933.
    """

    card = Card(
        "neural tree",
        "a tree of small neural networks",
        settings={"random_state": 0},
        learns=(
            "a tree of curved conditions",
            "impurity of the leaves",
            "one split after the other, each by a small learner",
            "greedy",
        ),
    )
    accepts = {
        "hidden": Count(),
        "alpha": Range(0),
        "restarts": Count(),
        "steps": Count(),
        "grouping": Choice(*GROUPINGS),
        **CLASSIFYING,
    }

    def __init__(
        self,
        hidden: int = 4,
        alpha: float = 1e-4,
        restarts: int = 3,
        steps: int = 100,
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
        self.hidden = hidden
        self.alpha = alpha
        self.restarts = restarts
        self.steps = steps
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
        return network_split(rows, rng, self.hidden, self.alpha, self.restarts, self.steps, self.grouping)


def network_split(
    rows: NodeRows,
    rng: np.random.Generator,
    hidden: int = 4,
    alpha: float = 1e-4,
    restarts: int = 3,
    steps: int = 100,
    grouping: str = "exchange",
) -> Split | None:
    """The purest of the splits that networks from several starts make."""
    side = np.where(group_classes(rows, grouping), 1.0, -1.0)
    d = rows.X.shape[1]
    best, least = None, np.inf
    for _ in range(restarts):
        start = rng.standard_normal(hidden * (d + 2) + 1)
        start[: hidden * d] /= np.sqrt(d)
        H, b, v = train(rows.standard, side, rows.w, hidden, start, alpha, steps)
        network = Network(H, b, v, rows.centre, rows.scale, 0.0)
        limit, impurity = rows.cut(network.value(rows.X))
        if impurity < least - 1e-12:
            best, least = Network(H, b, v, rows.centre, rows.scale, limit), impurity
        if least <= 0:
            break
    return best


def train(
    Z: np.ndarray, side: np.ndarray, w: np.ndarray, h: int, start: np.ndarray, alpha: float, steps: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(h, d) hidden weights, (h,) hidden biases and (h,) output weights that minimise (1) from ``start``."""
    from scipy.optimize import minimize

    weights = minimize(
        loss,
        start,
        args=(Z, side, w / w.sum(), h, alpha),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": steps, "gtol": 1e-6},
    ).x
    d = Z.shape[1]
    return weights[: h * d].reshape(h, d), weights[h * d : h * d + h], weights[h * d + h : -1]


def loss(
    flat: np.ndarray, Z: np.ndarray, side: np.ndarray, share: np.ndarray, h: int, alpha: float
) -> tuple[float, np.ndarray]:
    """(1) and its gradient; ``flat`` holds hidden weights, hidden biases, output weights and output bias."""
    d = Z.shape[1]
    H, b, v, v0 = flat[: h * d].reshape(h, d), flat[h * d : h * d + h], flat[h * d + h : -1], flat[-1]
    A = np.tanh(Z @ H.T + b)
    margin = side * (A @ v + v0)
    value = share @ np.logaddexp(0, -margin) + 0.5 * alpha * (np.sum(H * H) + v @ v)  # (1)
    slope = -share * side * np.exp(-np.logaddexp(0, margin))  # by f
    back = slope[:, None] * v * (1 - A * A)  # by the sums that the hidden units get
    gradient = np.concatenate(
        ((back.T @ Z + alpha * H).ravel(), back.sum(axis=0), A.T @ slope + alpha * v, [slope.sum()])
    )
    return value, gradient
