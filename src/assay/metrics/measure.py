"""One record for each measure: its name, how it is computed, what it needs and which direction is better.

A measure is declared beside its function, in a module of this room, and found there by :func:`measures`; comparison,
tuning, curves, scorers, reports and the command line all read it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from assay.errors import ParameterError, did_you_mean
from assay.metrics.estimate import Estimate
from assay.metrics.forms import ONE_ROW, Form, IntervalRequest, OfOutcome, OfRows, OfScores, OfTable
from assay.metrics.outcome import Outcome
from assay.types import Label

__all__ = ["Measure", "measure_named", "measures"]

NEEDS = ("labels", "scores", "probabilities", "costs", "numbers", "quantiles", "distribution")
TASKS = ("classification", "regression", "both")


@dataclass(frozen=True)
class Measure:
    """A measure of predictions.

    Parameters
    ----------
    name : str
        As tables print it.
    of : a form (:class:`OfTable`, :class:`OfRows`, :class:`OfScores`, :class:`OfMeans`), which knows its interval, or
        any function of an :class:`Outcome` that gives a number, NaN where the rows do not define it
    better : "lower", "higher", or "neither" for one that shows a direction, by which no learner is ranked
    words : str
        What it is, in a few words.
    needs : what a learner must give: "labels", "scores" (larger for a likelier class; probabilities will do),
        "probabilities", "costs" (of decisions), "numbers", "quantiles" or "distribution"
    task : "classification", "regression" or "both"
    bounds : the smallest and the largest possible value
    functions : the public functions that compute it, the first of them with its default arguments
    aliases : other names; those of the first function need not be repeated, nor spellings with - or _
    options : a function of options that gives the form with them, or None
    variant : a function that reads other names ("top-5" for "top-2") as a measure, None if it cannot; or None
    reason : a function of an Outcome that says why the measure is not defined on these rows, "" if it does not know; or
        None

    Examples
    --------
    >>> import numpy as np
    >>> from assay.metrics import Measure, Outcome
    >>> wrong = Measure("wrong rows", lambda outcome: float((outcome.answer != outcome.truth).sum()), "lower")
    >>> wrong.of(Outcome(np.array([0, 0, 1]), np.array([0, 1, 0]), None, 2)), wrong.sign
    (2.0, 1)
    """

    name: str
    of: Form
    better: str = "lower"
    words: str = ""
    needs: str = "labels"
    task: str = "classification"
    bounds: tuple[float, float] = (-np.inf, np.inf)
    functions: tuple[Callable[..., Any], ...] = ()
    aliases: tuple[str, ...] = ()
    options: Callable[..., Form] | None = None
    variant: Callable[[str], Measure | None] | None = None
    reason: Callable[[Outcome], str] | None = None

    def __post_init__(self) -> None:
        for value, allowed, field in (
            (self.better, ("lower", "higher", "neither"), "better"),
            (self.needs, NEEDS, "needs"),
            (self.task, TASKS, "task"),
        ):
            if value not in allowed:
                raise ParameterError(
                    f"Measure {self.name!r}: {field} must be one of {', '.join(allowed)}, got {value!r}."
                )
        if not hasattr(self.of, "interval"):
            object.__setattr__(self, "of", OfOutcome(self.of))

    @property
    def sign(self) -> int:
        """+1 if lower is better, -1 if higher is, 0 if neither."""
        return {"lower": 1, "higher": -1}.get(self.better, 0)

    @property
    def rate(self) -> bool:
        """Whether it is a share of all test rows, so that their number alone bounds its precision."""
        if isinstance(self.of, OfTable):
            return self.of.share is not None and not self.of.per_class
        return isinstance(self.of, OfRows) and self.of.share

    @property
    def counts_errors(self) -> bool:
        """Whether it is the share of wrong, or of correct, predictions, as error and accuracy are."""
        return isinstance(self.of, OfTable) and self.rate

    @property
    def is_roc_area(self) -> bool:
        """Whether it is the area under the ROC curve, or a line of it."""
        return isinstance(self.of, OfScores) and self.of.column == 0

    @property
    def needs_probabilities(self) -> bool:
        """Whether a classifier must give more than labels: probabilities, or at least scores."""
        return self.needs in ("scores", "probabilities")

    @property
    def takes_weights(self) -> bool:
        """Whether rows can count by their weights; a user's function may not support them."""
        return getattr(getattr(self.of, "function", None), "takes_weights", True)

    @property
    def names(self) -> set[str]:
        """All its names, in lower case with spaces."""
        all_names = {self.name, *self.aliases, *(f.__name__ for f in self.functions[:1])}
        spelt = {_plain(name) for name in all_names}
        return spelt | {name.removesuffix(" score") for name in spelt}

    def of_class(self, label: Label) -> Measure:
        """The same of one class, as in "recall of yes".

        >>> from assay.metrics import measures
        >>> measures()["recall"].of_class("yes").name
        'recall of yes'
        """
        if not isinstance(self.of, OfTable):
            raise ParameterError(f"{self.name} is not a measure of single classes.", who="Measure.of_class")
        words = f"{self.name} of the class {label}"
        return replace(self, name=f"{self.name} of {label}", of=self.of.of_class(label), words=words,
                       functions=(), aliases=(), variant=None)  # fmt: skip

    def with_options(self, who: str, **options: Any) -> Measure:
        """The measure with other settings than the usual ones."""
        if not options:
            return self
        accepted = inspect.signature(self.options).parameters if self.options is not None else {}
        unknown = [name for name in options if name not in accepted]
        if unknown or self.options is None:
            raise ParameterError(f"{self.name} has no option {unknown[0]!r}.", who=who)
        return replace(self, of=self.options(**options))

    def estimate(self, outcome: Outcome, alpha: float = 0.05, resamples: int = 1000) -> Estimate:
        """The measure of these rows with an interval: by a formula, or by resampling the rows.

        >>> import numpy as np
        >>> from assay.metrics import Outcome, measures
        >>> outcome = Outcome(np.array([0, 0, 0, 1]), np.array([0, 0, 0, 0]), None, 2)
        >>> print(measures()["error"].estimate(outcome))
        0.2500 (0.0456 to 0.6994, Wilson)
        """
        value = float(self.of(outcome))
        if np.isnan(value):
            return Estimate(value, alpha=alpha, why=self.why_undefined(outcome))
        if len(outcome.truth) < 2 and not self.rate:
            return Estimate(value, alpha=alpha, why=ONE_ROW)
        return self.of.interval(outcome, IntervalRequest(alpha, resamples=resamples), self.bounds)

    def why_undefined(self, outcome: Outcome) -> str:
        """Why the measure is NaN on these rows.

        >>> from assay.metrics import Outcome, measures
        >>> measures()["r2"].why_undefined(Outcome.of_numbers([2, 2], [1, 3]))
        'all true values are equal, so there is no variance to explain'
        """
        reason = "" if self.reason is None else self.reason(outcome)
        return reason or "the metric is not defined on these rows"


