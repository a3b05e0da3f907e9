"""Strategies for bandits: values with exploration, upper confidence bounds, draws from a posterior."""

from __future__ import annotations

from math import log, sqrt
from typing import Any

import numpy as np

from assay.errors import DataError, ParameterError
from assay.reinforcement.bandits.bandit import Bandit
from assay.reinforcement.exploration import EpsilonGreedy, Exploration
from assay.stats.checks import is_number
from assay.types import RandomState

__all__ = ["UCB1", "ThompsonSampling", "ValueBandit"]


class ValueBandit(Bandit):
    r"""Learn what each arm is worth, and choose by it with some exploration.

    .. math:: Q(a) \leftarrow Q(a) + \eta\,[r - Q(a)]                                                  \quad (1)

    With :math:`\eta = 1/n_a` the value is the mean of the arm's rewards; a constant rate forgets old ones, for arms
    that change.

    Parameters
    ----------
    n_arms : int
    exploration : EpsilonGreedy or Softmax, default EpsilonGreedy(0.1)
    learning_rate : float, default None
        None is 1/n, the mean.
    initial : float, default 0.0
        What each arm is thought to be worth at first; high values make it try all of them.
    n_runs : int, default 1
    random_state : seed

    Examples
    --------
    >>> from assay.reinforcement import ValueBandit
    >>> bandit = ValueBandit(2, learning_rate=0.5)
    >>> [float(bandit.learn(0, reward).values[0, 0]) for reward in (1, 0, 1, 1)]
    [0.5, 0.25, 0.625, 0.8125]

    See Also
    --------
    UCB1, ThompsonSampling, simulate_bandit

    References
    ----------
    - Sutton, R. S. and Barto, A. G. (2018). Reinforcement Learning: An Introduction, second edition. MIT Press.
    """

    def __init__(
        self,
        n_arms: int,
        *,
        exploration: Any = None,
        learning_rate: float | None = None,
        initial: float = 0.0,
        n_runs: int = 1,
        random_state: RandomState = None,
    ):
        super().__init__(n_arms, n_runs=n_runs, random_state=random_state)
        self.exploration = EpsilonGreedy(0.1) if exploration is None else exploration
        if not isinstance(self.exploration, Exploration):
            raise ParameterError(
                f"ValueBandit: exploration must be EpsilonGreedy or Softmax, got {exploration!r}."
            )
        if learning_rate is not None and not (is_number(learning_rate) and 0 < learning_rate <= 1):
            raise ParameterError(
                f"ValueBandit: learning_rate must be above 0 and at most 1, got {learning_rate!r}."
            )
        if not is_number(initial):
            raise ParameterError(f"ValueBandit: initial must be a finite number, got {initial!r}.")
        self.learning_rate = learning_rate
        self.values += initial

    def scores(self) -> np.ndarray:
        """(R, K) the values."""
        return self.values

    def probabilities(self) -> np.ndarray:
        """(R, K) the probability of each arm to be the next one."""
        return self.exploration.probabilities(self.values, self.pulls + 1)

    def _choose(self) -> np.ndarray:
        sums = np.cumsum(self.probabilities(), axis=1)
        u = self._random.random((self.n_runs, 1)) * sums[:, -1:]
        return np.minimum((sums <= u).sum(axis=1), self.n_arms - 1)

    def _choose_one(self, counts: list[int], values: list[float]) -> int:
        chances = self.exploration.of_numbers(values, sum(counts) + 1)
        u = self._random.random()
        for arm, chance in enumerate(chances):
            u -= chance
            if u < 0:
                return arm
        return max(arm for arm, chance in enumerate(chances) if chance > 0)  # rounding

    def _learn_one(self, arm: int, reward: float) -> None:
        n, before = self.counts.item(0, arm) + 1, self.values.item(0, arm)
        rate = 1 / n if self.learning_rate is None else self.learning_rate
        self.counts[0, arm], self.values[0, arm] = n, before + rate * (reward - before)  # (1)

    def _learn(self, arms: np.ndarray, earned: np.ndarray) -> None:
        at = self._runs, arms
        self.counts[at] += 1
        rate = 1 / self.counts[at] if self.learning_rate is None else self.learning_rate
        self.values[at] += rate * (earned - self.values[at])  # (1)


