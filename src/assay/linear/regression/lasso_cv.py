"""Lasso whose penalty is chosen by cross-validation along a path."""

from __future__ import annotations

from numpy.typing import ArrayLike

from assay.core import Card
from assay.linear.regression.elastic_net_cv import ElasticNetCV
from assay.linear.regression.paths import lasso_path
from assay.types import RandomState, Splitter

__all__ = ["LassoCV"]


class LassoCV(ElasticNetCV):
    r"""Lasso with the :math:`\alpha` of the smallest cross-validated error.

    Weights are computed along falling alphas on all folds but one and judged by the mean squared error on that one;
    the alpha with the smallest mean error is taken, and the weights are computed once more from all rows. See
    ElasticNetCV for how, and Lasso for what is minimised.

    Cost: fit cv times a path of O(n d^2 + s d^2) for s sweeps of all its penalties; predict O(d) a row; memory O(n d +
    d^2) to fit, O(d) kept.

    Parameters
    ----------
    eps, alphas, cv, n_jobs, fit_intercept, precompute, max_iter, tol, copy_X, verbose : as in ElasticNetCV
    positive, random_state, selection : as in ElasticNet
    one_standard_error : bool, default False
        Take the strongest penalty within one standard error of the best: fewer columns, hardly more error.

    Attributes
    ----------
    alpha_, alphas_, mse_path_, curve_, coef_, intercept_, dual_gap_, n_iter_ : as in ElasticNetCV

    Examples
    --------
    >>> import numpy as np
    >>> from assay.linear import LassoCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 8))
    >>> y = 3 * X[:, 0] + rng.normal(size=60)
    >>> np.flatnonzero(LassoCV(one_standard_error=True).fit(X, y).coef_)
    array([0])

    See Also
    --------
    Lasso, ElasticNetCV, lasso_path

    References
    ----------
    - Tibshirani, R. (1996). Regression shrinkage and selection via the lasso. Journal of the Royal Statistical
      Society B 58(1), 267-288.
    - Friedman, J., Hastie, T. and Tibshirani, R. (2010). Regularization paths for generalized linear models via
      coordinate descent. Journal of Statistical Software 33(1), 1-22. doi:10.18637/jss.v033.i01
    """

    card = Card(
        "lasso cv",
        "lasso, its penalty by cross-validation",
        scale=True,
        suits="any",
        learns=(
            "a linear function with few columns",
            "squared error + absolute weights",
            "coordinate descent",
            "global",
        ),
    )
    accepts = {name: rule for name, rule in ElasticNetCV.accepts.items() if name != "l1_ratio"}
    path = staticmethod(lasso_path)
    l1_ratio = 1.0

    def __init__(
        self,
        *,
        eps: float = 1e-3,
        alphas: ArrayLike = 100,
        fit_intercept: bool = True,
        precompute: bool | str | ArrayLike = "auto",
        max_iter: int = 1000,
        tol: float = 1e-4,
        copy_X: bool = True,
        cv: Splitter | None = None,
        verbose: bool | int = False,
        n_jobs: int | None = None,
        positive: bool = False,
        random_state: RandomState = None,
        selection: str = "cyclic",
        one_standard_error: bool = False,
    ):
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.copy_X = copy_X
        self.cv = cv
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.one_standard_error = one_standard_error
