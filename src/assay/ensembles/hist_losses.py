"""Losses of histogram boosting, the part in Python: start, link function and leaf values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import assay.ensembles._hist_boosting as _hist_boosting
from assay.core.exact_sum import ExactSum
from assay.core.parallel import in_threads
from assay.optimize.residual_losses import Quantile

__all__ = ["KINDS", "HistLoss", "weight_unit"]

KINDS = ("squared_error", "absolute_error", "quantile", "poisson", "gamma", "binomial", "multinomial")
BLOCK = 65536  # rows whose losses are added up together, whatever the number of threads
_EPS = (
    10 * np.finfo(np.float64).eps
)  # shares of classes and means stay this far from where links are infinite


@dataclass(frozen=True)
class HistLoss:
    """One of :data:`KINDS`; formulas of losses and derivatives stand in ``boosting/losses.hpp``.

    Parameters
    ----------
    name : one of KINDS
    quantile : the share q of the pinball loss
    classes : number of score columns of the multinomial loss, else 1

    Examples
    --------
    >>> import numpy as np
    >>> from assay.ensembles.hist_losses import HistLoss
    >>> HistLoss("poisson").start(np.array([1.0, 3.0]), None)
    array([0.69314718])
    """

    name: str
    quantile: float = 0.5
    classes: int = 1

    @property
    def kind(self) -> int:
        return KINDS.index(self.name)

    @property
    def smooth(self) -> bool:
        """Whether a Newton step gives the leaves' values; otherwise they are quantiles of the residuals."""
        return self.name not in ("absolute_error", "quantile")

    def start(self, y: np.ndarray, w: np.ndarray | None) -> np.ndarray:
        """(classes,) the constant score with the least loss."""
        if self.name == "multinomial":
            return self.start_of_shares(_class_weights(y, w, self.classes))
        if not self.smooth:
            return np.array([self.leaf_value(y, w)])
        return self.start_of_mean(float(ExactSum(y, w)) / (len(y) if w is None else float(ExactSum(w))))

    def start_of_shares(self, weights: np.ndarray) -> np.ndarray:
        """The same, of several classes, given the weight of each."""
        logs = np.log(np.clip(weights / weights.sum(), _EPS, 1 - _EPS))
        return logs - logs.mean()

    def start_of_mean(self, mean: float) -> np.ndarray:
        """The same, of a smooth loss of one score, given the mean of the targets."""
        if self.name == "squared_error":
            return np.array([mean])
        if self.name == "binomial":
            mean = min(max(mean, _EPS), 1 - _EPS)
            return np.array([np.log(mean / (1 - mean))])
        return np.array([np.log(max(mean, _EPS))])

    def leaf_value(self, residuals: np.ndarray, w: np.ndarray | None) -> float:
        """The median (or other quantile) of residuals: the value of a leaf under a loss with corners."""
        if w is None:
            low, high, between = self.ranks(len(residuals))
            parted = np.partition(residuals, [low, high])
            return self.between(parted[low], parted[high], between)
        return self._least(residuals, w)

    @property
    def share(self) -> float:
        """The share of residuals below a leaf's value, of losses with corners."""
        return 0.5 if self.name == "absolute_error" else self.quantile

    def ranks(self, n: int) -> tuple[int, int, float]:
        """Between which of n sorted residuals a leaf's value lies, and how far from the lower."""
        at = (n - 1) * self.share
        low = int(np.floor(at))
        return low, min(low + 1, n - 1), at - low

    @staticmethod
    def between(low: float, high: float, part: float) -> float:
        """That part of the way from low to high."""
        step = high - low
        return float(low + step * part if part < 0.5 else high - step * (1 - part))

    def leaf_step(self, residuals: np.ndarray, w: np.ndarray | None, rate: float) -> float:
        """What a leaf of a loss with corners adds: ``rate`` times its value, unless that raises the loss.

        Two steps may: one beyond the quantile (a rate above 1), and one to a quantile between two residuals, which is
        not always of least loss. Then it is the same share, at most 1, of the way to the residual of least loss.
        """
        step = rate * self.leaf_value(residuals, w)
        safe = rate <= 1 and (w is not None or self.name == "absolute_error")
        if not safe and w is None:  # the loss falls all the way to a step on this side of the quantile
            passed = int(np.count_nonzero(residuals <= step if step > 0 else residuals < step))
            safe = self.is_short_of(passed, len(residuals), step)
        if safe or self._pinball(residuals - step, w) <= self._pinball(residuals, w):
            return step
        return min(rate, 1.0) * self._least(residuals, np.ones(len(residuals)) if w is None else w)

    def _least(self, residuals: np.ndarray, w: np.ndarray) -> float:
        """The smallest residual up to which the share q of the weights lies: a shift of least loss."""
        order = np.argsort(residuals, kind="stable")
        whole = np.rint(
            w[order] / weight_unit(float(w.max()), len(w))
        )  # so that sums do not depend on the order
        sums = np.cumsum(whole)
        return float(residuals[order[min(int(np.searchsorted(sums, self.goal(sums[-1]))), len(order) - 1)]])

    def goal(self, total: float) -> float:
        """The weight up to a shift of least loss."""
        return max(self.share * total, float(np.nextafter(0, 1)))

    def is_short_of(self, passed: int, n: int, step: float) -> bool:
        """Whether a step that passes so many of n residuals stays on this side of the quantile."""
        return bool(passed <= self.share * n if step > 0 else passed >= self.share * n)

    def _pinball(self, residuals: np.ndarray, w: np.ndarray | None) -> float:
        return float(self.pinball(residuals, w))

    def pinball(self, residuals: np.ndarray, w: np.ndarray | None) -> ExactSum:
        """The weighted sum of losses of residuals."""
        return ExactSum(Quantile(self.share).value(residuals), w)

    def mean(self, raw: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> float:
        """The average loss of scores ``raw`` (classes, n)."""
        n = len(y)

        def block(a: int) -> ExactSum:
            at = slice(a, min(a + BLOCK, n))
            return self.total(np.ascontiguousarray(raw[:, at]), y[at], None if w is None else w[at])

        total = sum(in_threads(block, range(0, n, BLOCK)), ExactSum())
        return float(total) / (n if w is None else float(ExactSum(w)))

    def total(self, raw: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> ExactSum:
        """The weighted sum of losses, whatever the order of the rows."""
        total = ExactSum()
        if self.name == "multinomial":
            top, inverse, crew = np.empty(len(y)), np.empty(len(y)), _hist_boosting.Crew(1)
            _hist_boosting.normalisers(raw, top, inverse, crew)
            _hist_boosting.softmax_losses(
                raw=raw, y=y, w=w, top=top, inverse=inverse, parts=total.parts, crew=crew
            )
        else:
            _hist_boosting.losses(self.kind, self.quantile, raw[0], y, w, total.parts)
        return total

    def response(self, raw: np.ndarray) -> np.ndarray:
        """What scores predict of a number: their exponential where the link is the logarithm."""
        return np.exp(raw) if self.name in ("poisson", "gamma") else raw


def _class_weights(y: np.ndarray, w: np.ndarray | None, K: int) -> np.ndarray:
    if w is None:
        return np.bincount(y.astype(np.intp), minlength=K).astype(np.float64)
    return np.array([float(ExactSum(w[y == k])) for k in range(K)])


def weight_unit(heaviest: float, n: int) -> float:
    """A power of two in which weights of n rows become whole numbers, with sums that are exact as floats."""
    return float(2.0 ** (np.frexp(max(heaviest, 1e-290))[1] - 52 + n.bit_length()))
