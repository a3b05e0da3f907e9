"""What meta-estimators share: the wrapped estimator, the table its clones are given, weights, seeds and metadata.

A meta-estimator is a learner around ``estimator``. X is read and checked once. A clone that is a learner of ours is
given that checked table (or some rows or columns of it) and encoded labels, so that nothing is looked through, matched
or numbered again; any other estimator is given X as it came and plain labels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from inspect import signature
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.validation import _check_feature_names, _check_n_features, has_fit_parameter

from assay.core.available import available_if
from assay.core.complaints import warn_unseen
from assay.core.learner import Classifier, Learner
from assay.core.parallel import in_threads
from assay.core.progress import progress
from assay.core.routing import routing_enabled
from assay.core.seeds import with_seed
from assay.core.stored import Object
from assay.errors import DataError, ParameterError
from assay.tables import Table
from assay.tables.rows import entries_of_rows, row_count, take_rows
from assay.types import Estimator, Floats, TableLike

__all__ = [
    "MetaEstimator",
    "PassesDistributionsOn",
    "Routed",
    "aligned",
    "fit_to",
    "predicted_codes",
    "takes_tables",
    "takes_weights",
]


@dataclass(frozen=True)
class Routed:
    """What the parts of a meta-estimator are given while it is fitted.

    fit, split, score : arguments of the estimator's fit, of the splitter and of the scorer
    explicit : whether they were requested one by one (metadata routing), the weights included
    """

    fit: dict[str, Any]
    split: dict[str, Any]
    score: dict[str, Any]
    explicit: bool = False


class MetaEstimator(Learner):
    """A learner around another estimator, ``estimator``; None stands for a default of its own.

    The parameter may have another name, ``_wrapped``, where scikit-learn has it so.

    Attributes
    ----------
    estimator_ or estimators_ : what was fitted
    """

    takes = frozenset({"nominal", "missing", "sparse"})
    stored = {"estimator_": Object(BaseEstimator)}
    _wrapped: ClassVar[str] = "estimator"  # the parameter that holds the estimator
    _task: ClassVar[str] = "classifier"  # what the estimator must be; "" for either
    _reads_itself: ClassVar[bool] = False  # whether X is read as a table here, whatever the estimator takes
    estimator: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        template = self._template()
        if not self._reads_itself and hasattr(template, "__sklearn_tags__"):
            inner = get_tags(template).input_tags
            tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        return tags

    def why_not(self, X: TableLike) -> str | None:
        """None if the estimator can use this table, else the sentence that says why not."""
        if self._reads_itself:
            return super().why_not(X)
        template = self._template()
        return template.why_not(X) if hasattr(template, "why_not") else None

    def _default_estimator(self) -> Any:
        """The estimator that None stands for."""
        raise TypeError(f"{type(self).__name__} must define _default_estimator")

    def _template(self) -> Any:
        """The estimator whose clones are fitted."""
        template = getattr(self, self._wrapped)
        if template is None:
            return self._default_estimator()
        if not hasattr(template, "fit") or isinstance(template, type):
            raise ParameterError(
                f"{self._wrapped} must be a {self._task or 'fitting'} object, such as "
                f"{self._default_estimator()!r}, got {template!r}.",
                who=type(self).__name__,
            )
        return template

    def _refuse_other_task(self, model: Any) -> None:
        """Raise if the model is meant for numbers where a classifier is needed, or for classes where a regressor is."""
        other = {"classifier": is_regressor, "regressor": is_classifier}.get(self._task)
        if other is None or not hasattr(model, "__sklearn_tags__"):
            return
        if other(model) and type(model) is not type(self._default_estimator()):
            raise ParameterError(
                f"{self._wrapped} must be a {self._task}, got {model!r}.", who=type(self).__name__
            )

    # ------------------------------------------------------------------ tables

    def _asked(self) -> Any:
        """Who is given X when something is predicted."""
        fitted = vars(self).get(f"{self._wrapped}_")
        return self._template() if fitted is None else fitted

    def _takes_infinite(self) -> bool:
        asked = None if self._reads_itself else self._asked()
        return isinstance(asked, Learner) and asked._takes_infinite()

    def _admit(self, X: Any, fitting: bool = False) -> Any:
        """The checked table for estimators that are learners of ours; X as it came for all others."""
        if fitting:
            self.__dict__.pop(f"{self._wrapped}_", None)
            self._refuse_other_task(self._template())
        else:
            self._ready()
        if self._reads_itself:
            table = self._read(X, fitting)
            self._refuse_sparse(table)
            if table.unseen and not fitting:
                warn_unseen(table, type(self).__name__, "treated as missing")
            return table.unseen_as_missing()
        if takes_tables(self._asked()):
            return self._read(X, fitting)
        return self._as_it_came(X, fitting)

    def _as_it_came(self, X: Any, fitting: bool) -> Any:
        """X for estimators that look at it by themselves; the number and the names of its columns are checked."""
        if isinstance(X, Table):
            X = np.asarray(X) if isinstance(X.values, np.ndarray) else X.values
        elif hasattr(X, "tocsr"):
            X = X if X.format in ("csr", "csc") else X.tocsr()
        elif isinstance(X, (list, tuple)) and X and isinstance(X[0], (list, tuple, np.ndarray)):
            X = np.asarray(X)
        row_count(X, type(self).__name__)
        shape: tuple[int, ...] = getattr(X, "shape", ())
        if len(shape) == 2 and 0 in shape:
            what = "sample" if shape[1] else "feature"
            raise DataError(
                f"found 0 {what}(s) (shape={shape}) while a minimum of 1 is required.",
                who=type(self).__name__,
            )
        if not isinstance(X, Mapping):
            _check_feature_names(self, X, reset=fitting)
            _check_n_features(self, X, reset=fitting)
        return X

    def _explained(self, X: Any) -> tuple[Table, Any]:
        values = self._admit(X)
        return values if isinstance(values, Table) else Table.of(values, who=type(self).__name__), values

    # ------------------------------------------------------------------ clones

    def _fit_clone(self, X: Any, y: Any, w: np.ndarray | None, seed: int | None = None, **params: Any) -> Any:
        """A fitted clone of the estimator."""
        model = clone(self._template())
        return fit_to(
            model if seed is None else with_seed(model, seed), X, y, w, type(self).__name__, **params
        )

    def _fit_part(self, X: Any, y: Any, w: np.ndarray | None, routed: Routed, rows: Any = None) -> Any:
        """A clone fitted to some rows (None: all of them) with what it is to be given."""
        n, params = len(y), routed.fit
        if rows is not None:
            X, y, w = take_rows(X, rows), y[rows], None if w is None else w[rows]
            params = entries_of_rows(params, rows, n)
        return self._fit_clone(X, y, None if routed.explicit else w, **params)

    def _each(self, work: Callable[[Any], Any], items: list[Any], n_jobs: int | None) -> list[Any]:
        """``[work(item) for item in items]``, with progress: threads for learners of ours, joblib for others."""
        with progress(total=len(items), description=type(self).__name__) as bar:

            def one(item: Any) -> Any:
                result = work(item)
                bar.advance()
                return result

            if takes_tables(self._asked()):
                return in_threads(one, items, n_jobs)
            if n_jobs in (None, 1):
                return [one(item) for item in items]
            from joblib import Parallel, delayed

            results: list[Any] = Parallel(n_jobs=n_jobs, verbose=getattr(self, "verbose", 0))(
                delayed(work)(item) for item in items
            )
            return results

    # ------------------------------------------------------------------ metadata

    def _routes(self) -> dict[str, str]:
        """Methods here that pass metadata on, and the methods of the estimator that they call."""
        return {"fit": "fit"}

    def get_metadata_routing(self) -> Any:
        """What each method passes on to the estimator, the splitter and the scorer, as scikit-learn's routing asks."""
        from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

        mapping = MethodMapping()
        for caller, callee in self._routes().items():
            mapping.add(caller=caller, callee=callee)
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(**{self._wrapped: self._template()}, method_mapping=mapping)
        if "cv" in self.accepts:
            cv: Any = self.cv
            splits = MethodMapping().add(caller="fit", callee="split")
            router.add(splitter=None if isinstance(cv, (str, float)) else cv, method_mapping=splits)
        if "scoring" in self.accepts:
            from sklearn.metrics import get_scorer

            scoring: Any = self.scoring
            scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring
            router.add(scorer=scorer, method_mapping=MethodMapping().add(caller="fit", callee="score"))
        return router

    def _routed(self, sample_weight: Any, params: Mapping[str, Any]) -> Routed:
        """Who gets what of the weights and the other metadata that ``fit`` was given."""
        if routing_enabled():
            from sklearn.utils.metadata_routing import process_routing

            weights = {} if sample_weight is None else {"sample_weight": sample_weight}
            routed = process_routing(self, "fit", **weights, **params)
            split = routed.splitter.split if "cv" in self.accepts else {}
            score = routed.scorer.score if "scoring" in self.accepts else {}
            return Routed(dict(routed[self._wrapped].fit), dict(split), dict(score), True)
        fit = dict(params)
        split = {"groups": fit["groups"]} if "groups" in fit and "cv" in self.accepts else {}
        if split and not has_fit_parameter(self._template(), "groups"):
            del fit["groups"]
        return Routed(fit, split, {})


