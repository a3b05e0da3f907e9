"""Environments of others: ``reset`` and ``step`` as Gymnasium has them, checked at the edge."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np

from assay.errors import DataError

__all__ = ["Environment", "NumberedEnvironment"]

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

    Attributes
    ----------
    n_states, n_actions : int

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
            self.n_states, self._first_state = _numbers(inner.observation_space)
            self.n_actions, self._first_action = _numbers(inner.action_space)
        except (AttributeError, TypeError, ValueError):
            raise DataError(
                f"{who}: expected an MDP, or an environment with reset(), step(action), observation_space.n and "
                f"action_space.n, got {type(inner).__name__}. States that are no numbers: see LinearSarsa."
            ) from None
        super().__init__(inner, who)

    def state(self, state: Any) -> int:
        whole = isinstance(state, (int, np.integer)) and not isinstance(state, bool)
        if not whole and isinstance(state, np.ndarray):  # an array of no dimension is a number as well
            whole = state.ndim == 0 and state.dtype.kind in "iu"
        number = int(state) - self._first_state if whole else -1
        if not 0 <= number < self.n_states:
            raise DataError(
                f"{self.who}: states of this environment are whole numbers from {self._first_state} to "
                f"{self._first_state + self.n_states - 1}, got {state!r}."
            )
        return number

    def action(self, action: int) -> int:
        return int(action) + self._first_action


def _numbers(space: Any) -> tuple[int, int]:
    """How many numbers a space has, and the first of them."""
    n, first = int(space.n), int(getattr(space, "start", 0))
    if n < 1:
        raise ValueError
    return n, first


def _takes_seed(reset: Any) -> bool:
    try:
        parameters = inspect.signature(reset).parameters.values()
    except (TypeError, ValueError):  # of compiled code, which does not tell
        return True
    return any(p.name == "seed" or p.kind is p.VAR_KEYWORD for p in parameters)
