"""What a comparison measures on the test rows of a fold: measures by name, scorers, functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from assay.errors import ParameterError
from assay.metrics.measure import Measure, find_measure, measure_named

__all__ = ["as_measures", "one_of", "task_of_metrics"]


DEFAULT = {"classification": ("error",), "regression": ("rmse", "mae", "r2")}


def task_of_metrics(metrics: Any) -> str | None:
    """The task that all metrics named are of, None if they leave it open.

    >>> from assay.evaluate.metrics import task_of_metrics
    >>> task_of_metrics(["auc", "error"]), task_of_metrics("r2"), task_of_metrics(None)
    ('classification', 'regression', None)
    """
    listed = [metrics] if isinstance(metrics, (str, Measure)) or callable(metrics) else metrics or ()
    tasks: set[str | None] = set()
    for m in listed:
        known = m if isinstance(m, Measure) else find_measure(m)
        if known is None and isinstance(m, str):
            from assay.evaluate.scorers import scorer_named

            known = scorer_named(m)
        tasks.add(None if known is None or known.task == "both" else known.task)
    return tasks.pop() if len(tasks) == 1 else None


def as_measures(metrics: Any, who: str = "compare", task: str | None = "classification") -> list[Measure]:
    """Measures from whatever names them; the first one ranks.

    None stands for the default of the task; without a task, metrics of both are taken. A Measure stays what it is. A
    name is one of :func:`assay.metrics.measures`, one of a class such as "recall of yes", "top-5" or "lift at 20%", or
    the name of one of scikit-learn's scorers ("roc_auc_ovr"). A function is a scorer, made by ``make_scorer`` or of
    (model, X, y), or takes the true labels or numbers and the answers.

    >>> from assay.evaluate.metrics import as_measures
    >>> [m.better for m in as_measures(["error", "auc", "recall of yes", "neg_log_loss"])]
    ['lower', 'higher', 'higher', 'higher']
    """
    if metrics is None:
        metrics = DEFAULT[task or "classification"]
    if isinstance(metrics, (str, Measure)) or callable(metrics):
        metrics = [metrics]
    if not isinstance(metrics, Iterable):
        raise ParameterError(f"metrics must be a list of names, got {metrics!r}.", who=who)
    listed = [_measure(m, who, task) for m in metrics]
    if not listed:
        raise ParameterError("metrics is empty; name at least one, for example 'error'.", who=who)
    names = [m.name for m in listed]
    if len(set(names)) < len(names):
        raise ParameterError(
            f"metrics names {next(n for n in names if names.count(n) > 1)!r} twice.", who=who
        )
    return listed


def one_of(measured: Sequence[Measure], name: str, who: str, task: str | None = None) -> Measure:
    """That of the measured metrics which a name stands for: its own in any spelling, or another that compare takes.

    >>> from assay.evaluate.metrics import as_measures, one_of
    >>> one_of(as_measures(["error", "auc"]), "ROC_AUC", "compare").name
    'auc'
    """
    for spelt in (str, _plain):  # as it is, then with other dashes and capitals
        for m in measured:
            if spelt(m.name) == spelt(name):
                return m
    with suppress(ParameterError):
        proper = as_measures([name], task=task)[0].name
        for m in measured:
            if m.name == proper:
                return m
    known = ", ".join(m.name for m in measured)
    raise ParameterError(f"{name!r} was not measured here. Measured: {known}.", who=who)


def _plain(name: object) -> str:
    return str(name).strip().lower().replace("_", " ").replace("-", " ")


def _measure(m: Any, who: str, task: str | None) -> Measure:
    known = m if isinstance(m, Measure) else find_measure(m)
    if known is None:
        from assay.evaluate.scorers import measure_of, scorer_named

        known = measure_of(m, who, task or "classification") if callable(m) else scorer_named(m)
    if known is None:
        return measure_named(m, who, "; and scikit-learn's scorers by name", task=task)
    if task is not None and known.task not in (task, "both"):
        of_numbers = known.task == "regression"
        raise ParameterError(
            f"the metric {known.name} is of {'predicted numbers' if of_numbers else 'classes'}, and the target has "
            f"{'classes' if of_numbers else 'numbers'}. Choose one of {'classes' if of_numbers else 'numbers'}, for "
            f"example '{DEFAULT[task][0]}'.",
            who=who,
        )
    return known
