"""Agents whose values come from a network: any object with outputs, gradient and a vector of weights."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from assay.errors import DataError, ParameterError
from assay.reinforcement.linear_agents import LinearQLearning, LinearSarsa, _LinearAgent
from assay.reinforcement.outcomes import numbers_of
from assay.reinforcement.schedule import Schedule
from assay.types import RandomState

__all__ = ["NetworkQLearning", "NetworkSarsa"]


class _NetworkAgent(_LinearAgent):
    """Values of all actions as the outputs of one network; the rest as of agents with linear values."""

    def __init__(
        self,
        network: Any,
        *,
        learning_rate: float | Schedule = 0.01,
        discount: float = 0.99,
        exploration: Any = None,
        fade: float = 0.0,
        random_state: RandomState = None,
    ):
        who = type(self).__name__
        lacking = [name for name in ("outputs", "gradient", "copy", "theta") if not hasattr(network, name)]
        if lacking:
            raise ParameterError(
                f"{who}: network must be a Network with its weights drawn (input_shape=), got {type(network).__name__} "
                f"without {lacking[0]}."
            )
        n_actions = int(network.output_shape[-1])
        super().__init__(
            self._row, n_actions, learning_rate=learning_rate, discount=discount, exploration=exploration, fade=fade,
            random_state=random_state,
        )  # fmt: skip
        self._first = network
        self.network = network.copy()
        self.theta_ = self.network.theta

    def _described(self, state: Any) -> np.ndarray:
        return self._row(state)[None]

    def _row(self, state: Any) -> np.ndarray:
        try:
            return np.atleast_1d(numbers_of(state))
        except (TypeError, ValueError):
            raise DataError(
                f"{type(self).__name__}: a state must be a row of numbers, got {state!r:.80}."
            ) from None

    def _values(self, phi: np.ndarray) -> np.ndarray:
        values: np.ndarray = self.network.outputs(phi)[0]
        return values

    def _improve(self, phi: np.ndarray, action: int, step: float) -> np.ndarray:
        gradient = self.network.gradient(phi, np.eye(self.n_actions)[[action]])
        theta: np.ndarray = self.network.theta
        theta += step * self._traces.add(gradient, self.discount * self.fade)
        return theta

    def fresh(self, random_state: RandomState = None) -> Self:
        """An agent with the same parameters and first weights that has learned nothing, with another seed."""
        return type(self)(
            self._first, learning_rate=self.learning_rate, discount=self.discount, exploration=self.exploration,
            fade=self.fade, random_state=random_state,
        )  # fmt: skip


class NetworkSarsa(_NetworkAgent, LinearSarsa):
    r"""Sarsa(lambda) with a network that gives the worth of every action in a state.

    .. math:: e \leftarrow \gamma\lambda e + \nabla_\theta Q(s, a), \qquad
              \theta \leftarrow \theta + \eta\,[r + \gamma Q(s', a') - Q(s, a)]\,e                     \quad (1)

    States are rows of numbers; the network has one output for each action. The one that is given stays as it is.

    Parameters
    ----------
    network : assay.neural.Network with input_shape
    learning_rate : float or Schedule, default 0.01
    discount : float, default 0.99
    exploration : EpsilonGreedy or Softmax, default EpsilonGreedy(0.1)
    fade : float from 0 to 1, default 0.0, the lambda of traces
    random_state : seed

    Attributes
    ----------
    network : with what was learned      returns_, lengths_ : of the episodes of fit

    Examples
    --------
    >>> from assay.neural import Dense, Network
    >>> from assay.reinforcement import NetworkSarsa
    >>> agent = NetworkSarsa(Network([Dense(8, "tanh"), Dense(2)], input_shape=1, random_state=0), learning_rate=0.1)
    >>> before = agent.action_values([0.3])[1]
    >>> bool(agent.observe([0.3], 1, 1.0, [0.9], terminated=True).action_values([0.3])[1] > before)
    True

    See Also
    --------
    LinearSarsa, semi_gradient_step

    References
    ----------
    - Tesauro, G. (1995). Temporal difference learning and TD-Gammon. Communications of the ACM 38(3), 58-68.
      doi:10.1145/203330.203343
    """


class NetworkQLearning(_NetworkAgent, LinearQLearning):
    """Q-learning with a network. It may diverge, as with any function of the state, and says so; see `NetworkSarsa`.

    Examples
    --------
    >>> from assay.neural import Dense, Network
    >>> from assay.reinforcement import NetworkQLearning
    >>> agent = NetworkQLearning(Network([Dense(2)], input_shape=1, random_state=0), learning_rate=0.5)
    >>> before = agent.action_values([1.0])[0]
    >>> bool(agent.observe([1.0], 0, 5.0, [0.0], terminated=True).action_values([1.0])[0] > before)
    True

    See Also
    --------
    NetworkSarsa, LinearQLearning

    References
    ----------
    - Baird, L. (1995). Residual algorithms: reinforcement learning with function approximation. International
      Conference on Machine Learning, 30-37.
    """
