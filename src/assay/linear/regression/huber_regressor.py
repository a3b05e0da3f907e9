"""Huber regression: squares for small residuals, absolute values for large ones."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.core import Card, Regressor
from assay.core.parameters import Count, Flag, Range
from assay.core.stored import BoolArray, Scalar
from assay.errors import DataError, warn_user
from assay.linear.linear_regressor import LinearRegressor
from assay.linear.regression.huber_loss import HuberLoss, minimise
from assay.types import TableLike, Target, Weights

__all__ = ["HuberRegressor"]


class HuberRegressor(LinearRegressor, Regressor):
    r"""Robust linear regression with a jointly estimated noise scale.

    .. math:: \min_{w,b,\sigma>0}\;\sum_i v_i\Bigl(\sigma + \sigma\,H\bigl(\tfrac{y_i-w^Tx_i-b}{\sigma}\bigr)\Bigr)
              + \alpha\lVert w\rVert^2,\qquad
              H(z) = \begin{cases} z^2 & |z|\le\epsilon\\ 2\epsilon|z|-\epsilon^2 & \text{else}\end{cases}  \quad (1)

    A residual beyond :math:`\epsilon\sigma` pulls with a constant force instead of one that grows with it. (1) is
    convex; Newton steps find the optimum, which scikit-learn approaches by L-BFGS. The second derivatives come from the
    rows inside, of which few change from step to step, so a step costs little more than a gradient. If most rows lie
    exactly on a plane, the best sigma is 0, and 1e-7 of the median deviation of y is given.

    Cost: fit O(n d^2) once, then O(n d + d^3) a step; predict O(d) a row; memory O(n d + d^2) to fit, O(d) kept.

    Parameters
    ----------
    epsilon : float from 1 up, default 1.35
        Where the loss turns straight, in units of :math:`\sigma`; at 1.35 Gaussian noise costs 5 % efficiency, at 1
        the best sigma is 0 whatever the rows, which makes it least absolute error.
    max_iter : int, default 100
        Largest number of steps.
    alpha : float, default 0.0001
        The penalty on squared weights.
    warm_start : bool, default False
        Whether ``fit`` starts from the answer of the last ``fit``.
    fit_intercept : bool, default True
        Whether there is a constant b.
    tol : float, default 1e-5
        Stop when the gradient of (1), per unit of row weight and with columns in standard units, is below a hundredth
        of it.

    Attributes
    ----------
    coef_ : (d,)      intercept_ : float      scale_ : float, sigma
    outliers_ : (n,) which training rows are beyond :math:`\epsilon\sigma`
    n_iter_ : int      history_ : list of Record

    Examples
    --------
    One of ten points is moved far away; least squares would give a slope of 6.5 instead of 2:

    >>> import numpy as np
    >>> from assay.linear import HuberRegressor
    >>> x = np.arange(10.0)
    >>> y = 2 * x + [0.1, -0.1, -0.1, 0.1, 0.2, -0.2, 0.1, -0.1, 0.0, 82.0]
    >>> model = HuberRegressor().fit(x[:, None], y)
    >>> model.coef_.round(2), bool(model.outliers_[9])
    (array([2.01]), True)

    See Also
    --------
    QuantileRegressor, EpsilonInsensitiveRegressor, LinearRegression

    References
    ----------
    - Huber, P. J. (1964). Robust estimation of a location parameter. Annals of Mathematical Statistics 35(1),
      73-101. doi:10.1214/aoms/1177703732
    - Huber, P. J. (1981). Robust Statistics. Wiley.
    """

    card = Card(
        "huber",
        "linear regression that outliers hardly move",
        scale=True,
        suits="any",
        settings={
            "alpha": 0.0
        },  # the penalty of (1) is not of one degree with the loss: large units shrink all slopes
        learns=("a linear function", "Huber's error + squared weights", "Newton steps", "global"),
    )
    accepts = {
        "epsilon": Range(1),
        "max_iter": Count(0),
        "alpha": Range(0),
        "warm_start": Flag(),
        "fit_intercept": Flag(),
        "tol": Range(0),
    }
    stored = {
        "outliers_": BoolArray("*"),
        "scale_": Scalar(),
    }

    def __init__(
        self,
        *,
        epsilon: float = 1.35,
        max_iter: int = 100,
        alpha: float = 0.0001,
        warm_start: bool = False,
        fit_intercept: bool = True,
        tol: float = 1e-05,
    ):
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.alpha = alpha
        self.warm_start = warm_start
        self.fit_intercept = fit_intercept
        self.tol = tol

    def fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None) -> Self:
        """Learn from the rows of X and their numbers y, (n,)."""
        names = ("coef_", "intercept_", "scale_")
        self._last = (
            [getattr(self, n) for n in names] if self.warm_start and hasattr(self, "scale_") else None
        )
        try:
            return super().fit(X, y, sample_weight)
        finally:
            del self._last

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        if y.ndim > 1:
            raise DataError("HuberRegressor: y should be a 1d array, got several columns.")
        loss = HuberLoss(X, y, w, self.epsilon, self.alpha, self.fit_intercept)
        last = None if self._last is None or len(self._last[0]) != X.shape[1] else self._last
        optimum = minimise(loss, loss.start(last), 0.01 * self.tol, self.max_iter)
        self.coef_, self.intercept_, self.scale_ = loss.answer(optimum.w)
        self.history_, self.n_iter_ = optimum.history, len(optimum.history) - 1
        residual = y - self._predict(X)
        self.outliers_ = np.abs(residual) > self.scale_ * self.epsilon
        if not optimum.converged and optimum.reason == "iterations":
            warn_user(
                f"HuberRegressor stopped after {self.n_iter_} steps with a gradient of "
                f"{optimum.history[-1].gradient:.2g}. Raise max_iter or tol.",
                ConvergenceWarning,
            )