def _answers_with(method: str) -> Callable[[Any], bool]:
    """A condition for ``available_if``: whether the estimator inside has the method; its own error says why not."""
    return lambda model: getattr(model._answering(), method) is not None


class PassesDistributionsOn:
    """Mixin of regressors around another, which answers for them: its distributions and intervals are theirs.

    ``_answering()`` is the estimator that answers, fitted or not, and ``_rows_for_answers(X)`` X as it takes it.
    """

    def _answering(self) -> Any:
        return self._asked()  # type: ignore[attr-defined]

    def _rows_for_answers(self, X: Any) -> Any:
        raise TypeError(f"{type(self).__name__} must define _rows_for_answers")

    @available_if(_answers_with("predict_distribution"))
    def predict_distribution(self, X: TableLike) -> Any:
        """The predictive distribution of each row's number, if the regressor inside has one."""
        rows = self._rows_for_answers(X)
        return self._answering().predict_distribution(rows)

    @available_if(_answers_with("predict_interval"))
    def predict_interval(self, X: TableLike, coverage: float | None = None) -> np.ndarray:
        """(n, 2) the interval of the regressor inside for each row; without a coverage, of the coverage it takes."""
        rows = self._rows_for_answers(X)
        settings = {} if coverage is None else {"coverage": coverage}
        ends: Floats = self._answering().predict_interval(rows, **settings)
        return ends

    def _interval_doubt(self, coverage: float) -> str:
        answering = self._answering()
        return answering._interval_doubt(coverage) if hasattr(answering, "_interval_doubt") else ""


