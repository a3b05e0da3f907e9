"""The forms a measure can have, each with the interval that its form allows.

A form is called with an :class:`Outcome` and gives the value; ``interval`` gives the value with its interval. A new
measure picks one: a function of the confusion table, a mean over rows, an area by the order of scores, or anything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from assay.core.progress import track
from assay.errors import ParameterError
from assay.metrics import _tables
from assay.metrics._inputs import Scored
from assay.metrics._table_intervals import Share, delta, gradient, mean_of_shares, wilson
from assay.metrics.bootstrap import Plan, bounds, plan
from assay.metrics.estimate import Estimate
from assay.metrics.outcome import Outcome
from assay.stats.intervals.proportion_interval import wilson_interval
from assay.types import Label

__all__ = ["Form", "IntervalRequest", "OfOutcome", "OfRows", "OfScores", "OfTable"]

Bounds = tuple[float, float]
BOOTSTRAPS: dict[str, str] = {
    "bca": "BCa bootstrap",
    "basic": "basic bootstrap",
    "percentile": "percentile bootstrap",
}
LINK_STEP = 1e-5  # relative step of the derivative of a link
MAX_DELTA_CLASSES = 100  # of the delta method; with more classes resampling is faster than K^2 derivatives
NOT_DEFINED = "the measure is not defined here"
SAFE_MEAN = (1e-280, 1e280)  # a mean outside of it is computed again in another unit
ONE_ROW = "one row shows no spread"


@dataclass(frozen=True)
class IntervalRequest:
    """The options of an interval; parameters as in :func:`with_interval`."""

    alpha: float = 0.05
    method: str = "auto"
    groups: Any = None
    strata: Any = None
    resamples: int = 2000
    random_state: Any = 0
    who: str = "with_interval"

    @property
    def analytic(self) -> bool:
        """Whether an analytic interval may be used."""
        return self.method == "analytic" or (self.method == "auto" and self.groups is None)

    def kind(self, usual: str = "bca") -> str:
        """The requested bootstrap, or the measure's default; percentiles for groups."""
        if self.method in BOOTSTRAPS:
            return self.method
        return usual if self.groups is None or usual == "basic" else "percentile"

    def plan(self, n: int) -> Plan:
        """Which rows are drawn."""
        return plan(n, strata=self.strata, groups=self.groups, resamples=self.resamples,
                    random_state=self.random_state, who=self.who)  # fmt: skip

    def of_resamples(
        self,
        value: float,
        resampled: np.ndarray,
        planned: Plan,
        kind: str,
        limits: Bounds,
        influence: Any = None,
    ) -> Estimate:
        """The interval of resampled values; resamples that leave the measure undefined are left out and counted."""
        defined = resampled[~np.isnan(resampled)]
        if np.isnan(value) or len(defined) < len(resampled) / 2:
            why = NOT_DEFINED if np.isnan(value) else "most resamples leave it undefined; stratify=True?"
            return Estimate(value, alpha=self.alpha, why=why)
        lost = len(resampled) - len(defined)
        why = (
            f"{lost} of {len(resampled)} resamples leave the measure undefined and were left out."
            if lost
            else ""
        )
        if defined.min() == defined.max():
            why = "Every resample gives the same value, so the interval has no width and means nothing."
        low, high = np.clip(bounds(defined, value, self.alpha, kind, influence), *limits)
        method = BOOTSTRAPS[kind] if planned.of_rows else f"{BOOTSTRAPS[kind]} of {planned.units} groups"
        return Estimate(value, float(low), float(high), method, self.alpha, why)


class Form(Protocol):
    """What a measure computes: a value of an outcome, and its interval."""

    def __call__(self, outcome: Outcome) -> float: ...

    def interval(self, outcome: Outcome, request: IntervalRequest, limits: Bounds) -> Estimate: ...


