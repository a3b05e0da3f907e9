"""What strategies for bandits share: arms that are tried, values that are learned, many runs at once."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core.seeds import as_generator
from assay.errors import DataError, ParameterError
from assay.types import RandomState

__all__ = ["Bandit"]


class Bandit:
    """A strategy that chooses among K arms and learns from the reward of the arm it chose, and of no other.

    ``choose()`` gives an arm, ``learn(arm, reward)`` takes what it earned. With ``n_runs`` above 1 both are arrays, one
    number for each of so many independent runs, which cost little more than one.

    Attributes
    ----------
    counts : (R, K) how often each arm was chosen      values : (R, K) what it is thought to be worth
    """

    def __init__(self, n_arms: int, *, n_runs: int = 1, random_state: RandomState = None):
        for name, number in (("n_arms", n_arms), ("n_runs", n_runs)):
            if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 1:
                raise ParameterError(
                    f"{type(self).__name__}: {name} must be a whole number from 1 up, got {number!r}."
                )
        self.n_arms, self.n_runs = int(n_arms), int(n_runs)
        self.counts = np.zeros((self.n_runs, self.n_arms), dtype=np.int64)
        self.values = np.zeros((self.n_runs, self.n_arms))
        self._random = as_generator(random_state, type(self).__name__)
        self._runs = np.arange(self.n_runs)

    @property
    def pulls(self) -> int:
        """How often an arm was chosen so far, in each run."""
        return int(self.counts[0].sum())

    def scores(self) -> np.ndarray:
        """(R, K) by what the next arm is chosen: the highest score, at random among equal ones."""
        raise TypeError(f"{type(self).__name__} must define scores")

    def choose(self) -> Any:
        """The next arm: a number, or (R,) one for each run."""
        arms = self._choose()
        return arms if self.n_runs > 1 else int(arms[0])

    def _choose(self) -> np.ndarray:
        scores = self.scores()
        best = scores == scores.max(axis=1, keepdims=True)
        if (best.sum(axis=1) == 1).all():
            return np.argmax(best, axis=1)
        return np.argmax(best * self._random.random(scores.shape), axis=1)  # ties at random

    def learn(self, arm: ArrayLike, reward: ArrayLike) -> Self:
        """What the arm earned, of each run."""
        arms, earned = np.atleast_1d(np.asarray(arm)), np.atleast_1d(np.asarray(reward, dtype=np.float64))
        if arms.shape != (self.n_runs,) or earned.shape != (self.n_runs,):
            raise DataError(
                f"{type(self).__name__}: expected an arm and a reward for each of {self.n_runs} runs."
            )
        if arms.dtype.kind not in "iu" or not ((arms >= 0) & (arms < self.n_arms)).all():
            raise DataError(
                f"{type(self).__name__}: arms are 0 to {self.n_arms - 1}, got {arms.tolist()[:5]}."
            )
        if not np.isfinite(earned).all():
            raise DataError(f"{type(self).__name__}: a reward must be a finite number.")
        self.counts[self._runs, arms] += 1
        self._learn(arms, earned)
        return self

    def _learn(self, arms: np.ndarray, earned: np.ndarray) -> None:
        """Sample means, unless the strategy has its own way."""
        at = self._runs, arms
        self.values[at] += (earned - self.values[at]) / self.counts[at]
