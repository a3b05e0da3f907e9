"""Decision processes whose states are not seen: beliefs, and the value of information."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.parallel import end_if_abandoned
from assay.core.parameters import check_count
from assay.errors import DataError, DegenerateError, ParameterError
from assay.reinforcement.envelope import cross_sum, crossings, envelope, envelope_of_sums
from assay.reinforcement.outcomes import checked_discount, listed, names_of, numbers_of, some_of
from assay.stats.checks import is_number

__all__ = ["POMDP", "BeliefValue", "Plan"]

ROUNDING = 1e-8


@dataclass(frozen=True)
class Plan:
    """One straight piece of a value function: what a plan is worth in each state.

    Attributes
    ----------
    action : name of its first action      values : (S,) its worth in each state (an alpha vector)
    """

    action: Any
    values: tuple[Any, ...]


@dataclass(frozen=True)
class BeliefValue:
    """The value of a belief, the most of straight pieces.

    Attributes
    ----------
    plans : list of Plan, none of which is everywhere below the others
    horizon : int, steps that are left
    """

    plans: list[Plan]
    horizon: int
    states: list[Any] = field(repr=False, default_factory=list)

    @property
    def alphas(self) -> np.ndarray:
        """(m, S) the worth of each plan in each state."""
        return np.array([plan.values for plan in self.plans], dtype=np.float64)

    def value(self, belief: ArrayLike) -> Any:
        """What a belief is worth; exact where belief and plans are fractions."""
        return max(self._worths(belief))

    def best(self, belief: ArrayLike) -> Any:
        """The action to take with a belief; of equally good ones the first."""
        worths = self._worths(belief)
        return self.plans[int(np.argmax([float(w) for w in worths]))].action

    def _worths(self, belief: ArrayLike) -> list[Any]:
        chances = list(checked_belief(belief, len(self.plans[0].values), "BeliefValue", exact=True))
        return [sum(p * v for p, v in zip(chances, plan.values)) for plan in self.plans]

    def intervals(self) -> list[tuple[Any, Any, Plan]]:
        """Of two states: the chances p of the first between which each plan is the best, from p = 0 to 1.

        Plans that are never the best, as ``plan(prune=False)`` keeps them, have no interval.
        """
        if len(self.plans[0].values) != 2:
            raise ParameterError("BeliefValue: intervals are for processes of two states.")
        plans = sorted(best_plans(self.plans), key=lambda plan: plan.values[0] - plan.values[1])
        ends = crossings([plan.values for plan in plans])
        return [(low, high, plan) for low, high, plan in zip([0, *ends], [*ends, 1], plans)]


def checked_belief(belief: ArrayLike, n_states: int, who: str, *, exact: bool) -> np.ndarray:
    """(S,) probabilities that sum to 1: fractions and whole numbers as they are, if exact, all others as floats."""
    given = np.asarray(belief, dtype=object).ravel()
    try:
        fractions = exact and all(isinstance(p, (int, Fraction)) for p in given)
        chances = given if fractions else numbers_of(given)
    except (TypeError, ValueError):
        raise ParameterError(
            f"{who}: a belief must be {n_states} probabilities that sum to 1, got {belief!r:.80}."
        ) from None
    possible = len(chances) == n_states and all(p >= 0 for p in chances)
    if not possible or not abs(float(sum(chances)) - 1) < ROUNDING:
        raise ParameterError(
            f"{who}: a belief must be {n_states} probabilities that sum to 1, got {some_of(given.tolist())}."
        )
    return chances


class POMDP:
    r"""A decision process whose states are seen through observations alone.

    What is known is a belief, the probability of each state; an action a and an observation o change it:

    .. math:: b'(s') \propto P(o|s', a)\sum_s P(s'|s, a)\,b(s)                                           \quad (1)

    The best value of a belief is convex, the most of straight lines (Smallwood and Sondik 1973), each of which is worth
    :math:`R(s, a) + \gamma\sum_{s'} P(s'|s, a)\sum_o P(o|s', a)\,\alpha_o(s')` for a plan that goes on by
    :math:`\alpha_o` after o. ``plan(h)`` computes them exactly; with numbers given as fractions, as fractions.

    Parameters
    ----------
    transitions : (A, S, S) probabilities, a matrix for each action
    observations : (A, S, O) probabilities of what is observed in the state that an action leads to
    rewards : (S, A)
    discount : float or Fraction, default 1
    ends : list of actions, default None
        After which the process is over.
    states, actions, observations_named : list of names, default None

    Examples
    --------
    >>> from assay.reinforcement import tiger
    >>> problem = tiger()
    >>> problem.update([0.5, 0.5], "listen", "hear left").round(4)
    array([0.7, 0.3])
    >>> float(problem.plan(2, last=["open left", "open right"]).value([0.5, 0.5]))
    28.5

    See Also
    --------
    MDP

    References
    ----------
    - Smallwood, R. D. and Sondik, E. J. (1973). The optimal control of partially observable Markov processes over a
      finite horizon. Operations Research 21(5), 1071-1088.
    - Cassandra, A., Littman, M. L. and Zhang, N. L. (1997). Incremental pruning: a simple, fast, exact method for
      partially observable Markov decision processes. Uncertainty in Artificial Intelligence 13, 54-61.
    - Pineau, J., Gordon, G. and Thrun, S. (2003). Point-based value iteration: an anytime algorithm for POMDPs.
      International Joint Conference on Artificial Intelligence, 1025-1030.
    """

    def __init__(
        self,
        transitions: Any,
        observations: Any,
        rewards: Any,
        discount: Any = 1,
        *,
        ends: Sequence[Hashable] | None = None,
        states: Sequence[Hashable] | None = None,
        actions: Sequence[Hashable] | None = None,
        observations_named: Sequence[Hashable] | None = None,
    ):
        checked_discount(discount, "POMDP")
        self.discount = discount
        self.transitions = _probabilities(transitions, "transitions")
        self.observations = _probabilities(observations, "observations")
        A, S, _ = self.transitions.shape
        self.rewards = np.asarray(rewards, dtype=object)
        try:
            finite = np.isfinite(numbers_of(self.rewards)).all()
        except (TypeError, ValueError):
            finite = False
        if self.transitions.shape != (A, S, S) or self.observations.shape[:2] != (A, S):
            raise DataError(
                f"POMDP: transitions must be (A, S, S) and observations (A, S, O), got {self.transitions.shape} and "
                f"{self.observations.shape}."
            )
        if self.rewards.shape != (S, A) or not finite:
            raise DataError(f"POMDP: rewards must be ({S}, {A}) finite numbers.")
        self.states, self.actions = (
            names_of(states, S, "states", "POMDP"),
            names_of(actions, A, "actions", "POMDP"),
        )
        self.seen = names_of(observations_named, self.observations.shape[2], "observations_named", "POMDP")
        ending = [] if ends is None else listed(ends, "POMDP", "ends must be a list of actions")
        self.ends = [self._index(a, self.actions, "action") for a in ending]
        numbers = [*self.transitions.flat, *self.observations.flat, *self.rewards.flat, discount]
        self.exact = all(
            isinstance(v, (int, Fraction, np.integer)) and not isinstance(v, bool) for v in numbers
        )
        for name in ("transitions", "observations", "rewards"):
            array = getattr(self, name)
            setattr(self, name, _fractions(array) if self.exact else array.astype(np.float64))

    @staticmethod
    def _index(name: Hashable, names: list[Any], what: str) -> int:
        if name not in names:
            raise ParameterError(f"POMDP: there is no {what} {name!r}; there are {some_of(names)}.")
        return names.index(name)

    def observation_chances(self, belief: ArrayLike, action: Hashable) -> np.ndarray:
        """(O,) the probability of each observation after an action."""
        a = self._index(action, self.actions, "action")
        return _plain(self._belief(belief) @ self.transitions[a] @ self.observations[a])

    def update(self, belief: ArrayLike, action: Hashable, observation: Hashable) -> np.ndarray:
        """(S,) the belief after an action and what was observed, by (1).

        Parameters
        ----------
        belief : (S,) probabilities
        action, observation : by name
        """
        a = self._index(action, self.actions, "action")
        o = self._index(observation, self.seen, "observation")
        joint = (self._belief(belief) @ self.transitions[a]) * self.observations[a][:, o]
        total = joint.sum()
        if not total > 0:
            raise DegenerateError(
                f"POMDP: {observation!r} after {action!r} is impossible with this belief, so that none follows from it."
            )
        return _plain(joint / total)

    def _belief(self, belief: ArrayLike) -> np.ndarray:
        return checked_belief(belief, len(self.states), "POMDP", exact=self.exact)

    # ------------------------------------------------------------------ plans

    def plan(
        self, horizon: int, *, last: Sequence[Hashable] | None = None, prune: bool = True
    ) -> BeliefValue:
        """The best plans for so many steps, exactly.

        Parameters
        ----------
        horizon : int, steps that are left
        last : list of actions, default None
            What may be done in the last step; None for everything.
        prune : bool
            Whether plans that are never the best are left out. Without, their number explodes.
        """
        check_count("POMDP.plan", "horizon", horizon)
        final = (
            range(len(self.actions))
            if last is None
            else [
                self._index(a, self.actions, "action")
                for a in listed(last, "POMDP.plan", "last must be a list of actions")
            ]
        )
        if not len(final):
            raise ParameterError("POMDP.plan: last must have an action at least, got an empty list.")
        plans = [Plan(self.actions[a], tuple(self.rewards[:, a])) for a in final]
        current = best_plans(plans) if prune else plans
        for _ in range(int(horizon) - 1):
            end_if_abandoned()
            current = self._backup(current, prune)
        if not self.exact:
            _check_worths([plan.values for plan in current])
        return BeliefValue(current, int(horizon), self.states)

    def _backup(self, following: list[Plan], prune: bool) -> list[Plan]:
        """The plans of one step more: every action, and after each observation one of the plans that follow."""
        alphas = [plan.values for plan in following]
        new = list[Plan]()
        for a, name in enumerate(self.actions):
            reward = tuple(self.rewards[:, a])
            if a in self.ends:
                new.append(Plan(name, reward))
                continue
            sums = [tuple(reward)]
            for o in range(len(self.seen)):
                ahead = self.discount * self.transitions[a] * self.observations[a][:, o][None, :]
                likely = [[(s, chance) for s, chance in enumerate(row) if chance] for row in ahead]
                parts = [
                    tuple(sum(chance * alpha[s] for s, chance in row) for row in likely) for alpha in alphas
                ]
                sums = envelope_of_sums(sums, envelope(parts)) if prune else cross_sum(sums, parts)
            new += [Plan(name, values) for values in sums]
        return best_plans(new) if prune else new

    def solve_by_points(
        self, beliefs: ArrayLike | None = None, *, n_iter: int = 100, tol: float = 1e-9
    ) -> BeliefValue:
        """A lower bound of the value of any belief, by plans that are the best at some beliefs (point-based).

        Parameters
        ----------
        beliefs : (m, S), default None
            None takes the corners, the middle, and beliefs that observations lead to from there.
        n_iter : int, backups of all points
        tol : float, change of a value at which to stop
        """
        check_count("POMDP.solve_by_points", "n_iter", n_iter)
        if not (is_number(tol) and tol >= 0):
            raise ParameterError(f"POMDP.solve_by_points: tol must be a number from 0 up, got {tol!r}.")
        if float(self.discount) >= 1 and not self.ends:
            raise ParameterError(
                "POMDP.solve_by_points: needs a discount below 1, or actions that end the process."
            )
        if beliefs is None:
            points = self._reachable()
        else:
            try:
                points = np.atleast_2d(numbers_of(beliefs))
            except (TypeError, ValueError):
                raise ParameterError(
                    f"POMDP.solve_by_points: beliefs must be rows of {len(self.states)} probabilities, got "
                    f"{beliefs!r:.80}."
                ) from None
        for point in points:
            self._belief(point)
        T, Z = self.transitions.astype(np.float64), self.observations.astype(np.float64)
        R, gamma = self.rewards.astype(np.float64), float(self.discount)
        worst = R.min() / (1 - gamma) if gamma < 1 else min(R[:, self.ends].min(), R.min() * n_iter)
        alphas, labels = np.full((1, len(self.states)), worst), [0]
        last = np.full(len(points), -np.inf)
        ahead = gamma * np.einsum("ast,ato->aost", T, Z)
        for _ in range(n_iter):
            end_if_abandoned()
            G = np.einsum("aost,kt->aoks", ahead, alphas)
            choice = np.argmax(np.einsum("ps,aoks->paok", points, G), axis=3)  # (p, a, o)
            values = np.empty((len(points), len(self.actions), len(self.states)))
            for a in range(len(self.actions)):
                values[:, a] = R[:, a]
                if a not in self.ends:
                    values[:, a] += sum(G[a, o, choice[:, a, o]] for o in range(len(self.seen)))
            worths = np.einsum("ps,pas->pa", points, values)
            best = np.argmax(worths, axis=1)
            alphas, first = np.unique(values[np.arange(len(points)), best], axis=0, return_index=True)
            labels = best[first].tolist()
            now = worths.max(axis=1)
            if np.max(np.abs(now - last)) < tol:
                break
            last = now
        _check_worths(alphas)
        plans = [Plan(self.actions[a], tuple(alpha)) for a, alpha in zip(labels, alphas)]
        return BeliefValue(plans, -1, self.states)

    def _reachable(self, rounds: int = 4, most: int = 500) -> np.ndarray:
        S = len(self.states)
        points = [*np.eye(S), np.full(S, 1 / S)]
        for _ in range(rounds):
            for belief in list(points):
                for action in self.actions:
                    for o, chance in zip(self.seen, self.observation_chances(belief, action)):
                        if float(chance) > 1e-6 and len(points) < most:
                            after = self.update(belief, action, o).astype(np.float64)
                            if np.min(np.abs(np.array(points) - after).sum(axis=1)) > 1e-3:
                                points.append(after)
        return np.array(points)

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "floating point"
        return f"POMDP({len(self.states)} states, {len(self.actions)} actions, {len(self.seen)} observations, {kind})"


def best_plans(plans: list[Plan]) -> list[Plan]:
    """Those plans that are the best for some belief; of equal ones the first."""
    kept = envelope([plan.values for plan in plans])
    by_values = {plan.values: plan for plan in reversed(plans)}
    return [by_values[values] for values in kept]


def _check_worths(values: Any) -> None:
    if not np.isfinite(np.asarray(values, dtype=np.float64)).all():
        raise DegenerateError(
            "POMDP: the rewards are so large that their sums exceed the largest number. Give them in another unit."
        )


def _plain(numbers: np.ndarray) -> np.ndarray:
    """Fractions stay fractions; a mixture with floats is floats."""
    return numbers if all(isinstance(v, Fraction) for v in numbers.flat) else numbers.astype(np.float64)


def _fractions(array: np.ndarray) -> np.ndarray:
    """The same numbers as fractions, so that nothing is rounded."""
    exact = [v if isinstance(v, Fraction) else Fraction(int(v)) for v in array.flat]
    return np.array(exact, dtype=object).reshape(array.shape)


def _probabilities(given: Any, what: str) -> np.ndarray:
    array = np.asarray(given, dtype=object)
    try:
        numbers = numbers_of(array)
    except (TypeError, ValueError):
        raise DataError(f"POMDP: {what} must be numbers.") from None
    if array.ndim != 3 or not array.size:
        raise DataError(f"POMDP: {what} must have three dimensions, got the shape {array.shape}.")
    sums = numbers.sum(axis=2)
    wrong = ~((numbers >= 0).all(axis=2) & (abs(sums - 1) < ROUNDING))
    if wrong.any():
        a, s = np.argwhere(wrong)[0]
        raise DataError(
            f"POMDP: {what} of action {a} and state {s} must be probabilities from 0 up that sum to 1; they sum to "
            f"{sums[a, s]:g}."
        )
    return array
