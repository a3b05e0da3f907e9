"""Three parts of the rows: build on one, choose on another, and look at the third once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.core.seeds import as_seed
from assay.errors import DataError, ParameterError, spoken_as
from assay.evaluate.candidates import as_candidates
from assay.evaluate.deal import draw, draw_groups
from assay.evaluate.digits import shown_metric
from assay.evaluate.rows import gather
from assay.metrics.measure import measures
from assay.sentence import Sentence
from assay.stats.information.elbow import elbow
from assay.stats.intervals.proportion_interval import wilson_interval
from assay.stats.significance.test_result import check_alpha, shown_confidence
from assay.tables import Table
from assay.tables.rows import take_rows
from assay.types import Codes, Floats, RowLabels, TableLike

__all__ = ["Choice", "FinalReport", "ThreeWay", "three_way"]


@spoken_as("three_way")
def three_way(
    X: Any,
    y: Any = None,
    shares: tuple[float, float, float] = (0.5, 0.25, 0.25),
    *,
    groups: RowLabels | None = None,
    random_state: int = 0,
    task: str | None = None,
) -> ThreeWay:
    """Divide rows into building, validation and test rows, and keep the test rows out of sight.

    Learners are built on the first part and chosen on the second, whose error then flatters the winner. The third
    is used once, by ``report``, for the error that is reported. Classes are divided in proportion.

    Parameters
    ----------
    X, y : rows and their classes or numbers, as in ``compare``
    shares : of building, validation and test rows; they add up to 1
    groups : (n,) rows of one group stay in one part
    random_state : whole number; of the parts, and of every learner's own open random_state
    task : as in ``compare``

    Returns
    -------
    ThreeWay

    Examples
    --------
    >>> from assay.evaluate import three_way
    >>> from assay.tables.data import load_wine
    >>> rows = three_way(*load_wine())
    >>> choice = rows.choose(["majority", "lda", "naive bayes"])
    >>> choice.best
    'lda'
    >>> print(rows.report(choice))
    error of lda on 44 test rows 0.0000, 95% interval 0.0000 to 0.0803.
    """
    try:
        parts = np.asarray(shares, dtype=np.float64)
    except (TypeError, ValueError):
        parts = np.empty(0)
    if parts.shape != (3,) or not (parts > 0).all() or abs(parts.sum() - 1) > 1e-9:
        text = repr(shares) if parts.size <= 3 else f"{parts.size} values"
        raise ParameterError(
            f"three_way: shares must be three numbers above 0 that add up to 1, got {text}. It is called with X and y; "
            "learners are named in the result's method choose."
        )
    if y is None and hasattr(X, "target_name"):
        X, y = X
    rows = gather(X, y, "holdout", groups=groups, task=task, who="three_way")
    data = rows.data
    X, codes, groups, values = data.raw, data.codes, data.groups, data.values_of_target
    rng = np.random.default_rng([as_seed(random_state, "three_way"), 0])
    everyone = np.arange(len(values))
    last = _drawn(codes, groups, everyone, parts[2], rng)
    others = np.setdiff1d(everyone, last)
    middle = _drawn(codes, groups, others, parts[1] / (parts[0] + parts[1]), rng)
    first = np.setdiff1d(others, middle)
    if not all(len(part) for part in (first, middle, last)):
        raise DataError(f"three_way: {len(values)} rows cannot be divided into three parts {tuple(shares)}.")
    return ThreeWay(X, values, first, middle, last, data.target.task == "classification", random_state)


def _drawn(codes: Codes, groups: Any, rows: Codes, share: float, rng: np.random.Generator) -> Codes:
    y = np.unique(codes[rows], return_inverse=True)[1]
    if groups is None:
        return rows[draw(y, float(share), rng)]
    if len(np.unique(groups[rows])) < 2:
        raise DataError("three_way: there are too few groups for three parts that keep each group whole.")
    return rows[draw_groups(y, groups[rows], float(share), rng)]


class ThreeWay:
    """Building, validation and test rows; made by :func:`three_way`.

    Attributes
    ----------
    building, validation : (rows,) numbers of the rows of these parts
    looks : how often the test rows have been used
    """

    def __init__(
        self,
        X: TableLike,
        y: np.ndarray,
        building: np.ndarray,
        validation: np.ndarray,
        test: np.ndarray,
        classes: bool,
        seed: int,
    ):
        self.building, self.validation, self.looks = building, validation, 0
        self._X, self._y, self._test, self._classes, self._seed = X, y, test, classes, seed

    def __repr__(self) -> str:
        parts = f"{len(self.building)} building, {len(self.validation)} validation and {len(self._test)} test rows"
        return f"{parts}; the test rows were looked at {self.looks} times"

    def choose(
        self,
        learners: Any,
        *,
        error: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
        rule: str = "smallest",
        refit: bool = True,
    ) -> Choice:
        """Build every learner, take the one with the smallest error on the validation rows, the first of equals.

        Parameters
        ----------
        learners : as in ``compare``
        error : function of (truth, answer) giving the error of each row; default 0 or 1 for classes, squared
            differences for numbers
        rule : "smallest", or "one standard error": the first learner, from simple to complex, whose validation error
            is within one standard error of the smallest
        refit : whether the chosen learner is fitted again to building and validation rows together
        """
        if rule not in ("smallest", "one standard error"):
            raise ParameterError(f'ThreeWay: rule must be "smallest" or "one standard error", got {rule!r}.')
        measure = error or (_miss if self._classes else _square)
        names, training, validation, spreads, makers = [], [], [], [], []
        for name, make in self._makers(learners):
            model = self._fit(make, self.building)
            by_row = self._errors(model, self.validation, measure)
            names.append(name)
            makers.append(make)
            training.append(float(self._errors(model, self.building, measure).mean()))
            validation.append(float(by_row.mean()))
            spreads.append(float(by_row.std(ddof=1) / np.sqrt(len(by_row))) if len(by_row) > 1 else 0.0)
        at = int(np.argmin(np.round(validation, 12)))
        if rule == "one standard error":
            at = elbow(validation, spreads).chosen
        rows = np.concatenate([self.building, self.validation]) if refit else self.building
        model = self._fit(makers[at], np.sort(rows))
        return Choice(
            names[at], dict(zip(names, training)), dict(zip(names, validation)), model, measure, self
        )

    def report(self, choice: Choice, *, alpha: float = 0.05, again: bool = False) -> FinalReport:
        """The error of the chosen learner on the test rows. A second look is refused, or counted with ``again``."""
        alpha = check_alpha(alpha, "ThreeWay")
        if not isinstance(choice, Choice) or choice.source is not self:
            raise ParameterError("ThreeWay: report needs what choose of these same rows has returned.")
        if self.looks and not again:
            raise ParameterError(
                "ThreeWay: the test rows have been looked at already. An error that is looked at twice to choose is no "
                "longer an estimate; divide new rows, or say again=True, and the report will tell."
            )
        self.looks += 1
        errors = self._errors(choice.model, self._test, choice.measure)
        mean, n = float(errors.mean()), len(errors)
        if choice.measure is _miss:
            low, high = wilson_interval(mean, n, alpha)
        else:
            low, high = _mean_interval(errors, alpha)
        return FinalReport(choice.best, mean, low, high, n, self.looks, alpha, choice.measure is _miss)

    def _makers(self, learners: Any) -> list[tuple[str, Any]]:
        task = "classification" if self._classes else "regression"
        return [(c.name, c) for c in as_candidates(learners, Table.of(self._X, who="three_way"), task)]

    def _fit(self, make: Any, rows: np.ndarray) -> Any:
        from sklearn.base import clone

        model = clone(make.estimator)
        if make.open_seeds:
            model.set_params(**dict.fromkeys(make.open_seeds, self._seed))
        model.fit(take_rows(self._X, rows), self._y[rows])
        return model

    def _errors(self, model: Any, rows: np.ndarray, measure: Callable[..., np.ndarray]) -> np.ndarray:
        errors = np.asarray(
            measure(self._y[rows], np.asarray(model.predict(take_rows(self._X, rows)))), dtype=np.float64
        )
        if errors.shape != rows.shape or not np.isfinite(errors).all():
            raise DataError("ThreeWay: error must give one finite number per row.")
        return errors


@dataclass(frozen=True)
class Choice:
    """What was chosen on the validation rows, and by what.

    Attributes
    ----------
    best : name of the chosen learner
    training, validation : {name: error} on building and on validation rows
    model : the chosen learner, fitted
    """

    best: str
    training: dict[str, float]
    validation: dict[str, float]
    model: Any = field(repr=False)
    measure: Callable[..., np.ndarray] = field(repr=False)
    source: ThreeWay = field(repr=False)


@dataclass(frozen=True)
class FinalReport(Sentence):
    """The error on the test rows, and whether it still deserves the name.

    Attributes
    ----------
    error, low, high : with the interval at 1 - alpha
    rows : number of test rows
    looks : 1 for an honest report
    """

    learner: str
    error: float
    low: float
    high: float
    rows: int
    looks: int
    alpha: float
    rate: bool

    def __str__(self) -> str:
        name = "error" if self.rate else "mean error"
        m = measures()["error" if self.rate else "mse"]
        error, low, high = (shown_metric(m, v, self.error) for v in (self.error, self.low, self.high))
        sentence = (
            f"{name} of {self.learner} on {self.rows} test rows {error}, "
            f"{shown_confidence(self.alpha)} interval {low} to {high}."
        )
        if self.looks > 1:
            sentence += (
                f" This is look number {self.looks} at the test rows, so it flatters what was chosen by them."
            )
        return sentence


def _miss(truth: np.ndarray, answer: np.ndarray) -> np.ndarray:
    wrong: Floats = (truth != answer).astype(np.float64)
    return wrong


def _square(truth: Floats, answer: Floats) -> Floats:
    return (truth - answer.reshape(truth.shape)) ** 2


def _mean_interval(errors: np.ndarray, alpha: float) -> tuple[float, float]:
    from scipy.special import stdtrit

    n, mean = len(errors), float(errors.mean())
    if n < 2:
        return np.nan, np.nan
    half = float(stdtrit(n - 1, 1 - alpha / 2) * errors.std(ddof=1) / np.sqrt(n))
    return mean - half, mean + half