class UCB1(Bandit):
    r"""Be optimistic: choose the arm whose mean could be the highest (Auer et al. 2002).

    .. math:: \bar r_a + c\sqrt{2\ln t/n_a}                                                             \quad (1)

    after t pulls, of which :math:`n_a` were of arm a; every arm is tried once first. For rewards from 0 to 1 the regret
    grows with the logarithm of t.

    Parameters
    ----------
    n_arms : int
    scale : float, default 1.0
        c, the range of the rewards.
    n_runs : int, default 1
    random_state : seed, for ties

    Examples
    --------
    >>> from assay.reinforcement import UCB1
    >>> bandit = UCB1(2, random_state=0)
    >>> for t in range(100):
    ...     arm = bandit.choose()
    ...     _ = bandit.learn(arm, [0.2, 0.8][arm])
    >>> bandit.counts[0].tolist()
    [11, 89]

    See Also
    --------
    ThompsonSampling, ValueBandit

    References
    ----------
    - Auer, P., Cesa-Bianchi, N. and Fischer, P. (2002). Finite-time analysis of the multiarmed bandit problem. Machine
      Learning 47, 235-256.
    """

    def __init__(self, n_arms: int, *, scale: float = 1.0, n_runs: int = 1, random_state: RandomState = None):
        super().__init__(n_arms, n_runs=n_runs, random_state=random_state)
        if not (is_number(scale) and scale > 0):
            raise ParameterError(f"UCB1: scale must be a number above 0, got {scale!r}.")
        self.scale = float(scale)

    def scores(self) -> np.ndarray:
        """(R, K) the bounds (1); infinite for an arm that was never tried."""
        tried = self.counts > 0
        width = np.sqrt(2 * np.log(max(self.pulls, 1)) / np.maximum(self.counts, 1))
        return np.where(tried, self.values + self.scale * width, np.inf)

    def _choose_one(self, counts: list[int], values: list[float]) -> int:
        if 0 in counts:
            return self._best_of([float(n == 0) for n in counts])
        width = self.scale * sqrt(2 * log(sum(counts)))
        return self._best_of([r + width / sqrt(n) for r, n in zip(values, counts)])


class ThompsonSampling(Bandit):
    """Choose an arm as often as it is believed to be the best: by one draw from each arm's posterior (Thompson 1933).

    Parameters
    ----------
    n_arms : int
    rewards : "bernoulli" or "normal", default "bernoulli"
        Zeros and ones, with a beta posterior; or numbers with a normal-gamma posterior of mean and precision.
    prior : tuple, default None
        (a, b) of the beta, default (1, 1); (mean, kappa, a, b) of the normal-gamma, default (0, 1e-3, 1, 1).
    n_runs : int, default 1
    random_state : seed

    Examples
    --------
    >>> from assay.reinforcement import ThompsonSampling, simulate_bandit
    >>> course = simulate_bandit(ThompsonSampling(2, n_runs=200, random_state=0), [0.2, 0.8], 100, random_state=1)
    >>> bool(course.best_share[-10:].mean() > 0.95)
    True

    See Also
    --------
    UCB1, BetaBernoulli, NormalGamma

    References
    ----------
    - Thompson, W. R. (1933). On the likelihood that one unknown probability exceeds another in view of the evidence of
      two samples. Biometrika 25, 285-294.
    """

    def __init__(
        self,
        n_arms: int,
        *,
        rewards: str = "bernoulli",
        prior: tuple[float, ...] | None = None,
        n_runs: int = 1,
        random_state: RandomState = None,
    ):
        super().__init__(n_arms, n_runs=n_runs, random_state=random_state)
        if rewards not in ("bernoulli", "normal"):
            raise ParameterError(f"ThompsonSampling: rewards must be bernoulli or normal, got {rewards!r}.")
        self.rewards = rewards
        usual = (1.0, 1.0) if rewards == "bernoulli" else (0.0, 1e-3, 1.0, 1.0)
        given = usual if prior is None else tuple(np.ravel(np.asarray(prior, dtype=object)))
        positive = given if rewards == "bernoulli" else given[1:]
        if (
            len(given) != len(usual)
            or not all(map(is_number, given))
            or not all(number > 0 for number in positive)
        ):
            above = "above 0" if rewards == "bernoulli" else "the last three above 0"
            raise ParameterError(
                f"ThompsonSampling: the prior of {rewards} rewards is {len(usual)} numbers, {above}, got {prior!r}."
            )
        self.prior = tuple(float(number) for number in given)
        self._squares = np.zeros_like(self.values)  # sums of squared deviations from the mean

    def scores(self) -> np.ndarray:
        """(R, K) one draw of each arm's mean."""
        n = self.counts
        if self.rewards == "bernoulli":
            ones = n * self.values
            return self._random.beta(self.prior[0] + ones, self.prior[1] + n - ones)
        mean, kappa, a, b = self.prior
        scatter = b + (self._squares + kappa * n / (kappa + n) * (self.values - mean) ** 2) / 2
        precision = self._random.gamma(a + n / 2) / scatter
        centre = (kappa * mean + n * self.values) / (kappa + n)
        return centre + self._random.standard_normal(n.shape) / np.sqrt((kappa + n) * precision)

    def _choose_one(self, counts: list[int], values: list[float]) -> int:
        if self.rewards == "normal":
            return super()._choose_one(counts, values)
        (a, b), draw = self.prior, self._random.beta
        return self._best_of([draw(a + n * r, b + n - n * r) for r, n in zip(values, counts)])

    def _learn_one(self, arm: int, reward: float) -> None:
        if self.rewards == "bernoulli" and reward not in (0.0, 1.0):
            self._refuse()
        before = self.values.item(0, arm)
        super()._learn_one(arm, reward)
        if self.rewards == "normal":
            self._squares[0, arm] += (reward - before) * (reward - self.values.item(0, arm))

    def _refuse(self) -> None:
        raise DataError('ThompsonSampling: bernoulli rewards are 0 or 1; for other numbers rewards="normal".')

    def _learn(self, arms: np.ndarray, earned: np.ndarray) -> None:
        if self.rewards == "bernoulli" and not ((earned == 0) | (earned == 1)).all():
            self._refuse()
        at = self._runs, arms
        before = self.values[at].copy()
        super()._learn(arms, earned)
        self._squares[at] += (earned - before) * (earned - self.values[at])
