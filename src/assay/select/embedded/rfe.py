"""Recursive feature elimination around an estimator with weights or importances."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.validation import _estimator_has

from assay.core import Card
from assay.core.available import available_if
from assay.core.fitting import all_or_nothing
from assay.core.meta_estimator import takes_tables
from assay.core.parameters import Any_, Count, Range
from assay.core.stored import IntArray, Integer
from assay.errors import warn_user
from assay.select.embedded.column_fits import ColumnFits
from assay.select.embedded.column_importances import squared_importances
from assay.select.embedded.elimination import EliminationPath, eliminate
from assay.select.embedded.model_selector import ModelSelector
from assay.types import Estimator, TableLike, Target, Weights

__all__ = ["RFE", "Eliminates"]


class Eliminates(ModelSelector):
    """What selectors by recursive elimination share; their estimator answers for them, too."""

    accepts = {
        **ModelSelector.accepts,
        "step": Count(1) | Range(0, 1, open="both"),
        "verbose": Any_("a whole number or a flag", lambda v: isinstance(v, (Integral, bool))),
    }
    stored = {"ranking_": IntArray("d", low=1), "n_features_": Integer(low=0)}
    step: Any
    verbose: Any
    ranking_: np.ndarray
    n_features_: int
    estimator_: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._template())
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags = deepcopy(inner.classifier_tags)
        tags.regressor_tags = deepcopy(inner.regressor_tags)
        for of_task in (tags.classifier_tags, tags.regressor_tags):
            if of_task is not None:
                of_task.poor_score = True
        tags.target_tags.required = True
        return tags

    def _routes(self) -> dict[str, str]:
        return {"fit": "fit", "predict": "predict", "score": "score"}

    def _step(self, d: int) -> int:
        return int(max(1, self.step * d)) if 0 < self.step < 1 else int(self.step)

    def _importances(self, model: Any) -> np.ndarray:
        return squared_importances(model, self.importance_getter, type(self).__name__)

    def _eliminate(self, fits: ColumnFits, keep: int) -> EliminationPath:
        return eliminate(fits, self._importances, keep, self._step(fits.d), tell=self._tell)

    def _keep(self, path: EliminationPath) -> None:
        """Set the attributes from an elimination of all rows."""
        self.estimator_ = path.model
        self.support_, self.ranking_ = path.support, path.ranking
        self.n_features_ = int(path.support.sum())

    def _tell(self, columns: int) -> None:
        if self.verbose > 0:
            print(f"Fitting estimator with {columns} features.")

    def _why(self, j: int) -> str:
        rank, rounds = int(self.ranking_[j]), int(self.ranking_.max())
        if rank == 1:
            return "not among the weakest in any round"
        number = rounds - rank + 1
        return f"among the weakest in round {number} of {rounds - 1}"

    # ------------------------------------------------------------------ answers of the estimator

    @property
    def classes_(self) -> Any:  # type: ignore[override]
        """The class labels, if the estimator is a classifier."""
        if "estimator_" not in vars(self):
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute 'classes_': call fit first."
            )
        return self.estimator_.classes_

    def _inner(self, method: str, X: Any, *more: Any, **params: Any) -> Any:
        self._ready()
        kept = self.transform(self._read(X) if takes_tables(self.estimator_) else X)
        return getattr(self.estimator_, method)(kept, *more, **params)

    @available_if(_estimator_has("predict"))
    def predict(self, X: TableLike, **params: Any) -> np.ndarray:
        """The answers of the estimator to the kept columns of X."""
        return self._inner("predict", X, **self._given("predict", params))

    @available_if(_estimator_has("score"))
    def score(self, X: TableLike, y: Target, **params: Any) -> float:
        """The score of the estimator on the kept columns of X."""
        return self._inner("score", X, y, **self._given("score", params))

    @available_if(_estimator_has("decision_function"))
    def decision_function(self, X: TableLike) -> np.ndarray:
        """The scores that the estimator gives the kept columns of X."""
        return self._inner("decision_function", X)

    @available_if(_estimator_has("predict_proba"))
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """The probabilities that the estimator gives the kept columns of X."""
        return self._inner("predict_proba", X)

    @available_if(_estimator_has("predict_log_proba"))
    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """Their logarithms."""
        return self._inner("predict_log_proba", X)

    def _given(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """What a method of the estimator is given of the metadata."""
        from assay.core.routing import routing_enabled

        if not routing_enabled():
            return params
        from sklearn.utils.metadata_routing import process_routing

        return dict(process_routing(self, method, **params)["estimator"][method])


class RFE(Eliminates):
    """Keep the columns that survive: fit, drop the weakest, fit again, until as many are left as wanted.

    A column's importance is the sum of its squared weights over all outputs, or its ``feature_importances_``; of a
    nominal column the indicators count together. Weights depend on the units of their columns: scale these first, or
    compare columns of unit variance. Least squares is solved anew from sums that were made once, logistic
    regression begins where the last round ended.

    Cost: fit d / step times the learner; transform O(1) a kept column, predict that of the learner; memory O(n d)
    and that of the learner.

    Parameters
    ----------
    estimator : a learner with ``coef_`` or ``feature_importances_`` after fit
    n_features_to_select : int, float or None, default None
        How many columns are kept; a number up to 1 is a share of them, None keeps half.
    step : int or float, default 1
        How many go in a round; a number below 1 is a share of all columns.
    verbose : int, default 0
        Above 0, each round is printed.
    importance_getter : str or function, default "auto"
        Where the importances are: "auto", an attribute such as ``"named_steps.svc.coef_"``, or a function of the fitted
        estimator.

    Attributes
    ----------
    support_ : (d,) bool, the kept columns      n_features_ : int, how many these are
    ranking_ : (d,) 1 for kept columns, 2 for those that went last, ...
    estimator_ : fitted to the kept columns      classes_ : of a classifier

    Examples
    --------
    >>> import numpy as np
    >>> from assay.linear import LogisticRegression
    >>> from assay.select import RFE
    >>> X = np.random.default_rng(0).normal(size=(80, 4))
    >>> selector = RFE(LogisticRegression(), n_features_to_select=2).fit(X, X[:, 1] - X[:, 3] > 0)
    >>> selector.ranking_, selector.selected_
    (array([2, 1, 3, 1]), ['x1', 'x3'])

    See Also
    --------
    RFECV, SelectFromModel

    References
    ----------
    - Guyon, I., Weston, J., Barnhill, S. and Vapnik, V. (2002). Gene selection for cancer classification using support
      vector machines. Machine Learning 46, 389-422. doi:10.1023/A:1012487302797
    """

    card = Card(
        "rfe",
        "drops the weakest columns, round by round",
        also=("recursive feature elimination",),
        wraps=True,
    )
    accepts = {**Eliminates.accepts, "n_features_to_select": Count(1) | Range(0, 1, open="low") | None}

    def __init__(
        self,
        estimator: Estimator,
        *,
        n_features_to_select: float | None = None,
        step: float = 1,
        verbose: int = 0,
        importance_getter: str | Callable[..., Any] = "auto",
    ):
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.step = step
        self.verbose = verbose
        self.importance_getter = importance_getter

    @all_or_nothing
    def fit(
        self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None, **params: Any
    ) -> Self:
        """Drop columns round by round, then fit the estimator to those that are left.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars, pyarrow frame, (n, d)
        y : (n,) the classes or the numbers to predict
        sample_weight : (n,) what each row counts; None counts each once
        params : further arguments of the estimator's ``fit``
        """
        self._check_parameters()
        routed = self._routed(sample_weight, params)
        fits = self._fits(X, y, sample_weight, routed)
        self._keep(self._eliminate(fits, self._wanted(fits.d)))
        return self

    def _wanted(self, d: int) -> int:
        wanted = self.n_features_to_select
        if wanted is None:
            return max(1, d // 2)
        if not isinstance(wanted, Integral):
            return max(1, int(d * wanted))
        if wanted > d:
            warn_user(
                f"{type(self).__name__}: Found n_features_to_select={wanted} > n_features={d}. There will be no "
                "feature selection and all features will be kept.",
                UserWarning,
            )
        return int(wanted)
