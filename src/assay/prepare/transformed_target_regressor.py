"""A regressor of a transformed target: logarithm, power, rank, or ratio to a column, with predictions mapped back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_array, get_tags

from assay.core import Card, Regressor
from assay.core.available import available_if
from assay.core.complaints import missing_message
from assay.core.explanation import Section
from assay.core.explanations import Contributions, Explanations, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.meta_estimator import MetaEstimator, takes_tables
from assay.core.model_view import Part
from assay.core.parameters import Any_, Choice, Count, Flag, Function, Instance
from assay.core.routing import routing_enabled
from assay.core.stored import FloatArray, Integer, Object
from assay.core.targets import check_weights, plain_values
from assay.errors import DataError, ParameterError, warn_user
from assay.prepare.power_transforms import BoxCox, YeoJohnson
from assay.prepare.target_transforms import Identity, Log, Log1p, NormalScores, SquareRoot, TargetTransform
from assay.stats.distributions.predictive import Predictive, change_of_variables
from assay.tables import Table
from assay.tables.row_names import row_name
from assay.tables.rows import entries_of_rows, row_count, take_rows
from assay.types import Estimator, Splitter, TableLike, Target, Weights

TRANSFORMS: dict[str, type[TargetTransform]] = {
    "log": Log,
    "log1p": Log1p,
    "sqrt": SquareRoot,
    "box-cox": BoxCox,
    "yeo-johnson": YeoJohnson,
    "rank": NormalScores,
}
MOST_RESIDUALS = 1000  # that are kept; of more, those in the middle are averaged in groups
TAIL_RESIDUALS = 100  # of them at each end are kept one by one


def _can(*methods: str) -> Callable[[TransformedTargetRegressor], bool]:
    """A condition for ``available_if``: whether the regressor inside has one of the methods."""

    def inside(model: TransformedTargetRegressor) -> bool:
        return any(hasattr(model._asked(), method) for method in methods)

    return inside


class TransformedTargetRegressor(MetaEstimator, Regressor):
    r"""Fit a regressor to a function of the target, and map its predictions back.

    Prices, incomes and durations spread more where they are larger, and effects on them multiply. On the scale
    z = h(y) of a logarithm or a power the spread is even and effects add, which is what most regressors suppose; a rank
    tames outliers of the target; the **ratio** to a column (the price of a used car to its price when new) is what
    carries over from cheap rows to dear ones.

    The inverse of the mean of z is not the mean of y. With the prediction :math:`\hat z` and the residuals
    :math:`e_i = z_i - \hat z_i` of the training rows, Duan's smearing estimate of the mean is

    .. math:: \hat y(x) = \sum_i w_i\,h^{-1}(\hat z(x) + e_i) \Big/ \sum_i w_i,                       \quad (1)

    which supposes no distribution; for the logarithm it is exp(z) times the mean of exp(e). With normal residuals of
    variance :math:`s^2` (divisor n) it is :math:`e^{\hat z + s^2/2}` for the logarithm and a Gauss-Hermite sum for
    other functions. Without any of this the answer is the median of y where z is symmetric: too low on average.

    Cost: fit O(n), for ranks O(n log n), and that of the regressor, ``cv`` + 1 times with ``cv``; predict that of the
    regressor, and up to 1000 inverses a row for smearing by other functions than logarithms; memory O(n) to fit, and
    the regressor.

    Parameters
    ----------
    regressor : regressor, default None
        What is fitted; None is LinearRegression.
    transformer : str, transformer or None, default None
        "log" (targets above 0), "log1p" (above -1), "sqrt" (from 0), "box-cox" (above 0) and "yeo-johnson" (any), both
        with the exponent of greatest likelihood, or "rank" (the normal score of the rank); or an object with ``fit``,
        ``transform`` and ``inverse_transform`` that takes columns. None leaves the target as it is, or to ``func``.
    func, inverse_func : functions, default None
        The transformation and its inverse, as functions of an array, instead of ``transformer``.
    check_inverse : bool, default True
        Whether to warn if the one does not undo the other on some of the training targets.
    ratio_to : str or int, default None
        The column that the target is divided by before it is transformed; predictions are multiplied by that column of
        their row. Its numbers must be above 0.
    bias : "auto", "smearing", "normal" or None, default "auto"
        How the mean comes back: by (1), by the normal distribution, or not at all (the median). "auto" is smearing for
        a ``transformer`` by name, since ``predict`` answers means everywhere else and (1) supposes least; with
        functions and objects it is None, as in scikit-learn.
    cv : int, splitter, list of (train, test) or None, default None
        Folds that the residuals of (1) come from. None takes the residuals of the training rows, as Duan does; a
        learner that follows its training rows closely (trees, forests, neighbours) leaves too little there, and wants
        5.

    Attributes
    ----------
    regressor_ : the regressor, fitted to the transformed target
    transformer_ : the transformation, fitted
    residuals_, residual_shares_ : (m,) of the transformed target, sorted, and their weights, which sum to 1
        Only with a ``bias``. Of more than 1000 those in the middle are averaged in groups.

    Examples
    --------
    A price that is 90, 80, 70 per cent of the new price after one, two, three years, whatever the car:

    >>> import pandas as pd
    >>> from assay.prepare import TransformedTargetRegressor
    >>> cars = pd.DataFrame({"age": [1, 2, 3, 1, 2, 3], "new": [10e3, 10e3, 10e3, 50e3, 50e3, 50e3]})
    >>> price = [9e3, 8e3, 7e3, 45e3, 40e3, 35e3]
    >>> model = TransformedTargetRegressor(ratio_to="new").fit(cars, price)
    >>> model.predict(pd.DataFrame({"age": [4], "new": [100e3]})).round(6)
    array([60000.])

    See Also
    --------
    LinearRegression, GeneralizedLinearModel

    References
    ----------
    - Box, G. E. P. and Cox, D. R. (1964). An analysis of transformations. Journal of the Royal Statistical Society B
      26, 211-252. doi:10.1111/j.2517-6161.1964.tb00553.x
    - Duan, N. (1983). Smearing estimate: a nonparametric retransformation method. Journal of the American Statistical
      Association 78, 605-610. doi:10.1080/01621459.1983.10478017
    - Yeo, I.-K. and Johnson, R. A. (2000). A new family of power transformations to improve normality or symmetry.
      Biometrika 87, 954-959. doi:10.1093/biomet/87.4.954
    """

    card = Card(
        "transformed target", "a regressor of the logarithm, power, rank or ratio of the target", wraps=True
    )
    accepts = {
        "regressor": Instance(having="fit") | None,
        "transformer": Choice(*TRANSFORMS) | Instance(having="transform") | None,
        "func": Function() | None,
        "inverse_func": Function() | None,
        "check_inverse": Flag(),
        "ratio_to": Any_("the name or the number of a column, or None", lambda v: _is_column(v)),
        "bias": Choice("auto", "smearing", "normal") | None,
        "cv": Count(2) | Instance(having="split") | Instance(list, tuple) | None,
    }
    stored = {
        "regressor_": Object(BaseEstimator),
        "transformer_": Object(TargetTransform) | Object(BaseEstimator),
        "residuals_": FloatArray("m", finite=True),
        "residual_shares_": FloatArray("m", low=0, high=1),
        "_training_dim": Integer(low=1),
    }
    _wrapped = "regressor"
    _task = ""

    def __init__(
        self,
        regressor: Estimator | None = None,
        *,
        transformer: Estimator | None = None,
        func: Callable[..., Any] | None = None,
        inverse_func: Callable[..., Any] | None = None,
        check_inverse: bool = True,
        ratio_to: str | int | None = None,
        bias: str | None = "auto",
        cv: Splitter | None = None,
    ):
        self.regressor = regressor
        self.transformer = transformer
        self.func = func
        self.inverse_func = inverse_func
        self.check_inverse = check_inverse
        self.ratio_to = ratio_to
        self.bias = bias
        self.cv = cv

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        several = not isinstance(self.transformer, str) and self.ratio_to is None
        tags.target_tags.multi_output = several and get_tags(self._template()).target_tags.multi_output
        return tags

    def _default_estimator(self) -> Any:
        from assay.linear import LinearRegression

        model = LinearRegression()
        return model.set_fit_request(sample_weight=True) if routing_enabled() else model

    def _routes(self) -> dict[str, str]:
        return {"fit": "fit", "predict": "predict"}

    # ------------------------------------------------------------------ fit

    @all_or_nothing
    def fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None, **fit_params: Any) -> Self:
        """Fit the regressor to the transformed target.

        Parameters
        ----------
        X : table, (n, d)
        y : (n,) numbers; (n, outputs) without a named transformer, ratio or bias
        sample_weight : (n,) weights, for the regressor, the exponent and the residuals
        **fit_params : what the regressor's ``fit`` takes beyond
        """
        self._check_parameters()
        self._check_combination()
        routed = self._routed(sample_weight, fit_params)
        values = self._values(X, fitting=True)
        target = self._target(y, row_count(X, type(self).__name__))
        weights = check_weights(sample_weight, len(target), type(self).__name__)
        factor = self._factor(X, values, fitting=True)
        if factor is not None:
            target = target / factor
        self._training_dim = target.ndim
        columns = target[:, None] if target.ndim == 1 else target
        self.transformer_ = self._fitted_transformer(target, columns, weights)
        z = self.transformer_.transform(columns)
        if z.ndim == 2 and z.shape[1] == 1 and target.ndim == 1:
            z = z[:, 0]
        params = dict(routed.fit)
        if sample_weight is not None and not routed.explicit:
            params["sample_weight"] = weights if takes_tables(self._template()) else sample_weight
        self.regressor_ = clone(self._template())
        self.regressor_.fit(values, z, **params)
        self._keep_residuals(values, z, weights, params, routed.split)
        return self

    def _check_combination(self) -> None:
        if self.transformer is not None and (self.func is not None or self.inverse_func is not None):
            raise ParameterError(
                "'transformer' and functions 'func'/'inverse_func' cannot both be set. Leave one out.",
                who=type(self).__name__,
            )
        for present, lacking in (("func", "inverse_func"), ("inverse_func", "func")):
            if getattr(self, present) is not None and getattr(self, lacking) is None:
                raise ParameterError(
                    f"When '{present}' is provided, '{lacking}' must also be provided.",
                    who=type(self).__name__,
                )

    def _values(self, X: Any, fitting: bool = False) -> Any:
        """X for the regressor: the checked table for one of ours, X as it came for others, lists included."""
        values = self._admit(X, fitting)
        if (
            isinstance(values, Table)
            and not values.complete
            and not get_tags(self._asked()).input_tags.allow_nan
        ):
            raise DataError(missing_message(type(self).__name__, values, self._missing_remedy()))
        return X if isinstance(X, list) and not isinstance(values, Table) else values

    def _target(self, y: Any, n: int) -> np.ndarray:
        who = type(self).__name__
        if y is None:
            raise DataError(f"This {who} estimator requires y to be passed, but the target y is None.")
        target = check_array(
            plain_values(y), ensure_2d=False, dtype="numeric", allow_nd=True, input_name="y", estimator=who
        )
        if len(target) != n:
            raise DataError(f"X has {n} rows and y has {len(target)}.", who=who)
        if self._one_target and target.ndim > 1:
            if target.shape[1:] != (1,):
                raise DataError(
                    f"y has the shape {target.shape}; a transformer by name, ratio_to and bias are for one target. "
                    "Fit a model for each column of y.",
                    who=who,
                )
            from sklearn.utils import column_or_1d

            target = column_or_1d(target, warn=True)
        return target.astype(np.float64, copy=False) if self._one_target else target

    @property
    def _one_target(self) -> bool:
        return isinstance(self.transformer, str) or self.ratio_to is not None or self._bias is not None

    @property
    def _bias(self) -> str | None:
        if self.bias == "auto":
            return "smearing" if isinstance(self.transformer, str) else None
        return self.bias

    def _factor(self, X: Any, values: Any, fitting: bool = False) -> np.ndarray | None:
        """(n,) what the target of each row is divided by."""
        if self.ratio_to is None:
            return None
        who = type(self).__name__
        table = values if isinstance(values, Table) else Table.of(X, who=who)
        names = table.schema.names
        if isinstance(self.ratio_to, str) and self.ratio_to not in names:
            raise DataError(
                f'ratio_to is the column "{self.ratio_to}", which X does not have; it has {_some(names)}.',
                who=who,
            )
        j = names.index(self.ratio_to) if isinstance(self.ratio_to, str) else self.ratio_to
        if j >= len(names):
            raise DataError(f"ratio_to is column {j}, X has {len(names)} columns, counted from 0.", who=who)
        if table.schema[j].coded:
            raise DataError(f'ratio_to must be a column of numbers; "{names[j]}" has categories.', who=who)
        block = table.values
        column = block[:, j] if isinstance(block, np.ndarray) else block[:, [j]].toarray()[:, 0]
        column = np.asarray(column, np.float64)
        with np.errstate(invalid="ignore"):
            bad = ~(column > 0)
        if bad.any():
            i = int(np.argmax(bad))
            what = "is missing" if np.isnan(column[i]) else f"is {column[i]:g}"
            raise DataError(
                f'the target is a ratio to the column "{names[j]}", whose numbers must be above 0; {row_name(i, X)} '
                f"{what}. Drop the row or give it a number.",
                who=who,
            )
        return column

    def _fitted_transformer(self, y: np.ndarray, columns: np.ndarray, w: np.ndarray | None) -> Any:
        if isinstance(self.transformer, str):
            return TRANSFORMS[self.transformer].fitted(y, w, type(self).__name__)
        if self.transformer is not None:
            transformer = clone(self.transformer)
        elif self.func is None:
            return Identity()
        else:
            from sklearn.preprocessing import FunctionTransformer

            transformer = FunctionTransformer(
                self.func, self.inverse_func, validate=True, check_inverse=False
            ).set_output(transform="default")
        transformer.fit(columns)
        if self.check_inverse:
            some = columns[:: max(1, len(columns) // 10)]
            if not np.allclose(some, transformer.inverse_transform(transformer.transform(some))):
                warn_user(
                    "The provided functions or transformer are not strictly inverse of each other. If you are sure you "
                    "want to proceed regardless, set 'check_inverse=False'"
                )
        return transformer

    def _keep_residuals(
        self,
        values: Any,
        z: np.ndarray,
        w: np.ndarray | None,
        params: dict[str, Any],
        split: dict[str, Any],
    ) -> None:
        for name in ("residuals_", "residual_shares_"):
            self.__dict__.pop(name, None)
        if self._bias is None:
            return
        fitted = (
            self.regressor_.predict(values)
            if self.cv is None
            else self._out_of_fold(values, z, params, split)
        )
        residuals = z.ravel() - np.asarray(fitted, np.float64).ravel()
        known = np.isfinite(residuals)  # those of rows that no fold leaves out are not
        if not known.any():
            raise DataError(
                "no residual is a finite number; bias=None does without.", who=type(self).__name__
            )
        self.residuals_, self.residual_shares_ = condensed(residuals[known], None if w is None else w[known])

    def _out_of_fold(
        self, values: Any, z: np.ndarray, params: dict[str, Any], split: dict[str, Any]
    ) -> np.ndarray:
        """(n,) predictions of z by regressors that were fitted without the row; NaN for rows in no test fold."""
        from sklearn.model_selection import KFold, check_cv

        if isinstance(self.cv, int) and self.cv > len(z):
            raise ParameterError(f"cv is {self.cv}, y has {len(z)} rows.", who=type(self).__name__)
        folds = (
            KFold(self.cv, shuffle=True, random_state=0) if isinstance(self.cv, int) else check_cv(self.cv)
        )
        values = np.asarray(values) if isinstance(values, list) else values
        fitted = np.full(len(z), np.nan)
        for train, test in folds.split(z, **split):
            model = clone(self._template())
            model.fit(take_rows(values, train), z[train], **entries_of_rows(params, train, len(z)))
            fitted[test] = np.asarray(model.predict(take_rows(values, test)), np.float64).ravel()
        return fitted

    # ------------------------------------------------------------------ answers

    def predict(self, X: TableLike, **predict_params: Any) -> np.ndarray:
        """(n,) the expected target of each row (the median with ``bias=None``); parameters go to the regressor."""
        values = self._values(X)
        params = predict_params
        if routing_enabled():
            from sklearn.utils.metadata_routing import process_routing

            params = process_routing(self, "predict", **predict_params)[self._wrapped].predict
        return self._mapped_back(X, values, self.regressor_.predict(values, **params))

    def _mapped_back(self, X: Any, values: Any, z: Any) -> np.ndarray:
        """The answers that the regressor's answers stand for."""
        answers = self._bias_free(np.asarray(z))
        factor = self._factor(X, values)
        return answers if factor is None else answers * factor

    def _bias_free(self, z: np.ndarray) -> np.ndarray:
        if self._bias is None:
            answers = self._inverse(z)
            single = self._training_dim == 1 and answers.ndim == 2 and answers.shape[1] == 1
            return answers[:, 0] if single else answers
        z = z.astype(np.float64, copy=False).ravel()
        known = (
            self.transformer_ if isinstance(self.transformer_, TargetTransform) else _Wrapped(self._inverse)
        )
        if self._bias == "smearing":
            return known.expected(z, self.residuals_, self.residual_shares_)  # (1)
        return known.expected_normal(z, float(np.sqrt(self.residual_shares_ @ self.residuals_**2)))

    def _inverse(self, z: np.ndarray) -> np.ndarray:
        if isinstance(self.transformer_, TargetTransform):
            return self.transformer_.inverse_transform(z)
        return self.transformer_.inverse_transform(z[:, None] if z.ndim == 1 else z)

    @available_if(_can("predict_interval", "predict_distribution"))
    def predict_interval(self, X: TableLike, coverage: float = 0.9) -> np.ndarray:
        """(n, 2) the ends of the regressor's prediction interval, mapped back: a monotone map keeps its coverage."""
        values = self._values(X)
        if hasattr(self.regressor_, "predict_interval"):
            ends = np.asarray(self.regressor_.predict_interval(values, coverage=coverage), np.float64)
        else:
            ends = np.column_stack(self.regressor_.predict_distribution(values).interval(coverage))
        back = np.column_stack([self._inverse(ends[:, side]).reshape(len(ends)) for side in (0, 1)])
        factor = self._factor(X, values)
        return np.sort(back if factor is None else back * factor[:, None], axis=1)

    def _distribution(self, X: Any) -> Predictive:
        """By change of variables from the distribution of the transformed target."""
        inner = self.regressor_.predict_distribution(X)
        return change_of_variables(inner, self.transformer_, self._factor(X, X))

    def _no_distribution(self) -> str:
        if self.func is not None or not (self.transformer is None or isinstance(self.transformer, str)):
            return (
                "a distribution needs the derivative of the transformation, which is known for transformers by name: "
                f"{', '.join(map(repr, TRANSFORMS))}."
            )
        asked = self._asked()
        if hasattr(asked, "predict_distribution"):
            return ""
        if isinstance(asked, Regressor) and (reason := asked._no_distribution()):
            return reason
        return f"{type(asked).__name__} has no distribution."

    # ------------------------------------------------------------------ show and explain

    def explain(self, X: TableLike) -> Any:
        """The regressor's reasoning, on the scale of the transformed target, and how its number is mapped back."""
        return self._explain_table(X).one_or_all()

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        values = X
        z = np.asarray(self.regressor_.predict(values), np.float64)
        answers = self._mapped_back(values, values, z).tolist()
        if not isinstance(self.regressor_, Regressor):
            return Explanations(type(self).__name__, answers, rows)
        inner = self.regressor_._explain_table(values)
        scale = self._scale()

        def named(some: np.ndarray) -> Contributions | None:
            known = inner.reasons.contributions(some)
            if known is None or len(known.outputs) != 1:
                return known
            return Contributions(known.values, known.base, known.columns, [scale], known.chosen)

        def back(i: int) -> list[Section]:
            steps: list[list[Any]] = [[f"predicted {scale}", z[i].tolist()], ["answer", answers[i]]]
            return [Section("Back to the target", ["quantity", "value"], steps, self._how_back())]

        mapped = inner.then(type(self).__name__, back, answers=answers, rows=rows)
        reasons = type(mapped.reasons)(mapped.reasons.sections, named)
        return Explanations(mapped.learner, answers, rows, reasons)

    def _scale(self) -> str:
        """What the regressor predicts, in words."""
        target = getattr(self, "target_name_", None) or "target"
        if self.ratio_to is not None:
            target = f"{target} / {self._ratio_name()}"
        if isinstance(self.transformer_, TargetTransform):
            return self.transformer_.phrase(target)
        return f"transformed {target}"

    def _ratio_name(self) -> str:
        if isinstance(self.ratio_to, str):
            return self.ratio_to
        schema = vars(self).get("schema_")
        return f"column {self.ratio_to}" if schema is None else schema.names[self.ratio_to]

    def _how_back(self) -> str:
        way = {
            "smearing": "mean over residuals (smearing)",
            "normal": "mean under normal residuals",
            None: "inverse, no correction (median)",
        }[self._bias]
        if isinstance(self.transformer_, Identity):
            way = "as it is"
        return f"{way}{'' if self.ratio_to is None else f', times {self._ratio_name()}'}"

    def _model_name(self) -> str:
        inner = self.regressor_
        name = inner._model_name() if isinstance(inner, Regressor) else type(inner).__name__
        return f"{name} (of {self._scale()})"

    def _model_parts(self) -> list[Part]:
        rows: list[list[Any]] = [["scale", self._scale()], ["back", self._how_back()]]
        if "residuals_" in vars(self):
            rows.append(
                [
                    "standard deviation of residuals",
                    float(np.sqrt(self.residual_shares_ @ self.residuals_**2)),
                ]
            )
        inner = self.regressor_._model_parts() if isinstance(self.regressor_, Regressor) else []
        return [Section("Target", ["what", "value"], rows), *inner]


