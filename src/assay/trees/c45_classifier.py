"""C4.5: gain ratio, branches for every category, fractional rows for missing values, and pessimistic pruning."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from assay.core import Card, Classifier
from assay.core.parameters import Choice, Count, Flag, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Object
from assay.trees.multiway import SplitRules, grow_multiway
from assay.trees.pruning import collapse, error_based, mdl, pessimistic, reduced_error
from assay.trees.tree import Tree
from assay.trees.tree_learner import TreeLearner
from assay.types import RandomState

__all__ = ["C45Classifier"]


class C45Classifier(TreeLearner, Classifier):
    r"""Classify by the tree of Quinlan's C4.5, release 8, as Weka's J48 grows and prunes it.

    A node splits on the column of largest gain ratio among those of at least average information gain; a nominal
    column gives one branch per category, a numeric one the two sides of a threshold. With :math:`n` rows of which
    :math:`\tilde n` have a known value, and branches b of the known rows,

    .. math:: \text{gain} = \tfrac{\tilde n}{n}\Bigl(H(D) - \sum_b \tfrac{n_b}{\tilde n} H(D_b)\Bigr)
                            - \tfrac1n \log_2 c, \qquad
              \text{ratio} = \text{gain} \Big/ {-\sum_b \tfrac{n_b}{n} \log_2 \tfrac{n_b}{n}} \quad (1)

    where H is the entropy in bits, the last sum has the rows of unknown value as one more branch, and c is the
    number of cuts to choose from (numeric columns only: the price of the choice). A threshold is the cut of largest
    gain. A row whose value is missing goes down every branch with a share of its weight, while growing and while
    predicting. Pruning works from the leaves up (see :func:`assay.trees.pruning.error_based`).

    Use it on mixed tables with missing values where the tree itself is wanted: it is small and reads well.
    Ties and limits: gains within 1e-6 are equal and the first column wins; both sides of a threshold hold at
    least a tenth of the average class (25 rows at most), as in release 8; J48 takes numbers closer than 1e-5 as equal,
    here all that differ are different.

    Cost: fit O(d n log n) to sort the columns and O(n d) a level; predict O(depth) a row; memory O(n d) to fit,
    O(nodes) kept.

    Parameters
    ----------
    pruning : "error-based", "reduced-error", "pessimistic", "mdl" or None, default "error-based"
        "reduced-error" holds out a third of the rows to prune with; the others need none.
    confidence : float, default 0.25
        For "error-based": smaller prunes more.
    subtree_raising : bool, default True
        For "error-based": also try to replace a subtree by its heaviest branch.
    collapse : bool, default True
        First cut subtrees that get no more training rows right than a leaf would (not for "reduced-error").
    min_samples_leaf : float, default 2
        At least two branches of every split hold this weight; rows count one each, or their ``sample_weight``.
    nominal : "n-way" or "one-vs-rest", default "n-way"
        A branch for each category, or the best single category against all others (J48's ``-B``).
    threshold : "value" or "midpoint", default "value"
        The largest training value up to the middle between two neighbours, as C4.5 prints it, or the middle.
    correction : bool, default True
        The last term of the gain in (1).
    laplace : bool, default False
        Posteriors of leaves are (count + 1)/(n + K) instead of count/n.
    max_depth : int or None, default None
    validation_fraction : float, default 1/3
        The share of the rows that "reduced-error" holds out, drawn class by class.
    random_state : int, RandomState or None, default None
        Which rows these are.

    Attributes
    ----------
    tree_ : Tree      classes_ : (K,)

    Examples
    --------
    >>> from assay.tables.data import load_weather
    >>> from assay.trees import C45Classifier
    >>> weather = load_weather(numeric=False)
    >>> model = C45Classifier().fit(weather.X, weather.y)
    >>> model.get_n_leaves(), model.get_depth(), model.score(weather.X, weather.y)
    (5, 2, 1.0)
    >>> model.schema_.names[model.tree_.feature[0]]
    'outlook'

    See Also
    --------
    CARTClassifier, DecisionTreeClassifier, ID3Classifier

    References
    ----------
    - Quinlan, J. R. (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann.
    - Quinlan, J. R. (1996). Improved use of continuous attributes in C4.5. Journal of Artificial Intelligence
      Research 4, 77-90. doi:10.1613/jair.279
    """

    card = Card(
        "c45",
        "one tree that can be read, n-way splits, pruned",
        also=("c4.5", "j48", "tree"),
        suits="any",
        learns=(
            "a tree of conditions",
            "impurity of the leaves (entropy, Gini)",
            "one split after the other, then pruning",
            "greedy",
        ),
    )
    takes = frozenset({"nominal", "missing", "sparse"})
    accepts = {
        "pruning": Choice("error-based", "reduced-error", "pessimistic", "mdl") | None,
        "confidence": Range(0, 0.5, open="low"),
        "subtree_raising": Flag(),
        "collapse": Flag(),
        "min_samples_leaf": Range(0),
        "nominal": Choice("n-way", "one-vs-rest"),
        "threshold": Choice("value", "midpoint"),
        "correction": Flag(),
        "laplace": Flag(),
        "max_depth": Count(0) | None,
        "validation_fraction": Range(0, 1, open="both"),
        "random_state": Seed(),
    }
    stored = {"tree_": Object(Tree, d="d")}

    def __init__(
        self,
        pruning: str | None = "error-based",
        confidence: float = 0.25,
        subtree_raising: bool = True,
        collapse: bool = True,
        min_samples_leaf: float = 2,
        nominal: str = "n-way",
        threshold: str = "value",
        correction: bool = True,
        laplace: bool = False,
        max_depth: int | None = None,
        validation_fraction: float = 1 / 3,
        random_state: RandomState = None,
    ):
        self.pruning = pruning
        self.confidence = confidence
        self.subtree_raising = subtree_raising
        self.collapse = collapse
        self.min_samples_leaf = min_samples_leaf
        self.nominal = nominal
        self.threshold = threshold
        self.correction = correction
        self.laplace = laplace
        self.max_depth = max_depth
        self.validation_fraction = validation_fraction
        self.random_state = random_state

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        if self.pruning == "reduced-error":
            self.tree_ = self._held_out(X, y, w)
            return
        tree = self._grown(X, y, w)
        if self.collapse:
            tree = collapse(tree)
        if self.pruning == "error-based":
            tree = error_based(tree, self.confidence, *((X, y, w) if self.subtree_raising else ()))
        elif self.pruning == "pessimistic":
            tree = pessimistic(tree)
        elif self.pruning == "mdl":
            tree = mdl(tree)
        self.tree_ = tree

    def _grown(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> Tree:
        rules = SplitRules(
            criterion="gain_ratio",
            average=True,
            correction=self.correction,
            tenth=True,
            useless=False,
            one_vs_rest=self.nominal == "one-vs-rest",
            min_leaf=self.min_samples_leaf,
            tolerance=1e-6,
            max_depth=self.max_depth,
            midpoint=self.threshold == "midpoint",
        )
        return grow_multiway(X, self.schema_.category_counts(), y, w, len(self.classes_), rules)

    def _held_out(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> Tree:
        """Grow on most rows, prune with the others."""
        aside = held_out_rows(y, self.validation_fraction, self.random_state)
        if not aside.any():  # too few rows to hold any out
            return self._grown(X, y, w)
        weigh = (lambda rows: None) if w is None else w.__getitem__
        tree = self._grown(X[~aside], y[~aside], weigh(~aside))
        return reduced_error(tree, X[aside], y[aside], weigh(aside))

    def _posterior(self, X: np.ndarray) -> np.ndarray:
        tree = self.tree_
        if self.laplace:
            n = tree.weighted_n_node_samples.copy()
            none = np.flatnonzero(n <= 0)  # such a leaf answers as its parent does
            n[none] = n[tree.parent[none]]
            smooth = (tree.values * n[:, None] + 1) / (n[:, None] + tree.values.shape[1])
            tree = replace(tree, values=smooth)
        return tree.predict(X)


def held_out_rows(y: np.ndarray, share: float, random_state: Any) -> np.ndarray:
    """(n,) bool: a share of each class, at random; every class keeps at least one row for growing."""
    draw = random_state_of(random_state)
    aside = np.zeros(len(y), bool)
    for k in range(int(y.max()) + 1):
        rows = np.flatnonzero(y == k)
        aside[draw.permutation(rows)[: min(round(share * len(rows)), len(rows) - 1)]] = True
    return aside
