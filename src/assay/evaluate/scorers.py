"""scikit-learn's scorers, and functions of two labellings, as measures; and measures as scorers."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from assay.errors import ParameterError
from assay.metrics.forms import OfOutcome
from assay.metrics.measure import Measure, find_measure, measure_named, measures
from assay.metrics.outcome import Outcome
from assay.types import Floats, MeasureLike

__all__ = ["measure_of", "scorer_named", "scorer_of"]


class Answered(ClassifierMixin, BaseEstimator):
    """A classifier that has answered already: asked for rows by number, it repeats what was said."""

    def __init__(self, outcome: Outcome):
        self.outcome = outcome
        self.classes_ = np.array(outcome.names)

    def predict(self, rows: np.ndarray) -> np.ndarray:
        answer = self.outcome.answer[rows[:, 0]]
        if (answer < 0).any():
            raise ParameterError(
                "scikit-learn's scorers know no answer that is not a class, such as reject.", who="compare"
            )
        labels: np.ndarray = self.classes_[answer]
        return labels

    def predict_proba(self, rows: np.ndarray) -> np.ndarray:
        if self.outcome.posterior is None:
            raise AttributeError("no probabilities")
        posterior: Floats = self.outcome.posterior[rows[:, 0]]
        return posterior


class AnsweredNumbers(RegressorMixin, BaseEstimator):
    """A regressor that has answered already: asked for rows by number, it repeats what was predicted."""

    def __init__(self, outcome: Outcome):
        self.outcome = outcome

    def predict(self, rows: np.ndarray) -> np.ndarray:
        numbers: Floats = self.outcome.answer[rows[:, 0]]
        return numbers


def _answered(outcome: Outcome) -> tuple[Any, np.ndarray]:
    """A model that repeats its answers, and the truth: labels, or numbers."""
    if not outcome.K:
        return AnsweredNumbers(outcome), outcome.truth
    model = Answered(outcome)
    return model, model.classes_[outcome.truth]


@dataclass(frozen=True)
class Scored:
    """A scorer of (model, X, y) as a function of an Outcome; NaN where the fold lacks what it needs."""

    scorer: Callable[..., float]
    needs: str

    @property
    def takes_weights(self) -> bool:
        """Whether it can count rows by their weights."""
        return _takes_weights(getattr(self.scorer, "_score_func", self.scorer))

    def __call__(self, outcome: Outcome) -> float:
        if self.needs == "probabilities" and outcome.posterior is None:
            return float("nan")
        model, truth = _answered(outcome)
        rows = np.arange(len(truth))[:, None]
        weight = {} if outcome.weight is None else {"sample_weight": outcome.weight}
        try:
            return float(self.scorer(model, rows, truth, **weight))
        except ValueError:
            if (
                outcome.K and len(np.unique(outcome.truth)) < outcome.K
            ):  # a class has no test row in this fold
                return float("nan")
            raise


@dataclass(frozen=True)
class Judged:
    """A function of (true labels, answers) as a function of an Outcome."""

    function: Callable[..., float]

    @property
    def takes_weights(self) -> bool:
        """Whether it can count rows by their weights."""
        return _takes_weights(self.function)

    def __call__(self, outcome: Outcome) -> float:
        model, truth = _answered(outcome)
        rows = np.arange(len(truth))[:, None]
        weight = {} if outcome.weight is None else {"sample_weight": outcome.weight}
        return float(self.function(truth, model.predict(rows), **weight))


def scorer_named(name: Any) -> Measure | None:
    """The measure of one of scikit-learn's scorers by name; None if there is none for classes.

    >>> from assay.evaluate.scorers import scorer_named
    >>> scorer_named("roc_auc_ovr").needs, scorer_named("f1_weighted").needs, scorer_named("nothing")
    ('probabilities', 'labels', None)
    """
    from sklearn.metrics import get_scorer, get_scorer_names

    key = str(name).strip().lower().replace(" ", "_").replace("-", "_")
    if key not in get_scorer_names():
        return None
    scorer = get_scorer(key)
    return _of_scorer(scorer, key, "regression" if _of_numbers(scorer) else "classification")


def _of_numbers(scorer: Any) -> bool:
    """Whether one of scikit-learn's scorers is of predicted numbers."""
    from sklearn.metrics import _regression

    return getattr(scorer, "_score_func", None) in vars(_regression).values()


