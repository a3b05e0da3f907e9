r"""The losses of gradient boosting: where the scores start, their gradients, and the best step of each leaf.

A loss knows y and the scores F, an (n, C) array: C = 1, or the number of classes if there are more than two. What one
row costs is a loss of :mod:`assay.optimize.losses`, of its residual or its margin; here stands what boosting adds. All
weights are given by the caller. ``steps`` is the line search: for the rows of each leaf the constant that lowers the
loss most, exactly or by one Newton step. Of it boosting takes a share, the rate. If the trees of a round have raised
the loss, ``steps`` is asked again, for steps whose share ``rate`` raises the loss of no leaf's rows: where it would (a
rate far above 1; a leaf whose curvature has vanished) a shorter one is given,

.. math:: t = \operatorname{sign}(G)\,\ln\left(1+\frac{|G|}{H}\right)\quad\text{for the logistic losses}    \quad (1)

which is the minimum of the bound :math:`L - |G|t + H(e^t-t-1)` that holds since their third derivative is at most the
second (Bach 2010, Self-concordant analysis for logistic regression, Proposition 1); G and H are the leaf's sums of
residuals and curvatures.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit, logsumexp

from assay.core.scores import log_softmax, softmax
from assay.optimize import residual_losses
from assay.optimize.losses import MARGIN_LOSSES, RESIDUAL_LOSSES

__all__ = ["LOSSES", "BoostingLoss", "class_loss", "weighted_quantile"]

_ENOUGH = 0.1  # a step is kept if the loss falls by this share of step times residuals
_TINY = 1e-150  # curvatures below this are none: the rows of the leaf are sure already


class BoostingLoss:
    """Base: what a loss must answer."""

    name = ""
    fixed = True  # whether the loss of a row is the same function in all rounds

    def start(self, y: np.ndarray, w: np.ndarray) -> np.ndarray:
        """(C,) the constant scores that are best before there is any tree."""
        raise TypeError(f"{type(self).__name__} must define start")

    def prepare(self, y: np.ndarray, F: np.ndarray, w: np.ndarray) -> None:
        """Called at the beginning of each round."""

    def residuals(self, y: np.ndarray, F: np.ndarray) -> np.ndarray:
        """(n, C) the negative gradient of the loss at each row."""
        raise TypeError(f"{type(self).__name__} must define residuals")

    def steps(
        self,
        y: np.ndarray,
        F: np.ndarray,
        r: np.ndarray,
        w: np.ndarray,
        leaf: np.ndarray,
        m: int,
        c: int,
        rate: float | None = None,
    ) -> np.ndarray | None:
        """(m,) the step of each leaf, from the residuals r of score c; None if the mean of r is the best step.

        With a rate, ``rate`` times the step raises the loss of no leaf.
        """
        raise TypeError(f"{type(self).__name__} must define steps")

    def _raises(
        self, y: np.ndarray, F: np.ndarray, w: np.ndarray, leaf: np.ndarray, steps: np.ndarray
    ) -> np.ndarray:
        """(m,) whether the steps raise the loss of the leaf's rows; for losses of one score."""
        with np.errstate(over="ignore", invalid="ignore"):
            more = w * (self.each(y, F + steps[leaf][:, None]) - self.each(y, F))
            return ~(np.bincount(leaf, weights=more, minlength=len(steps)) <= 0)

    def value(self, y: np.ndarray, F: np.ndarray, w: np.ndarray) -> float:
        """The weighted mean of the loss."""
        with np.errstate(over="ignore"):  # of huge targets it is infinite, which is no harm
            return float(np.average(self.each(y, F), weights=w))

    def each(self, y: np.ndarray, F: np.ndarray) -> np.ndarray:
        """(n,) the loss of each row."""
        raise TypeError(f"{type(self).__name__} must define each")

    def posterior(self, F: np.ndarray) -> np.ndarray:
        """(n, K) the probabilities that the scores stand for."""
        raise TypeError(f"{type(self).__name__} has no classes")

    def scores(self, P: np.ndarray) -> np.ndarray:
        """(n, C) the scores that stand for the probabilities P."""
        raise TypeError(f"{type(self).__name__} has no classes")


