"""Finite Markov decision processes: states, actions, what they lead to, and what that is worth."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

import assay.reinforcement._sweeps as _sweeps
from assay.core.parameters import check_count
from assay.core.seeds import as_generator
from assay.errors import DataError, ParameterError
from assay.reinforcement.episodes import Episodes
from assay.reinforcement.outcomes import (
    checked_discount,
    listed,
    names_of,
    numbers_of,
    outcomes_of,
    reached,
    rewards_of,
    some_of,
)
from assay.reinforcement.solution import Solution
from assay.types import RandomState, SparseLike

__all__ = ["MDP"]

ROUNDING = 1e-8  # by which the probabilities of an action may miss 1


class MDP:
    r"""A finite Markov decision process.

    In state s the action a leads to s' with probability :math:`P(s'|s, a)` and earns a reward. What a state is worth,
    if one goes on as well as possible (Bellman 1957):

    .. math:: V^*(s) = \max_a Q^*(s, a), \qquad
              Q^*(s, a) = E[r|s, a] + \gamma\sum_{s'} P(s'|s, a)\,V^*(s')                              \quad (1)

    A terminal state ends the process: it is worth 0 and nothing follows; rewards are those of entering it. Transitions
    are kept sparse, so that memory grows with the outcomes that are possible.

    Parameters
    ----------
    transitions : (S, A, S) array, or a list of A arrays or sparse matrices, (S, S)
        Probabilities. A row of zeros says that the action cannot be taken in that state.
    rewards : (S, A) expected rewards; or (S,), or as transitions, the reward of each outcome
    discount : float from 0 to 1, default 0.9
        What a reward is worth one step later. 1 needs a terminal state that every state can reach.
    terminal : list of states, default None
    start : (S,) probabilities, or one state, default None
        Where episodes begin; None begins in all states alike that are not terminal.
    states, actions : list of names, default None
        None numbers them from 0.

    Examples
    --------
    Two states; to stay in the second is worth two a step:

    >>> from assay.reinforcement import MDP
    >>> stay, go = [[1, 0], [0, 1]], [[0, 1], [1, 0]]
    >>> process = MDP([stay, go], [[1, 0], [2, 0]], discount=0.9, actions=["stay", "go"])
    >>> best = process.solve()
    >>> best.values.round(6), best.actions
    (array([18., 20.]), ['go', 'stay'])

    See Also
    --------
    GridWorld, QLearning, POMDP

    References
    ----------
    - Bellman, R. (1957). Dynamic Programming. Princeton University Press.
    - Puterman, M. L. (1994). Markov Decision Processes: Discrete Stochastic Dynamic Programming. Wiley.
    """

    def __init__(
        self,
        transitions: ArrayLike | Sequence[SparseLike],
        rewards: ArrayLike | Sequence[SparseLike],
        discount: float = 0.9,
        *,
        terminal: Sequence[Hashable] | None = None,
        start: ArrayLike | None = None,
        states: Sequence[Hashable] | None = None,
        actions: Sequence[Hashable] | None = None,
    ):
        self.discount = checked_discount(discount)
        row, column, chance, shape = outcomes_of(transitions)
        S, A = shape
        self.states, self.actions = names_of(states, S, "states"), names_of(actions, A, "actions")
        self._number = {name: i for i, name in enumerate(self.states)}
        self.terminal = np.zeros(S, dtype=bool)
        ends = [] if terminal is None else listed(terminal, "MDP", "terminal must be a list of states")
        self.terminal[[self.state_number(s) for s in ends]] = True
        earned = rewards_of(rewards, row, column, S, A)
        keep = (chance != 0) & ~self.terminal[row // A]
        row, column, chance, earned = row[keep], column[keep], chance[keep], earned[keep]
        order = np.lexsort((column, row))
        row, self._next = row[order], np.ascontiguousarray(column[order], dtype=np.int64)
        self._chance, self._earned = chance[order], earned[order]
        self._begin = np.searchsorted(row, np.arange(S * A + 1)).astype(np.int64)
        self.available = (np.diff(self._begin) > 0).reshape(S, A)
        self._check_rows(row)
        self.rewards = np.bincount(row, self._chance * self._earned, minlength=S * A).reshape(S, A)
        self.start = self._start(start)
        if self.discount == 1:
            self._check_ends()

    @classmethod
    def from_gymnasium(cls, environment: Any, discount: float = 0.99) -> MDP:
        """The process of a Gymnasium environment that shows its table of outcomes ``P``, as its toy texts do.

        A state at which the process ends, and only ever ends, is terminal; where it may also go on from there, what
        ends leads to one more state, "end".

        Examples
        --------
        >>> from assay.reinforcement import MDP
        >>> class Corridor:                                                 # as gymnasium.make("FrozenLake-v1")
        ...     P = {0: {0: [(1.0, 1, 0.0, False)]}, 1: {0: [(1.0, 2, 5.0, True)]}, 2: {0: [(1.0, 2, 0.0, True)]}}
        >>> MDP.from_gymnasium(Corridor(), discount=0.9).solve().values
        array([4.5, 5. , 0. ])
        """
        from assay.reinforcement.process_models import outcomes_of_gymnasium

        return cls(**outcomes_of_gymnasium(environment), discount=discount)

    # ------------------------------------------------------------------ what it is made of

    @property
    def n_states(self) -> int:
        """S, the number of states."""
        return len(self.states)

    @property
    def n_actions(self) -> int:
        """A, the number of actions."""
        return len(self.actions)

    def state_number(self, state: Hashable) -> int:
        """The number of a state by its name."""
        try:
            number = self._number.get(state)
        except TypeError:  # a list is no name
            number = None
        if number is None:
            raise ParameterError(f"MDP: there is no state {state!r}; states are {some_of(self.states)}.")
        return number

    def action_number(self, action: Hashable) -> int:
        """The number of an action by its name."""
        if action not in self.actions:
            raise ParameterError(f"MDP: there is no action {action!r}; actions are {some_of(self.actions)}.")
        return self.actions.index(action)

    def outcomes(self, state: Hashable, action: Hashable) -> list[tuple[Any, float, float]]:
        """The next states of an action, each with its probability and its reward."""
        i = self.state_number(state) * self.n_actions + self.action_number(action)
        some = slice(self._begin[i], self._begin[i + 1])
        return [
            (self.states[s], float(p), float(r))
            for s, p, r in zip(self._next[some], self._chance[some], self._earned[some])
        ]

    @cached_property
    def transition_matrix(self) -> sparse.csr_array:
        """(S A, S) the probabilities of the next state; row s A + a is action a in state s."""
        rows = np.repeat(np.arange(self.n_states * self.n_actions), np.diff(self._begin))
        shape = (self.n_states * self.n_actions, self.n_states)
        return sparse.coo_array((self._chance, (rows, self._next)), shape=shape).tocsr()

    @cached_property
    def _process(self) -> Any:
        return _sweeps.Process(
            begin=self._begin,
            next=self._next,
            chance=self._chance,
            reward=np.ascontiguousarray(self.rewards),
            discount=self.discount,
        )

    def unreachable(self) -> list[Any]:
        """The states that no episode can reach from where it starts."""
        within_reach = reached(self._source, self._next, np.flatnonzero(self.start), self.n_states)
        return [self.states[s] for s in np.flatnonzero(~within_reach)]

    @property
    def _source(self) -> np.ndarray:
        """The state of each outcome."""
        return np.repeat(np.arange(len(self._begin) - 1) // self.n_actions, np.diff(self._begin))

    # ------------------------------------------------------------------ values

    def q_values(self, values: ArrayLike) -> np.ndarray:
        """(S, A) what actions are worth by (1) if next states are worth ``values``; -inf if they cannot be taken."""
        V = self._checked_values(values)
        q = self.rewards + self.discount * (self.transition_matrix @ V).reshape(self.rewards.shape)
        return np.where(self.available, q, -np.inf)

    def evaluate(self, policy: Any) -> np.ndarray:
        """(S,) the values of a policy: what its states are worth if it is followed; by a system of linear equations.

        Parameters
        ----------
        policy : (S,) actions by number or name, or (S, A) probabilities of the actions
        """
        from assay.reinforcement.solving import evaluated

        return evaluated(self, self.policy_probabilities(policy))

    def solve(
        self,
        method: str = "auto",
        *,
        epsilon: float = 1e-6,
        max_iter: int = 100_000,
        in_place: bool | None = None,
        start: ArrayLike | None = None,
        history: bool = False,
    ) -> Solution:
        """The best policy and its values; with a discount of 1, the best of all policies that end sooner or later.

        Parameters
        ----------
        method : "auto", "value iteration", "policy iteration", "modified policy iteration", "linear programming"
            "auto" iterates policies where the equations of a policy are few; else values, or with a discount above
            0.99 values along policies (modified policy iteration).
        epsilon : float
            By how much a value may be wrong at most (with a discount of 1: by how much the last step may change it).
        max_iter : int
            Sweeps over all states, or improvements of a policy.
        in_place : bool, default None
            Whether sweeps of value iteration use new values at once (Gauss-Seidel), forwards and backwards in turns:
            often a tenth of the sweeps. None does, unless the history is kept, which is that of the textbooks.
        start : (S,) first values, or for policy iteration a first policy; None is 0 and the first actions
        history : bool
            Whether values (and policies) of every step are kept.

        Examples
        --------
        >>> from assay.reinforcement import GridWorld
        >>> GridWorld("..G\\n...\\nS..", goal_reward=100).solve().values.reshape(3, 3).round(1)
        array([[ 90. , 100. ,   0. ],
               [ 81. ,  90. , 100. ],
               [ 72.9,  81. ,  90. ]])
        """
        from assay.reinforcement.solving import solved

        return solved(self, method, epsilon, max_iter, in_place, start, history)

    # ------------------------------------------------------------------ policies and episodes

    def policy_probabilities(self, policy: Any) -> np.ndarray:
        """(S, A) a policy as probabilities of its actions."""
        S, A = self.rewards.shape
        given = policy.policy if isinstance(policy, Solution) else policy
        if (
            isinstance(given, (list, tuple))
            and len(given) == S
            and all(a in self.actions for a in given if a is not None)
        ):
            given = [-1 if a is None else self.action_number(a) for a in given]
        array = np.asarray(given)
        if array.shape == (S,) and array.dtype.kind in "iu":
            if not ((array >= -1) & (array < A)).all():
                raise ParameterError(
                    f"MDP: a policy must have actions from 0 to {A - 1}, got {some_of(array.tolist())}."
                )
            chances = np.zeros((S, A))
            chances[array >= 0, array[array >= 0]] = 1.0
        elif array.shape == (S, A) and array.dtype.kind in "biuf":
            chances = array.astype(np.float64)
        else:
            raise ParameterError(
                f"MDP: a policy must be an action for each of the {S} states, or (S, A) probabilities, got an array of "
                f"the shape {array.shape}."
            )
        self._check_policy(chances)
        return np.where(self.terminal[:, None], 0.0, chances)

    def _check_policy(self, chances: np.ndarray) -> None:
        acting = ~self.terminal
        wrong = acting & ~((abs(chances.sum(axis=1) - 1) < ROUNDING) & (chances >= 0).all(axis=1))
        if wrong.any():
            s = int(np.argmax(wrong))
            raise ParameterError(
                f"MDP: the policy's probabilities in state {self.states[s]!r} must be from 0 up and sum to 1, got "
                f"{chances[s].tolist()}."
            )
        impossible = acting[:, None] & (chances > 0) & ~self.available
        if impossible.any():
            s, a = np.argwhere(impossible)[0]
            raise ParameterError(
                f"MDP: the policy takes action {self.actions[a]!r} in state {self.states[s]!r}, where it cannot be "
                "taken."
            )

    def simulate(
        self,
        policy: Any,
        n_episodes: int = 1,
        *,
        max_steps: int = 10_000,
        start: ArrayLike | None = None,
        random_state: RandomState = None,
    ) -> Episodes:
        """Follow a policy; what happened, step by step.

        Parameters
        ----------
        policy : as in ``evaluate``, or a Solution
        n_episodes : int
        max_steps : int, after which an episode is cut off (truncated, which is not the end of the process)
        start : state or (S,) probabilities, default those of the process
        random_state : seed

        Examples
        --------
        >>> from assay.reinforcement import GridWorld
        >>> world = GridWorld("..G\\n...\\nS..", goal_reward=100)
        >>> world.simulate(world.solve(), random_state=0).returns(0.9)
        array([72.9])
        """
        chances = self.policy_probabilities(policy)
        for name, number in (("n_episodes", n_episodes), ("max_steps", max_steps)):
            check_count("MDP.simulate", name, number)
        first = self.start if start is None else self._start(start)
        seed = int(as_generator(random_state, "MDP.simulate").integers(2**63))
        parts = _sweeps.walk(
            process=self._process,
            earned=self._earned,
            policy=np.cumsum(chances, axis=1),
            start=np.cumsum(first),
            episodes=int(n_episodes),
            most_steps=int(max_steps),
            seed=seed,
        )
        return Episodes(*parts, count=int(n_episodes))

    # ------------------------------------------------------------------ checks

    def _checked_values(self, values: ArrayLike) -> np.ndarray:
        try:
            V = numbers_of(values)
        except (TypeError, ValueError):
            V = np.zeros(0)
        if V.shape != (self.n_states,) or not np.isfinite(V).all():
            raise ParameterError(f"MDP: values must be {self.n_states} finite numbers, one for each state.")
        return V

    def _check_rows(self, row: np.ndarray) -> None:
        S, A = len(self.states), len(self.actions)
        if not (np.isfinite(self._chance).all() and np.isfinite(self._earned).all()):
            raise DataError("MDP: probabilities and rewards must be finite numbers.")
        total = np.bincount(row, self._chance, minlength=S * A)
        negative = self._chance < 0
        wrong = (np.diff(self._begin) > 0) & ~(abs(total - 1) < ROUNDING)
        wrong[row[negative]] = True
        if wrong.any():
            i = int(np.argmax(wrong))
            raise DataError(
                f"MDP: the probabilities of what follows action {self.actions[i % A]!r} in state "
                f"{self.states[i // A]!r} must be from 0 up and sum to 1; they sum to {total[i]:g}."
            )
        self._chance = self._chance / total[row]
        stuck = ~self.terminal & ~self.available.any(axis=1)
        if stuck.any():
            raise DataError(
                f"MDP: no action can be taken in state {self.states[int(np.argmax(stuck))]!r}. Say that it is "
                "terminal, or give its transitions."
            )

    def _start(self, start: Any) -> np.ndarray:
        S = len(self.states)
        if start is None:
            acting = ~self.terminal
            return (acting if acting.any() else np.ones(S, dtype=bool)) / max(int(acting.sum()), 1)
        try:
            known = start in self._number
        except TypeError:  # an array or a list
            known = False
        if known:
            return np.eye(1, S, self._number[start])[0]
        try:
            chances = numbers_of(start)
        except (TypeError, ValueError):
            chances = np.zeros(0)
        if chances.shape != (S,) or not (chances >= 0).all() or not abs(chances.sum() - 1) < ROUNDING:
            raise ParameterError(
                f"MDP: start must be a state or {S} probabilities that sum to 1, got {start!r}."
            )
        return chances / chances.sum()

    def _check_ends(self) -> None:
        """With a discount of 1 every state must be able to reach a terminal one, or sums of rewards have no limit."""
        ended = reached(self._next, self._source, np.flatnonzero(self.terminal), self.n_states)  # backwards
        if not ended.all():
            raise ParameterError(
                f"MDP: with discount=1 every state must be able to reach a terminal state, and "
                f"{self.states[int(np.argmin(ended))]!r} cannot, so that its rewards have no finite sum. Give a "
                "discount below 1, or terminal states."
            )

    def __repr__(self) -> str:
        ends = int(self.terminal.sum())
        return (
            f"{type(self).__name__}({self.n_states} states, {self.n_actions} actions, {len(self._chance)} outcomes, "
            f"{ends} terminal, discount={self.discount:g})"
        )
