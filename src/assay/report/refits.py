"""What a report learns anew, within a time that is decent: curves, and errors explained."""

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
from assay.report.mistakes import Mistake, surest_mistakes
from assay.report.model_part import model_html

__all__ = ["Extras", "extras"]

FOLDS = 3  # splits that curves are averaged over
LEAST_TAUGHT, LEAST_TESTED = 20, 5  # rows of a split that can show a curve
LEAST = 2.0  # seconds that are always allowed
MISTAKES = 3  # errors explained of each learner
EXPLAINED = 6  # learners whose errors are explained


@dataclass
class Extras:
    """Of each learner: its learning curve, its complexity curve, its most confident errors; and what was left out.

    Of the best one also which columns matter to it, and its model, fitted on all rows, as HTML.
    """

    learning: dict[str, Curve] = field(default_factory=dict)
    complexity: dict[str, Curve] = field(default_factory=dict)
    mistakes: dict[str, list[Mistake]] = field(default_factory=dict)
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
        The same for the errors that learners were surest of; True explains those of all learners.
    importance : "auto", True or False
        Whether to refit the best learner for the permutation importance of the columns, and on all rows for its model;
        "auto" repeats less, or leaves it out, where it would take longer than the comparison.
    """
    asked = {"learning_curves": learning_curves, "explanations": explanations, "importance": importance}
    for name, value in asked.items():
        if not (isinstance(value, bool) or value == "auto"):
            raise ParameterError(f'report: {name} must be "auto", True or False, got {value!r}.')
    found = Extras()
    if result.source is None:
        if any(value is not False for value in asked.values()):
            found.notes.append(
                "This comparison was saved without its rows, so learning curves, importances of columns and "
                "explanations of single rows are left out."
            )
        return found
    order = [s.learner for s in result.ranking() if not s.failure]
    first = [s for s in result.splits if s.repetition == result.places[0][0]]
    jobs = _about_the_best(result, order, len(first), importance, found)
    jobs += _jobs(result, order, first, learning_curves, explanations, found)
    with progress(total=len(jobs), description="curves and explanations") as bar:
        for name, work in jobs:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the comparison has told them already
                try:
                    work()
                except Exception as error:  # an extra must not cost the page
                    said = " ".join(str(error).split())[:200]
                    found.notes.append(f"A curve, an explanation or the model of {name} is missing: {said}")
            bar.advance(note=name)
    return found


def _about_the_best(
    result: Comparison, order: list[str], folds: int, asked: Any, found: Extras
) -> list[tuple[str, Callable[[], None]]]:
    """The columns that matter to the best learner, as often exchanged as the time allows, and its model."""
    if asked is False or not order or np.isnan(result.ranking()[0].mean):
        return []
    name, allowed = order[0], max(LEAST, float(result.settings.get("seconds", 0.0)))
    fit = float(np.median([c.fit_seconds for c in result.cells[name]]))
    predict = float(np.median([c.predict_seconds for c in result.cells[name]]))
    d = len(result.data.columns)

    def price(repeats: int, splits: int) -> float:
        return splits * (fit + 2 * predict * (1 + d * repeats))  # answers, and for some metrics probabilities

    plans = [(5, folds), (3, folds), (2, folds), (2, min(folds, 5)), (1, min(folds, 5)), (1, min(folds, 3))]
    plan = plans[0] if asked is True else next((p for p in plans if price(*p) <= allowed), None)
    jobs: list[tuple[str, Callable[[], None]]] = []
    if plan is None:
        found.notes.append(
            f"Which columns matter to {name} is left out: it would take longer than the comparison itself. "
            "report(path, importance=True) finds it."
        )
    else:
        repeats, splits = plan

        def columns() -> None:
            found.importance = result.importance(name, n_repeats=repeats, splits=splits)

        jobs.append((name, columns))
    if asked is True or fit <= allowed:

        def model() -> None:
            found.model = model_html(result, name)

        jobs.append((name, model))
    return jobs


def _jobs(
    result: Comparison,
    order: list[str],
    first: list[Split],
    curves: Any,
    explained: Any,
    found: Extras,
) -> list[tuple[str, Callable[[], None]]]:
    """What is to be done within the allowance: learning curves, then errors, then complexity; best learners first."""
    folds = (
        result.splits[-FOLDS:] if result.design.kind == "time" else result.splits[:FOLDS]
    )  # by time: most rows
    if curves and (len(folds[0].train) < LEAST_TAUGHT or len(folds[0].test) < LEAST_TESTED):
        curves = False
        found.notes.append("Learning curves are left out: the splits have too few rows for them.")
    left = max(LEAST, float(result.settings.get("seconds", 0.0)))
    jobs: list[tuple[str, Callable[[], None]]] = []
    without = []

    def affords(name: str, fits: float, asked: Any) -> bool:
        nonlocal left
        price = fits * _seconds(result, name)
        if not asked or (asked == "auto" and price > left):
            return False
        left -= price
        return True

    for name in order:  # the rows that taught are classified too: half as much again
        if affords(name, 1.5 * len(folds) * sum(SHARES), curves):
            jobs.append((name, _learning(result, name, folds, found)))
        else:
            without.append(name)
    for name in order if explained is True else order[:EXPLAINED]:
        if affords(name, min(len(first), MISTAKES), explained):
            jobs.append((name, _mistakes(result, name, first, found)))
    for name in order:
        values = complexity_grid(result, name)[1]
        if values and affords(name, 1.5 * len(folds) * len(values), curves):
            jobs.append((name, _complexity(result, name, folds, found)))
    if without and curves:
        found.notes.append(
            f"Learning curves of {', '.join(without)} are left out: they would take longer than the comparison "
            "itself. report(path, learning_curves=True) draws them."
        )
    return jobs


def _seconds(result: Comparison, name: str) -> float:
    return float(np.median([c.fit_seconds + c.predict_seconds for c in result.cells[name]]))


def _learning(result: Comparison, name: str, folds: list[Split], found: Extras) -> Callable[[], None]:
    def work() -> None:
        curve = learning_curve_of(result, name, _metric(result), folds)
        if curve is not None:
            found.learning[name] = curve

    return work


def _complexity(result: Comparison, name: str, folds: list[Split], found: Extras) -> Callable[[], None]:
    def work() -> None:
        curve = complexity_curve_of(result, name, _metric(result), folds)
        if curve is not None:
            found.complexity[name] = curve

    return work


def _metric(result: Comparison) -> Any:
    """The metric that ranks, or the error where that one needs prices of single rows."""
    return result.metrics[0] if result.metrics[0].needs != "costs" else measures()["error"]


def _mistakes(result: Comparison, name: str, first: list[Split], found: Extras) -> Callable[[], None]:
    def work() -> None:
        told = surest_mistakes(result, name, first, MISTAKES)
        if told is not None:
            found.mistakes[name] = told

    return work
