"""Linear regression with the epsilon-insensitive loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card, Regressor
from assay.core.parameters import Count, Flag, Range
from assay.core.stored import BoolArray
from assay.linear.linear_regressor import LinearRegressor
from assay.linear.regression.quantile_regressor import learn_tube

__all__ = ["EpsilonInsensitiveRegressor"]


class EpsilonInsensitiveRegressor(LinearRegressor, Regressor):
    r"""A linear function in a tube: errors up to epsilon are free, beyond they cost their absolute value.

    .. math:: \min_{w,b}\;\frac{\sum_i v_i\,(|y_i-w^Tx_i-b|-\epsilon)_+}{\sum_iv_i}
              +\frac\alpha2\lVert w\rVert^2                                                           \quad (1)

    Like least absolute error it is hardly moved by outliers, and rows well inside the tube have no influence: this is
    the linear support vector machine for regression, whose C is :math:`1/(n\alpha)`. (1) is a quadratic program, solved
    to its exact minimum by an interior-point method in 10 to 30 weighted least-squares problems. With :math:`\alpha=0`
    and a tube that holds all rows, the middle of all answers is given.

    Cost: fit O(n d^2) a step; predict O(d) a row; memory O(n d) to fit, O(d) kept.

    Parameters
    ----------
    epsilon : float, default 0.1
        Half the width of the tube, in the units of y; 0 is least absolute error.
    alpha : float, default 0.0001
        The penalty on squared weights.
    fit_intercept : bool, default True
        Whether there is a constant b.
    max_iter : int, default 200
        Largest number of steps.

    Attributes
    ----------
    coef_ : (d,)      intercept_ : float
    outside_ : (n,) which training rows are on the border of the tube or beyond, and so carry the answer
    n_iter_ : int      history_ : list of Record

    Examples
    --------
    >>> from assay.linear import EpsilonInsensitiveRegressor
    >>> x, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.1, 1.9, 3.0, 40.0]      # the last is an outlier
    >>> model = EpsilonInsensitiveRegressor(epsilon=0.2).fit(x, y)
    >>> model.predict(x).round(2)                           # on the border of the tube at 0, as far as 3.25 at 3
    array([-0.2 ,  0.95,  2.1 ,  3.25,  4.4 ])

    See Also
    --------
    HuberRegressor, QuantileRegressor

    References
    ----------
    - Vapnik, V. N. (1995). The Nature of Statistical Learning Theory. Springer.
    - Smola, A. J. and Schölkopf, B. (2004). A tutorial on support vector regression. Statistics and Computing 14,
      199-222. doi:10.1023/B:STCO.0000035301.49549.88
    """

    card = Card(
        "epsilon insensitive",
        "a linear function in a tube of free errors",
        scale=True,
        learns=(
            "a linear function",
            "absolute error beyond epsilon + squared weights",
            "an interior-point method",
            "global",
        ),
    )
    accepts = {"epsilon": Range(0), "alpha": Range(0), "fit_intercept": Flag(), "max_iter": Count()}
    stored = {"outside_": BoolArray("*")}

    def __init__(
        self, epsilon: float = 0.1, *, alpha: float = 0.0001, fit_intercept: bool = True, max_iter: int = 200
    ):
        self.epsilon = epsilon
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        prices = {"epsilon": self.epsilon, "ridge": self.alpha}
        learn_tube(self, X, y, w, prices, self.max_iter, "Raise max_iter.")
        distance = np.abs(y - self._predict(X))
        self.outside_ = distance >= self.epsilon - 1e-7 * (self.epsilon + np.abs(y).max())
