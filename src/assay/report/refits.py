"""What a report refits, within a time limit: learning curves, importances, explained errors."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.core.progress import progress
from assay.errors import ParameterError
from assay.evaluate import Comparison, PermutationImportance
from assay.evaluate.curves import SHARES, Curve, complexity_curve_of, complexity_grid, learning_curve_of
from assay.evaluate.design import Split
from assay.metrics.measure import measures
from assay.report.confident_errors import ConfidentError, most_confident_errors
from assay.report.model_part import model_html
from assay.report.predictive_rows import PredictiveRows, gives_intervals, predictive_rows
from assay.report.surprising_rows import SurprisingRow, most_surprising_rows

__all__ = ["Extras", "extras"]

CURVE_SPLITS = 3  # splits that curves are averaged over
MIN_TRAINING_ROWS, MIN_TEST_ROWS = 20, 5  # of a split that can show a curve
MIN_SECONDS = 2.0  # always allowed
MAX_ERRORS = 3  # errors explained of each learner
MAX_EXPLAINED = 6  # learners whose errors are explained


@dataclass
class Extras:
    """Of each learner: its learning curve, its complexity curve, its most confident errors; and what was left out.

    Of a learner of numbers, its predictive distributions of the test rows, and the rows that surprise it most.
    Of the best one also the permutation importances, and its model, fitted on all rows, as HTML.
    """

    learning: dict[str, Curve] = field(default_factory=dict)
    complexity: dict[str, Curve] = field(default_factory=dict)
    errors: dict[str, list[ConfidentError]] = field(default_factory=dict)
    predictive: dict[str, PredictiveRows] = field(default_factory=dict)
    surprising: dict[str, list[SurprisingRow]] = field(default_factory=dict)
    importance: PermutationImportance | None = None
    model: Any = None
    notes: list[str] = field(default_factory=list)


def extras(
    result: Comparison, learning_curves: Any = "auto", explanations: Any = "auto", importance: Any = "auto"
) -> Extras:
    """Refit for curves and explanations.

    Parameters
    ----------
    learning_curves : "auto", True or False
        "auto" draws the curves of the learners, best first, that together take about the comparison's own time at
        most, judged by the times it measured; True draws all.
    explanations : "auto", True or False
        The same for the most confident errors, or the most surprising rows of learners of numbers, and for their
        prediction intervals; True explains those of all learners.
    importance : "auto", True or False
        Whether to refit the best learner for the permutation importance of the columns, and on all rows for its model;
        "auto" repeats less, or leaves it out, where it would take longer than the comparison.
    """
    requests = {"learning_curves": learning_curves, "explanations": explanations, "importance": importance}
    for name, value in requests.items():
        if not (isinstance(value, bool) or value == "auto"):
            raise ParameterError(f'report: {name} must be "auto", True or False, got {value!r}.')
    refitted = Extras()
    if result.source is None:
        if any(value is not False for value in requests.values()):
            refitted.notes.append(
                "This comparison was saved without its rows, so learning curves, importances of columns and "
                "explanations of single rows are left out."
            )
        return refitted
    order = [s.learner for s in result.ranking() if not s.failure]
    first = [s for s in result.splits if s.repetition == result.places[0][0]]
    jobs = _about_the_best(result, order, len(first), importance, refitted)
    jobs += _jobs(result, order, first, learning_curves, explanations, refitted)
    with progress(total=len(jobs), description="curves and explanations") as bar:
        for name, work in jobs:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the comparison has shown these warnings already
                try:
                    work()
                except Exception as error:  # an extra must not cost the page
                    message = " ".join(str(error).split())[:200]
                    refitted.notes.append(
                        f"A curve, an explanation or the model of {name} is missing: {message}"
                    )
            bar.advance(note=name)
    return refitted


def _about_the_best(
    result: Comparison, order: list[str], folds: int, request: Any, refitted: Extras
) -> list[tuple[str, Callable[[], None]]]:
    """Permutation importance of the best learner, with as many repeats as the time allows, and its model."""
    if request is False or not order or np.isnan(result.ranking()[0].mean):
        return []
    name, seconds_allowed = order[0], max(MIN_SECONDS, float(result.settings.get("seconds", 0.0)))
    fit = float(np.median([c.fit_seconds for c in result.cells[name]]))
    predict = float(np.median([c.predict_seconds for c in result.cells[name]]))
    d = len(result.data.columns)

    def price(repeats: int, splits: int) -> float:
        return splits * (fit + 2 * predict * (1 + d * repeats))  # answers, and for some metrics probabilities

    plans = [(5, folds), (3, folds), (2, folds), (2, min(folds, 5)), (1, min(folds, 5)), (1, min(folds, 3))]
    plan = plans[0] if request is True else next((p for p in plans if price(*p) <= seconds_allowed), None)
    jobs: list[tuple[str, Callable[[], None]]] = []
    if plan is None:
        refitted.notes.append(
            f"Which columns matter to {name} is left out: it would take longer than the comparison itself. "
            "report(path, importance=True) finds it."
        )
    else:
        repeats, splits = plan

        def columns() -> None:
            refitted.importance = result.importance(name, n_repeats=repeats, splits=splits)

        jobs.append((name, columns))
    if request is True or fit <= seconds_allowed:

        def model() -> None:
            refitted.model = model_html(result, name)

        jobs.append((name, model))
    return jobs


def _jobs(
    result: Comparison,
    order: list[str],
    first: list[Split],
    curves: Any,
    explanations: Any,
    refitted: Extras,
) -> list[tuple[str, Callable[[], None]]]:
    """Jobs within the time limit: learning curves, then errors, then complexity curves; best learners first."""
    folds = (
        result.splits[-CURVE_SPLITS:] if result.design.kind == "time" else result.splits[:CURVE_SPLITS]
    )  # by time: most rows
    if curves and (len(folds[0].train) < MIN_TRAINING_ROWS or len(folds[0].test) < MIN_TEST_ROWS):
        curves = False
        refitted.notes.append("Learning curves are left out: the splits have too few rows for them.")
    left = max(MIN_SECONDS, float(result.settings.get("seconds", 0.0)))
    jobs: list[tuple[str, Callable[[], None]]] = []
    omitted = []

    def affords(name: str, fits: float, request: Any) -> bool:
        nonlocal left
        price = fits * _seconds(result, name)
        if not request or (request == "auto" and price > left):
            return False
        left -= price
        return True

    for name in order:  # training rows are predicted, too: half as much again
        if affords(name, 1.5 * len(folds) * sum(SHARES), curves):
            jobs.append((name, _learning(result, name, folds, refitted)))
        else:
            omitted.append(name)
    for name in order if explanations is True else order[:MAX_EXPLAINED]:
        if result.task == "regression":
            if gives_intervals(result, name) and affords(name, 1.5 * len(first), explanations):
                jobs.append((name, _predictive(result, name, first, refitted)))
            if affords(name, min(len(first), MAX_ERRORS), explanations):
                jobs.append((name, _surprising(result, name, first, refitted)))
        elif affords(name, min(len(first), MAX_ERRORS), explanations):
            jobs.append((name, _errors(result, name, first, refitted)))
    for name in order:
        values = complexity_grid(result, name)[1]
        if values and affords(name, 1.5 * len(folds) * len(values), curves):
            jobs.append((name, _complexity(result, name, folds, refitted)))
    if omitted and curves:
        refitted.notes.append(
            f"Learning curves of {', '.join(omitted)} are left out: they would take longer than the comparison "
            "itself. report(path, learning_curves=True) draws them."
        )
    return jobs


def _seconds(result: Comparison, name: str) -> float:
    return float(np.median([c.fit_seconds + c.predict_seconds for c in result.cells[name]]))


def _learning(result: Comparison, name: str, folds: list[Split], refitted: Extras) -> Callable[[], None]:
    def work() -> None:
        curve = learning_curve_of(result, name, _metric(result), folds)
        if curve is not None:
            refitted.learning[name] = curve

    return work


def _complexity(result: Comparison, name: str, folds: list[Split], refitted: Extras) -> Callable[[], None]:
    def work() -> None:
        curve = complexity_curve_of(result, name, _metric(result), folds)
        if curve is not None:
            refitted.complexity[name] = curve

    return work


def _metric(result: Comparison) -> Any:
    """The ranking metric, or the error rate where that one needs costs of single rows."""
    return result.metrics[0] if result.metrics[0].needs != "costs" else measures()["error"]


def _predictive(result: Comparison, name: str, first: list[Split], refitted: Extras) -> Callable[[], None]:
    def work() -> None:
        refitted.predictive[name] = predictive_rows(result, name, first)

    return work


def _surprising(result: Comparison, name: str, first: list[Split], refitted: Extras) -> Callable[[], None]:
    def work() -> None:
        predictive = refitted.predictive.get(name)
        refitted.surprising[name] = most_surprising_rows(result, name, first, MAX_ERRORS, predictive)

    return work


def _errors(result: Comparison, name: str, first: list[Split], refitted: Extras) -> Callable[[], None]:
    def work() -> None:
        errors = most_confident_errors(result, name, first, MAX_ERRORS)
        if errors is not None:
            refitted.errors[name] = errors

    return work
