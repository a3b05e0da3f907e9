"""Numbers that several candidates reached on the same runs: returns of policies, losses of forecasters, times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from assay.errors import DataError, ParameterError
from assay.evaluate.digits import shown_metric
from assay.evaluate.verdict import Standing, Verdict, turned
from assay.metrics.forms import OfOutcome
from assay.metrics.measure import Measure
from assay.sentence import Sentence
from assay.stats.intervals.mean_interval import mean_interval
from assay.stats.significance.letters import letters
from assay.stats.significance.multiple_tests import holm
from assay.stats.significance.paired_t import paired_t_all
from assay.stats.significance.t_test import t_test
from assay.stats.significance.test_result import TestResult, check_alpha, shown_confidence, shown_p

__all__ = ["MatchedRuns", "compare_runs"]


@dataclass(frozen=True)
class MatchedRuns(Sentence):
    """Candidates ranked by the mean of a number, with intervals and tests of all pairs.

    ``print`` it for a table; ``test`` compares two.

    Attributes
    ----------
    values : dict of name to (J,) the number of each run
    metric : Measure, whose name, unit and direction the table shows
    paired : whether run j is the same run for every candidate
    alpha : 1 - confidence of intervals, and the level of tests
    """

    values: dict[str, np.ndarray]
    metric: Measure
    paired: bool
    alpha: float
    pairs: dict[tuple[str, str], tuple[TestResult, float]] = field(repr=False)

    @property
    def best(self) -> str:
        """The name of the candidate with the best mean."""
        return self.ranking()[0].learner

    def ranking(self) -> list[Standing]:
        """The candidates from best to worst."""
        means = {name: float(v.mean()) for name, v in self.values.items()}
        order = sorted(means, key=lambda name: self.metric.sign * means[name])
        differ = np.zeros((len(order), len(order)), dtype=bool)
        for i, j in combinations(range(len(order)), 2):
            differ[i, j] = differ[j, i] = self._pair(order[i], order[j])[1] <= self.alpha
        marks, standings = letters(differ), []
        for i, name in enumerate(order):
            low, high = mean_interval(self.values[name], alpha=self.alpha)
            versus, p = self._pair(name, order[0]) if i else (None, np.nan)
            gap = (0.0, 0.0, 0.0) if versus is None else (versus.estimate, versus.low, versus.high)
            standings.append(Standing(name, means[name], low, high, *gap, p, not differ[0, i], marks[i]))
        return standings

    def test(self, first: str, second: str) -> Verdict:
        """Whether two candidates differ, in one sentence; p-values are adjusted (Holm) over all pairs."""
        for name in (first, second):
            if name not in self.values:
                raise ParameterError(
                    f"there is no {name!r} here. It has: {', '.join(self.values)}.", who="compare_runs"
                )
        if first == second:
            raise ParameterError(f"{first!r} was to be tested against itself; name two.", who="compare_runs")
        result, adjusted = self._pair(first, second)
        runs = len(self.values[first])
        return Verdict(first, second, self.metric, result, adjusted, len(self.pairs), runs, self.alpha)

    def _pair(self, a: str, b: str) -> tuple[TestResult, float]:
        if (a, b) in self.pairs:
            return self.pairs[a, b]
        result, adjusted = self.pairs[b, a]
        return turned(result), adjusted

    def __str__(self) -> str:
        standings = self.ranking()
        like = standings[0].mean
        rows = [["", self.metric.name, f"{shown_confidence(self.alpha)} interval", "vs best", "p", "groups"]]
        for i, s in enumerate(standings):
            low, high = (shown_metric(self.metric, v, like) for v in (s.low, s.high))
            gap = shown_metric(self.metric, s.difference, like, sign=True) if i else ""
            p = shown_p(s.p).removeprefix("p = ").removeprefix("p ") if i else ""
            rows.append(
                [s.learner, shown_metric(self.metric, s.mean, like), f"{low} to {high}", gap, p, s.letters]
            )
        width = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
        lines = ["  ".join(v.ljust(w) for v, w in zip(row, width)).rstrip() for row in rows]
        runs = len(next(iter(self.values.values())))
        how = f"the same {runs} runs for each" if self.paired else "runs of each by themselves"
        return "\n".join([*lines, f"On {how}; candidates that share a letter do not differ significantly."])


def compare_runs(
    values: Mapping[str, Any],
    *,
    name: str = "return",
    better: str = "higher",
    paired: bool = True,
    alpha: float = 0.05,
) -> MatchedRuns:
    """Rank candidates by a number that each reached in several runs, and say which differences are real.

    For what ``compare`` cannot fit itself: policies by their returns over matched random starts, forecasters by their
    losses, programs by their times. Two candidates on the same runs are compared by the paired t test, on runs of their
    own by Welch's; p-values are adjusted (Holm) over all pairs.

    Parameters
    ----------
    values : dict of name to (J,) numbers, one of each run
    name : what the number is called
    better : "higher" or "lower"
    paired : whether run j is the same run (start, seed, row) for every candidate
    alpha : 1 - confidence of intervals, and the level of tests

    Returns
    -------
    MatchedRuns

    Examples
    --------
    >>> from assay.evaluate import compare_runs
    >>> returns = {"greedy": [12.0, 9.5, 14.0, 11.0], "random": [3.0, 2.5, 6.0, 1.0]}
    >>> result = compare_runs(returns)
    >>> result.best, result.test("greedy", "random").significant
    ('greedy', True)

    See Also
    --------
    compare, assay.stats.paired_t, assay.stats.t_test

    References
    ----------
    - Dietterich, T. G. (1998). Approximate statistical tests for comparing supervised classification learning
      algorithms. Neural Computation 10(7), 1895-1923. doi:10.1162/089976698300017197
    """
    who = "compare_runs"
    alpha = check_alpha(alpha, who)
    if not isinstance(values, Mapping) or len(values) < 2:
        raise ParameterError(
            f"values must be a dict of at least two names to numbers, got {values!r}.", who=who
        )
    if better not in ("higher", "lower"):
        raise ParameterError(f'better must be "higher" or "lower", got {better!r}.', who=who)
    runs = {str(k): _numbers(k, v) for k, v in values.items()}
    sizes = {k: len(v) for k, v in runs.items()}
    if paired and len(set(sizes.values())) > 1:
        listed = ", ".join(f"{k} {size}" for k, size in sizes.items())
        raise DataError(
            f"matched runs need as many numbers of each, got {listed}. Runs of their own: paired=False.",
            who=who,
        )
    pairs = list(combinations(runs, 2))
    if paired:
        tests = paired_t_all(np.column_stack([runs[a] - runs[b] for a, b in pairs]), alpha=alpha)
    else:
        tests = [t_test(runs[a], runs[b], alpha=alpha) for a, b in pairs]
    tests = [
        replace(t, test=f"{t.test} on {_counted(runs, *pair)} runs", code="paired_rows")
        for pair, t in zip(pairs, tests)
    ]
    adjusted = holm(np.array([t.p for t in tests]))
    metric = Measure(name, OfOutcome(_no_function), better, name, "numbers", "regression")
    tested = {pair: (t, float(q)) for pair, t, q in zip(pairs, tests, adjusted, strict=True)}
    return MatchedRuns(runs, metric, paired, alpha, tested)


def _counted(runs: dict[str, np.ndarray], a: str, b: str) -> str:
    sizes = sorted({len(runs[a]), len(runs[b])})
    return " and ".join(map(str, sizes))


def _numbers(name: Any, values: Any) -> np.ndarray:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1 or len(numbers) < 2 or not np.isfinite(numbers).all():
        raise DataError(
            f"{name} needs at least two finite numbers, one of each run; got shape {numbers.shape}.",
            who="compare_runs",
        )
    return numbers


def _no_function(outcome: Any) -> float:
    """The numbers are given, not computed of predictions."""
    return float("nan")
