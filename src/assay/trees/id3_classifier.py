"""ID3: at every node the column of largest information gain, with one branch for each of its values."""

from __future__ import annotations

import numpy as np

from assay.core import Card, Classifier
from assay.core.parameters import Choice, Count, Range
from assay.core.stored import Object
from assay.errors import DataError
from assay.trees.multiway import SplitRules, grow_multiway
from assay.trees.tree import Tree
from assay.trees.tree_learner import TreeLearner

__all__ = ["ID3Classifier"]


class ID3Classifier(TreeLearner, Classifier):
    r"""Classify by a tree of nominal columns, split by information gain.

    A node splits on the column of largest information gain, with one branch for each of its categories, and its
    branches do not test it again. With the entropy H in bits and the subsets :math:`D_b` of the categories

    .. math:: \text{gain} = H(D) - \sum_b \tfrac{n_b}{n} H(D_b) \quad (1) \qquad
              \text{gain ratio} = \text{gain} \Big/ {-\sum_b \tfrac{n_b}{n} \log_2 \tfrac{n_b}{n}} \quad (2) \qquad
              \text{average Gini} = \sum_b \tfrac{n_b}{n} \Bigl(1 - \sum_k p_{bk}^2\Bigr) \quad (3)

    A node is a leaf when (a) all its rows are of one class; (b) it has no rows: a category that occurs elsewhere; it
    answers with the majority of its parent; (c) no column is left, or (d) no column separates its rows: it answers
    with its own majority. Equal columns: the first wins; equal majorities: the first of ``classes_``. Zero gain is no
    reason to stop, so that XOR is learned. Nothing is pruned; see :func:`assay.trees.pruning.prune`.

    Use it to follow the textbook on small nominal tables; :class:`C45Classifier` is its successor.

    Cost: fit O(d n log n) to sort the columns and O(n d) a level; predict O(depth) a row; memory O(n d) to fit,
    O(nodes) kept.

    Parameters
    ----------
    criterion : "gain", "gain_ratio" or "gini", default "gain"
        What columns compete by: largest (1), largest (2), or smallest (3), which some books call CART on n-way splits.
    numeric : "threshold" or "refuse", default "threshold"
        ID3 itself knows categories only. "threshold" splits numeric columns in two, half way between the values
        where (1) is largest (or (3) smallest), and may test them again; "refuse" raises an error.
    branch_penalty : float, default 0
        Taken off the criterion for every branch after the first, against columns of many values.
    max_depth : int or None, default None

    Attributes
    ----------
    tree_ : Tree      classes_ : (K,)

    Notes
    -----
    A row whose value is missing goes down every branch with a share of its weight, while growing and while
    predicting (Quinlan 1986); the gain is then that of the known rows times their share.

    Examples
    --------
    Ten apples, separated by colour, then shape, with one error:

    >>> from assay.tables.data import load_apples
    >>> from assay.trees import ID3Classifier
    >>> apples = load_apples().frame()
    >>> X, y = apples[["colour", "shape", "taste"]], apples["variety"]
    >>> model = ID3Classifier().fit(X, y)
    >>> [model.schema_.names[j] for j in model.tree_.feature if j >= 0], model.score(X, y)
    (['colour', 'shape'], 0.9)

    See Also
    --------
    C45Classifier, TextbookTreeClassifier

    References
    ----------
    - Quinlan, J. R. (1986). Induction of decision trees. Machine Learning 1, 81-106. doi:10.1007/BF00116251
    """

    card = Card(
        "id3",
        "the first of the trees, plain gain, never pruned",
        learns=(
            "a tree of conditions",
            "impurity of the leaves (entropy, Gini)",
            "one split after the other, then pruning",
            "greedy",
        ),
    )
    takes = frozenset({"nominal", "missing", "sparse"})
    accepts = {
        "criterion": Choice("gain", "gain_ratio", "gini"),
        "numeric": Choice("threshold", "refuse"),
        "branch_penalty": Range(0),
        "max_depth": Count(0) | None,
    }
    stored = {"tree_": Object(Tree, d="d")}

    def __init__(
        self,
        criterion: str = "gain",
        numeric: str = "threshold",
        branch_penalty: float = 0.0,
        max_depth: int | None = None,
    ):
        self.criterion = criterion
        self.numeric = numeric
        self.branch_penalty = branch_penalty
        self.max_depth = max_depth

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        n_categories = self.schema_.category_counts()
        numbers = [c.name for c in self.schema_ if not c.coded]
        if self.numeric == "refuse" and numbers:
            raise DataError(
                f"ID3Classifier: column {numbers[0]!r} holds numbers, and numeric='refuse' takes categories only. Cut "
                "the numbers into categories first, or use numeric='threshold' or C45Classifier."
            )
        rules = SplitRules(criterion=self.criterion, penalty=self.branch_penalty, max_depth=self.max_depth)
        self.tree_ = grow_multiway(X, n_categories, y, w, len(self.classes_), rules)

    def _posterior(self, X: np.ndarray) -> np.ndarray:
        return self.tree_.predict(X)
