"""Nu support vector classifier: the share of margin errors is chosen instead of their price."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Range
from assay.core.stored import FloatArray
from assay.errors import DegenerateWarning, ParameterError, warn_user
from assay.svm.binary_fit import BinaryFit
from assay.svm.engine import Dual, Solution
from assay.svm.kernel_classifier import KernelClassifier
from assay.types import ClassWeight, KernelLike, RandomState

__all__ = ["NuSVC"]


class NuSVC(KernelClassifier):
    r"""Separate two classes by the widest margin that a share nu of the rows may violate.

    .. math:: \min_{w,b,\rho,\xi} \tfrac12\|w\|^2 - \nu\rho + \tfrac1n\sum_i\xi_i, \quad
              y_i(w^T\phi(x_i) + b) \ge \rho - \xi_i, \quad \xi_i \ge 0, \rho \ge 0 \quad (1)

    nu is an upper bound on the share of rows inside the margin or beyond it, and a lower bound on the share of support
    vectors. The solution, divided by :math:`\rho`, is that of `SVC` with :math:`C = 1/(n\rho)`; coefficients and scores
    are given so. Larger nu than :math:`2\min(n_+, n_-)/n` is an error, and if nu is too small the only solution may be
    w = 0: then all scores are 0, and a warning says so.

    Cost: fit O(n^2 d) to O(n^3); predict O(m d) a row for m support vectors; memory O(n d) plus the cache.

    Parameters
    ----------
    nu : float above 0 to 1, default 0.5
        Bound on the share of margin errors.
    kernel : str, callable or Kernel, default "rbf"
        As of `SVC`.
    degree : float, default 3
        Of "poly".
    gamma : float, "scale" or "auto", default "scale"
        Of "rbf", "poly" and "sigmoid": "scale" is 1 / (d var(X)), "auto" 1 / d.
    coef0 : float, default 0
        Of "poly" and "sigmoid".
    shrinking : bool, default True
        Accepted, as in scikit-learn; the solver decides by itself which rows to leave out for a while.
    probability : bool, default True
        Whether to fit probabilities, as of `SVC`.
    tol : float, default 0.001
        By how much the optimality conditions may be violated at the end.
    cache_size : float, default 200
        Megabytes of kernel values that are held.
    class_weight : None, "balanced" or dict from classes to factors of the weights
    verbose : bool, default False
        Accepted, as in scikit-learn; nothing is printed.
    max_iter : int, default -1
        Most steps of the solver; -1 for as many as it takes.
    decision_function_shape : "ovr" or "ovo", default "ovr"
        Scores of several classes: one for each class, or one for each pair.
    break_ties : bool, default True
        Whether classes that win equally many pairs are separated by their scores; False takes the first of them.
    random_state : int or None, default None
        Accepted, as in scikit-learn; nothing is drawn.
    multi_class : "ovo" or "ovr", default "ovo"
        A machine for each pair of classes, or for each class against the rest.

    Attributes
    ----------
    rho_ : (P,) the margin of (1); coefficients, intercept and scores are divided by it
    support_ : (m,) places of the support vectors among the training rows, class by class
    support_vectors_ : (m, p)      n_support_ : (K,)
    dual_coef_ : (1, m) multipliers times sides of two classes; of pairs (K - 1, m), laid out as scikit-learn does
    intercept_ : (P,) b of each machine      intercept_range_ : (P, 2) where it may lie
    coef_ : (P, p) weights of the columns, for the linear kernel
    kernel_ : Kernel, as fitted      probA_, probB_ : (P,) Platt's curves      class_weight_ : (K,)
    loo_error_ : error rate of the training rows, each judged by the others, by the span rule
    fit_status_ : 0 if converged      n_iter_ : (P,) steps      shape_fit_ : shape of X

    Notes
    -----
    scikit-learn takes ``class_weight`` here, too, but does not use it. Other differences as for `SVC`.

    Examples
    --------
    >>> from assay.svm import NuSVC
    >>> X, y = [[-2], [-1], [1], [2], [1.5]], [-1, -1, 1, 1, -1]
    >>> model = NuSVC(nu=0.6, kernel="linear", tol=1e-9, probability=False).fit(X, y)
    >>> model.rho_.round(6), (model.coef_ * model.rho_).round(6)  # w of (1)
    (array([0.3]), array([[0.2]]))
    >>> model.coef_.round(6), model.intercept_.round(6)  # of SVC with C = 2/3
    (array([[0.666667]]), array([-0.333333]))

    See Also
    --------
    SVC

    References
    ----------
    - Schölkopf, B., Smola, A. J., Williamson, R. C. and Bartlett, P. L. (2000). New support vector algorithms. Neural
      Computation 12(5), 1207-1245. doi:10.1162/089976600300015565
    - Crisp, D. J. and Burges, C. J. C. (2000). A geometric interpretation of nu-SVM classifiers. Advances in Neural
      Information Processing Systems 12, 244-250.
    """

    card = Card(
        "nu svm",
        "the widest margin that a chosen share of the rows may violate",
        scale=True,
        learns=(
            "a linear score in the kernel's space",
            "hinge loss + squared weights",
            "decomposition: two multipliers at a time",
            "global",
        ),
    )
    accepts = {
        "nu": Range(0, 1, open="low"),
        **{name: kind for name, kind in KernelClassifier.accepts.items() if name != "fit_intercept"},
    }
    stored = {"rho_": FloatArray("P", finite=True)}

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: KernelLike = "rbf",
        degree: float = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: ClassWeight = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = True,
        random_state: RandomState = None,
        multi_class: str = "ovo",
    ):
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.multi_class = multi_class

    def _program(self, sign: np.ndarray, weight: np.ndarray) -> Dual:
        total = float(weight.sum())
        least = min(float(weight[sign > 0].sum()), float(weight[sign < 0].sum()))
        most = 2 * least / total
        if self.nu > most * (1 + 1e-12):
            raise ParameterError(
                f"NuSVC: specified nu is infeasible: nu={self.nu:g}, and with the weights of these classes the largest "
                f"possible nu is {most:.6g} (twice the share of the smaller one)."
            )
        start = np.zeros(len(sign))
        for side in (1.0, -1.0):  # fill up rows until each side has half of nu
            rows = np.flatnonzero(sign == side)
            filled = np.minimum(np.cumsum(weight[rows]), min(self.nu * total / 2, float(weight[rows].sum())))
            start[rows] = np.diff(filled, prepend=0.0)
        return Dual(sign, np.zeros(len(sign)), weight, start, "each sign")

    def _fit_of(self, dual: Dual, solution: Solution) -> BinaryFit:
        sign, weight = dual.sign, dual.upper
        total = float(weight.sum())
        rho, squared_norm = solution.margin, float(solution.alpha @ solution.gradient)
        if rho <= 0 or squared_norm <= self.tol * self.nu * total:  # as far from 0 as the solver may be wrong
            zeros = np.zeros(len(sign))
            idle = replace(solution, weights=None)
            return BinaryFit(sign, zeros, weight, zeros, 0.0, (0.0, 0.0), margin=0.0, solution=idle)
        low, high = solution.offset_range
        if solution.weights is not None:
            solution = replace(solution, weights=solution.weights / rho)
        return BinaryFit(
            sign,
            solution.alpha / rho,
            weight / rho,
            (sign * solution.gradient + solution.offset) / rho,
            solution.offset / rho,
            (low / rho, high / rho),
            margin=rho / total,
            solution=solution,
            spans=solution.spans,
        )

    def _bounds(self, p: int, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        rho = float(self.rho_[p]) * float(weight.sum())
        return (weight / rho if rho > 0 else weight), None

    def _assemble(self, X: Any, y: np.ndarray, rows: list[np.ndarray], machines: list[BinaryFit]) -> None:
        super()._assemble(X, y, rows, machines)
        self.rho_ = np.array([machine.margin for machine in machines])
        idle = [self._machine_name(p) for p in np.flatnonzero(self.rho_ == 0).tolist()]
        if idle:
            warn_user(
                f"NuSVC: nu={self.nu:g} is so small for these rows that the only solution is w = 0 with margin 0 "
                f"(up to tol={self.tol:g}), which tells nothing apart: {', '.join(idle[:3])}. Raise nu, or use SVC.",
                DegenerateWarning,
            )
