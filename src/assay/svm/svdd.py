"""Support vector data description: the smallest ball that holds most rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Range
from assay.core.stored import Scalar
from assay.errors import ParameterError
from assay.svm.engine import Dual, Solution
from assay.svm.kernel_machine import KernelMachine
from assay.svm.multipliers import filled, upper_bounds
from assay.svm.one_class_machine import OneClassMachine
from assay.types import KernelLike, TableLike

__all__ = ["SVDD"]


class SVDD(OneClassMachine):
    r"""Find outliers as rows outside the smallest ball that holds most of them, in the space of the kernel.

    .. math:: \min_{a,R,\xi} R^2 + C\sum_i\xi_i, \quad \|\phi(x_i)-a\|^2 \le R^2+\xi_i,\ \xi_i\ge0 \quad (1)

    with the dual

    .. math:: \max_\alpha \sum_i\alpha_iK(x_i,x_i) - \sum_{ij}\alpha_i\alpha_jK(x_i,x_j), \quad
              0\le\alpha_i\le C,\ \sum_i\alpha_i=1 \quad (2)

    The centre is :math:`a=\sum_i\alpha_i\phi(x_i)`, and R the distance of the rows with :math:`0<\alpha_i<C`; if there
    are none, :math:`R^2` is the middle of what the others allow. Rows outside the ball have :math:`\alpha_i=C`, so
    there are at most 1 / C of them; from C = 1 on there are none. For kernels of constant diagonal it is
    :class:`OneClassSVM` with :math:`C=1/(\nu n)`.

    Cost: fit between O(n^2 d) and O(n^3); predict O(m d) a row for m support vectors; memory O(m d), and ``cache_size``
    to fit.

    Parameters
    ----------
    nu : float above 0 up to 1, default 0.5
        The largest share of the training rows outside: C is 1 / (nu n). Ignored if C is given.
    C : float, default None
        What a row outside costs; at least 1 / n. A row of weight w has w C, with weights of mean 1.
    kernel : str, callable of two tables, or Kernel, default "rbf"
        "linear" gives a ball among the columns themselves.
    degree : float, default 3
    gamma : float, "scale" or "auto", default "scale"
    coef0 : float, default 0
    tol : float, default 1e-3
        By how much the optimality conditions may be violated, in units of the kernel.
    cache_size : float, default 200
        Megabytes of kernel values that are held.
    max_iter : int, default -1

    Attributes
    ----------
    squared_radius_ : float, :math:`R^2`     squared_center_ : float, :math:`a^Ta`
    center_ : (p,) a, for the linear kernel
    support_ : (m,)     support_vectors_ : (m, p)     dual_coef_ : (1, m), which sum to 1
    offset_ : float, :math:`-R^2`     kernel_ : Kernel     n_iter_ : int

    Examples
    --------
    Of the points -1, 0, 1 and 10 two may be outside; the ball is around 3.6 and reaches to 0:

    >>> from assay.svm import SVDD
    >>> model = SVDD(C=0.4, kernel="linear").fit([[-1.0], [0.0], [1.0], [10.0]])
    >>> model.center_.round(3), round(model.squared_radius_, 3)
    (array([3.6]), 12.96)
    >>> model.predict([[-1.0], [1.0], [10.0]])
    array([-1,  1, -1])

    See Also
    --------
    OneClassSVM, OneClassClassifier

    References
    ----------
    - Tax, D. M. J. and Duin, R. P. W. (2004). Support vector data description. Machine Learning 54, 45-66.
      doi:10.1023/B:MACH.0000008084.60811.49
    """

    card = Card(
        "svdd",
        "outliers lie outside the smallest ball that holds most rows",
        also=("support vector data description",),
        scale=True,
        most_rows=20_000,
    )
    accepts = {
        **{
            name: value
            for name, value in KernelMachine.accepts.items()
            if name not in ("shrinking", "verbose")
        },
        "nu": Range(0, 1, open="low"),
        "C": Range(0, open="low") | None,
    }
    stored = {"squared_radius_": Scalar(low=0), "squared_center_": Scalar()}

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float | None = None,
        kernel: KernelLike = "rbf",
        degree: float = 3,
        gamma: float | str | None = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        cache_size: float = 200,
        max_iter: int = -1,
    ):
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self._kernel().precomputed:
            raise ParameterError(
                f"{type(self).__name__}: the distance of a new row needs its kernel value with itself, which a matrix "
                "of values with the training rows does not have. Use OneClassSVM, or give rows and a kernel."
            )

    @property
    def _weighs(self) -> bool:
        return False  # the centre is a mean of rows: multipliers of one sign, which sum to 1, lose no digits

    @property
    def center_(self) -> np.ndarray:
        """(p,) the centre of the ball, for the linear kernel."""
        return np.asarray(self.coef_)[0]

    def _learn_class(self, X: Any, weight: np.ndarray) -> None:
        n = np.count_nonzero(weight)
        C = 1.0 / (self.nu * n) if self.C is None else float(self.C)
        if C * n < 1 - 1e-12:
            raise ParameterError(
                f"{type(self).__name__}: C must be at least 1/n = {1 / n:.6g}, so that the multipliers of the {n} rows "
                f"can sum to 1; got {self.C!r}."
            )
        gram = self._learn_kernel(X)
        upper = upper_bounds(min(C, 1.0), weight * n / weight.sum())
        dual = Dual(
            np.ones(len(weight)), -0.5 * gram.diagonal, upper, filled(upper, 1.0)
        )  # half of (2), negated
        self._weigh_cost([gram], [dual])
        solution = self._solve(gram, dual)
        support = np.flatnonzero(solution.alpha)
        self._keep(X, support, solution.alpha[None, support], 0.0)
        self.squared_center_ = float(solution.alpha @ (solution.gradient - dual.linear))
        self.squared_radius_ = self._squared_radius(solution)
        self.offset_ = -self.squared_radius_
        self.n_iter_ = solution.iterations
        self._conclude([solution])

    def _squared_radius(self, solution: Solution) -> float:
        """The squared distance of rows on the ball, or the middle of where it may lie."""
        low, high = (self.squared_center_ + 2 * level for level in solution.offset_range)
        low, high = (max(low, 0.0), high) if np.isfinite(low) else (0.0, high)
        return max(0.0, (low + high) / 2 if np.isfinite(high) else low)

    def squared_distances(self, X: TableLike) -> np.ndarray:
        """(n,) the squared distance of each row from the centre, in the space of the kernel."""
        return -self._score(self._admit(X))

    def _output_words(self, p: int) -> str:
        return "the kernel value with the centre"

    def _score(self, X: Any) -> np.ndarray:
        return 2 * self._outputs(X)[:, 0] - self.kernel_.diagonal(X) - self.squared_center_