@dataclass(frozen=True)
class OfOutcome:
    """Any function of an outcome, NaN where undefined; its rows are resampled.

    Parameters
    ----------
    function : of an Outcome
    bootstrap : "percentile", "basic" (for a measure that noise makes larger) or "bca"

    Examples
    --------
    >>> import numpy as np
    >>> from assay.metrics import OfOutcome, Outcome
    >>> OfOutcome(lambda outcome: float(outcome.K))(Outcome(np.array([0, 1]), np.array([0, 1]), None, 2))
    2.0
    """

    function: Callable[[Outcome], float]
    bootstrap: str = "percentile"

    def __call__(self, outcome: Outcome) -> float:
        return float(self.function(outcome))

    def interval(self, outcome: Outcome, request: IntervalRequest, limits: Bounds) -> Estimate:
        if request.method == "analytic":
            raise ParameterError(f"{request.who}: the measure has no analytic interval; use method='auto'.")
        value, planned = self(outcome), request.plan(len(outcome.truth))
        resampled = np.empty(planned.resamples)
        for b in track(range(planned.resamples), "resampling"):
            resampled[b] = self(outcome.take(planned.rows(b)))
        return request.of_resamples(value, resampled, planned, request.kind(self.bootstrap), limits)


@dataclass(frozen=True)
class OfRows:
    """The mean over rows of a value of each: Student's interval, or Wilson's if it is a share of rows.

    Parameters
    ----------
    values : of an Outcome, gives (n,) values, or None where it lacks what they need
    share : whether the values are 0 and 1
    link : an increasing function of the mean of non-negative values, such as the root of a mean square
    degree : of numbers, by which power of c the measure grows if all of them are multiplied by c; with it, numbers of
        any size are computed in a unit in which no square overflows. None if it follows no such law
    positive : whether the values are losses, from 0 up and skewed as squares are: their interval is Student's on the
        scale of the logarithm, which holds the mean more often (0.92 instead of 0.88 of the squared errors of 15 normal
        rows) and never reaches below 0

    Examples
    --------
    >>> import numpy as np
    >>> from assay.metrics import OfRows, Outcome
    >>> root_mean_square = OfRows(lambda outcome: (outcome.truth - outcome.answer) ** 2, link=np.sqrt)
    >>> root_mean_square(Outcome(np.array([3.0, 1.0]), np.array([0.0, 4.0]), None, 0))
    3.0
    """

    values: Callable[[Outcome], np.ndarray | None]
    share: bool = False
    link: Callable[[Any], Any] | None = None
    degree: float | None = None
    positive: bool = False

    def _linked(self, mean: float, unit: float = 1.0) -> float:
        with np.errstate(invalid="ignore"):
            return float(scaled_back(mean if self.link is None else self.link(mean), unit, self.degree))

    def _mean(self, outcome: Outcome, values: np.ndarray) -> float:
        mean = outcome.mean(values)
        return min(mean, 1.0) if self.share else mean  # sums of weights are rounded

    def __call__(self, outcome: Outcome) -> float:
        with np.errstate(over="ignore", under="ignore"):
            values = self.values(outcome)
            if values is None:
                return float("nan")
            mean = self._mean(outcome, values)
            if self.degree is None or SAFE_MEAN[0] < abs(mean) < SAFE_MEAN[1]:
                return self._linked(mean)
            outcome, unit = outcome.rescaled(always=True)
            return self._linked(outcome.mean(self.values(outcome)), unit)  # type: ignore[arg-type]

    def influence(self, outcome: Outcome) -> np.ndarray | None:
        """(n,) what each row adds to the measure beyond its value, n times over, weights aside; None if undefined."""
        unit = 1.0
        if self.degree is not None:
            outcome, unit = outcome.rescaled()
        values = self.values(outcome)
        if values is None or not np.isfinite(mean := float(np.mean(values))):
            return None
        slope = 1.0
        if self.link is not None and mean:
            slope = float(self.link(mean * (1 + LINK_STEP)) - self.link(mean * (1 - LINK_STEP))) / (
                2 * LINK_STEP * mean
            )
        shares: np.ndarray = scaled_back(slope * (values - mean), unit, self.degree)
        return shares

    def interval(self, outcome: Outcome, request: IntervalRequest, limits: Bounds) -> Estimate:
        unit = 1.0
        if self.degree is not None:
            outcome, unit = outcome.rescaled()
        values = self.values(outcome)
        if values is None:
            return Estimate(np.nan, alpha=request.alpha, why=NOT_DEFINED)
        w, mean = outcome.weight, self._mean(outcome, values)
        value = self._linked(mean, unit)
        if not np.isfinite(mean):
            infinite = int(np.count_nonzero(np.isinf(values)))
            why = NOT_DEFINED if np.isnan(mean) else f"the value of {infinite} of the rows is infinite"
            return Estimate(value, alpha=request.alpha, why=why)
        part = np.full(len(values), 1 / len(values)) if w is None else w / w.sum()
        influence = part * (values - mean)
        if request.analytic:
            n = effective_rows(part)
            if self.share:
                low, high = (float(v) for v in wilson_interval(mean, n, request.alpha))
            elif len(values) < 2 or n <= 1:
                return Estimate(value, alpha=request.alpha, why=ONE_ROW)
            else:
                spread = float(np.sqrt(influence @ influence * n / (n - 1)))
                low, high = on_open_scale(
                    mean, spread, n - 1, request.alpha, (0.0 if self.positive else -np.inf, np.inf)
                )
            low, high = (self._linked(v if self.link is None else max(v, 0.0), unit) for v in (low, high))
            name = "Wilson" if self.share else "t of the logarithm" if self.positive else "t"
            return Estimate(value, max(limits[0], low), min(limits[1], high), name, request.alpha)
        planned = request.plan(len(values))
        mass = np.ones(len(values)) if w is None else w
        sums = planned.sums(np.column_stack([mass * values, mass]))
        resampled = _tables.share(sums[:, 0], sums[:, 1])
        resampled = resampled if self.link is None else np.asarray(self.link(resampled))
        resampled = scaled_back(resampled, unit, self.degree)
        return request.of_resamples(value, resampled, planned, request.kind(), limits,
                                    (influence, np.ones(len(values))))  # fmt: skip


