"""Support vector regression: a function that passes within epsilon of most rows and is as flat as it can be."""

from __future__ import annotations

import numpy as np

from assay.core import Card
from assay.core.parameters import Choice, Range
from assay.core.stored import Scalar
from assay.svm.engine import Dual, Solution
from assay.svm.kernel_machine import KernelMachine
from assay.svm.multipliers import upper_bounds
from assay.svm.regression_machine import RegressionMachine, scale_of
from assay.types import KernelLike

__all__ = ["SVR"]


class SVR(RegressionMachine):
    r"""Epsilon support vector regression.

    Errors up to :math:`\epsilon` cost nothing, larger ones what they exceed it by:

    .. math:: \min_{f} \tfrac12\|f\|^2 + C\sum_i \max(0, |y_i - f(x_i)| - \epsilon) \quad (1)

    Its dual has two multipliers a row, for residuals above and below the tube,

    .. math:: \min_{\alpha} \tfrac12(\alpha^+-\alpha^-)^TK(\alpha^+-\alpha^-)
              + \epsilon\sum_i(\alpha_i^++\alpha_i^-) - \sum_i y_i(\alpha_i^+-\alpha_i^-), \quad
              0\le\alpha^\pm\le C,\ \sum_i(\alpha_i^+-\alpha_i^-)=0 \quad (2)

    and :math:`f(x)=\sum_i(\alpha_i^+-\alpha_i^-)K(x_i,x)+b`. Rows inside the tube have no part in it. A wide tube gives
    few support vectors and a smooth function, a narrow one follows the noise; epsilon should grow with its standard
    deviation. Columns should be on comparable scales, and so should C and epsilon be chosen by the scale of y.

    Cost: fit between O(n^2 d) and O(n^3); predict O(m d) a row for m support vectors; memory O(m d), and ``cache_size``
    to fit.

    Parameters
    ----------
    kernel : str, callable of two tables, or Kernel, default "rbf"
        "linear", "poly", "rbf", "sigmoid", "precomputed", ... (:func:`assay.kernels.kernel_of`).
    degree : float, default 3
        Of "poly".
    gamma : float, "scale" or "auto", default "scale"
        1 / (d var(X)) or 1 / d.
    coef0 : float, default 0
        Of "poly" and "sigmoid".
    tol : float, default 1e-3
        By how much the optimality conditions may be violated.
    C : float or "scale", default 1
        What an error costs; a row of weight w has w C. "scale" is the standard deviation of y, as 1 is for a target of
        variance 1; the answer then does not depend on the unit of y, in which tol is not counted either.
    epsilon : float or "scale", default 0.1
        Half the width of the tube, in units of y; "scale" is a tenth of its standard deviation.
    shrinking : bool, default True
        Accepted; the solver leaves out rows where that saves time.
    cache_size : float, default 200
        Megabytes of kernel values that are held.
    verbose : bool, default False
        Accepted; progress is shown where the work is long.
    max_iter : int, default -1
        The most steps of the solver; -1 for as many as it takes.

    Attributes
    ----------
    support_ : (m,) the places of the support vectors     support_vectors_ : (m, p)
    dual_coef_ : (1, m) alpha+ - alpha-     intercept_ : (1,)     coef_ : (1, p) for the linear kernel
    epsilon_ : float, the half width of the tube     kernel_ : Kernel     n_iter_ : int     fit_status_ : 0 if converged

    Examples
    --------
    >>> from assay.svm import SVR
    >>> X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]
    >>> model = SVR(kernel="linear", C=10, epsilon=0.25).fit(X, y)
    >>> model.predict([[1.0], [4.0]]).round(3), model.dual_coef_.round(3)  # 0.25 + 0.75 x
    (array([1.  , 3.25]), array([[-0.375,  0.375]]))
    >>> model.tube_status(X, y)
    array(['on', 'inside', 'on'], dtype='<U7')

    See Also
    --------
    NuSVR, LinearSVR, KernelRidge, LandmarkSVR

    References
    ----------
    - Drucker, H., Burges, C. J. C., Kaufman, L., Smola, A. and Vapnik, V. (1997). Support vector regression machines.
      Advances in Neural Information Processing Systems 9, 155-161.
    - Smola, A. J. and Scholkopf, B. (2004). A tutorial on support vector regression. Statistics and Computing 14,
      199-222. doi:10.1023/B:STCO.0000035301.49549.88
    """

    card = Card(
        "svr",
        "a function within a tube around most rows, by kernels",
        also=("svm", "support vector regression"),
        suits="numeric",
        scale=True,
        most_rows=10_000,
        settings={"C": "scale", "epsilon": "scale"},
        learns=(
            "a linear function in the kernel's space",
            "absolute error beyond epsilon + squared weights",
            "decomposition: two multipliers at a time",
            "global",
        ),
    )
    accepts = {
        **KernelMachine.accepts,
        "C": Range(0, open="low") | Choice("scale"),
        "epsilon": Range(0) | Choice("scale"),
    }
    stored = {"epsilon_": Scalar(low=0)}

    def __init__(
        self,
        *,
        kernel: KernelLike = "rbf",
        degree: float = 3,
        gamma: float | str | None = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float | str = 1.0,
        epsilon: float | str = 0.1,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
    ):
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter

    def _dual(self, y: np.ndarray, weight: np.ndarray, unit: float) -> Dual:
        n = len(y)
        scaled = isinstance(self.epsilon, str)
        self.epsilon_ = 0.1 * scale_of(y, weight)[1] if scaled else float(self.epsilon) / unit
        return Dual(
            np.repeat([1.0, -1.0], n),
            np.concatenate([self.epsilon_ - y, self.epsilon_ + y]),  # (2)
            np.tile(upper_bounds(self._price, weight), 2),
            np.zeros(2 * n),
        )

    def _width(self, solution: Solution) -> float:
        return self.epsilon_
