"""Linear support vector regression."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card, Regressor
from assay.core.parameters import Choice, Count, Flag, Range, Seed
from assay.core.stored import Scalar
from assay.linear.linear_regressor import LinearRegressor
from assay.svm.linear.linear_machine import (
    check_combination,
    coefficients,
    seed_of,
    solver_rows,
    warn_unfinished,
)
from assay.svm.linear.linear_solver import minimise
from assay.svm.linear.slack_problem import SlackProblem
from assay.types import RandomState

__all__ = ["LinearSVR"]


class LinearSVR(LinearRegressor, Regressor):
    r"""A flat linear function in a tube: errors up to epsilon are free, beyond they pay.

    .. math:: \tfrac12\lVert w\rVert^2 + \tfrac12(b/s)^2 + C\sum_i v_i\,(|y_i - w^Tx_i - b| - \epsilon)_+^p   \quad (1)

    with p = 1, which is hardly moved by outliers, or p = 2. Rows inside the tube have no influence. As in LIBLINEAR the
    constant is penalised like the weight of a column of s = ``intercept_scaling``; without that penalty (1) is
    :class:`~assay.linear.EpsilonInsensitiveRegressor` with alpha = 1 / (C n). The minimum is found in the units of the
    table, whatever the scale of the columns, by the solvers of :class:`LinearSVC`.

    Cost: fit O(n d^2) a step, or a few dozen passes of O(n d) for sparse rows; predict O(d) a row; memory O(n d) to
    fit, O(d) kept.

    Parameters
    ----------
    epsilon : float, default 0.0
        Half the width of the tube, in the units of y.
    tol : float, default 1e-4
        Stop once the objective is within tol / 100 of its minimum, relatively; most solvers come closer.
    C : float, default 1.0
        The price of errors.
    loss : "epsilon_insensitive" or "squared_epsilon_insensitive", default "epsilon_insensitive"
        p of (1): 1 or 2.
    fit_intercept : bool, default True
    intercept_scaling : float, default 1.0
        s of (1): large values leave the constant nearly without penalty.
    dual : "auto", True or False, default "auto"
        Which form LIBLINEAR would solve; here whatever is quickest is, and the answer is the same.
    verbose : int, default 0
        Accepted for scikit-learn's sake.
    random_state : default None
        Seed of the order in which coordinate descent visits rows; the minimum does not depend on it.
    max_iter : int, default 1000
        Newton steps at most, or passes over the rows; over small tables as many as read 10 million numbers count one.

    Attributes
    ----------
    coef_ : (d,)      intercept_ : (1,), as in scikit-learn, or 0.0 without one
    n_iter_ : int, steps or passes made      objective_ : float, the value of (1)

    Examples
    --------
    >>> from assay.svm import LinearSVR
    >>> model = LinearSVR(epsilon=0.25, C=10.0, intercept_scaling=1e4).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> model.coef_.round(4), model.intercept_.round(4)
    (array([0.75]), array([0.25]))

    See Also
    --------
    LinearSVC, EpsilonInsensitiveRegressor, HuberRegressor

    References
    ----------
    - Ho, C.-H. and Lin, C.-J. (2012). Large-scale linear support vector regression. Journal of Machine Learning
      Research 13, 3323-3348.
    - Smola, A. J. and Schölkopf, B. (2004). A tutorial on support vector regression. Statistics and Computing 14,
      199-222. doi:10.1023/B:STCO.0000035301.49549.88
    """

    card = Card(
        "linear svr",
        "a flat linear function in a tube of free errors",
        scale=True,
        learns=(
            "a linear function",
            "absolute (or squared) error beyond epsilon + squared weights",
            "Newton steps, an interior-point method, or dual coordinate descent",
            "global",
        ),
    )
    accepts = {
        "epsilon": Range(0),
        "tol": Range(0, open="low"),
        "C": Range(0, np.inf, open="both"),
        "loss": Choice("epsilon_insensitive", "squared_epsilon_insensitive"),
        "fit_intercept": Flag(),
        "intercept_scaling": Range(0, open="low"),
        "dual": Flag() | Choice("auto"),
        "verbose": Count(0) | Flag(),
        "random_state": Seed(),
        "max_iter": Count(0),
    }
    stored = {"objective_": Scalar()}

    n_iter_: int
    objective_: float

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-4,
        C: float = 1.0,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: bool | str = "auto",
        verbose: int = 0,
        random_state: RandomState = None,
        max_iter: int = 1000,
    ):
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_combination(type(self).__name__, "l2", self.loss, self.dual)

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        who, X = type(self).__name__, solver_rows(X)
        if w is not None and not w.all():
            X, y, w = X[w > 0], y[w > 0], w[w > 0]
        price = np.full(len(y), float(self.C)) if w is None else float(self.C) * w
        constant = float(self.intercept_scaling) if self.fit_intercept else 0.0
        power = 1 if self.loss == "epsilon_insensitive" else 2
        problem = SlackProblem(
            X, np.ascontiguousarray(y, dtype=np.float64), price, price, float(self.epsilon), power, constant
        )
        problem.check_sizes(who)
        solution = minimise(problem, float(self.tol), self.max_iter, seed_of(self.random_state))
        W, b = coefficients([solution], X.shape[1], constant)
        self.coef_, self.intercept_ = W[0], b if self.fit_intercept else 0.0
        self.n_iter_, self.objective_ = solution.n_iter, solution.value
        warn_unfinished(who, [solution], self.max_iter, self.tol)
