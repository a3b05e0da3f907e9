"""Poisson regression: counts by a linear predictor with a log link."""

from __future__ import annotations

from numbers import Integral

from assay.core.card import Card
from assay.core.parameters import Any_, Choice, Count, Flag, Range
from assay.linear.generalized.deviance_regressor import DevianceRegressor
from assay.linear.generalized.families import FAMILIES, Family
from assay.linear.generalized.links import LINKS, Link

__all__ = ["PoissonRegressor"]


class PoissonRegressor(DevianceRegressor):
    r"""Predict counts: the logarithm of the mean is linear in the columns.

    .. math:: \min_{w,b}\;\frac{1}{\sum_i v_i}\sum_i v_i\Bigl(y_i\ln\frac{y_i}{\mu_i}-y_i+\mu_i\Bigr)
              + \frac\alpha2\lVert w\rVert^2,\qquad \ln\mu_i = w^Tx_i + b                         \quad (1)

    One more unit of column j multiplies the mean by :math:`e^{w_j}`. Names, parameters and answers are scikit-learn's;
    :class:`GeneralizedLinearModel` has offsets, exposure and the other families.

    Cost: fit O(n d^2) a pass, some 3 to 6 passes; predict O(d) a row; memory O(n d + d^2) to fit, O(d) kept.

    Parameters
    ----------
    alpha : float, default 1
        The penalty on squared weights; 0 for maximum likelihood.
    fit_intercept : bool, default True
        Whether there is a constant b, which no penalty holds back.
    solver : "lbfgs" or "newton-cholesky"
        Accepted; both mean Fisher scoring, and beyond 1000 columns L-BFGS.
    max_iter : int, default 100
        Steps at most.
    tol : float, default 1e-4
        Stop once a step moves the coefficients by less than this many standard errors; on many rows, where
        only gradients are looked at, by less than ten times as many.
    warm_start : bool, default False
        Begin with the weights of the last fit.
    verbose : accepted; progress shows by itself

    Attributes
    ----------
    coef_ : (D,)      intercept_ : float      n_iter_ : int      history_ : list of Record

    Examples
    --------
    >>> from assay.linear import PoissonRegressor
    >>> X, calls = [[1, 2], [2, 3], [3, 4], [4, 3]], [12, 17, 22, 21]
    >>> model = PoissonRegressor().fit(X, calls)
    >>> model.coef_.round(3), round(model.score(X, calls), 3)
    (array([0.121, 0.158]), 0.99)

    See Also
    --------
    GeneralizedLinearModel : offsets, exposure, other families and links, summaries
    GammaRegressor, TweedieRegressor : amounts instead of counts

    References
    ----------
    McCullagh, P. and Nelder, J. A. (1989). Generalized Linear Models, 2nd edition. Chapman and Hall.
    """

    card = Card(
        "poisson",
        "counts: the logarithm of the mean is linear",
        scale=True,
        learns=(
            "a function of a linear score",
            "deviance + squared weights",
            "L-BFGS or Newton steps",
            "global",
        ),
    )
    accepts = {
        "alpha": Range(0),
        "fit_intercept": Flag(),
        "solver": Choice("lbfgs", "newton-cholesky"),
        "max_iter": Count(1),
        "tol": Range(0, open="low"),
        "warm_start": Flag(),
        "verbose": Any_("a whole number from 0 up", lambda v: isinstance(v, Integral) and int(v) >= 0),
    }
    family_name = "poisson"
    keeps_deviances = False
    slack = 10.0

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        solver: str = "lbfgs",
        max_iter: int = 100,
        tol: float = 1e-4,
        warm_start: bool = False,
        verbose: int = 0,
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose

    def _get_family(self) -> Family:
        return FAMILIES[self.family_name]

    def _get_link(self) -> Link:
        return LINKS["log"]