def takes_tables(model: Estimator) -> bool:
    """Whether an estimator takes checked tables and encoded labels: a learner of ours, around no other estimator.

    A user's subclass with a ``fit`` or ``predict`` of its own is given X as it came: it may look at it.
    """
    if isinstance(model, MetaEstimator):
        return takes_tables(model._asked())
    cls: Any = type(model)
    return isinstance(model, Learner) and not _has_foreign_methods(cls)


@lru_cache(maxsize=1024)
def _has_foreign_methods(cls: type) -> bool:
    """Whether a method of the class that is given X was written outside of this package."""
    names = ("fit", "predict", "predict_proba", "decision_function")
    methods = [getattr(cls, name) for name in names if hasattr(cls, name)]
    return any(not getattr(method, "__module__", "assay").startswith("assay") for method in methods)


def takes_weights(model: Estimator) -> bool:
    """Whether the estimator's ``fit`` takes ``sample_weight``."""
    if isinstance(model, Learner):
        cls: Any = type(model)
        return "sample_weight" in _fit_parameters(cls)
    return bool(has_fit_parameter(model, "sample_weight"))


@lru_cache(maxsize=1024)
def _fit_parameters(cls: type) -> frozenset[str]:
    return frozenset(signature(cls.fit).parameters)  # type: ignore[attr-defined]


def fit_to(model: Any, X: Any, y: Any, w: np.ndarray | None, who: str, **params: Any) -> Any:
    """The model, fitted: with X and y as they are if it is a learner of ours, else with plain labels.

    Raises if there are weights and it takes none; ``who`` says so. What ``fit`` returns does not matter: not every
    estimator returns itself.
    """
    y = y if takes_tables(model) else np.asarray(y)
    if w is None:
        model.fit(X, y, **params)
        return model
    if not takes_weights(model):
        raise ParameterError(
            f"{type(model).__name__} cannot be fitted with sample_weight. Leave the weights out, or choose an "
            "estimator that takes them.",
            who=who,
        )
    model.fit(X, y, sample_weight=w, **params)
    return model


def predicted_codes(model: Any, X: Any, classes: np.ndarray) -> np.ndarray:
    """(n,) the number, among all (sorted) classes, of the class that a fitted classifier answers."""
    if isinstance(model, Classifier) and type(model).predict is Classifier.predict:
        codes = model._choose(model._admit_to_answer(X))
        return (
            codes if len(model.classes_) == len(classes) else np.searchsorted(classes, model.classes_)[codes]
        )
    return np.searchsorted(classes, np.asarray(model.predict(X)))


def aligned(scores: np.ndarray, known: Any, classes: np.ndarray, fill: float = 0.0) -> np.ndarray:
    """Columns in the order of all classes, though the model may have seen only some; the others are ``fill``.

    >>> import numpy as np
    >>> from assay.core.meta_estimator import aligned
    >>> aligned(np.array([[0.3, 0.7]]), ["a", "c"], np.array(["a", "b", "c"]))
    array([[0.3, 0. , 0.7]])
    """
    if len(known) == len(classes):
        return scores
    place = {label: k for k, label in enumerate(np.asarray(classes).tolist())}
    full = np.full((len(scores), len(classes)), fill)
    full[:, [place[label] for label in np.asarray(known).tolist()]] = scores
    return full
