"""Curves over misclassification costs: Drummond and Holte's cost curve, the Brier curve, Hand's H."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, ParameterError
from assay.metrics._inputs import scored
from assay.metrics.curves import tallies
from assay.metrics.roc import RocCurve
from assay.stats.checks import is_number
from assay.types import Label, Scores, Target, Weights

__all__ = ["BrierCurve", "CostCurve", "h_measure"]


@dataclass(frozen=True)
class CostCurve:
    r"""Normalised expected cost against the probability cost (Drummond and Holte 2006).

    Every threshold is a line; the curve is their lower envelope, the cost of the best threshold at each q:

    .. math:: NEC(q) = \min_t\ q\,FNR(t) + (1-q)\,FPR(t), \qquad
              q = \frac{\pi\,c_{miss}}{\pi\,c_{miss} + (1-\pi)\,c_{alarm}}

    Parameters
    ----------
    probability_cost : (m,) q from 0 to 1, where the best threshold changes
    cost : (m,) NEC there; in between it is linear
    thresholds : (m - 1,) the best threshold on each piece
    fpr, fnr : (m - 1,) of those thresholds

    Examples
    --------
    >>> from assay.metrics import CostCurve
    >>> curve = CostCurve.of([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.probability_cost.round(3), curve.cost.round(3)
    (array([0. , 0.5, 1. ]), array([0.  , 0.25, 0.  ]))
    >>> curve.at(0.5), curve.trivial(0.5)
    (0.25, 0.5)
    """

    probability_cost: np.ndarray
    cost: np.ndarray
    thresholds: np.ndarray
    fpr: np.ndarray
    fnr: np.ndarray

    @classmethod
    def of(
        cls,
        truth: Target,
        score: Scores,
        *,
        pos_label: Label | None = None,
        sample_weight: Weights | None = None,
    ) -> CostCurve:
        """From (n,) labels of two classes and (n,) scores; ``pos_label`` as in :func:`roc_curve`."""
        return cls.from_roc(RocCurve.of(truth, score, pos_label=pos_label, sample_weight=sample_weight))

    @classmethod
    def from_roc(cls, curve: RocCurve) -> CostCurve:
        """From the corners of the ROC curve's hull: corner i is best between the slopes of its two sides."""
        hull = curve.hull
        dx, dy = np.diff(hull.fpr), np.diff(hull.tpr)
        inner = dx / (dx + dy)  # q (dy) = (1 - q) dx
        q = np.concatenate([[0.0], inner, [1.0]])
        fnr = 1 - hull.tpr
        cost = np.append(q[:-1] * fnr + (1 - q[:-1]) * hull.fpr, fnr[-1])
        keep = np.append(np.diff(q) > 0, True)
        pieces = keep[:-1]
        return cls(q[keep], cost[keep], hull.thresholds[pieces], hull.fpr[pieces], fnr[pieces])

    def at(self, probability_cost: Any) -> Any:
        """NEC of the best threshold."""
        cost = np.interp(probability_cost, self.probability_cost, self.cost)
        return float(cost) if np.ndim(cost) == 0 else cost

    @staticmethod
    def trivial(probability_cost: ArrayLike) -> Any:
        """NEC of always predicting the cheaper class."""
        cost = np.minimum(probability_cost, 1 - np.asarray(probability_cost, dtype=np.float64))
        return float(cost) if np.ndim(cost) == 0 else cost

    @property
    def area(self) -> float:
        """Mean NEC over uniform q; 0 at best, 1/4 by always predicting the cheaper class."""
        return float(np.diff(self.probability_cost) @ (self.cost[1:] + self.cost[:-1]) / 2)


@dataclass(frozen=True)
class BrierCurve:
    r"""Loss of probabilities used as thresholds, over all costs (Hernandez-Orallo, Flach and Ferri 2011).

    Where a false alarm costs c and a miss 1 - c, the positive class is predicted where its probability is at least c:

    .. math:: L(c) = 2\left[(1-c)\,\pi\,FNR(c) + c\,(1-\pi)\,FPR(c)\right], \qquad
              \int_0^1 L(c)\,dc = \text{Brier score}

    Parameters
    ----------
    cost : (m,) c, from 0 to 1; between two of them the loss is linear
    start, end : (m - 1,) the loss just after the first and just before the second end of each piece
    fpr, fnr : (m - 1,) on each piece

    Examples
    --------
    >>> from assay.metrics import BrierCurve
    >>> round(BrierCurve.of([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).area, 6)
    0.158125
    """

    cost: np.ndarray
    start: np.ndarray
    end: np.ndarray
    fpr: np.ndarray
    fnr: np.ndarray

    @classmethod
    def of(
        cls,
        truth: Target,
        probability: Scores,
        *,
        pos_label: Label | None = None,
        sample_weight: Weights | None = None,
    ) -> BrierCurve:
        """From (n,) labels of two classes and (n,) probabilities of the positive one."""
        rows = scored(truth, probability, "BrierCurve", pos_label, sample_weight)
        if rows.score.min() < 0 or rows.score.max() > 1:
            raise DataError("BrierCurve: probabilities lie between 0 and 1; for other scores see CostCurve.")
        counted = tallies(rows)
        P, N = counted.tps[-1], counted.fps[-1]
        n = P + N
        # pieces of rising cost: up to the lowest score all rows are positive, above the highest none is
        cuts = np.concatenate([[0.0], counted.threshold[::-1], [1.0]])
        tps, fps = np.append(counted.tps[::-1], 0.0), np.append(counted.fps[::-1], 0.0)
        miss, alarm = (P - tps) / n, fps / n
        start = 2 * ((1 - cuts[:-1]) * miss + cuts[:-1] * alarm)
        end = 2 * ((1 - cuts[1:]) * miss + cuts[1:] * alarm)
        fnr = (P - tps) / P if P > 0 else np.zeros_like(tps)
        return cls(cuts, start, end, fps / N if N > 0 else np.zeros_like(fps), fnr)

    @property
    def area(self) -> float:
        """The Brier score (of two classes, mean squared error of one probability)."""
        return float(np.diff(self.cost) @ (self.start + self.end) / 2)


def h_measure(
    truth: Target,
    score: Scores,
    *,
    severity: tuple[float, float] | None = None,
    pos_label: Label | None = None,
    sample_weight: Weights | None = None,
) -> float:
    r"""Hand's H: one minus the expected least loss, relative to that of always predicting the cheaper class.

    .. math:: H = 1 - \frac{\int \min_t\{c\,\pi_0 FPR(t) + (1-c)\,\pi_1 FNR(t)\}\,w(c)\,dc}
                           {\int \min\{c\,\pi_0,\ (1-c)\,\pi_1\}\,w(c)\,dc}

    over cost shares c of a false alarm, whose weight w is the same for every learner, a Beta density; the area under
    the ROC curve, read as such a mean, weighs costs differently for each learner (Hand 2009).

    Parameters
    ----------
    truth : (n,) labels of two classes
    score : (n,) larger for the positive class
    severity : (a, b) of the Beta density; default (1 + share of positives, 1 + share of negatives), whose mode
        is the cost share at which both classes cost the same (Hand and Anagnostopoulos 2014)
    pos_label, sample_weight : as in :func:`roc_curve`

    Examples
    --------
    >>> from assay.metrics import h_measure
    >>> h_measure([0, 0, 1, 1], [1, 2, 3, 4]), round(h_measure([0, 0, 1, 1], [1, 3, 2, 4], severity=(2, 2)), 4)
    (1.0, 0.5)
    """
    from scipy.special import betainc

    curve = RocCurve.of(truth, score, pos_label=pos_label, sample_weight=sample_weight)
    p1 = curve.positives / (curve.positives + curve.negatives)
    p0 = 1 - p1
    shape = (1 + p1, 1 + p0) if severity is None else severity
    if not (np.shape(shape) == (2,) and all(is_number(v) and v > 0 for v in shape)):
        raise ParameterError(f"h_measure: severity must be two numbers above 0, got {severity!r}.")
    (a, b), hull = shape, curve.hull

    def loss(fpr: np.ndarray, fnr: np.ndarray, cuts: np.ndarray) -> float:
        """Integral of c p0 fpr_i + (1 - c) p1 fnr_i times the density over each piece of falling c."""
        up = betainc(a + 1, b, cuts) * a / (a + b)  # integral of c w(c)
        down = betainc(a, b + 1, cuts) * b / (a + b)  # of (1 - c) w(c)
        return float(p0 * fpr @ (up[:-1] - up[1:]) + p1 * fnr @ (down[:-1] - down[1:]))

    dx, dy = np.diff(hull.fpr) * p0, np.diff(hull.tpr) * p1
    cuts = np.concatenate([[1.0], dy / (dx + dy), [0.0]])  # between corners c p0 dx = (1 - c) p1 dy
    worst = loss(np.array([0.0, 1.0]), np.array([1.0, 0.0]), np.array([1.0, p1, 0.0]))
    return float(np.clip(1 - loss(hull.fpr, 1 - hull.tpr, cuts) / worst, 0.0, 1.0))
