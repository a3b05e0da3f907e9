"""What a comparison measures on the test rows of a fold: measures by name, scorers, functions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assay.errors import ParameterError
from assay.metrics.measure import Measure, find_measure, measure_named

__all__ = ["as_measures"]


def as_measures(metrics: Any, who: str = "compare") -> list[Measure]:
    """Measures from whatever names them; the first one ranks.

    A Measure stays what it is. A name is one of :func:`assay.metrics.measures`, one of a class such as "recall of yes",
    "top-5" or "lift at 20%", or the name of one of scikit-learn's scorers ("roc_auc_ovr"). A function is a scorer, made
    by ``make_scorer`` or of (model, X, y), or takes the true labels and the answers.

    >>> from assay.evaluate.metrics import as_measures
    >>> [m.better for m in as_measures(["error", "auc", "recall of yes", "neg_log_loss"])]
    ['lower', 'higher', 'higher', 'higher']
    """
    if isinstance(metrics, (str, Measure)) or callable(metrics):
        metrics = [metrics]
    if not isinstance(metrics, Iterable):
        raise ParameterError(f"metrics must be a list of names, got {metrics!r}.", who=who)
    listed = [_measure(m, who) for m in metrics]
    if not listed:
        raise ParameterError("metrics is empty; name at least one, for example 'error'.", who=who)
    names = [m.name for m in listed]
    if len(set(names)) < len(names):
        raise ParameterError(
            f"metrics names {next(n for n in names if names.count(n) > 1)!r} twice.", who=who
        )
    return listed


def _measure(m: Any, who: str) -> Measure:
    known = m if isinstance(m, Measure) else find_measure(m)
    if known is None:
        from assay.evaluate.scorers import measure_of, scorer_named

        known = measure_of(m, who) if callable(m) else scorer_named(m)
    if known is None:
        return measure_named(m, who, "; and scikit-learn's scorers by name")
    if known.task == "regression":
        raise ParameterError(
            f"the metric {known.name} is of predicted numbers, and the target has classes. "
            "Choose one of classes, for example 'error'.",
            who=who,
        )
    return known
