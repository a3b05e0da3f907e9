"""Omnivariate tree: each node is univariate, linear or nonlinear, as a statistical test decides."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.core import Card
from assay.core.parameters import Count, Range
from assay.stats.significance.five_by_two import five_by_two_f
from assay.trees.multivariate.grow import usable
from assay.trees.multivariate.hyperplanes import hyperplane
from assay.trees.multivariate.linear_machine_tree import softmax_scores
from assay.trees.multivariate.multivariate_tree import CLASSIFYING, MultivariateTreeClassifier
from assay.trees.multivariate.neural_tree import network_split
from assay.trees.multivariate.rows import NodeRows
from assay.trees.multivariate.splits import Split
from assay.trees.multivariate.superclasses import group_classes
from assay.types import ClassWeight, RandomState

__all__ = ["OmnivariateTreeClassifier"]


class OmnivariateTreeClassifier(MultivariateTreeClassifier):
    r"""A tree in which every node is as complex as it has to be, and no more.

    A node has three candidates, from simple to complex: the purest threshold of one column, the hyperplane of logistic
    regression between two groups of classes, and a network with one hidden layer. Five times the rows of the node are
    halved at random; each candidate learns on one half and is tried, as a tree of one test, on the other, and the
    reverse. The combined 5 x 2 cv F test compares the ten differences of the error rates. The simplest is taken,
    unless a more complex one errs less and the difference is significant at level ``alpha``.

    Complex nodes are expected near the root, where rows are many, and simple ones further down. ``node_kinds`` counts
    them. Cost of a node: eleven times that of all three candidates.

    Cost: fit eleven times three candidates in each node, the network the most expensive with O(i h n d) a level for i
    steps with h hidden units; predict O(h d depth) a row at most; memory O(n d + n h) to fit, O(h d nodes) kept.

    Parameters
    ----------
    alpha : float, default 0.05
        The level of the test: smaller values require stronger evidence before a node may be complex.
    hidden : int, default 4
        Hidden units of a network.
    min_samples_test : int, default 30
        Smaller nodes are univariate: a test on fewer rows finds nothing.
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
        Seed of the halves and of the networks.

    Attributes
    ----------
    tree_ : BranchTree      classes_ : (K,)      feature_importances_ : (d,)

    Examples
    --------
    >>> import numpy as np
    >>> from assay.trees import OmnivariateTreeClassifier
    >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    >>> model = OmnivariateTreeClassifier(random_state=0).fit(X, X[:, 0] + X[:, 1] > 0)
    >>> model.node_kinds()["linear"], model.tree_.splits[0].kind
    (1, 'linear')

    See Also
    --------
    FisherTreeClassifier, NeuralTreeClassifier, CARTClassifier

    References
    ----------
    - Yildiz, O. T. and Alpaydin, E. (2001). Omnivariate decision trees. IEEE Transactions on Neural Networks
      12(6), 1539-1546.
    - Alpaydin, E. (1999). Combined 5 x 2 cv F test for comparing supervised classification learning algorithms.
      Neural Computation 11(8), 1885-1892. doi:10.1162/089976699300016007
    """

    card = Card(
        "omnivariate tree",
        "a tree whose nodes are as complex as a test finds necessary",
        settings={"random_state": 0},
        learns=(
            "a tree of curved conditions",
            "impurity of the leaves",
            "one split after the other, each by a small learner",
            "greedy",
        ),
    )
    accepts = {
        "alpha": Range(0, 1, open="both"),
        "hidden": Count(),
        "min_samples_test": Count(4),
        **CLASSIFYING,
    }

    def __init__(
        self,
        alpha: float = 0.05,
        hidden: int = 4,
        min_samples_test: int = 30,
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
        self.hidden = hidden
        self.min_samples_test = min_samples_test
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.validation_fraction = validation_fraction
        self.class_weight = class_weight
        self.random_state = random_state

    def node_kinds(self) -> dict[str, int]:
        """How many nodes are univariate, linear, networks, and leaves."""
        self._ready()
        kinds = ["leaf" if split is None else split.kind for split in self.tree_.splits]
        return {kind: kinds.count(kind) for kind in ("univariate", "linear", "network", "leaf")}

    def _split(self, rows: NodeRows, rng: np.random.Generator) -> Split | None:
        candidates: list[Callable[[NodeRows], Split | None]] = [
            lambda part: part.best_threshold[0],
            lambda part: logistic_split(part) if len(part.classes) > 1 else None,
            lambda part: (
                network_split(part, rng, self.hidden, restarts=1, steps=50) if len(part.classes) > 1 else None
            ),
        ]
        if len(rows) < self.min_samples_test:
            return candidates[0](rows)
        halves = [rows.halves(rng) for _ in range(5)]
        folds = [(rows.take(half), rows.take(~half)) for half in halves]
        chosen, errors = 0, errors_of(candidates[0], folds)
        for i in (1, 2):
            if not errors.any():  # nothing is left to be better at
                break
            others = errors_of(candidates[i], folds)
            if others.mean() < errors.mean() and five_by_two_f(errors - others).p < self.alpha:
                chosen, errors = i, others
        return candidates[chosen](rows)


def logistic_split(rows: NodeRows) -> Split | None:
    """The hyperplane of logistic regression between two groups of classes, with the purest threshold."""
    side = group_classes(rows).astype(np.int64)
    weights, _, _ = softmax_scores(rows.standard, side, rows.w, 2, alpha=1e-4, max_iter=100)
    return hyperplane(weights[1] - weights[0], rows)[0]


def errors_of(
    learn: Callable[[NodeRows], Split | None], folds: list[tuple[NodeRows, NodeRows]]
) -> np.ndarray:
    """(5, 2) the error rate of a candidate as a tree of one test: learned on one half, tried on the other."""
    errors = np.zeros((len(folds), 2))
    for i, halves in enumerate(folds):
        for j, (part, held_out) in enumerate((halves, halves[::-1])):
            answer = np.full(len(held_out), np.argmax(part.counts))
            split, branch = usable(learn(part), part)
            if split is not None:
                ways = split.branch(held_out.X)
                for b in range(split.arity):
                    answer[ways == b] = np.argmax(part.take(branch == b).counts)
            errors[i, j] = held_out.w[answer != held_out.y].sum() / held_out.w.sum()
    return errors
