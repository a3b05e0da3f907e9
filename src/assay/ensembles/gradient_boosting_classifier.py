"""Gradient boosting of classes: trees that descend the log loss."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.learner import Classifier
from assay.core.parameters import Choice
from assay.ensembles.boosting_losses import BoostingLoss, class_loss
from assay.ensembles.gradient_boosting import GradientBoosting, dense, start_with
from assay.errors import DataError
from assay.types import Estimator, RandomState, TableLike

__all__ = ["GradientBoostingClassifier"]


class GradientBoostingClassifier(GradientBoosting, Classifier):
    r"""Add up small regression trees that descend the log loss (or the exponential loss) of the classes.

    The scores F start at the log odds of the class shares. Each round fits a tree to the negative gradient
    :math:`r_i = y_i - p_i` of the loss (for K > 2 classes, one tree per class), and gives each leaf the Newton step

    .. math:: \gamma_j = \frac{\sum_{i\in j} w_ir_i}{\sum_{i\in j} w_ip_i(1-p_i)},\qquad
              F(x) \leftarrow F(x) + \nu\,\gamma_{j(x)}                                                  \quad (1)

    (for K > 2 times (K - 1)/K; Friedman 2001). Small rates :math:`\nu` with more rounds generalise better; a
    ``subsample`` below 1 makes it stochastic gradient boosting, and gives out-of-bag scores.

    A round that would raise the loss of its training rows is shortened: leaves whose curvature has vanished add
    :math:`\ln(1+|G|/H)` at most, and trees of several classes that go too far together are halved where they do
    (:mod:`assay.ensembles.boosting_losses`, :mod:`assay.ensembles.damping`).

    A drop-in for scikit-learn's class of this name, on raw tables: nominal columns are split by groups of categories,
    missing values go where they lower the error more, and X stays in double precision (scikit-learn rounds it to
    single). Columns are ranked once for all rounds. For much data use HistGradientBoostingClassifier. A single class is
    always the answer, and takes no trees.

    Cost: fit O(d n log n) to sort the columns, then O(T C n d depth) for T rounds of C = 1 tree for two classes, else
    K; predict O(T C depth) a row; memory O(n d + n K) to fit, O(T C nodes) kept.

    Parameters
    ----------
    loss : "log_loss" or "exponential", default "log_loss"
        Exponential is AdaBoost's loss, for two classes.
    learning_rate : float, default 0.1
        :math:`\nu` in (1).
    n_estimators : int, default 100
        Rounds.
    subsample : float, default 1.0
        The share of the rows, drawn anew, that train the trees of a round.
    criterion : deprecated, without effect
    min_samples_split, min_samples_leaf, min_weight_fraction_leaf, min_impurity_decrease : numbers or fractions
        When a node is not split, as in DecisionTreeRegressor.
    max_depth : int or None, default 3
        Most tests from the root of a tree to a leaf.
    init : None, "zero" or a classifier
        Where the scores start: at the class shares, at 0, or at the posterior of a classifier, which is fitted to the
        block of numbers that trees use.
    random_state : None, int or RandomState
        Of drawn rows and columns.
    max_features : int, fraction, "sqrt", "log2" or None, default None
        Columns that a node looks at, drawn anew; None looks at all.
    verbose : int, default 0
        1 prints the loss of rounds 1 to 10, then of every 10th and so on, 2 of all; progress is shown anyway where
        somebody watches.
    max_leaf_nodes : int or None
        Grow the trees best first up to so many leaves.
    warm_start : bool, default False
        Let ``fit`` add rounds to those that are there.
    n_iter_no_change : int or None, default None
        Stop when the loss on rows that are held out has not fallen by ``tol`` in so many rounds.
    validation_fraction, tol : floats, defaults 0.1 and 1e-4
        The share of the rows that is held out, and the fall that counts.
    ccp_alpha : float, default 0
        Minimal cost-complexity pruning of each tree.

    Attributes
    ----------
    estimators_ : (rounds, C) trees; C is 1 for two classes, else K      n_estimators_ : rounds
    train_score_, oob_scores_, oob_improvement_ : (rounds,) the loss after each round, in and out of the sample
    history_ : list of dict: round, train_score, and oob_score, oob_improvement, validation_score where there are such
    rates_ : the learning rate with which each tree was added, which a warm start may change
    init_ : the fitted initial classifier, "zero" or None      start_ : (C,) constant start, if there is one
    feature_importances_ : (d,)      classes_ : (K,)      n_classes_ : K      n_trees_per_iteration_ : C

    Examples
    --------
    >>> from assay.ensembles import GradientBoostingClassifier
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> model = GradientBoostingClassifier(n_estimators=1, learning_rate=1.0).fit(X, y)
    >>> model.decision_function(X)  # start 0, residuals -1/2 and 1/2, curvature 1/4
    array([-2., -2.,  2.,  2.])

    See Also
    --------
    HistGradientBoostingClassifier, LogitBoostClassifier, RandomForestClassifier

    References
    ----------
    - Friedman, J. H. (2001). Greedy function approximation: a gradient boosting machine. Annals of Statistics
      29(5), 1189-1232. doi:10.1214/aos/1013203451
    - Friedman, J. H. (2002). Stochastic gradient boosting. Computational Statistics and Data Analysis 38(4),
      367-378. doi:10.1016/S0167-9473(01)00065-2
    """

    card = Card(
        "exact boosting",
        "gradient boosting with every threshold tried",
        also=("exact gradient boosting",),
        settings={"random_state": 0},
        learns=(
            "a sum of trees",
            "log loss (+ squared leaf values)",
            "one tree after the other, on gradients",
            "greedy",
        ),
    )
    accepts = {
        "loss": Choice("log_loss", "exponential"),
        "init": start_with("predict_proba"),
        **GradientBoosting.shared,
    }

    def __init__(
        self,
        *,
        loss: str = "log_loss",
        learning_rate: float = 0.1,
        n_estimators: int = 100,
        subsample: float = 1.0,
        criterion: str = "deprecated",
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = 3,
        min_impurity_decrease: float = 0.0,
        init: Estimator | str | None = None,
        random_state: RandomState = None,
        max_features: float | str | None = None,
        verbose: int = 0,
        max_leaf_nodes: int | None = None,
        warm_start: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int | None = None,
        tol: float = 1e-4,
        ccp_alpha: float = 0.0,
    ):
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.subsample = subsample
        self.criterion = criterion
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.min_impurity_decrease = min_impurity_decrease
        self.init = init
        self.random_state = random_state
        self.max_features = max_features
        self.verbose = verbose
        self.max_leaf_nodes = max_leaf_nodes
        self.warm_start = warm_start
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.ccp_alpha = ccp_alpha

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        K = self.n_classes_ = len(self.classes_)
        if self.loss == "exponential" and K != 2:
            raise DataError(
                f"{type(self).__name__}: loss='exponential' is only suitable for a binary classification problem, y "
                f"has {K} classes. Use loss='log_loss'."
            )
        if K == 1:
            self.members_, self.seeds_, self.history_, self.init_ = [], np.zeros(0, np.int64), [], None
            self.start_, self.train_score_, self.rates_ = np.zeros(1), np.zeros(0), np.zeros(0)
            self.n_trees_per_iteration_, self.n_estimators_ = 1, 0
            return
        self._boost(X, y, w)

    def _make_loss(self) -> BoostingLoss:
        return class_loss(self.loss, len(self.classes_))

    def _n_scores(self) -> int:
        return 1 if len(self.classes_) <= 2 else len(self.classes_)

    def _labels(self, y: np.ndarray) -> np.ndarray:
        return self.classes_[y]

    def _start_of_init(self, X: np.ndarray) -> np.ndarray:
        return self._make_loss().scores(np.asarray(self.init_.predict_proba(X), np.float64))

    def _posterior(self, X: Any) -> np.ndarray:
        if len(self.classes_) == 1:
            return np.ones((X.shape[0], 1))
        return self._make_loss().posterior(self._raw(dense(X)))

    def _choose(self, X: Any) -> np.ndarray:
        return _best(self._raw(dense(X)))

    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n, K) the scores, or for two classes (n,) the score of ``classes_[1]``."""
        F = self._raw(dense(self._admit(X)))
        return F[:, 0] if F.shape[1] == 1 else F

    def staged_decision_function(self, X: TableLike) -> Iterator[np.ndarray]:
        """(n, C) the scores after each round."""
        yield from self._staged_raw(X)

    def staged_predict_proba(self, X: TableLike) -> Iterator[np.ndarray]:
        """(n, K) the posterior after each round."""
        for F in self._staged_raw(X):
            yield self._make_loss().posterior(F)

    def staged_predict(self, X: TableLike) -> Iterator[np.ndarray]:
        """(n,) the answers after each round."""
        for F in self._staged_raw(X):
            yield self.classes_[_best(F)]

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        X = dense(X)
        F, names = self._raw(X), [str(c) for c in self.classes_]
        if len(names) == 1:
            return Reasons()
        single_score = F.shape[1] == 1
        labels, chosen = (names[1:], np.zeros(len(F), int)) if single_score else (names, _best(F))
        head = "log odds" if single_score and self.loss == "log_loss" else "score"

        def scores(i: int) -> list[Section]:
            return [Section("Scores", ["class", head], [[c, float(v)] for c, v in zip(labels, F[i])])]

        return self._what_columns_add(X, rows, [f"the {head} of {c}" for c in labels], chosen, scores)


def _best(F: np.ndarray) -> np.ndarray:
    return (F[:, 0] > 0).astype(np.int64) if F.shape[1] == 1 else np.argmax(F, axis=1)
