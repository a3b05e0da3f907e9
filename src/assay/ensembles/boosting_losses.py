r"""The losses of gradient boosting: where the scores start, their gradients, and the best step of each leaf.

A loss takes y and the scores F, an (n, C) array: C = 1, or the number of classes if there are more than two. The loss
of one row is that of :mod:`assay.optimize.losses`, of its residual or its margin; this module adds what boosting needs.
``steps`` is the line search: for the rows of each leaf the constant that lowers the loss most, exactly or by one Newton
step. Boosting adds it times the learning rate. If the trees of a round have raised the loss, ``steps`` is called again,
for steps that times ``rate`` raise the loss of no leaf's rows: where one would (a rate far above 1; a leaf whose
curvature has vanished) a shorter one is returned,

.. math:: t = \operatorname{sign}(G)\,\ln\left(1+\frac{|G|}{H}\right)\quad\text{for the logistic losses}    \quad (1)

which is the minimum of the bound :math:`L - |G|t + H(e^t-t-1)` that holds since their third derivative is at most the
second (Bach 2010, Self-concordant analysis for logistic regression, Proposition 1); G and H are the leaf's sums of
residuals and curvatures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logsumexp

from assay.core.scores import log_softmax, softmax
from assay.optimize import residual_losses
from assay.optimize.losses import MARGIN_LOSSES, RESIDUAL_LOSSES

__all__ = ["LOSSES", "BoostingLoss", "TreeRows", "class_loss", "weighted_quantile"]

_MIN_DECREASE = 0.1  # a step is kept if the loss falls by this share of step times residuals
_MIN_CURVATURE = 1e-150  # curvatures below this count as 0: the posteriors of the leaf are 0 or 1 already


class NewtonSteps(NamedTuple):
    """(m,) arrays of the leaves: sums of residuals and of curvatures, and their ratio (0 without curvature)."""

    slope: np.ndarray
    curved: np.ndarray
    steps: np.ndarray


@dataclass(frozen=True, eq=False)
class TreeRows:
    """The training rows of one tree, by leaf.

    Parameters
    ----------
    y : (n,) targets      F : (n, C) scores before the round      r : (n,) residuals of score c      w : (n,) weights
    leaf : (n,) the leaf of each row      m : the number of leaves      c : the score that the tree adds to
    """

    y: np.ndarray
    F: np.ndarray
    r: np.ndarray
    w: np.ndarray
    leaf: np.ndarray
    m: int
    c: int

    def sums(self, x: np.ndarray) -> np.ndarray:
        """(m,) the weighted sum of x in each leaf."""
        return np.bincount(self.leaf, weights=self.w * x, minlength=self.m)

    @property
    def mass(self) -> np.ndarray:
        """(m,) the weight of each leaf."""
        return np.bincount(self.leaf, weights=self.w, minlength=self.m)

    def means(self, x: np.ndarray) -> np.ndarray:
        """(m,) the weighted mean of x in each leaf; 0 in leaves of no weight."""
        return self.sums(x) / np.where(self.mass > 0, self.mass, 1.0)

    def newton(self, curvature: np.ndarray) -> NewtonSteps:
        """The Newton step of each leaf."""
        slope, curved = self.sums(self.r), self.sums(curvature)
        flat = curved < _MIN_CURVATURE * np.maximum(self.mass, _MIN_CURVATURE)
        return NewtonSteps(slope, curved, np.where(flat, 0.0, slope / np.where(flat, 1.0, curved)))


class BoostingLoss:
    """Base of the losses of gradient boosting."""

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

    def steps(self, tree: TreeRows, rate: float | None = None) -> np.ndarray | None:
        """(m,) the step of each leaf; None if the mean of the residuals is the best step.

        With a rate, ``rate`` times the step raises the loss of no leaf.
        """
        raise TypeError(f"{type(self).__name__} must define steps")

    def _raises(self, tree: TreeRows, steps: np.ndarray) -> np.ndarray:
        """(m,) whether the steps raise the loss of the leaf's rows; for losses of one score."""
        y, F = tree.y, tree.F
        with np.errstate(over="ignore", invalid="ignore"):
            return ~(tree.sums(self.each(y, F + steps[tree.leaf][:, None]) - self.each(y, F)) <= 0)

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
    """(y - F)^2: the mean of the residuals is the best step."""

    def start(self, y: np.ndarray, w: np.ndarray) -> np.ndarray:
        return np.array([np.average(y, weights=w)])

    def residuals(self, y: np.ndarray, F: np.ndarray) -> np.ndarray:
        return (y - F[:, 0])[:, None]

    def steps(self, tree: TreeRows, rate: float | None = None) -> np.ndarray | None:
        return None if rate is None else tree.means(tree.r) * min(1.0, 1 / rate)

    def each(self, y: np.ndarray, F: np.ndarray) -> np.ndarray:
        return 2 * RESIDUAL_LOSSES["squared_error"].value(y - F[:, 0])


