"""The steps of scikit-learn's pipelines, and of them alone: other estimators may have a parameter called steps."""

from __future__ import annotations

from typing import Any

__all__ = ["pipeline_steps"]


def pipeline_steps(model: Any) -> list[tuple[str, Any]]:
    """Name and estimator of each step of a pipeline; none for any other estimator.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from assay.core.pipelines import pipeline_steps
    >>> from assay.trees import NeuralTreeClassifier
    >>> pipeline_steps(make_pipeline(StandardScaler())), pipeline_steps(NeuralTreeClassifier(steps=100))
    ([('standardscaler', StandardScaler())], [])
    """
    return list(model.steps) if hasattr(type(model), "named_steps") else []