def on_open_scale(
    value: float, spread: float, freedom: float, alpha: float, limits: Bounds
) -> tuple[float, float]:
    """The ends of an interval that is symmetric on the scale on which the measure has no bounds."""
    from scipy.special import stdtrit

    half = float(stdtrit(freedom, 1 - alpha / 2)) * spread
    low, high = limits
    if spread == 0 or not low < value < high:
        return (value, value) if spread == 0 else (max(low, value - half), min(high, value + half))
    with np.errstate(over="ignore"):
        if np.isinf(low) and np.isinf(high):
            return value - half, value + half
        if np.isinf(high):
            factor = np.exp(half / (value - low))
            return float(low + (value - low) / factor), float(low + (value - low) * factor)
        if np.isinf(low):
            factor = np.exp(half / (high - value))
            return float(high - (high - value) * factor), float(high - (high - value) / factor)
        odds = (value - low) / (high - value)
        factor = np.exp(half * (high - low) / ((value - low) * (high - value)))
        ends = [
            float(low + (high - low) * o / (1 + o)) if np.isfinite(o) else high
            for o in (odds / factor, odds * factor)
        ]
    return ends[0], ends[1]


def effective_rows(part: np.ndarray) -> float:
    """Kish's effective number of rows, of the rows' shares of all weight."""
    return 1 / float(part @ part)


