"""Linear support vector classification."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.extmath import row_norms

from assay.core import Card
from assay.core.discriminant import Discriminant
from assay.core.parallel import in_threads
from assay.core.parameters import Any_, Choice, Count, Flag, Range, Seed
from assay.core.stored import FloatArray
from assay.errors import DataError
from assay.linear.class_factors import class_factors
from assay.linear.linear_classifier import LinearClassifier
from assay.svm.linear.lasso_slack import minimise_lasso
from assay.svm.linear.linear_machine import (
    check_combination,
    coefficients,
    seed_of,
    solver_rows,
    warn_unfinished,
)
from assay.svm.linear.linear_solver import minimise
from assay.svm.linear.slack_problem import LinearSolution, SlackProblem
from assay.svm.multiclass.row_blocks import ClassProblem, check_reach, solve_classes
from assay.types import ClassWeight, RandomState

__all__ = ["LinearSVC"]


class LinearSVC(LinearClassifier, Discriminant):
    r"""A linear boundary with a wide margin: few rows inside it, and few on the wrong side.

    With labels -1 and +1, :math:`f(x) = w^Tx + b` minimises

    .. math:: \tfrac12\lVert w\rVert^2 + \tfrac12(b/s)^2 + C\sum_i v_i\,(1 - y_i f(x_i))_+^p   \quad (1)

    with p = 1 (the hinge) or p = 2 (its square), or :math:`\lVert w\rVert_1 + |b/s|` in place of the first two terms.
    As in LIBLINEAR the intercept is penalised like the weight of a column of s = ``intercept_scaling``. More than two
    classes: each against the others, on several threads, or all in one problem (``multi_class="crammer_singer"``):
    :math:`\tfrac12\sum_k\lVert w_k\rVert^2 + C\sum_i v_i\max_k\,(1 + f_k - f_{y_i})_+` over the others k.

    The answer is the minimum of (1) in the units of the table, whatever the scale of the columns. The squared hinge is
    solved by Newton's method, whose matrix changes only by the rows that enter or leave the margin; the hinge by an
    interior-point method, rows far from the margin being replaced by their straight lines; both by coordinate descent
    in the dual where rows are sparse; the absolute penalty by coordinate descent over quadratic models. Sparse tables
    stay sparse.

    Cost: fit O(n d^2) for the first matrix and O(n d) a step while the columns are few, a few dozen passes of O(n d)
    for sparse rows; predict O(d K) a row; memory O(n d) to fit, O(d K) kept.

    Parameters
    ----------
    penalty : "l2" or "l1", default "l2"
        "l1" sets weights to 0; with the squared hinge alone.
    loss : "squared_hinge" or "hinge", default "squared_hinge"
    dual : "auto", True or False, default "auto"
        Which form LIBLINEAR would solve; here whatever is quickest is, and the answer is the same. Combinations that
        LIBLINEAR lacks are refused.
    tol : float, default 1e-4
        Stop once the objective is within tol / 100 of its minimum, relatively; most solvers come closer.
    C : float, default 1.0
        The price of slack: large values fit the training rows more closely.
    multi_class : "ovr" or "crammer_singer", default "ovr"
        More than two classes: each against the others, or one problem (which ignores penalty, loss and dual).
    fit_intercept : bool, default True
    intercept_scaling : float, default 1
        s of (1): large values leave the intercept nearly without penalty.
    class_weight : dict of label to factor, "balanced" or None, default None
        Factors of C by class; in one against the others the others keep theirs, as in LIBLINEAR.
    verbose : int, default 0
        Accepted for scikit-learn's sake.
    random_state : default None
        Seed of the order in which coordinate descent visits rows; the minimum does not depend on it.
    max_iter : int, default 1000
        Newton steps at most, or passes over the rows; over small tables as many as read 10 million numbers count one.

    Attributes
    ----------
    coef_ : (1, d) for two classes, else (K, d)      intercept_ : (1,) or (K,)
    n_iter_ : int, steps or passes made, the most of all classes
    objective_ : (1,) or (K,) the value of (1) for each score, (1,) for ``multi_class="crammer_singer"``

    Examples
    --------
    >>> from assay.svm import LinearSVC
    >>> X, y = [[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], ["yes", "yes", "no"]
    >>> model = LinearSVC(loss="hinge", C=1e3, intercept_scaling=1e3).fit(X, y)
    >>> model.coef_.round(4), model.intercept_.round(4)
    (array([[0.5, 0.5]]), array([-2.]))
    >>> model.predict([[2.5, 2.5], [0.0, 1.0]])
    array(['yes', 'no'], dtype='<U3')

    See Also
    --------
    LinearSVR, SGDClassifier, LogisticRegression

    References
    ----------
    - Fan, R.-E., Chang, K.-W., Hsieh, C.-J., Wang, X.-R. and Lin, C.-J. (2008). LIBLINEAR: a library for large linear
      classification. Journal of Machine Learning Research 9, 1871-1874.
    - Hsieh, C.-J., Chang, K.-W., Lin, C.-J., Keerthi, S. S. and Sundararajan, S. (2008). A dual coordinate descent
      method for large-scale linear SVM. International Conference on Machine Learning. doi:10.1145/1390156.1390208
    - Chapelle, O. (2007). Training a support vector machine in the primal. Neural Computation 19(5), 1155-1178.
      doi:10.1162/neco.2007.19.5.1155
    - Crammer, K. and Singer, Y. (2001). On the algorithmic implementation of multiclass kernel-based vector machines.
      Journal of Machine Learning Research 2, 265-292.
    """

    card = Card(
        "linear svc",
        "a linear boundary with a wide margin",
        also=("linear svm", "linear support vector machine"),
        scale=True,
        learns=(
            "linear scores",
            "(squared) hinge loss + squared weights",
            "Newton steps, an interior-point method, or dual coordinate descent",
            "global",
        ),
    )
    multiclass = "one-vs-rest"
    accepts = {
        "penalty": Choice("l1", "l2"),
        "loss": Choice("hinge", "squared_hinge"),
        "dual": Flag() | Choice("auto"),
        "tol": Range(0, open="low"),
        "C": Range(0, np.inf, open="both"),
        "multi_class": Choice("ovr", "crammer_singer"),
        "fit_intercept": Flag(),
        "intercept_scaling": Range(0, open="low"),
        "class_weight": Any_("None, 'balanced', or a dict from classes to numbers"),
        "verbose": Count(0) | Flag(),
        "random_state": Seed(),
        "max_iter": Count(0),
    }
    stored = {"objective_": FloatArray("*")}

    n_iter_: int
    objective_: np.ndarray

    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: bool | str = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: ClassWeight = None,
        verbose: int = 0,
        random_state: RandomState = None,
        max_iter: int = 1000,
    ):
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.multi_class != "crammer_singer":
            check_combination(type(self).__name__, self.penalty, self.loss, self.dual)

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        who, K = type(self).__name__, len(self.classes_)
        if K < 2:
            raise DataError(
                f"{who}: this machine needs samples of at least 2 classes in the data, but y has only one class: "
                f"{self.classes_.tolist()[0]!r}."
            )
        total = np.bincount(y, weights=w, minlength=K).astype(np.float64)
        factors = class_factors(self.class_weight, self.classes_, total, who)
        factors = np.ones(K) if factors is None else factors
        price = np.full(len(y), float(self.C)) if w is None else float(self.C) * w
        paid = price > 0
        X = solver_rows(X)
        if not paid.all():
            X, y, price = X[paid], y[paid], price[paid]
        constant = float(self.intercept_scaling) if self.fit_intercept else 0.0
        if self.multi_class == "crammer_singer":
            self._learn_together(X, y, price * factors[y], constant)
        else:
            self._learn_each(X, y, price, factors, constant)

    def _learn_each(
        self, X: Any, y: np.ndarray, price: np.ndarray, factors: np.ndarray, constant: float
    ) -> None:
        """One score for two classes, else each class against the others."""
        who, K, seed = type(self).__name__, len(self.classes_), seed_of(self.random_state)

        def solve(k: int) -> LinearSolution:
            positive = y == k
            other = factors[0] if K == 2 else 1.0
            problem = SlackProblem(
                X,
                np.where(positive, 1.0, -1.0),
                np.where(positive, price * factors[k], 0.0),
                np.where(positive, 0.0, price * other),
                0.0,
                1 if self.loss == "hinge" else 2,
                constant,
            )
            problem.check_sizes(who)
            if self.penalty == "l1":
                return minimise_lasso(problem, 1e-2 * float(self.tol), self.max_iter)
            return minimise(problem, float(self.tol), self.max_iter, seed)

        solutions = in_threads(solve, [1] if K == 2 else range(K))
        self.coef_, self.intercept_ = coefficients(solutions, X.shape[1], constant)
        self.n_iter_ = max(solution.n_iter for solution in solutions)
        self.objective_ = np.array([solution.value for solution in solutions])
        warn_unfinished(who, solutions, self.max_iter, self.tol)

    def _learn_together(self, X: Any, y: np.ndarray, price: np.ndarray, constant: float) -> None:
        """All classes in one problem; two of them have one score, the difference of theirs."""
        problem = ClassProblem(y.astype(np.int64), price, len(self.classes_), False, 1.0, constant, True)
        with np.errstate(over="ignore"):
            squares = row_norms(X, squared=True)
        check_reach(type(self).__name__, squares, price)
        solution = solve_classes(
            X, problem, 1e-2 * float(self.tol), self.max_iter, seed_of(self.random_state)
        )
        assert solution.W is not None
        W, b = solution.W.T, solution.b
        two = len(W) == 2
        self.coef_ = np.ascontiguousarray(W[1:] - W[:1] if two else W)
        self.intercept_ = b[1:] - b[:1] if two else b
        self.n_iter_, self.objective_ = solution.n_iter, np.array([solution.value])
        warn_unfinished(type(self).__name__, [solution], self.max_iter, self.tol)
