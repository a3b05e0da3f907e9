"""Tweedie regression: the variance grows with a power of the mean."""

from __future__ import annotations

from assay.core.card import Card
from assay.core.parameters import Any_, Choice, Range
from assay.errors import ParameterError
from assay.linear.generalized.families import Family, find_family
from assay.linear.generalized.links import LINKS, Link
from assay.linear.generalized.poisson_regressor import PoissonRegressor

__all__ = ["TweedieRegressor"]


class TweedieRegressor(PoissonRegressor):
    r"""Predict a mean whose variance is :math:`\phi\mu^p`: the gaussian, Poisson, compound Poisson, gamma and inverse
    Gaussian families by one number.

    Powers between 1 and 2 are for amounts that are often exactly 0, such as claims of an insurance. Names, parameters
    and answers are scikit-learn's.

    Cost: fit O(n d^2) a pass, some 3 to 8 passes; predict O(d) a row; memory O(n d + d^2) to fit, O(d) kept.

    Parameters
    ----------
    power : float, default 0
        p: 0 gaussian, 1 Poisson, (1, 2) compound Poisson, 2 gamma, 3 inverse Gaussian; nothing lies between 0 and 1.
    alpha, fit_intercept, solver, max_iter, tol, warm_start, verbose : as in :class:`PoissonRegressor`
    link : "auto", "identity" or "log"
        "auto" is identity for power <= 0, else log.

    Attributes
    ----------
    coef_, intercept_, n_iter_, history_ : as in :class:`PoissonRegressor`

    Examples
    --------
    >>> from assay.linear import TweedieRegressor
    >>> X, y = [[1, 2], [2, 3], [3, 4], [4, 3]], [2, 3.5, 5, 5.5]
    >>> TweedieRegressor().fit(X, y).coef_.round(4)
    array([0.6, 0.3])

    See Also
    --------
    GeneralizedLinearModel : other links, offsets and exposure
    PoissonRegressor, GammaRegressor : powers 1 and 2

    References
    ----------
    Joergensen, B. (1987). Exponential dispersion models. Journal of the Royal Statistical Society B 49, 127-162.
    """

    card = Card(
        "tweedie",
        "a variance that is a power of the mean; amounts that are often 0",
        scale=True,
        learns=(
            "a function of a linear score",
            "deviance + squared weights",
            "L-BFGS or Newton steps",
            "global",
        ),
    )
    accepts = {
        **PoissonRegressor.accepts,
        "power": Any_("a number that is not between 0 and 1", lambda v: Range().holds(v) and not 0 < v < 1),
        "link": Choice("auto", "identity", "log"),
    }

    def __init__(
        self,
        *,
        power: float = 0.0,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        link: str = "auto",
        solver: str = "lbfgs",
        max_iter: int = 100,
        tol: float = 1e-4,
        warm_start: bool = False,
        verbose: int = 0,
    ):
        super().__init__(
            alpha=alpha,
            fit_intercept=fit_intercept,
            solver=solver,
            max_iter=max_iter,
            tol=tol,
            warm_start=warm_start,
            verbose=verbose,
        )
        self.power = power
        self.link = link

    def _get_family(self) -> Family:
        if self.power is None:
            raise ParameterError("TweedieRegressor: power must be a number.")
        return find_family("tweedie", power=float(self.power), who="TweedieRegressor")

    def _get_link(self) -> Link:
        name = self.link if self.link != "auto" else "identity" if self.power <= 0 else "log"
        return LINKS[name]
