"""Support vector classifier: the widest margin between two classes, in the space of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parallel import in_threads
from assay.core.parameters import Choice, Range
from assay.core.stored import Scalar
from assay.kernels import GramRows, Linear
from assay.svm.binary_fit import BinaryFit
from assay.svm.engine import Dual, Solution
from assay.svm.hard_margin import hard_margin
from assay.svm.kernel_classifier import KernelClassifier
from assay.svm.price_path import best_price
from assay.types import ClassWeight, KernelLike, RandomState

__all__ = ["SVC", "slack_bounds"]


class SVC(KernelClassifier):
    r"""Separate two classes by the widest margin; rows inside it or beyond it pay for their slack.

    .. math:: \min_{w,b,\xi} \tfrac12\|w\|^2 + C\sum_i \xi_i^r, \quad
              y_i(w^T\phi(x_i) + b) \ge 1 - \xi_i, \quad \xi_i \ge 0 \quad (1)

    with r = 1 ("hinge") or 2 ("squared_hinge"). The dual problem knows rows by their kernel values alone,

    .. math:: \max_\alpha \sum_i\alpha_i - \tfrac12\sum_{ij}\alpha_i\alpha_jy_iy_jK(x_i, x_j), \quad
              0 \le \alpha_i \le C, \quad \sum_i\alpha_iy_i = 0 \quad (2)

    and rows outside the margin have no multiplier: the others are the support vectors of
    :math:`f(x) = \sum_i\alpha_iy_iK(x_i, x) + b`. More than two classes are separated by a machine for each pair and a
    vote, or by one against the rest. Probabilities come from the same fit: Platt's curve through the scores that
    each row would get from the others, by the span rule; they never contradict ``predict``.

    Cost: fit O(n^2 d) to O(n^3); predict O(m d) a row for m support vectors; memory O(n d) plus the cache.

    Parameters
    ----------
    C : float or "auto", default 1
        The price of slack. Small: a wide margin that many rows violate; large: few errors on the training rows.
        Infinite: the hard margin, an error if the classes overlap. "auto" takes that of 1e-4, 1e-3, ... 1e4 at which
        most training rows are right by leave-one-out (the span rule); `SVCCV` does so with other grids and by folds.
    kernel : str, callable or Kernel, default "rbf"
        "linear", "poly", "rbf", "sigmoid", "precomputed" (X holds kernel values), another name of
        :func:`assay.kernels.kernel_of`, a function of two tables, or a Kernel: of numbers, of tables with categories
        and missing values, or of strings and graphs.
    degree : float, default 3
        Of "poly".
    gamma : float, "scale" or "auto", default "scale"
        Of "rbf", "poly" and "sigmoid": "scale" is 1 / (d var(X)), "auto" 1 / d; with C="auto", "auto" takes the best of
        five from a hundredth of "scale" to a hundred times it, together with C.
    coef0 : float, default 0
        Of "poly" and "sigmoid".
    shrinking : bool, default True
        Accepted, as in scikit-learn; the solver decides by itself which rows to leave out for a while.
    probability : bool, default True
        Whether to fit probabilities. False leaves out ``predict_proba`` and saves their time.
    tol : float, default 0.001
        By how much the optimality conditions may be violated at the end.
    cache_size : float, default 200
        Megabytes of kernel values that are held.
    class_weight : None, "balanced" or dict from classes to factors of C
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
    loss : "hinge" or "squared_hinge", default "hinge"
    multi_class : "ovo" or "ovr", default "ovo"
        A machine for each pair of classes, or for each class against the rest.
    fit_intercept : bool, default True
        Whether there is a bias b; False leaves it at 0.

    Attributes
    ----------
    C_ : float, the price      gamma_ : float, with C="auto" and gamma="auto" the gamma chosen
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
    Other than in scikit-learn, ``predict_proba`` is there by default, needs no further fits and agrees with
    ``predict``; classes that win equally many pairs are separated by default; a machine fitted to dense rows answers
    sparse ones; negative weights are refused.

    Examples
    --------
    Exclusive or, by products of columns:

    >>> from assay.svm import SVC
    >>> X, y = [[-1, -1], [-1, 1], [1, -1], [1, 1]], [-1, 1, 1, -1]
    >>> model = SVC(kernel="poly", degree=2, gamma=1, coef0=1, probability=False).fit(X, y)
    >>> model.dual_coef_  # 1/8 each
    array([[-0.125, -0.125,  0.125,  0.125]])
    >>> model.decision_function([[0.5, -0.5]])  # - x1 x2
    array([0.25])

    The price and the width of the kernel by leave-one-out:

    >>> from assay.tables.data import load_iris
    >>> data = load_iris()
    >>> chosen = SVC(C="auto", gamma="auto").fit(data.X, data.y)
    >>> chosen.C_ in (0.1, 1.0, 10.0, 100.0), chosen.loo_error_ < 0.05
    (True, True)

    See Also
    --------
    SVCCV, NuSVC, assay.kernels.kernel_of, assay.linear.is_linearly_separable

    References
    ----------
    - Boser, B. E., Guyon, I. M. and Vapnik, V. N. (1992). A training algorithm for optimal margin classifiers.
      Proceedings of COLT, 144-152. doi:10.1145/130385.130401
    - Cortes, C. and Vapnik, V. (1995). Support-vector networks. Machine Learning 20, 273-297. doi:10.1007/BF00994018
    """

    card = Card(
        "svm",
        "the widest margin between classes, in the space of a kernel",
        also=("svc", "support vector machine"),
        suits="any",
        scale=True,
        most_rows=20_000,
        learns=(
            "a linear score in the kernel's space",
            "hinge loss + squared weights",
            "decomposition: two multipliers at a time",
            "global",
        ),
    )
    accepts = {
        "C": Range(0, open="low") | Choice("auto"),
        **KernelClassifier.accepts,
        "loss": Choice("hinge", "squared_hinge"),
    }
    stored = {"C_": Scalar(low=0), "gamma_": Scalar(low=0)}

    gamma_: float

    def __init__(
        self,
        *,
        C: float | str = 1.0,
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
        loss: str = "hinge",
        multi_class: str = "ovo",
        fit_intercept: bool = True,
    ):
        self.C = C
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
        self.loss = loss
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept

    def _check_parameters(self) -> None:
        for name in ("C_", "gamma_"):
            self.__dict__.pop(name, None)  # of an earlier fit
        super()._check_parameters()

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        if isinstance(self.C, str) and self._posed is None:
            self.C_, gamma = best_price(self, X, y, w)
            if gamma > 0:
                self.gamma_ = gamma
        else:
            self.C_ = 1.0 if isinstance(self.C, str) else float(self.C)
        super()._learn(X, y, w)

    @property
    def _gamma_asked(self) -> Any:
        return vars(self).get("gamma_", self.gamma) if self.C == "auto" == self.gamma else self.gamma

    @property
    def _price(self) -> float:
        """The price of slack; models of older files have it among the parameters alone."""
        return float(vars(self).get("C_", self.C))

    def _model_lines(self) -> list[list[Any]]:
        if self.C != "auto":
            return []
        lines: list[list[Any]] = [["C, chosen by leave-one-out", self.C_]]
        return [*lines, ["gamma, chosen with it", self.gamma_]] if "gamma_" in vars(self) else lines

    def _binary(self, gram: GramRows, sign: np.ndarray, weight: np.ndarray) -> BinaryFit:
        if not np.isinf(self._price):
            return super()._binary(gram, sign, weight)
        dual = self._program(sign, weight)
        self._weigh_cost([gram], [dual])
        return self._fit_of(dual, hard_margin(gram, dual, self._solve, type(self).__name__))

    def _binaries(
        self, grams: list[GramRows], work: list[tuple[np.ndarray, np.ndarray]], done: Callable[[], Any]
    ) -> list[BinaryFit]:
        if not np.isinf(self._price):
            return super()._binaries(grams, work, done)

        def fit(p: int) -> BinaryFit:
            machine = self._binary(grams[p], *work[p])
            done()
            return machine

        return in_threads(fit, range(len(work)), 1 if self.kernel_.function else None)

    def _another_way(self) -> str:
        if not isinstance(self.kernel_, Linear):
            return ""
        return f" LinearSVC(loss={self.loss!r}) solves the problem of the linear kernel for large C too."

    def _program(self, sign: np.ndarray, weight: np.ndarray) -> Dual:
        return self._dual(sign, weight, self._price)

    def _dual(self, sign: np.ndarray, weight: np.ndarray, C: float, start: np.ndarray | None = None) -> Dual:
        """(2) for a price C of slack."""
        upper, ridge = slack_bounds(C, weight, self.loss)
        zeros = np.zeros(len(sign)) if start is None else start
        return Dual(sign, -np.ones(len(sign)), upper, zeros, "sum" if self.fit_intercept else "none", ridge)

    def _fit_of(self, dual: Dual, solution: Solution) -> BinaryFit:
        """The machine that a solution of (2) makes."""
        sums = solution.gradient + 1.0 - (0.0 if dual.ridge is None else dual.ridge * solution.alpha)
        return BinaryFit(
            dual.sign,
            solution.alpha,
            dual.upper,
            dual.sign * sums + solution.offset,
            solution.offset,
            solution.offset_range,
            ridge=dual.ridge,
            bias=self.fit_intercept,
            solution=solution,
            spans=solution.spans,
        )

    def _bounds(self, p: int, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        return slack_bounds(self._price, weight, self.loss)


def slack_bounds(C: float, weight: np.ndarray, loss: str) -> tuple[np.ndarray, np.ndarray | None]:
    """Upper bounds of the multipliers of rows of these weights, and the ridge of squared slacks or None.

    >>> import numpy as np
    >>> from assay.svm.svc import slack_bounds
    >>> slack_bounds(2.0, np.array([1.0, 0.5]), "hinge")[0]
    array([2., 1.])
    """
    if np.isinf(C):
        return np.full(len(weight), np.inf), None
    if loss == "squared_hinge":
        return np.full(len(weight), np.inf), 1 / (2 * C * weight)
    return C * weight, None
