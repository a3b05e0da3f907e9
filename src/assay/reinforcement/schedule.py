"""Numbers that change while an agent learns: rates of learning, shares of exploration, temperatures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import Scalar, Text
from assay.errors import ParameterError
from assay.stats.checks import is_number

__all__ = ["Schedule", "as_schedule"]

KINDS = ("constant", "power", "exponential", "linear")
COUNTS = ("visits", "steps", "episodes")


@dataclass(frozen=True)
class Schedule:
    r"""A number as a function of how often something happened, n = 1, 2, ...

    ========================  =============================================
    ``constant(a)``           :math:`a`
    ``power(b, a)``           :math:`a\,n^{-b}`; rates that add up to infinity while their squares do not: 0.5 < b <= 1
    ``exponential(a, b, c)``  :math:`\max(c, a\,b^{n-1})`
    ``linear(a, b, c)``       from a to b over c times, then b
    ========================  =============================================

    ``by`` says what is counted: "visits" of the pair of state and action, "steps" or "episodes".

    Examples
    --------
    >>> from assay.reinforcement import Schedule
    >>> [round(Schedule.power(1.0).at(n), 4) for n in (1, 2, 4)]
    [1.0, 0.5, 0.25]
    >>> [Schedule.linear(1.0, 0.0, 5).at(n) for n in (1, 3, 5, 9)]
    [1.0, 0.5, 0.0, 0.0]

    See Also
    --------
    EpsilonGreedy, Softmax, QLearning

    References
    ----------
    - Even-Dar, E. and Mansour, Y. (2003). Learning rates for Q-learning. Journal of Machine Learning Research 5, 1-25.
    """

    kind: str
    a: float
    b: float = 0.0
    c: float = 0.0
    by: str = "visits"
    stored = {"kind": Text(), "a": Scalar(), "b": Scalar(), "c": Scalar(), "by": Text()}

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ParameterError(f"Schedule: kind must be one of {', '.join(KINDS)}, got {self.kind!r}.")
        if self.by not in COUNTS:
            raise ParameterError(f"Schedule: by must be one of {', '.join(COUNTS)}, got {self.by!r}.")
        if not all(is_number(v) for v in (self.a, self.b, self.c)):
            raise ParameterError("Schedule: its parameters must be finite numbers.")

    @classmethod
    def constant(cls, value: float) -> Schedule:
        """The same number always."""
        return cls("constant", value)

    @classmethod
    def power(cls, exponent: float, scale: float = 1.0, by: str = "visits") -> Schedule:
        """It falls with a power of the count; 1.0 gives the sample mean."""
        return cls("power", scale, exponent, by=by)

    @classmethod
    def exponential(cls, start: float, factor: float, least: float = 0.0, by: str = "episodes") -> Schedule:
        """It is multiplied by a factor each time, down to ``least``."""
        return cls("exponential", start, factor, least, by)

    @classmethod
    def linear(cls, start: float, end: float, over: float, by: str = "episodes") -> Schedule:
        """It goes in a straight line from ``start`` to ``end`` while the count goes from 1 to ``over``."""
        return cls("linear", start, end, over, by)

    def at(self, n: int) -> float:
        """The number at count n."""
        if self.kind == "constant":
            return float(self.a)
        if self.kind == "power":
            return float(self.a * float(n) ** -self.b)
        if self.kind == "exponential":
            return float(max(self.c, self.a * self.b ** (n - 1)))
        return float(self.b if self.c <= 1 else self.a + (self.b - self.a) * min(1.0, (n - 1) / (self.c - 1)))

    def now(self, visits: int, steps: int, episodes: int) -> float:
        """The number at the count that it goes by."""
        return self.at({"visits": visits, "steps": steps, "episodes": episodes}[self.by])

    def native(self) -> np.ndarray:
        """The same as five numbers, for native code."""
        return np.array(
            [KINDS.index(self.kind), COUNTS.index(self.by), self.a, self.b, self.c], dtype=np.float64
        )


def as_schedule(value: Any, who: str, what: str, low: float, high: float) -> Schedule:
    """A number or a Schedule as a Schedule, whose first and last values must be from low to high."""
    schedule = value if isinstance(value, Schedule) else None
    if schedule is None:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ParameterError(f"{who}: {what} must be a number or a Schedule, got {value!r}.")
        schedule = Schedule.constant(float(value))
    if not all(low <= end <= high for end in (schedule.at(1), _end(schedule))):
        limit = f"from {low:g} to {high:g}" if high < float("inf") else f"{low:g} or more"
        raise ParameterError(f"{who}: {what} must be {limit}, got {value!r}.")
    return schedule


def _end(schedule: Schedule) -> float:
    """What a schedule comes to in the end."""
    if schedule.kind == "linear":
        return float(schedule.b)
    grows = (schedule.kind == "exponential" and schedule.b > 1) or (
        schedule.kind == "power" and schedule.b < 0
    )
    return float("inf") if grows and schedule.a > 0 else schedule.at(1)