class SquaredError(BoostingLoss):
    """(y - F)^2: residuals are what is left over, and their mean is the best step."""

    def start(self, y: np.ndarray, w: np.ndarray) -> np.ndarray:
        return np.array([np.average(y, weights=w)])

    def residuals(self, y: np.ndarray, F: np.ndarray) -> np.ndarray:
        return (y - F[:, 0])[:, None]

    def steps(
        self,
        y: np.ndarray,
        F: np.ndarray,
        r: np.ndarray,
        w: np.ndarray,
        leaf: np.ndarray,
        m: int,
        c: int,
        rate: float | None = None,
    ) -> np.ndarray | None:
        return None if rate is None else _leaf_means(r, w, leaf, m) * min(1.0, 1 / rate)

    def each(self, y: np.ndarray, F: np.ndarray) -> np.ndarray:
        return 2 * RESIDUAL_LOSSES["squared_error"].value(y - F[:, 0])


class Quantile(BoostingLoss):
    """alpha (y - F) above, (alpha - 1) (y - F) below: the alpha quantile of what is left over."""

    def __init__(self, alpha: float = 0.9):
        self.alpha = alpha

    def start(self, y: np.ndarray, w: np.ndarray) -> np.ndarray:
        return np.array([_quantile(y, w, self.alpha)])

    def residuals(self, y: np.ndarray, F: np.ndarray) -> np.ndarray:
        return np.where(y >= F[:, 0], self.alpha, self.alpha - 1.0)[:, None]

    def steps(
        self,
        y: np.ndarray,
        F: np.ndarray,
        r: np.ndarray,
        w: np.ndarray,
        leaf: np.ndarray,
        m: int,
        c: int,
        rate: float | None = None,
    ) -> np.ndarray | None:
        steps = weighted_quantile(y - F[:, 0], w, leaf, m, self.alpha)  # of least loss
        return steps if rate is None else steps * min(1.0, 1 / rate)

    def each(self, y: np.ndarray, F: np.ndarray) -> np.ndarray:
        return residual_losses.Quantile(self.alpha).value(y - F[:, 0])


class AbsoluteError(Quantile):
    """abs(y - F): residuals are signs, and the median of what is left over is the best step."""

    def __init__(self) -> None:
        super().__init__(0.5)

    def residuals(self, y: np.ndarray, F: np.ndarray) -> np.ndarray:
        return np.where(y >= F[:, 0], 1.0, -1.0)[:, None]

    def each(self, y: np.ndarray, F: np.ndarray) -> np.ndarray:
        return RESIDUAL_LOSSES["absolute_error"].value(y - F[:, 0])


class Huber(BoostingLoss):
    """Half the square up to delta and straight beyond; delta is the alpha quantile of what is left over."""

    fixed = False

    def __init__(self, alpha: float = 0.9):
        self.alpha, self.delta = alpha, 1.0

    def start(self, y: np.ndarray, w: np.ndarray) -> np.ndarray:
        return np.array([_quantile(y, w, 0.5)])

    def prepare(self, y: np.ndarray, F: np.ndarray, w: np.ndarray) -> None:
        off = np.abs(y - F[:, 0])
        self.delta = float(weighted_quantile(off, w, np.zeros(len(y), np.int64), 1, self.alpha)[0])

    def residuals(self, y: np.ndarray, F: np.ndarray) -> np.ndarray:
        return residual_losses.Huber(self.delta).slope(y - F[:, 0])[:, None]

    def steps(
        self,
        y: np.ndarray,
        F: np.ndarray,
        r: np.ndarray,
        w: np.ndarray,
        leaf: np.ndarray,
        m: int,
        c: int,
        rate: float | None = None,
    ) -> np.ndarray | None:
        off = y - F[:, 0]
        median = weighted_quantile(off, w, leaf, m, 0.5)
        beyond = np.clip(off - median[leaf], -self.delta, self.delta)
        steps = median + _leaf_means(beyond, w, leaf, m)
        if rate is None:
            return steps
        shorter = _leaf_means(r, w, leaf, m) * min(1.0, 1 / rate)  # the curvature is at most 1
        return np.where(self._raises(y, F, w, leaf, rate * steps), shorter, steps)

    def each(self, y: np.ndarray, F: np.ndarray) -> np.ndarray:
        return residual_losses.Huber(self.delta).value(y - F[:, 0])


