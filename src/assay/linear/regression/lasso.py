"""Lasso: least squares with an absolute penalty, which makes most weights exactly 0."""

from __future__ import annotations

from numpy.typing import ArrayLike

from assay.core import Card
from assay.linear.regression.elastic_net import ElasticNet
from assay.linear.regression.paths import lasso_path
from assay.types import RandomState

__all__ = ["Lasso"]


class Lasso(ElasticNet):
    r"""Linear regression with an absolute penalty, which selects columns.

    The absolute penalty holds a weight at exactly 0 unless its column is informative enough, so fitting also selects
    columns. The weights minimise

    .. math:: \tfrac1{2n}\sum_i (y_i - w_0 - w^Tx_i)^2 + \alpha\|w\|_1                               \quad (1)

    which is also the most probable :math:`w` under Gaussian noise and independent Laplacian priors. At the minimum
    every column with a weight has the same covariance with the residual, :math:`|x_j^Tr|/n = \alpha`, and no other
    one has more. If the columns are orthogonal with :math:`\|x_j\|^2 = n`, least squares is shrunk by :math:`\alpha`:

    .. math:: w_j = \operatorname{sign}(b_j)\,(|b_j| - \alpha)_+,\qquad b_j = x_j^Ty/n               \quad (2)

    Among columns that say the same the lasso takes one, perhaps by chance: ElasticNet shares. See there for how it
    is computed.

    Cost: fit O(n d^2) once and O(d^2) a sweep if n > d, else O(n) for each column in play and sweep; predict O(d) a
    row; memory O(n d + d^2) to fit, O(d) kept.

    Parameters
    ----------
    alpha : float, default 1
        Strength of the penalty; the largest that leaves any weight is :math:`\max_j|x_j^Ty|/n`, columns and y centred.
    fit_intercept, precompute, copy_X, max_iter, tol, warm_start : as in ElasticNet
    positive, random_state, selection : as in ElasticNet

    Attributes
    ----------
    coef_, intercept_, sparse_coef_, n_iter_, dual_gap_, history_ : as in ElasticNet

    Examples
    --------
    Orthogonal columns with least-squares weights 2 and 0.5, both shrunk by alpha:

    >>> from assay.linear import Lasso
    >>> X, y = [[1, 1], [1, -1], [-1, 1], [-1, -1]], [2.5, 1.5, -1.5, -2.5]
    >>> Lasso(alpha=0.25).fit(X, y).coef_
    array([1.75, 0.25])
    >>> Lasso(alpha=0.5).fit(X, y).coef_
    array([1.5, 0. ])

    See Also
    --------
    LassoCV, ElasticNet, lasso_path

    References
    ----------
    - Tibshirani, R. (1996). Regression shrinkage and selection via the lasso. Journal of the Royal Statistical
      Society B 58(1), 267-288.
    - Friedman, J., Hastie, T. and Tibshirani, R. (2010). Regularization paths for generalized linear models via
      coordinate descent. Journal of Statistical Software 33(1), 1-22. doi:10.18637/jss.v033.i01
    """

    card = Card(
        "lasso",
        "a weighted sum of few columns",
        scale=True,
        learns=(
            "a linear function with few columns",
            "squared error + absolute weights",
            "coordinate descent",
            "global",
        ),
    )
    accepts = {name: rule for name, rule in ElasticNet.accepts.items() if name != "l1_ratio"}
    path = staticmethod(lasso_path)
    l1_ratio = 1.0

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        precompute: bool | str | ArrayLike = False,
        copy_X: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-4,
        warm_start: bool = False,
        positive: bool = False,
        random_state: RandomState = None,
        selection: str = "cyclic",
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
