"""Ridge regression that chooses its penalty by leave-one-out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from assay.core import Card, Regressor
from assay.core.parameters import Any_, Array, Choice, Flag, Range
from assay.core.stored import Boolean, Object
from assay.core.sums import Rows
from assay.errors import warn_user
from assay.linear.linear_regressor import LinearRegressor
from assay.linear.regression.least_squares import intercept_kind, weights_of
from assay.linear.regression.least_squares_intervals import LeastSquaresIntervals
from assay.linear.regression.least_squares_learner import Unsummed
from assay.linear.regression.least_squares_sums import Sums
from assay.linear.regression.ridge import Ridge
from assay.linear.regression.ridge_search import RidgeSearch
from assay.types import Scoring, Splitter, TableLike, Target, Weights

__all__ = ["RidgeCV"]


class RidgeCV(RidgeSearch, LeastSquaresIntervals, LinearRegressor, Regressor):  # type: ignore[misc]
    r"""Ridge regression with the penalty of the smallest leave-one-out error.

    Leaving out one row after the other needs no refit: from one eigendecomposition, all residuals for all penalties
    follow, :math:`e_i = (y_i-\hat y_i)/(1-h_i)` with the leverage :math:`h_i` of row i. The weights are those of
    `Ridge` with the penalty that was chosen, and so is the predictive distribution. Rows in blocks or on Dask are
    passed over twice. With ``cv`` the penalties are compared by cross-validation instead.

    Cost: fit O(n d^2 + d^3), or O(n^2 d + n^3) where n < d, and O(n min(n, d)) for each penalty; predict O(d) a row;
    memory O(n d + min(n, d)^2) to fit, O(min(n, d) d) kept.

    Parameters
    ----------
    alphas : array of penalties, default (0.1, 1.0, 10.0)
        All above 0.
    fit_intercept : bool, default True
        Whether there is a constant.
    scoring : str, function or None, default None
        What the left-out predictions are compared by, as in scikit-learn; None: the mean of
        :math:`-v_ie_i^2` with row weights v.
    cv : None, int, splitter or iterable, default None
        None: leave-one-out; else cross-validation by ``GridSearchCV``. A splitter of groups gets those of
        ``fit(X, y, groups=...)``.
    gcv_mode : None, "auto", "svd" or "eigen", default None
        Accepted for scikit-learn's sake: all give the same errors.
    store_cv_results : bool, default False
        Whether to keep ``cv_results_``.
    alpha_per_target : bool, default False
        Whether each output has its own penalty.
    penalize_intercept : bool, default False
        Whether the constant is penalised like the weights, as in `Ridge`.

    Attributes
    ----------
    coef_ : (d,) or (outputs, d)      intercept_ : float or (outputs,)
    alpha_ : float, or (outputs,)      best_score_ : float, or (outputs,)
    cv_results_ : (n, penalties) or (n, outputs, penalties)
        Weighted squared errors, or predictions if there is ``scoring``.

    Examples
    --------
    >>> from assay.linear import RidgeCV
    >>> x = [[-2.0], [-1.0], [0.0], [1.0], [2.0]]
    >>> RidgeCV(alphas=[0.01, 1.0, 100.0]).fit(x, [-4.0, -2.0, 0.0, 2.0, 4.0]).alpha_
    0.01

    See Also
    --------
    Ridge, RidgeClassifierCV

    References
    ----------
    - Hoerl, A. E. and Kennard, R. W. (1970). Ridge regression: biased estimation for nonorthogonal problems.
      Technometrics 12(1), 55-67.
    - Golub, G. H., Heath, M. and Wahba, G. (1979). Generalized cross-validation as a method for choosing a good
      ridge parameter. Technometrics 21(2), 215-223.
    """

    card = Card(
        "ridge cv",
        "ridge regression, its penalty by leave-one-out",
        scale=True,
        suits="any",
        learns=(
            "a linear function",
            "squared error + squared weights",
            "a Cholesky factor or a singular value decomposition",
            "analytic",
        ),
    )
    kept_in_single = ("coef_", "intercept_")
    accepts = {
        "alphas": Array(1) | Range(0, open="low"),
        "fit_intercept": Flag(),
        "scoring": Any_("None, the name of a scorer or a function", lambda v: _is_scoring(v)),
        "cv": Any_("None, a whole number from 2 up, a splitter or an iterable", lambda v: _is_cv(v)),
        "gcv_mode": Choice("auto", "svd", "eigen") | None,
        "store_cv_results": Flag(),
        "alpha_per_target": Flag(),
        "penalize_intercept": Flag(),
    }
    stored = {"_several": Boolean(), "_sums": Object(Sums, Unsummed)}

    def __init__(
        self,
        alphas: ArrayLike = (0.1, 1.0, 10.0),
        *,
        fit_intercept: bool = True,
        scoring: Scoring | None = None,
        cv: Splitter | None = None,
        gcv_mode: str | None = None,
        store_cv_results: bool = False,
        alpha_per_target: bool = False,
        penalize_intercept: bool = False,
    ):
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.gcv_mode = gcv_mode
        self.store_cv_results = store_cv_results
        self.alpha_per_target = alpha_per_target
        self.penalize_intercept = penalize_intercept

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: TableLike, y: Any, sample_weight: Weights | None = None, **params: Any) -> Self:  # type: ignore[override]
        """Choose the penalty and learn from the rows of X and their numbers y, (n,) or (n, outputs).

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars, pyarrow frame, (n, d)
        y : (n,) numbers, or (n, outputs)
        sample_weight : (n,) what each row counts; None counts each once
        params : ``groups``, (n,), for a splitter that keeps groups together; with scikit-learn's metadata routing
            switched on, all that the splitter and the scorer have requested
        """
        column = getattr(y, "ndim", 1) == 2 and y.shape[1] == 1 and not hasattr(y, "__dask_graph__")
        self._several = column
        super().fit(X, np.asarray(y)[:, 0] if column else y, sample_weight, **params)
        if column and self.fit_intercept:
            self.intercept_ = np.atleast_1d(self.intercept_)
        return self

    def _learn(self, X: Any, y: Any, w: Any) -> None:
        self._several |= y.ndim == 2
        if self.gcv_mode == "svd" and self.cv is None and not isinstance(X, np.ndarray):
            warn_user(
                "RidgeCV: gcv_mode='svd' of a sparse table becomes an error in scikit-learn 1.11; 'eigen' is used. "
                "Leave gcv_mode as it is.",
                FutureWarning,
            )
        super()._learn(X, y, w)

    def _score(self, guess: np.ndarray, job: Any) -> Any:
        from sklearn.metrics import check_scoring

        judge = check_scoring(_Itself(), scoring=self.scoring)
        weights = self._score_metadata(job)
        if self.alpha_per_target and guess.shape[1] > 1:
            return [judge(_Itself(), g, t, **weights) for g, t in zip(guess.T, job.Y.T)]
        single = guess.shape[1] == 1
        return judge(_Itself(), guess[:, 0] if single else guess, job.Y[:, 0] if single else job.Y, **weights)

    def _search(self, rows: Rows, alphas: np.ndarray) -> None:
        model = Ridge(fit_intercept=self.fit_intercept, penalize_intercept=self.penalize_intercept)
        self._grid_search(model, rows, rows.y, alphas)

    def _default_scorer(self) -> Any:
        from sklearn.metrics import make_scorer, mean_squared_error

        return make_scorer(mean_squared_error, greater_is_better=False)

    def _keep_sums(self, sums: Callable[[], Any]) -> None:
        self._sums = sums()

    @property
    def _intercept(self) -> str:
        return intercept_kind(self.fit_intercept, self.penalize_intercept)

    def _noise_penalty(self) -> float:
        return float(self.alpha_)

    def _publish(self, W: np.ndarray, b: np.ndarray) -> None:
        single = W.shape[1] == 1
        self.coef_ = weights_of(W)
        self.intercept_ = (b[0] if single else b) if self.fit_intercept else 0.0


class _Itself(BaseEstimator):
    """A regressor that returns its input as prediction: for scorers, which need a model."""

    _estimator_type = "regressor"

    def fit(self, X: TableLike, y: Target) -> Self:
        """Nothing to learn."""
        return self

    def predict(self, X: TableLike) -> Any:
        """X."""
        return X


def _is_scoring(value: Any) -> bool:
    return value is None or isinstance(value, str) or callable(value)


def _is_cv(value: Any) -> bool:
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return bool(value >= 2)
    return (
        value is None
        or hasattr(value, "split")
        or (hasattr(value, "__iter__") and not isinstance(value, str))
    )
