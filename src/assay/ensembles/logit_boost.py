"""LogitBoost: logistic regression by Newton steps, each a weighted least-squares fit of a weak learner."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from assay.core import Card
from assay.core.parameters import Range
from assay.core.scores import log_softmax, softmax
from assay.ensembles.additive_classifier import AdditiveClassifier
from assay.types import Estimator, RandomState

__all__ = ["LogitBoostClassifier"]


class LogitBoostClassifier(AdditiveClassifier):
    r"""Fit an additive logistic model by quasi-Newton steps, one weak regression at a time.

    For two classes :math:`P(1\mid x) = 1/(1+e^{-2F(x)})`. With y of 0 and 1, each round fits f by least squares with
    the weights w to the working response z,

    .. math:: w_i = p_i(1-p_i),\qquad z_i = \frac{y_i-p_i}{p_i(1-p_i)},\qquad F \leftarrow F + \tfrac12\nu f   \quad (1)

    For K classes, :math:`P = \mathrm{softmax}(F)`, the same with a fit :math:`f_k` for each class, and

    .. math:: F_k \leftarrow F_k + \nu\frac{K-1}K\left(f_k - \tfrac1K\sum_l f_l\right)                         \quad (2)

    which keeps the sum of the scores at 0 (Friedman, Hastie and Tibshirani 2000). As rows become sure, w vanishes and
    z grows; z is cut at ``z_max`` and w at twice the rounding error of 1. The log likelihood grows less fast with a
    row's error than AdaBoost's exponential loss, so wrong labels hurt less. A round that would lower the likelihood of
    the training rows is shortened: a leaf adds at most :math:`\ln(1+|G|/H)`, with the sums G of y - p and H of w over
    its rows, which lowers the loss of its rows (see :mod:`assay.ensembles.boosting_losses`), and leaves that together
    go too far are halved.

    Cost: fit O(d n log n) to sort the columns, then O(T C n d) for T rounds of stumps with C = 1 score for two classes,
    else K; predict O(T C) a row; memory O(n d + n K) to fit, O(T C) kept.

    Parameters
    ----------
    estimator : regressor, default None
        The weak learner, which takes ``sample_weight``; None is ``DecisionTreeRegressor(max_depth=1)``.
    n_estimators : int, default 50
        Rounds.
    learning_rate : float, default 1.0
        :math:`\nu` in (1), (2).
    z_max : float, default 4.0
        The largest working response.
    random_state : None, int or RandomState

    Attributes
    ----------
    estimators_ : list of regressors, round by round, one per score      n_classes_ : K      classes_ : (K,)
    history_ : list of dict: round, loss (mean negative log likelihood), training_error

    Examples
    --------
    The first stump fits z = +2 and -2, each leaf its mean; F is the half of it:

    >>> from assay.ensembles import LogitBoostClassifier
    >>> model = LogitBoostClassifier(n_estimators=1).fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    >>> model.decision_function([[0.0], [3.0]])
    array([-1.,  1.])

    See Also
    --------
    GentleBoostClassifier, GradientBoostingClassifier, assay.linear.LogisticRegression

    References
    ----------
    - Friedman, J., Hastie, T. and Tibshirani, R. (2000). Additive logistic regression: a statistical view of
      boosting. Annals of Statistics 28(2), 337-407. doi:10.1214/aos/1016218223
    """

    card = Card(
        "logitboost",
        "additive logistic regression by small trees",
        settings={"random_state": 0},
        learns=("a sum of regressors", "log loss", "Newton steps, one regressor after the other", "greedy"),
    )
    accepts = {**AdditiveClassifier.accepts, "z_max": Range(0, open="low")}

    def __init__(
        self,
        estimator: Estimator | None = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        z_max: float = 4.0,
        random_state: RandomState = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.z_max = z_max
        self.random_state = random_state

    def _standing(self, F: np.ndarray) -> np.ndarray:
        return self._posterior_of(F)

    def _working(
        self, standing: np.ndarray, y: np.ndarray, c: int, largest: float | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        k = 1 if standing.shape[1] == 2 else c
        p = standing[:, k]
        w = np.maximum(p * (1 - p), 2 * np.finfo(np.float64).eps)
        limit = self.z_max if largest is None else largest
        z = np.clip(((y == k) - p) / w, -limit, limit)  # (1)
        return z, w

    def _scores(self, sums: np.ndarray) -> np.ndarray:
        K = sums.shape[1]
        if K == 1:
            return sums / 2  # (1)
        return (sums - sums.mean(axis=1, keepdims=True)) * ((K - 1) / K)  # (2)

    def _posterior_of(self, F: np.ndarray) -> np.ndarray:
        if F.shape[1] == 1:
            return np.column_stack((expit(-2 * F[:, 0]), expit(2 * F[:, 0])))
        return softmax(F.copy())

    def _loss(self, F: np.ndarray, y: np.ndarray, w: np.ndarray) -> float:
        both = np.column_stack((-F, F)) if F.shape[1] == 1 else F.copy()
        return float(-(w * log_softmax(both)[np.arange(len(y)), y]).sum())

    def _slopes(self, F: np.ndarray, y: np.ndarray, w: np.ndarray) -> np.ndarray:
        P = self._posterior_of(F)
        P[np.arange(len(y)), y] -= 1
        P *= w[:, None]
        K = F.shape[1]
        return P[:, 1:] if K == 1 else P * ((K - 1) / K)

    def _leaf_values(
        self, values: np.ndarray, leaf: np.ndarray, standing: np.ndarray, y: np.ndarray, w: np.ndarray, c: int
    ) -> np.ndarray:
        k, K = (1, 2) if standing.shape[1] == 2 else (c, standing.shape[1])
        p = standing[:, k]
        G = np.bincount(leaf, weights=w * ((y == k) - p), minlength=len(values))
        H = np.bincount(leaf, weights=w * p * (1 - p), minlength=len(values))
        scale = self._rate * (1 if K == 2 else (K - 1) / K)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            t = scale * values
            good = G * t - H * (np.expm1(np.abs(t)) - np.abs(t)) >= 0
            longest = np.log1p(np.abs(G) / np.maximum(H, np.finfo(np.float64).tiny))
        return np.where(good, values, np.copysign(longest, G) / scale)
