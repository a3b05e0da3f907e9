"""What a careful colleague would ask after a comparison: is the winner's lead real, large, and worth anything?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import ParameterError
from assay.evaluate.finding import SEVERITIES, Finding, listed
from assay.evaluate.majority import MajorityClassifier
from assay.evaluate.pairs import test_rows_per_training_row

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison
    from assay.evaluate.metrics import Metric

__all__ = ["doubts"]

_DRAWS = 2000


@dataclass(frozen=True)
class Doubt:
    """What every check looks at: the comparison, and what difference would be too small to matter."""

    result: Comparison
    rope: float

    @property
    def metric(self) -> Metric:
        """The one that ranks."""
        return self.result.metrics[0]

    @cached_property
    def ranked(self) -> list[str]:
        """The learners that finished and have a mean, from best to worst."""
        return [s.learner for s in self.result.ranking() if not s.failure and not np.isnan(s.mean)]

    @cached_property
    def blind(self) -> list[str]:
        """Those that look at no column."""
        known = self.result.candidates
        return [n for n in self.ranked if n in known and isinstance(known[n].given, MajorityClassifier)]

    @cached_property
    def shares(self) -> np.ndarray:
        """(K,) of the classes among the rows tested in the first repetition."""
        first = [
            t for t, p in zip(self.result.truths, self.result.places) if p[0] == self.result.places[0][0]
        ]
        counts = np.bincount(np.concatenate(first), minlength=len(self.result.classes))
        return counts / counts.sum()

    @property
    def counts_errors(self) -> bool:
        """Whether the metric that ranks is the share of wrong, or of right, answers, every row counting once."""
        return self.metric.name in ("error", "accuracy") and not self.result.weights

    def wrong(self, learner: str) -> np.ndarray:
        """(n,) bool of the rows of the first repetition."""
        seen = self.result.out_of_fold(learner)
        return seen.answer != seen.truth


def doubts(comparison: Comparison, *, rope: float = 0.01) -> list[Finding]:
    """Reasons to doubt what a comparison seems to say, most severe first; none for a clean one.

    Learners that failed; learners no better than the most frequent class; a metric that misleads about uneven
    classes; differences that are significant but negligible; too few rows to tell the best ones apart; the best of
    many, flattered by the choice; folds that disagree more than chance allows; probabilities distorted by class
    weights, or that do not mean what they say; results too good to be true.

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
        raise ParameterError(f"doubts: rope must be a number from 0 up, got {rope!r}.")
    case = Doubt(comparison, float(rope))
    checks: list[Callable[[Doubt], Iterator[Finding]]] = [failed, *CHECKS, *FOLD_DOUBTS, *PROBABILITY_DOUBTS]
    found = [f for check in (checks if case.ranked else [failed]) for f in check(case)]
    return sorted(found, key=lambda f: SEVERITIES.index(f.severity))


def failed(case: Doubt) -> Iterator[Finding]:
    """Learners without numbers: the ranking says nothing about them."""
    for name, why in case.result.failures.items():
        end = "" if why.endswith((".", "!", "?")) else "."
        yield Finding(
            "failed-learner", "warning", name, f"{name} {why}{end} The ranking says nothing about it."
        )


def no_better_than_majority(case: Doubt) -> Iterator[Finding]:
    """Learners that are not significantly better than the most frequent class."""
    poor = [name for name in case.ranked if name not in case.blind and not _learned(case, name)]
    if not poor:
        return
    always = "answering the most frequent class always"
    if case.ranked[0] in [*poor, *case.blind]:
        name = poor[0] if case.ranked[0] in case.blind else case.ranked[0]
        lead = f"{name} has the best {case.metric.name}, but is" if name == case.ranked[0] else f"{name} is"
        yield Finding(
            "no-better-than-majority",
            "warning",
            name,
            f"{lead} not significantly better than {always}: nothing was shown to be learned.",
        )
    else:
        are = "is" if len(poor) == 1 else "are"
        yield Finding(
            "no-better-than-majority",
            "note",
            poor[0] if len(poor) == 1 else "",
            f"by {case.metric.name}, {listed(poor)} {are} not significantly better than {always}.",
        )


def _learned(case: Doubt, name: str) -> bool:
    """Whether a learner is significantly better than the majority class; True where that cannot be asked."""
    from assay.stats.binomial_test import binomial_test
    from assay.stats.paired_t import paired_t

    result, m = case.result, case.metric
    if case.blind:
        verdict = result.test(name, case.blind[0], m.name)
        return np.isnan(verdict.adjusted) or (verdict.significant and m.sign * verdict.result.estimate < 0)
    if not case.counts_errors:
        return True
    k = int(np.argmax(case.shares))
    floor = np.array([np.mean(truth != k) for truth in result.truths])
    gap = m.sign * result.values(name, m.name) - (floor if m.sign > 0 else floor - 1)
    if len(gap) < 2:  # one split: its rows are the sample
        wrong, least = case.wrong(name), float(floor[0])
        return not least or binomial_test(int(wrong.sum()), len(wrong), least, alternative="less").rejected
    ratio = test_rows_per_training_row(result, np.ones(len(gap), dtype=bool))
    return paired_t(gap, ratio, alpha=result.alpha, alternative="less").rejected