def scaled_back(value: Any, unit: float, degree: float | None) -> Any:
    """A number, or an array, that was computed of numbers divided by the unit, as it is of the numbers themselves.

    >>> from assay.metrics.forms import scaled_back
    >>> float(scaled_back(0.5, 1024.0, 1))
    512.0
    """
    if unit == 1.0 or not degree:
        return value
    power, fraction = divmod(degree * (np.frexp(unit)[1] - 1), 1)
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(value * 2.0**fraction, int(power))


@dataclass(frozen=True)
class OfTable:
    """A function of the confusion table: intervals of Wilson, of Newcombe or by the delta method.

    Parameters
    ----------
    function : of (..., K, K) tables, true by predicted class; gives (...), or with ``classes`` (..., K)
    share : (table, class) -> (part, whole), if the measure is a share of rows
    link : if it is an increasing function of that share
    mean_of : the same of each class, if the measure is a mean over classes of shares
    classes : "positive" (of the positive class of two, labelled 1 or else the second, and the mean over more), "mean"
        (over all classes), or "" for one number of the whole table
    label : the class that it is of, as it prints
    geometric : whether the mean is geometric
    stretch : K -> how many times as wide as the mean's the measure's scale is

    Examples
    --------
    >>> import numpy as np
    >>> from assay.metrics import OfTable, Outcome
    >>> share_of_the_first = OfTable(lambda T: T[..., 0, 0] / T.sum(axis=(-2, -1)))
    >>> share_of_the_first(Outcome(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), None, 2))
    0.25
    """

    function: Callable[[np.ndarray], np.ndarray]
    share: Share | None = None
    link: Callable[[float], float] | None = None
    mean_of: Share | None = None
    classes: str = ""
    label: Label | None = None
    geometric: bool = False
    stretch: Callable[[int], float] | None = None

    def of_class(self, label: Label) -> OfTable:
        """The same of one class, which is named as it prints."""
        return replace(self, label=label)

    @property
    def per_class(self) -> bool:
        """Whether it can be computed for one class."""
        return self.classes == "positive"

    def _class(self, outcome: Outcome) -> int:
        """The number of the class that it is of; -1 for all, or for the mean over them."""
        if not self.per_class:
            return -1
        names = outcome.names
        if self.label is not None:
            printed = [str(v) for v in names]
            if str(self.label) not in printed:
                all_labels = ", ".join(printed)
                raise ParameterError(
                    f"a metric is of class {str(self.label)!r}, the classes are {all_labels}.", who="compare"
                )
            return printed.index(str(self.label))
        return -1 if outcome.K > 2 else positive_class(names)

    def _of_tables(self, tables: np.ndarray, k: int, K: int) -> np.ndarray:
        values = self.function(tables)
        if not self.classes:
            return values
        return values[..., k] if k >= 0 else _tables.mean_of_defined(values[..., :K])

    def __call__(self, outcome: Outcome) -> float:
        return float(self._of_tables(outcome.square, self._class(outcome), outcome.K))

    def interval(self, outcome: Outcome, request: IntervalRequest, limits: Bounds) -> Estimate:
        K, k, alpha = outcome.K, self._class(outcome), request.alpha
        size = K if outcome.complete else K + 1
        table = outcome.square[:size, :size].astype(np.float64)
        value = float(self._of_tables(table, k, K))
        if np.isnan(value):
            return Estimate(value, alpha=alpha, why=NOT_DEFINED)
        squares = outcome.squared_weights[:size, :size].astype(np.float64)

        def g(tables: np.ndarray) -> np.ndarray:
            return self._of_tables(tables, k, K)

        if request.analytic:
            if self.share is not None and (k >= 0 or not self.per_class):
                return wilson(self.share, table, squares, k, value, alpha, self.link)
            if outcome.complete and self.mean_of is not None and self._all_shares(table):
                return mean_of_shares(self.mean_of, table, squares, value, alpha, bounds=limits,
                                      geometric=self.geometric, stretch=self.stretch)  # fmt: skip
            if outcome.complete and (K <= MAX_DELTA_CLASSES or request.method == "analytic"):
                return delta(g, table, squares, value, alpha, limits)
        planned = request.plan(len(outcome.truth))
        answer = np.where(outcome.answer < 0, K, outcome.answer)
        resampled = planned.tables(outcome.truth, answer, outcome.weight, size, g)
        kind, influence = request.kind("bca" if outcome.complete else "percentile"), None
        if kind == "bca" and size <= MAX_DELTA_CLASSES:
            influence = (gradient(g, table)[0][table > 0], squares[table > 0])
        return request.of_resamples(value, resampled, planned, kind, limits, influence)

    def _all_shares(self, table: np.ndarray) -> bool:
        """Whether each class that was tested has rows to take its share of."""
        assert self.mean_of is not None
        return all(self.mean_of(table, int(k))[1] > 0 for k in np.flatnonzero(_tables.actual(table) > 0))


