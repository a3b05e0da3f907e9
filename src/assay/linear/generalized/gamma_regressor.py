"""Gamma regression: amounts and durations by a linear predictor with a log link."""

from __future__ import annotations

from assay.core.card import Card
from assay.linear.generalized.poisson_regressor import PoissonRegressor

__all__ = ["GammaRegressor"]


class GammaRegressor(PoissonRegressor):
    r"""Predict amounts above 0 whose relative error is the same everywhere: costs, durations, claims.

    .. math:: \min_{w,b}\;\frac{1}{\sum_i v_i}\sum_i v_i\Bigl(\frac{y_i}{\mu_i}-1-\ln\frac{y_i}{\mu_i}\Bigr)
              + \frac\alpha2\lVert w\rVert^2,\qquad \ln\mu_i = w^Tx_i + b                         \quad (1)

    Names, parameters and answers are scikit-learn's.

    Cost: fit O(n d^2) a pass, some 3 to 6 passes; predict O(d) a row; memory O(n d + d^2) to fit, O(d) kept.

    Parameters
    ----------
    alpha, fit_intercept, solver, max_iter, tol, warm_start, verbose : as in :class:`PoissonRegressor`

    Attributes
    ----------
    coef_, intercept_, n_iter_, history_ : as in :class:`PoissonRegressor`

    Examples
    --------
    >>> from assay.linear import GammaRegressor
    >>> X, cost = [[1, 2], [2, 3], [3, 4], [4, 3]], [19, 26, 33, 30]
    >>> model = GammaRegressor().fit(X, cost)
    >>> model.coef_.round(4), round(model.score(X, cost), 3)
    (array([0.0729, 0.0668]), 0.773)

    See Also
    --------
    GeneralizedLinearModel : offsets, exposure, other families and links
    TweedieRegressor : amounts that are often 0

    References
    ----------
    McCullagh, P. and Nelder, J. A. (1989). Generalized Linear Models, 2nd edition. Chapman and Hall.
    """

    card = Card(
        "gamma regression",
        "amounts above 0 with a constant relative error",
        scale=True,
        learns=(
            "a function of a linear score",
            "deviance + squared weights",
            "L-BFGS or Newton steps",
            "global",
        ),
    )
    family_name = "gamma"
