"""Gradient boosting of numbers: trees fitted to residuals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.explanations import Reasons, RowValues
from assay.core.learner import Regressor
from assay.core.parameters import Choice, Range
from assay.ensembles.boosting_losses import LOSSES, BoostingLoss
from assay.ensembles.gradient_boosting import GradientBoosting, dense, start_with
from assay.errors import DataError
from assay.types import Estimator, RandomState, TableLike

__all__ = ["GradientBoostingRegressor"]


class GradientBoostingRegressor(GradientBoosting, Regressor):
    r"""Add up small regression trees each fitted to the residuals of those before.

    F starts at the best constant. Each round fits a tree to the negative gradient of the loss, which is the residual
    :math:`y - F` for squared error, its sign for absolute error, and the residual cut at :math:`\pm\delta` for huber,
    gives each leaf the step that is best for the loss itself, and adds it:

    .. math:: \gamma_j = \arg\min_\gamma \sum_{i\in j} w_i\,L(y_i, F(x_i)+\gamma),\qquad
              F(x) \leftarrow F(x) + \nu\,\gamma_{j(x)}                                                  \quad (1)

    (mean, median or quantile of the residuals in the leaf; for huber one step from the median; Friedman 2001). A
    drop-in for scikit-learn's class of this name; raw tables, precision and speed are as in the
    classifier.

    Cost: fit O(d n log n) to sort the columns, then O(T n d depth) for T rounds; predict O(T depth) a row; memory O(n
    d) to fit, O(T nodes) kept.

    Parameters
    ----------
    loss : "squared_error", "absolute_error", "huber" or "quantile", default "squared_error"
    learning_rate : float, default 0.1
        :math:`\nu` in (1).
    n_estimators : int, default 100
        Rounds.
    subsample : float, default 1.0
        The share of the rows, drawn anew, that train the tree of a round.
    criterion : deprecated, without effect
    min_samples_split, min_samples_leaf, min_weight_fraction_leaf, min_impurity_decrease : numbers or fractions
        When a node is not split, as in DecisionTreeRegressor.
    max_depth : int or None, default 3
        Most tests from the root of a tree to a leaf.
    init : None, "zero" or a regressor
        Where F starts: at the best constant, at 0, or at the answers of a regressor, which is fitted to the block of
        numbers that trees use.
    random_state : None, int or RandomState
        Of drawn rows and columns.
    max_features : int, fraction, "sqrt", "log2" or None, default None
        Columns that a node looks at, drawn anew; None looks at all.
    alpha : float, default 0.9
        The quantile of loss "quantile", and the share of the residuals that huber squares.
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
    estimators_ : (rounds, 1) trees      n_estimators_ : rounds
    train_score_, oob_scores_, oob_improvement_ : (rounds,) the loss after each round, in and out of the sample
    history_ : list of dict: round, train_score, and oob_score, oob_improvement, validation_score where there are such
    rates_ : the learning rate with which each tree was added, which a warm start may change
    init_ : the fitted initial regressor, "zero" or None      start_ : (1,) constant start, if there is one
    feature_importances_ : (d,)

    Examples
    --------
    The mean is 2.66; the first stump splits at 2.5 and adds the means of what is left over:

    >>> from assay.ensembles import GradientBoostingRegressor
    >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0]], [1.0, 1.2, 3.0, 3.1, 5.0]
    >>> model = GradientBoostingRegressor(n_estimators=3, learning_rate=1.0, max_depth=1).fit(X, y)
    >>> [round(float(((F - y) ** 2).sum()), 4) for F in model.staged_predict(X)]
    [2.56, 0.4475, 0.0954]

    See Also
    --------
    HistGradientBoostingRegressor, AdaBoostRegressor, RandomForestRegressor

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
            "squared, absolute or another error (+ squared leaf values)",
            "one tree after the other, on gradients",
            "greedy",
        ),
    )
    accepts = {
        "loss": Choice(*LOSSES),
        "alpha": Range(0, 1, open="both"),
        "init": start_with("predict"),
        **GradientBoosting.shared,
    }

    def __init__(
        self,
        *,
        loss: str = "squared_error",
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
        alpha: float = 0.9,
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
        self.alpha = alpha
        self.verbose = verbose
        self.max_leaf_nodes = max_leaf_nodes
        self.warm_start = warm_start
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.ccp_alpha = ccp_alpha

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        if y.ndim != 1:
            raise DataError(
                f"{type(self).__name__}: y should be a 1d array, got an array of shape {y.shape} instead."
            )
        self._boost(X, y, w)

    def _make_loss(self) -> BoostingLoss:
        make: Any = LOSSES[self.loss]
        return make(self.alpha) if self.loss in ("huber", "quantile") else make()

    def _predict(self, X: Any) -> np.ndarray:
        return self._raw(dense(X))[:, 0]

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        return self._what_columns_add(dense(X), rows, ["the answer"], np.zeros(X.shape[0], int))

    def staged_predict(self, X: TableLike) -> Iterator[np.ndarray]:
        """(n,) the answers after each round."""
        for F in self._staged_raw(X):
            yield F[:, 0]

    def apply(self, X: TableLike) -> np.ndarray:
        """(n, rounds) the leaf that each row reaches in each tree."""
        return super().apply(X)[:, :, 0]