def misleading_metric(case: Doubt) -> Iterator[Finding]:
    """A low error that finds hardly any row of the rare class."""
    if not case.counts_errors or case.ranked[0] in case.blind:
        return
    share = case.shares
    there = np.flatnonzero(share > 0)
    most, least = int(np.argmax(share)), int(there[np.argmin(share[there])])
    if share[most] <= 0.8 and share[most] <= 10 * share[least]:
        return
    counts = case.result.confusion(case.ranked[0])
    recall = counts[least, least] / counts[least].sum()
    if recall < 0.5:
        labels = case.result.classes
        yield Finding(
            "metric-misleads",
            "warning",
            case.ranked[0],
            f"{case.ranked[0]} has the best {case.metric.name}, yet finds {recall:.1%} of the rows of "
            f"{labels[least]} only; answering {labels[most]} always is right in {share[most]:.1%}. Rank by "
            "balanced error, auc or cost.",
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
            best,
            f"significantly worse than {best} but practically equal, within {case.rope:g} of its {m.name}: "
            f"{listed(small, 3)}. Choose by speed or simplicity.",
        )


def too_few_rows(case: Doubt) -> Iterator[Finding]:
    """The best two do not differ significantly, and only a large difference would have been found."""
    from assay.stats.power import smallest_difference

    if len(case.ranked) < 2 or tuple(case.metric.bounds) != (0, 1):
        return
    result, m = case.result, case.metric
    a, b = case.ranked[:2]
    verdict = result.test(a, b, m.name)
    gap = result.values(a, m.name) - result.values(b, m.name)
    gap = gap[np.isfinite(gap)]
    if verdict.significant or np.isnan(verdict.adjusted) or result.design.five_by_two:
        return
    if len(gap) >= 2 and gap.std() > 0:
        ratio = test_rows_per_training_row(result, np.ones(len(result.places), dtype=bool))
        least = smallest_difference("t", len(gap), sd=float(gap.std(ddof=1)), ratio=ratio, alpha=result.alpha)
    elif len(result.places) == 1 and case.counts_errors:
        apart, n = float(np.mean(case.wrong(a) != case.wrong(b))), len(case.wrong(a))
        if 3.5 * np.sqrt(apart / n) < 0.02:  # by far enough rows; the exact number would take long to find
            return
        least = smallest_difference("mcnemar", n, disagree=apart, alpha=result.alpha)
    else:
        return
    if np.isnan(least) or least > max(case.rope, 0.02):
        found = (
            "no difference at all"
            if np.isnan(least)
            else f"only differences in {m.name} of {least:.3f} or more"
        )
        rows = len(np.unique(np.concatenate(result.tests)))
        yield Finding(
            "too-few-rows",
            "warning" if not least <= 0.1 else "note",
            "",
            f"{a} and {b} do not differ significantly, but with {rows} rows and {result.design.name}, {found} would "
            "be found four times out of five. That no difference was found does not mean that there is "
            "none: bring more rows.",
        )


def best_of_many(case: Doubt) -> Iterator[Finding]:
    r"""The best of several is flattered by the choice, by as much as a bootstrap of choosing shows.

    Rows are drawn again; the best on the draw has error :math:`e_b` there and e on all rows; optimism is the mean of
    :math:`e - e_b`.
    """
    rivals = [n for n in case.ranked if n not in case.blind]
    if len(rivals) < 3 or not case.counts_errors:
        return
    seen = [case.result.out_of_fold(n).rows for n in rivals]
    if any(len(rows) != len(seen[0]) for rows in seen) or len(seen[0]) < 20:
        return
    wrong = np.array([case.wrong(n) for n in rivals])
    pattern, count = _patterns(wrong)  # rows on which the same learners err
    n, error = int(count.sum()), wrong.mean(axis=1)
    drawn = np.random.default_rng(0).multinomial(n, count / n, size=_DRAWS) @ pattern.T / n
    winner = drawn.argmin(axis=1)
    flattery = float(np.mean(error[winner] - drawn[np.arange(_DRAWS), winner]))
    lowest, best = float(error.min()), rivals[int(error.argmin())]
    if flattery > max(0.002, 0.1 * lowest):
        yield Finding(
            "best-of-many",
            "note",
            best,
            f"{best} is the best of {len(rivals)} by looking: its error of {lowest:.4f} is flattered "
            f"by the choice, by about {flattery:.4f}. Expect {lowest + flattery:.4f} on new rows, or choose "
            "inside each fold.",
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
            case.ranked[0],
            f"{case.ranked[0]} is right on all {len(wrong)} rows. That is rare: see whether a column, a copy "
            "or the order of the rows gives the class away.",
        )


CHECKS: list[Callable[[Doubt], Iterator[Finding]]] = [
    no_better_than_majority,
    misleading_metric,
    negligible,
    too_few_rows,
    best_of_many,
    too_good,
]
