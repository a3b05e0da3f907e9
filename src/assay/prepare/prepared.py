"""A learner together with the preparation it needs, fitted as one and saved as one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import has_fit_parameter

from assay.core import Card, Classifier, Explanation
from assay.core.model_view import Part, TextBlock
from assay.core.multi_target import MultiTargetClassifier
from assay.core.parameters import Flag, Instance
from assay.core.stored import Each, Object
from assay.core.targets import side_by_side
from assay.errors import ParameterError
from assay.prepare.own_units import in_own_units
from assay.prepare.simple_imputer import SimpleImputer
from assay.prepare.standard_scaler import StandardScaler
from assay.tables import RowNames, Table


def _has(method: str) -> Callable[[Prepared], bool]:
    """A condition for ``available_if``: whether the classifier inside has the method."""

    def inside(model: Prepared) -> bool:
        learner = vars(model).get("learner_", model.learner)
        if learner is None:
            from assay.bayes import GaussianNB

            learner = GaussianNB()
        return hasattr(learner, method)

    return inside


class Prepared(MultiTargetClassifier):
    """A classifier behind an imputer and a scaler that learn from the same training rows.

    Holes are filled only for a classifier that cannot use them itself; numbers are made comparable
    (z-scores) if asked. Tables stay tables in between, so names and categories reach the classifier. Unlike
    a scikit-learn pipeline of the same steps it can be saved as data, and ``explain`` shows what was filled, in the
    units of the table.

    Cost: fit O(n d) for the preparation, with medians O(n d log n), and that of the learner; predict O(d) a row, and
    that of the learner; memory O(n d) to fit, and the learner.

    Parameters
    ----------
    learner : classifier, default None
        None stands for Gaussian naive Bayes.
    scale : bool, default False
        Whether numbers become z-scores of the training rows.

    Attributes
    ----------
    steps_ : list of the fitted preparations      learner_ : the fitted classifier
    classes_ : (K,) labels; of several targets, which some classifiers learn at once, a list of such

    Examples
    --------
    >>> from assay.bayes import GaussianNB
    >>> from assay.prepare import Prepared
    >>> X = [[1.0, 2.0], [2.0, None], [5.0, 4.0], [6.0, 7.0]]
    >>> model = Prepared(GaussianNB()).fit(X, ["a", "a", "b", "b"])
    >>> model.predict([[5.5, None]])
    array(['b'], dtype='<U1')
    """

    card = Card("prepared", "a classifier behind the imputer and the scaler that it needs", wraps=True)
    multiclass = "as the estimator"
    accepts = {"learner": Instance(having="fit") | None, "scale": Flag()}
    stored = {
        "learner_": Object(BaseEstimator),
        "steps_": Each(Object(BaseEstimator)),
    }
    takes = frozenset({"nominal", "missing"})

    def __init__(self, learner: Any = None, scale: bool = False):
        self.learner = learner
        self.scale = scale

    @available_if(_has("predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """(n, K) the posterior probability of each class, if the classifier has them."""
        return super().predict_proba(X)

    @available_if(_has("predict_proba"))
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """(n, K) the logarithm of the posterior, if the classifier has one."""
        return super().predict_log_proba(X)

    @available_if(_has("decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """The scores of the classifier, if it has them."""
        return self.learner_.decision_function(self._prepare(self._admit(X)))

    def _inner(self) -> Any:
        if self.learner is not None:
            if not isinstance(self.learner, Classifier):
                raise ParameterError(
                    f"Prepared: learner must be one of Assay's classifiers, got {self.learner!r}. For others use "
                    "scikit-learn's make_pipeline(SimpleImputer(), ...)."
                )
            return clone(self.learner)
        from assay.bayes import GaussianNB

        return GaussianNB()

    def _admit(self, X: Any, fitting: bool = False) -> Any:
        if fitting:
            self._names_in_fit = RowNames.of(X)  # for a classifier that keeps rows
        return super()._admit(X, fitting)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.learner) if isinstance(self.learner, Classifier) else None
        several = inner is not None and inner.target_tags.multi_output
        tags.classifier_tags.multi_label = tags.target_tags.multi_output = several
        return tags

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        self.n_outputs_ = 1
        self._learn_labels(X, self.classes_[y], w)

    def _learn_several(self, X: np.ndarray, codes: np.ndarray, w: np.ndarray | None) -> None:
        labels = side_by_side([labels[column] for labels, column in zip(self.classes_, codes.T)])
        self._learn_labels(X, labels, w)
        if "target_names_" in vars(self):
            self.learner_.target_names_ = self.target_names_

    def _learn_labels(self, X: np.ndarray, labels: Any, w: np.ndarray | None) -> None:
        learner, names = self._inner(), self.__dict__.pop("_names_in_fit", None)
        table = Table(X, self.schema_, None)
        self.steps_ = []
        if not get_tags(learner).input_tags.allow_nan:
            self.steps_.append(SimpleImputer(keep_empty_features=True))
        if self.scale:
            self.steps_.append(StandardScaler())
        for step in self.steps_:
            table = step.fit(table, sample_weight=w).transform(table)
        weighted = {} if w is None else {"sample_weight": w}
        if weighted and not has_fit_parameter(learner, "sample_weight"):
            raise ParameterError(f"Prepared: {type(learner).__name__} cannot be fitted with sample_weight.")
        self.learner_ = learner.fit(table.replaced(row_names=names), labels, **weighted)

    def _prepare(self, X: np.ndarray) -> Table:
        table = Table(X, self.schema_, None)
        for step in self.steps_:
            table = step.transform(table)
        return table

    def _posteriors(self, X: np.ndarray) -> list[np.ndarray]:
        return self.learner_.predict_proba(self._prepare(X))

    def _labels_of_targets(self, X: np.ndarray) -> np.ndarray:
        return self.learner_.predict(self._prepare(X))

    def _posterior(self, X: np.ndarray) -> np.ndarray:
        return self.learner_.predict_proba(self._prepare(X))

    def _choose(self, X: np.ndarray) -> np.ndarray:
        answers = self.learner_.predict(self._prepare(X))
        return np.searchsorted(self.classes_, answers)

    def _explanation(self, X: np.ndarray, row: dict[str, Any]) -> Explanation:
        told = self.learner_.explain(self._prepare(X))
        sections = told.sections
        if self.scale:
            sections = [in_own_units(section, self.steps_[-1], self.schema_) for section in sections]
        return replace(told, row=row, sections=sections)

    def _model_name(self) -> str:
        return f"{self.learner_._model_name()} (with preparation)"

    def _learner_of_settings(self) -> Any:
        return self.learner_

    def _model_parts(self) -> list[Part]:
        inner = self.learner_._model_parts()
        if self.scale:  # what the classifier learned is in standard deviations
            note = "Numbers are in standard deviations from the mean of their column (see Scaling)."
            inner = [
                replace(part, note=f"{part.note} {note}".strip()) if _of_columns(part) else part
                for part in inner
            ]
        return inner + [part for step in self.steps_ for part in step._model_parts()]


def _of_columns(part: Part) -> bool:
    """Whether a part of a model speaks of values of columns."""
    return isinstance(part, TextBlock) or part.title in ("Coefficients", "Means by class")
