"""Agents for states that are numbers: values as weighted sums of features, with traces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError

from assay.core.parallel import end_if_abandoned
from assay.core.parameters import check_count
from assay.core.progress import progress
from assay.core.seeds import as_generator
from assay.errors import DataError, DegenerateError, DegenerateWarning, ParameterError, warn_user
from assay.reinforcement.environments import Environment
from assay.reinforcement.exploration import EpsilonGreedy, Exploration
from assay.reinforcement.features import RadialFeatures, TileCoding
from assay.reinforcement.outcomes import numbers_of
from assay.reinforcement.schedule import Schedule, as_schedule
from assay.reinforcement.traces import Traces
from assay.stats.checks import is_number, is_whole
from assay.types import RandomState

__all__ = ["LinearQLearning", "LinearSarsa", "semi_gradient_step"]

DIVERGED = 1e12  # a weight, in units of the largest reward, that only values which run away reach
LARGEST = 1e100  # weight, with which one can still count


def semi_gradient_step(
    theta: ArrayLike,
    gradient: ArrayLike,
    reward: float,
    value: float,
    next_value: float,
    discount: float,
    rate: float,
) -> tuple[np.ndarray, float]:
    r"""One step of temporal differences with any differentiable value: the new parameters, and the error.

    .. math:: \delta = r + \gamma V(s') - V(s), \qquad \theta \leftarrow \theta + \eta\,\delta\,\nabla V(s)

    Examples
    --------
    >>> from assay.reinforcement import semi_gradient_step
    >>> theta, phi, following = [0.5, -0.2], [1, 2], [1, 3]
    >>> value, next_value = 0.5 - 0.4, 0.5 - 0.6
    >>> new, error = semi_gradient_step(theta, phi, 1.0, value, next_value, 0.9, 0.1)
    >>> new.round(6), round(error, 6)
    (array([ 0.581, -0.038]), 0.81)

    See Also
    --------
    LinearSarsa

    References
    ----------
    - Sutton, R. S. (1988). Learning to predict by the methods of temporal differences. Machine Learning 3, 9-44.
    """
    try:
        weights, slope = numbers_of(theta), numbers_of(gradient)
        numbers = [float(numbers_of(v)) for v in (reward, value, next_value, discount, rate)]
    except (TypeError, ValueError):
        raise DataError("semi_gradient_step: weights, their gradient and all else must be numbers.") from None
    if weights.shape != slope.shape or not all(np.isfinite(v).all() for v in (weights, slope, numbers)):
        raise DataError(
            "semi_gradient_step: theta and gradient must be finite numbers of one shape, got "
            f"{weights.shape} and {slope.shape}."
        )
    earned, here, ahead, gamma, step = numbers
    delta = earned + gamma * ahead - here
    return weights + step * delta * slope, delta


class _LinearAgent:
    """What agents with linear values share: features of the state, weights for each action, traces."""

    on_policy: ClassVar[bool]
    theta_: np.ndarray

    def __init__(
        self,
        features: Callable[[Any], np.ndarray],
        n_actions: int,
        *,
        learning_rate: float | Schedule = 0.1,
        discount: float = 0.99,
        exploration: Any = None,
        fade: float = 0.0,
        random_state: RandomState = None,
    ):
        who = type(self).__name__
        if not callable(features):
            raise ParameterError(
                f"{who}: features must be a function of a state, such as TileCoding(...), got {features!r}."
            )
        check_count(who, "n_actions", n_actions)
        if not all(is_number(share) and 0 <= share <= 1 for share in (discount, fade)):
            raise ParameterError(f"{who}: discount and fade must be from 0 to 1.")
        self.features, self.n_actions, self.discount, self.fade = (
            features,
            int(n_actions),
            float(discount),
            float(fade),
        )
        self.learning_rate, self.random_state = learning_rate, random_state
        self.exploration = EpsilonGreedy(0.1) if exploration is None else exploration
        if not isinstance(self.exploration, Exploration):
            raise ParameterError(
                f"{who}: exploration must be EpsilonGreedy(...) or Softmax(...), got {exploration!r}."
            )
        self._rate = as_schedule(learning_rate, who, "learning_rate", 0.0, np.inf)
        self._random = as_generator(random_state, who)
        self._steps, self._episode = 0, 1
        self._traces, self._largest, self._warned = Traces(), 1.0, False
        self._last: dict[bytes, np.ndarray] = {}

    def action_values(self, state: Any) -> np.ndarray:
        """(A,) what the actions of a state are worth."""
        return self._values(self._described(state))

    def act(self, state: Any, *, explore: bool = True) -> int:
        """An action: by the exploration, or the best one."""
        values = self.action_values(state)
        if not explore:
            return int(np.argmax(values))
        n = self._episode if self.exploration.schedule.by == "episodes" else self._steps + 1
        chances = self.exploration.probabilities(values, n)
        return int(
            min(chances.cumsum().searchsorted(self._random.random(), side="right"), self.n_actions - 1)
        )

    def observe(
        self,
        state: Any,
        action: int,
        reward: float,
        next_state: Any,
        next_action: int | None = None,
        *,
        terminated: bool = False,
        truncated: bool = False,
    ) -> Self:
        """Learn from one step; as `QLearning.observe`."""
        self._check_step(action, reward)
        if next_action is not None:
            self._check_step(next_action, reward)
        here = self._described(state)
        following = 0.0 if terminated else self._following(self.action_values(next_state), next_action)
        rate = self._rate.now(self._steps + 1, self._steps + 1, self._episode)
        delta = float(reward) + self.discount * following - float(self._values(here)[action])
        self._largest = max(self._largest, abs(float(reward)), 1.0)
        self._check_divergence(self._improve(here, int(action), rate * delta))
        self._steps += 1
        if terminated or truncated:
            self._traces.clear()
            self._episode += 1
        return self

    def _described(self, state: Any) -> Any:
        """The features of a state, or the numbers of those that are 1; of the last two states they are remembered."""
        key = state.tobytes() if isinstance(state, np.ndarray) else None
        if key in self._last:
            return self._last[key]
        if isinstance(self.features, TileCoding):
            phi, count = self.features.active(state), self.features.n_features
        else:
            phi = self.features(state)
            if not isinstance(self.features, RadialFeatures):  # which checks the state itself
                phi = self._checked(phi, state)
            count = len(phi)
        if not hasattr(self, "theta_"):
            self.theta_ = np.zeros((self.n_actions, count))
        if key is not None:
            if len(self._last) > 1:
                del self._last[next(iter(self._last))]
            self._last[key] = phi
        return phi

    def _checked(self, given: Any, state: Any) -> np.ndarray:
        """What a function of features gave for a state: as many finite numbers as for the first one."""
        who = type(self).__name__
        try:
            phi = np.atleast_1d(numbers_of(given))
        except (TypeError, ValueError):
            phi = np.full(1, np.nan)
        if phi.ndim != 1 or not np.isfinite(phi).all():
            raise DataError(
                f"{who}: features must give finite numbers, gave {given!r:.80} for the state {state!r:.80}."
            )
        count = self.theta_.shape[1] if hasattr(self, "theta_") else len(phi)
        if len(phi) != count:
            raise DataError(
                f"{who}: features gave {len(phi)} numbers for the state {state!r:.80}, and {count} before."
            )
        return phi

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.n_actions} actions, {self._steps} steps learned from)"

    def _values(self, phi: np.ndarray) -> np.ndarray:
        if isinstance(self.features, TileCoding):
            return self.theta_[:, phi].sum(axis=1)
        return self.theta_ @ phi

    def _improve(self, phi: np.ndarray, action: int, step: float) -> np.ndarray:
        """Move the weights of this state and of those before it, by their traces; the weights that were moved."""
        fade = self.discount * self.fade
        if not isinstance(self.features, TileCoding):
            self.theta_ += step * self._traces.after(phi, action, self.theta_.shape, fade)
            return self.theta_
        places, strengths = self._traces.places(phi + action * self.theta_.shape[1], fade)
        weights = self.theta_.reshape(-1)
        np.add.at(weights, places, step * strengths)
        return weights[places]

    def _check_step(self, action: int, reward: float) -> None:
        if not (is_whole(action) and action < self.n_actions):
            raise DataError(f"{type(self).__name__}: actions are 0 to {self.n_actions - 1}, got {action!r}.")
        if not is_number(reward):
            raise DataError(f"{type(self).__name__}: a reward must be a finite number, got {reward!r}.")

    def _check_divergence(self, moved: np.ndarray) -> None:
        peak = float(np.abs(moved).max())
        if not peak < LARGEST:
            raise DegenerateError(
                "the weights have run away to numbers that are too large. Lower the learning rate, or the features.",
                who=type(self).__name__,
            )
        if not self._warned and not peak < DIVERGED * self._largest:
            self._warned = True
            reason = (
                "a rate that is too high"
                if self.on_policy
                else "learning of another policy than the one followed"
            )
            warn_user(
                f"{type(self).__name__}: the weights run away, which {reason} can cause. Lower the learning rate"
                + ("." if self.on_policy else ", or use LinearSarsa."),
                DegenerateWarning,
            )

    def _following(self, values: np.ndarray, next_action: int | None) -> float:
        """What follows is worth, by the values of the next state."""
        raise TypeError(f"{type(self).__name__} must define _following")

    def fit(self, environment: Any, n_episodes: int = 100, *, max_steps: int = 10_000) -> Self:
        """Learn from episodes in an environment with ``reset`` and ``step`` as Gymnasium has them.

        Parameters
        ----------
        environment : with ``reset(seed=None) -> (state, info)`` and ``step(action)`` -> (state, reward, terminated,
            truncated, info)
        n_episodes : int      max_steps : int, after which an episode is cut off
        """
        who = type(self).__name__
        for name, number in (("n_episodes", n_episodes), ("max_steps", max_steps)):
            if not is_whole(number, 1):
                raise ParameterError(f"{who}: {name} must be a whole number from 1 up, got {number!r}.")
        env = Environment(environment, who)
        count = getattr(getattr(environment, "action_space", None), "n", self.n_actions)
        if count != self.n_actions:
            raise ParameterError(
                f"{who}: n_actions is {self.n_actions}, and the environment has {count} actions."
            )
        returns, lengths = list[float](), list[int]()
        seed: int | None = int(self._random.integers(2**31))
        with progress(n_episodes, "episodes") as bar:
            for _ in range(n_episodes):
                end_if_abandoned()
                state = env.reset(seed)
                seed = None
                action: Any = self.act(state)
                total, length, over = 0.0, 0, False
                while not over:
                    after, reward, terminated, truncated = env.step(action)
                    length += 1
                    over = terminated or truncated or length >= max_steps
                    following = None if terminated else self.act(after)
                    cut = over and not terminated
                    self.observe(
                        state, action, reward, after, following, terminated=terminated, truncated=cut
                    )
                    total += self.discount ** (length - 1) * reward
                    state, action = after, following
                returns.append(total)
                lengths.append(length)
                bar.advance(1)
        self.returns_, self.lengths_ = np.array(returns), np.array(lengths)
        return self

    def fresh(self, random_state: RandomState = None) -> Self:
        """An agent with the same parameters that has learned nothing, with another seed."""
        return type(self)(
            self.features, self.n_actions, learning_rate=self.learning_rate, discount=self.discount,
            exploration=self.exploration, fade=self.fade, random_state=random_state,
        )  # fmt: skip

    @property
    def weights_(self) -> np.ndarray:
        """(A, F) what each feature adds to the worth of each action."""
        if not hasattr(self, "theta_"):
            raise NotFittedError(
                f"{type(self).__name__} has not learned yet. Call fit(environment), or observe(...)."
            )
        return self.theta_


class LinearSarsa(_LinearAgent):
    r"""Sarsa(lambda) for states that are numbers: values are weighted sums of features.

    .. math:: e \leftarrow \gamma\lambda e + \nabla Q(s, a), \qquad
              \theta \leftarrow \theta + \eta\,[r + \gamma Q(s', a') - Q(s, a)]\,e                     \quad (1)

    With tile coding the rate should be some tenth of 1 / tilings.

    Parameters
    ----------
    features : function of a state, such as TileCoding or RadialFeatures
    n_actions : int
    learning_rate : float or Schedule, default 0.1
    discount : float, default 0.99
    exploration : EpsilonGreedy or Softmax, default EpsilonGreedy(0.1)
    fade : float from 0 to 1, default 0.0, the lambda of traces
    random_state : seed

    Attributes
    ----------
    weights_ : (A, F)      returns_, lengths_ : of the episodes of fit

    Examples
    --------
    >>> from assay.reinforcement import LinearSarsa, TileCoding
    >>> agent = LinearSarsa(TileCoding([0.0], [1.0], bins=4, tilings=2), 2, learning_rate=0.25)
    >>> agent.observe([0.3], 1, 1.0, [0.9], terminated=True).action_values([0.3])
    array([0. , 0.5])

    See Also
    --------
    Sarsa, TileCoding, semi_gradient_step

    References
    ----------
    - Sutton, R. S. (1996). Generalization in reinforcement learning: successful examples using sparse coarse coding.
      Advances in Neural Information Processing Systems 8, 1038-1044.
    """

    on_policy = True

    def _following(self, values: np.ndarray, next_action: int | None) -> float:
        if next_action is None:
            raise ParameterError(
                f"{type(self).__name__}: observe needs next_action, the action that will be taken next."
            )
        return float(values[next_action])


class LinearQLearning(_LinearAgent):
    """Q-learning with linear values. It learns of the best actions while others are taken, and may then diverge.

    That it diverged is reported in a warning; `LinearSarsa` is the safe choice. Parameters as there.

    Examples
    --------
    >>> from assay.reinforcement import LinearQLearning, TileCoding
    >>> agent = LinearQLearning(TileCoding([0.0], [1.0], bins=4, tilings=2), 2, learning_rate=0.25)
    >>> agent.observe([0.3], 1, 1.0, [0.9]).action_values([0.3])
    array([0. , 0.5])

    See Also
    --------
    LinearSarsa, QLearning

    References
    ----------
    - Baird, L. (1995). Residual algorithms: reinforcement learning with function approximation. International
      Conference on Machine Learning, 30-37.
    """

    on_policy = False

    def _following(self, values: np.ndarray, next_action: int | None) -> float:
        return float(values.max())
