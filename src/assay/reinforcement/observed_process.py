"""Decision processes from a table of observed transitions, with the uncertainty that few observations leave."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from assay.core.parameters import check_count
from assay.core.seeds import as_generator
from assay.errors import DataError, ParameterError
from assay.reinforcement.mdp import MDP
from assay.reinforcement.outcomes import checked_discount, listed, numbers_of, some_of
from assay.reinforcement.process_models import END, end_of
from assay.reinforcement.solution import Solution
from assay.stats.checks import is_number
from assay.types import RandomState, TableLike

__all__ = ["ObservedProcess", "UncertainSolution"]


@dataclass(frozen=True)
class UncertainSolution:
    """The best policy of the expected process, and what the observations leave open about it.

    Attributes
    ----------
    solution : Solution, of the expected process
    intervals : (S, 2) what each state is worth if that policy is followed, over processes drawn from the posterior
    best_share : (S,) the share of drawn processes in which the policy's action is the best one; 1 where nothing is done
    level : float, of the intervals      n_draws : int
    """

    solution: Solution
    intervals: np.ndarray
    best_share: np.ndarray
    level: float
    n_draws: int

    def __str__(self) -> str:
        rows = [
            (str(state), str(action), f"{value:.4g}", f"{low:.4g} to {high:.4g}", f"{share:.0%}")
            for state, action, value, (low, high), share in zip(
                self.solution.process.states,
                self.solution.actions,
                self.solution.values,
                self.intervals,
                self.best_share,
            )
            if action is not None
        ]
        head = ("state", "action", "value", f"{self.level:.0%} interval", "best in")
        width = [max(len(row[j]) for row in (head, *rows)) for j in range(len(head))]
        return "\n".join("  ".join(v.ljust(w) for v, w in zip(row, width)).rstrip() for row in (head, *rows))


class ObservedProcess:
    r"""A Markov decision process whose probabilities and rewards are known from observed transitions alone.

    Next states of a pair of state and action have the posterior

    .. math:: P(\cdot|s, a) \sim \text{Dirichlet}(n_{sas'} + \alpha/m_{sa})                              \quad (1)

    with the counts n and :math:`\alpha` pseudo-counts shared out among the m possible next states. Mean rewards are
    drawn together with them by the Bayesian bootstrap (Rubin 1981): every observed row has a weight from the
    exponential distribution, whose sums by next state are exactly (1), and the mean reward of a pair is the weighted
    one.

    Actions that were never observed in a state cannot be taken there.

    Parameters
    ----------
    state, action, reward, next_state : (n,) columns, of any names and numbers
    terminated : (n,) bool, default None
        Whether the process ended with the transition. None: it ended nowhere but in ``terminal`` states.
    terminal : list of states, default None
    prior : float, default 0.0
        Alpha in (1). With 0, what was never observed is impossible.
    support : "observed" or "all", default "observed"
        The next states that the prior takes to be possible: those observed after the pair, or all states.
    discount : float, default 0.9

    Examples
    --------
    >>> from assay.reinforcement import ObservedProcess
    >>> state, action = ["ill", "ill", "ill", "ill"], ["wait", "wait", "treat", "treat"]
    >>> process = ObservedProcess(state, action, [0, 1, 1, 1], ["ill", "well", "well", "ill"], terminal=["well"])
    >>> process.expected().outcomes("ill", "treat")
    [('ill', 0.5, 1.0), ('well', 0.5, 1.0)]
    >>> result = process.solve(n_draws=200, random_state=0)
    >>> result.solution.actions[0], bool(result.best_share[0] > 0.8)
    ('treat', True)

    See Also
    --------
    MDP, DirichletCategorical

    References
    ----------
    - Strens, M. (2000). A Bayesian framework for reinforcement learning. International Conference on Machine Learning,
      943-950.
    - Rubin, D. B. (1981). The Bayesian bootstrap. Annals of Statistics 9(1), 130-134. doi:10.1214/aos/1176345338
    """

    def __init__(
        self,
        state: ArrayLike,
        action: ArrayLike,
        reward: ArrayLike,
        next_state: ArrayLike,
        terminated: ArrayLike | None = None,
        *,
        terminal: Sequence[Hashable] | None = None,
        prior: float = 0.0,
        support: str = "observed",
        discount: float = 0.9,
    ):
        if not (is_number(prior) and prior >= 0):
            raise ParameterError(f"ObservedProcess: prior must be a number from 0 up, got {prior!r}.")
        if support not in ("observed", "all"):
            raise ParameterError(f'ObservedProcess: support must be "observed" or "all", got {support!r}.')
        self.prior, self.support = float(prior), support
        self.discount = checked_discount(discount, "ObservedProcess")
        columns = _columns(state, action, reward, next_state, terminated)
        self.states, self.actions = columns.states, columns.actions
        after, ends, added = end_of(
            columns.after, columns.terminated, np.bincount(columns.before, minlength=len(self.states)) > 0
        )
        self._added = added
        if added:
            self.states = [*self.states, END if END not in self.states else f"{END} of the process"]
        given = (
            []
            if terminal is None
            else listed(terminal, "ObservedProcess", "terminal must be a list of states")
        )
        unknown = [s for s in given if s not in self.states]
        if unknown:
            raise ParameterError(
                f"ObservedProcess: terminal has {some_of(unknown)}, which no transition leads to."
            )
        self.terminal = sorted({*ends.tolist(), *(self.states.index(s) for s in given)})
        acting = ~np.isin(columns.before, self.terminal)
        self._pair = columns.before[acting] * len(self.actions) + columns.action[acting]
        self._after, self._reward = after[acting], columns.reward[acting]
        self._check_known()
        self._lay_out()

    @classmethod
    def from_table(
        cls,
        table: TableLike,
        *,
        state: str = "state",
        action: str = "action",
        reward: str = "reward",
        next_state: str = "next_state",
        terminated: str | None = None,
        **settings: Any,
    ) -> ObservedProcess:
        """The process of a table with a row for each transition; names say which column is which.

        Examples
        --------
        >>> from assay.reinforcement import GridWorld, ObservedProcess
        >>> world = GridWorld("S.G", goal_reward=1)
        >>> log = world.simulate([[0.25] * 4] * 3, 50, random_state=0).to_dict()
        >>> process = ObservedProcess.from_table(log, terminated="terminated")
        >>> process.solve(n_draws=50, random_state=0).solution.values.round(2)
        array([0.9, 1. , 0. ])
        """
        from assay.tables import Table

        columns = Table.of(table).to_columns()
        names = [state, action, reward, next_state, *([terminated] if terminated else [])]
        missing = [name for name in names if name not in columns]
        if missing:
            raise DataError(
                f"ObservedProcess: the table has no column {some_of(missing)}; it has {some_of(list(columns))}."
            )
        return cls(*(_whole(columns[name]) for name in names), **settings)

    def _check_known(self) -> None:
        here = np.unique(self._pair // len(self.actions))
        lost = np.setdiff1d(np.unique(self._after), np.append(here, self.terminal))
        if len(lost):
            names = some_of([self.states[s] for s in lost])
            raise DataError(
                f"ObservedProcess: no action was observed in state {names}, though the process went there. If it ends "
                "there, say terminal=[...]; if it was cut off there, leave out the transitions to it."
            )
        if not len(self._pair):
            raise DataError("ObservedProcess: there is no transition from a state that is not terminal.")

    def _lay_out(self) -> None:
        """Outcomes: every pair with each next state that it may have, sorted; of each row, which outcome it is."""
        S = len(self.states)
        pairs = np.unique(self._pair)
        if self.support == "all" and self.prior:
            possible = np.arange(S - self._added)
            keys = (pairs[:, None] * S + possible).ravel()
        else:
            keys = np.unique(self._pair * S + self._after)
        keys = np.union1d(keys, self._pair * S + self._after)
        self._outcome_pair, self._outcome_after = keys // S, keys % S
        self._outcome = np.searchsorted(keys, self._pair * S + self._after)
        self._pairs, self._outcomes_pair = np.unique(self._outcome_pair, return_inverse=True)
        self._row_pair = np.searchsorted(self._pairs, self._pair)
        self._pseudo = self.prior / np.bincount(self._outcomes_pair)[self._outcomes_pair]

    @property
    def counts(self) -> np.ndarray:
        """(S, A) how often each action was observed in each state."""
        S, A = len(self.states), len(self.actions)
        return np.bincount(self._pair, minlength=S * A).reshape(S, A)

    def expected(self) -> MDP:
        """The process of the posterior means."""
        return self._process(np.ones(len(self._pair)), self._pseudo)

    def sample(self, random_state: RandomState = None) -> MDP:
        """A process drawn from the posterior (1)."""
        random = as_generator(random_state, "ObservedProcess")
        return self._process(
            random.standard_exponential(len(self._pair)), random.standard_gamma(self._pseudo)
        )

    def _process(self, weight: np.ndarray, pseudo: np.ndarray) -> MDP:
        S, A = len(self.states), len(self.actions)
        mass = np.bincount(self._outcome, weight, minlength=len(self._outcome_pair)) + pseudo
        mass = mass / np.bincount(self._outcomes_pair, mass)[self._outcomes_pair]
        mean = np.bincount(self._row_pair, weight * self._reward) / np.bincount(self._row_pair, weight)
        rewards = np.zeros(S * A)
        rewards[self._pairs] = mean
        source, action = self._outcome_pair // A, self._outcome_pair % A
        chances = [
            sparse.coo_array((mass[of], (source[of], self._outcome_after[of])), shape=(S, S))
            for of in (action == a for a in range(A))
        ]
        return MDP(
            chances,
            rewards.reshape(S, A),
            self.discount,
            terminal=[self.states[s] for s in self.terminal],
            states=self.states,
            actions=self.actions,
        )

    def solve(
        self, n_draws: int = 200, *, level: float = 0.95, random_state: RandomState = None
    ) -> UncertainSolution:
        """The best policy of the expected process, its values with intervals, and how sure each action is.

        Parameters
        ----------
        n_draws : int, processes drawn from the posterior
        level : float, of the intervals
        random_state : seed
        """
        check_count("ObservedProcess", "n_draws", n_draws, low=2)
        if not (is_number(level) and 0 < level < 1):
            raise ParameterError(f"ObservedProcess: level must be between 0 and 1, got {level!r}.")
        random = as_generator(random_state, "ObservedProcess")
        solution = self.expected().solve()
        values, best = list[np.ndarray](), np.zeros(len(self.states))
        for _ in range(n_draws):
            drawn = self.sample(random)
            values.append(drawn.evaluate(solution.policy))
            q = drawn.q_values(drawn.solve().values)
            acting = solution.policy >= 0
            followed = q[np.arange(len(q)), solution.policy]
            best += ~acting | (followed >= q.max(axis=1) - 1e-9 * (1 + np.abs(followed)))
        tail = (1 - level) / 2
        intervals = np.quantile(np.array(values), [tail, 1 - tail], axis=0).T
        return UncertainSolution(solution, intervals, best / n_draws, level, int(n_draws))


@dataclass(frozen=True)
class _Columns:
    states: list[Any]
    actions: list[Any]
    before: np.ndarray
    action: np.ndarray
    reward: np.ndarray
    after: np.ndarray
    terminated: np.ndarray


def _columns(state: Any, action: Any, reward: Any, next_state: Any, terminated: Any) -> _Columns:
    who = "ObservedProcess"
    before, did, after = (np.asarray(column) for column in (state, action, next_state))
    try:
        earned = numbers_of(reward)
    except (TypeError, ValueError):
        raise DataError(f"{who}: rewards must be numbers.") from None
    n = len(earned) if earned.ndim == 1 else 0
    ended = np.zeros(n, dtype=bool) if terminated is None else np.asarray(terminated)
    if not n or any(column.shape != (n,) for column in (before, did, after, ended)):
        raise DataError(
            f"{who}: state, action, reward, next_state and terminated must be columns of one length, a row or more."
        )
    if not np.isfinite(earned).all():
        raise DataError(
            f"{who}: rewards must be finite numbers; row {int(np.argmin(np.isfinite(earned))) + 1} is not."
        )
    if ended.dtype.kind not in "biuf" or not np.isin(ended, (0, 1)).all():
        raise DataError(f"{who}: terminated must be true or false.")
    for name, column in (("state", before), ("action", did), ("next_state", after)):
        gap = [i for i, value in enumerate(column.tolist()) if value is None or value != value]
        if gap:
            raise DataError(f"{who}: column {name} has a missing value in row {gap[0] + 1}.")
    try:
        states, codes = np.unique(np.concatenate([before, after]), return_inverse=True)
        actions, acts = np.unique(did, return_inverse=True)
    except TypeError:
        raise DataError(f"{who}: states, and actions, must be all names or all numbers.") from None
    return _Columns(states.tolist(), actions.tolist(), codes[:n], acts, earned, codes[n:], ended.astype(bool))


def _whole(column: list[Any]) -> list[Any]:
    """Numbers that are whole as such, for they may be the names of states."""
    whole = all(isinstance(v, float) and v.is_integer() for v in column)
    return [int(v) for v in column] if whole else column