@lru_cache
def measures(task: str | None = None, ranked: bool = True) -> dict[str, Measure]:
    """All measures by name: every :class:`Measure` that a module of this room declares.

    Parameters
    ----------
    task : "classification" or "regression" for the measures of one of them; None for all
    ranked : only those by which learners can be ranked; False adds the signed error, of which neither end is better

    Examples
    --------
    >>> from assay.metrics import measures
    >>> measures()["auc"].needs, measures()["auc"].better
    ('scores', 'higher')
    >>> "rmse" in measures("regression"), "rmse" in measures("classification")
    (True, False)
    """
    if task is not None:
        if task not in TASKS:
            raise ParameterError(f"task must be one of {', '.join(TASKS)}, got {task!r}.", who="measures")
        return {name: m for name, m in measures(None, ranked).items() if m.task in (task, "both")}
    if ranked:
        return {name: m for name, m in measures(None, False).items() if m.better != "neither"}
    import importlib
    import pkgutil

    import assay.metrics

    modules = [
        importlib.import_module(f"assay.metrics.{entry.name}")
        for entry in pkgutil.iter_modules(assay.metrics.__path__)
        if not entry.name.startswith("_")
    ]
    declared = {id(m): m for module in modules for m in vars(module).values() if isinstance(m, Measure)}
    by_name: dict[str, Measure] = {}
    for m in declared.values():
        for name in m.names:
            if name in by_name:
                raise ParameterError(
                    f"assay.metrics: {m.name!r} and {by_name[name].name!r} are both {name!r}."
                )
            by_name[name] = m
    return {m.name: m for m in sorted(declared.values(), key=lambda m: m.name)}


def measure_named(
    name: Any, who: str = "measure_named", also: str = "", ranked: bool = True, task: str | None = None
) -> Measure:
    """The measure of a name: its own, an alias, of one class ("recall of yes") or with a number ("top-5").

    >>> from assay.metrics import measure_named
    >>> [measure_named(name).name for name in ("Balanced_Accuracy", "roc_auc", "Recall of yes", "top-5")]
    ['balanced accuracy', 'auc', 'recall of yes', 'top-5']
    """
    measure = find_measure(name, ranked)
    if measure is None:
        fitting = [m for m in measures().values() if task is None or m.task in (task, "both")]
        meant = did_you_mean(_plain(str(name)), [n for m in fitting for n in m.names], listed=False)
        raise ParameterError(
            f"there is no metric {name!r}.{meant} Known: {_listed(task)}{also}.",
            who=who,
        )
    return measure


def _listed(task: str | None) -> str:
    of_classes = f"{', '.join(measures('classification'))}; of one class, as in 'recall of yes'"
    of_numbers = ", ".join(measures("regression"))
    both = f"{of_classes}; of numbers: {of_numbers}"
    return {"classification": of_classes, "regression": of_numbers}.get(task or "", both)


def find_measure(name: Any, ranked: bool = True) -> Measure | None:
    """The measure of a name, or of a public function of this room; None if there is none."""
    if callable(name):
        return next(
            (m for m in measures(None, ranked).values() if m.functions and name is m.functions[0]), None
        )
    if not isinstance(name, str):
        return None
    key = _plain(name)
    for m in measures(None, ranked).values():
        if key in m.names:
            return m
    what, _, label = name.strip().partition(" of ")
    general = find_measure(what) if label.strip() else None
    if general is not None and isinstance(general.of, OfTable) and general.of.per_class:
        return general.of_class(label.strip())
    read = (m.variant(key) for m in measures().values() if m.variant is not None)
    return next((m for m in read if m is not None), None)


def _plain(name: str) -> str:
    return " ".join(name.strip().lower().replace("_", " ").replace("-", " ").split())
