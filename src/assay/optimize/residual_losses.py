"""Losses of the residual r = y - s: how far a number is from its prediction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.optimize.loss import Loss, Numbers, numbers

__all__ = [
    "AbsoluteError",
    "EpsilonInsensitive",
    "Huber",
    "Quantile",
    "SquaredEpsilonInsensitive",
    "SquaredError",
]


class SquaredError(Loss):
    """r^2 / 2."""

    name = "squared_error"

    def value(self, r: ArrayLike) -> Numbers:
        return numbers(r) ** 2 / 2

    def slope(self, r: ArrayLike) -> Numbers:
        return numbers(r).copy()

    def curvature(self, r: ArrayLike) -> Numbers:
        return np.ones_like(numbers(r))


class AbsoluteError(Loss):
    """abs(r): its minimum is a median."""

    name = "absolute_error"

    def value(self, r: ArrayLike) -> Numbers:
        return np.abs(numbers(r))

    def slope(self, r: ArrayLike) -> Numbers:
        return np.sign(numbers(r))


@dataclass(frozen=True)
class Huber(Loss):
    """r^2 / 2 up to epsilon, from there a straight line: far rows pull no harder than near ones."""

    name = "huber"
    epsilon: float = 1.35

    def value(self, r: ArrayLike) -> Numbers:
        size = np.abs(numbers(r))
        near = np.minimum(size, self.epsilon)
        return near * (size - near / 2)

    def slope(self, r: ArrayLike) -> Numbers:
        return np.clip(numbers(r), -self.epsilon, self.epsilon)

    def curvature(self, r: ArrayLike) -> Numbers:
        return (np.abs(numbers(r)) <= self.epsilon) * 1.0


@dataclass(frozen=True)
class EpsilonInsensitive(Loss):
    """max(0, abs(r) - epsilon): small residuals cost nothing."""

    name = "epsilon_insensitive"
    epsilon: float = 0.1

    def value(self, r: ArrayLike) -> Numbers:
        return np.maximum(0.0, np.abs(numbers(r)) - self.epsilon)

    def slope(self, r: ArrayLike) -> Numbers:
        r = numbers(r)
        return np.where(np.abs(r) > self.epsilon, np.sign(r), 0.0)


@dataclass(frozen=True)
class SquaredEpsilonInsensitive(Loss):
    """max(0, abs(r) - epsilon)^2."""

    name = "squared_epsilon_insensitive"
    epsilon: float = 0.1

    def value(self, r: ArrayLike) -> Numbers:
        return np.maximum(0.0, np.abs(numbers(r)) - self.epsilon) ** 2

    def slope(self, r: ArrayLike) -> Numbers:
        r = numbers(r)
        return 2 * np.sign(r) * np.maximum(0.0, np.abs(r) - self.epsilon)

    def curvature(self, r: ArrayLike) -> Numbers:
        return (np.abs(numbers(r)) > self.epsilon) * 2.0


@dataclass(frozen=True)
class Quantile(Loss):
    """q r above the prediction, (q - 1) r below: its minimum is the q quantile."""

    name = "quantile"
    q: float = 0.5

    def value(self, r: ArrayLike) -> Numbers:
        r = numbers(r)
        return np.maximum(self.q * r, (self.q - 1) * r)

    def slope(self, r: ArrayLike) -> Numbers:
        r = numbers(r)
        return np.where(r > 0, self.q, np.where(r < 0, self.q - 1, 0.0))
