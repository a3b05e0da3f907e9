"""Losses of the margin m = y s, with y = -1 or +1: how far a row is on the right side, or on the wrong one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.optimize.loss import Loss, Numbers, numbers

__all__ = [
    "Exponential",
    "Hinge",
    "LogLoss",
    "ModifiedHuber",
    "Perceptron",
    "ScaledLogLoss",
    "SquaredHinge",
    "SquaredMargin",
    "SquaredSigmoid",
    "ZeroOne",
]

LN2 = float(np.log(2.0))


class ZeroOne(Loss):
    """1 if m <= 0: the error itself, which no gradient can lower."""

    name, convex, bounds_error = "zero_one", False, True

    def value(self, m: ArrayLike) -> Numbers:
        return (numbers(m) <= 0) * 1.0

    def slope(self, m: ArrayLike) -> Numbers:
        return np.zeros_like(numbers(m))


class Perceptron(Loss):
    """max(0, -m): how far a wrong row is on the wrong side."""

    name = "perceptron"

    def value(self, m: ArrayLike) -> Numbers:
        return np.maximum(0.0, -numbers(m))

    def slope(self, m: ArrayLike) -> Numbers:
        return (numbers(m) < 0) * -1.0


class Hinge(Loss):
    """max(0, 1 - m): how much of the margin is missing."""

    name, bounds_error = "hinge", True

    def value(self, m: ArrayLike) -> Numbers:
        return np.maximum(0.0, 1 - numbers(m))

    def slope(self, m: ArrayLike) -> Numbers:
        return (numbers(m) < 1) * -1.0


class SquaredHinge(Loss):
    """max(0, 1 - m)^2."""

    name, bounds_error = "squared_hinge", True

    def value(self, m: ArrayLike) -> Numbers:
        return np.maximum(0.0, 1 - numbers(m)) ** 2

    def slope(self, m: ArrayLike) -> Numbers:
        return -2 * np.maximum(0.0, 1 - numbers(m))

    def curvature(self, m: ArrayLike) -> Numbers:
        return (numbers(m) < 1) * 2.0


class ModifiedHuber(Loss):
    """The squared hinge, gone on as a straight line below m = -1: one far row does not rule the others."""

    name, bounds_error = "modified_huber", True

    def value(self, m: ArrayLike) -> Numbers:
        m = numbers(m)
        return np.where(m >= -1, np.maximum(0.0, 1 - np.maximum(m, -1)) ** 2, -4 * np.minimum(m, 0.0))

    def slope(self, m: ArrayLike) -> Numbers:
        return -2 * np.clip(1 - numbers(m), 0.0, 2.0)

    def curvature(self, m: ArrayLike) -> Numbers:
        m = numbers(m)
        return ((m >= -1) & (m < 1)) * 2.0


class LogLoss(Loss):
    """ln(1 + e^-m): minus the log probability of the right class, if the score is its log odds."""

    name = "log_loss"

    def value(self, m: ArrayLike) -> Numbers:
        return np.logaddexp(0.0, -numbers(m))

    def slope(self, m: ArrayLike) -> Numbers:
        return -sigmoid(-numbers(m))

    def curvature(self, m: ArrayLike) -> Numbers:
        m = numbers(m)
        return sigmoid(m) * sigmoid(-m)


class ScaledLogLoss(LogLoss):
    """log2(1 + e^-m): the log loss in bits, which bounds the error from above."""

    name, bounds_error = "scaled_log_loss", True

    def value(self, m: ArrayLike) -> Numbers:
        return super().value(m) / LN2

    def slope(self, m: ArrayLike) -> Numbers:
        return super().slope(m) / LN2

    def curvature(self, m: ArrayLike) -> Numbers:
        return super().curvature(m) / LN2


class SquaredMargin(Loss):
    """(1 - m)^2: least squares on the labels -1 and +1; rows that are too right cost, too."""

    name, bounds_error = "squared_error", True

    def value(self, m: ArrayLike) -> Numbers:
        return (1 - numbers(m)) ** 2

    def slope(self, m: ArrayLike) -> Numbers:
        return -2 * (1 - numbers(m))

    def curvature(self, m: ArrayLike) -> Numbers:
        return np.full_like(numbers(m), 2.0)


class Exponential(Loss):
    """e^-m, the loss of boosting; above e^700 it stays there, so that a hopeless row does not make it infinite."""

    name, bounds_error = "exponential", True

    def value(self, m: ArrayLike) -> Numbers:
        return np.exp(np.minimum(-numbers(m), 700.0))

    def slope(self, m: ArrayLike) -> Numbers:
        return -self.value(m)

    def curvature(self, m: ArrayLike) -> Numbers:
        return self.value(m)


class SquaredSigmoid(Loss):
    """(1 - sigmoid(m))^2 / 2: the squared error of a sigmoid output; flat, hence slow, on both sides."""

    name, convex = "squared_sigmoid", False

    def value(self, m: ArrayLike) -> Numbers:
        return sigmoid(-numbers(m)) ** 2 / 2

    def slope(self, m: ArrayLike) -> Numbers:
        wrong = sigmoid(-numbers(m))
        return -wrong * wrong * (1 - wrong)

    def curvature(self, m: ArrayLike) -> Numbers:
        wrong = sigmoid(-numbers(m))
        return wrong * wrong * (1 - wrong) * (2 - 3 * wrong)


def sigmoid(a: Numbers) -> Numbers:
    """1 / (1 + e^-a)."""
    from scipy.special import expit

    return expit(a)
