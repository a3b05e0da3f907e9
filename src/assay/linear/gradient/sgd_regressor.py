"""Linear regression by stochastic gradient descent."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card, Regressor
from assay.core.fitting import all_or_nothing
from assay.core.parameters import Accepted, Choice
from assay.core.progress import progress
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray, TableRows
from assay.core.targets import check_weights, numeric_target
from assay.errors import DataError, warn_user
from assay.linear.gradient.sgd import Aside, Epoch, StochasticDescent, Visits, Weights, set_aside
from assay.linear.linear_regressor import LinearRegressor
from assay.types import RandomState, TableLike, Target

__all__ = ["SGDRegressor"]

_MAX_ITERATIONS = np.iinfo(np.int32).max


class SGDRegressor(StochasticDescent, LinearRegressor, Regressor):
    r"""Linear regression by stochastic gradient descent.

    .. math:: E(w, b) = \frac1n\sum_i v_i\,\ell(y_i - w^Tx_i - b)
              + \alpha\left(\tfrac{1-\rho}2\lVert w\rVert^2 + \rho\lVert w\rVert_1\right)             \quad (1)

    falls by steps that look at one row (or one batch) each:

    .. math:: w \leftarrow (1 - \eta_t(1-\rho)\alpha)\,w + \eta_t\,v_i\,\ell'(y_i-w^Tx_i-b)\,x_i      \quad (2)

    Scale the columns, and best the target, before (StandardScaler); one rate serves all of them. The same seed gives
    the same weights as scikit-learn, order of the rows included, except where it judges ``early_stopping`` (it scores
    unscaled weights), and averages under an absolute penalty.

    ``fit_blocks`` makes passes of ``partial_fit`` over the blocks in their order, until their mean loss falls by less
    than ``tol``. On Dask it visits one partition after the other in the same way (more workers make it no faster).

    Cost: fit O(n d) a pass; predict O(d) a row; memory O(n d) to fit, O(d) kept.

    Parameters
    ----------
    loss : "squared_error", "huber", "epsilon_insensitive" or "squared_epsilon_insensitive", default "squared_error"
        r^2 / 2; the same up to ``epsilon`` and a straight line beyond; max(0, abs(r) - epsilon); its square.
    penalty : "l2", "l1", "elasticnet" or None, default "l2"
        Which norm is penalised: rho = 0, 1, ``l1_ratio``.
    alpha : float, default 0.0001
        Strength of the penalty, for each row.
    l1_ratio : float or None, default 0.15
        rho of "elasticnet".
    fit_intercept : bool, default True
        Whether there is a constant b; it is not penalised.
    max_iter : int, default 1000
        Passes over the rows at most.
    tol : float or None, default 1e-3
        Stop when ``n_iter_no_change`` passes in turn improved (1), or the score of the rows set aside, by less.
        None: make ``max_iter`` passes.
    shuffle : bool, default True
        Visit the rows in a new order in each pass.
    verbose : int, default 0
        Accepted for scikit-learn's sake; long fits show a progress bar, ``history_`` keeps the losses.
    epsilon : float, default 0.1
        See ``loss``.
    random_state : default None
        Seed of the orders, and of the rows set aside.
    learning_rate : default "invscaling"
        "invscaling": eta0 / t^power_t; "constant": eta0; "optimal": :math:`1/(\alpha(t_0+t-1))` with
        :math:`t_0=\alpha^{-3/4}`; "adaptive": eta0, a fifth of it each time the passes stop improving; "pa1", "pa2":
        passive-aggressive steps (with "epsilon_insensitive"), which repair the row's loss, at most eta0, or damped by
        1 / (2 eta0).
    eta0 : float, default 0.01
        See ``learning_rate``.
    power_t : float, default 0.25
        See ``learning_rate``; from 0 up.
    early_stopping : bool, default False
        Set ``validation_fraction`` of the rows aside and stop when their R^2 does not rise any more.
    validation_fraction : float, default 0.1
        Share of the rows that ``early_stopping`` sets aside.
    n_iter_no_change : int, default 5
        See ``tol``.
    warm_start : bool, default False
        Begin at the weights of the last fit.
    average : bool or int, default False
        Answer with the mean of the weights over all steps, or over those from this number on.
    batch_size : int, default 1
        Rows of a step, whose gradients are averaged; t counts steps.

    Attributes
    ----------
    coef_ : (d,)      intercept_ : (1,)
    n_iter_ : passes made      t_ : 1 + steps made
    history_ : list of Epoch (number, loss, rate, score)
    standard_coef_, standard_intercept_, average_coef_, average_intercept_ : both sides of ``average``

    Examples
    --------
    >>> import numpy as np
    >>> from assay.linear import SGDRegressor
    >>> x = np.linspace(-1, 1, 21)
    >>> model = SGDRegressor(penalty=None, tol=1e-9, random_state=0).fit(x[:, None], 3 * x + 1)
    >>> model.coef_.round(2), model.intercept_.round(2)
    (array([3.]), array([1.]))

    See Also
    --------
    SGDClassifier, Ridge

    References
    ----------
    - Bottou, L. (2012). Stochastic gradient descent tricks. In Neural Networks: Tricks of the Trade, second
      edition, 421-436. Springer.
    - Xu, W. (2011). Towards optimal one pass large scale learning with averaged stochastic gradient descent.
      arXiv:1107.2490.
    """

    card = Card(
        "sgd",
        "a weighted sum of the columns, learned row by row",
        scale=True,
        settings={"random_state": 0},
        learns=(
            "a linear function",
            "squared, Huber or insensitive error + penalty",
            "stochastic gradient descent",
            "global",
        ),
    )
    accepts: ClassVar[dict[str, Accepted | None]] = {
        "loss": Choice("squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"),
        **StochasticDescent.accepts,
    }
    stored = {
        "coef_": FloatArray("p") | TableRows("*", "p"),
        "intercept_": FloatArray("*"),
    }
    _passive_aggressive = "epsilon_insensitive"

    def __init__(
        self,
        loss: str = "squared_error",
        *,
        penalty: str | None = "l2",
        alpha: float = 0.0001,
        l1_ratio: float | None = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        epsilon: float = 0.1,
        random_state: RandomState = None,
        learning_rate: str = "invscaling",
        eta0: float = 0.01,
        power_t: float = 0.25,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
        average: bool | int = False,
        batch_size: int = 1,
    ):
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.average = average
        self.batch_size = batch_size

    def fit(  # type: ignore[override]  # coef_init comes third, as in scikit-learn
        self,
        X: TableLike,
        y: Target,
        coef_init: ArrayLike | None = None,
        intercept_init: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from the rows of X and their numbers y.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars, pyarrow frame, (n, d)
        y : (n,) numbers
        coef_init, intercept_init : weights to begin at, (d,) and (1,); None for 0
        sample_weight : (n,) what each row counts; None counts each once
        """
        self._first = coef_init, intercept_init
        try:
            return super().fit(X, y, sample_weight)
        finally:
            del self._first

    def partial_fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None) -> Self:
        """Make one pass over some more rows; if it fails, the model stays as it was. Parameters as in fit."""
        take = SGDRegressor._take if hasattr(self, "coef_") else all_or_nothing(SGDRegressor._take)
        return take(self, X, y, sample_weight)

    def _take(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """One block of rows."""
        who, first = type(self).__name__, not hasattr(self, "coef_")
        self._check_partial()
        values = self._admit(X, fitting=first)
        target = numeric_target(y, values.shape[0], who)
        weights = check_weights(sample_weight, values)
        if first:
            self.history_ = []
        self.history_.extend(self._visit(values, target, weights))
        return self

    def _visit(
        self, X: Any, y: np.ndarray, w: np.ndarray | None, count: np.ndarray | None = None
    ) -> list[Epoch]:
        d, first = X.shape[1], not hasattr(self, "coef_")
        if first:
            self.t_ = 1.0
        (score,) = self._begin(1, d, None, None) if first else self._resume(1, d)
        return self._advance(X, y, w, score, 1)

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        (score,) = self._begin(1, X.shape[1], *self._first)
        self.t_ = 1.0
        self.history_ = self._advance(X, y, w, score, self.max_iter)
        self._complain()
        self._complain_of_flight(y, w)

    def _advance(
        self, X: Any, y: np.ndarray, w: np.ndarray | None, score: Weights, epochs: int
    ) -> list[Epoch]:
        """Passes over the rows, and what follows from them; one record for each."""
        if y.ndim != 1:
            raise DataError(
                f"{type(self).__name__}: y must be one column of numbers, got {y.shape[1]}. For several: "
                "LinearRegression, Ridge."
            )
        aside = None
        if self.early_stopping:
            skip = set_aside(self, y, w, stratified=False)
            aside = Aside(skip, _explained(X, y, w, skip))
        seed = int(random_state_of(self.random_state).randint(0, _MAX_ITERATIONS))
        with progress(epochs, f"{type(self).__name__}: passes over the rows") as bar:
            history = self._descend(Visits(X), y, w, score, epochs, seed, aside, bar)
        coef, self.intercept_ = self._publish([score], len(history), X.shape[0])
        self.coef_ = coef[0]
        return history

    def _complain_of_flight(self, y: np.ndarray, w: np.ndarray | None) -> None:
        """Say so if the last pass was a thousand times worse than no weights at all, or more."""
        with np.errstate(over="ignore"):
            size = np.abs(y) if self.loss in ("huber", "epsilon_insensitive") else y * y
            idle = float(np.average(size, weights=w)) * (self.epsilon if self.loss == "huber" else 1.0)
        loss = self.history_[-1].loss
        if 0 < 1e3 * idle < loss:
            from sklearn.exceptions import ConvergenceWarning

            warn_user(
                f"{type(self).__name__}: the steps ran away, the mean loss of the last pass is {loss:.3g}. Bring the "
                "columns to one scale (StandardScaler), or lower eta0.",
                ConvergenceWarning,
            )


def _explained(X: Any, y: np.ndarray, w: np.ndarray | None, skip: np.ndarray) -> Any:
    """R^2 on the rows set aside: 1 - squared residuals / squared distances from the mean."""
    rows = np.flatnonzero(skip)
    some, truth = X[rows], y[rows]
    share = np.full(len(rows), 1 / len(rows)) if w is None else w[rows] / w[rows].sum()
    spread = float(share @ (truth - share @ truth) ** 2)

    def score(weights: Weights) -> float:
        with np.errstate(over="ignore", invalid="ignore"):
            left = float(share @ (truth - np.asarray(some @ weights.coef) - weights.intercept) ** 2)
        return 1.0 - left / spread if spread > 0 else float(left == 0)

    return score
