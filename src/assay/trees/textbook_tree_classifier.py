"""The classification tree of the textbook, with each of its choices open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.core import Card, Classifier
from assay.core.parameters import Array, Choice, Function, Range
from assay.trees.criteria import impurity_function, minimum_risk
from assay.trees.node_measures import ClassMeasure
from assay.trees.textbook_tree import SEARCH, TextbookTree

__all__ = ["TextbookTreeClassifier"]


class TextbookTreeClassifier(TextbookTree, Classifier):
    r"""Split the rows by the column that leaves the classes least mixed, and do the same in every branch.

    With class shares :math:`p_m^i = N_m^i/N_m` at node m, the test is taken that minimises the mean impurity of its
    branches j,

    .. math:: I'_m = \sum_j \frac{N_{mj}}{N_m}\, \phi(p_{mj}^1, \dots, p_{mj}^K)                    \quad (1)

    and a node becomes a leaf if its impurity is below ``impurity_threshold``, its largest share reaches
    ``purity_threshold``, or no test separates its rows. This is the learner to study trees with: every criterion,
    every kind of split, and the history of growing. For practical work use ``DecisionTreeClassifier``, which
    is tens of times as fast. Among equally good tests the first column wins, then the lowest threshold.

    Cost: fit O(d n log n) a level, O(n^2) for each column and node with ternary splits; predict O(depth) a row; memory
    O(n d) to fit, O(nodes) kept.

    Parameters
    ----------
    criterion : "entropy", "gini", "error", "risk" or a function, default "entropy"
        The impurity. "risk" is the expected loss of the best decision under ``loss``. A function gets class shares,
        (m, K), and returns m numbers; ``check_impurity`` tests it.
    loss : (A, K) array, default None
        For "risk": what decision i (row) costs when the truth is class k (column), classes in sorted order. It guides
        the splits; to decide by it as well, wrap the tree in a ``DecisionRule``.
    penalty : None, "gain ratio" or a number, default None
        Against columns of many categories: None compares the decrease :math:`I_m - I'_m`; "gain ratio" divides it by
        the entropy of the branch sizes, among columns of at least average decrease; a number is taken off the
        decrease for each branch.
    nominal : "n-way", "binary grouping" or "one-vs-rest", default "n-way"
        Splits of nominal columns: a branch per category, the best division of the categories in two, or one against
        all others.
    numeric : "binary" or "ternary", default "binary"
        Splits of numeric columns: at one threshold, or at the best pair of them.
    candidates : "midpoints", "boundary" or "equal-depth", default "midpoints"
        Thresholds that are tried: half way between all neighbouring values, only those between values of different
        classes (where the best one always lies, for a concave impurity), or ``max_candidates`` with as many rows
        between any two.
    max_candidates : int, default 32
        Thresholds of a column that "equal-depth" tries.
    max_categories : int, default 10
        Up to so many categories "binary grouping" tries all :math:`2^{r-1} - 1` divisions. Beyond, two classes need
        only the cuts through the categories in the order of their class shares; for more classes it tries one against
        the rest.
    impurity_threshold : float, default 0
        A node whose impurity is below becomes a leaf (:math:`\theta_I`).
    purity_threshold : float, default 1
        A node whose largest class share is not below becomes a leaf (:math:`\theta_p`).
    min_share : float, default 0
        A node that fewer than this share of the training rows reach becomes a leaf; 0.05 is a common choice.
    max_depth : int, default None
        Tests from the root to a leaf, at most; None sets no limit.
    look_ahead : int, default 1
        Levels of tests that are tried before one is chosen. 2 finds an exclusive or; the cost is raised to this power.
    missing : "spread" or "heaviest", default "spread"
        A row without the value goes down all branches in proportion to their weights, or down the heaviest.

    Attributes
    ----------
    tree_ : Tree
    history_ : list of GrowthStep, one for each split, in the order of growing
    n_classes_ : int

    Examples
    --------
    The exclusive or of two columns; alone, neither has any gain, yet the tree goes on:

    >>> from assay.trees import TextbookTreeClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> model = TextbookTreeClassifier().fit(X, y)
    >>> model.get_n_leaves(), model.predict(X)
    (4, array([0, 1, 1, 0]))
    >>> print(model.growth())
      node  rows  column  before  after  score
         0     4  x0           1      1      0
         1     2  x1           1      0      1
         4     2  x1           1      0      1

    See Also
    --------
    DecisionTreeClassifier, ID3Classifier, TextbookTreeRegressor

    References
    ----------
    - Alpaydin, E. (2020). Introduction to Machine Learning, fourth edition. MIT Press.
    - Breiman, L., Friedman, J. H., Olshen, R. A. and Stone, C. J. (1984). Classification and Regression Trees.
      Wadsworth.
    """

    card = Card(
        "textbook tree",
        "a tree with every choice open and its growth on record",
        learns=(
            "a tree of conditions",
            "impurity of the leaves (entropy, Gini)",
            "one split after the other, then pruning",
            "greedy",
        ),
    )
    takes = frozenset({"nominal", "missing", "sparse"})
    accepts = {
        "criterion": Choice("entropy", "gini", "error", "risk") | Function(),
        "loss": Array(2) | None,
        "penalty": Choice("gain ratio") | Range(0) | None,
        **SEARCH,
        "candidates": Choice("midpoints", "boundary", "equal-depth"),
        "impurity_threshold": Range(0),
        "purity_threshold": Range(0, 1),
    }

    def __init__(
        self,
        criterion: str | Callable[..., Any] = "entropy",
        loss: Any = None,
        penalty: str | float | None = None,
        nominal: str = "n-way",
        numeric: str = "binary",
        candidates: str = "midpoints",
        max_candidates: int = 32,
        max_categories: int = 10,
        impurity_threshold: float = 0.0,
        purity_threshold: float = 1.0,
        min_share: float = 0.0,
        max_depth: int | None = None,
        look_ahead: int = 1,
        missing: str = "spread",
    ):
        self.criterion = criterion
        self.loss = loss
        self.penalty = penalty
        self.nominal = nominal
        self.numeric = numeric
        self.candidates = candidates
        self.max_candidates = max_candidates
        self.max_categories = max_categories
        self.impurity_threshold = impurity_threshold
        self.purity_threshold = purity_threshold
        self.min_share = min_share
        self.max_depth = max_depth
        self.look_ahead = look_ahead
        self.missing = missing

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        K = self.n_classes_ = len(self.classes_)
        impurity = impurity_function(self.criterion, self.loss, type(self).__name__)
        if self.criterion == "risk":
            minimum_risk(np.ones(K), self.loss)  # says at once if the table does not fit the classes
        self._grow(X, w, ClassMeasure(y, K, impurity), self._pure_enough)

    def _pure_enough(self, value: np.ndarray, impurity: float) -> bool:
        share = value.max()
        return bool(impurity < self.impurity_threshold or share >= self.purity_threshold or share == 1.0)

    def _posterior(self, X: np.ndarray) -> np.ndarray:
        return self.tree_.predict(X)
