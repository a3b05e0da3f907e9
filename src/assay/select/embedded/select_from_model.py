"""Columns whose weights or importances in a fitted model reach a threshold."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy, deepcopy
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import _estimator_has, check_is_fitted, check_scalar

from assay.core import Card
from assay.core.available import available_if
from assay.core.fitting import all_or_nothing
from assay.core.parameters import Any_, Count, Flag, Function
from assay.core.stored import Integer
from assay.errors import ParameterError
from assay.select.embedded.column_importances import column_importances, inside_preparation
from assay.select.embedded.model_selector import ModelSelector
from assay.types import Estimator, TableLike, Target, Weights

__all__ = ["SelectFromModel"]

NEARLY_ZERO = 1e-5  # the default threshold of weights that a lasso penalty sets to zero


class SelectFromModel(ModelSelector):
    """Keep the columns whose weights, or importances, in one fitted model are at least a threshold.

    The size of a column is the norm of its weights over all outputs; of a nominal column, over its indicators as
    well. Weights depend on the units of their columns: scale these first. The threshold can be changed after fitting.

    Cost: fit that of the learner; transform O(1) a kept column; memory O(d) and that of the learner.

    Parameters
    ----------
    estimator : a learner with ``coef_`` or ``feature_importances_`` after fit
    threshold : str, float or None, default None
        "mean" or "median" of the sizes, also with a factor ("1.25*mean"), or a number. None is 1e-5 for learners with a
        lasso penalty and "mean" for others.
    prefit : bool, default False
        Whether the estimator is fitted already, and is not to be fitted here.
    norm_order : non-zero int, inf, -inf, default 1
        Of the norm.
    max_features : int, function of X or None, default None
        The most columns that are kept; the largest, the first of equals.
    importance_getter : str or function, default "auto"
        Where the importances are: "auto", an attribute such as ``"named_steps.svc.coef_"``, or a function of the fitted
        estimator.

    Attributes
    ----------
    estimator_ : the fitted estimator      threshold_ : float
    max_features_ : int, if ``max_features`` is not None

    Examples
    --------
    >>> from assay.linear import LogisticRegression
    >>> from assay.select import SelectFromModel
    >>> X = [[0.87, -1.34, 0.31], [-2.79, -0.02, -0.85], [-1.34, -0.48, -2.55], [1.92, 1.48, 0.65]]
    >>> selector = SelectFromModel(LogisticRegression()).fit(X, [0, 1, 0, 1])
    >>> round(selector.threshold_, 3), selector.get_support()
    (0.552, array([False,  True, False]))

    See Also
    --------
    RFE, RFECV

    References
    ----------
    - Guyon, I. and Elisseeff, A. (2003). An introduction to variable and feature selection. Journal of Machine Learning
      Research 3, 1157-1182.
    """

    card = Card("select from model", "keeps columns with large weights in a model", wraps=True)
    accepts = {
        **ModelSelector.accepts,
        "threshold": Any_(
            "a number, a word or None",
            lambda v: v is None or isinstance(v, str) or (isinstance(v, Real) and v == v),
        ),
        "prefit": Flag(),
        "norm_order": Any_(
            "a whole number other than 0, inf or -inf",
            lambda v: isinstance(v, Real) and v != 0 and (isinstance(v, Integral) or np.isinf(v)),
        ),
        "max_features": Count(0) | Function() | None,
    }
    stored = {"max_features_": Integer(low=0)}
    estimator_: Any
    max_features_: int

    def __init__(
        self,
        estimator: Estimator,
        *,
        threshold: float | str | None = None,
        prefit: bool = False,
        norm_order: float = 1,
        max_features: float | str | None = None,
        importance_getter: str | Callable[..., Any] = "auto",
    ):
        self.estimator = estimator
        self.threshold = threshold
        self.prefit = prefit
        self.norm_order = norm_order
        self.max_features = max_features
        self.importance_getter = importance_getter

    def _routes(self) -> dict[str, str]:
        return {"fit": "fit", "partial_fit": "partial_fit"}

    @all_or_nothing
    def fit(
        self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None, **params: Any
    ) -> Self:
        """Fit the estimator, unless it is fitted already.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars, pyarrow frame, (n, d)
        y : (n,) the classes or the numbers to predict
        sample_weight : (n,) what each row counts; None counts each once
        params : further arguments of the estimator's ``fit``
        """
        self._check_parameters()
        self._limit(X)
        if self.prefit:
            self._refuse_unfitted()
            self._admit(X, fitting=True)
            self.estimator_ = deepcopy(self.estimator)
            return self
        routed = self._routed(sample_weight, params)
        fits = self._fits(X, y, sample_weight, routed)
        self.estimator_ = fits.fit(np.arange(fits.d))
        return self

    @available_if(_estimator_has("partial_fit"))
    def partial_fit(self, X: TableLike, y: Target | None = None, **params: Any) -> Self:
        """Let the estimator learn from further rows.

        Parameters
        ----------
        X, y : rows and targets      params : further arguments of the estimator's ``partial_fit``
        """
        first = "estimator_" not in vars(self)
        if first:
            self._check_parameters()
            self._limit(X)
            if self.prefit:
                self._refuse_unfitted()
            values = self._admit(X, fitting=True)
            self.estimator_ = deepcopy(self.estimator) if self.prefit else clone(self.estimator)
        else:
            values = self._admit(X)
        if not self.prefit:
            self.estimator_.partial_fit(values, y, **params)
        return self

    def _limit(self, X: Any) -> None:
        self.__dict__.pop("max_features_", None)
        if self.max_features is not None:
            most = self.max_features(X) if callable(self.max_features) else self.max_features
            check_scalar(most, "max_features", Integral, min_val=0)
            self.max_features_ = int(most)

    def _refuse_unfitted(self) -> None:
        try:
            check_is_fitted(self.estimator)
        except NotFittedError as error:
            raise NotFittedError(
                "When `prefit=True`, `estimator` is expected to be a fitted estimator."
            ) from error

    def transform(self, X: TableLike) -> Any:
        """The kept columns of X, as they are; with ``prefit`` also before ``fit``."""
        self._ready()
        if "estimator_" in vars(self):
            return super().transform(X)
        ready = copy(self)
        ready._admit(X, fitting=True)
        ready.estimator_ = self.estimator
        return ready.transform(X)

    # ------------------------------------------------------------------ what is kept

    def _ready(self) -> None:
        if self.prefit and "estimator_" not in vars(self):
            self._refuse_unfitted()
            if callable(self.max_features):
                raise NotFittedError(
                    "When `prefit=True` and `max_features` is a callable, call `fit` before calling `transform`."
                )
        else:
            super()._ready()

    def _sizes(self) -> np.ndarray:
        model = vars(self).get("estimator_", self.estimator)
        return column_importances(model, self.importance_getter, self.norm_order, type(self).__name__)

    @property
    def threshold_(self) -> float:
        """The threshold as a number."""
        return self._threshold(self._sizes())

    def _threshold(self, sizes: np.ndarray) -> float:
        threshold = self.threshold
        if threshold is None:
            threshold = (
                NEARLY_ZERO if _has_lasso_penalty(vars(self).get("estimator_", self.estimator)) else "mean"
            )
        if not isinstance(threshold, str):
            return float(threshold)
        factor, star, reference = threshold.rpartition("*")
        reference = reference.strip()
        if reference not in ("mean", "median"):
            raise ParameterError(
                f"Expected threshold='mean' or threshold='median', with a factor '1.25*mean', or a number, got "
                f"{threshold!r}.",
                who=type(self).__name__,
            )
        try:
            times = float(factor) if star else 1.0
        except ValueError:
            raise ParameterError(
                f"the factor of threshold={threshold!r} is no number: write '1.25*mean'.",
                who=type(self).__name__,
            ) from None
        return times * float(np.mean(sizes) if reference == "mean" else np.median(sizes))

    def _support(self) -> np.ndarray:
        most = vars(self).get("max_features_", self.max_features)
        if most is not None and not isinstance(most, Integral):
            raise ParameterError(
                f"`max_features` must be an integer. Got `max_features={most}` instead.",
                who=type(self).__name__,
            )
        sizes = self._sizes()
        mask = sizes >= self._threshold(sizes)
        if most is not None:
            mask[np.argsort(-sizes, kind="stable")[most:]] = False
        return mask

    _get_support_mask = _support  # as scikit-learn calls it

    def _why(self, j: int) -> str:
        sizes = self._sizes()
        threshold = self._threshold(sizes)
        if sizes[j] < threshold:
            return f"size {sizes[j]:.4g}, below the threshold {threshold:.4g}"
        place = int(np.sum(sizes > sizes[j]) + np.sum(sizes[:j] == sizes[j])) + 1
        return f"size {sizes[j]:.4g}, at least the threshold {threshold:.4g}, place {place} of {len(sizes)}"


def _has_lasso_penalty(model: Any) -> bool:
    """Whether a learner's penalty sets weights to zero."""
    model = inside_preparation(model)
    name = type(model).__name__
    if getattr(model, "penalty", None) == "l1" or "Lasso" in name:
        return True
    ratio = getattr(model, "l1_ratio_" if name.endswith("CV") else "l1_ratio", None)
    known = ("ElasticNet", "ElasticNetCV", "LogisticRegression", "LogisticRegressionCV")
    return name in known and ratio is not None and bool(np.all(np.isclose(np.asarray(ratio, float), 1.0)))
