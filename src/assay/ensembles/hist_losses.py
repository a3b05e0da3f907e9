"""Losses of histogram boosting, the part in Python: start, link function and leaf values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import assay.ensembles._hist_boosting as _hist_boosting
from assay.core.parallel import in_threads
from assay.optimize.residual_losses import Quantile

__all__ = ["KINDS", "HistLoss"]

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
            shares = np.bincount(y.astype(np.intp), weights=w, minlength=self.classes)
            logs = np.log(np.clip(shares / shares.sum(), _EPS, 1 - _EPS))
            return logs - logs.mean()
        if not self.smooth:
            return np.array([self.leaf_value(y, w)])
        mean = float(np.average(y, weights=w))
        if self.name == "squared_error":
            return np.array([mean])
        if self.name == "binomial":
            mean = min(max(mean, _EPS), 1 - _EPS)
            return np.array([np.log(mean / (1 - mean))])
        return np.array([np.log(max(mean, _EPS))])

    def leaf_value(self, residuals: np.ndarray, w: np.ndarray | None) -> float:
        """The median (or other quantile) of residuals: the value of a leaf under a loss with corners."""
        if w is None:
            if self.name == "absolute_error":
                return float(np.median(residuals))
            return float(np.percentile(residuals, 100 * self.quantile))
        return self._least(residuals, w)

    def leaf_step(self, residuals: np.ndarray, w: np.ndarray | None, rate: float) -> float:
        """What a leaf of a loss with corners adds: ``rate`` times its value, unless that raises the loss.

        Two steps may: one beyond the quantile (a rate above 1), and one to a quantile between two residuals, which is
        not always of least loss. Then it is the same share, at most 1, of the way to the residual of least loss.
        """
        step = rate * self.leaf_value(residuals, w)
        safe = rate <= 1 and (w is not None or self.name == "absolute_error")
        if not safe and w is None:  # the loss falls all the way to a step on this side of the quantile
            share, n = 0.5 if self.name == "absolute_error" else self.quantile, len(residuals)
            passed = np.count_nonzero(residuals <= step if step > 0 else residuals < step)
            safe = bool(passed <= share * n if step > 0 else passed >= share * n)
        if safe or self._pinball(residuals - step, w) <= self._pinball(residuals, w):
            return step
        return min(rate, 1.0) * self._least(residuals, np.ones(len(residuals)) if w is None else w)

    def _least(self, residuals: np.ndarray, w: np.ndarray) -> float:
        """The smallest residual up to which the share q of the weights lies: a shift of least loss."""
        share = 0.5 if self.name == "absolute_error" else self.quantile
        order = np.argsort(residuals, kind="stable")
        sums = np.cumsum(w[order])
        goal = max(share * sums[-1], np.nextafter(0, 1))
        return float(residuals[order[min(int(np.searchsorted(sums, goal)), len(order) - 1)]])

    def _pinball(self, residuals: np.ndarray, w: np.ndarray | None) -> float:
        each = Quantile(0.5 if self.name == "absolute_error" else self.quantile).value(residuals)
        return float(each.sum() if w is None else each @ w)

    def mean(self, raw: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> float:
        """The average loss of scores ``raw`` (classes, n)."""
        n = len(y)

        def block(a: int) -> float:
            b = min(a + BLOCK, n)
            some = None if w is None else w[a:b]
            if self.name == "multinomial":
                return _multinomial(raw[:, a:b], y[a:b].astype(np.intp), some)
            return _hist_boosting.losses(self.kind, self.quantile, raw[0, a:b], y[a:b], some)

        total = sum(in_threads(block, range(0, n, BLOCK)))
        return total / (n if w is None else float(w.sum()))

    def response(self, raw: np.ndarray) -> np.ndarray:
        """What scores predict of a number: their exponential where the link is the logarithm."""
        return np.exp(raw) if self.name in ("poisson", "gamma") else raw


def _multinomial(raw: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> float:
    top = raw.max(axis=0)
    losses = np.log(np.exp(raw - top).sum(axis=0)) + top - raw[y, np.arange(len(y))]
    return float(losses.sum() if w is None else losses @ w)
