"""Measures of the order of scores: the ranking itself, Gini, Kolmogorov-Smirnov, concordant pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.errors import DataError
from assay.metrics._inputs import scored
from assay.metrics.areas import area_of
from assay.metrics.curves import tallies
from assay.metrics.forms import OfScores
from assay.metrics.measure import Measure
from assay.sentence import Sentence
from assay.stats.significance.test_result import TestResult, check_alpha
from assay.types import Label, Scores, Target, Weights

__all__ = ["Concordance", "Ranked", "concordance", "gini_score", "ks_statistic", "ranked"]


@dataclass(frozen=True)
class Ranked(Sentence):
    """Rows by falling score: the strip of positives and negatives.

    Attributes
    ----------
    order : (n,) row numbers, highest score first; equal scores in the order of the rows
    positive : (n,) bool, in that order
    score : (n,) in that order
    label : the positive class

    Examples
    --------
    >>> from assay.metrics import ranked
    >>> ranked([0, 1, 1], [0.1, 0.4, 0.35]).positive
    array([ True,  True, False])
    """

    order: np.ndarray
    positive: np.ndarray
    score: np.ndarray
    label: Label | None = None

    @property
    def hits(self) -> np.ndarray:
        """(P,) ranks of the positives, from 1."""
        return np.flatnonzero(self.positive) + 1

    def __str__(self) -> str:
        return "".join("+" if p else "-" for p in self.positive)


def ranked(truth: Target, score: Scores, *, pos_label: Label | None = None) -> Ranked:
    """The rows in the order of their scores.

    >>> from assay.metrics import ranked
    >>> strip = ranked(["no", "yes", "no", "yes"], [0.3, 0.9, 0.5, 0.4])
    >>> print(strip)
    +-+-
    >>> strip.order, strip.hits
    (array([1, 2, 3, 0]), array([1, 3]))
    """
    rows = scored(truth, score, "ranked", pos_label)
    order = np.argsort(-rows.score, kind="stable")
    return Ranked(order, rows.positive[order], rows.score[order], rows.label)


def gini_score(
    truth: Target, score: Scores, *, pos_label: Label | None = None, sample_weight: Weights | None = None
) -> float:
    """Gini's coefficient of a score, 2 AUC - 1: 0 for a random order, 1 for a perfect one.

    >>> from assay.metrics import gini_score
    >>> gini_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """
    area = area_of(scored(truth, score, "gini_score", pos_label, sample_weight))
    if np.isnan(area):
        raise DataError("gini_score: the truth has one class only, the coefficient needs two.")
    return 2 * area - 1


def ks_statistic(
    truth: Target, score: Scores, *, pos_label: Label | None = None, alpha: float = 0.05
) -> TestResult:
    r"""The largest distance of the two classes' score distributions, and its significance.

    .. math:: D = \max_t |TPR(t) - FPR(t)|, \qquad p = P(K > D\sqrt{PN/(P+N)})

    with Kolmogorov's distribution. The threshold of the largest distance is in ``why``. For few rows p is a little too
    large.

    Parameters
    ----------
    truth : (n,) labels of two classes
    score : (n,)
    pos_label : the positive class

    Examples
    --------
    >>> from assay.metrics import ks_statistic
    >>> result = ks_statistic([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> result.statistic, result.why
    (0.5, 'The distance is largest at the threshold 0.8.')
    """
    from scipy.special import kolmogorov

    alpha = check_alpha(alpha, "ks_statistic")
    counted = tallies(scored(truth, score, "ks_statistic", pos_label))
    P, N = counted.tps[-1], counted.fps[-1]
    if not (P > 0 and N > 0):
        raise DataError("ks_statistic: the truth has one class only, a distance needs two.")
    gap = np.abs(counted.tps / P - counted.fps / N)
    i = int(gap.argmax())
    p = float(kolmogorov(gap[i] * np.sqrt(P * N / (P + N))))
    why = f"The distance is largest at the threshold {counted.threshold[i]:g}."
    return TestResult("Kolmogorov-Smirnov test of two classes' scores", float(gap[i]), p, alpha=alpha,
                      estimate=float(gap[i]), why=why)  # fmt: skip


@dataclass(frozen=True)
class Concordance:
    """Pairs of a positive and a negative row.

    Attributes
    ----------
    concordant, discordant, tied : numbers of pairs
    c : concordant + tied/2 over all: the area under the ROC curve
    somers_d : (concordant - discordant) over all pairs
    gamma : the same over the pairs that are not tied (Goodman and Kruskal); NaN if all are

    Examples
    --------
    >>> from assay.metrics import Concordance
    >>> pairs = Concordance(concordant=6, discordant=1, tied=2)
    >>> round(pairs.c, 4), round(pairs.somers_d, 4), round(pairs.gamma, 4)
    (0.7778, 0.5556, 0.7143)
    """

    concordant: float
    discordant: float
    tied: float

    @property
    def c(self) -> float:
        return (self.concordant + self.tied / 2) / (self.concordant + self.discordant + self.tied)

    @property
    def somers_d(self) -> float:
        return (self.concordant - self.discordant) / (self.concordant + self.discordant + self.tied)

    @property
    def gamma(self) -> float:
        apart = self.concordant + self.discordant
        return (self.concordant - self.discordant) / apart if apart else float("nan")


def concordance(
    truth: Target, score: Scores, *, pos_label: Label | None = None, sample_weight: Weights | None = None
) -> Concordance:
    """Count the pairs of a positive and a negative row that are concordant, discordant and tied.

    >>> from assay.metrics import concordance
    >>> pairs = concordance([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.8, 0.6, 0.6, 0.4])
    >>> pairs.concordant, pairs.discordant, pairs.tied, round(pairs.c, 4)
    (6.0, 1.0, 2.0, 0.7778)
    """
    counted = tallies(scored(truth, score, "concordance", pos_label, sample_weight))
    P, N = counted.tps[-1], counted.fps[-1]
    if not (P > 0 and N > 0):
        raise DataError("concordance: the truth has one class only, pairs need two.")
    pos, neg = np.diff(counted.tps, prepend=0.0), np.diff(counted.fps, prepend=0.0)
    right, wrong = float(neg @ (counted.tps - pos)), float(pos @ (counted.fps - neg))
    return Concordance(right, wrong, float(neg @ pos))


GINI = Measure(
    "gini", OfScores(area_of, scale=(2.0, -1.0)), "higher", "twice the area under the ROC curve less one", "scores",
    bounds=(-1.0, 1.0), functions=(gini_score,),
)  # fmt: skip
