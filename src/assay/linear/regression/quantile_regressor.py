"""Quantile regression: the median, or any other quantile, as a linear function."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.core import Card, Regressor
from assay.core.parameters import Any_, Choice, Flag, Range
from assay.errors import DataError, warn_user
from assay.linear.linear_regressor import LinearRegressor
from assay.linear.regression.tube_program import fit_tube

__all__ = ["QuantileRegressor"]


class QuantileRegressor(LinearRegressor, Regressor):
    r"""A linear function below which a share q of the numbers lies; for q = 1/2 least absolute error.

    .. math:: \min_{w,b}\;\frac{\sum_i v_i\,\rho_q(y_i-w^Tx_i-b)}{\sum_iv_i}+\alpha\sum_j|w_j|,\qquad
              \rho_q(r) = \begin{cases} q\,r & r\ge0\\ (q-1)\,r & r<0\end{cases}                   \quad (1)

    The answer depends on the side of the line that a row is on, not on its distance, so one gross outlier does not
    move it. (1) is a linear program; an interior-point method solves it in 10 to 30 weighted least-squares problems,
    and the corner of the program next to its answer is exact. If the answer is not unique (as the median of an even
    number of values), any may be given.

    Cost: fit O(n d^2) a step; predict O(d) a row; memory O(n d) to fit, O(d) kept.

    Parameters
    ----------
    quantile : float between 0 and 1, default 0.5
        q.
    alpha : float, default 1.0
        The penalty on absolute weights; 0 for none.
    fit_intercept : bool, default True
        Whether there is a constant b.
    solver : "highs-ds", "highs-ipm", "highs", "interior-point" or "revised simplex", default "highs"
        Accepted for scikit-learn's sake: all find a minimum of (1), here by the method above.
    solver_options : dict or None, default None
        ``{"maxiter": steps}``, default 200; other entries are for scikit-learn's solvers.

    Attributes
    ----------
    coef_ : (d,)      intercept_ : float
    n_iter_ : int      history_ : list of Record

    Examples
    --------
    >>> from assay.linear import QuantileRegressor
    >>> x = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> model = QuantileRegressor(alpha=0).fit(x, [0.0, 1.0, 2.0, 3.0, 400.0])         # one gross error
    >>> model.coef_.round(6), abs(round(model.intercept_, 6))
    (array([1.]), 0.0)

    See Also
    --------
    HuberRegressor, EpsilonInsensitiveRegressor

    References
    ----------
    - Koenker, R. and Bassett, G. (1978). Regression quantiles. Econometrica 46(1), 33-50. doi:10.2307/1913643
    """

    card = Card(
        "quantile regression",
        "a linear function below which a given share of the numbers lies",
        also=("quantile",),
        scale=True,
        learns=("a linear function", "pinball loss + absolute weights", "an interior-point method", "global"),
    )
    accepts = {
        "quantile": Range(0, 1, open="both"),
        "alpha": Range(0),
        "fit_intercept": Flag(),
        "solver": Choice("highs-ds", "highs-ipm", "highs", "interior-point", "revised simplex"),
        "solver_options": Any_("None or a dict", lambda v: v is None or isinstance(v, dict)),
    }

    def __init__(
        self,
        *,
        quantile: float = 0.5,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        solver: str = "highs",
        solver_options: dict[str, Any] | None = None,
    ):
        self.quantile = quantile
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.solver_options = solver_options

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        steps = int((self.solver_options or {}).get("maxiter", 200))
        prices = {"above": self.quantile, "below": 1 - self.quantile, "lasso": self.alpha}
        learn_tube(self, X, y, w, prices, steps, 'Raise solver_options={"maxiter": ...}.')


def learn_tube(
    model: Any,
    X: Any,
    y: np.ndarray,
    w: np.ndarray | None,
    prices: dict[str, float],
    steps: int,
    advice: str,
) -> None:
    """Set what a fitted model of this kind has."""
    who = type(model).__name__
    if y.ndim > 1:
        raise DataError(f"{who}: y should be a 1d array, got several columns.")
    fit = fit_tube(X, y, w, intercept=model.fit_intercept, max_iter=steps, **prices)
    model.coef_, model.intercept_ = fit.coef, fit.intercept
    model.history_, model.n_iter_ = fit.tube.history, max(len(fit.tube.history) - 1, 1)
    if not fit.tube.converged and len(fit.tube.history) > steps:
        warn_user(
            f"{who} stopped after {steps} steps before it was sure of the minimum. {advice}",
            ConvergenceWarning,
        )
