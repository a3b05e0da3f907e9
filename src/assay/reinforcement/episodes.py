"""What happened while a policy was followed, step by step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, ParameterError
from assay.reinforcement.outcomes import numbers_of
from assay.stats.checks import is_number

__all__ = ["Episodes", "discounted_return"]


def discounted_return(rewards: ArrayLike, discount: float = 1.0) -> float:
    r"""What a sequence of rewards is worth at its beginning: :math:`\sum_i \gamma^{i-1} r_i`.

    >>> from assay.reinforcement import discounted_return
    >>> round(discounted_return([1, 0, 2, 5], 0.9), 9)
    6.265
    """
    try:
        values = numbers_of(rewards)
    except (TypeError, ValueError):
        raise DataError("discounted_return: rewards must be a list of numbers, got text.") from None
    if values.ndim != 1:
        raise ParameterError(
            f"discounted_return: rewards must be a list of numbers, got the shape {values.shape}."
        )
    if not np.isfinite(values).all():
        i = int(np.argmin(np.isfinite(values)))
        raise DataError(f"discounted_return: rewards must be finite numbers; number {i + 1} is {values[i]}.")
    if not (is_number(discount) and 0 <= discount <= 1):
        raise ParameterError(f"discounted_return: discount must be a number from 0 to 1, got {discount!r}.")
    return float(values @ discount ** np.arange(len(values)))


@dataclass(frozen=True)
class Episodes:
    """The steps of some episodes, one after the other; states and actions by number.

    Attributes
    ----------
    episode, state, action, reward, next_state : (m,) of each step
    terminated : (m,) whether the process ended there: nothing follows
    truncated : (m,) whether the episode was cut off: something would have followed
    count : int or None, how many episodes there were, those that ended where they began included
    """

    episode: np.ndarray
    state: np.ndarray
    action: np.ndarray
    reward: np.ndarray
    next_state: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    count: int | None = field(default=None, kw_only=True)

    def __len__(self) -> int:
        if self.count is not None:
            return self.count
        return int(self.episode[-1]) + 1 if len(self.episode) else 0

    @property
    def lengths(self) -> np.ndarray:
        """(n,) the number of steps of each episode."""
        return np.bincount(self.episode, minlength=len(self))

    def returns(self, discount: float = 1.0) -> np.ndarray:
        """(n,) what each episode was worth at its beginning."""
        if not (is_number(discount) and 0 <= discount <= 1):
            raise ParameterError(
                f"Episodes.returns: discount must be a number from 0 to 1, got {discount!r}."
            )
        first = np.concatenate([[0], np.cumsum(self.lengths)[:-1]]) if len(self) else np.zeros(0, dtype=int)
        step = np.arange(len(self.episode)) - first[self.episode]
        return np.bincount(self.episode, self.reward * discount**step, minlength=len(self))

    def to_dict(self) -> dict[str, Any]:
        """The columns by name, as frames are made of."""
        return {
            "episode": self.episode,
            "state": self.state,
            "action": self.action,
            "reward": self.reward,
            "next_state": self.next_state,
            "terminated": self.terminated.astype(bool),
            "truncated": self.truncated.astype(bool),
        }
