"""What strategies for bandits share: arms that are tried, values that are learned, many runs at once."""

from __future__ import annotations

from math import isfinite
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core.parameters import check_count
from assay.core.seeds import as_generator
from assay.errors import DataError
from assay.reinforcement.outcomes import numbers_of
from assay.types import RandomState

__all__ = ["Bandit"]

FEW_ARMS = 64  # up to here plain numbers are quicker than arrays for a single choice


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
            check_count(type(self).__name__, name, number)
        self.n_arms, self.n_runs = int(n_arms), int(n_runs)
        self.counts = np.zeros((self.n_runs, self.n_arms), dtype=np.int64)
        self.values = np.zeros((self.n_runs, self.n_arms))
        self._random = as_generator(random_state, type(self).__name__)
        self._runs = np.arange(self.n_runs)

    @property
    def pulls(self) -> int:
        """How often an arm was chosen so far, in each run."""
        return int(self.counts[0].sum())

    def __repr__(self) -> str:
        runs = f", {self.n_runs} runs" if self.n_runs > 1 else ""
        return f"{type(self).__name__}({self.n_arms} arms{runs}, {self.pulls} pulls)"

    def scores(self) -> np.ndarray:
        """(R, K) by what the next arm is chosen: the highest score, at random among equal ones."""
        raise TypeError(f"{type(self).__name__} must define scores")

    def choose(self) -> Any:
        """The next arm: a number, or (R,) one for each run."""
        if self.n_runs == 1 and self.n_arms <= FEW_ARMS:
            return self._choose_one(self.counts.tolist()[0], self.values.tolist()[0])
        arms = self._choose()
        return arms if self.n_runs > 1 else int(arms[0])

    def _choose(self) -> np.ndarray:
        scores = self.scores()
        best = scores == scores.max(axis=1, keepdims=True)
        if (best.sum(axis=1) == 1).all():
            return np.argmax(best, axis=1)
        return np.argmax(best * self._random.random(scores.shape), axis=1)  # ties at random

    def _choose_one(self, counts: list[int], values: list[float]) -> int:
        """The next arm of a single run: as `_choose`, in plain numbers where the strategy has them."""
        return int(self._choose()[0])

    def _best_of(self, scores: list[float]) -> int:
        """The place of the highest score, at random among equal ones."""
        highest = max(scores)
        if scores.count(highest) == 1:
            return scores.index(highest)
        best = [arm for arm, score in enumerate(scores) if score == highest]
        return best[int(self._random.random() * len(best))]

    def learn(self, arm: ArrayLike, reward: ArrayLike) -> Self:
        """What the arm earned, of each run."""
        single = self.n_runs == 1 and type(arm) is int and isinstance(reward, (float, int))
        if single and 0 <= arm < self.n_arms and isfinite(reward):  # type: ignore[operator, arg-type]
            self._learn_one(arm, float(reward))  # type: ignore[arg-type]
            return self
        try:
            arms, earned = np.atleast_1d(np.asarray(arm)), np.atleast_1d(numbers_of(reward))
        except (TypeError, ValueError):
            raise DataError(f"{type(self).__name__}: a reward must be a finite number, got text.") from None
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
        self._learn(arms, earned)
        return self

    def _learn_one(self, arm: int, reward: float) -> None:
        """As `_learn`, of a single run."""
        n, before = self.counts.item(0, arm) + 1, self.values.item(0, arm)
        self.counts[0, arm], self.values[0, arm] = n, before + (reward - before) / n

    def _learn(self, arms: np.ndarray, earned: np.ndarray) -> None:
        """Sample means, unless the strategy has its own way."""
        at = self._runs, arms
        self.counts[at] += 1
        self.values[at] += (earned - self.values[at]) / self.counts[at]
