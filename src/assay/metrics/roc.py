"""The ROC curve as an object: area, interval, hull, bands, dominance, operating points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, ParameterError
from assay.metrics._inputs import scored
from assay.metrics.areas import partial_area
from assay.metrics.curves import Tallies, tallies
from assay.metrics.delong import interval_of
from assay.metrics.estimate import Estimate
from assay.sentence import Sentence
from assay.stats.checks import is_number
from assay.types import Floats, Label, Scores, Target, Weights

__all__ = ["Dominance", "OperatingPoint", "RocCurve"]


@dataclass(frozen=True)
class OperatingPoint:
    """One threshold of a curve: predict positive where ``score >= threshold``; ``value`` is the criterion's.

    Examples
    --------
    >>> from assay.metrics import RocCurve
    >>> RocCurve.of([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).best(miss=3)
    OperatingPoint(threshold=0.35, fpr=0.5, tpr=1.0, value=0.25)
    """

    threshold: float
    fpr: float
    tpr: float
    value: float


@dataclass(frozen=True)
class Dominance(Sentence):
    """Whether one curve lies nowhere below another.

    Attributes
    ----------
    verdict : "first", "second", "equal" or "crossing"
    above, below : largest amount by which the first curve's TPR lies above and below the second's
    at_above, at_below : where (false positive rate)

    Examples
    --------
    >>> from assay.metrics import RocCurve
    >>> truth = [0, 0, 1, 1]
    >>> print(RocCurve.of(truth, [1, 2, 3, 4]).against(RocCurve.of(truth, [1, 3, 2, 4])))
    The first curve dominates: nowhere lower, up to 0.5000 higher (at FPR 0.0000).
    """

    verdict: str
    above: float
    below: float
    at_above: float
    at_below: float

    def __str__(self) -> str:
        if self.verdict == "equal":
            return "The two curves are the same."
        if self.verdict == "crossing":
            return (
                f"The curves cross: the first is up to {self.above:.4f} higher (at FPR {self.at_above:.4f}) and up to "
                f"{self.below:.4f} lower (at FPR {self.at_below:.4f}), so neither dominates."
            )
        gap, where = (self.above, self.at_above) if self.verdict == "first" else (self.below, self.at_below)
        return (
            f"The {self.verdict} curve dominates: nowhere lower, up to {gap:.4f} higher (at FPR {where:.4f})."
        )


@dataclass(frozen=True)
class RocCurve:
    r"""True positive rate against false positive rate over all thresholds of a score.

    Every distinct score is a point; equal scores move together, which makes a slanted piece.

    Parameters
    ----------
    fpr, tpr, thresholds : (m,) from (0, 0) with threshold infinity to (1, 1)
    positives, negatives : float
        Rows, or weight, of the two classes.
    label : the positive class
    weighted : bool

    Examples
    --------
    >>> from assay.metrics import RocCurve
    >>> curve = RocCurve.of([1, 1, 0, 1, 1, 0, 1, 0, 0, 0], [.95, .9, .8, .7, .6, .55, .5, .4, .3, .1])
    >>> round(curve.area, 4)
    0.84
    >>> curve.hull.fpr, curve.hull.tpr
    (array([0. , 0. , 0.2, 0.4, 1. ]), array([0. , 0.4, 0.8, 1. , 1. ]))
    >>> curve.best().threshold, curve.best(miss=5).threshold
    (0.6, 0.5)
    """

    fpr: np.ndarray
    tpr: np.ndarray
    thresholds: np.ndarray
    positives: float
    negatives: float
    label: Label | None = None
    weighted: bool = False

    @classmethod
    def of(
        cls,
        truth: Target,
        score: Scores,
        *,
        pos_label: Label | None = None,
        sample_weight: Weights | None = None,
    ) -> RocCurve:
        """The curve of (n,) labels of two classes and (n,) scores; ``pos_label`` as in :func:`roc_curve`."""
        rows = scored(truth, score, "RocCurve", pos_label, sample_weight)
        counted = tallies(rows)
        P, N = float(counted.tps[-1]), float(counted.fps[-1])
        if not (P > 0 and N > 0):
            raise DataError(
                f"RocCurve: the truth has no {'positive' if P <= 0 else 'negative'} row, so there is no curve."
            )
        return cls(
            np.append(0.0, counted.fps / N),
            np.append(0.0, counted.tps / P),
            np.append(np.inf, counted.threshold),
            P,
            N,
            rows.label,
            rows.weight is not None,
        )

    @classmethod
    def mean(cls, curves: Sequence[RocCurve]) -> RocCurve:
        """The mean of the true positive rates at every false positive rate (vertical averaging, Fawcett 2006).

        For scores of several models, such as those of the folds of a cross-validation, which need not share a scale:
        each is ranked among its own rows. The area of the mean is exactly the mean of the areas.

        >>> from assay.metrics import RocCurve
        >>> one, two = RocCurve.of([0, 1, 0, 1], [1, 2, 3, 4]), RocCurve.of([0, 1, 1], [7, 7, 9])
        >>> one.area, two.area, RocCurve.mean([one, two]).area
        (0.75, 0.75, 0.75)
        """
        if len(curves) == 1:
            return curves[0]
        knots = np.unique(np.concatenate([c.fpr for c in curves]))
        fpr = np.repeat(knots, 2)  # where a curve rises straight up, its lower and its upper end
        tpr = np.zeros(len(fpr))
        for c in curves:
            tpr[::2] += c._before(knots)
            tpr[1::2] += c.at(knots)
        tpr /= len(curves)
        tpr[0] = 0.0
        moves = np.append(True, (np.diff(fpr) > 0) | (np.diff(tpr) > 0))
        P, N = (float(np.sum([getattr(c, side) for c in curves])) for side in ("positives", "negatives"))
        nowhere = np.full(int(moves.sum()), np.nan)
        return cls(fpr[moves], np.minimum(tpr[moves], 1.0), nowhere, P, N, curves[0].label, True)

    @property
    def area(self) -> float:
        """P(a positive scores above a negative) + P(equal)/2."""
        return float(np.diff(self.fpr) @ (self.tpr[1:] + self.tpr[:-1]) / 2)

    def interval(self, alpha: float = 0.05, method: str = "auto") -> Estimate:
        """The area with its interval, as in :func:`auc_interval`; only for unweighted rows."""
        if self.weighted:
            why = "rows are weighted, or the curve is a mean of several; with_interval resamples rows"
            return Estimate(self.area, alpha=alpha, why=why)
        return interval_of(self._counts(), alpha, method, "RocCurve.interval")

    def _counts(self) -> Tallies:
        return Tallies(
            self.thresholds[1:],
            np.rint(self.tpr[1:] * self.positives),
            np.rint(self.fpr[1:] * self.negatives),
        )

    def at(self, fpr: ArrayLike) -> Any:
        """The true positive rate at a false positive rate; where the curve rises straight up, the upper end."""
        x = np.asarray(fpr, dtype=np.float64)
        i = np.clip(np.searchsorted(self.fpr, x, "right") - 1, 0, len(self.fpr) - 1)
        j = np.minimum(i + 1, len(self.fpr) - 1)
        run = np.where(self.fpr[j] > self.fpr[i], self.fpr[j] - self.fpr[i], 1.0)
        rate = self.tpr[i] + (self.tpr[j] - self.tpr[i]) * np.clip((x - self.fpr[i]) / run, 0, 1)
        return float(rate) if rate.ndim == 0 else rate

    def partial_area(self, max_fpr: float, standardised: bool = False) -> float:
        """Area up to a false positive rate; standardised, 0.5 is chance and 1 perfect (McClish 1989)."""
        if not (is_number(max_fpr) and 0 < max_fpr <= 1):
            raise ParameterError(f"RocCurve.partial_area: max_fpr must lie in (0, 1], got {max_fpr!r}.")
        raw, least = partial_area(self.fpr[1:], self.tpr[1:], max_fpr), max_fpr**2 / 2
        return (1 + (raw - least) / (max_fpr - least)) / 2 if standardised else raw

    @property
    def hull(self) -> RocCurve:
        """The convex hull: the rates that thresholds, mixed at random where needed, can reach."""
        corner = np.ones(
            len(self.fpr), dtype=bool
        )  # a corner of the hull is reached by a rise and left sideways
        corner[1:-1] = (np.diff(self.tpr)[:-1] > 0) & (np.diff(self.fpr)[1:] > 0)
        where = np.flatnonzero(corner)
        keep: list[int] = []
        xs: list[float] = []
        ys: list[float] = []
        for i, x, y in zip(where.tolist(), self.fpr[where].tolist(), self.tpr[where].tolist()):
            while (
                len(xs) > 1 and (xs[-1] - xs[-2]) * (y - ys[-2]) >= (ys[-1] - ys[-2]) * (x - xs[-2]) - 1e-15
            ):
                for stack in (keep, xs, ys):  # the last point lies on or below the line
                    stack.pop()
            keep.append(i)
            xs.append(x)
            ys.append(y)
        return replace(self, fpr=self.fpr[keep], tpr=self.tpr[keep], thresholds=self.thresholds[keep])

    def best(self, *, miss: float = 1.0, alarm: float = 1.0, prior: float = 0.5) -> OperatingPoint:
        r"""The threshold of least expected cost.

        .. math:: \pi\,c_{miss}(1 - TPR) + (1-\pi)\,c_{alarm}\,FPR

        With the defaults it is the point of Youden's index, where TPR - FPR is largest. Of equals the highest
        threshold.

        Parameters
        ----------
        miss, alarm : costs of a false negative and a false positive
        prior : share of positives where the threshold will be used
        """
        if not (all(map(is_number, (miss, alarm, prior))) and miss >= 0 and alarm >= 0 and 0 <= prior <= 1):
            raise ParameterError(
                "RocCurve.best: costs must be numbers from 0 up and prior a number from 0 to 1."
            )
        cost = prior * miss * (1 - self.tpr) + (1 - prior) * alarm * self.fpr
        i = int(np.flatnonzero(cost <= cost.min() + 1e-12 * max(miss, alarm))[0])
        return OperatingPoint(
            float(self.thresholds[i]), float(self.fpr[i]), float(self.tpr[i]), float(cost[i])
        )

    def against(self, other: RocCurve) -> Dominance:
        """Which of two curves lies nowhere below the other."""
        knots = np.union1d(self.fpr, other.fpr)
        gaps = np.concatenate([self.at(knots) - other.at(knots), self._before(knots) - other._before(knots)])
        where = np.concatenate([knots, knots])
        up, down = int(gaps.argmax()), int(gaps.argmin())
        above, below = max(float(gaps[up]), 0.0), max(float(-gaps[down]), 0.0)
        above, below = (v if v > 1e-12 else 0.0 for v in (above, below))
        verdict = ("crossing" if below else "first") if above else ("second" if below else "equal")
        return Dominance(verdict, above, below, float(where[up]), float(where[down]))

    def _before(self, fpr: Floats) -> Floats:
        """The true positive rate at a false positive rate, the lower end where the curve rises straight up."""
        j = np.clip(np.searchsorted(self.fpr, fpr, "left"), 0, len(self.fpr) - 1)
        i = np.maximum(j - 1, 0)
        run = np.where(self.fpr[j] > self.fpr[i], self.fpr[j] - self.fpr[i], 1.0)
        rate: Floats = self.tpr[j] - (self.tpr[j] - self.tpr[i]) * np.clip((self.fpr[j] - fpr) / run, 0, 1)
        return rate

    def dominates(self, other: RocCurve) -> bool:
        """Whether this curve lies nowhere below the other and somewhere above."""
        return self.against(other).verdict == "first"

    def band(self, method: str = "kolmogorov", alpha: float = 0.05, **options: Any) -> Any:
        """A band that holds the true curve; see :func:`assay.metrics.roc_band`."""
        from assay.metrics.bands import roc_band

        return roc_band(self, method=method, alpha=alpha, **options)