class Quantile(BoostingLoss):
    """alpha (y - F) above, (alpha - 1) (y - F) below: the alpha quantile of the residuals."""

    def __init__(self, alpha: float = 0.9):
        self.alpha = alpha

    def start(self, y: np.ndarray, w: np.ndarray) -> np.ndarray:
        return np.array([_quantile(y, w, self.alpha)])

    def residuals(self, y: np.ndarray, F: np.ndarray) -> np.ndarray:
        return np.where(y >= F[:, 0], self.alpha, self.alpha - 1.0)[:, None]

    def steps(self, tree: TreeRows, rate: float | None = None) -> np.ndarray | None:
        steps = weighted_quantile(
            tree.y - tree.F[:, 0], tree.w, tree.leaf, tree.m, self.alpha
        )  # of least loss
        return steps if rate is None else steps * min(1.0, 1 / rate)

    def each(self, y: np.ndarray, F: np.ndarray) -> np.ndarray:
        return residual_losses.Quantile(self.alpha).value(y - F[:, 0])


class AbsoluteError(Quantile):
    """abs(y - F): gradients are signs, and the median of the differences is the best step."""

    def __init__(self) -> None:
        super().__init__(0.5)

    def residuals(self, y: np.ndarray, F: np.ndarray) -> np.ndarray:
        return np.where(y >= F[:, 0], 1.0, -1.0)[:, None]

    def each(self, y: np.ndarray, F: np.ndarray) -> np.ndarray:
        return RESIDUAL_LOSSES["absolute_error"].value(y - F[:, 0])


class Huber(BoostingLoss):
    """Half the square up to delta and straight beyond; delta is the alpha quantile of the absolute differences."""

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

    def steps(self, tree: TreeRows, rate: float | None = None) -> np.ndarray | None:
        off = tree.y - tree.F[:, 0]
        median = weighted_quantile(off, tree.w, tree.leaf, tree.m, 0.5)
        steps = median + tree.means(np.clip(off - median[tree.leaf], -self.delta, self.delta))
        if rate is None:
            return steps
        shorter = tree.means(tree.r) * min(1.0, 1 / rate)  # the curvature is at most 1
        return np.where(self._raises(tree, rate * steps), shorter, steps)

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

    def steps(self, tree: TreeRows, rate: float | None = None) -> np.ndarray | None:
        p = tree.y - tree.r
        newton = tree.newton(p * (1 - p))
        return _bounded(tree, newton, newton.steps, rate, lambda rows: tree.F[rows, 0], tree.y == 1)

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

    def steps(self, tree: TreeRows, rate: float | None = None) -> np.ndarray | None:
        steps = tree.newton(np.abs(tree.r)).steps  # between -1 and 1, short of the least loss
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

    def steps(self, tree: TreeRows, rate: float | None = None) -> np.ndarray | None:
        is_class, K = tree.y == tree.c, self.n_classes
        p = is_class - tree.r
        newton = tree.newton(p * (1 - p))
        steps = newton.steps * ((K - 1) / K)
        return _bounded(tree, newton, steps, rate, lambda rows: log_odds(tree.F[rows], tree.c), is_class)

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
    weighted = np.flatnonzero(w > 0)
    order = weighted[np.lexsort((x[weighted], leaf[weighted]))]
    quantiles = np.zeros(m)
    if not len(order):
        return quantiles
    groups = leaf[order]
    first = np.flatnonzero(np.concatenate(([True], groups[1:] != groups[:-1])))
    last = np.concatenate((first[1:], [len(order)])) - 1
    number = np.cumsum(np.concatenate(([True], groups[1:] != groups[:-1]))) - 1
    mass = np.cumsum(w[order])
    before = mass[first] - w[order][first]
    within = mass - before[number]
    enough = within >= q * within[last][number] * (1 - 1e-12)
    at = np.minimum.reduceat(np.where(enough, np.arange(len(order)), len(order)), first)
    quantiles[groups[first]] = x[order[np.minimum(at, last)]]
    return quantiles


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


def log_odds(F: np.ndarray, c: int) -> np.ndarray:
    """(n,) the log odds of class c against the others, from the scores of all classes."""
    return F[:, c] - logsumexp(np.delete(F, c, axis=1), axis=1)


def _bounded(
    tree: TreeRows,
    newton: NewtonSteps,
    steps: np.ndarray,
    rate: float | None,
    odds: Callable[[np.ndarray], np.ndarray],
    is_class: np.ndarray,
) -> np.ndarray:
    """The steps, (1) instead of those that neither the bound guarantees nor the logistic loss shows to be good enough.

    ``odds`` gives the log odds F of rows: a step t lowers its loss by yt + ln(1 + e^F) - ln(1 + e^(F + t)).
    """
    if rate is None:
        return steps
    t, slope, curved = rate * steps, newton.slope, newton.curved
    with np.errstate(over="ignore", invalid="ignore"):
        guaranteed = slope * t - curved * (np.expm1(np.abs(t)) - np.abs(t))
        doubtful = np.flatnonzero(~(guaranteed >= _MIN_DECREASE * slope * t))
    if not len(doubtful):
        return steps
    rows = np.flatnonzero(np.isin(tree.leaf, doubtful))
    at, F = tree.leaf[rows], odds(rows)
    lower = tree.w[rows] * (is_class[rows] * t[at] + np.logaddexp(0.0, F) - np.logaddexp(0.0, F + t[at]))
    decrease = np.bincount(at, weights=lower, minlength=len(steps))
    bad = doubtful[~(decrease[doubtful] >= _MIN_DECREASE * (slope * t)[doubtful])]
    steps = steps.copy()
    steps[bad] = np.copysign(np.log1p(np.abs(slope[bad]) / curved[bad]), slope[bad]) / rate  # (1)
    return steps
