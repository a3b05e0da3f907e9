"""Which learners were shown to learn: one decision for the sentence under the table, the notes and the report."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from assay.baselines import MajorityClassifier, MeanRegressor
from assay.evaluate.pairs import test_rows_per_training_row

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = ["Learned", "family_of", "learned", "looks_at_nothing", "with_baseline"]


BASELINES = (MajorityClassifier, MeanRegressor)


@dataclass(frozen=True)
class Learned:
    """The learners of a comparison against the answer that looks at no column, by the metric that ranks.

    Attributes
    ----------
    reference : the learner that looks at no column, the first of them; "" if none takes part, and then, among
        classes, the most frequent one stands for it
    shown : learners that are significantly better than it, best first
    not_shown : the others that look at columns, best first
    """

    reference: str
    shown: tuple[str, ...]
    not_shown: tuple[str, ...]

    @property
    def nothing_shown(self) -> bool:
        """Whether learners looked at columns and none of them was shown to learn."""
        return bool(self.not_shown) and not self.shown


def learned(result: Comparison) -> Learned | None:
    """Who is significantly better than the answer that looks at no column; None where that cannot be asked.

    Against a baseline that takes part (the most frequent class, the mean), by the test of the table, adjusted over the
    pairs with it like the table's letters and p-values. Without one, by error or accuracy, against the share of the
    most frequent class.

    >>> from assay import compare
    >>> from assay.evaluate.learned import learned
    >>> from assay.tables.data import load_iris
    >>> learned(compare(["lda", "majority"], load_iris(), design="10-fold"))
    Learned(reference='majority', shown=('lda',), not_shown=())
    """
    ranked = [s.learner for s in result.ranking() if not s.failure and not np.isnan(s.mean)]
    blind = [name for name in ranked if looks_at_nothing(result, name)]
    if blind:
        judged = {name: _better(result, name, blind[0]) for name in ranked if name not in blind}
    elif result.metrics[0].counts_errors and not result.weights:
        judged = {name: _better_than_share(result, name) for name in ranked}
    else:
        return None
    return Learned(
        blind[0] if blind else "",
        tuple(name for name, better in judged.items() if better),
        tuple(name for name, better in judged.items() if better is False),
    )


def looks_at_nothing(result: Comparison, name: str) -> bool:
    """Whether a learner answers without looking at any column."""
    return name in result.candidates and isinstance(result.candidates[name].learner, BASELINES)


def with_baseline(result: Comparison, a: str, b: str) -> bool:
    """Whether one of two learners looks at no column: to which of two families of tests their pair belongs.

    Who is better than the baseline is one question, answered by the pairs with it. Which learners differ is another,
    answered by all pairs of the others, not only those with the best one, which was chosen by looking at the results.
    """
    return looks_at_nothing(result, a) or looks_at_nothing(result, b)


def family_of(result: Comparison, a: str, b: str) -> list[tuple[str, str]]:
    """The pairs of finished learners over which the p-value of one pair is adjusted.

    >>> from assay import compare
    >>> from assay.evaluate.learned import family_of
    >>> from assay.tables.data import load_iris
    >>> result = compare(["lda", "qda", "knn", "majority"], load_iris(), design="2-fold")
    >>> family_of(result, "qda", "majority")
    [('lda', 'majority'), ('qda', 'majority'), ('knn', 'majority')]
    >>> family_of(result, "lda", "qda")
    [('lda', 'qda'), ('lda', 'knn'), ('qda', 'knn')]
    """
    same = with_baseline(result, a, b)
    return [pair for pair in combinations(result.finished, 2) if with_baseline(result, *pair) == same]


def _better(result: Comparison, name: str, blind: str) -> bool | None:
    verdict = result.test(name, blind)
    if np.isnan(verdict.adjusted):
        return None
    return verdict.significant and result.metrics[0].sign * verdict.result.estimate < 0


def _better_than_share(result: Comparison, name: str) -> bool:
    """Whether the error is below the share of the other classes, by the splits or by the rows of the only one."""
    from assay.stats.significance.binomial_test import binomial_test
    from assay.stats.significance.paired_t import paired_t

    m = result.metrics[0]
    counts = np.bincount(np.concatenate(result.truths), minlength=len(result.classes))
    frequent = int(np.argmax(counts))
    floor = np.array([np.mean(truth != frequent) for truth in result.truths])
    gap = m.sign * result.values(name, m.name) - (floor if m.sign > 0 else floor - 1)
    if len(gap) < 2:  # one split: its rows are the sample
        answers, least = result.out_of_fold(name), float(floor[0])
        wrong = int((answers.answer != answers.truth).sum())
        test = binomial_test(wrong, len(answers.truth), least, alternative="less", alpha=result.alpha)
        return not least or test.rejected
    ratio = test_rows_per_training_row(result, np.ones(len(gap), dtype=bool))
    return paired_t(gap, ratio, alpha=result.alpha, alternative="less").rejected
