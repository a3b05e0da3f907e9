"""Dynamic programming: values and policies of a decision process whose transitions are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from scipy.sparse.linalg import spsolve
from sklearn.exceptions import ConvergenceWarning

import assay.reinforcement._sweeps as _sweeps
from assay.core.parallel import end_if_abandoned
from assay.core.parameters import check_count
from assay.errors import DegenerateError, ParameterError, warn_user
from assay.reinforcement.endless import check_rounds, ending_actions
from assay.reinforcement.outcomes import reached
from assay.reinforcement.solution import Solution, best_actions
from assay.stats.checks import is_number

if TYPE_CHECKING:
    from assay.reinforcement.mdp import MDP

__all__ = ["evaluated", "solved"]

METHODS = ("value iteration", "policy iteration", "modified policy iteration", "linear programming")
FEW_STATES = 400  # whose equations are solved as a dense matrix
SHORT_SIGHT = 0.99  # a discount up to which plain sweeps settle soon
OUTCOMES_AT_A_TIME = 20_000_000  # between two looks at whether the user gave up
EVALUATIONS = 20  # sweeps along a policy before it is improved


def solved(
    mdp: MDP, method: str, epsilon: float, max_iter: int, in_place: bool | None, start: Any, history: bool
) -> Solution:
    """See MDP.solve."""
    if method == "auto":
        sweeps = "value iteration" if mdp.discount <= SHORT_SIGHT else "modified policy iteration"
        method = "policy iteration" if mdp.n_states <= FEW_STATES else sweeps
    if method not in METHODS:
        raise ParameterError(
            f"MDP.solve: method must be auto or one of {', '.join(METHODS)}, got {method!r}."
        )
    if not (is_number(epsilon) and epsilon > 0):
        raise ParameterError(f"MDP.solve: epsilon must be a number above 0, got {epsilon!r}.")
    check_count("MDP.solve", "max_iter", max_iter)
    for name, choice in (("in_place", in_place), ("history", history)):
        if not isinstance(choice, (bool, np.bool_)) and not (choice is None and name == "in_place"):
            raise ParameterError(f"MDP.solve: {name} must be True or False, got {choice!r}.")
    if mdp.discount == 1 and check_rounds(mdp) and start is None and (mdp.rewards < 0).any():
        start = _below(mdp) if method in ("value iteration", "modified policy iteration") else None
    check_sums(mdp)
    in_place = not history if in_place is None else bool(in_place)
    run = {
        "value iteration": lambda: _values(mdp, epsilon, max_iter, in_place, start, history),
        "policy iteration": lambda: _policies(mdp, max_iter, start, history),
        "modified policy iteration": lambda: _modified(mdp, epsilon, max_iter, in_place, start, history),
        "linear programming": lambda: _program(mdp),
    }[method]
    values, iterations, converged, steps = run()
    if not np.isfinite(values).all():
        raise DegenerateError("MDP: values grow without limit. Give a discount below 1, or smaller rewards.")
    if not converged:
        warn_user(
            f"MDP.solve: {method} stopped after {iterations} iterations before the values settled. Raise max_iter.",
            ConvergenceWarning,
        )
    q = mdp.q_values(values)
    acting = ~mdp.terminal
    best = best_actions(q)
    policy = np.where(acting, np.argmax(best, axis=1), -1)
    if mdp.discount == 1:
        policy = ending_actions(mdp, best, policy)
    gap = float(np.abs(q.max(axis=1) - values)[acting].max(initial=0.0))
    bound = gap / (1 - mdp.discount) if mdp.discount < 1 else np.inf
    return Solution(mdp, method, values, q, policy, iterations, converged, bound, steps)


def _below(mdp: MDP) -> np.ndarray:
    """The values of a policy that ends. From there sweeps rise to the best of all policies that end.

    From 0 they would stop at what going round for ever without a loss is worth.
    """
    never = np.full(mdp.n_states, -1)
    return evaluated(mdp, mdp.policy_probabilities(ending_actions(mdp, mdp.available, never)))


def check_sums(mdp: MDP) -> None:
    """Refuse rewards whose discounted sums may exceed the largest number."""
    largest = np.finfo(np.float64).max
    if mdp.discount < 1 and np.abs(mdp.rewards).max() > largest * (1 - mdp.discount) / 2:
        raise DegenerateError(
            "MDP: the rewards are so large that their discounted sums exceed the largest number. Give them in another "
            "unit."
        )


def evaluated(mdp: MDP, chances: np.ndarray) -> np.ndarray:
    """(S,) the values of a policy with these (S, A) probabilities of its actions."""
    check_sums(mdp)
    S, A = chances.shape
    rewards = (chances * mdp.rewards).sum(axis=1)
    rows = np.repeat(np.arange(S), A)
    weights = sparse.coo_array((chances.ravel(), (rows, np.arange(S * A))), shape=(S, S * A)).tocsr()
    along = weights @ mdp.transition_matrix
    if S <= FEW_STATES:
        system = np.eye(S) - mdp.discount * along.toarray()
        try:
            values = np.linalg.solve(system, rewards)
        except np.linalg.LinAlgError:
            values = np.full(S, np.nan)
    else:
        system = sparse.eye_array(S, format="csc") - mdp.discount * along.tocsc()
        values = spsolve(system.tocsc(), rewards)
    if not np.isfinite(values).all() or (mdp.discount == 1 and not _ends(mdp, along)):
        raise DegenerateError(
            "MDP: with discount=1 this policy may never end, so that its rewards have no finite sum. Give a policy "
            "that reaches a terminal state from everywhere, or a discount below 1."
        )
    return np.where(mdp.terminal, 0.0, values)


def _ends(mdp: MDP, along: Any) -> bool:
    """Whether a policy has a way to an end from every state."""
    steps = along.tocoo()
    return bool(reached(steps.col, steps.row, np.flatnonzero(mdp.terminal), mdp.n_states).all())


Run = tuple[np.ndarray, int, bool, list[Any]]


def _first_values(mdp: MDP, start: Any) -> np.ndarray:
    V = np.zeros(mdp.n_states) if start is None else mdp._checked_values(start).copy()
    V[mdp.terminal] = 0.0
    return V


def _tolerance(mdp: MDP, epsilon: float) -> float:
    """The change of a sweep below which values are right to epsilon."""
    return epsilon * (1 - mdp.discount) / (2 * mdp.discount) if 0 < mdp.discount < 1 else epsilon


def _values(mdp: MDP, epsilon: float, max_iter: int, in_place: bool, start: Any, history: bool) -> Run:
    V, tolerance = _first_values(mdp, start), _tolerance(mdp, epsilon)
    at_once = 1 if history else max(1, OUTCOMES_AT_A_TIME // max(len(mdp._chance), 1))
    sweeps, steps = 0, list[Any]()
    while True:
        end_if_abandoned()
        some, change = _sweeps.improve_values(
            mdp._process, V, min(at_once, max_iter - sweeps), tolerance, in_place
        )
        sweeps += some
        if history:
            steps.append(V.copy())
        if change < tolerance or not np.isfinite(V).all() or sweeps >= max_iter:
            return V, sweeps, bool(change < tolerance), steps


def _policies(mdp: MDP, max_iter: int, start: Any, history: bool) -> Run:
    first = np.where(mdp.terminal, -1, np.argmax(mdp.available, axis=1)) if start is None else start
    if mdp.discount == 1 and start is None:
        first = ending_actions(mdp, mdp.available, first)
    chances = mdp.policy_probabilities(first)
    steps = list[Any]()
    for iteration in range(1, max_iter + 1):
        end_if_abandoned()
        values = evaluated(mdp, chances)
        policy = np.where(mdp.terminal, -1, np.argmax(chances, axis=1))
        if history:
            steps.append((policy, values))
        best = best_actions(mdp.q_values(values))
        better = ~mdp.terminal & ~((chances > 0) <= best).all(
            axis=1
        )  # some action taken is not among the best
        if not better.any():
            return values, iteration, True, steps
        policy = np.where(better, np.argmax(best, axis=1), policy)
        chances = mdp.policy_probabilities(policy)
    return values, max_iter, False, steps


def _modified(mdp: MDP, epsilon: float, max_iter: int, in_place: bool, start: Any, history: bool) -> Run:
    V, tolerance = _first_values(mdp, start), _tolerance(mdp, epsilon)
    steps = list[Any]()
    for iteration in range(1, max_iter + 1):
        end_if_abandoned()
        _, change = _sweeps.improve_values(mdp._process, V, 1, tolerance, in_place)
        if history:
            steps.append(V.copy())
        if change < tolerance or not np.isfinite(V).all():
            return V, iteration, bool(change < tolerance), steps
        policy = np.where(mdp.terminal, -1, np.argmax(mdp.q_values(V), axis=1))
        _sweeps.follow(mdp._process, V, policy, EVALUATIONS)
    return V, max_iter, False, steps


def _program(mdp: MDP) -> Run:
    """The least values that no action of any state exceeds."""
    S, A = mdp.rewards.shape
    rows = np.flatnonzero(mdp.available.ravel())
    choose = sparse.coo_array(
        (np.ones(len(rows)), (np.arange(len(rows)), rows // A)), shape=(len(rows), S)
    ).tocsr()
    system = mdp.discount * mdp.transition_matrix[rows] - choose
    bounds = [(0, 0) if ended else (None, None) for ended in mdp.terminal]
    rewards = mdp.rewards.ravel()[rows]
    unit = float(np.abs(rewards).max(initial=0.0)) or 1.0  # the solver's tolerances are absolute
    result = linprog(np.ones(S), A_ub=system, b_ub=-rewards / unit, bounds=bounds, method="highs")
    if result.x is None:
        raise DegenerateError(f"MDP: the linear program of its values has no solution: {result.message}")
    return np.where(mdp.terminal, 0.0, result.x * unit), int(result.nit), bool(result.success), []
