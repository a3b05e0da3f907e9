"""One split alone: its test rows are the sample, for the interval of any metric and for tests of pairs."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from assay.metrics.delong import delong
from assay.metrics.forms import OfRows, OfScores
from assay.metrics.measure import Measure
from assay.metrics.outcome import Outcome
from assay.stats.significance.diebold_mariano import of_differences
from assay.stats.significance.paired_t import paired_t
from assay.stats.significance.summary import NO_SPREAD
from assay.stats.significance.test_result import TestResult

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = ["interval_of_rows", "no_test", "tests_of_rows", "value_of_rows"]

_DRAWS, _TEST_DRAWS = 500, 200  # for intervals, and for the spread of differences
_MOST_ROWS = 2000  # of one draw of a test: more cost time and tell no more about the spread


def value_of_rows(result: Comparison, learner: str, m: Measure) -> float:
    """A metric of the test rows of all splits together; NaN where they do not tell."""
    m = _as_recorded(result, m)
    outcome = _rows_of(result, learner, m)
    return np.nan if outcome is None else float(m.of(outcome))


def interval_of_rows(result: Comparison, learner: str, m: Measure) -> tuple[float, float]:
    """The interval of a metric on the test rows of the only split, or of all splits of one row each; NaN where they
    do not tell.

    Wilson's, DeLong's, the delta method's or Student's, whichever is the metric's own; else by resampling the rows.
    """
    m = _as_recorded(result, m)
    outcome = _rows_of(result, learner, m)
    if outcome is None:
        return np.nan, np.nan
    estimate = m.estimate(outcome, alpha=result.alpha, resamples=_DRAWS)
    return float(estimate.low), float(estimate.high)


def tests_of_rows(result: Comparison, m: Measure) -> dict[tuple[str, str], TestResult]:
    r"""The test of every pair of learners by their answers on the same test rows.

    Areas of two classes: DeLong's test. A mean over rows, or a function of means, of predicted numbers: the paired t
    test of what each row adds to the difference, in order of time Diebold and Mariano's. Any other metric: m of the n
    rows, 2000 at most, are drawn again and again, the same for all learners; the standard deviation s of the
    differences on the draws tells the standard error of the difference d on all rows, since spreads shrink with the
    root of the number of rows,

    .. math:: z = \frac{d}{s \sqrt{m/n}}
    """
    pairs, m = list(combinations(result.finished, 2)), _as_recorded(result, m)
    outcomes = {name: _rows_of(result, name, m) for name in result.finished}
    if m.is_roc_area and len(result.classes) == 2 and not result.weights:  # DeLong's test knows the spread
        return {(a, b): _by_area(outcomes[a], outcomes[b], m, result.alpha) for a, b in pairs}
    if result.task == "regression" and not result.weights:
        influences = {name: _influence(m, outcome) for name, outcome in outcomes.items()}
        if all(v is not None for v in influences.values()):
            return {(a, b): _by_influence(result, a, b, m, influences) for a, b in pairs}
    drawn = {name: np.full(_TEST_DRAWS, np.nan) for name in outcomes}
    rng, n = np.random.default_rng(0), sum(map(len, _truths(result)))
    for i in range(_TEST_DRAWS):
        rows = rng.integers(n, size=min(n, _MOST_ROWS))
        for name, outcome in outcomes.items():
            if outcome is not None:
                drawn[name][i] = m.of(outcome.take(rows))
    values = {name: float(result._mean(name, m)) for name in outcomes}
    tests = {}
    for a, b in pairs:
        known = outcomes[a] is not None and outcomes[b] is not None
        tests[a, b] = _by_draws(values[a] - values[b], drawn[a] - drawn[b], known, result)
    return tests


def _recorded_value(outcome: Outcome) -> np.ndarray:
    return outcome.answer


def _as_recorded(result: Comparison, m: Measure) -> Measure:
    """The metric as it is read from what was kept.

    Of rows that were tested one by one, a mean over rows that needs intervals or distributions is the mean of what the
    splits recorded: the distributions of single rows are not joined.
    """
    lasting = result.task == "regression" and result._tested_alone and m.needs != "numbers"
    if lasting and isinstance(m.of, OfRows) and m.of.link is None:
        return replace(m, of=replace(m.of, values=_recorded_value))
    return m


def _is_recorded(m: Measure) -> bool:
    return isinstance(m.of, OfRows) and m.of.values is _recorded_value


def _rows_of(result: Comparison, learner: str, m: Measure) -> Outcome | None:
    """What the learner predicted on the test rows; None if what the metric needs was not kept."""
    if result.task == "regression":
        return _numbers_of(result, learner, m)
    cell = result.cells[learner][0]
    kept = cell.posterior if m.needs_probabilities else cell.price if m.needs == "costs" else cell.answer
    if cell.answer is None or kept is None:
        return None
    weight = result.weights[0] if result.weights else None
    answer, labels = np.asarray(cell.answer, dtype=np.int64), np.asarray(result.classes)
    outcome = Outcome(
        result.truths[0], answer, cell.posterior, len(labels), cell.price, cell.rejected, weight, labels
    )
    return outcome if np.isfinite(m.of(outcome)) else None


def _truths(result: Comparison) -> list[np.ndarray]:
    return result.truths if result.task == "regression" else result.truths[:1]


def _numbers_of(result: Comparison, learner: str, m: Measure) -> Outcome | None:
    """The predicted numbers of all splits, in their order."""
    cells = result.cells[learner]
    if _is_recorded(m):
        answers = [np.array([cell.values.get(m.name, np.nan)]) for cell in cells]
        weight = np.concatenate(result.weights) if result.weights else None
        outcome = Outcome(np.concatenate(result.truths), np.concatenate(answers), None, 0, weight=weight)
        return outcome if np.isfinite(m.of(outcome)) else None
    answers = [cell.answer for cell in cells if cell.answer is not None]
    distribution = cells[0].distribution if len(cells) == 1 else None
    if len(answers) < len(cells) or (m.needs != "numbers" and distribution is None):
        return None
    weight = np.concatenate(result.weights) if result.weights else None
    outcome = Outcome(np.concatenate(result.truths), np.concatenate(answers), None, 0, weight=weight,
                   distribution=distribution, columns=len(result.data.columns))  # fmt: skip
    return outcome if np.isfinite(m.of(outcome)) else None


def _influence(m: Measure, outcome: Outcome | None) -> np.ndarray | None:
    """(n,) what each row adds to the metric beyond its value, n times over; None where no formula says so."""
    if outcome is None or not hasattr(m.of, "influence"):
        return None
    values: np.ndarray | None = m.of.influence(outcome)
    return values


def _by_influence(
    result: Comparison, a: str, b: str, m: Measure, influences: dict[str, np.ndarray | None]
) -> TestResult:
    """The difference of the metric, by the spread over rows of what each row adds to it."""
    gap = result._mean(a, m) - result._mean(b, m)
    first, second = influences[a], influences[b]
    assert first is not None and second is not None
    by_row = gap + (first - first.mean()) - (second - second.mean())
    on_rows = f"on {len(by_row)} test rows"
    if result.design.kind == "time":
        return replace(of_differences(by_row, alpha=result.alpha), test=f"Diebold-Mariano test {on_rows}")
    return replace(paired_t(by_row, alpha=result.alpha), test=f"paired t test {on_rows}", code="paired_rows")


def _by_area(a: Outcome | None, b: Outcome | None, m: Measure, alpha: float) -> TestResult:
    if a is None or b is None or a.posterior is None or b.posterior is None:
        return no_test("what it rests on was not kept", alpha)
    if min(np.bincount(a.truth, minlength=2)) < 2:
        return no_test("too few rows of some class", alpha)
    test = delong(a.truth, a.posterior[:, 1], b.posterior[:, 1], pos_label=1, alpha=alpha)
    if np.isnan(test.p):
        return replace(no_test("every row differs alike", alpha), estimate=test.estimate)
    times = m.of.scale[0] if isinstance(m.of, OfScores) else 1.0
    return replace(
        test,
        test=f"DeLong's test on {len(a.truth)} test rows",
        estimate=times * test.estimate,
        low=times * test.low,
        high=times * test.high,
    )


def _by_draws(gap: float, drawn: np.ndarray, known: bool, result: Comparison) -> TestResult:
    from scipy.special import ndtr, ndtri

    alpha, drawn = result.alpha, drawn[np.isfinite(drawn)]
    if not known:
        return replace(no_test("what it rests on was not kept", alpha), estimate=gap)
    if len(drawn) < _TEST_DRAWS / 2:
        return replace(no_test("too few rows of some class", alpha), estimate=gap)
    n = sum(map(len, _truths(result)))
    error = float(drawn.std(ddof=1)) * float(np.sqrt(min(n, _MOST_ROWS) / n))
    name = f"paired bootstrap on {n} test rows"
    if error <= NO_SPREAD * abs(gap):
        if gap:
            return replace(no_test("every row differs alike", alpha), estimate=gap)
        why = "The two are equal on every row."
        return TestResult(
            name, 0.0, 1.0, alpha=alpha, estimate=0.0, low=0.0, high=0.0, why=why, code="bootstrap"
        )
    z, half = gap / error, float(-ndtri(alpha / 2)) * error
    p = 2 * float(ndtr(-abs(z)))
    return TestResult(
        name, z, p, alpha=alpha, estimate=gap, low=gap - half, high=gap + half, code="bootstrap"
    )


def no_test(why: str, alpha: float) -> TestResult:
    """A result without a p-value, and the reason."""
    return TestResult(f"no test: {why}", np.nan, np.nan, alpha=alpha, why=why, code="none")