def positive_class(names: list[Any]) -> int:
    """The positive one of two classes, as in scikit-learn's functions: labelled 1, or else the second."""
    return names.index(1) if 1 in names else len(names) - 1


@dataclass(frozen=True)
class OfScores:
    """An area by the order of scores: of the positive class of two, the mean over more of each against the rest.

    Parameters
    ----------
    area : of Scored rows
    column : of the resampled areas: 0 under the ROC curve, 1 of precision
    positive_is_one : whether a class labelled 1 is positive, wherever it stands; else the second is
    scale : (times, plus), if the measure is times * area + plus

    Examples
    --------
    >>> import numpy as np
    >>> from assay.metrics import Outcome, measures
    >>> outcome = Outcome(np.array([0, 1]), np.array([0, 1]), None, 2, scores=np.array([-1.5, 2.0]))
    >>> measures()["auc"].of(outcome), measures()["gini"].of(outcome)
    (1.0, 1.0)
    """

    area: Callable[[Scored], float]
    column: int = 0
    positive_is_one: bool = False
    scale: tuple[float, float] = (1.0, 0.0)

    def positive(self, names: list[Any]) -> int:
        """Which of two classes it is of."""
        return positive_class(names) if self.positive_is_one else 1

    def _scaled(self, area: Any) -> Any:
        return self.scale[0] * area + self.scale[1]

    def __call__(self, outcome: Outcome) -> float:
        return float(self._scaled(outcome.mean_over_classes(self.area, self.positive(outcome.names))))

    def interval(self, outcome: Outcome, request: IntervalRequest, limits: Bounds) -> Estimate:
        each = outcome.problems(self.positive(outcome.names))
        if not each:
            return Estimate(np.nan, alpha=request.alpha, why=NOT_DEFINED)
        area = float(np.mean([self.area(problem) for problem in each]))
        by_formula = len(each) == 1 and self.column == 0 and outcome.weight is None
        if request.groups is None and request.method in ("auto", "analytic") and by_formula:
            from assay.metrics.curves import tallies
            from assay.metrics.delong import interval_of

            delong = interval_of(tallies(each[0]), request.alpha, "auto", request.who)
            value, low, high = (float(self._scaled(v)) for v in (delong.value, delong.low, delong.high))
            return Estimate(value, low, high, delong.method, request.alpha, delong.why)
        if request.method == "analytic":
            raise ParameterError(
                f"{request.who}: only an area under the ROC curve, of two classes and unweighted rows, has an "
                "analytic interval; use method='auto'."
            )
        planned, influence = request.plan(len(outcome.truth)), None
        resampled = np.mean(
            [planned.areas(problem, self.column == 1)[:, self.column] for problem in each], axis=0
        )
        if by_formula:
            from assay.metrics.delong import placements

            V, W = placements(each[0].positive, each[0].score)
            l = np.concatenate([(V - area) / len(V), (W - area) / len(W)])
            influence = (l, np.ones(len(l)))
        return request.of_resamples(self._scaled(area), self._scaled(resampled), planned, request.kind(), limits,
                                    influence)  # fmt: skip
