"""Soft-margin tree: a node is a linear support vector machine, on one column or on all."""

from __future__ import annotations

import numpy as np

from assay.core import Card
from assay.core.parameters import Choice, Flag, Range
from assay.trees.multivariate.multivariate_tree import CLASSIFYING, MultivariateTreeClassifier
from assay.trees.multivariate.rows import NodeRows
from assay.trees.multivariate.soft_margin import soft_margin
from assay.trees.multivariate.splits import Hyperplane, Split, Threshold
from assay.trees.multivariate.superclasses import GROUPINGS, group_classes
from assay.types import ClassWeight, RandomState

__all__ = ["SoftMarginTreeClassifier"]


class SoftMarginTreeClassifier(MultivariateTreeClassifier):
    r"""A tree whose nodes cut where a wide margin meets little slack.

    The classes of a node go into two groups :math:`r_i \in \{-1, 1\}`, and the node solves

    .. math:: \min_{w, b}\; \tfrac12 \lVert w\rVert^2 + C \sum_i n_i \max\bigl(0, 1 - r_i (w^Tx_i + b)\bigr)  \quad (1)

    for weighted rows. With ``oblique`` that is one machine on all columns, and the node's hyperplane is its boundary;
    without, one machine for each column, of which the one with the least objective (1) gives column and threshold.
    The boundary of the whole tree is piecewise linear. The threshold is the machine's own, not the purest; where it
    does not divide the rows, the best threshold of a single column takes its place.

    Columns are standardised in each node; nominal ones come in as indicators. Cost of a node: O(n d^2) for each of
    some 20 steps of an interior-point method.

    Cost: fit O(i n d^2) a level for i steps of the machine in each node; predict O(d depth) a row; memory O(n d) to
    fit, O(d nodes) kept.

    Parameters
    ----------
    C : float, default 1
        What slack costs: large values insist on separating, small ones on a wide margin.
    oblique : bool, default True
        All columns at once, or the best single one.
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
    >>> from assay.trees import SoftMarginTreeClassifier
    >>> X, y = [[0, 0], [1, 0], [2, 2], [3, 2]], ["a", "a", "b", "b"]
    >>> model = SoftMarginTreeClassifier(C=100.0).fit(X, y)
    >>> model.get_n_leaves(), model.predict([[1, 1], [2, 1.5]]).tolist()
    (2, ['a', 'b'])

    See Also
    --------
    FisherTreeClassifier, OC1Classifier

    References
    ----------
    - Bennett, K. P. and Blue, J. A. (1998). A support vector machine approach to decision trees. IEEE
      International Joint Conference on Neural Networks, 2396-2401.
    """

    card = Card(
        "soft margin tree",
        "a tree of cuts with wide margins",
        settings={"random_state": 0},
        learns=(
            "a tree of linear conditions",
            "impurity of the leaves",
            "one split after the other, its direction by a search or a discriminant",
            "greedy",
        ),
    )
    accepts = {"C": Range(0, open="low"), "oblique": Flag(), "grouping": Choice(*GROUPINGS), **CLASSIFYING}

    def __init__(
        self,
        C: float = 1.0,
        oblique: bool = True,
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
        self.C = C
        self.oblique = oblique
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
        side = np.where(group_classes(rows, self.grouping), 1.0, -1.0)
        cost = self.C * rows.w
        if self.oblique:
            return _across(rows, soft_margin(rows.standard, side, cost))
        best, least = None, np.inf
        apart = np.abs(side * rows.w @ rows.standard)  # columns that promise most come first
        for j in np.argsort(-apart, kind="stable")[: np.count_nonzero(rows.standard.any(axis=0))]:
            w, b, objective = soft_margin(rows.standard[:, [j]], side, cost, enough=least)  # (1)
            if objective < least * (1 - 1e-9) and abs(w[0]) > 1e-9:
                best, least = Threshold(int(j), float(rows.centre[j] - rows.scale[j] * b / w[0])), objective
        return best


def _across(rows: NodeRows, machine: tuple[np.ndarray, float, float]) -> Split | None:
    """The boundary of a machine on standardised columns, in the columns' own units."""
    w, b, _ = machine
    w = np.where(np.abs(w) > 1e-9 * np.abs(w).max(), w, 0.0) / rows.scale
    used = np.flatnonzero(w)
    if not len(used):
        return None
    threshold = float(w @ rows.centre - b)
    if len(used) == 1 and w[used[0]] > 0:
        return Threshold(int(used[0]), threshold / w[used[0]])
    return Hyperplane(w, threshold, rows.scale)
