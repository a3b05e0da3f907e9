"""What a careful colleague would ask after a comparison: is the winner's lead real, large, and worth anything?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import ParameterError
from assay.evaluate.finding import SEVERITIES, Finding, listed
from assay.evaluate.learned import family_of, learned, looks_at_nothing
from assay.evaluate.pairs import test_rows_per_training_row
from assay.types import Bools, Floats

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison
    from assay.metrics.measure import Measure

__all__ = ["doubts"]

_DRAWS = 2000
MOST_DRAWN = 2e7  # numbers drawn to see what choosing the best does


@dataclass(frozen=True)
class Doubt:
    """What every check looks at: the comparison, and what difference would be too small to matter."""

    result: Comparison
    rope: float

    @property
    def metric(self) -> Measure:
        """The one that ranks."""
        return self.result.metrics[0]

    @cached_property
    def ranked(self) -> list[str]:
        """The learners that finished and have a mean, from best to worst."""
        return [s.learner for s in self.result.ranking() if not s.failure and not np.isnan(s.mean)]

    @cached_property
    def blind(self) -> list[str]:
        """Those that look at no column."""
        return [name for name in self.ranked if looks_at_nothing(self.result, name)]

    @cached_property
    def shares(self) -> np.ndarray:
        """(K,) of the classes among the rows tested in the first repetition."""
        first = [
            t for t, p in zip(self.result.truths, self.result.places) if p[0] == self.result.places[0][0]
        ]
        counts = np.bincount(np.concatenate(first), minlength=len(self.result.classes))
        shares: Floats = counts / counts.sum()
        return shares

    @property
    def counts_errors(self) -> bool:
        """Whether the metric that ranks is the share of wrong, or of right, answers, every row counting once."""
        return self.metric.counts_errors and not self.result.weights

    def wrong(self, learner: str) -> np.ndarray:
        """(n,) bool of the rows of the first repetition."""
        answers = self.result.out_of_fold(learner)
        wrong: Bools = answers.answer != answers.truth
        return wrong

    def wrong_in_all_repetitions(self, learner: str) -> np.ndarray:
        """(n,) of each row the share of its tests that went wrong; NaN for a row that was never tested."""
        result = self.result
        wrong, tested = np.zeros(result.data.rows), np.zeros(result.data.rows)
        for rows, truth, cell in zip(result.tests, result.truths, result.cells[learner]):
            np.add.at(wrong, rows, cell.answer != truth)
            np.add.at(tested, rows, 1.0)
        share: Floats = np.divide(wrong, tested, out=np.full(len(wrong), np.nan), where=tested > 0)
        return share


def doubts(comparison: Comparison, *, rope: float = 0.01) -> list[Finding]:
    """Reasons to doubt what a comparison seems to say, most severe first; none for a clean one.

    Learners that failed; learners no better than the most frequent class; a metric that misleads about uneven
    classes; differences that are significant but negligible; too few rows to tell the best ones apart; the best of
    many, flattered by the choice; folds that disagree more than chance allows; probabilities distorted by class
    weights, or that are not calibrated; results too good to be true.

    Parameters
    ----------
    comparison : Comparison
    rope : float
        The difference below which two learners are practically equal, in units of the metric that ranks.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import compare
    >>> from assay.evaluate.doubts import doubts
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(200, 3)), rng.integers(0, 2, size=200)  # nothing to learn
    >>> found = doubts(compare(["lda", "majority"], X, y, design="10-fold"))
    >>> [f.code for f in found]
    ['no-better-than-majority', 'too-few-rows']
    >>> print(found[0].sentence)
    lda has the best error, but is not significantly better than answering the most frequent class always:
    nothing was shown to be learned.
    """
    from assay.evaluate.fold_doubts import FOLD_DOUBTS
    from assay.evaluate.probability_doubts import PROBABILITY_DOUBTS

    if isinstance(rope, bool) or not isinstance(rope, (int, float)) or not 0 <= rope < np.inf:
        raise ParameterError(f"rope must be a number from 0 up, got {rope!r}.", who="doubts")
    case = Doubt(comparison, float(rope))
    checks: list[Callable[[Doubt], Iterator[Finding]]] = [failed, *CHECKS, *FOLD_DOUBTS]
    if comparison.task == "classification":
        checks += PROBABILITY_DOUBTS
    findings = [f for check in (checks if case.ranked else [failed]) for f in check(case)]
    return sorted(findings, key=lambda f: SEVERITIES.index(f.severity))


def failed(case: Doubt) -> Iterator[Finding]:
    """Learners without numbers: the ranking says nothing about them."""
    for name, why in case.result.failures.items():
        end = "" if why.endswith((".", "!", "?")) else "."
        yield Finding(
            "failed-learner",
            "warning",
            (),
            f"{name} {why}{end} The ranking says nothing about it.",
            learner=name,
        )


def no_better_than_majority(case: Doubt) -> Iterator[Finding]:
    """Learners that are not significantly better than the most frequent class."""
    who = learned(case.result)
    if who is None or not who.not_shown:
        return
    regression = case.result.task == "regression"
    always = "predicting the mean always" if regression else "answering the most frequent class always"
    m, poor = case.metric.name, who.not_shown
    if not who.shown:
        lead = f"{poor[0]} has the best {m}, but is" if poor[0] == case.ranked[0] else f"{poor[0]} is"
        yield Finding(
            "no-better-than-baseline" if regression else "no-better-than-majority",
            "warning",
            (),
            f"{lead} not significantly better than {always}: nothing was shown to be learned.",
            learner=poor[0],
        )
        return
    are = "is" if len(poor) == 1 else "are"
    yield Finding(
        "no-better-than-baseline" if regression else "no-better-than-majority",
        "note",
        (),
        f"by {m}, {listed(poor)} {are} not significantly better than {always}.",
        learner=poor[0] if len(poor) == 1 else "",
    )


def misleading_metric(case: Doubt) -> Iterator[Finding]:
    """A low error that finds hardly any row of the rare class."""
    if not case.counts_errors or case.ranked[0] in case.blind:
        return
    share = case.shares
    present = np.flatnonzero(share > 0)
    most, least = int(np.argmax(share)), int(present[np.argmin(share[present])])
    if share[most] <= 0.8 and share[most] <= 10 * share[least]:
        return
    counts = case.result.confusion(case.ranked[0])
    recall = counts[least, least] / counts[least].sum()
    if recall < 0.5:
        labels = case.result.classes
        yield Finding(
            "metric-misleads",
            "warning",
            (),
            f"{case.ranked[0]} has the best {case.metric.name}, yet finds {recall:.1%} of the rows of "
            f"{labels[least]} only; answering {labels[most]} always is right in {share[most]:.1%}.",
            "Rank by balanced error, auc or cost: metrics=['balanced error'].",
            "Rank by balanced error, auc or cost: --metric 'balanced error'.",
            case.ranked[0],
        )


def negligible(case: Doubt) -> Iterator[Finding]:
    """Significant, but within what does not matter."""
    m, best = case.metric, case.ranked[0]
    if tuple(m.bounds) != (0, 1) or not case.rope:
        return
    small = []
    for name in case.ranked[1:]:
        r = (v := case.result.test(name, best, m.name)).result
        if v.significant and max(abs(r.low), abs(r.high)) < case.rope:  # never with NaN
            small.append(f"{name} ({r.estimate:+.4f}, interval {r.low:+.4f} to {r.high:+.4f})")
    if small:
        yield Finding(
            "negligible-difference",
            "note",
            (),
            f"significantly worse than {best} but practically equal, within {case.rope:g} of its {m.name}: "
            f"{listed(small, 3)}.",
            "Choose by speed or simplicity.",
            learner=best,
        )


def too_few_rows(case: Doubt) -> Iterator[Finding]:
    """The best two do not differ significantly, and only a large difference would have been found."""
    from assay.stats.significance.power import smallest_difference

    if len(case.ranked) < 2 or tuple(case.metric.bounds) != (0, 1):
        return
    result, m = case.result, case.metric
    a, b = case.ranked[:2]
    verdict = result.test(a, b, m.name)
    gap = result.values(a, m.name) - result.values(b, m.name)
    gap = gap[np.isfinite(gap)]
    if verdict.significant or np.isnan(verdict.adjusted) or result.design.five_by_two:
        return
    adjusted = [result.test(i, j, m.name).adjusted for i, j in family_of(result, a, b)]
    alpha = result.alpha / sum(
        q > result.alpha for q in adjusted
    )  # Holm's level for the first pair not yet rejected
    if len(gap) >= 2 and gap.std() > 0:
        ratio = test_rows_per_training_row(result, np.ones(len(result.places), dtype=bool))
        least = smallest_difference("t", len(gap), sd=float(gap.std(ddof=1)), ratio=ratio, alpha=alpha)
    elif len(result.places) == 1 and case.counts_errors:
        apart, n = float(np.mean(case.wrong(a) != case.wrong(b))), len(case.wrong(a))
        if 3.5 * np.sqrt(apart / n) < 0.02:  # by far enough rows; the exact number would take long to find
            return
        least = smallest_difference("mcnemar", n, disagree=apart, alpha=alpha)
    else:
        return
    if np.isnan(least) or least > max(case.rope, 0.02):
        detectable = (
            "no difference at all"
            if np.isnan(least)
            else f"only differences in {m.name} of {least:.3f} or more"
        )
        rows = len(np.unique(np.concatenate(result.tests)))
        yield Finding(
            "too-few-rows",
            "warning" if not least <= 0.1 else "note",
            (),
            f"{a} and {b} do not differ significantly, but with {rows} rows and {result.design.name}, {detectable} "
            "would be found four times out of five. That no difference was found does not mean that there is none.",
            "Bring more rows.",
        )


def best_of_many(case: Doubt) -> Iterator[Finding]:
    r"""The best of several is flattered by the choice, by as much as a bootstrap of choosing shows.

    Rows are drawn again, with their errors in all repetitions; the best on the draw has error :math:`e_b` there and e
    on all rows; optimism is the mean of :math:`e - e_b`. It is added to the number that the table has.
    """
    rivals = [n for n in case.ranked if n not in case.blind]
    if len(rivals) < 3 or not case.counts_errors or case.ranked[0] in case.blind:
        return
    wrong = np.array([case.wrong_in_all_repetitions(n) for n in rivals])
    wrong = wrong[:, np.isfinite(wrong).all(axis=0)]
    if wrong.shape[1] < 20:
        return
    pattern, count = _patterns(wrong)  # rows on which the same learners err alike
    n, error = int(count.sum()), wrong.mean(axis=1)
    draws = int(np.clip(MOST_DRAWN / len(count), 200, _DRAWS))
    drawn = np.random.default_rng(0).multinomial(n, count / n, size=draws) @ pattern.T / n
    winner = drawn.argmin(axis=1)
    flattery = float(np.mean(error[winner] - drawn[np.arange(draws), winner]))
    best, m = case.result.ranking()[0], case.metric
    lowest = best.mean if m.sign > 0 else 1 - best.mean
    if flattery > max(0.002, 0.1 * lowest):
        yield Finding(
            "best-of-many",
            "note",
            (),
            f"{best.learner} is the best of {len(rivals)} by looking: its {m.name} of {best.mean:.4f} in the table is "
            f"flattered by the choice, by about {flattery:.4f}. Expect about {best.mean + m.sign * flattery:.4f} on "
            "new rows.",
            "Or choose inside each fold: assay.tuning.Tuned.",
            learner=best.learner,
        )


def _patterns(wrong: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct columns and how often each occurs: np.unique(axis=1), which is slow for many rows."""
    ordered = wrong[:, np.lexsort(wrong[::-1])]
    starts = np.flatnonzero(np.r_[True, (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)])
    return ordered[:, starts], np.diff(np.r_[starts, wrong.shape[1]])


def too_good(case: Doubt) -> Iterator[Finding]:
    """Not one wrong answer on many rows: a reason to look for a leak."""
    if not case.counts_errors or case.ranked[0] in case.blind:
        return
    wrong = case.wrong(case.ranked[0])
    if len(wrong) >= 200 and not wrong.any() and case.shares.max() < 0.9:
        yield Finding(
            "too-good",
            "note",
            (),
            f"{case.ranked[0]} is right on all {len(wrong)} rows. That is rare.",
            "See whether a column, a copy or the order of the rows gives the class away.",
            learner=case.ranked[0],
        )


CHECKS: list[Callable[[Doubt], Iterator[Finding]]] = [
    no_better_than_majority,
    misleading_metric,
    negligible,
    too_few_rows,
    best_of_many,
    too_good,
]
