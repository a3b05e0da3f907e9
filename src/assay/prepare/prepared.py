"""A learner together with the preparation it needs, fitted as one and saved as one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags

from assay.core import Card, Classifier, Regressor
from assay.core.available import available_if
from assay.core.explanations import Explanations, RowValues
from assay.core.meta_estimator import MetaEstimator, PassesDistributionsOn, predicted_codes
from assay.core.model_view import Part, TextBlock
from assay.core.multi_target import MultiTargetClassifier
from assay.core.parameters import Flag, Instance
from assay.core.stored import Each, Object
from assay.core.sum_learner import PassLearner, more_rows_than_memory
from assay.core.sums import Block, Mapped, Source
from assay.core.targets import EncodedLabels, side_by_side
from assay.errors import ParameterError
from assay.prepare.original_units import in_original_units
from assay.prepare.simple_imputer import SimpleImputer
from assay.prepare.standard_scaler import StandardScaler
from assay.tables import Schema, Table
from assay.types import Estimator, TableLike

__all__ = ["Prepared", "PreparedRegressor"]


class _Prepares(PassLearner, MetaEstimator):
    """An imputer and a scaler in front of the estimator, learned from the same training rows."""

    accepts = {"estimator": Instance(having="fit") | None, "scale": Flag()}
    stored = {"steps_": Each(Object(BaseEstimator))}
    takes = frozenset({"nominal", "missing"})
    _reads_itself = True
    scale: bool

    def _template(self) -> Any:
        template = super()._template()
        base = Classifier if self._task == "classifier" else Regressor
        if not isinstance(template, base):
            raise ParameterError(
                f"estimator must be one of Assay's {self._task}s, got {template!r}. For others use "
                "scikit-learn's make_pipeline(SimpleImputer(), ...).",
                who=type(self).__name__,
            )
        return template

    def _learn_steps(self, X: Table, target: Any, w: np.ndarray | None) -> None:
        self.steps_, table = self.preparations(), X
        for step in self.steps_:
            table = step.fit(table, sample_weight=w).transform(table)
        self.estimator_ = self._fit_clone(table.replaced(row_names=X.row_names), target, w)

    def preparations(self) -> list[Any]:
        """The preparations that the estimator needs, not yet fitted; each treats every column by itself."""
        steps: list[Any] = []
        if not get_tags(self._template()).input_tags.allow_nan:
            steps.append(SimpleImputer(keep_empty_features=True))
        if self.scale:
            steps.append(StandardScaler())
        return steps

    def _learn_from(self, source: Source) -> None:
        """The same from blocks: each step sees them as the steps before it have left them."""
        estimator = clone(self._template())
        if not isinstance(estimator, PassLearner):
            raise more_rows_than_memory(estimator)
        self.steps_, schema = self.preparations(), self.schema_
        for step in self.steps_:
            step._fit_source(source, schema)
            source = Mapped(source, partial(_through, step, schema))
            schema = step.transform(Table(np.empty((0, len(schema))), schema)).schema
        self.estimator_ = estimator._fit_source(source, schema, getattr(self, "classes_", None))

    def _prepared(self, X: Table) -> Table:
        for step in self.steps_:
            X = step.transform(X)
        return X

    def _explain_block(self, X: Table, rows: RowValues) -> Explanations:
        block = self.estimator_._explain_table(self._prepared(X))
        reasons = block.reasons
        if self.scale:
            scaler, schema = self.steps_[-1], self.schema_
            reasons = replace(
                reasons,
                sections=lambda i: [in_original_units(s, scaler, schema) for s in block.reasons.sections(i)],
            )
        return replace(block, rows=rows, reasons=reasons)

    def _model_name(self) -> str:
        return f"{self.estimator_._model_name()} (with preparation)"

    def _learner_of_settings(self) -> Any:
        return self.estimator_

    def _model_parts(self) -> list[Part]:
        inner = self.estimator_._model_parts()
        if self.scale:  # what the estimator learned is in standard deviations
            note = "Numbers are in standard deviations from the mean of their column (see Scaling)."
            inner = [
                replace(part, note=f"{part.note} {note}".strip()) if _of_columns(part) else part
                for part in inner
            ]
        return inner + [part for step in self.steps_ for part in step._model_parts()]


def _through(step: Any, schema: Schema, block: Block) -> Block:
    """A block as a fitted preparation makes it."""
    return Block(step.transform(Table(block.X, schema, None)).values, block.y, block.w)


def _has(method: str) -> Callable[[_Prepares], bool]:
    """A condition for ``available_if``: whether the estimator inside has the method."""

    def inside(model: _Prepares) -> bool:
        return hasattr(model._asked(), method)

    return inside


class Prepared(_Prepares, MultiTargetClassifier):
    """A classifier behind an imputer and a scaler that learn from the same training rows.

    Missing values are filled in only for a classifier that cannot use them itself; numbers are made comparable
    (z-scores) with ``scale``. Tables stay tables in between, so names and categories reach the classifier. Unlike
    a scikit-learn pipeline of the same steps it can be saved as data, and ``explain`` shows what was filled, in the
    units of the table.

    Around a learner that is a sum it learns from blocks (``fit_blocks``) and Dask collections as well, the steps one
    after the other, with the same numbers.

    Cost: fit O(n d) for the preparation, with medians O(n d log n), and that of the learner; predict O(d) a row, and
    that of the learner; memory O(n d) to fit, and the learner.

    Parameters
    ----------
    estimator : classifier, default None
        None stands for Gaussian naive Bayes.
    scale : bool, default False
        Whether numbers become z-scores of the training rows.

    Attributes
    ----------
    steps_ : list of the fitted preparations      estimator_ : the fitted classifier
    classes_ : (K,) labels; of several targets, which some classifiers learn at once, a list of such

    Examples
    --------
    >>> from assay.bayes import GaussianNB
    >>> from assay.prepare import Prepared
    >>> X = [[1.0, 2.0], [2.0, None], [5.0, 4.0], [6.0, 7.0]]
    >>> model = Prepared(GaussianNB()).fit(X, ["a", "a", "b", "b"])
    >>> model.predict([[5.5, None]])
    array(['b'], dtype='<U1')

    See Also
    --------
    SimpleImputer, StandardScaler

    References
    ----------
    - Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning, second edition.
      Springer. doi:10.1007/978-0-387-84858-7
    """

    card = Card("prepared", "a classifier behind the imputer and the scaler that it needs", wraps=True)
    multiclass = "as the estimator"
    renamed = {"learner": "estimator", "learner_": "estimator_"}  # in model files of earlier versions

    def __init__(self, estimator: Estimator | None = None, scale: bool = False):
        self.estimator = estimator
        self.scale = scale

    @available_if(_has("predict_proba"))
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the posterior probability of each class, if the classifier has them."""
        return super().predict_proba(X)

    @available_if(_has("predict_proba"))
    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the logarithm of the posterior, if the classifier has one."""
        return super().predict_log_proba(X)

    @available_if(_has("decision_function"))
    def decision_function(self, X: TableLike) -> np.ndarray:
        """The scores of the classifier, if it has them."""
        return self.estimator_.decision_function(self._prepared(self._admit(X)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        several = get_tags(self._template()).target_tags.multi_output
        tags.classifier_tags.multi_label = tags.target_tags.multi_output = several
        return tags

    def _default_estimator(self) -> Any:
        from assay.bayes import GaussianNB

        return GaussianNB()

    def _learn_from(self, source: Source) -> None:
        self.n_outputs_ = 1
        super()._learn_from(source)

    def _learn(self, X: Table, y: np.ndarray, w: np.ndarray | None) -> None:
        self.n_outputs_ = 1
        self._learn_steps(X, EncodedLabels(y, self.classes_), w)

    def _learn_several(self, X: Table, codes: np.ndarray, w: np.ndarray | None) -> None:
        labels = side_by_side([labels[column] for labels, column in zip(self.classes_, codes.T)])
        self._learn_steps(X, labels, w)
        if "target_names_" in vars(self):
            self.estimator_.target_names_ = self.target_names_

    def _posteriors(self, X: Table) -> list[np.ndarray]:
        return self.estimator_.predict_proba(self._prepared(X))

    def _labels_of_targets(self, X: Table) -> np.ndarray:
        return self.estimator_.predict(self._prepared(X))

    def _posterior(self, X: Table) -> np.ndarray:
        return self.estimator_.predict_proba(self._prepared(X))

    def _choose(self, X: Table) -> np.ndarray:
        return predicted_codes(self.estimator_, self._prepared(X), self.classes_)


class PreparedRegressor(PassesDistributionsOn, _Prepares, Regressor):
    """A regressor behind an imputer and a scaler that learn from the same training rows.

    Missing values are filled in only for a regressor that cannot use them itself; numbers are made comparable
    (z-scores) with ``scale``. Tables stay tables in between, so names and categories reach the regressor. Unlike
    a scikit-learn pipeline of the same steps it can be saved as data, and ``explain`` shows what was filled, in the
    units of the table.

    Around a learner that is a sum it learns from blocks (``fit_blocks``) and Dask collections as well, the steps one
    after the other, with the same numbers.

    Cost: fit O(n d) for the preparation, with medians O(n d log n), and that of the learner; predict O(d) a row, and
    that of the learner; memory O(n d) to fit, and the learner.

    Parameters
    ----------
    estimator : regressor, default None
        None stands for linear regression.
    scale : bool, default False
        Whether numbers become z-scores of the training rows.

    Attributes
    ----------
    steps_ : list of the fitted preparations      estimator_ : the fitted regressor

    Examples
    --------
    >>> from assay.linear import LinearRegression
    >>> from assay.prepare import PreparedRegressor
    >>> X = [[1.0, 2.0], [2.0, None], [5.0, 4.0], [6.0, 7.0]]
    >>> model = PreparedRegressor(LinearRegression()).fit(X, [1.0, 2.0, 5.0, 6.0])
    >>> model.predict([[5.5, None]]).round(3)
    array([5.5])

    See Also
    --------
    Prepared, SimpleImputer, StandardScaler

    References
    ----------
    - Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning, second edition.
      Springer. doi:10.1007/978-0-387-84858-7
    """

    card = Card(
        "prepared regressor", "a regressor behind the imputer and the scaler that it needs", wraps=True
    )
    _task = "regressor"

    def __init__(self, estimator: Estimator | None = None, scale: bool = False):
        self.estimator = estimator
        self.scale = scale

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = get_tags(self._template()).target_tags.multi_output
        return tags

    def _rows_for_answers(self, X: Any) -> Table:
        return self._prepared(self._admit(X))

    def _default_estimator(self) -> Any:
        from assay.linear import LinearRegression

        return LinearRegression()

    def _learn(self, X: Table, y: np.ndarray, w: np.ndarray | None) -> None:
        self._learn_steps(X, y, w)
        if "target_names_" in vars(self):
            self.estimator_.target_names_ = self.target_names_

    def _predict(self, X: Table) -> np.ndarray:
        return self.estimator_.predict(self._prepared(X))


def _of_columns(part: Part) -> bool:
    """Whether a part of a model shows values of columns."""
    return isinstance(part, TextBlock) or part.title in ("Coefficients", "Means by class")
