"""How a strategy fares: many runs on the same arms, regret with its interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm

from assay.core.parameters import check_count
from assay.core.seeds import as_generator
from assay.errors import ParameterError
from assay.reinforcement.bandits.bandit import Bandit
from assay.reinforcement.outcomes import numbers_of
from assay.stats.checks import is_number
from assay.types import RandomState

__all__ = ["BanditCourse", "simulate_bandit"]


@dataclass(frozen=True)
class BanditCourse:
    """What a strategy earned, step by step, over many runs.

    Attributes
    ----------
    rewards : (T, R) of each step and run      regrets : (T, R) what the best arm would have earned more, on average
    best_share : (T,) share of the runs that chose the best arm      means : (K,) of the arms
    """

    rewards: np.ndarray
    regrets: np.ndarray
    best_share: np.ndarray
    means: np.ndarray

    @property
    def regret(self) -> np.ndarray:
        """(T,) the mean regret of all steps so far."""
        return np.cumsum(self.regrets, axis=0).mean(axis=1)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Of the mean regret after the last step: an interval by the runs, which are independent."""
        if not (is_number(level) and 0 < level < 1):
            raise ParameterError(f"BanditCourse: level must be between 0 and 1, got {level!r}.")
        totals = self.regrets.sum(axis=0)
        if len(totals) < 2:
            raise ParameterError("BanditCourse: an interval needs several runs; set n_runs.")
        half = norm.ppf((1 + level) / 2) * totals.std(ddof=1) / np.sqrt(len(totals))
        return float(totals.mean() - half), float(totals.mean() + half)


def simulate_bandit(
    strategy: Bandit,
    arms: Sequence[Any] | np.ndarray,
    n_steps: int,
    *,
    noise: float | None = None,
    random_state: RandomState = None,
) -> BanditCourse:
    """Let a strategy choose, in all of its runs at once.

    Parameters
    ----------
    strategy : Bandit, with its ``n_runs``
    arms : (K,) means, or functions of (number of draws, generator) that give rewards
    n_steps : int
    noise : float, default None
        Standard deviation of normal rewards; None draws zeros and ones with these means.
    random_state : seed

    Examples
    --------
    >>> from assay.reinforcement import UCB1, simulate_bandit
    >>> course = simulate_bandit(UCB1(3, n_runs=500, random_state=0), [0.2, 0.5, 0.8], 1000, random_state=0)
    >>> low, high = course.interval()
    >>> bool(20 < low < high < 60)
    True

    See Also
    --------
    UCB1, ThompsonSampling, ValueBandit

    References
    ----------
    - Lai, T. L. and Robbins, H. (1985). Asymptotically efficient adaptive allocation rules. Advances in Applied
      Mathematics 6, 4-22.
    """
    if not all(hasattr(strategy, name) for name in ("n_arms", "n_runs", "choose", "learn")):
        raise ParameterError(
            f"simulate_bandit: strategy must be UCB1(...), ThompsonSampling(...) or ValueBandit(...), got {strategy!r}."
        )
    count = len(arms) if isinstance(arms, (list, tuple)) or np.ndim(arms) else 0
    if count != strategy.n_arms:
        raise ParameterError(
            f"simulate_bandit: the strategy has {strategy.n_arms} arms, so arms must be a list of as many means or "
            f"functions, got {arms!r:.80}."
        )
    check_count("simulate_bandit", "n_steps", n_steps)
    random = as_generator(random_state, "simulate_bandit")
    means, draw = _arms(arms, noise, random)
    R = strategy.n_runs
    rewards, regrets, shares = np.empty((n_steps, R)), np.empty((n_steps, R)), np.empty(n_steps)
    for t in range(n_steps):
        chosen = np.atleast_1d(strategy.choose())
        rewards[t] = draw(chosen)
        regrets[t] = means.max() - means[chosen]
        shares[t] = (means[chosen] == means.max()).mean()
        strategy.learn(chosen, rewards[t])
    return BanditCourse(rewards, regrets, shares, means)


def _arms(
    arms: Any, noise: float | None, random: np.random.Generator
) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """The means of the arms, and a function that draws the rewards of those that were chosen."""
    if callable(arms[0]):
        means = np.array([np.mean(arm(20_000, random)) for arm in arms])

        def by_functions(chosen: np.ndarray) -> np.ndarray:
            earned = np.empty(len(chosen))
            for k, arm in enumerate(arms):
                earned[chosen == k] = arm(int((chosen == k).sum()), random)
            return earned

        return means, by_functions
    try:
        means = numbers_of(arms)
    except (TypeError, ValueError):
        means = np.full(1, np.nan)
    if noise is not None and not (is_number(noise) and noise >= 0):
        raise ParameterError(f"simulate_bandit: noise must be a number from 0 up, got {noise!r}.")
    if (
        means.ndim != 1
        or not np.isfinite(means).all()
        or (noise is None and not ((means >= 0) & (means <= 1)).all())
    ):
        raise ParameterError(
            "simulate_bandit: arms must be means: probabilities from 0 to 1, or with noise= any numbers."
        )
    if noise is None:
        return means, lambda chosen: (random.random(len(chosen)) < means[chosen]).astype(np.float64)
    return means, lambda chosen: means[chosen] + noise * random.standard_normal(len(chosen))
