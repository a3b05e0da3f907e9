"""What the meta-estimators share: one wrapped classifier, and tables that reach it untouched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from assay.core.learner import Learner
from assay.core.model_view import Shown
from assay.core.parameters import Accepted, check
from assay.core.routing import routing_enabled
from assay.core.stored import Object
from assay.core.targets import check_weights, encode_labels
from assay.decide.decision import check_posterior
from assay.errors import DataError, ParameterError
from assay.tables.rows import entries_of_rows, row_count, take_rows


@dataclass(frozen=True)
class Routed:
    """What the parts of a meta-classifier are given while it is fitted.

    fit, split, score : arguments of the classifier's fit, of the splitter and of the scorer
    explicit : whether they were requested one by one (metadata routing), the weights included
    """

    fit: dict[str, Any]
    split: dict[str, Any]
    score: dict[str, Any]
    explicit: bool


class MetaClassifier(ClassifierMixin, Shown, BaseEstimator):
    """A classifier around another one, ``estimator``; None stands for Gaussian naive Bayes.

    X is handed on as it came, so frames keep their names, categories and gaps.
    """

    multiclass = "as the estimator"

    accepts: ClassVar[Mapping[str, Accepted | None]] = {}
    stored = {
        **Learner.stored,
        "estimator_": Object(BaseEstimator),
    }
    estimator: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._wrapped())
        tags.input_tags = inner.input_tags
        tags.classifier_tags.multi_class = inner.classifier_tags is None or inner.classifier_tags.multi_class
        tags.classifier_tags.poor_score = (
            inner.classifier_tags is not None and inner.classifier_tags.poor_score
        )
        return tags

    def _wrapped(self) -> Any:
        if self.estimator is None:
            from assay.bayes import GaussianNB

            return GaussianNB()
        if not hasattr(self.estimator, "fit") or isinstance(self.estimator, type):
            raise ParameterError(
                f"{type(self).__name__}: estimator must be a classifier object, such as GaussianNB(), "
                f"got {self.estimator!r}."
            )
        return self.estimator

    def _start(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Check the parameters; set ``classes_``; return labels, their numbers, and weights."""
        who = type(self).__name__
        check(who, self.accepts, self.get_params(deep=False))
        n = row_count(X, who)
        self.classes_, codes = encode_labels(y, n, who)
        weights = None if sample_weight is None else check_weights(sample_weight, np.empty((n, 1)))
        return self.classes_[codes], codes, weights

    def _fit_clone(self, X: Any, y: Any, w: np.ndarray | None, **fit_params: Any) -> Any:
        """A clone of the wrapped classifier, fitted."""
        model = clone(self._wrapped())
        if w is None:
            return model.fit(X, y, **fit_params)
        if not has_fit_parameter(model, "sample_weight"):
            raise ParameterError(
                f"{type(self).__name__}: {type(model).__name__} cannot be fitted with sample_weight. Leave the "
                "weights out, or wrap a learner that takes them."
            )
        return model.fit(X, y, sample_weight=w, **fit_params)

    def get_metadata_routing(self) -> Any:
        """What ``fit`` passes on to the wrapped classifier, the splitter and the scorer."""
        from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(estimator=self._wrapped(), method_mapping=MethodMapping().add(caller="fit", callee="fit"))
        if "cv" in self.accepts:
            mapping = MethodMapping().add(caller="fit", callee="split")
            router.add(
                splitter=None if isinstance(self.cv, (str, float)) else self.cv, method_mapping=mapping
            )  # type: ignore[attr-defined]
        if "scoring" in self.accepts:
            from sklearn.metrics import get_scorer

            scoring = self.scoring  # type: ignore[attr-defined]
            scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring
            router.add(scorer=scorer, method_mapping=MethodMapping().add(caller="fit", callee="score"))
        return router

    def _routed(self, sample_weight: Any, params: Mapping[str, Any]) -> Routed:
        """Who gets what of the weights and the other metadata that ``fit`` was given."""
        if routing_enabled():
            from sklearn.utils.metadata_routing import process_routing

            weights = {} if sample_weight is None else {"sample_weight": sample_weight}
            given = process_routing(self, "fit", **weights, **params)
            split = given.splitter.split if "cv" in self.accepts else {}
            score = given.scorer.score if "scoring" in self.accepts else {}
            return Routed(dict(given.estimator.fit), dict(split), dict(score), True)
        fit = dict(params)
        split = {"groups": fit["groups"]} if "groups" in fit and "cv" in self.accepts else {}
        if split and not has_fit_parameter(self._wrapped(), "groups"):
            del fit["groups"]
        return Routed(fit, split, {}, False)

    def _fit_part(self, X: Any, y: Any, w: np.ndarray | None, given: Routed, rows: Any = None) -> Any:
        """A clone fitted to some rows (None: all of them) with what it is to be given."""
        n, params = len(y), given.fit
        if rows is not None:
            X, y, w = take_rows(X, rows), y[rows], None if w is None else w[rows]
            params = entries_of_rows(params, rows, n)
        if given.explicit:  # only what was requested
            return clone(self._wrapped()).fit(X, y, **params)
        return self._fit_clone(X, y, w, **params)

    def _adopt(self, model: Any) -> None:
        """Show what the wrapped model saw."""
        for name in ("n_features_in_", "feature_names_in_", "schema_"):
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))
            elif name in vars(self):
                delattr(self, name)


