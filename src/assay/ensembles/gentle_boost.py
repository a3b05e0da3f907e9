"""Gentle boosting: exponential loss, and steps that are means instead of log ratios."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, log_expit

from assay.core import Card
from assay.core.scores import softmax
from assay.ensembles.additive_classifier import AdditiveClassifier
from assay.types import Estimator, RandomState

__all__ = ["GentleBoostClassifier"]


class GentleBoostClassifier(AdditiveClassifier):
    r"""AdaBoost's exponential loss with Newton steps: each round adds the weighted mean of y.

    With y of -1 and +1 and weights :math:`w_i = e^{-y_iF(x_i)}`, each round fits f by least squares to y with the
    weights w, and

    .. math:: F \leftarrow F + \nu f,\qquad P(1\mid x) = \frac1{1+e^{-2F(x)}}                            \quad (1)

    A leaf adds :math:`P_w(1)-P_w(-1)`, which lies between -1 and 1, where AdaBoost with probabilities adds half the
    log ratio of the two, which can be huge: hence gentle (Friedman, Hastie and Tibshirani 2000). For K > 2 classes,
    each is separated from the rest in this way, and the K posteriors are divided by their sum (2). A round that would
    raise the loss of the training rows (rates above 1, weak learners that are no trees) is shortened until it does not.

    Cost: fit O(d n log n) to sort the columns, then O(T C n d) for T rounds of stumps with C = 1 score for two classes,
    else K; predict O(T C) a row; memory O(n d) to fit, O(T C) kept.

    Parameters
    ----------
    estimator : regressor, default None
        The weak learner, which takes ``sample_weight``; None is ``DecisionTreeRegressor(max_depth=1)``.
    n_estimators : int, default 50
        Rounds.
    learning_rate : float, default 1.0
        :math:`\nu` in (1).
    random_state : None, int or RandomState

    Attributes
    ----------
    estimators_ : list of regressors, round by round, one per score      n_classes_ : K      classes_ : (K,)
    history_ : list of dict: round, loss (mean exponential loss), training_error

    Examples
    --------
    >>> from assay.ensembles import GentleBoostClassifier
    >>> model = GentleBoostClassifier(n_estimators=2).fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    >>> model.decision_function([[0.0], [3.0]])
    array([-2.,  2.])

    See Also
    --------
    LogitBoostClassifier, AdaBoostClassifier, GradientBoostingClassifier

    References
    ----------
    - Friedman, J., Hastie, T. and Tibshirani, R. (2000). Additive logistic regression: a statistical view of
      boosting. Annals of Statistics 28(2), 337-407. doi:10.1214/aos/1016218223
    """

    card = Card(
        "gentleboost",
        "boosting by Newton steps on the exponential loss",
        settings={"random_state": 0},
        learns=(
            "a sum of regressors",
            "exponential loss",
            "Newton steps, one regressor after the other",
            "greedy",
        ),
    )
    multiclass = "one-vs-rest"

    def __init__(
        self,
        estimator: Estimator | None = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        random_state: RandomState = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.random_state = random_state

    def _working(
        self, standing: np.ndarray, y: np.ndarray, c: int, largest: float | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        sign = np.where(y == (1 if standing.shape[1] == 1 else c), 1.0, -1.0)
        away = -sign * standing[:, c]
        return sign, np.exp(away - away.max())  # the largest weight is 1, so none overflows

    def _scores(self, sums: np.ndarray) -> np.ndarray:
        return sums

    def _posterior_of(self, F: np.ndarray) -> np.ndarray:
        if F.shape[1] == 1:
            return np.column_stack((expit(-2 * F[:, 0]), expit(2 * F[:, 0])))  # (1)
        return softmax(log_expit(2 * F))  # (2)

    def _loss(self, F: np.ndarray, y: np.ndarray, w: np.ndarray) -> float:
        truth = np.eye(2)[y][:, 1:] if F.shape[1] == 1 else np.eye(F.shape[1])[y]
        with np.errstate(over="ignore"):
            return float((w * np.exp(-(2 * truth - 1) * F).mean(axis=1)).sum())

    def _slopes(self, F: np.ndarray, y: np.ndarray, w: np.ndarray) -> np.ndarray:
        truth = np.eye(2)[y][:, 1:] if F.shape[1] == 1 else np.eye(F.shape[1])[y]
        sign = 2 * truth - 1
        with np.errstate(over="ignore"):
            return -w[:, None] * sign * np.exp(-sign * F) / F.shape[1]
