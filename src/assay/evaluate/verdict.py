"""Where a learner stands, and how one pair of learners differs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.evaluate.digits import shown_metric
from assay.metrics.measure import Measure
from assay.sentence import Sentence
from assay.stats.significance.test_result import TestResult, shown_confidence, shown_p

__all__ = ["Standing", "Verdict", "turned"]


ROUNDING = 1e-12  # of the interval, below which a mean difference is one of adding up
OF_ROWS = ("mcnemar", "z_test", "diebold_mariano", "paired_rows")  # tests whose name says on how many rows


@dataclass(frozen=True)
class Standing:
    """Where one learner stands.

    Attributes
    ----------
    mean, low, high : the metric over all splits, and its interval (NaN where there is none)
    difference, difference_low, difference_high : this learner minus the best one
    p : of that difference, adjusted over the pairs of its family; NaN for the best itself
    level : whether it is not significantly worse than the best
    letters : learners that share a letter do not differ significantly
    failure : why the learner has no numbers, or ""
    """

    learner: str
    mean: float = np.nan
    low: float = np.nan
    high: float = np.nan
    difference: float = np.nan
    difference_low: float = np.nan
    difference_high: float = np.nan
    p: float = np.nan
    level: bool = False
    letters: str = ""
    fit_seconds: float = np.nan
    predict_seconds: float = np.nan
    prepared: str = ""
    failure: str = ""


@dataclass(frozen=True)
class Verdict(Sentence):
    """One pair, one metric, one sentence.

    Attributes
    ----------
    result : TestResult of the first learner minus the second
    adjusted : p after Holm's adjustment over the pairs of its family: all pairs of learners that look at columns, or
        the pairs of each of them with the baseline that looks at none
    pairs : how many pairs that are
    splits : on how many splits both were measured

    Examples
    --------
    >>> from assay.evaluate import Verdict, paired_t
    >>> from assay.metrics import measures
    >>> test = paired_t([.03, .00, .03, .01, .01, .01, .04, .02, .01, .04], ratio=1 / 9)
    >>> print(Verdict("tree", "bayes", measures()["error"], test, test.p, 1, 10, 0.05))
    tree has a higher error than bayes by 0.0200 (difference +0.0200, 95% interval +0.0053 to +0.0347);
    corrected resampled t test on 10 splits: p = 0.013: significant at 0.05.
    """

    first: str
    second: str
    metric: Measure
    result: TestResult
    adjusted: float
    pairs: int
    splits: int
    alpha: float

    @property
    def significant(self) -> bool:
        return bool(self.adjusted <= self.alpha)

    def __str__(self) -> str:
        r, name = self.result, self.metric.name
        if np.isnan(r.p):
            return f"{self.first} and {self.second} cannot be compared by {name}: {r.test}."
        if r.estimate == 0 and r.p == 1:
            return f"{self.first} and {self.second} do not differ in {name} ({r.test})."
        worse = "higher" if r.estimate > 0 else "lower"
        like = np.nanmax(np.abs([r.estimate, r.low, r.high]))
        equal = abs(r.estimate) <= ROUNDING * like
        gap, low, high = (shown_metric(self.metric, v, like, sign=True) for v in (r.estimate, r.low, r.high))
        sure = f", {shown_confidence(self.alpha)} interval {low} to {high}" if low else ""
        after = "" if self.pairs == 1 else f", adjusted for {self.pairs} pairs {shown_p(self.adjusted)}"
        splits = f" on {self.splits} splits" if self.splits > 1 and r.code not in OF_ROWS else ""
        verdict = "significant" if self.significant else "not significant"
        if equal:
            says = f"{self.first} and {self.second} have the same mean {name}"
        else:
            by = shown_metric(self.metric, abs(r.estimate), like)
            says = f"{self.first} has a {worse} {name} than {self.second} by {by}"
        return (
            f"{says} (difference {gap}{sure}); {r.test}{splits}: "
            f"{shown_p(r.p)}{after}: {verdict} at {self.alpha:g}."
        )


def turned(result: TestResult) -> TestResult:
    """The same test, seen from the other learner: signs change, but a chi-square and an F have none.

    >>> from assay.evaluate.verdict import turned
    >>> from assay.stats import paired_t
    >>> there = paired_t([.03, .01, .05])
    >>> back = turned(there)
    >>> back.estimate == -there.estimate, back.low == -there.high, back.p == there.p
    (True, True, True)
    """
    unsigned = isinstance(result.df, tuple) or result.code == "mcnemar"
    other = {"greater": "less", "less": "greater"}.get(result.alternative, result.alternative)
    return replace(
        result,
        estimate=-result.estimate,
        low=-result.high,
        high=-result.low,
        statistic=result.statistic if unsigned else -result.statistic,
        alternative=other,
    )
