r"""What an answer costs: losses of the margin m = y s (y is -1 or +1), and losses of the residual r = y - s.

=======================  ==========================================  ========================================
of the margin            value                                       remark
=======================  ==========================================  ========================================
``zero_one``             1 if m <= 0                                 the error; a tie counts as one
``perceptron``           max(0, -m)
``hinge``                max(0, 1 - m)
``squared_hinge``        max(0, 1 - m)^2
``modified_huber``       max(0, 1 - m)^2 for m >= -1, else -4 m
``log_loss``             ln(1 + e^-m)                                cross-entropy
``scaled_log_loss``      log2(1 + e^-m)                              touches the error at m = 0
``squared_error``        (1 - m)^2                                   equals (y - s)^2, since y is -1 or +1
``exponential``          e^-m
``squared_sigmoid``      (1 - sigmoid(m))^2 / 2                      half the squared error of a sigmoid output
=======================  ==========================================  ========================================

===============================  ====================================================  ========================
of the residual                  value                                                 parameter
===============================  ====================================================  ========================
``squared_error``                r^2 / 2
``absolute_error``               \|r\|
``huber``                        r^2 / 2 up to \|r\| = epsilon, then a straight line   epsilon, default 1.35
``epsilon_insensitive``          max(0, \|r\| - epsilon)                               epsilon, default 0.1
``squared_epsilon_insensitive``  max(0, \|r\| - epsilon)^2                             epsilon, default 0.1
``quantile``                     q r above, (q - 1) r below                            q, default 0.5
===============================  ====================================================  ========================

Each loss has ``value``, ``slope`` and ``curvature``: the first two derivatives by m or r, where there is a corner the
one from the right for margins (a margin that has just been reached costs nothing any more) and 0 for residuals.
The derivative by the score s is y slope(m), or -slope(r).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import ParameterError

__all__ = [
    "MARGIN_LOSSES",
    "RESIDUAL_LOSSES",
    "Loss",
    "margin_loss",
    "residual_loss",
    "soft_maximum",
    "zero_one_error",
]

Numbers = np.ndarray


@dataclass(frozen=True)
class Loss:
    """What one row costs, as a function of one number, with its first two derivatives.

    Attributes
    ----------
    name : the word for it in the tables
    convex : whether it is convex
    bounds_error : of a loss of the margin: whether it is nowhere below the 0/1 error
    """

    name: ClassVar[str] = ""
    convex: ClassVar[bool] = True
    bounds_error: ClassVar[bool] = False

    def value(self, m: ArrayLike) -> Numbers:
        """The loss."""
        raise TypeError(f"{type(self).__name__} must define value")

    def slope(self, m: ArrayLike) -> Numbers:
        """Its first derivative."""
        raise TypeError(f"{type(self).__name__} must define slope")

    def curvature(self, m: ArrayLike) -> Numbers:
        """Its second derivative, 0 where there is none."""
        return np.zeros_like(_numbers(m))


class ZeroOne(Loss):
    """1 if m <= 0: the error itself, which no gradient can lower."""

    name, convex, bounds_error = "zero_one", False, True

    def value(self, m: ArrayLike) -> Numbers:
        return (_numbers(m) <= 0) * 1.0

    def slope(self, m: ArrayLike) -> Numbers:
        return np.zeros_like(_numbers(m))


class Perceptron(Loss):
    """max(0, -m): how far a wrong row is on the wrong side."""

    name = "perceptron"

    def value(self, m: ArrayLike) -> Numbers:
        return np.maximum(0.0, -_numbers(m))

    def slope(self, m: ArrayLike) -> Numbers:
        return (_numbers(m) < 0) * -1.0


class Hinge(Loss):
    """max(0, 1 - m): how much of the margin is missing."""

    name, bounds_error = "hinge", True

    def value(self, m: ArrayLike) -> Numbers:
        return np.maximum(0.0, 1 - _numbers(m))

    def slope(self, m: ArrayLike) -> Numbers:
        return (_numbers(m) < 1) * -1.0


class SquaredHinge(Loss):
    """max(0, 1 - m)^2."""

    name, bounds_error = "squared_hinge", True

    def value(self, m: ArrayLike) -> Numbers:
        return np.maximum(0.0, 1 - _numbers(m)) ** 2

    def slope(self, m: ArrayLike) -> Numbers:
        return -2 * np.maximum(0.0, 1 - _numbers(m))

    def curvature(self, m: ArrayLike) -> Numbers:
        return (_numbers(m) < 1) * 2.0


class ModifiedHuber(Loss):
    """The squared hinge, gone on as a straight line below m = -1: one far row does not rule the others."""

    name, bounds_error = "modified_huber", True

    def value(self, m: ArrayLike) -> Numbers:
        m = _numbers(m)
        return np.where(m >= -1, np.maximum(0.0, 1 - np.maximum(m, -1)) ** 2, -4 * m)

    def slope(self, m: ArrayLike) -> Numbers:
        return -2 * np.clip(1 - _numbers(m), 0.0, 2.0)

    def curvature(self, m: ArrayLike) -> Numbers:
        m = _numbers(m)
        return ((m >= -1) & (m < 1)) * 2.0


class LogLoss(Loss):
    """ln(1 + e^-m): minus the log probability of the right class, if the score is its log odds."""

    name = "log_loss"

    def value(self, m: ArrayLike) -> Numbers:
        return np.logaddexp(0.0, -_numbers(m))

    def slope(self, m: ArrayLike) -> Numbers:
        return -_sigmoid(-_numbers(m))

    def curvature(self, m: ArrayLike) -> Numbers:
        m = _numbers(m)
        return _sigmoid(m) * _sigmoid(-m)


class ScaledLogLoss(LogLoss):
    """log2(1 + e^-m): the log loss in bits, which bounds the error from above."""

    name, bounds_error = "scaled_log_loss", True

    def value(self, m: ArrayLike) -> Numbers:
        return super().value(m) / _LN2

    def slope(self, m: ArrayLike) -> Numbers:
        return super().slope(m) / _LN2

    def curvature(self, m: ArrayLike) -> Numbers:
        return super().curvature(m) / _LN2


class SquaredMargin(Loss):
    """(1 - m)^2: least squares on the labels -1 and +1; rows that are too right cost, too."""

    name, bounds_error = "squared_error", True

    def value(self, m: ArrayLike) -> Numbers:
        return (1 - _numbers(m)) ** 2

    def slope(self, m: ArrayLike) -> Numbers:
        return -2 * (1 - _numbers(m))

    def curvature(self, m: ArrayLike) -> Numbers:
        return np.full_like(_numbers(m), 2.0)


class Exponential(Loss):
    """e^-m, the loss of boosting; above e^700 it stays there, so that a hopeless row does not make it infinite."""

    name, bounds_error = "exponential", True

    def value(self, m: ArrayLike) -> Numbers:
        return np.exp(np.minimum(-_numbers(m), 700.0))

    def slope(self, m: ArrayLike) -> Numbers:
        return -self.value(m)

    def curvature(self, m: ArrayLike) -> Numbers:
        return self.value(m)


class SquaredSigmoid(Loss):
    """(1 - sigmoid(m))^2 / 2: the squared error of a sigmoid output; flat, hence slow, on both sides."""

    name, convex = "squared_sigmoid", False

    def value(self, m: ArrayLike) -> Numbers:
        return _sigmoid(-_numbers(m)) ** 2 / 2

    def slope(self, m: ArrayLike) -> Numbers:
        wrong = _sigmoid(-_numbers(m))
        return -wrong * wrong * (1 - wrong)

    def curvature(self, m: ArrayLike) -> Numbers:
        wrong = _sigmoid(-_numbers(m))
        return wrong * wrong * (1 - wrong) * (2 - 3 * wrong)


class SquaredError(Loss):
    """r^2 / 2."""

    name = "squared_error"

    def value(self, r: ArrayLike) -> Numbers:
        return _numbers(r) ** 2 / 2

    def slope(self, r: ArrayLike) -> Numbers:
        return _numbers(r).copy()

    def curvature(self, r: ArrayLike) -> Numbers:
        return np.ones_like(_numbers(r))


class AbsoluteError(Loss):
    """abs(r): its minimum is a median."""

    name = "absolute_error"

    def value(self, r: ArrayLike) -> Numbers:
        return np.abs(_numbers(r))

    def slope(self, r: ArrayLike) -> Numbers:
        return np.sign(_numbers(r))


@dataclass(frozen=True)
class Huber(Loss):
    """r^2 / 2 up to epsilon, from there a straight line: far rows pull no harder than near ones."""

    name = "huber"
    epsilon: float = 1.35

    def value(self, r: ArrayLike) -> Numbers:
        size = np.abs(_numbers(r))
        near = np.minimum(size, self.epsilon)
        return near * (size - near / 2)

    def slope(self, r: ArrayLike) -> Numbers:
        return np.clip(_numbers(r), -self.epsilon, self.epsilon)

    def curvature(self, r: ArrayLike) -> Numbers:
        return (np.abs(_numbers(r)) <= self.epsilon) * 1.0


@dataclass(frozen=True)
class EpsilonInsensitive(Loss):
    """max(0, abs(r) - epsilon): small residuals cost nothing."""

    name = "epsilon_insensitive"
    epsilon: float = 0.1

    def value(self, r: ArrayLike) -> Numbers:
        return np.maximum(0.0, np.abs(_numbers(r)) - self.epsilon)

    def slope(self, r: ArrayLike) -> Numbers:
        r = _numbers(r)
        return np.where(np.abs(r) > self.epsilon, np.sign(r), 0.0)


@dataclass(frozen=True)
class SquaredEpsilonInsensitive(Loss):
    """max(0, abs(r) - epsilon)^2."""

    name = "squared_epsilon_insensitive"
    epsilon: float = 0.1

    def value(self, r: ArrayLike) -> Numbers:
        return np.maximum(0.0, np.abs(_numbers(r)) - self.epsilon) ** 2

    def slope(self, r: ArrayLike) -> Numbers:
        r = _numbers(r)
        return 2 * np.sign(r) * np.maximum(0.0, np.abs(r) - self.epsilon)

    def curvature(self, r: ArrayLike) -> Numbers:
        return (np.abs(_numbers(r)) > self.epsilon) * 2.0


@dataclass(frozen=True)
class Quantile(Loss):
    """q r above the prediction, (q - 1) r below: its minimum is the q quantile."""

    name = "quantile"
    q: float = 0.5

    def value(self, r: ArrayLike) -> Numbers:
        r = _numbers(r)
        return np.maximum(self.q * r, (self.q - 1) * r)

    def slope(self, r: ArrayLike) -> Numbers:
        r = _numbers(r)
        return np.where(r > 0, self.q, np.where(r < 0, self.q - 1, 0.0))


_LN2 = float(np.log(2.0))

MARGIN_LOSSES: dict[str, Loss] = {
    loss.name: loss
    for loss in (
        ZeroOne(),
        Perceptron(),
        Hinge(),
        SquaredHinge(),
        ModifiedHuber(),
        LogLoss(),
        ScaledLogLoss(),
        SquaredMargin(),
        Exponential(),
        SquaredSigmoid(),
    )
}

RESIDUAL_LOSSES: dict[str, Loss] = {
    loss.name: loss
    for loss in (
        SquaredError(),
        AbsoluteError(),
        Huber(),
        EpsilonInsensitive(),
        SquaredEpsilonInsensitive(),
        Quantile(),
    )
}


def margin_loss(name: str) -> Loss:
    """The loss of the margin of that name.

    >>> from assay.optimize.losses import margin_loss
    >>> hinge = margin_loss("hinge")
    >>> hinge.value([-1.0, 0.5, 2.0]), hinge.slope([-1.0, 0.5, 2.0])
    (array([2. , 0.5, 0. ]), array([-1., -1., -0.]))
    """
    return _found(name, MARGIN_LOSSES, "margin_loss")


def residual_loss(name: str, **parameters: float) -> Loss:
    """The loss of the residual of that name, with its parameter (epsilon, q) if it has one.

    >>> from assay.optimize.losses import residual_loss
    >>> residual_loss("huber", epsilon=1.0).value([0.5, 3.0])
    array([0.125, 2.5  ])
    """
    kind = type(_found(name, RESIDUAL_LOSSES, "residual_loss"))
    known = {field.name for field in fields(kind)}
    if not set(parameters) <= known:
        strange = sorted(set(parameters) - known)[0]
        can = f"it has {', '.join(sorted(known))}" if known else "it has no parameter"
        raise ParameterError(f"residual_loss: {name} does not know {strange}; {can}.")
    return kind(**parameters)


def _found(name: str, table: dict[str, Loss], who: str) -> Loss:
    if name not in table:
        raise ParameterError(f"{who}: name must be one of {', '.join(table)}, got {name!r}.")
    return table[name]


def zero_one_error(score: ArrayLike, y: ArrayLike) -> Numbers:
    """1 where sign(s) is not y, with sign(0) = +1: at s = 0 an error for y = -1 and none for y = +1.

    >>> from assay.optimize.losses import zero_one_error
    >>> zero_one_error([0.0, 0.0, -2.0], [1, -1, -1])
    array([0., 1., 0.])
    """
    return ((_numbers(score) >= 0) != (_numbers(y) > 0)) * 1.0


def soft_maximum(*terms: ArrayLike) -> Numbers:
    r""":math:`\ln\sum_k e^{s_k}`, which is at least the maximum and at most ln K above it.

    The soft maximum of 0 and -m turns the perceptron's loss into the log loss (LS-2).

    >>> from assay.optimize.losses import soft_maximum
    >>> float(soft_maximum(0.0, 0.0).round(6)), float(soft_maximum(0.0, 1000.0))
    (0.693147, 1000.0)
    """
    total = _numbers(terms[0])
    for term in terms[1:]:
        total = np.logaddexp(total, term)
    return total


def _numbers(m: ArrayLike) -> Numbers:
    return np.asarray(m, dtype=np.float64)


def _sigmoid(a: Numbers) -> Numbers:
    from scipy.special import expit

    return expit(a)
