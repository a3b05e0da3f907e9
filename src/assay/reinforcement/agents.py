"""Agents that learn the worth of actions: Q-learning, Sarsa, expected Sarsa, double Q-learning."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.reinforcement.tabular_agent import TabularAgent

__all__ = ["DoubleQLearning", "ExpectedSarsa", "QLearning", "Sarsa"]


class QLearning(TabularAgent):
    r"""Learn what actions are worth if one goes on with the best ones, whatever one does meanwhile (Watkins 1989).

    .. math:: Q(s, a) \leftarrow Q(s, a) + \eta\,[r + \gamma\max_{a'} Q(s', a') - Q(s, a)]              \quad (1)

    It converges if every pair is visited again and again and the rates add up to infinity while their squares do not
    (``Schedule.power(0.7)``). With ``learning_rate=1`` it is the rule for rewards and actions without chance. With
    ``fade`` above 0 it is Watkins' Q(lambda): rewards reach earlier pairs at once, until an action is taken that is
    not the best. With ``planning_steps`` it is Dyna-Q: it also learns from the last outcome of pairs drawn at random.

    Parameters
    ----------
    learning_rate : float from 0 to 1, or Schedule, default 0.1
    discount : float, default None
        None takes that of the MDP, or 0.99.
    exploration : EpsilonGreedy or Softmax, default EpsilonGreedy(0.1)
    fade : float from 0 to 1, default 0.0
        Lambda, the share of a trace that is left after a step, beside the discount.
    trace : "replacing" or "accumulating", default "replacing"
    planning_steps : int, default 0
        Steps from memory after each real one.
    lookahead : int, default 1
        Rewards until a pair learns; of agents that learn of what they do: `Sarsa`, `ExpectedSarsa`.
    initial : float, default 0.0
        What every action is thought to be worth at first; high values make it try everything.
    random_state : seed

    Attributes
    ----------
    q_, visits_, values_, policy_, returns_, lengths_, episodes_ : see TabularAgent

    Examples
    --------
    >>> from assay.reinforcement import GridWorld, QLearning
    >>> world = GridWorld("..G\n...\n...", goal_reward=100)
    >>> agent = QLearning(learning_rate=1.0, random_state=0).fit(world, 500)
    >>> world.on_grid(agent.values_).round(1)
    array([[ 90. , 100. ,   0. ],
           [ 81. ,  90. , 100. ],
           [ 72.9,  81. ,  90. ]])

    See Also
    --------
    Sarsa, MDP, Schedule

    References
    ----------
    - Watkins, C. J. C. H. and Dayan, P. (1992). Q-learning. Machine Learning 8, 279-292.
    - Sutton, R. S. (1990). Integrated architectures for learning, planning, and reacting based on approximating dynamic
      programming. International Conference on Machine Learning, 216-224.
    """

    rule = 0
    on_policy = False

    def _target(self, after: int, following: int | None, ended: bool) -> float:
        return 0.0 if ended else float(self.action_values(after).max())


class Sarsa(TabularAgent):
    r"""Learn what actions are worth if one goes on exploring as one does (Rummery and Niranjan 1994).

    .. math:: Q(s, a) \leftarrow Q(s, a) + \eta\,[r + \gamma Q(s', a') - Q(s, a)]                        \quad (1)

    with the action a' that is taken next; with ``fade`` above 0 Sarsa(lambda). With ``lookahead`` of n a pair learns n
    steps later, from the n rewards in between and what follows them: more at once, with more chance in it. Other
    parameters as in `QLearning`.

    Examples
    --------
    >>> from assay.reinforcement import EpsilonGreedy, GridWorld, Sarsa, Schedule
    >>> world = GridWorld("..G\n...\nS..", goal_reward=100)
    >>> fewer = EpsilonGreedy(Schedule.exponential(0.5, 0.99))
    >>> agent = Sarsa(0.2, exploration=fewer, fade=0.8, random_state=0).fit(world, 1000)
    >>> world.simulate(agent.policy_, random_state=0).returns(0.9).round(1)
    array([72.9])

    See Also
    --------
    QLearning, ExpectedSarsa

    References
    ----------
    - Rummery, G. A. and Niranjan, M. (1994). On-line Q-learning using connectionist systems. Technical report,
      Cambridge University Engineering Department.
    """

    rule = 1

    def _target(self, after: int, following: int | None, ended: bool) -> float:
        if ended:
            return 0.0
        if following is None:
            raise ParameterError("Sarsa: observe needs next_action, the action that will be taken next.")
        return float(self._table[after, following])


class ExpectedSarsa(TabularAgent):
    r"""Sarsa with the mean over what may be done next, instead of what happens to be done (van Seijen et al. 2009).

    .. math:: Q(s, a) \leftarrow Q(s, a) + \eta\,[r + \gamma\sum_{a'} P(a'|s')\,Q(s', a') - Q(s, a)]      \quad (1)

    with the probabilities of the exploration. Parameters as in `Sarsa`.

    Examples
    --------
    >>> from assay.reinforcement import ExpectedSarsa, GridWorld
    >>> world = GridWorld("S.G", goal_reward=10)
    >>> agent = ExpectedSarsa(0.5, random_state=0).fit(world, 200)
    >>> [world.actions[a] for a in agent.policy_[:2]]
    ['right', 'right']

    See Also
    --------
    Sarsa, QLearning

    References
    ----------
    - van Seijen, H., van Hasselt, H., Whiteson, S. and Wiering, M. (2009). A theoretical and empirical analysis of
      Expected Sarsa. IEEE Symposium on Adaptive Dynamic Programming and Reinforcement Learning, 177-184.
    """

    rule = 2

    def _target(self, after: int, following: int | None, ended: bool) -> float:
        if ended:
            return 0.0
        chances = self._explored(self.action_values(after))
        return float(chances[chances > 0] @ self._table[after][chances > 0])


class DoubleQLearning(TabularAgent):
    r"""Q-learning without its optimism: one table chooses the best action, another says what it is worth.

    .. math:: Q_1(s, a) \leftarrow Q_1(s, a)
              + \eta\,[r + \gamma\,Q_2(s', \arg\max_{a'} Q_1(s', a')) - Q_1(s, a)]                    \quad (1)

    and the other way round, in turns at random (van Hasselt 2010). The maximum of noisy values is too high on average;
    (1) is not. ``q_`` is the mean of both tables. Parameters as in `QLearning`, without ``fade``.

    Examples
    --------
    >>> from assay.reinforcement import DoubleQLearning, GridWorld
    >>> world = GridWorld("S.G", goal_reward=10)
    >>> agent = DoubleQLearning(0.5, random_state=0).fit(world, 300)
    >>> [world.actions[a] for a in agent.policy_[:2]]
    ['right', 'right']

    See Also
    --------
    QLearning

    References
    ----------
    - van Hasselt, H. (2010). Double Q-learning. Advances in Neural Information Processing Systems 23, 2613-2621.
    """

    rule = 3
    on_policy = False

    def _check(self) -> None:
        super()._check()
        if self.fade:
            raise ParameterError("DoubleQLearning: there are no traces of two tables; leave fade at 0.")

    def _settle(self) -> None:
        self.q_, self.visits_ = (self._table + self._second) / 2, self._counts

    def _update(
        self, pair: Any, reward: float, after: int, following: int | None, ended: bool, rate: float
    ) -> None:
        updated, other = self._table, self._second
        if self._random.random() < 0.5:
            updated, other = other, updated
        best = int(np.argmax(np.where(self._possible[after], updated[after], -np.inf)))
        following_value = 0.0 if ended else other[after, best]
        updated[pair] += rate * (reward + self._gamma * following_value - updated[pair])

    def _target(self, after: int, following: int | None, ended: bool) -> float:
        return 0.0 if ended else float(self.action_values(after).max())
