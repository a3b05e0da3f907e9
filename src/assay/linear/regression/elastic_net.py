"""Elastic net: least squares with an absolute and a quadratic penalty on the weights."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.metadata_routing import UNUSED

from assay.core import Card, Regressor
from assay.core.parameters import Any_, Choice, Count, Flag, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, IntArray, Integer, Object, Scalar
from assay.errors import DataError
from assay.linear.compact import compact
from assay.linear.linear_regressor import LinearRegressor
from assay.linear.regression.coordinate_descent import (
    Columns,
    CrossProducts,
    Problem,
    Sweep,
    complain,
    problem,
)
from assay.linear.regression.paths import enet_path
from assay.linear.regression.selecting_regressor import SelectingRegressor
from assay.types import RandomState, TableLike, Target, Weights

__all__ = ["ElasticNet"]

SWEEPS = 10  # over columns before their cross products are computed


class ElasticNet(SelectingRegressor, LinearRegressor, Regressor):
    r"""Linear regression with an absolute and a quadratic penalty, which selects groups of similar columns.

    The absolute penalty makes weights exactly 0 and so selects columns; the quadratic one shares the weight among
    correlated columns. The weights minimise

    .. math:: \tfrac1{2n}\sum_i (y_i - w_0 - w^Tx_i)^2 + \alpha\rho\|w\|_1 + \tfrac12\alpha(1-\rho)\|w\|_2^2 \quad (1)

    with the intercept :math:`w_0` free and, with weights of the rows, their weighted mean instead of the mean.
    Coordinate descent solves for one weight after the other,

    .. math:: w_j \leftarrow \frac{S\big(x_j^Tr + \|x_j\|^2w_j,\; n\alpha\rho\big)}{\|x_j\|^2 + n\alpha(1-\rho)},
              \qquad S(z,t) = \operatorname{sign}(z)\,(|z|-t)_+                                               \quad (2)

    until the duality gap, an upper bound of how far (1) is above its minimum, is small. A weight depends on the unit
    of its column: scale the columns first.

    Cost: fit O(n d^2) once and O(d^2) a sweep if n > d, else O(n) for each column in play and sweep, columns that
    cannot get a weight left out; predict O(d) a row; memory O(n d + d^2) to fit, O(d) kept.

    Parameters
    ----------
    alpha : float, default 1
        Strength of the penalties; 0 is least squares, for which LinearRegression is the better choice.
    l1_ratio : float, default 0.5
        :math:`\rho`: 1 is the lasso, 0 ridge regression.
    fit_intercept : bool, default True
        False takes the data as centred.
    precompute : bool or (d, d) array, default False
        The cross products of the centred columns, if they are at hand; True computes them, False lets the learner
        choose between cross products and columns.
    max_iter : int, default 1000
        Sweeps over the columns at most.
    copy_X : accepted; X is never written to
    tol : float, default 1e-4
        Duality gap at which to stop, relative to the mean square of y around its mean, once a sweep changes no weight
        by more than this share of the largest.
    warm_start : bool, default False
        Begin with the weights of the last fit.
    positive : bool, default False
        No weight below 0.
    random_state : the seed of selection="random"
    selection : "cyclic" or "random", default "cyclic"
        Whether columns take turns in their order or are drawn.

    Attributes
    ----------
    coef_ : (D,) or (outputs, D)        intercept_ : float or (outputs,)
    sparse_coef_ : the weights as a sparse array
    n_iter_ : sweeps, a number for each output      dual_gap_ : float or (outputs,)
    history_ : list of Sweep, or a list of such lists, one an output

    Examples
    --------
    Two columns say the same, and share the weight:

    >>> from assay.linear import ElasticNet
    >>> model = ElasticNet(alpha=0.1, tol=1e-12).fit([[-1, -1], [0, 0], [1, 1]], [-2, 0, 2])
    >>> model.coef_.round(4), round(model.intercept_, 4)
    (array([0.9277, 0.9277]), 0.0)

    See Also
    --------
    ElasticNetCV, Lasso, Ridge, enet_path

    References
    ----------
    - Zou, H. and Hastie, T. (2005). Regularization and variable selection via the elastic net. Journal of the Royal
      Statistical Society B 67(2), 301-320. doi:10.1111/j.1467-9868.2005.00503.x
    - Friedman, J., Hastie, T. and Tibshirani, R. (2010). Regularization paths for generalized linear models via
      coordinate descent. Journal of Statistical Software 33(1), 1-22. doi:10.18637/jss.v033.i01
    """

    card = Card(
        "elastic net",
        "a weighted sum of few columns, similar columns together",
        scale=True,
        learns=(
            "a linear function with few columns",
            "squared error + absolute and squared weights",
            "coordinate descent",
            "global",
        ),
    )
    __metadata_request__fit = {"check_input": UNUSED}  # no metadata of rows
    kept_in_single = ("coef_", "intercept_")
    accepts = {
        "alpha": Range(0, np.inf, open="high"),
        "l1_ratio": Range(0, 1),
        "fit_intercept": Flag(),
        "precompute": Any_(
            "True, False or an array of cross products",
            lambda v: isinstance(v, (bool, np.bool_)) or np.ndim(v) == 2,
        ),
        "max_iter": Count(1),
        "copy_X": Flag(),
        "tol": Range(0),
        "warm_start": Flag(),
        "positive": Flag(),
        "random_state": Seed(),
        "selection": Choice("cyclic", "random"),
    }
    stored = {
        "dual_gap_": Scalar() | FloatArray("*"),
        "n_iter_": Integer() | Each(Integer()) | IntArray("*"),
        "history_": Each(Object(Sweep) | Each(Object(Sweep))),
    }
    path = staticmethod(enet_path)

    n_iter_: Any
    dual_gap_: Any
    history_: list[Any]

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        precompute: bool | str | ArrayLike = False,
        max_iter: int = 1000,
        copy_X: bool = True,
        tol: float = 1e-4,
        warm_start: bool = False,
        positive: bool = False,
        random_state: RandomState = None,
        selection: str = "cyclic",
    ):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.copy_X = copy_X
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection

    @property
    def sparse_coef_(self) -> Any:
        """(1, D) or (outputs, D) the weights as a sparse array."""
        from scipy.sparse import csr_array

        return csr_array(np.atleast_2d(self.coef_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(
        self, X: TableLike, y: Target, sample_weight: Weights | None = None, check_input: bool = True
    ) -> Self:
        """Learn from the rows of X and their numbers y.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars, pyarrow frame, (n, d)
        y : (n,) numbers, or (n, outputs)
        sample_weight : (n,) what each row counts; None counts each once
        check_input : accepted for scikit-learn's sake; X and y are always checked
        """
        return super().fit(X, y, sample_weight)

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        who, X = type(self).__name__, compact(X)
        if w is not None:
            if not w.all():  # a row of weight 0 is no row
                X, y, w = X[w > 0], y[w > 0], w[w > 0]
            w = w * (len(w) / w.sum())  # (1) does not change; given cross products are meant like that
        table = y[:, None] if y.ndim == 1 else y
        n, d = X.shape
        free = self.precompute is False and isinstance(X, np.ndarray) and n > d
        gram = self.precompute if self.precompute is not False else free and n > 10 * d * d
        data = problem(X, table, w, self.fit_intercept, gram, who)
        start = self._start(table.shape[1], d)
        seed = int(random_state_of(self.random_state).randint(1, 2**31)) if self.selection == "random" else 0
        weights, histories = np.empty_like(start), []
        for k in range(len(weights)):
            at, history, goal = start[k], [], self.tol * data.square[k] / data.total
            if free and isinstance(
                data, Columns
            ):  # ten sweeps over columns cost no more than their cross products
                at, history = self._descend(data, k, min(SWEEPS, self.max_iter), seed, at)
                if history[-1].iteration == SWEEPS < self.max_iter:
                    data = problem(X, table, w, self.fit_intercept, True, who)
            if not history or isinstance(data, CrossProducts):
                at, more = self._descend(
                    data, k, self.max_iter - len(history) * SWEEPS, seed, at, begun=bool(history)
                )
                done = history[-1].iteration if history else 0
                history += [Sweep(done + s.iteration, s.value, s.gap) for s in more]
            weights[k] = at
            complain(history[-1].gap, goal, who, self.max_iter)
            histories.append(history)
        with np.errstate(over="ignore", invalid="ignore"):
            intercept = np.array([data.intercept(weights[k], k) for k in range(len(weights))])
        if not (np.isfinite(weights).all() and np.isfinite(intercept).all()):
            raise DataError(
                f"{who}: Coordinate descent led to infinite weights. Rescale the columns of X first."
            )
        self._keep(weights, intercept, histories, single=y.ndim == 1)
        self._keep_noise(data, weights, self.alpha, self.l1_ratio)

    def _descend(
        self, data: Problem, k: int, max_iter: int, seed: int, start: np.ndarray, begun: bool = False
    ) -> tuple[np.ndarray, list[Sweep]]:
        return data.descend(
            k, self.alpha, self.l1_ratio, self.tol, max_iter, self.positive, seed, start, begun
        )

    def _start(self, outputs: int, d: int) -> np.ndarray:
        old = np.atleast_2d(getattr(self, "coef_", np.empty((0, 0))))
        begun = self.warm_start and old.shape == (outputs, d)
        return old.astype(np.float64) if begun else np.zeros((outputs, d))

    def _keep(
        self, weights: np.ndarray, intercept: np.ndarray, histories: list[list[Sweep]], single: bool
    ) -> None:
        gaps, sweeps = [h[-1].gap for h in histories], [h[-1].iteration for h in histories]
        if single:
            self.coef_, self.intercept_ = weights[0], float(intercept[0])
            self.dual_gap_, self.n_iter_, self.history_ = gaps[0], sweeps[0], histories[0]
        else:
            self.coef_, self.intercept_ = weights, intercept
            self.dual_gap_, self.n_iter_, self.history_ = np.array(gaps), sweeps, histories