class Wrapper(MetaClassifier):
    """A meta-classifier that uses a classifier which came fitted as it is, without ``fit``."""

    def __sklearn_is_fitted__(self) -> bool:
        return "estimator_" in vars(self) or (self.estimator is not None and is_fitted(self.estimator))

    def __getattr__(self, name: str) -> Any:
        """What a wrapped classifier that came fitted knows: its classes and columns."""
        if name in ("classes_", "estimator_", "n_features_in_", "feature_names_in_", "schema_"):
            inner = vars(self).get("estimator")
            if "estimator_" not in vars(self) and inner is not None and is_fitted(inner):
                return inner if name == "estimator_" else getattr(inner, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _model(self) -> Any:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call fit, or wrap a fitted classifier."
            )
        return self.estimator_


def posterior_of(model: Any, X: Any, classes: np.ndarray, who: str) -> np.ndarray:
    """(n, K) posterior of a fitted model, its columns in the order of ``classes``; absent classes get 0."""
    if not hasattr(model, "predict_proba"):
        raise ParameterError(
            f"{who}: {type(model).__name__} has no predict_proba, so there is no posterior to decide by. "
            f"Wrap it first: CalibratedClassifierCV({type(model).__name__}())."
        )
    P = np.asarray(model.predict_proba(X))
    P = check_posterior(P, f"{who} ({type(model).__name__})")
    return align(P, model.classes_, classes)


def align(scores: np.ndarray, found: np.ndarray, classes: np.ndarray, fill: float = 0.0) -> np.ndarray:
    """Columns in the order of all classes, though the model may have seen only some."""
    if len(found) == len(classes):
        return scores
    position = {label: k for k, label in enumerate(np.asarray(classes).tolist())}
    full = np.full((len(scores), len(classes)), fill)
    full[:, [position[label] for label in np.asarray(found).tolist()]] = scores
    return full


def is_fitted(model: Any) -> bool:
    try:
        check_is_fitted(model)
    except (NotFittedError, TypeError):
        return False
    return hasattr(model, "classes_")


def folds(
    cv: Any, X: Any, y: np.ndarray, who: str, split: Mapping[str, Any] | None = None
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Pairs (train, test) of row numbers; ``split`` is what the splitter is given besides, such as groups."""
    from sklearn.model_selection import check_cv

    _, counts = np.unique(y, return_counts=True)
    if cv is None:
        cv = min(5, max(2, int(counts.min())))
    if isinstance(cv, int) and counts.min() < cv:
        raise DataError(
            f"{who}: {cv} folds need at least {cv} rows of each class, one class has {counts.min()}. "
            "Lower cv, or merge rare classes."
        )
    place = (
        np.zeros((len(y), 1))
        if isinstance(X, (list, tuple)) or (isinstance(X, Mapping) and not hasattr(X, "shape"))
        else X
    )
    pairs = check_cv(cv, y, classifier=True).split(place, y, **(split or {}))
    return [(np.asarray(a), np.asarray(b)) for a, b in pairs]
