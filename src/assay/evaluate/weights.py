"""Weights, groups and times of rows, handed to learners under the name they know them by."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import Any

import numpy as np

from assay.core.pipelines import pipeline_steps

__all__ = ["effective_rows", "group_keyword", "time_keyword", "weight_keyword"]


def effective_rows(weights: np.ndarray) -> float:
    r"""How many rows of equal weight tell as much: :math:`(\sum w)^2 / \sum w^2`.

    >>> import numpy as np
    >>> from assay.evaluate.weights import effective_rows
    >>> effective_rows(np.array([2.0, 2.0, 2.0])), effective_rows(np.array([3.0, 1.0, 0.0]))
    (3.0, 1.6)
    """
    total = float(weights.sum())
    return total * total / float((weights**2).sum()) if total else 0.0


def weight_keyword(estimator: Any) -> str | None:
    """Under which name ``fit`` of this learner takes weights of rows; None if it does not.

    A pipeline takes them for its last step, a search for the learner it searches over.

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from assay.evaluate.weights import weight_keyword
    >>> weight_keyword(make_pipeline(StandardScaler(), DecisionTreeClassifier()))
    'decisiontreeclassifier__sample_weight'
    >>> weight_keyword(KNeighborsClassifier()) is None
    True
    """
    steps = pipeline_steps(estimator)
    if steps:
        name, last = steps[-1]
        inner = None if last in (None, "passthrough") else weight_keyword(last)
        return f"{name}__{inner}" if inner else None
    try:
        takes = signature(estimator.fit).parameters
    except (TypeError, ValueError):
        return None
    inner = getattr(estimator, "estimator", None)
    if inner is not None and hasattr(inner, "fit"):  # it passes them on
        named = weight_keyword(inner)
        open_ended = any(p.kind is Parameter.VAR_KEYWORD for p in takes.values())
        if named is None or (named != "sample_weight" and not open_ended):
            return None
        return named if named in takes or open_ended else None
    return "sample_weight" if "sample_weight" in takes else None


def group_keyword(estimator: Any) -> str | None:
    """Under which name ``fit`` of this learner takes the groups of rows, for inner splits; None if it does not.

    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from assay.evaluate.weights import group_keyword
    >>> group_keyword(make_pipeline(GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]})))
    'gridsearchcv__groups'
    >>> group_keyword(DecisionTreeClassifier()) is None
    True
    """
    steps = pipeline_steps(estimator)
    if steps:
        name, last = steps[-1]
        inner = None if last in (None, "passthrough") else group_keyword(last)
        return f"{name}__{inner}" if inner else None
    if hasattr(estimator, "_run_search"):  # scikit-learn's searches hand them to their splitter
        return "groups"
    try:
        return "groups" if "groups" in signature(estimator.fit).parameters else None
    except (TypeError, ValueError):
        return None


def time_keyword(estimator: Any) -> str | None:
    """Under which name ``fit`` of this learner takes the times of rows, for inner splits in their order; None if not.

    A learner with a design of its own, which is not one by time, says so by ``follows_times``.

    >>> from sklearn.pipeline import make_pipeline
    >>> from assay.ensembles import StackingClassifier
    >>> from assay.evaluate.weights import time_keyword
    >>> from assay.trees import DecisionTreeClassifier
    >>> time_keyword(make_pipeline(StackingClassifier()))
    'stackingclassifier__times'
    >>> time_keyword(DecisionTreeClassifier()) is None
    True
    """
    steps = pipeline_steps(estimator)
    if steps:
        name, last = steps[-1]
        inner = None if last in (None, "passthrough") else time_keyword(last)
        return f"{name}__{inner}" if inner else None
    try:
        takes = "times" in signature(estimator.fit).parameters
    except (TypeError, ValueError):
        return None
    return "times" if takes and getattr(estimator, "follows_times", True) else None
