"""The one-class machine: a hyperplane that parts most rows from the origin of the feature space."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Range
from assay.svm.engine import Dual
from assay.svm.kernel_machine import KernelMachine
from assay.svm.multipliers import filled
from assay.svm.one_class_machine import OneClassMachine
from assay.types import KernelLike

__all__ = ["OneClassSVM"]


class OneClassSVM(OneClassMachine):
    r"""Find outliers as rows on the wrong side of a hyperplane that leaves a share of the rows there.

    .. math:: \min_{w,\rho,\xi} \tfrac12\|w\|^2 - \rho + \frac1{\nu n}\sum_i\xi_i, \quad
              w^T\phi(x_i) \ge \rho - \xi_i,\ \xi_i \ge 0 \quad (1)

    :math:`\nu` is an upper bound of the share of outliers among the training rows and a lower bound of the share of
    support vectors. With the Gaussian kernel :math:`\sum_i\alpha_iK(x_i,x)` is a sparse estimate of a density and
    :math:`\rho` a threshold on it, and the region is that of :class:`SVDD` with :math:`C=1/(\nu n)`.

    Cost: fit between O(n^2 d) and O(n^3); predict O(m d) a row for m support vectors; memory O(m d), and ``cache_size``
    to fit.

    Parameters
    ----------
    kernel : str, callable of two tables, or Kernel, default "rbf"
        As of :class:`SVC`.
    degree : float, default 3
    gamma : float, "scale" or "auto", default "scale"
    coef0 : float, default 0
    tol : float, default 1e-3
    nu : float above 0 up to 1, default 0.5
    shrinking : bool, default True
        Accepted; the solver leaves out rows where that saves time.
    cache_size : float, default 200
        Megabytes of kernel values that are held.
    verbose : bool, default False
        Accepted; progress is shown where the work is long.
    max_iter : int, default -1

    Attributes
    ----------
    support_ : (m,)     support_vectors_ : (m, p)     dual_coef_ : (1, m), which sum to nu n
    intercept_ : (1,) -rho, in units of nu n     offset_ : float, rho     kernel_ : Kernel     n_iter_ : int

    Examples
    --------
    >>> from assay.svm import OneClassSVM
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0]]
    >>> OneClassSVM(nu=0.3, gamma=1.0).fit(X).predict([[0.15], [4.0]])
    array([ 1, -1])

    See Also
    --------
    SVDD, OneClassClassifier, assay.outliers.IsolationForest

    References
    ----------
    - Scholkopf, B., Platt, J. C., Shawe-Taylor, J., Smola, A. J. and Williamson, R. C. (2001). Estimating the support
      of a high-dimensional distribution. Neural Computation 13(7), 1443-1471. doi:10.1162/089976601750264965
    """

    card = Card(
        "one-class svm",
        "outliers lie on the side of the origin of a hyperplane",
        also=("one class svm", "ocsvm"),
        scale=True,
        most_rows=20_000,
    )
    accepts = {**KernelMachine.accepts, "nu": Range(0, 1, open="low")}

    def __init__(
        self,
        *,
        kernel: KernelLike = "rbf",
        degree: float = 3,
        gamma: float | str | None = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
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
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter

    def _learn_class(self, X: Any, weight: np.ndarray) -> None:
        n = len(weight)
        gram = self._learn_kernel(X)
        dual = Dual(np.ones(n), np.zeros(n), weight, filled(weight, self.nu * weight.sum()))
        self._weigh_cost([gram], [dual])
        solution = self._solve(gram, dual)
        support = np.flatnonzero(solution.alpha)
        self._keep(X, support, solution.alpha[None, support], solution.offset, [solution])
        self.offset_ = -float(solution.offset)
        self.n_iter_ = solution.iterations
        self._conclude([solution])

    def _score(self, X: Any) -> np.ndarray:
        """(n,) the sums of kernel values with the support vectors."""
        return self._outputs(X)[:, 0] + self.offset_
