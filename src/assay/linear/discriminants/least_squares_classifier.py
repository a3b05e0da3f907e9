"""Least-squares classifier: linear regression on codes of the classes."""

from __future__ import annotations

import numpy as np

from assay.core import Card
from assay.core.discriminant import Discriminant
from assay.core.parameters import Choice, Flag, Range
from assay.core.stored import FloatArray, Integer
from assay.errors import DataError
from assay.linear.discriminants.ridge_classifier import signs
from assay.linear.linear_classifier import LinearClassifier
from assay.linear.regression.least_squares_learner import LeastSquaresLearner

__all__ = ["LeastSquaresClassifier"]


class LeastSquaresClassifier(LeastSquaresLearner, LinearClassifier, Discriminant):
    r"""Least-squares regression on coded class targets.

    .. math:: \min_{W,b}\;\sum_i v_i\,\lVert t_i - Wx_i - b\rVert^2 + \alpha\lVert W\rVert^2         \quad (1)

    With two classes and the targets :math:`-1/p_0` and :math:`+1/p_1` ("fisher"; :math:`p_k` are the class shares), w
    is Fisher's discriminant direction, and so it is with any other two numbers, such as -1 and +1 ("signs"): only its
    length and the constant b differ. With more classes each class has its own indicator, and the largest score wins.
    Squared error punishes rows for being far on the right side, so outliers pull the boundary: a baseline, and the
    bridge from regression to discriminants.

    Cost: fit O(n d^2 + d^3); predict O(d K) a row; memory O(n d + d^2) to fit, O(d K) kept.

    Parameters
    ----------
    coding : "signs", "fisher" or "indicators", default "signs"
        The target of a row: +1 for its class and -1 for the others; :math:`1/p_k` for its class, and for the others
        0, or with two classes :math:`-1/p_0`; or 1 and 0. Two classes have one score, whose sign decides, so that
        their indicators are moved to +1/2 and -1/2.
    alpha : float, default 0.0
        The penalty; 0 is least squares, where the shortest W is taken if columns are collinear.
    fit_intercept : bool, default True
        Whether there is a constant b.

    Attributes
    ----------
    coef_ : (1, d) for two classes, else (K, d)      intercept_ : (1,) or (K,)
    coding_ : (K, 1) or (K, K) the target of each class      rank_ : int, of the centred columns

    Examples
    --------
    >>> from assay.linear import LeastSquaresClassifier
    >>> model = LeastSquaresClassifier(coding="fisher").fit([[0.0], [1.0], [5.0]], ["a", "a", "b"])
    >>> model.coding_.ravel()
    array([-1.5,  3. ])
    >>> model.predict([[2.0], [3.0]])
    array(['a', 'b'], dtype='<U1')

    See Also
    --------
    RidgeClassifier, LinearRegression, LogisticRegression

    References
    ----------
    - Duda, R. O., Hart, P. E. and Stork, D. G. (2001). Pattern Classification, second edition. Wiley.
    - Bishop, C. M. (2006). Pattern Recognition and Machine Learning. Springer.
    """

    card = Card(
        "least squares",
        "linear regression on coded classes",
        learns=("linear scores", "squared error of coded classes", "normal equations", "analytic"),
    )
    multiclass = "one-vs-rest"
    accepts = {
        "coding": Choice("signs", "fisher", "indicators"),
        "alpha": Range(0),
        "fit_intercept": Flag(),
    }
    stored = {
        "coding_": FloatArray("K", "*"),
        "coef_": FloatArray("*", "p"),
        "intercept_": FloatArray("*"),
        "rank_": Integer(),
    }
    _classes_matter = True
    tol = 1e-10

    def __init__(self, coding: str = "signs", *, alpha: float = 0.0, fit_intercept: bool = True):
        self.coding = coding
        self.alpha = alpha
        self.fit_intercept = fit_intercept

    @property
    def reference_category(self) -> bool:  # type: ignore[override]
        """Whether the first category of a nominal column has no indicator: without a penalty, it would be in vain."""
        return self.alpha == 0

    def _alphas(self, q: int) -> np.ndarray:
        return np.full(q, float(self.alpha))

    def _coding(self, count: np.ndarray) -> np.ndarray:
        K = len(self.classes_)
        if K < 2:
            raise DataError(
                f"{type(self).__name__}: y has one class only, {self.classes_[0]}. Two classes are needed to tell "
                "them apart."
            )
        if self.coding == "signs":
            self.coding_ = signs(K)
        elif self.coding == "indicators":
            self.coding_ = signs(K) / 2 if K == 2 else np.eye(K)
        else:
            share = np.where(count > 0, count, 1.0) / count.sum()
            self.coding_ = np.array([[-1 / share[0]], [1 / share[1]]]) if K == 2 else np.diag(1 / share)
        return self.coding_

    def _publish(self, W: np.ndarray, b: np.ndarray, rank: int, loose: int) -> None:
        self.coef_, self.intercept_, self.rank_ = np.ascontiguousarray(W.T), b, rank
