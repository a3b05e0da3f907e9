"""What agents share that learn a table of values by experience."""

from __future__ import annotations

from collections.abc import Hashable
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import NotFittedError

import assay.reinforcement._experience as _experience
from assay.core.parallel import end_if_abandoned
from assay.core.parameters import check_count
from assay.core.progress import progress
from assay.core.seeds import as_generator
from assay.errors import DataError, DegenerateError, ParameterError
from assay.reinforcement.environments import NumberedEnvironment
from assay.reinforcement.episodes import Episodes
from assay.reinforcement.exploration import EpsilonGreedy, Exploration
from assay.reinforcement.learned_values import LearnedValues
from assay.reinforcement.mdp import MDP
from assay.reinforcement.outcomes import some_of
from assay.reinforcement.schedule import Schedule, as_schedule
from assay.reinforcement.solution import best_actions
from assay.stats.checks import is_number, is_whole
from assay.types import RandomState

__all__ = ["TabularAgent"]

TRACES = ("replacing", "accumulating")
MOST_PAIRS = 10**9  # of states and actions in a table of values
STEPS_AT_A_TIME = 2_000_000  # between two looks at whether the user gave up


class TabularAgent:
    """An agent with a value for every pair of state and action, which learns from each step it takes.

    ``fit`` takes an `MDP` (native, tens of nanoseconds a step) or an environment with ``reset`` and ``step`` as
    Gymnasium has them, whose states and actions are numbered. In a loop of your own: ``begin``, ``act``, ``observe``.

    Attributes
    ----------
    q_ : (S, A) what each action is worth      visits_ : (S, A) how often it was taken
    returns_ : (n,) discounted rewards of each episode      lengths_ : (n,) its steps
    episodes_ : Episodes, every step, if ``record`` was asked for
    """

    _names: tuple[list[Any], list[Any]]  # of the states and the actions
    rule: ClassVar[int]
    on_policy: ClassVar[bool] = True

    def __init__(
        self,
        learning_rate: float | Schedule = 0.1,
        *,
        discount: float | None = None,
        exploration: Any = None,
        fade: float = 0.0,
        trace: str = "replacing",
        planning_steps: int = 0,
        lookahead: int = 1,
        initial: float = 0.0,
        random_state: RandomState = None,
    ):
        self.learning_rate = learning_rate
        self.discount = discount
        self.exploration = exploration
        self.fade = fade
        self.trace = trace
        self.planning_steps = planning_steps
        self.lookahead = lookahead
        self.initial = initial
        self.random_state = random_state

    def fresh(self, random_state: RandomState = None) -> Self:
        """An agent with the same parameters that has learned nothing, with another seed: for runs to be compared."""
        names = [name for name in signature(type(self)).parameters if name != "random_state"]
        return type(self)(**{name: getattr(self, name) for name in names}, random_state=random_state)

    def __repr__(self) -> str:
        defaults = signature(type(self)).parameters
        changed = [
            f"{name}={getattr(self, name)!r}"
            for name, p in defaults.items()
            if repr(getattr(self, name)) != repr(p.default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    # ------------------------------------------------------------------ a whole course

    def fit(
        self,
        environment: Any,
        n_episodes: int | None = None,
        *,
        n_steps: int | None = None,
        max_steps: int = 10_000,
        record: bool = False,
    ) -> Self:
        """Begin anew, and learn from episodes.

        Parameters
        ----------
        environment : MDP, or an object with ``reset()`` and ``step(action)`` as of Gymnasium
            States and actions are numbered, from 0 or from the ``start`` of its spaces; ``q_`` has the first at 0.
        n_episodes, n_steps : int
            How many; one of both, or the first that is reached. Default 1000 episodes.
        max_steps : int
            After which an episode is cut off. What would have followed still counts.
        record : bool
            Whether every step is kept in ``episodes_``.
        """
        episodes, steps, max_steps = self._amounts(n_episodes, n_steps, max_steps)
        known = isinstance(environment, MDP)
        if known:
            gamma = environment.discount if self.discount is None else self.discount
            self.begin(*environment.rewards.shape, discount=gamma, available=environment.available)
            self._names = environment.states, environment.actions
            self._in_process(environment, episodes, steps, max_steps, record)
        else:
            numbered = NumberedEnvironment(environment, type(self).__name__)
            self.begin(numbered.n_states, numbered.n_actions, discount=self.discount)
            self._in_environment(numbered, episodes, steps, max_steps, record)
        if not np.isfinite(self.q_).all():
            self._refuse_values()
        return self

    def _refuse_values(self) -> None:
        raise DegenerateError(
            "what actions are worth has grown beyond the largest number. Give the rewards in another unit.",
            who=type(self).__name__,
        )

    def _amounts(self, n_episodes: Any, n_steps: Any, max_steps: Any) -> tuple[int, int, int]:
        who = type(self).__name__
        for name, number in (("n_episodes", n_episodes), ("n_steps", n_steps), ("max_steps", max_steps)):
            whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
            needed = number is not None or name == "max_steps"
            if needed and not (whole and number >= 1):
                raise ParameterError(f"{who}: {name} must be a whole number from 1 up, got {number!r}.")
        if n_episodes is None and n_steps is None:
            n_episodes = 1000
        endless = int(np.iinfo(np.int64).max) // 4
        given = (n_episodes or endless, n_steps or endless, max_steps)
        episodes, steps, longest = (min(int(number), endless) for number in given)
        return episodes, steps, longest

    def _in_process(self, mdp: MDP, episodes: int, steps: int, max_steps: int, record: bool) -> None:
        done, parts = np.zeros(2, dtype=np.int64), list[Any]()
        tables: dict[str, Any] = {
            "world": self._world(mdp),
            "rule": self._native_rule(),
            "q": self._table,
            "q2": self._second,
            "visits": self._counts,
            "policy": self._followed(mdp),
            "words": self._words(),
            "most_steps": max_steps,
            "done": done,
            "log": record,
        }
        with progress(steps if steps < 2**60 else episodes, "steps" if steps < 2**60 else "episodes") as bar:
            while done[1] < episodes and done[0] < steps:
                end_if_abandoned()
                before = done.copy()
                some = min(episodes - int(done[1]), max(1, STEPS_AT_A_TIME // max_steps))
                left = steps - int(done[0])
                parts.append(_experience.experience(**tables, episodes=some, all_steps=left))
                bar.advance(int(done[0] - before[0] if steps < 2**60 else done[1] - before[1]))
                if done[0] == before[0]:  # every start is terminal
                    break
        self._keep(parts, done, record)

    def _keep(self, parts: list[Any], done: np.ndarray, record: bool) -> None:
        self._steps, self._episode = int(done[0]), int(done[1]) + 1
        columns = [np.concatenate(part) for part in zip(*parts)]
        self.returns_, self.lengths_ = columns[0], columns[1]
        if record:
            first = np.cumsum([0, *(len(part[0]) for part in parts)])[:-1]
            columns[2] = np.concatenate([part[2] + shift for part, shift in zip(parts, first)])
            self.episodes_ = Episodes(*columns[2:])
        self._settle()

    def _in_environment(
        self, env: NumberedEnvironment, episodes: int, steps: int, max_steps: int, record: bool
    ) -> None:
        returns, lengths, log = list[float](), list[int](), list[tuple[Any, ...]]()
        seed: int | None = int(self._random.integers(2**31))
        companion = _experience.Companion(
            self._unknown_world(), self._native_rule(), self._table, self._second, self._counts, self._words()
        )
        gamma, taken = self._gamma, 0
        with progress(min(episodes, 2**60), "episodes") as bar:
            while len(returns) < episodes and taken < steps:
                end_if_abandoned()
                state = env.reset(seed)
                seed = None
                action = companion.begin(state)
                total, factor, length = 0.0, 1.0, 0
                while action >= 0:
                    after, reward, terminated, truncated = env.step(action)
                    length += 1
                    cut = truncated or length >= max_steps or taken + length >= steps
                    following = companion.step(reward, after, terminated, cut)
                    total += factor * reward
                    factor *= gamma
                    if record:
                        ended = (terminated, not terminated and cut)
                        log.append((len(returns), state, action, reward, after, *ended))
                    state, action = after, following
                taken += length
                returns.append(total)
                lengths.append(length)
                bar.advance(1)
        self._steps, self._episode = taken, len(returns) + 1
        self.returns_, self.lengths_ = np.array(returns), np.array(lengths)
        if record:
            kinds = (np.int64, np.int64, np.int64, np.float64, np.int64, np.uint8, np.uint8)
            self.episodes_ = Episodes(*(np.array(c, dtype=k) for c, k in zip(zip(*log), kinds)))
        self._settle()

    # ------------------------------------------------------------------ step by step

    def begin(
        self,
        n_states: int,
        n_actions: int,
        *,
        discount: float | None = None,
        available: np.ndarray | None = None,
    ) -> Self:
        """Make ready for steps one by one: nothing learned yet.

        Parameters
        ----------
        n_states, n_actions : int
        discount : float, default that of the agent, or 0.99
        available : (S, A) bool, default None
            Which actions can be taken in which state; None for all.
        """
        self._check()
        for name, number in (("n_states", n_states), ("n_actions", n_actions)):
            if not is_whole(number, 1):
                raise ParameterError(
                    f"{type(self).__name__}: {name} must be a whole number from 1 up, got {number!r}."
                )
        n_states, n_actions = int(n_states), int(n_actions)  # whose product is exact
        if n_states * n_actions > MOST_PAIRS:
            raise ParameterError(
                f"{type(self).__name__}: {n_states} states and {n_actions} actions are more pairs than a table holds "
                f"({MOST_PAIRS}). See LinearSarsa."
            )
        gamma = next(g for g in (discount, self.discount, 0.99) if g is not None)
        if not (is_number(gamma) and 0 <= gamma <= 1):
            raise ParameterError(
                f"{type(self).__name__}: discount must be a number from 0 to 1, got {gamma!r}."
            )
        self._gamma, self._steps, self._episode = float(gamma), 0, 1
        self._possible = np.ones((n_states, n_actions), dtype=bool)
        if available is not None:
            given = np.asarray(available)
            if given.shape != self._possible.shape or given.dtype != bool:
                raise ParameterError(
                    f"{type(self).__name__}: available must be ({n_states}, {n_actions}) of True and False, got "
                    f"{available!r:.80}."
                )
            self._possible = given
        self._table = np.full(self._table_shape(n_states, n_actions), float(self.initial))
        self._second = self._table.copy() if self.rule == 3 else np.zeros((0, 0))
        self._counts = np.zeros(self._table.shape, dtype=np.int64)
        self._traces = np.zeros(self._table.shape)
        self._model: dict[tuple[int, int], tuple[float, int, bool]] = {}
        self._pending: list[tuple[tuple[int, int], float]] = []
        self._names = list(range(n_states)), list(range(n_actions))
        self._random = as_generator(self.random_state, type(self).__name__)
        self._settle()
        return self

    def act(self, state: int, *, explore: bool = True) -> int:
        """An action: by the exploration, or the best one (the first of equally good ones)."""
        self._ready()
        values = self.action_values(state)
        if not explore:
            return int(np.argmax(values))
        chances = self._explored(values)
        return int(
            min(np.searchsorted(np.cumsum(chances), self._random.random(), side="right"), len(chances) - 1)
        )

    def action_values(self, state: int) -> np.ndarray:
        """(A,) what the actions of a state are worth; -inf for one that cannot be taken."""
        self._ready()
        at = self._state(state, "state")
        return np.where(self._possible[at], self.q_[at], -np.inf)

    def explain(self, state: Hashable) -> LearnedValues:
        """What the actions of a state are worth by what was learned, and how much experience that rests on.

        Parameters
        ----------
        state : its name in the `MDP` of ``fit``, else its number
        """
        at, (_, names) = self._numbered(state), self._names
        able = np.flatnonzero(self._possible[at])
        worths = self.action_values(at)
        chances = self._explored(worths) if len(able) else worths
        visits = self.visits_[at]
        actions: list[tuple[Any, float | None, int | None, float]] = [
            (names[a], float(worths[a]), int(visits[a]), float(chances[a])) for a in able
        ]
        best = [names[a] for a in np.flatnonzero(best_actions(worths))] if len(able) else []
        return LearnedValues(state, float(self.values_[at]), int(visits.sum()), actions, best)

    def _numbered(self, state: Hashable) -> int:
        """The number of a state by its name."""
        self._ready()
        if state not in self._names[0]:
            raise ParameterError(
                f"{type(self).__name__}: there is no state {state!r}; states are {some_of(self._names[0])}."
            )
        return self._names[0].index(state)

    def observe(
        self,
        state: int,
        action: int,
        reward: float,
        next_state: int,
        next_action: int | None = None,
        *,
        terminated: bool = False,
        truncated: bool = False,
    ) -> Self:
        """Learn from one step.

        Parameters
        ----------
        state, action, reward, next_state : what was done where, and what came of it
        next_action : int, default None
            What will be done next; Sarsa needs it, and Watkins' traces end if it is not the best.
        terminated : bool, whether the process ended: nothing follows
        truncated : bool, whether the episode was cut off: what would have followed still counts
        """
        self._ready()
        pair = self._place(state, action)
        if not is_number(reward):
            raise DataError(f"{type(self).__name__}: a reward must be a finite number, got {reward!r}.")
        next_state = self._state(next_state, "next state")
        if next_action is not None:
            self._place(next_state, next_action)
        if self.lookahead > 1:
            self._pending.append((pair, float(reward)))
            self._update_late(int(next_state), next_action, bool(terminated), bool(terminated or truncated))
        else:
            self._counts[pair] += 1
            rate = self._rate.now(int(self._counts[pair]), self._steps + 1, self._episode)
            self._update(pair, float(reward), int(next_state), next_action, bool(terminated), rate)
            self._plan(pair, float(reward), int(next_state), bool(terminated))
        if not all(np.isfinite(table[pair]) for table in (self._table, self._second) if table.size):
            self._refuse_values()
        self._steps += 1
        if terminated or truncated:
            self._traces[:] = 0.0
            self._episode += 1
        self._settle()
        return self

    def _update(
        self, pair: Any, reward: float, after: int, following: int | None, ended: bool, rate: float
    ) -> None:
        delta = reward + self._gamma * self._target(after, following, ended) - self._table[pair]
        if not self.fade:
            self._table[pair] += rate * delta
            return
        values = self.action_values(after)
        cut = self.rule == 0 and not ended and (following is None or values[following] != values.max())
        self._traces[pair] = 1.0 if self.trace == "replacing" else self._traces[pair] + 1.0
        self._table += rate * delta * self._traces
        self._traces *= 0.0 if cut else self._gamma * self.fade

    def _update_late(self, after: int, following: int | None, ended: bool, over: bool) -> None:
        """The pair of n steps ago learns; with the last step of an episode all that are left do."""
        if len(self._pending) < self.lookahead and not over:
            return
        worth = self._target(after, following, ended)
        for _ in range(len(self._pending) if over else 1):
            total = worth
            for _, reward in reversed(self._pending):
                total = reward + self._gamma * total
            pair, _ = self._pending.pop(0)
            self._counts[pair] += 1
            rate = self._rate.now(int(self._counts[pair]), self._steps + 1, self._episode)
            self._table[pair] += rate * (total - self._table[pair])

    def _plan(self, pair: Any, reward: float, after: int, ended: bool) -> None:
        """Dyna: learn again from outcomes that are remembered."""
        if not self.planning_steps:
            return
        self._model[pair] = (reward, after, ended)
        pairs = list(self._model)
        for _ in range(self.planning_steps):
            some = pairs[int(self._random.integers(len(pairs)))]
            earned, to, over = self._model[some]
            following = None if over else self.act(to)
            rate = self._rate.now(int(self._counts[some]), self._steps + 1, self._episode)
            self._update(some, earned, to, following, over, rate)

    def _target(self, after: int, following: int | None, ended: bool) -> float:
        """What follows is worth."""
        raise TypeError(f"{type(self).__name__} must define _target")

    # ------------------------------------------------------------------ parts

    def _check(self) -> None:
        who = type(self).__name__
        self._rate = as_schedule(self.learning_rate, who, "learning_rate", 0.0, 1.0)
        exploration = EpsilonGreedy(0.1) if self.exploration is None else self.exploration
        if not isinstance(exploration, Exploration):
            raise ParameterError(
                f"{who}: exploration must be EpsilonGreedy(...) or Softmax(...), got {exploration!r}."
            )
        self._exploration = exploration
        if not (is_number(self.fade) and 0 <= self.fade <= 1):
            raise ParameterError(
                f"{who}: fade, the lambda of traces, must be from 0 to 1, got {self.fade!r}."
            )
        if not is_number(self.initial):
            raise ParameterError(f"{who}: initial must be a finite number, got {self.initial!r}.")
        if self.trace not in TRACES:
            raise ParameterError(f"{who}: trace must be one of {', '.join(TRACES)}, got {self.trace!r}.")
        planning = self.planning_steps
        check_count(who, "planning_steps", planning, low=0)
        if planning and self.fade:
            raise ParameterError(
                f"{who}: planning_steps and traces (fade) do not go together; take one of them."
            )
        n = self.lookahead
        check_count(who, "lookahead", n)
        if n > 1 and (planning or self.fade):
            raise ParameterError(
                f"{who}: lookahead goes neither with traces (fade) nor with planning_steps; take one of them."
            )
        if n > 1 and self.rule in (0, 3):
            raise ParameterError(
                f"{who}: with lookahead the rewards are those of the actions that are taken, and not of the best ones. "
                "Take Sarsa or ExpectedSarsa."
            )

    def _explored(self, values: np.ndarray) -> np.ndarray:
        n = self._episode if self._exploration.schedule.by == "episodes" else self._steps + 1
        return self._exploration.probabilities(values, n)

    def _world(self, mdp: MDP) -> Any:
        sums = np.cumsum(np.concatenate([[0.0], mdp._chance]))
        cumulated = sums[1:] - np.repeat(sums[mdp._begin[:-1]], np.diff(mdp._begin))
        return _experience.World(
            begin=mdp._begin, next=mdp._next, cumulated=cumulated, earned=mdp._earned, start=np.cumsum(mdp.start),
            actions=mdp.n_actions, discount=self._gamma,
        )  # fmt: skip

    def _unknown_world(self) -> Any:
        """Actions and the discount; what comes of them is not known."""
        S, A = self._possible.shape
        begin = np.concatenate([[0], np.cumsum(self._possible)])
        pairs = int(begin[-1])
        return _experience.World(
            begin=begin, next=np.zeros(pairs, dtype=np.int64), cumulated=np.ones(pairs), earned=np.zeros(pairs),
            start=np.arange(1.0, S + 1.0), actions=A, discount=self._gamma,
        )  # fmt: skip

    def _words(self) -> np.ndarray:
        """What native draws begin with."""
        return self._random.integers(2**63, size=4, dtype=np.int64).astype(np.uint64)

    def _native_rule(self) -> Any:
        return _experience.LearningRule(
            kind=self.rule,
            trace=1 + TRACES.index(self.trace) if self.fade else 0,
            planning=int(self.planning_steps),
            fade=float(self.fade),
            rate=self._rate.native(),
            explore=self._exploration.schedule.native(),
            softmax=int(self._exploration.softmax),
            lookahead=int(self.lookahead),
        )

    def _followed(self, mdp: MDP) -> np.ndarray:
        return np.zeros((0, 0))

    def _table_shape(self, n_states: int, n_actions: int) -> tuple[int, int]:
        return n_states, n_actions

    def _place(self, state: int, action: int) -> tuple[int, int]:
        A = self._possible.shape[1]
        if not (is_whole(action) and action < A):
            raise DataError(
                f"{type(self).__name__}: actions are whole numbers from 0 to {A - 1}, got {action!r}."
            )
        return self._state(state, "state"), int(action)

    def _state(self, state: Any, what: str) -> int:
        S = len(self._possible)
        if not (is_whole(state) and state < S):
            raise DataError(
                f"{type(self).__name__}: states are whole numbers from 0 to {S - 1}, got the {what} {state!r}."
            )
        return int(state)

    def _settle(self) -> None:
        self.q_, self.visits_ = self._table, self._counts

    def _ready(self) -> None:
        if not hasattr(self, "_table"):
            raise NotFittedError(
                f"{type(self).__name__} has not learned yet. Call fit(environment), or begin(...)."
            )

    @property
    def policy_(self) -> np.ndarray:
        """(S,) the best action of each state by what was learned; the first of equally good ones, -1 where none is."""
        self._ready()
        values = np.where(self._possible, self.q_, -np.inf)
        return np.where(self._possible.any(axis=1), np.argmax(values, axis=1), -1)

    @property
    def values_(self) -> np.ndarray:
        """(S,) what each state is worth by its best action; 0 where nothing can be done."""
        self._ready()
        best = np.where(self._possible, self.q_, -np.inf).max(axis=1)
        return np.where(self._possible.any(axis=1), best, 0.0)
