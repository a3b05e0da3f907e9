"""How often to try what does not look best: epsilon-greedy and softmax choices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.stored import Object, Scalar
from assay.errors import ParameterError
from assay.reinforcement.outcomes import numbers_of
from assay.reinforcement.schedule import Schedule, as_schedule

__all__ = ["EpsilonGreedy", "Exploration", "Softmax"]

COLDEST = 1e-300  # a temperature, so that a division is possible


class Exploration:
    """A rule that turns values of actions into probabilities."""

    schedule: Schedule
    softmax: bool

    def probabilities(self, values: ArrayLike, n: int = 1) -> np.ndarray:
        """(..., A) the probability of each action, at count n of the schedule; -inf marks one that cannot be taken."""
        try:
            q = numbers_of(values)
        except (TypeError, ValueError):
            q = np.zeros(0)
        if q.ndim < 1 or not q.shape[-1] or np.isnan(q).any() or not (q > -np.inf).any(axis=-1).all():
            raise ParameterError(
                f"{type(self).__name__}: values must be numbers of actions, of which some can be taken."
            )
        return self._probabilities(q, self.schedule.at(n))

    def _probabilities(self, q: np.ndarray, amount: float) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _probabilities")

    def of_numbers(self, values: list[float], n: int) -> list[float]:
        """As `probabilities`, for a few finite values that can all be taken."""
        raise TypeError(f"{type(self).__name__} must define of_numbers")


@dataclass(frozen=True)
class EpsilonGreedy(Exploration):
    r"""The best action, but with probability epsilon any of all K, the best included.

    .. math:: P(a) = \epsilon/K + (1 - \epsilon)\,[a \text{ is best}]

    Equally good actions share it.

    Parameters
    ----------
    epsilon : float or Schedule, default 0.1

    Examples
    --------
    >>> from assay.reinforcement import EpsilonGreedy
    >>> EpsilonGreedy(0.1).probabilities([1.0, 3.0, 2.0, 0.0]).round(3)
    array([0.025, 0.925, 0.025, 0.025])

    See Also
    --------
    Softmax, Schedule

    References
    ----------
    - Sutton, R. S. and Barto, A. G. (2018). Reinforcement Learning: An Introduction, second edition. MIT Press.
    """

    epsilon: Any = 0.1
    softmax = False
    stored = {"epsilon": Scalar(low=0, high=1) | Object(Schedule)}

    def __post_init__(self) -> None:
        as_schedule(self.epsilon, "EpsilonGreedy", "epsilon", 0.0, 1.0)

    @cached_property
    def schedule(self) -> Schedule:  # type: ignore[override]
        """Epsilon as a schedule."""
        return as_schedule(self.epsilon, "EpsilonGreedy", "epsilon", 0.0, 1.0)

    def _probabilities(self, q: np.ndarray, amount: float) -> np.ndarray:
        possible = q > -np.inf
        best = possible & (q == q.max(axis=-1, keepdims=True))
        share = (1 - amount) * best / best.sum(axis=-1, keepdims=True)
        return share + amount * possible / possible.sum(axis=-1, keepdims=True)

    def of_numbers(self, values: list[float], n: int) -> list[float]:
        """As `probabilities`, for a few finite values that can all be taken."""
        amount, highest = self.schedule.at(n), max(values)
        explored, best = amount / len(values), (1 - amount) / values.count(highest)
        return [explored + best if value == highest else explored for value in values]


@dataclass(frozen=True)
class Softmax(Exploration):
    r"""The better an action, the more often: :math:`P(a) \propto e^{Q(a)/T}`, a high temperature T for all alike.

    Parameters
    ----------
    temperature : float or Schedule, default 1.0

    Examples
    --------
    >>> from assay.reinforcement import Softmax
    >>> Softmax(1.0).probabilities([1, 2, 3]).round(8)
    array([0.09003057, 0.24472847, 0.66524096])

    See Also
    --------
    EpsilonGreedy, Schedule

    References
    ----------
    - Sutton, R. S. and Barto, A. G. (2018). Reinforcement Learning: An Introduction, second edition. MIT Press.
    """

    temperature: Any = 1.0
    softmax = True
    stored = {"temperature": Scalar(low=0) | Object(Schedule)}

    def __post_init__(self) -> None:
        if not as_schedule(self.temperature, "Softmax", "temperature", 0.0, np.inf).at(1) > 0:
            raise ParameterError(f"Softmax: temperature must be above 0, got {self.temperature!r}.")

    @cached_property
    def schedule(self) -> Schedule:  # type: ignore[override]
        """The temperature as a schedule."""
        return as_schedule(self.temperature, "Softmax", "temperature", 0.0, np.inf)

    def _probabilities(self, q: np.ndarray, amount: float) -> np.ndarray:
        odds = np.exp((q - q.max(axis=-1, keepdims=True)) / max(amount, COLDEST))
        return odds / odds.sum(axis=-1, keepdims=True)

    def of_numbers(self, values: list[float], n: int) -> list[float]:
        """As `probabilities`, for a few finite values that can all be taken."""
        cold, highest = max(self.schedule.at(n), COLDEST), max(values)
        odds = [exp((value - highest) / cold) for value in values]
        whole = sum(odds)
        return [share / whole for share in odds]