class Binomial(BoostingLoss):
    """Twice the negative log likelihood of two classes; F is the log odds of the second."""

    def start(self, y: np.ndarray, w: np.ndarray) -> np.ndarray:
        return self.scores(_class_shares(y, w, 2))[0]

    def scores(self, P: np.ndarray) -> np.ndarray:
        p = np.clip(P[:, 1:], np.finfo(float).eps, 1 - np.finfo(float).eps)
        return np.log(p / (1 - p))

    def residuals(self, y: np.ndarray, F: np.ndarray) -> np.ndarray:
        return (y - expit(F[:, 0]))[:, None]

    def steps(
        self,
        y: np.ndarray,
        F: np.ndarray,
        r: np.ndarray,
        w: np.ndarray,
        leaf: np.ndarray,
        m: int,
        c: int,
        rate: float | None = None,
    ) -> np.ndarray | None:
        p = y - r
        slope, curved, steps = _newton(r, p * (1 - p), w, leaf, m)
        return _bounded(steps, rate, slope, curved, lambda rows: F[rows, 0], y == 1, w, leaf)

    def each(self, y: np.ndarray, F: np.ndarray) -> np.ndarray:
        return 2 * MARGIN_LOSSES["log_loss"].value(_margin(y, F))

    def posterior(self, F: np.ndarray) -> np.ndarray:
        return np.column_stack((expit(-F[:, 0]), expit(F[:, 0])))


class Exponential(BoostingLoss):
    """exp(-F) for the second class, exp(F) for the first: AdaBoost's loss; F is half the log odds."""

    def start(self, y: np.ndarray, w: np.ndarray) -> np.ndarray:
        return self.scores(_class_shares(y, w, 2))[0]

    def scores(self, P: np.ndarray) -> np.ndarray:
        return Binomial().scores(P) / 2

    def residuals(self, y: np.ndarray, F: np.ndarray) -> np.ndarray:
        return np.where(y == 1, np.exp(-F[:, 0]), -np.exp(F[:, 0]))[:, None]

    def steps(
        self,
        y: np.ndarray,
        F: np.ndarray,
        r: np.ndarray,
        w: np.ndarray,
        leaf: np.ndarray,
        m: int,
        c: int,
        rate: float | None = None,
    ) -> np.ndarray | None:
        steps = _newton(r, np.abs(r), w, leaf, m)[2]  # between -1 and 1, short of the least loss
        return steps if rate is None else steps * min(1.0, 1 / rate)

    def each(self, y: np.ndarray, F: np.ndarray) -> np.ndarray:
        return MARGIN_LOSSES["exponential"].value(_margin(y, F))

    def posterior(self, F: np.ndarray) -> np.ndarray:
        return np.column_stack((expit(-2 * F[:, 0]), expit(2 * F[:, 0])))


class Multinomial(BoostingLoss):
    """The negative log likelihood of K classes, whose probabilities are the softmax of the scores."""

    def __init__(self, n_classes: int):
        self.n_classes = n_classes

    def start(self, y: np.ndarray, w: np.ndarray) -> np.ndarray:
        return self.scores(_class_shares(y, w, self.n_classes))[0]

    def scores(self, P: np.ndarray) -> np.ndarray:
        logs = np.log(np.clip(P, np.finfo(float).eps, 1 - np.finfo(float).eps))
        return logs - logs.mean(axis=1, keepdims=True)

    def residuals(self, y: np.ndarray, F: np.ndarray) -> np.ndarray:
        residuals = -softmax(F.copy())
        residuals[np.arange(len(y)), y] += 1
        return residuals

    def steps(
        self,
        y: np.ndarray,
        F: np.ndarray,
        r: np.ndarray,
        w: np.ndarray,
        leaf: np.ndarray,
        m: int,
        c: int,
        rate: float | None = None,
    ) -> np.ndarray | None:
        p, K = (y == c) - r, self.n_classes
        slope, curved, steps = _newton(r, p * (1 - p), w, leaf, m)
        return _bounded(
            steps * ((K - 1) / K), rate, slope, curved, lambda rows: log_odds(F[rows], c), y == c, w, leaf
        )

    def each(self, y: np.ndarray, F: np.ndarray) -> np.ndarray:
        return -log_softmax(F)[np.arange(len(y)), y]

    def posterior(self, F: np.ndarray) -> np.ndarray:
        return softmax(F.copy())


LOSSES = {
    "squared_error": SquaredError,
    "absolute_error": AbsoluteError,
    "huber": Huber,
    "quantile": Quantile,
}


def class_loss(name: str, n_classes: int) -> BoostingLoss:
    """The loss of this name for so many classes."""
    if name == "exponential":
        return Exponential()
    return Binomial() if n_classes <= 2 else Multinomial(n_classes)