class _Wrapped(TargetTransform):
    """The inverse of functions or of a transformer object, for expectations."""

    def __init__(self, inverse: Callable[[np.ndarray], np.ndarray]):
        object.__setattr__(self, "_inverse", inverse)

    def inverse_transform(self, z: np.ndarray) -> np.ndarray:
        """Entry by entry, for arrays of any shape."""
        return np.asarray(self._inverse(z.ravel()), np.float64).reshape(z.shape)  # type: ignore[attr-defined]


def condensed(residuals: np.ndarray, w: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Sorted residuals and their shares; of more than 1000, those in the middle as the means of groups.

    >>> import numpy as np
    >>> from assay.prepare.transformed_target_regressor import condensed
    >>> condensed(np.array([3.0, -1.0]), np.array([1.0, 3.0]))
    (array([-1.,  3.]), array([0.75, 0.25]))
    """
    w = np.ones(len(residuals)) if w is None else w
    order = np.argsort(residuals, kind="stable")
    order = order[w[order] > 0]
    e, shares = residuals[order], w[order] / w.sum()
    if len(e) <= MOST_RESIDUALS:
        return e, shares
    middle = MOST_RESIDUALS - 2 * TAIL_RESIDUALS
    inner = np.linspace(TAIL_RESIDUALS, len(e) - TAIL_RESIDUALS, middle + 1).astype(np.int64)[:-1]
    starts = np.concatenate([np.arange(TAIL_RESIDUALS), inner, np.arange(len(e) - TAIL_RESIDUALS, len(e))])
    weight = np.add.reduceat(shares, starts)
    return np.add.reduceat(shares * e, starts) / weight, weight


def _is_column(value: Any) -> bool:
    return (
        value is None
        or isinstance(value, str)
        or (isinstance(value, int) and not isinstance(value, bool) and value >= 0)
    )


def _some(names: list[str], most: int = 8) -> str:
    listed = ", ".join(f'"{name}"' for name in names[:most])
    return listed if len(names) <= most else f"{listed} and {len(names) - most} more"
