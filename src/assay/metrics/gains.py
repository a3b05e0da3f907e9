"""Gain and lift of a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from assay.errors import DataError, ParameterError
from assay.metrics._inputs import Scored, scored
from assay.metrics.curves import tallies
from assay.metrics.forms import OfOutcome
from assay.metrics.measure import Measure
from assay.metrics.outcome import Outcome
from assay.stats.checks import is_number
from assay.types import Floats, Label, Scores, Target, Weights

__all__ = ["GainCurve", "lift_score"]


@dataclass(frozen=True)
class GainCurve:
    """Share of the positives found among the share of rows with the highest scores.

    Rows of equal score are taken together; within them the gain grows evenly.

    Parameters
    ----------
    share : (m,) of the rows, from 0 to 1
    gain : (m,) of the positives among them, from 0 to 1
    thresholds : (m,) the lowest score taken
    prevalence : float
        Share of positives among all rows; a perfect ranking reaches gain 1 at this share.
    label : the positive class

    Examples
    --------
    >>> from assay.metrics import GainCurve
    >>> curve = GainCurve.of([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> curve.share, curve.gain, curve.lift.round(3)
    (array([0. , 0.2, 0.4, 0.6, 0.8, 1. ]), array([0. , 0.5, 0.5, 1. , 1. , 1. ]),
     array([2.5 , 2.5 , 1.25 , 1.667, 1.25 , 1. ]))
    >>> curve.at(0.5)
    0.75
    """

    share: np.ndarray
    gain: np.ndarray
    thresholds: np.ndarray
    prevalence: float
    label: Label | None = None

    @classmethod
    def of(
        cls,
        truth: Target,
        score: Scores,
        *,
        pos_label: Label | None = None,
        sample_weight: Weights | None = None,
    ) -> GainCurve:
        """The curve of (n,) labels of two classes and (n,) scores; ``pos_label`` as in :func:`roc_curve`."""
        rows = scored(truth, score, "GainCurve", pos_label, sample_weight)
        counted = tallies(rows)
        P, n = counted.tps[-1], counted.tps[-1] + counted.fps[-1]
        if not P > 0:
            raise DataError("GainCurve: the truth has no positive row, so there is nothing to gain.")
        share = np.append(0.0, (counted.tps + counted.fps) / n)
        return cls(
            share,
            np.append(0.0, counted.tps / P),
            np.append(np.inf, counted.threshold),
            float(P / n),
            rows.label,
        )

    @classmethod
    def mean(cls, curves: Sequence[GainCurve]) -> GainCurve:
        """The mean gain at every share of the rows, as :meth:`RocCurve.mean` for scores of several models.

        >>> from assay.metrics import GainCurve
        >>> curves = [GainCurve.of([1, 0], [2, 1]), GainCurve.of([1, 0], [1, 2])]
        >>> [c.at(0.5) for c in curves], GainCurve.mean(curves).at(0.5)
        ([1.0, 0.0], 0.5)
        """
        if len(curves) == 1:
            return curves[0]
        share = np.unique(np.concatenate([c.share for c in curves]))
        gain = np.mean([np.interp(share, c.share, c.gain) for c in curves], axis=0)
        prevalence = float(np.mean([c.prevalence for c in curves]))
        return cls(share, gain, np.full(len(share), np.nan), prevalence, curves[0].label)

    @property
    def lift(self) -> np.ndarray:
        """(m,) gain over share, the ratio to rows drawn at random; at 0 that of the first step."""
        ratio: Floats = np.divide(self.gain, self.share, out=np.ones_like(self.gain), where=self.share > 0)
        ratio[0] = ratio[1]
        return ratio

    @property
    def area(self) -> float:
        """Area under the gain; 0.5 for rows in random order."""
        return float(np.diff(self.share) @ (self.gain[1:] + self.gain[:-1]) / 2)

    def at(self, share: float) -> float:
        """The gain at a share of the rows."""
        if not (is_number(share) and 0 <= share <= 1):
            raise ParameterError(f"GainCurve.at: share must lie between 0 and 1, got {share!r}.")
        return float(np.interp(share, self.share, self.gain))


def lift_score(
    truth: Target,
    score: Scores,
    *,
    share: float = 0.1,
    pos_label: Label | None = None,
    sample_weight: Weights | None = None,
) -> float:
    """Ratio of the positives among the highest-scored share of the rows to those among rows drawn at random.

    Parameters
    ----------
    truth : (n,) labels of two classes
    score : (n,) larger for the positive class
    share : of the rows, counted from the highest score; equal scores on the edge count in part
    pos_label, sample_weight : as in :func:`roc_curve`

    Examples
    --------
    >>> from assay.metrics import lift_score
    >>> lift_score([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], [10, 9, 8, 7, 6, 5, 4, 3, 2, 1], share=0.2)
    5.0
    """
    if not (is_number(share) and 0 < share <= 1):
        raise ParameterError(f"lift_score: share must lie in (0, 1], got {share!r}.")
    return GainCurve.of(truth, score, pos_label=pos_label, sample_weight=sample_weight).at(share) / share


def _lift(share: float, outcome: Outcome) -> float:
    return outcome.mean_over_classes(partial(_lift_of_class, share))


def _lift_of_class(share: float, rows: Scored) -> float:
    return lift_score(rows.positive, rows.score, share=share, sample_weight=rows.weight)


def _lift_at(name: str) -> Measure | None:
    """ "lift at 20%" """
    text = name.removeprefix("lift at ").removesuffix("%")
    try:
        share = float(text) / 100 if name == f"lift at {text}%" else 0.0
    except ValueError:
        return None
    if not 0 < share <= 1:
        return None
    words = f"rows of the class in the best {text}%, relative to as many drawn at random"
    return Measure(
        f"lift at {text}%", OfOutcome(partial(_lift, share)), "higher", words, "scores", bounds=(0.0, np.inf)
    )


LIFT = Measure(
    "lift", OfOutcome(partial(_lift, 0.1)), "higher",
    "rows of the class in the best tenth, relative to a tenth drawn at random",
    "scores", bounds=(0.0, np.inf), functions=(lift_score,), variant=_lift_at,
)  # fmt: skip
