"""scikit-learn's scorers, and functions of two labellings, as metrics of a fold."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from assay.errors import ParameterError
from assay.evaluate.metrics import Metric, Outcome

__all__ = ["metric_of", "scorer_named"]

_SHARES = (
    "accuracy", "average_precision", "balanced_accuracy", "f1", "fbeta", "jaccard", "precision", "recall", "roc_auc",
    "top_k_accuracy",
)  # fmt: skip
_BOUNDS = {f"{name}_score": (0.0, 1.0) for name in _SHARES} | {
    "matthews_corrcoef": (-1.0, 1.0),
    "cohen_kappa_score": (-1.0, 1.0),
    "log_loss": (0.0, np.inf),
    "brier_score_loss": (0.0, 2.0),  # 1 for two classes
}


class Answered(ClassifierMixin, BaseEstimator):
    """A classifier that has answered already: asked for rows by number, it repeats what was said."""

    def __init__(self, seen: Outcome):
        self.seen = seen
        self.classes_ = np.arange(seen.K) if seen.labels is None else np.asarray(seen.labels)

    def predict(self, rows: np.ndarray) -> np.ndarray:
        answer = self.seen.answer[rows[:, 0]]
        if (answer < 0).any():
            raise ParameterError(
                "compare: scikit-learn's scorers know no answer that is not a class, such as reject."
            )
        return self.classes_[answer]

    def predict_proba(self, rows: np.ndarray) -> np.ndarray:
        if self.seen.posterior is None:
            raise AttributeError("no probabilities")
        return self.seen.posterior[rows[:, 0]]


@dataclass(frozen=True)
class Scored:
    """A scorer of (model, X, y) as a function of an Outcome; NaN where the fold lacks what it needs."""

    scorer: Callable[..., float]
    needs: str

    @property
    def weighs(self) -> bool:
        """Whether it can be told how much each row counts."""
        return _takes_weights(getattr(self.scorer, "_score_func", self.scorer))

    def __call__(self, seen: Outcome) -> float:
        if self.needs == "posterior" and seen.posterior is None:
            return float("nan")
        model = Answered(seen)
        rows = np.arange(len(seen.truth))[:, None]
        weight = {} if seen.weight is None else {"sample_weight": seen.weight}
        try:
            return float(self.scorer(model, rows, model.classes_[seen.truth], **weight))
        except ValueError:
            if len(np.unique(seen.truth)) < seen.K:  # a class has no test row in this fold
                return float("nan")
            raise


@dataclass(frozen=True)
class Judged:
    """A function of (true labels, answers) as a function of an Outcome."""

    function: Callable[..., float]

    @property
    def weighs(self) -> bool:
        """Whether it can be told how much each row counts."""
        return _takes_weights(self.function)

    def __call__(self, seen: Outcome) -> float:
        model = Answered(seen)
        rows = np.arange(len(seen.truth))[:, None]
        weight = {} if seen.weight is None else {"sample_weight": seen.weight}
        return float(self.function(model.classes_[seen.truth], model.predict(rows), **weight))


def scorer_named(name: Any) -> Metric | None:
    """The metric of one of scikit-learn's scorers by name; None if there is none for classes.

    >>> from assay.evaluate.scorers import scorer_named
    >>> scorer_named("roc_auc_ovr").needs, scorer_named("f1_weighted").needs, scorer_named("nothing")
    ('posterior', '', None)
    """
    from sklearn.metrics import get_scorer, get_scorer_names

    key = str(name).strip().lower().replace(" ", "_").replace("-", "_")
    return _of_scorer(get_scorer(key), key) if key in get_scorer_names() else None


def metric_of(function: Callable[..., Any]) -> Metric:
    """The metric of a scorer, or of a function of true labels and answers; larger counts as better.

    >>> from sklearn.metrics import fbeta_score, make_scorer
    >>> from assay.evaluate.scorers import metric_of
    >>> metric_of(make_scorer(fbeta_score, beta=2)).name
    'fbeta_score(beta=2)'
    """
    if hasattr(function, "_score_func"):
        return _of_scorer(function, _told(function))
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
        return Metric(name, Scored(function, ""), "higher", f"the scorer {name}", needs="posterior")
    if len(needed) == 2:
        better = "lower" if name.endswith(("_loss", "_error", "_cost")) else "higher"
        return Metric(name, Judged(function), better, f"the function {name} of truth and answer")
    raise ParameterError(
        f"compare: the metric {name} must be a scorer of (model, X, y) or a function of (truth, answer); "
        f"it takes {len(needed)} arguments."
    )


def _takes_weights(function: Callable[..., Any]) -> bool:
    try:
        takes = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    return "sample_weight" in takes or any(p.kind is p.VAR_KEYWORD for p in takes.values())


def _of_scorer(scorer: Any, name: str) -> Metric:
    method = getattr(scorer, "_response_method", "predict")
    needs = "" if method == "predict" else "posterior"
    words = f"scikit-learn's scorer {name}"
    return Metric(name, Scored(scorer, needs), "higher", words, needs=needs, bounds=_bounds(scorer))


def _bounds(scorer: Any) -> tuple[float, float]:
    """Between which values a score can lie, as far as known; no interval goes beyond."""
    low, high = _BOUNDS.get(scorer._score_func.__name__, (-np.inf, np.inf))
    if scorer._kwargs.get("adjusted"):  # for chance, which may be better
        low = -np.inf
    return (low, high) if scorer._sign > 0 else (-high, -low)


def _told(scorer: Any) -> str:
    options = ", ".join(f"{k}={v!r}" for k, v in scorer._kwargs.items())
    sign = "" if scorer._sign > 0 else "neg "
    return f"{sign}{scorer._score_func.__name__}" + (f"({options})" if options else "")