def weighted_quantile(x: np.ndarray, w: np.ndarray, leaf: np.ndarray, m: int, q: float) -> np.ndarray:
    """(m,) for each leaf the smallest of its x up to which the share q of its weight lies; 0 for a leaf of no weight.

    >>> from assay.ensembles.boosting_losses import weighted_quantile
    >>> weighted_quantile(np.array([3.0, 1.0, 2.0, 9.0]), np.ones(4), np.array([0, 0, 0, 1]), 2, 0.5)
    array([2., 9.])
    """
    there = np.flatnonzero(w > 0)
    order = there[np.lexsort((x[there], leaf[there]))]
    found = np.zeros(m)
    if not len(order):
        return found
    groups = leaf[order]
    first = np.flatnonzero(np.concatenate(([True], groups[1:] != groups[:-1])))
    last = np.concatenate((first[1:], [len(order)])) - 1
    number = np.cumsum(np.concatenate(([True], groups[1:] != groups[:-1]))) - 1
    mass = np.cumsum(w[order])
    before = mass[first] - w[order][first]
    within = mass - before[number]
    enough = within >= q * within[last][number] * (1 - 1e-12)
    at = np.minimum.reduceat(np.where(enough, np.arange(len(order)), len(order)), first)
    found[groups[first]] = x[order[np.minimum(at, last)]]
    return found


def _quantile(y: np.ndarray, w: np.ndarray, q: float) -> float:
    """Of equally weighted rows NumPy's quantile, which lies between two of them; else as in the leaves."""
    if (w == w[0]).all():
        return float(np.quantile(y, q))
    return float(weighted_quantile(y, w, np.zeros(len(y), np.int64), 1, q)[0])


def _margin(y: np.ndarray, F: np.ndarray) -> np.ndarray:
    """(n,) the score of two classes, its sign turned for rows of the first."""
    return np.where(y == 1, F[:, 0], -F[:, 0])


def _class_shares(y: np.ndarray, w: np.ndarray, K: int) -> np.ndarray:
    return (np.bincount(y, weights=w, minlength=K) / w.sum())[None]


def _newton(
    r: np.ndarray, curvature: np.ndarray, w: np.ndarray, leaf: np.ndarray, m: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(m,) sums of r and of the curvature in each leaf, and their ratio; 0 where there is no curvature."""
    slope = np.bincount(leaf, weights=w * r, minlength=m)
    curved = np.bincount(leaf, weights=w * curvature, minlength=m)
    flat = curved < _TINY * np.maximum(np.bincount(leaf, weights=w, minlength=m), _TINY)
    return slope, curved, np.where(flat, 0.0, slope / np.where(flat, 1.0, curved))


def log_odds(F: np.ndarray, c: int) -> np.ndarray:
    """(n,) the log odds of class c against the others, from the scores of all classes."""
    return F[:, c] - logsumexp(np.delete(F, c, axis=1), axis=1)


def _bounded(
    steps: np.ndarray,
    rate: float | None,
    slope: np.ndarray,
    curved: np.ndarray,
    odds: Callable[[np.ndarray], np.ndarray],
    is_class: np.ndarray,
    w: np.ndarray,
    leaf: np.ndarray,
) -> np.ndarray:
    """The steps, (1) instead of those that the bound does not vouch for and that do not lower the logistic loss enough.

    ``odds`` gives the log odds F of rows: a step t lowers its loss by yt + ln(1 + e^F) - ln(1 + e^(F + t)).
    """
    if rate is None:
        return steps
    t = rate * steps
    with np.errstate(over="ignore", invalid="ignore"):
        vouched = slope * t - curved * (np.expm1(np.abs(t)) - np.abs(t))
        doubtful = np.flatnonzero(~(vouched >= _ENOUGH * slope * t))
    if not len(doubtful):
        return steps
    rows = np.flatnonzero(np.isin(leaf, doubtful))
    at, F = leaf[rows], odds(rows)
    lower = w[rows] * (is_class[rows] * t[at] + np.logaddexp(0.0, F) - np.logaddexp(0.0, F + t[at]))
    decrease = np.bincount(at, weights=lower, minlength=len(steps))
    bad = doubtful[~(decrease[doubtful] >= _ENOUGH * (slope * t)[doubtful])]
    steps = steps.copy()
    steps[bad] = np.copysign(np.log1p(np.abs(slope[bad]) / curved[bad]), slope[bad]) / rate  # (1)
    return steps


def _leaf_means(x: np.ndarray, w: np.ndarray, leaf: np.ndarray, m: int) -> np.ndarray:
    total = np.bincount(leaf, weights=w, minlength=m)
    return np.bincount(leaf, weights=w * x, minlength=m) / np.where(total > 0, total, 1.0)
