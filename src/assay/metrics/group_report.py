"""Measures of each group of rows, with intervals: by a column, or by the size of the target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.parameters import check_count
from assay.core.targets import is_missing, plain_values
from assay.core.words import one_line
from assay.errors import DataError, ParameterError
from assay.metrics import _report_tables
from assay.metrics._inputs import numbers
from assay.metrics.estimate import Estimate
from assay.metrics.measure import Measure, measure_named
from assay.metrics.outcome import Outcome
from assay.sentence import in_notebook
from assay.stats.significance.test_result import check_alpha
from assay.types import RowLabels, Target

__all__ = ["GroupReport"]

MOST_GROUPS = 200  # lines of a report; more labels are an identifier, not groups
MISSING = "missing"


@dataclass(frozen=True)
class GroupReport:
    """Measures of each group of rows, and of all rows, with intervals.

    Each interval is for its group alone; of 20 groups, one interval in the mean misses.

    Attributes
    ----------
    groups : {group: {measure: Estimate}}; no interval where the measure is undefined
    rows : {group: number of rows}
    whole : {measure: Estimate} of all rows
    alpha : float

    Examples
    --------
    >>> from assay.metrics import GroupReport
    >>> truth, answer = [10, 12, 9, 30, 35, 28], [11, 10, 9.5, 26, 41, 30]
    >>> print(GroupReport.of(truth, answer, by=["small"] * 3 + ["large"] * 3, measures=["mae"]))
               mae                          rows
    large      4.0000 (1.1551 to 13.8511)      3
    small      1.1667 (0.2294 to 5.9322)       3
    all rows   2.5833 (1.1190 to 5.9639)       6
    """

    groups: dict[Any, dict[str, Estimate]]
    rows: dict[Any, int]
    whole: dict[str, Estimate]
    alpha: float = 0.05

    @classmethod
    def of(
        cls,
        truth: Any,
        answer: Target,
        by: RowLabels | None = None,
        *,
        bins: int | None = None,
        measures: Any = ("rmse", "mae", "mean error"),
        sample_weight: Any = None,
        lower: Any = None,
        upper: Any = None,
        coverage: float | None = None,
        distribution: Any = None,
        columns: int | None = None,
        alpha: float = 0.05,
        resamples: int = 1000,
    ) -> GroupReport:
        """Report on (n,) true and (n,) predicted numbers.

        Parameters
        ----------
        truth, answer : (n,) numbers
        by : (n,) labels of the groups, or numbers that are cut into ``bins``; None takes the true numbers, in 5 bins. A
            missing label is a group of its own
        bins : into how many bins with as many rows each, equal numbers staying together, numbers are cut
        measures : names or Measures of numbers; the mean error is above 0 where predictions are too high
        sample_weight, lower, upper, coverage, distribution, columns : as in :class:`Outcome`
        alpha : float
        resamples : for measures without an analytic interval
        """
        who = "GroupReport"
        outcome = Outcome.of_numbers(
            truth, answer, weight=sample_weight, lower=lower, upper=upper, coverage=coverage,
            distribution=distribution, columns=columns, who=who,
        )  # fmt: skip
        if by is None:
            by, bins = outcome.truth, 5 if bins is None else bins
        return cls.of_outcome(outcome, by, bins=bins, measures=measures, alpha=alpha, resamples=resamples)

    @classmethod
    def of_outcome(
        cls,
        outcome: Outcome,
        by: RowLabels,
        *,
        bins: int | None = None,
        measures: Any = ("rmse", "mae", "mean error"),
        alpha: float = 0.05,
        resamples: int = 1000,
    ) -> GroupReport:
        """Report on an outcome, of numbers or of classes; parameters as in :meth:`of`.

        >>> import numpy as np
        >>> from assay.metrics import GroupReport, Outcome
        >>> outcome = Outcome(np.array([0, 1, 0, 1]), np.array([0, 1, 1, 1]), None, 2)
        >>> GroupReport.of_outcome(outcome, ["a", "a", "b", "b"], measures="accuracy").groups["b"]["accuracy"].value
        0.5
        """
        who = "GroupReport"
        alpha, n = check_alpha(alpha, who), len(outcome.truth)
        names = [measures] if isinstance(measures, (str, Measure)) else measures
        records = [m if isinstance(m, Measure) else measure_named(m, who, ranked=False) for m in names]
        task = "regression" if outcome.K == 0 else "classification"
        for m in records:
            if m.task not in (task, "both"):
                raise ParameterError(f"the metric {m.name} is of {m.task}, the outcome of {task}.", who=who)
        labels, codes = _bins(by, bins, n, who) if bins is not None else _groups(by, n, who)
        members = [np.flatnonzero(codes == g) for g in range(len(labels))]

        def estimates(part: Outcome) -> dict[str, Estimate]:
            return {m.name: m.estimate(part, alpha, resamples) for m in records}

        parts = {label: outcome.take(rows) for label, rows in zip(labels, members)}
        return cls(
            {label: _weighed(part, records, alpha) or estimates(part) for label, part in parts.items()},
            {label: len(rows) for label, rows in zip(labels, members)},
            estimates(outcome),
            alpha,
        )

    def _lines(self) -> list[list[str]]:
        lines = [["", *self.whole, "rows"]]
        for label, estimates in self.groups.items():
            lines.append([one_line(label), *(e.short for e in estimates.values()), f"{self.rows[label]}"])
        return [*lines, ["all rows", *(e.short for e in self.whole.values()), f"{sum(self.rows.values())}"]]

    def __str__(self) -> str:
        return _report_tables.as_text(self._lines())

    def _repr_html_(self) -> str:
        return in_notebook(_report_tables.as_html(self._lines()))


def _weighed(part: Outcome, records: Sequence[Measure], alpha: float) -> dict[str, Estimate] | None:
    """No value for a group whose rows all weigh 0; None if some weigh more."""
    if part.weight is None or part.weight.any():
        return None
    return {m.name: Estimate(np.nan, alpha=alpha, why="its rows weigh 0") for m in records}


def _groups(by: Any, n: int, who: str) -> tuple[list[Any], np.ndarray]:
    """Labels, sorted, a missing one last, and (n,) the number of each row's."""
    values = plain_values(by)
    values = values.tolist() if isinstance(values, np.ndarray) else list(values)
    if len(values) != n:
        raise DataError(f"{n} rows and {len(values)} labels of groups.", who=who)
    labels = [MISSING if is_missing(v) else v for v in values]
    distinct = list(set(labels) - {MISSING})
    try:
        distinct.sort()
    except TypeError:  # numbers and text, for example
        distinct.sort(key=str)
    distinct += [MISSING] * (MISSING in labels)
    if len(distinct) > MOST_GROUPS:
        raise ParameterError(
            f"by has {len(distinct)} distinct values, more than the {MOST_GROUPS} groups of a report. Cut numbers into "
            "bins=5, or choose another column.",
            who=who,
        )
    place = {label: g for g, label in enumerate(distinct)}
    return distinct, np.array([place[v] for v in labels])


def _bins(by: Any, bins: int, n: int, who: str) -> tuple[list[Any], np.ndarray]:
    """Bins of about as many rows each, named by their ends, and (n,) the number of each row's."""
    check_count(who, "bins", bins, low=1, high=MOST_GROUPS)
    values = numbers(by, who, "by")
    if len(values) != n:
        raise DataError(f"{n} rows and {len(values)} numbers to cut into bins.", who=who)
    cuts = np.unique(np.quantile(values, np.linspace(0, 1, bins + 1)[1:], method="inverted_cdf"))
    codes = np.searchsorted(cuts, values, side="left")
    lows, highs = (np.array([end(values[codes == g]) for g in range(len(cuts))]) for end in (np.min, np.max))
    labels = [f"{a:.4g}" if a == b else f"{a:.4g} to {b:.4g}" for a, b in zip(lows, highs)]
    if len(set(labels)) < len(labels):
        labels = [f"{a:.17g} to {b:.17g}" for a, b in zip(lows, highs)]
    return labels, codes
