"""The tiger problem: two doors, a tiger behind one of them, and a sensor that errs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from assay.errors import ParameterError
from assay.reinforcement.pomdp import POMDP
from assay.stats.checks import is_number

__all__ = ["tiger"]


def tiger(
    reliability: Any = Fraction(7, 10),
    *,
    open_left: tuple[Any, Any] = (-100, 80),
    open_right: tuple[Any, Any] = (90, -100),
    cost: Any = 1,
    moves: Any = 0,
) -> POMDP:
    """Open a door, or listen first?

    Behind one of two doors is a tiger. Opening ends the process; listening costs something and tells where the tiger
    is, rightly with a probability. All numbers may be fractions, and plans are then exact.

    Parameters
    ----------
    reliability : probability that the right side is heard, default 7/10
    open_left, open_right : rewards of a door if the tiger is left, and if it is right
    cost : of listening
    moves : probability that the tiger changes rooms before every action

    Examples
    --------
    >>> from assay.reinforcement import tiger
    >>> value = tiger().plan(2, last=["open left", "open right"])
    >>> [(round(float(low), 4), round(float(high), 4), plan.action) for low, high, plan in value.intervals()]
    [(0.0, 0.2941, 'open left'), (0.2941, 0.6831, 'listen'), (0.6831, 1.0, 'open right')]

    See Also
    --------
    POMDP

    References
    ----------
    - Kaelbling, L. P., Littman, M. L. and Cassandra, A. R. (1998). Planning and acting in partially observable
      stochastic domains. Artificial Intelligence 101, 99-134.
    - Alpaydin, E. (2014). Introduction to Machine Learning, third edition, section 18.7. MIT Press.
    """
    for name, chance in (("reliability", reliability), ("moves", moves)):
        if not (_is_number(chance) and 0 <= chance <= 1):
            raise ParameterError(f"tiger: {name} must be a probability, got {chance!r}.")
    if not _is_number(cost):
        raise ParameterError(f"tiger: cost must be a number, got {cost!r}.")
    for name, door in (("open_left", open_left), ("open_right", open_right)):
        if not (isinstance(door, (tuple, list)) and len(door) == 2 and all(map(_is_number, door))):
            raise ParameterError(
                f"tiger: {name} must be two numbers, the rewards if the tiger is left and if it is right, got {door!r}."
            )
    right, stays = Fraction(reliability) if isinstance(reliability, int) else reliability, 1 - moves
    walk = [[stays, moves], [moves, stays]]
    hears = [[right, 1 - right], [1 - right, right]]
    rewards = [[_moved(door, s, moves) for door in (open_left, open_right)] + [-cost] for s in range(2)]
    return POMDP(
        [walk] * 3,
        [hears] * 3,
        rewards,
        ends=["open left", "open right"],
        states=["tiger left", "tiger right"],
        actions=["open left", "open right", "listen"],
        observations_named=["hear left", "hear right"],
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, Fraction) or is_number(value)


def _moved(door: tuple[Any, Any], state: int, moves: Any) -> Any:
    """The expected reward of a door, if the tiger may move before it is opened."""
    return (1 - moves) * door[state] + moves * door[1 - state]
