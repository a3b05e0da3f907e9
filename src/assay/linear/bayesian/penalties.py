r"""The penalties of ridge and lasso that a prior and a noise mean.

The most probable weights under Gaussian noise of precision :math:`\beta` minimise, for a Gaussian and for a Laplacian
prior,

.. math:: \sum_i(y_i-w^Tx_i)^2 + \frac\alpha\beta\sum_jw_j^2 \quad\text{and}\quad
          \sum_i(y_i-w^Tx_i)^2 + \frac{2\alpha}\beta\sum_j|w_j|                                          \quad (1)

A prior of the constant, too, is ``Ridge(penalize_intercept=True)``, and for the lasso a column of ones with
``fit_intercept=False``.
"""

from __future__ import annotations

from assay.errors import ParameterError

__all__ = ["lasso_penalty", "ridge_penalty"]


def ridge_penalty(alpha: float, beta: float) -> float:
    r"""The ``alpha`` of `Ridge` whose weights are the most probable ones under a Gaussian prior.

    Parameters
    ----------
    alpha : the precision of each weight, :math:`p(w_j) \propto e^{-\alpha w_j^2/2}`
    beta : the precision of the noise, one over its variance

    Examples
    --------
    >>> from assay.linear import Ridge, ridge_penalty
    >>> X, y = [[0.0], [1], [2], [3]], [1.0, 3, 4, 8]
    >>> model = Ridge(ridge_penalty(alpha=1.0, beta=1.0), penalize_intercept=True).fit(X, y)
    >>> round(float(model.intercept_), 6), model.coef_.round(6)
    (0.769231, array([2.025641]))

    See Also
    --------
    lasso_penalty, BayesianLinearRegression

    References
    ----------
    - Hoerl, A. E. and Kennard, R. W. (1970). Ridge regression: biased estimation for nonorthogonal problems.
      Technometrics 12(1), 55-67.
    """
    _check(alpha, beta, "ridge_penalty")
    return alpha / beta  # (1)


def lasso_penalty(alpha: float, beta: float, n: float) -> float:
    r"""The ``alpha`` of `Lasso` whose weights are the most probable ones under a Laplacian prior.

    `Lasso` divides the squares by 2n, hence :math:`\alpha/(\beta n)`.

    Parameters
    ----------
    alpha : the rate of each weight, :math:`p(w_j) = \frac\alpha2e^{-\alpha|w_j|}`
    beta : the precision of the noise, one over its variance
    n : the number of rows, or the sum of their weights

    Examples
    --------
    >>> from assay.linear import Lasso, lasso_penalty
    >>> X, y = [[1.0, 0, 0], [0, 1, 0], [0, 0, 1]], [3.0, -0.5, 1.2]
    >>> Lasso(lasso_penalty(1.0, 1.0, 3), fit_intercept=False).fit(X, y).coef_.round(6)
    array([2. , 0. , 0.2])

    See Also
    --------
    ridge_penalty, Lasso

    References
    ----------
    - Tibshirani, R. (1996). Regression shrinkage and selection via the lasso. Journal of the Royal Statistical
      Society B 58(1), 267-288.
    """
    _check(alpha, beta, "lasso_penalty")
    if not n > 0:
        raise ParameterError(f"n must be above 0, got {n}.", who="lasso_penalty")
    return alpha / (beta * n)  # (1)


def _check(alpha: float, beta: float, who: str) -> None:
    if not (alpha >= 0 and beta > 0):
        raise ParameterError(f"alpha must be at least 0 and beta above 0, got {alpha} and {beta}.", who=who)
