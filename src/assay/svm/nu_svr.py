"""Support vector regression whose tube is as wide as a share of the rows asks for."""

from __future__ import annotations

import numpy as np

from assay.core import Card
from assay.core.parameters import Choice, Range
from assay.core.stored import Scalar
from assay.svm.engine import Dual, Solution
from assay.svm.kernel_machine import KernelMachine
from assay.svm.multipliers import filled, upper_bounds
from assay.svm.regression_machine import RegressionMachine
from assay.types import KernelLike

__all__ = ["NuSVR"]


class NuSVR(RegressionMachine):
    r"""Nu support vector regression: the width of the tube is learned.

    .. math:: \min_{f,\epsilon} \tfrac12\|f\|^2
              + C\Big(\nu n\epsilon + \sum_i \max(0, |y_i - f(x_i)| - \epsilon)\Big), \quad \epsilon \ge 0 \quad (1)

    :math:`\nu` is a lower bound of the share of support vectors and an upper bound of the share of rows outside the
    tube. The dual is that of :class:`SVR` without the term of epsilon and with
    :math:`\sum(\alpha^++\alpha^-) = C\nu n`.

    Cost: fit between O(n^2 d) and O(n^3); predict O(m d) a row for m support vectors; memory O(m d), and ``cache_size``
    to fit.

    Parameters
    ----------
    nu : float above 0 up to 1, default 0.5
    C : float or "scale", default 1
        What an error costs; a row of weight w has w C. "scale" is the standard deviation of y.
    kernel : str, callable of two tables, or Kernel, default "rbf"
        As of :class:`SVR`.
    degree : float, default 3
    gamma : float, "scale" or "auto", default "scale"
    coef0 : float, default 0
    shrinking : bool, default True
        Accepted; the solver leaves out rows where that saves time.
    tol : float, default 1e-3
    cache_size : float, default 200
        Megabytes of kernel values that are held.
    verbose : bool, default False
        Accepted; progress is shown where the work is long.
    max_iter : int, default -1

    Attributes
    ----------
    epsilon_ : float, the half width of the tube that was learned
    support_ : (m,)     support_vectors_ : (m, p)     dual_coef_ : (1, m)     intercept_ : (1,)     coef_ : (1, p)
    kernel_ : Kernel     n_iter_ : int     fit_status_ : 0 if converged

    Examples
    --------
    >>> import numpy as np
    >>> from assay.svm import NuSVR
    >>> x = np.linspace(0, 3, 40)
    >>> model = NuSVR(nu=0.3, C=10).fit(x[:, None], np.sin(x))
    >>> len(model.support_) >= 0.3 * 40, model.epsilon_ < 0.02
    (True, True)

    See Also
    --------
    SVR, NuSVC

    References
    ----------
    - Scholkopf, B., Smola, A. J., Williamson, R. C. and Bartlett, P. L. (2000). New support vector algorithms. Neural
      Computation 12(5), 1207-1245. doi:10.1162/089976600300015565
    """

    card = Card(
        "nu svr",
        "a function within a tube that leaves a share of the rows outside",
        also=("nu support vector regression",),
        scale=True,
        most_rows=10_000,
        settings={"C": "scale"},
        learns=(
            "a linear function in the kernel's space",
            "absolute error beyond epsilon + squared weights",
            "decomposition: two multipliers at a time",
            "global",
        ),
    )
    accepts = {
        **KernelMachine.accepts,
        "C": Range(0, np.inf, open="both") | Choice("scale"),
        "nu": Range(0, 1, open="low"),
    }
    stored = {"epsilon_": Scalar(low=0)}

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float | str = 1.0,
        kernel: KernelLike = "rbf",
        degree: float = 3,
        gamma: float | str | None = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
    ):
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter

    def _dual(self, y: np.ndarray, weight: np.ndarray, unit: float) -> Dual:
        n, upper = len(y), upper_bounds(self._price, weight)
        start = filled(upper, self.nu * upper.sum() / 2)
        return Dual(
            np.repeat([1.0, -1.0], n),
            np.concatenate([-y, y]),
            np.tile(upper, 2),
            np.tile(start, 2),
            "each sign",
        )

    def _width(self, solution: Solution) -> float:
        return max(0.0, -solution.margin)
