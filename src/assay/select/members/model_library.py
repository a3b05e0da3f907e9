"""A library of models: fitted once, answers for unseen rows kept, committees made of it without fitting again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from assay.core.seeds import with_seed
from assay.ensembles import StackingClassifier, StackingRegressor, VotingClassifier, VotingRegressor
from assay.ensembles.committees.folds import folds_of
from assay.errors import DataError, ParameterError, spoken_as
from assay.evaluate.design import Resampling
from assay.evaluate.rows import as_column, as_moments
from assay.metrics.measure import find_measure
from assay.select.members.ensemble_selection_classifier import EnsembleSelectionClassifier
from assay.select.members.ensemble_selection_regressor import EnsembleSelectionRegressor
from assay.select.members.select_members import CombinedScore
from assay.tables import Table
from assay.types import Estimator, RowLabels, TableLike, Target, Weights

__all__ = ["METHODS", "LibraryAnswer", "ModelLibrary", "SharedLibrary"]

METHODS = {
    "selection": "the models that do best together, step by step and with replacement",
    "stacking": "a learner of the models' answers: logistic regression, of numbers ridge regression",
    "voting": "the mean answer, with weights of sum 1 that do best together",
    "best member": "the model that does best alone",
}


@dataclass
class _Gathered:
    """Members that could be fitted: to all rows, and their answers for the rows that they did not learn from."""

    models: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, Any] = field(default_factory=dict)
    rows: Any = None
    failures: dict[str, str] = field(default_factory=dict)


class _RecordedClasses(ClassifierMixin, BaseEstimator):
    """A classifier that answers what it answered before."""

    def __init__(self, posterior: np.ndarray, classes: np.ndarray):
        self.posterior, self.classes_ = posterior, classes

    def predict_proba(self, X: Any) -> np.ndarray:
        return self.posterior

    def predict(self, X: Any) -> np.ndarray:
        return self.classes_[self.posterior.argmax(axis=1)]


class _RecordedNumbers(RegressorMixin, BaseEstimator):
    """A regressor that answers what it answered before."""

    def __init__(self, numbers: np.ndarray):
        self.numbers = numbers

    def predict(self, X: Any) -> np.ndarray:
        return self.numbers


class _Gathers:
    """A committee that fits its members, keeps their answers, leaves out those that fail, and chooses nothing."""

    gathered: _Gathered

    def _select(self: Any, X: Any, target: Any, w: np.ndarray | None, classes: bool, ask: Any) -> None:
        folds = folds_of(self.cv, X, target, classes, type(self).__name__, self._split)
        self.gathered = gathered = _Gathered()
        for name, _ in self._members():
            try:
                if classes and not hasattr(dict(self._members())[name], "predict_proba"):
                    raise DataError("it gives no probabilities. Calibrate it: CalibratedClassifierCV.")
                (output,), gathered.rows = self._out_of_fold(X, target, w, folds, ask, [name])
                model = self._fit_one(name, X, target, w)
            except Exception as error:  # one that fails must not end the others' work
                gathered.failures[name] = " ".join(str(error).split()) or type(error).__name__
                continue
            gathered.models[name] = model
            gathered.answers[name] = (
                _RecordedClasses(output, self.classes_) if classes else _RecordedNumbers(output[:, 0])
            )


class _GathersClasses(_Gathers, EnsembleSelectionClassifier):
    pass


class _GathersNumbers(_Gathers, EnsembleSelectionRegressor):
    pass


class ModelLibrary:
    """Fit many models once, and make committees of them: selected, stacked, voting, or the best one alone.

    Each model answers for the rows of every inner fold, having learned from the others, and is then fitted to all rows.
    All committees rest on these answers, so that a further one costs next to nothing. A model that cannot be fitted, or
    gives no probabilities, is left out, and ``failures`` says why.

    Cost: folds + 1 fits of each model; memory O(n K) for each.

    Parameters
    ----------
    members : dict of name to classifier, or of name to regressor
    task : "classification" or "regression"
    inner : the design of the inner splits, as in ``compare``, default "5-fold"
    metric : name of a measure, default None: the log loss, of numbers the squared error
        What the selection, and the best member, are chosen by.
    random_state : int, default 0
        Of the splits, and of every model's own random_state.
    n_jobs : int or None, default None
        Most fits of a model at a time.

    Attributes
    ----------
    names : of the models that could be fitted      failures : dict of the names of the others to the reason
    single : dict of name to the measure of each model alone, on rows that it did not learn from
    rows_ : the numbers of these rows

    Examples
    --------
    >>> from assay.bayes import GaussianNB
    >>> from assay.select import ModelLibrary
    >>> from assay.tables.data import load_iris
    >>> from assay.trees import DecisionTreeClassifier
    >>> X, y = load_iris()
    >>> library = ModelLibrary({"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2)}).fit(X, y)
    >>> library.best, library.committee("selection").chosen_
    ('bayes', ['bayes'])

    See Also
    --------
    EnsembleSelectionClassifier, EnsembleSelectionRegressor, assay.ensembles.StackingClassifier

    References
    ----------
    - Caruana, R., Niculescu-Mizil, A., Crew, G. and Ksikes, A. (2004). Ensemble selection from libraries of models.
      International Conference on Machine Learning. doi:10.1145/1015330.1015432
    """

    def __init__(
        self,
        members: Mapping[str, Estimator],
        task: str = "classification",
        inner: Any = "5-fold",
        metric: str | None = None,
        random_state: int = 0,
        n_jobs: int | None = None,
    ):
        if not members:
            raise ParameterError("a library needs a model at least.", who="ModelLibrary")
        measure = None if metric is None else find_measure(metric)
        if metric is not None and (measure is None or measure.task != task or measure.needs == "costs"):
            raise ParameterError(
                f"metric must be the name of a measure of {task} that needs no costs, got {metric!r}.",
                who="ModelLibrary",
            )
        self.members = {str(name): with_seed(model, random_state) for name, model in members.items()}
        self.task, self.inner, self.metric = task, inner, metric
        self.random_state, self.n_jobs = random_state, n_jobs

    def fit(
        self,
        X: TableLike,
        y: Target,
        sample_weight: Weights | None = None,
        groups: RowLabels | None = None,
        times: RowLabels | None = None,
    ) -> Self:
        """Fit all models; rows of one group are never learned from where another of it is answered for.

        ``times`` say when each row was, for inner splits by time such as "3-time"; without them rows are in order.
        """
        table = X if isinstance(X, Table) else Table.of(X, who="ModelLibrary")
        classes, target = self.task == "classification", np.asarray(y)
        labels, codes = (
            np.unique(target, return_inverse=True) if classes else (np.empty(0), np.zeros(len(table), int))
        )
        of_rows = as_column(groups, len(table), "groups", "ModelLibrary")
        moments = as_moments(as_column(times, len(table), "times", "ModelLibrary"), "ModelLibrary")
        with spoken_as("ModelLibrary"):
            plan, _ = Resampling.of(self.inner).fitted_to(codes, labels, of_rows, moments)
            splits = plan.splits(codes, self.random_state, of_rows, moments)
            folds = [(split.train, split.test) for split in splits]
        make = _GathersClasses if classes else _GathersNumbers
        gathers = make(list(self.members.items()), cv=folds, n_jobs=self.n_jobs)
        gathers.fit(table, y, sample_weight)
        self._gathered = gathers.gathered
        if not self._gathered.models:
            name, why = next(iter(self._gathered.failures.items()))
            raise DataError(f"no model could be fitted. {name}: {why}", who="ModelLibrary")
        self._data = table, y, sample_weight
        self.names, self.failures = list(self._gathered.models), self._gathered.failures
        self.rows_ = np.asarray(self._gathered.rows)
        self.single = self._measured()
        return self

    def _measured(self) -> dict[str, float]:
        _, y, sample_weight = self._data
        rows, answers = self.rows_, self._gathered.answers
        outputs = np.stack([
            answer.posterior if self.task == "classification" else answer.numbers for answer in answers.values()
        ])  # fmt: skip
        weight = None if sample_weight is None else np.asarray(sample_weight)[rows]
        score = CombinedScore(outputs, np.asarray(y)[rows], self.metric, "mean", weight, "ModelLibrary")
        self.metric_, self._better = score.name, score.sign
        return {name: score.sign * score(np.array([j])) for j, name in enumerate(answers)}

    @property
    def best(self) -> str:
        """The model that does best alone, on rows that it did not learn from; the first of equals."""
        return max(self.single, key=lambda name: self._better * self.single[name])

    def committee(self, method: str = "selection") -> Any:
        """A fitted committee of the models: "selection", "stacking", "voting", or the "best member" itself."""
        if method not in METHODS:
            raise ParameterError(
                f"method must be one of {', '.join(map(repr, METHODS))}, got {method!r}.", who="ModelLibrary"
            )
        if method == "best member":
            return self._gathered.models[self.best]
        made = self._unfitted(method, [(name, self.members[name]) for name in self.names])
        made._library = self._gathered
        try:
            made.fit(*self._data)
        finally:
            del made._library
        return made

    def _unfitted(self, method: str, members: list[tuple[str, Any]]) -> Any:
        classes = self.task == "classification"
        if method == "selection":
            make: Any = EnsembleSelectionClassifier if classes else EnsembleSelectionRegressor
            return make(members, metric=self.metric)
        if method == "stacking":
            return (StackingClassifier if classes else StackingRegressor)(members)
        if classes:
            return VotingClassifier(members, voting="soft", weights="simplex")
        return VotingRegressor(members, weights="simplex")


class SharedLibrary:
    """A library that several candidates of a comparison share: fitted once for each training set."""

    def __init__(self, library: ModelLibrary):
        self.library = library
        self._rows: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {"library": self.library, "_rows": None}

    def fitted(
        self, X: TableLike, y: Target, sample_weight: Any, groups: Any, times: Any = None
    ) -> ModelLibrary:
        """The library, fitted to these rows if it is not yet."""
        if self._rows is not X:
            by_time = Resampling.of(self.library.inner).kind == "time"
            self.library.fit(X, y, sample_weight, groups, times if by_time else None)
            self._rows = X
        return self.library


class LibraryAnswer(BaseEstimator):
    """A committee of a shared library as a candidate of ``compare``.

    Parameters
    ----------
    shared : SharedLibrary      method : one of METHODS
    """

    def __init__(self, shared: SharedLibrary, method: str = "selection"):
        self.shared, self.method = shared, method

    def __sklearn_clone__(self) -> LibraryAnswer:
        return type(self)(self.shared, self.method)  # a copy of the library would be fitted again

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier" if self.shared.library.task == "classification" else "regressor"
        tags.input_tags.allow_nan = tags.input_tags.sparse = tags.input_tags.categorical = True
        return tags

    def fit(
        self, X: TableLike, y: Target, sample_weight: Any = None, groups: Any = None, times: Any = None
    ) -> LibraryAnswer:
        """Make the committee, of models that the other candidates share."""
        library = self.shared.fitted(X, y, sample_weight, groups, times)
        self.model_ = library.committee(self.method)
        if hasattr(self.model_, "classes_"):
            self.classes_ = self.model_.classes_
        return self

    def predict(self, X: TableLike) -> np.ndarray:
        """The committee's answers."""
        return self.model_.predict(X)

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """The committee's posteriors."""
        return self.model_.predict_proba(X)
