"""Conformal prediction of numbers: intervals that contain the truth as often as promised, around any regressor."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from assay.core import Card, Regressor
from assay.core.available import available_if
from assay.core.explanation import Explanation, Section
from assay.core.explanations import Explanations
from assay.core.fitting import all_or_nothing
from assay.core.learner import has_distribution
from assay.core.meta_estimator import MetaEstimator, Routed, takes_tables
from assay.core.model_view import Part
from assay.core.parameters import Any_, Choice, Flag, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, Object, Scalar, Text
from assay.core.targets import check_weights, numeric_target, row_counts
from assay.decide.conformal_distributions import LeftOutSample, ResidualSample, plus_ends
from assay.decide.conformity import conformal_quantile, rows_needed, upper_rank
from assay.decide.left_out import (
    Bags,
    Folds,
    Leverages,
    Neighbours,
    is_bagged,
    left_out_at_once,
    left_out_of_bags,
    without_refitting,
)
from assay.decide.reasoning import inner_reasoning
from assay.errors import DataError, DegenerateWarning, ParameterError, warn_user
from assay.stats.distributions.predictive.predictive import block_rows, check_coverage
from assay.tables import RowNames
from assay.tables.rows import row_count, take_rows
from assay.types import Estimator, Floats, RandomState, Splitter, TableLike, Target, Weights

__all__ = ["ConformalRegressor"]

METHODS = (
    "auto",
    "analytic",
    "split",
    "normalized",
    "quantile",
    "cv+",
    "jackknife+",
    "jackknife+-after-bootstrap",
)
GUARANTEES = {
    "analytic": "as good as the learner's own model of its noise",
    "split": "at least the coverage, on average over new rows that are exchangeable with the calibration rows",
    "normalized": "at least the coverage, on average over new rows that are exchangeable with the calibration rows",
    "quantile": "at least the coverage, on average over new rows that are exchangeable with the calibration rows",
    "cv+": "at least 1 - 2 (1 - coverage) for exchangeable rows; about the coverage in practice",
    "jackknife+": "at least 1 - 2 (1 - coverage) for exchangeable rows; about the coverage in practice",
    "jackknife+-after-bootstrap": "about the coverage for exchangeable rows in practice",
}
HELD = 0.3  # share of the rows that are calibrated on
FOLDS = 10
SPREAD_FOLDS = 5  # for the residuals that a learner of their size learns from
LEAST_SPREAD = 0.05  # of the mean of the spreads; a smaller one would make an interval of no width
MAX_LEFT_OUT = 5000  # rows up to which "auto" compares each new row with every other
ROWS_TO_SPLIT = 2000  # rows from which "auto" sets some aside rather than fitting ten times


class ConformalRegressor(MetaEstimator, Regressor):
    r"""Give intervals that miss the number of a new row in a share 1 - coverage of cases at most, whatever the learner.

    With the residuals of n rows that the learner did not learn from, split conformal takes the
    :math:`\lceil(n+1)c\rceil`-th smallest :math:`q` of :math:`|y_i-\hat\mu(x_i)|` and answers

    .. math:: \hat\mu(x) \pm q                                                                    \quad (1)

    If new rows and these are exchangeable, the truth lies inside with probability c at least. That holds on average
    over all rows, not for each kind of row: where the noise grows with x, (1) is too wide here and too narrow there.
    "normalized" divides the residuals by a prediction of their size :math:`s(x)`, "quantile" (conformalised quantile
    regression) moves the ends of predicted quantiles by the quantile of
    :math:`\max(\hat q_{lo}(x_i)-y_i,\,y_i-\hat q_{hi}(x_i))`: both adapt the width to the row.

    CV+ and the jackknife+ use every row: with the model :math:`\hat\mu_{-i}` without row i (or its fold) and its
    residual :math:`R_i` of that row,

    .. math:: \left[\;q^-\{\hat\mu_{-i}(x)-|R_i|\},\;\; q^+\{\hat\mu_{-i}(x)+|R_i|\}\;\right]      \quad (2)

    with :math:`q^+` the :math:`\lceil(n+1)c\rceil`-th smallest and :math:`q^-` the
    :math:`\lfloor(n+1)(1-c)\rfloor`-th. Least squares, ridge and nearest neighbours need one fit for that; bagged trees
    as well ("jackknife+-after-bootstrap": the mean of the members without the row).

    Cost: fit once ("analytic", "split", "jackknife+" where it needs no refit, "jackknife+-after-bootstrap"), twice to
    seven times ("normalized"), three times ("quantile"), folds + 1 times ("cv+"), n + 1 times ("jackknife+" otherwise);
    predict that of the learner, and O(n) a row for (2); memory O(n).

    Parameters
    ----------
    estimator : regressor, default None is LinearRegression
    method : "auto", "analytic", "split", "normalized", "quantile", "cv+", "jackknife+" or "jackknife+-after-bootstrap"
        "auto" takes "quantile" for a learner of quantiles; up to 5,000 rows "jackknife+" where it needs no refit and
        "jackknife+-after-bootstrap" for bagged learners; else "cv+" below 2,000 rows and "split" from there. What it
        took, and why, is in ``method_`` and ``reason_``. "analytic" is the learner's own ``predict_interval``.
    coverage : float, default 0.9
    cv : None, float, int, splitter, splits or "prefit", default None
        A share: the rows that are calibrated on by "split", "normalized" and "quantile" (None: 0.3). A whole number,
        a splitter or splits: the folds of "cv+" (None: 10). "prefit": the estimator came fitted, and all rows given are
        calibrated on. If ``fit`` is given ``groups``, the rows of a group stay together.
    spread : regressor or None, default None
        For "normalized": what predicts the absolute residual. None takes the standard deviation of the learner's
        predictive distribution, or a clone of the estimator where it has none.
    time_order : bool, default False
        Whether to calibrate on the last rows instead of rows drawn at random.
    random_state : int, RandomState or None, default None
        The seed of the splits.

    Attributes
    ----------
    estimator_ : the fitted regressor that predicts
    method_ : str, what was done      reason_ : str, why      guarantee_ : str, what can be promised
    residuals_ : (m,) of the calibration rows: y less the prediction of a model that did not see the row; divided by the
        spread ("normalized"), or how far the row lies outside of its quantiles ("quantile")
    n_calibration_ : int, m

    Notes
    -----
    ``sample_weight`` is given to the learner, and counts in the quantiles: a row of weight 2 is two rows. With fewer
    than c / (1 - c) calibration rows no finite interval has the coverage c: the ends are infinite, and a
    ``DegenerateWarning`` says how many rows it takes.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.decide import ConformalRegressor
    >>> from assay.linear import LinearRegression
    >>> X = np.arange(40.0).reshape(-1, 1)
    >>> y = 2 * X[:, 0] + np.tile([-1.0, 1.0, 0.0, 0.0], 10)
    >>> model = ConformalRegressor(LinearRegression(), coverage=0.9).fit(X, y)
    >>> model.method_
    'jackknife+'
    >>> model.predict([[100.0]]).round(1), model.predict_interval([[100.0]]).round(1)
    (array([200.2]), array([[198.9, 201.5]]))

    See Also
    --------
    ConformalClassifier, interval_calibration

    References
    ----------
    - Vovk, V., Gammerman, A. and Shafer, G. (2005). Algorithmic Learning in a Random World. Springer.
    - Lei, J., G'Sell, M., Rinaldo, A., Tibshirani, R. J. and Wasserman, L. (2018). Distribution-Free Predictive
      Inference for Regression. Journal of the American Statistical Association 113, 1094-1111.
    - Romano, Y., Patterson, E. and Candes, E. (2019). Conformalized Quantile Regression. NeurIPS 32.
    - Barber, R. F., Candes, E. J., Ramdas, A. and Tibshirani, R. J. (2021). Predictive inference with the jackknife+.
      Annals of Statistics 49, 486-507.
    - Kim, B., Xu, C. and Barber, R. F. (2020). Predictive inference is free with the jackknife+-after-bootstrap.
      NeurIPS 33.
    """

    _task = "regressor"
    card = Card(
        "prediction intervals",
        "intervals that miss the number at most as often as asked, around any regressor",
        also=("conformal regression",),
        wraps=True,
        settings={"random_state": 0},
    )
    accepts = {
        "estimator": Any_("a regressor, or None"),
        "method": Choice(*METHODS),
        "coverage": Range(0, 1, open="both"),
        "cv": Any_(),
        "spread": Any_("a regressor, or None"),
        "time_order": Flag(),
        "random_state": Seed(),
    }
    stored = {
        "method_": Text(*METHODS[1:]),
        "reason_": Text(),
        "residuals_": FloatArray("m", finite=True),
        "calibration_weight_": FloatArray("m", low=0, finite=True) | None,
        "left_out_": Object(Folds, Leverages, Neighbours, Bags),
        "band_": Each(Object(BaseEstimator), 2),
        "spread_": Object(BaseEstimator),
        "least_spread_": Scalar(low=0, finite=True),
    }

    left_out_: Any

    def __init__(
        self,
        estimator: Estimator | None = None,
        method: str = "auto",
        *,
        coverage: float = 0.9,
        cv: Splitter | float | str = None,
        spread: Estimator | None = None,
        time_order: bool = False,
        random_state: RandomState = None,
    ):
        self.estimator = estimator
        self.method = method
        self.coverage = coverage
        self.cv = cv
        self.spread = spread
        self.time_order = time_order
        self.random_state = random_state

    def _default_estimator(self) -> Any:
        from assay.linear import LinearRegression

        return LinearRegression()

    def _template(self) -> Any:
        template = super()._template()
        if _is_of_quantiles(template) and template.get_params(deep=False).get("quantile", 0.5) is None:
            return clone(template).set_params(quantile=0.5)
        return template

    # ------------------------------------------------------------------ fitting

    @all_or_nothing
    def fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None, **fit_params: Any) -> Self:
        """Fit the learner, and calibrate on rows that it did not learn from.

        Parameters
        ----------
        X : table of any kind that the learner takes, (n, d)
        y : (n,) numbers
        sample_weight : (n,) what each row counts, for the learner and for the quantiles
        fit_params : ``groups``, whose rows stay together in the splits; all else is for the learner's fit. With
            scikit-learn's metadata routing switched on, each gets what it has requested.
        """
        self._check_parameters()
        who = type(self).__name__
        prefit = isinstance(self.cv, str)
        if prefit and self.cv != "prefit":
            raise ParameterError(
                f"{who}: cv must be a share, folds, a splitter or 'prefit', got {self.cv!r}."
            )
        for name in ("left_out_", "band_", "spread_", "least_spread_", "estimator_"):
            self.__dict__.pop(name, None)
        if prefit:
            self.estimator_ = self._fitted_estimator()
            for name in ("n_features_in_", "feature_names_in_", "schema_"):
                if hasattr(self.estimator_, name):
                    setattr(self, name, getattr(self.estimator_, name))
            values = self._read(X) if takes_tables(self.estimator_) else X
        else:
            values = self._admit(X, fitting=True)
        n = row_count(values, who)
        target = numeric_target(y, n, who)
        if target.ndim > 1:
            raise DataError(
                f"{who}: y should be a 1d array, got {target.shape[1]} columns; fit one model for each."
            )
        w = None if sample_weight is None else check_weights(sample_weight, np.empty((n, 1)), who)
        routed = self._routed(sample_weight, fit_params)
        self.method_, self.reason_ = self._choose_method(n, routed.split.get("groups") is not None)
        self._calibrate(X, values, target, w, routed)
        self._warn_if_infinite(self.coverage)
        return self

    def _choose_method(self, n: int, grouped: bool) -> tuple[str, str]:
        """What is done, and why."""
        template = self._template()
        if self.method != "auto":
            if self.cv == "prefit" and self.method not in ("split", "analytic", "normalized"):
                raise ParameterError(
                    f"ConformalRegressor: cv='prefit' goes with method='split', 'normalized' or 'analytic', not "
                    f"{self.method!r}, which fits the learner itself."
                )
            if self.time_order and self.method not in ("split", "normalized", "quantile"):
                raise ParameterError(
                    "ConformalRegressor: time_order=True goes with method='split', 'normalized' or 'quantile', not "
                    f"{self.method!r}."
                )
            return self.method, "asked for"
        if isinstance(self.cv, str):
            return "split", "the learner came fitted, so all rows are calibrated on"
        if self.time_order:
            return "split", "rows in the order of time: the last ones are calibrated on"
        if _quantile_settings(template, 0.5) is not None and _is_of_quantiles(template):
            return "quantile", f"{type(template).__name__} predicts quantiles"
        if isinstance(self.cv, float):
            return "split", "cv is a share of the rows"
        if self.cv is None and not grouped and n <= MAX_LEFT_OUT:
            if without_refitting(template):
                return (
                    "jackknife+",
                    f"{type(template).__name__} leaves out each of {n} rows without a further fit",
                )
            if is_bagged(template):
                return (
                    "jackknife+-after-bootstrap",
                    "the members without a row answer for it, without a further fit",
                )
        if self.cv is None and n >= ROWS_TO_SPLIT:
            return "split", f"{n} rows are enough to set some aside"
        return "cv+", f"{n} rows are too few to set some aside" if self.cv is None else "cv gives folds"

    def _calibrate(self, X: Any, values: Any, y: np.ndarray, w: np.ndarray | None, routed: Routed) -> None:
        """Fit what the method needs, and keep the residuals of rows that were not learned from."""
        method, rows = self.method_, np.arange(len(y))
        if method == "analytic":
            self._fit_all(values, y, w, routed)
            self._refuse_without_interval()
            residuals = np.zeros(0)
        elif method in ("split", "normalized", "quantile"):
            train, rows = self._split(X, y, routed)
            if not isinstance(self.cv, str):
                self.estimator_ = self._fit_part(values, y, w, routed, train)
            held = take_rows(values, rows)
            if method == "quantile":
                self._fit_band(values, y, w, routed, train)
                low, high = self._band(held)
                residuals = np.maximum(low - y[rows], y[rows] - high)
            else:
                residuals = y[rows] - _predicted(self.estimator_, held)
                if method == "normalized":
                    self._fit_spread(values, y, w, routed, train)
                    residuals = residuals / self._scale(held)
        elif method == "jackknife+-after-bootstrap":
            if not is_bagged(self._template()):
                raise ParameterError(
                    f"ConformalRegressor: 'jackknife+-after-bootstrap' needs a forest or BaggingRegressor with "
                    f"bootstrap=True, got {self._template()!r}. Use method='cv+'."
                )
            self._fit_all(values, y, w, routed)
            self.left_out_, residuals = left_out_of_bags(self.estimator_, values, y)
            rows = self.left_out_.rows
        else:
            self._fit_all(values, y, w, routed)
            residuals = self._leave_out(X, values, y, w, routed)
        self.residuals_ = residuals
        self.calibration_weight_ = None if w is None else row_counts(w)[rows]
        if not np.isfinite(residuals).all():
            raise DataError(
                f"ConformalRegressor: {type(self.estimator_).__name__} predicts numbers that are not finite, so "
                "there is nothing to calibrate by."
            )

    def _fit_all(self, values: Any, y: np.ndarray, w: np.ndarray | None, routed: Routed) -> None:
        if not isinstance(self.cv, str):
            self.estimator_ = self._fit_part(values, y, w, routed)

    def _leave_out(
        self, X: Any, values: Any, y: np.ndarray, w: np.ndarray | None, routed: Routed
    ) -> np.ndarray:
        """The residuals of rows by models without them, which are kept for (2)."""
        jackknife, groups = self.method_ == "jackknife+", routed.split.get("groups")
        if jackknife and groups is None and without_refitting(self._template()) and not routed.fit:
            at_once = left_out_at_once(self.estimator_, values, y, w)
            if at_once is not None:
                self.left_out_, residuals = at_once
                return residuals
        pairs = self._folds(X, y, routed, jackknife)
        models = self._each(lambda pair: self._fit_part(values, y, w, routed, pair[0]), pairs, None)
        fold, residuals = np.full(len(y), -1), np.empty(len(y))
        for k, (model, (_, test)) in enumerate(zip(models, pairs)):
            fold[test] = k
            residuals[test] = y[test] - _predicted(model, take_rows(values, test))
        if (fold < 0).any():
            raise DataError(
                f"ConformalRegressor: cv leaves {int((fold < 0).sum())} rows out of all test folds. Each row must be "
                "left out once: use a splitter such as KFold, or method='split' with a share of rows."
            )
        self.left_out_ = Folds(models, fold)
        return residuals

    def _folds(self, X: Any, y: np.ndarray, routed: Routed, jackknife: bool) -> list[tuple[Any, Any]]:
        from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut, check_cv

        n, groups = len(y), routed.split.get("groups")
        cv: Any = self.cv
        if jackknife:
            cv = n if groups is None else LeaveOneGroupOut()
        elif cv is None or isinstance(cv, int):
            most = n if groups is None else len(np.unique(np.asarray(groups)))
            cv = min(FOLDS, most) if cv is None else cv
            if cv > most or most < 2:
                raise DataError(
                    f"ConformalRegressor: {cv} folds need as many {'rows' if groups is None else 'groups'}, there are "
                    f"{most}."
                )
            if groups is not None:
                cv = GroupKFold(cv)
        elif isinstance(cv, float):
            raise ParameterError(
                f"ConformalRegressor: cv={cv} is a share of rows for method='split'; for 'cv+' give a number of folds."
            )
        if isinstance(cv, int):
            if n < 2:
                raise DataError(
                    f"ConformalRegressor: to learn and to calibrate takes 2 rows at least, got {n} sample."
                )
            cv = KFold(cv, shuffle=not jackknife, random_state=None if jackknife else self._seed())
        is_table = not isinstance(X, (list, tuple, dict))
        pairs = check_cv(cv).split(X if is_table else np.zeros((n, 1)), y, **routed.split)
        return [(np.asarray(train), np.asarray(test)) for train, test in pairs]

    def _seed(self) -> int:
        return int(random_state_of(self.random_state).randint(2**31 - 1))

    def _split(self, X: Any, y: np.ndarray, routed: Routed) -> tuple[np.ndarray, np.ndarray]:
        """The rows to learn from, and those to calibrate on."""
        n, share, groups = len(y), self.cv, routed.split.get("groups")
        if isinstance(share, str):
            return np.zeros(0, np.int64), np.arange(n)
        if n < 2:
            raise DataError(
                f"ConformalRegressor: to learn and to calibrate takes 2 rows at least, got {n} sample."
            )
        if share is not None and not isinstance(share, float):
            from sklearn.model_selection import check_cv

            pairs = list(check_cv(share).split(X, y, **routed.split))
            if len(pairs) != 1:
                raise ParameterError(
                    f"ConformalRegressor: method={self.method_!r} takes one split, cv gives {len(pairs)}. Give a share "
                    "of the rows, or use method='cv+'."
                )
            return np.asarray(pairs[0][0]), np.asarray(pairs[0][1])
        share = HELD if share is None else share
        if not 0 < share < 1:
            raise ParameterError(
                f"ConformalRegressor: cv as a share must be above 0 and below 1, got {share}."
            )
        if self.time_order:
            held = min(max(1, round(share * n)), n - 1)
            return np.arange(n - held), np.arange(n - held, n)
        random = np.random.RandomState(self._seed())
        if groups is None:
            order = random.permutation(n)
            held = min(max(1, round(share * n)), n - 1)
            return np.sort(order[held:]), np.sort(order[:held])
        names, codes = np.unique(np.asarray(groups), return_inverse=True)
        if len(names) < 2:
            raise DataError("ConformalRegressor: all rows are of one group, so none can be set aside.")
        order = random.permutation(len(names))
        held = min(max(1, round(share * len(names))), len(names) - 1)
        aside = np.isin(codes, order[:held])
        return np.flatnonzero(~aside), np.flatnonzero(aside)

    def _fitted_estimator(self) -> Any:
        """The regressor that came fitted."""
        model = self._template()
        try:
            check_is_fitted(model)
        except NotFittedError:
            raise NotFittedError(
                f"ConformalRegressor: cv='prefit' needs a fitted regressor, {type(model).__name__} is not."
            ) from None
        return model

    def _refuse_without_interval(self) -> None:
        model = self.estimator_
        if not (hasattr(model, "predict_interval") or hasattr(model, "predict_distribution")):
            raise ParameterError(
                f"ConformalRegressor: {type(model).__name__} has no intervals of its own, so method='analytic' has "
                "nothing to give. Use method='auto'."
            )

    # ------------------------------------------------------------------ widths that differ from row to row

    def _fit_band(self, values: Any, y: np.ndarray, w: np.ndarray | None, routed: Routed, train: Any) -> None:
        """The learners of the lower and the upper quantile; none if the estimator gives distributions."""
        template, tail = self._template(), (1 - self.coverage) / 2
        settings = [_quantile_settings(template, p) for p in (tail, 1 - tail)]
        if settings[0] is None:
            if hasattr(self.estimator_, "predict_distribution"):
                return
            raise ParameterError(
                f"ConformalRegressor: method='quantile' needs a learner of quantiles, {type(template).__name__} is "
                "none. Use QuantileRegressor, HistGradientBoostingRegressor or GradientBoostingRegressor, a forest "
                "with keep_targets=True, or method='normalized'."
            )
        outer = copy(self)
        self.band_ = []
        for setting in settings:
            outer.estimator = clone(template).set_params(**(setting or {}))
            self.band_.append(outer._fit_part(values, y, w, routed, train))

    def _band(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """The predicted quantiles, the lower one first."""
        if "band_" in vars(self):
            low, high = (_predicted(model, X) for model in self.band_)
        else:
            low, high = self.estimator_.predict_distribution(X).interval(self.coverage)
        return np.minimum(low, high), np.maximum(low, high)  # two fits may cross

    def _fit_spread(
        self, values: Any, y: np.ndarray, w: np.ndarray | None, routed: Routed, train: Any
    ) -> None:
        """The learner of the absolute residual, from residuals of rows that were left out."""
        if self.spread is None and hasattr(self.estimator_, "predict_distribution"):
            rows = train if len(train) else np.arange(len(y))
            sd = self.estimator_.predict_distribution(take_rows(values, rows)).sd
        elif isinstance(self.cv, str):
            raise ParameterError(
                f"ConformalRegressor: method='normalized' of a fitted learner needs one with predict_distribution, "
                f"{type(self.estimator_).__name__} has none. Use method='split'."
            )
        else:
            from sklearn.model_selection import KFold

            if len(train) < SPREAD_FOLDS:
                raise DataError(
                    f"ConformalRegressor: method='normalized' needs {SPREAD_FOLDS} rows to learn from, got "
                    f"{len(train)}."
                )
            size = np.empty(len(train))
            for inner, outer in KFold(SPREAD_FOLDS, shuffle=True, random_state=self._seed()).split(train):
                model = self._fit_part(values, y, w, routed, train[inner])
                part = train[outer]
                size[outer] = np.abs(y[part] - _predicted(model, take_rows(values, part)))
            other = copy(self)
            other.estimator = self._template() if self.spread is None else self.spread
            absolute = np.zeros(len(y))
            absolute[train] = size
            self.spread_ = other._fit_part(values, absolute, w, routed, train)
            sd = _predicted(self.spread_, take_rows(values, train))
        positive = np.maximum(sd[np.isfinite(sd)], 0.0)
        self.least_spread_ = LEAST_SPREAD * float(positive.mean()) if positive.any() else 1.0

    def _scale(self, X: Any) -> np.ndarray:
        """(n,) the predicted size of the residuals."""
        if "spread_" in vars(self):
            size = _predicted(self.spread_, X)
        else:
            size = self.estimator_.predict_distribution(X).sd
        scale: Floats = np.maximum(size, self.least_spread_)
        return scale

    # ------------------------------------------------------------------ answers

    @property
    def n_calibration_(self) -> int:
        """How many rows the intervals are calibrated on."""
        self._ready()
        return len(self.residuals_)

    @property
    def guarantee_(self) -> str:
        """What can be promised of the intervals."""
        self._ready()
        return GUARANTEES[self.method_]

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the prediction of the learner."""
        values = self._admit(X)
        return _predicted(self.estimator_, values)

    def predict_interval(self, X: TableLike, coverage: float | None = None) -> np.ndarray:
        """(n, 2) an interval for each row's number, low and high.

        Parameters
        ----------
        X : rows
        coverage : the share of rows whose number is to lie inside; None takes that of the constructor
        """
        level = self.coverage if coverage is None else check_coverage(coverage, type(self).__name__)
        values = self._admit(X)
        if coverage is not None and coverage != self.coverage:
            self._warn_if_infinite(level)
        return self._ends(values, level)

    def _ends(self, X: Any, coverage: float) -> np.ndarray:
        if self.method_ == "analytic":
            model = self.estimator_
            if hasattr(model, "predict_interval"):
                return np.asarray(model.predict_interval(X, coverage=coverage), dtype=np.float64)
            return np.column_stack(model.predict_distribution(X).interval(coverage))
        if "left_out_" in vars(self):
            n = row_count(X, type(self).__name__)
            parts = []
            for rows in block_rows(n, self.n_calibration_):
                some = X if rows == slice(0, n) else take_rows(X, np.arange(rows.start, rows.stop))
                left_out = self.left_out_.predictions(self.estimator_, some)
                parts.append(plus_ends(left_out, np.abs(self.residuals_), coverage, self.calibration_weight_))
            return np.concatenate(parts) if parts else np.empty((0, 2))
        if self.method_ == "quantile":
            low, high = self._band(X)
            reach = conformal_quantile(self.residuals_, coverage, self.calibration_weight_)
            middle = (low + high) / 2  # a band that shrinks beyond nothing is a point
            return np.column_stack([np.minimum(low - reach, middle), np.maximum(high + reach, middle)])
        reach = conformal_quantile(np.abs(self.residuals_), coverage, self.calibration_weight_)
        center = _predicted(self.estimator_, X)
        half = reach * self._scale(X) if self.method_ == "normalized" else reach
        return np.column_stack([center - half, center + half])  # (1)

    @available_if(has_distribution)
    def predict_distribution(self, X: TableLike) -> Any:
        """The predictive distribution of each row: its prediction with the signed residuals of the calibration rows.

        By CV+ and the jackknife+ these are :math:`\\hat\\mu_{-i}(x) + R_i`; "analytic" gives the learner's own. Its
        ``interval`` is that of ``predict_interval``, its ``quantile`` that of the sample.
        """
        return self._distribution(self._admit(X))

    def _no_distribution(self) -> str:
        method = vars(self).get("method_", self.method)
        if method == "quantile":
            return "two quantiles make an interval and no distribution. Use method='normalized' or 'split'."
        fitted = vars(self).get("estimator_")
        if method == "analytic" and fitted is not None and not hasattr(fitted, "predict_distribution"):
            return f"{type(fitted).__name__} has no predictive distribution."
        return ""

    def _distribution(self, X: Any) -> Any:
        if self.method_ == "analytic":
            return self.estimator_.predict_distribution(X)
        w = self.calibration_weight_
        if "left_out_" in vars(self):
            return LeftOutSample(self.left_out_.predictions(self.estimator_, X), self.residuals_, w)
        scale: Any = self._scale(X) if self.method_ == "normalized" else 1.0
        return ResidualSample(_predicted(self.estimator_, X), self.residuals_, scale, w)

    def explain(self, X: TableLike) -> Explanation | Explanations:
        """The wrapped regressor's reasoning, then the interval; Explanations for several rows."""
        return replace(copy(self)._explain_table(X), names=RowNames.of(X)).one_or_all()

    def _explain_table(self, X: Any) -> Explanations:
        values = self._admit(X)
        ends, answers = self._ends(values, self.coverage), _predicted(self.estimator_, values)
        heads = ["coverage", "low", "high", "method"]
        note = f"{self.guarantee_[0].upper()}{self.guarantee_[1:]}."

        def interval(i: int) -> list[Section]:
            line = [self.coverage, float(ends[i, 0]), float(ends[i, 1]), self.method_]
            return [Section("Prediction interval", heads, [line], note)]

        inner = inner_reasoning(self.estimator_, values, len(answers))
        return inner.then(type(self).__name__, interval, answers=answers.tolist())

    def _model_parts(self) -> list[Part]:
        lines: list[list[Any]] = [
            ["method", self.method_],
            ["because", self.reason_],
            ["coverage", self.coverage],
            ["promise", self.guarantee_],
        ]
        if self.method_ != "analytic":
            lines.append(["calibration rows", self.n_calibration_])
            reach = conformal_quantile(np.abs(self.residuals_), self.coverage, self.calibration_weight_)
            lines.append(["quantile of the residuals", reach])
        inner = self.estimator_
        parts = inner._model_parts() if hasattr(inner, "_model_parts") else []
        return [Section("Prediction intervals", ["", "value"], lines), *parts]

    def _model_name(self) -> str:
        return f"{type(self).__name__} of {type(self.estimator_).__name__}"

    def _warn_if_infinite(self, coverage: float) -> None:
        if self.method_ == "analytic":
            return
        w = self.calibration_weight_
        total = len(self.residuals_) if w is None else float(w.sum())
        if upper_rank(total, coverage) > total:
            warn_user(
                f"ConformalRegressor: {total:g} calibration rows are too few for coverage={coverage:g}, so the ends of "
                f"all intervals are infinite. Calibrate on {rows_needed(coverage)} rows at least, or lower the "
                "coverage.",
                DegenerateWarning,
            )


def _predicted(model: Any, X: Any) -> np.ndarray:
    return np.asarray(model.predict(X), dtype=np.float64).ravel()


def _is_of_quantiles(template: Any) -> bool:
    """Whether a learner, as it is set, predicts a quantile."""
    if not hasattr(template, "get_params"):
        return False
    parameters = template.get_params(deep=False)
    return parameters.get("loss") == "quantile" or (
        "quantile" in parameters and "loss" not in parameters and "strategy" not in parameters
    )


def _quantile_settings(template: Any, p: float) -> dict[str, Any] | None:
    """The parameters with which a learner predicts the quantile p; None if it has none."""
    if not hasattr(template, "get_params"):
        return None
    parameters = template.get_params(deep=False)
    losses = {"loss": "quantile"} if "loss" in parameters else {}
    if "quantile" in parameters:
        return {**losses, **({"strategy": "quantile"} if "strategy" in parameters else {}), "quantile": p}
    if losses and "alpha" in parameters and type(template).__name__ == "GradientBoostingRegressor":
        return {**losses, "alpha": p}
    return None
