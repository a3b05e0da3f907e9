"""Environments of others: ``reset`` and ``step`` as Gymnasium has them, checked at the edge."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np

from assay.errors import DataError

__all__ = ["Environment", "NumberedEnvironment"]

MOST_STATES = 10**8  # of a table of values
STEP = "(state, reward, terminated, truncated, info)"


class Environment:
    """An environment whose ``reset`` gives (state, info) and ``step`` (state, reward, terminated, truncated, info).

    Parameters
    ----------
    inner : object with these methods; ``reset`` may take a seed
    who : str, who asks, for messages
    """

    def __init__(self, inner: Any, who: str):
        self.inner, self.who = inner, who
        for name in ("reset", "step"):
            if not callable(getattr(inner, name, None)):
                raise DataError(
                    f"{who}: expected an environment with reset() and step(action), got {type(inner).__name__}."
                )
        self._seeded = _takes_seed(inner.reset)

    def reset(self, seed: int | None = None) -> Any:
        """The first state of an episode. An environment whose ``reset`` takes no seed draws by its own."""
        answer = self.inner.reset(seed=seed) if self._seeded else self.inner.reset()
        if not (isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[1], dict)):
            raise DataError(
                f"{self.who}: reset() must return (state, info) with a dictionary of infos, got {answer!r:.80}. "
                "Environments of the older interface return the state alone; wrap them for the newer one."
            )
        return self.state(answer[0])

    def step(self, action: Any) -> tuple[Any, float, bool, bool]:
        """Next state, reward, whether the process ended, whether the episode was cut off."""
        answer = self.inner.step(self.action(action))
        if not isinstance(answer, tuple) or len(answer) != 5:
            what = f"{len(answer)} values" if isinstance(answer, tuple) else f"{answer!r:.80}"
            raise DataError(
                f"{self.who}: step(action) must return {STEP}, got {what}. A single flag (done) does not tell whether "
                "the process ended or was only cut off, after which values still count."
            )
        after, reward, terminated, truncated, _ = answer
        try:
            earned = float(reward)
        except (TypeError, ValueError):
            earned = math.nan
        if isinstance(reward, str) or not math.isfinite(earned):
            raise DataError(f"{self.who}: a reward must be a finite number, got {reward!r}.")
        return self.state(after), earned, bool(terminated), bool(truncated)

    def state(self, state: Any) -> Any:
        """A state as the agent knows it."""
        return state

    def action(self, action: Any) -> Any:
        """An action as the environment knows it."""
        return action


class NumberedEnvironment(Environment):
    """An environment whose states and actions are numbered; from 0 here, from wherever its spaces start there.

    States of several numbers, as of Gymnasium's spaces ``Tuple`` and ``MultiDiscrete`` (the sums and the ace of
    Blackjack), are counted through, the last number first.

    Attributes
    ----------
    n_states, n_actions : int
    sizes : how many values each number of a state has

    Examples
    --------
    >>> from types import SimpleNamespace as Space
    >>> from assay.reinforcement.environments import NumberedEnvironment
    >>> class Door:
    ...     observation_space, action_space = Space(n=2, start=1), Space(n=1)
    ...     def reset(self):
    ...         return 1, {}
    ...     def step(self, action):
    ...         return 2, 5.0, True, False, {}
    >>> door = NumberedEnvironment(Door(), "QLearning")
    >>> door.reset(), door.step(0)
    (0, (1, 5.0, True, False))
    """

    def __init__(self, inner: Any, who: str):
        try:
            self.sizes, self._firsts, self._in_parts = _numbers_of_parts(inner.observation_space)
            self.n_actions, self._first_action = _numbers(inner.action_space)
        except (AttributeError, TypeError, ValueError):
            spaces = [getattr(inner, name, None) for name in ("observation_space", "action_space")]
            described = (
                "" if None in spaces else f" with states {spaces[0]!s:.80} and actions {spaces[1]!s:.40}"
            )
            raise DataError(
                f"{who}: expected an MDP, or an environment with reset(), step(action), observation_space.n and "
                f"action_space.n, got {type(inner).__name__}{described}. States that are no numbers: see LinearSarsa."
            ) from None
        self.n_states, self._first_state = math.prod(self.sizes), self._firsts[0]
        if self.n_states > MOST_STATES:
            raise DataError(
                f"{who}: this environment has {self.n_states} states, more than a table holds. See LinearSarsa."
            )
        super().__init__(inner, who)

    def state(self, state: Any) -> int:
        if self._in_parts:
            return self._counted(state)
        number = _whole(state)
        at = -1 if number is None else number - self._first_state
        if not 0 <= at < self.n_states:
            raise DataError(
                f"{self.who}: states of this environment are whole numbers from {self._first_state} to "
                f"{self._first_state + self.n_states - 1}, got {state!r}."
            )
        return at

    def _counted(self, state: Any) -> int:
        numbers = [_whole(part) for part in state] if isinstance(state, (tuple, list, np.ndarray)) else []
        at = 0
        for number, size, first in zip(numbers, self.sizes, self._firsts):
            if number is None or not 0 <= number - first < size:
                numbers = []
                break
            at = at * size + number - first
        if len(numbers) != len(self.sizes):
            ranges = ", ".join(
                f"{first} to {first + size - 1}" for size, first in zip(self.sizes, self._firsts)
            )
            raise DataError(
                f"{self.who}: a state here is a tuple of {len(self.sizes)} whole numbers ({ranges}), got "
                f"{state!r}."
            )
        return at

    def action(self, action: int) -> int:
        return int(action) + self._first_action


def _whole(value: Any) -> int | None:
    """A whole number, also as NumPy has it (an array of no dimension is a number as well); None for all else."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole and isinstance(value, np.ndarray):
        whole = value.ndim == 0 and value.dtype.kind in "iu"
    return int(value) if whole else None


def _numbers(space: Any) -> tuple[int, int]:
    """How many numbers a space has, and the first of them."""
    n, first = int(space.n), int(getattr(space, "start", 0))
    if n < 1:
        raise ValueError
    return n, first


def _numbers_of_parts(space: Any) -> tuple[list[int], list[int], bool]:
    """The same of each part of a space, and whether it has parts."""
    if hasattr(space, "spaces"):  # Tuple
        parts, several = [_numbers(part) for part in space.spaces], True
    elif hasattr(space, "nvec"):  # MultiDiscrete
        sizes = np.ravel(space.nvec).tolist()
        parts, several = list(zip(sizes, np.ravel(getattr(space, "start", [0] * len(sizes))).tolist())), True
    else:
        parts, several = [_numbers(space)], False
    if not parts or min(size for size, _ in parts) < 1:
        raise ValueError
    return [size for size, _ in parts], [first for _, first in parts], several


def _takes_seed(reset: Any) -> bool:
    try:
        parameters = inspect.signature(reset).parameters.values()
    except (TypeError, ValueError):  # of compiled code, which does not tell
        return True
    return any(p.name == "seed" or p.kind is p.VAR_KEYWORD for p in parameters)