def measure_of(function: Callable[..., Any], who: str = "compare", task: str = "classification") -> Measure:
    """The measure of a scorer, or of a function of true labels or numbers and answers; larger counts as better.

    >>> from sklearn.metrics import fbeta_score, make_scorer
    >>> from assay.evaluate.scorers import measure_of
    >>> measure_of(make_scorer(fbeta_score, beta=2)).name
    'fbeta_score(beta=2)'
    """
    if hasattr(function, "_score_func"):
        return _of_scorer(function, _told(function), task)
    name = getattr(function, "__name__", type(function).__name__)
    try:
        needed = [
            p
            for p in inspect.signature(function).parameters.values()
            if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError):
        needed = []
    if len(needed) == 3:
        needs = "probabilities" if task == "classification" else "numbers"
        return Measure(name, OfOutcome(Scored(function, "")), "higher", f"the scorer {name}", needs, task)
    if len(needed) == 2:
        better = "lower" if name.endswith(("_loss", "_error", "_cost")) else "higher"
        needs = "labels" if task == "classification" else "numbers"
        return Measure(
            name, OfOutcome(Judged(function)), better, f"the function {name} of truth and answer", needs, task
        )
    raise ParameterError(
        f"the metric {name} must be a scorer of (model, X, y) or a function of (truth, answer); "
        f"it takes {len(needed)} arguments.",
        who=who,
    )


def _takes_weights(function: Callable[..., Any]) -> bool:
    try:
        takes = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    return "sample_weight" in takes or any(p.kind is p.VAR_KEYWORD for p in takes.values())


def _of_scorer(scorer: Any, name: str, task: str) -> Measure:
    method = getattr(scorer, "_response_method", "predict")
    needs = "numbers" if task == "regression" else "labels" if method == "predict" else "probabilities"
    words = f"scikit-learn's scorer {name}"
    return Measure(
        name, OfOutcome(Scored(scorer, needs)), "higher", words, needs, task, bounds=_bounds(scorer)
    )


def _bounds(scorer: Any) -> tuple[float, float]:
    """Between which values a score can lie, as far as known; no interval goes beyond."""
    name = scorer._score_func.__name__
    known = [m.bounds for m in measures().values() for f in m.functions if f.__name__ == name]
    low, high = known[0] if known else (-np.inf, np.inf)
    if scorer._kwargs.get("adjusted"):  # for chance, which may be better
        low = -np.inf
    return (low, high) if scorer._sign > 0 else (-high, -low)


def _told(scorer: Any) -> str:
    options = ", ".join(f"{k}={v!r}" for k, v in scorer._kwargs.items())
    sign = "" if scorer._sign > 0 else "neg "
    return f"{sign}{scorer._score_func.__name__}" + (f"({options})" if options else "")


@dataclass(frozen=True)
class MeasureScorer:
    """A measure as a scorer of (model, X, y), larger for better; see :func:`scorer_of`."""

    measure: Measure

    def __call__(self, model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        from assay.evaluate.fold import answer_codes, measure_numbers, posterior_of

        if self.measure.task == "regression":
            truth, predicted = (np.asarray(v, dtype=np.float64).ravel() for v in (y, model.predict(X)))
            weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
            columns = X.shape[1] if hasattr(X, "shape") else len(X[0])
            values, _ = measure_numbers(model, X, truth, predicted, weight, [self.measure], columns)
            return -self.measure.sign * values[self.measure.name]
        classes = np.asarray(model.classes_)
        labels = np.unique(np.concatenate([classes, np.asarray(y)]))
        posterior = posterior_of(model, X, labels) if self.measure.needs_probabilities else None
        outcome = Outcome(
            np.searchsorted(labels, np.asarray(y)), answer_codes(np.asarray(model.predict(X)), labels), posterior,
            len(labels), weight=None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64),
            labels=labels,
        )  # fmt: skip
        return -self.measure.sign * float(self.measure.of(outcome))


def scorer_of(measure: MeasureLike) -> MeasureScorer:
    """A measure, by its name or itself, as a scorer for scikit-learn's searches: larger is better.

    >>> from sklearn.model_selection import cross_val_score
    >>> from assay.bayes import GaussianNB
    >>> from assay.evaluate import scorer_of
    >>> from assay.tables.data import load_iris
    >>> iris = load_iris()
    >>> cross_val_score(GaussianNB(), iris.X, iris.y, scoring=scorer_of("balanced error"), cv=3).round(3)
    array([-0.08 , -0.061, -0.039])
    """
    known = measure if isinstance(measure, Measure) else find_measure(measure)
    known = measure_named(measure, "scorer_of") if known is None else known
    if known.needs == "costs":
        raise ParameterError(f"scorer_of: {known.name} needs {known.needs}, which a scorer is not given.")
    return MeasureScorer(known)
