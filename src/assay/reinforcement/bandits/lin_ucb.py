"""Bandits with contexts: upper confidence bounds of a linear model of each arm."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core.parameters import check_count
from assay.core.seeds import as_generator
from assay.errors import DataError, ParameterError
from assay.stats.checks import is_number, is_whole
from assay.types import RandomState

__all__ = ["LinUCB"]

LARGEST = 1e100  # of a context, whose squares are numbers


class LinUCB:
    r"""Choose by context: a linear model of each arm's reward, and how uncertain it is there (Li et al. 2010).

    .. math:: x^T\hat\theta_a + \alpha\sqrt{x^T A_a^{-1} x}, \qquad A_a = \lambda I + \sum x x^T, \quad
              \hat\theta_a = A_a^{-1}\sum r x                                                            \quad (1)

    Each reward changes the inverse by a step of rank one, so that learning costs the square of the number of features.

    Parameters
    ----------
    n_arms, n_features : int
    alpha : float, default 1.0
        How much uncertainty attracts.
    penalty : float, default 1.0
        Lambda of the ridge.
    fit_intercept : bool, default True
    random_state : seed, for ties

    Attributes
    ----------
    coef_ : (K, p) weights of the features (the constant first, if there is one)      counts : (K,)

    Examples
    --------
    >>> import numpy as np
    >>> from assay.reinforcement import LinUCB
    >>> rng = np.random.default_rng(0)
    >>> bandit = LinUCB(2, 1, random_state=0)
    >>> for x in rng.normal(size=(300, 1)):
    ...     arm = bandit.choose(x)
    ...     _ = bandit.learn(x, arm, x[0] if arm else -x[0])
    >>> bandit.choose([2.0]), bandit.choose([-2.0])
    (1, 0)

    See Also
    --------
    UCB1, off_policy_value

    References
    ----------
    - Li, L., Chu, W., Langford, J. and Schapire, R. E. (2010). A contextual-bandit approach to personalized news
      article recommendation. International Conference on World Wide Web, 661-670.
    """

    def __init__(
        self,
        n_arms: int,
        n_features: int,
        *,
        alpha: float = 1.0,
        penalty: float = 1.0,
        fit_intercept: bool = True,
        random_state: RandomState = None,
    ):
        for name, number in (("n_arms", n_arms), ("n_features", n_features)):
            check_count("LinUCB", name, number)
        if not (is_number(alpha) and is_number(penalty) and alpha >= 0 and penalty > 0):
            raise ParameterError("LinUCB: alpha must be 0 or more and penalty above 0.")
        if not isinstance(fit_intercept, (bool, np.bool_)):
            raise ParameterError(f"LinUCB: fit_intercept must be True or False, got {fit_intercept!r}.")
        self.n_arms, self.n_features, self.alpha, self.penalty = int(n_arms), int(n_features), alpha, penalty
        self.fit_intercept = fit_intercept
        p = self.n_features + bool(fit_intercept)
        self.counts = np.zeros(self.n_arms, dtype=np.int64)
        self._inverse = np.tile(np.eye(p) / penalty, (self.n_arms, 1, 1))
        self._sums = np.zeros((self.n_arms, p))
        self._coef = np.zeros((self.n_arms, p))
        self._random = as_generator(random_state, "LinUCB")

    @property
    def coef_(self) -> np.ndarray:
        """(K, p) the weights of each arm's model."""
        return self._coef.copy()

    def predict(self, x: ArrayLike) -> np.ndarray:
        """(K,) the expected reward of each arm in a context."""
        return self._coef @ self._row(x)

    def scores(self, x: ArrayLike) -> np.ndarray:
        """(K,) the upper bounds (1)."""
        row = self._row(x)
        variance = (self._inverse @ row) @ row
        return self._coef @ row + self.alpha * np.sqrt(np.maximum(variance, 0.0))

    def choose(self, x: ArrayLike) -> int:
        """The arm for a context; at random among equally good ones."""
        scores = self.scores(x)
        best = np.flatnonzero(scores == scores.max())
        return int(best[0] if len(best) == 1 else self._random.choice(best))

    def learn(self, x: ArrayLike, arm: int, reward: float) -> Self:
        """What an arm earned in a context."""
        if not (is_whole(arm) and arm < self.n_arms):
            raise DataError(f"LinUCB: arms are 0 to {self.n_arms - 1}, got {arm!r}.")
        if not is_number(reward) and not isinstance(reward, (bool, np.bool_)):
            raise DataError(f"LinUCB: a reward must be a finite number, got {reward!r}.")
        row = self._row(x)
        moved = self._inverse[arm] @ row
        with np.errstate(over="ignore", invalid="ignore"):
            inverse = self._inverse[arm] - moved[:, None] * (moved / (1 + row @ moved))
            sums = self._sums[arm] + float(reward) * row
            coef = inverse @ sums
        if not np.isfinite(coef).all():
            raise DataError(
                f"LinUCB: a context of numbers up to {np.abs(row).max():g} and the reward {reward:g} give weights "
                "beyond the largest number. Give them in another unit."
            )
        self._inverse[arm], self._sums[arm], self._coef[arm] = inverse, sums, coef
        self.counts[arm] += 1
        return self

    def _row(self, x: ArrayLike) -> np.ndarray:
        try:
            row = np.asarray(x, dtype=np.float64).ravel()
        except (TypeError, ValueError):
            raise DataError(
                f"LinUCB: a context must be {self.n_features} finite numbers, got {x!r:.80}."
            ) from None
        if len(row) != self.n_features or not np.isfinite(row).all():
            raise DataError(f"LinUCB: a context must be {self.n_features} finite numbers, got {len(row)}.")
        if np.abs(row).max() > LARGEST:
            raise DataError(
                f"LinUCB: a context must be of numbers up to {LARGEST:g}, got {np.abs(row).max():g}."
            )
        return np.append(1.0, row) if self.fit_intercept else row

    def __repr__(self) -> str:
        return f"LinUCB({self.n_arms} arms, {self.n_features} features, {int(self.counts.sum())} pulls)"
