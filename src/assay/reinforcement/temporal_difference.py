"""What states are worth under a policy, learned from its steps."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.reinforcement.learned_values import LearnedValues
from assay.reinforcement.mdp import MDP
from assay.reinforcement.schedule import Schedule
from assay.reinforcement.tabular_agent import TabularAgent
from assay.types import RandomState

__all__ = ["TemporalDifference"]


class TemporalDifference(TabularAgent):
    r"""TD(lambda): what states are worth if a policy is followed (Sutton 1988).

    .. math:: V(s) \leftarrow V(s) + \eta\,\delta\,e(s), \qquad \delta = r + \gamma V(s') - V(s)          \quad (1)

    Each state learns from the next one, before the outcome is known. ``fade`` is lambda: 0 learns for the last state
    alone, 1 for all earlier ones of the episode, as averages of whole returns (Monte Carlo) do.

    Parameters
    ----------
    policy : (S,) actions, (S, A) probabilities, or a Solution; default None
        None takes every action alike.
    learning_rate, discount, fade, trace, lookahead, initial, random_state : as in Sarsa

    Attributes
    ----------
    values_ : (S,) what each state is worth      visits_ : (S, 1)
    returns_, lengths_, episodes_ : see TabularAgent

    Examples
    --------
    A walk at random between two ends, of which the right one earns 1:

    >>> import numpy as np
    >>> from assay.reinforcement import MDP, Schedule, TemporalDifference
    >>> walk = np.eye(7, k=1) / 2 + np.eye(7, k=-1) / 2
    >>> process = MDP([walk], [2 * walk * (np.arange(7) == 6)], 1, terminal=[0, 6], start=3)
    >>> learned = TemporalDifference(learning_rate=Schedule.power(0.7), random_state=0).fit(process, 20_000)
    >>> bool(abs(learned.values_[1:6] - np.arange(1, 6) / 6).max() < 0.03)
    True

    See Also
    --------
    QLearning, MDP

    References
    ----------
    - Sutton, R. S. (1988). Learning to predict by the methods of temporal differences. Machine Learning 3, 9-44.
    """

    rule = 4

    def __init__(
        self,
        policy: Any = None,
        learning_rate: float | Schedule = 0.1,
        *,
        discount: float | None = None,
        fade: float = 0.0,
        trace: str = "replacing",
        lookahead: int = 1,
        initial: float = 0.0,
        random_state: RandomState = None,
    ):
        super().__init__(
            learning_rate,
            discount=discount,
            fade=fade,
            trace=trace,
            lookahead=lookahead,
            initial=initial,
            random_state=random_state,
        )
        self.policy = policy

    def fit(self, environment: Any, n_episodes: int | None = None, **settings: Any) -> Any:  # type: ignore[override]
        """Follow the policy, and learn; parameters as of QLearning.fit. The environment must be an MDP."""
        if not isinstance(environment, MDP):
            raise ParameterError(
                "TemporalDifference: fit follows a policy of an MDP. In other environments act by yourself, and tell "
                "it by observe."
            )
        self._chances = self._given_policy(environment)
        return super().fit(environment, n_episodes, **settings)

    def _given_policy(self, mdp: MDP) -> np.ndarray:
        if self.policy is None:
            return mdp.available / np.maximum(mdp.available.sum(axis=1, keepdims=True), 1)
        return mdp.policy_probabilities(self.policy)

    def _followed(self, mdp: MDP) -> np.ndarray:
        return np.cumsum(self._chances, axis=1)

    def act(self, state: int, *, explore: bool = True) -> int:
        """An action of the policy."""
        self._ready()
        sums = np.cumsum(self._chances[self._state(state, "state")])
        return int(np.searchsorted(sums, self._random.random() * sums[-1], side="right"))

    def begin(self, n_states: int, n_actions: int, **settings: Any) -> Any:
        """Make ready for steps one by one; without a fitted policy, all actions that can be taken alike."""
        super().begin(n_states, n_actions, **settings)
        if getattr(self, "_chances", np.zeros(0)).shape != self._possible.shape:
            self._chances = self._possible / np.maximum(self._possible.sum(axis=1, keepdims=True), 1)
        return self

    def _table_shape(self, n_states: int, n_actions: int) -> tuple[int, int]:
        return n_states, 1

    def _place(self, state: int, action: int) -> tuple[int, int]:
        return super()._place(state, action)[0], 0

    def _target(self, after: int, following: int | None, ended: bool) -> float:
        return 0.0 if ended else float(self._table[after, 0])

    def explain(self, state: Hashable) -> LearnedValues:
        """What a state is worth by what was learned, and what the policy does there.

        Parameters
        ----------
        state : its name in the `MDP` of ``fit``, else its number
        """
        at, (_, names) = self._numbered(state), self._names
        able = np.flatnonzero(self._possible[at])
        actions: list[tuple[Any, float | None, int | None, float]] = [
            (names[a], None, None, float(self._chances[at, a])) for a in able
        ]
        return LearnedValues(state, float(self.values_[at]), int(self.visits_[at].sum()), actions, [])

    @property
    def values_(self) -> np.ndarray:
        """(S,) what each state is worth; 0 where nothing can be done."""
        self._ready()
        return np.where(self._possible.any(axis=1), self._table[:, 0], 0.0)

    @property
    def policy_(self) -> np.ndarray:
        """(S, A) the policy that is followed, as probabilities."""
        return self._chances
