"""Without a discount: what going round for ever earns, and policies that end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from scipy.sparse.csgraph import connected_components

from assay.errors import DegenerateError

if TYPE_CHECKING:
    from assay.reinforcement.mdp import MDP

__all__ = ["check_rounds", "ending_actions", "staying"]

NO_GAIN = 1e-9  # of the largest reward: below this a round earns nothing but rounding


def staying(mdp: MDP, allowed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where a process can stay for ever: the maximal end components (de Alfaro 1997).

    An end component is a set of states, with actions all of whose outcomes stay in the set, by which each of its states
    can be reached from each other.

    Parameters
    ----------
    allowed : (S, A) bool, actions that may be taken

    Returns
    -------
    actions : (S, A) bool, those that stay in an end component      component : (S,) its number, -1 where none is
    """
    S, A = allowed.shape
    moves = mdp.transition_matrix
    row = np.repeat(np.arange(S * A), np.diff(moves.indptr))
    keep = (allowed & ~mdp.terminal[:, None]).ravel()
    while True:
        inside = keep[row]
        graph = sparse.coo_array(
            (np.ones(int(inside.sum())), (row[inside] // A, moves.indices[inside])), shape=(S, S)
        )
        _, part = connected_components(graph, directed=True, connection="strong")
        leaves = np.zeros(S * A, dtype=bool)
        leaves[row[part[row // A] != part[moves.indices]]] = True
        fewer = keep & ~leaves
        if (fewer == keep).all():
            break
        keep = fewer
    actions = keep.reshape(S, A)
    return actions, np.where(actions.any(axis=1), part, -1)


def check_rounds(mdp: MDP) -> bool:
    """Whether some way of never ending loses nothing; an error if one earns more and more.

    What rounds earn on average at best follows from signs where they are all alike, and else from a linear program over
    how often each action is taken (Puterman 1994, 9.3).
    """
    actions, component = staying(mdp, mdp.available)
    if not actions.any():
        return False
    rewards = np.where(actions, mdp.rewards, 0.0)
    room = NO_GAIN * max(float(np.abs(rewards).max()), 1e-300)
    if (rewards[actions] < -room).all():
        return False
    low = np.full(int(component.max()) + 1, np.inf)
    high = np.full(len(low), -np.inf)
    state, action = np.nonzero(actions)
    np.minimum.at(low, component[state], rewards[state, action])
    np.maximum.at(high, component[state], rewards[state, action])
    earning = (low >= -room) & (high > room)  # every state of a component can be visited again and again
    if earning.any():
        _refuse(mdp, state[np.argmax(earning[component[state]])])
    if (high <= room).all():
        return bool(staying(mdp, actions & (mdp.rewards >= -room))[0].any())
    mixed = ((low < -room) & (high > room))[component[state]]
    gain, often = _best_round(mdp, state[mixed], action[mixed])
    if gain > room:
        _refuse(mdp, state[mixed][int(np.argmax(often))])
    losing_nothing = actions & ~((low < -room) & (high > room))[component][:, None] & (mdp.rewards >= -room)
    return gain >= -room or bool(staying(mdp, losing_nothing)[0].any())


def _best_round(mdp: MDP, state: np.ndarray, action: np.ndarray) -> tuple[float, np.ndarray]:
    """The most that actions which stay can earn on average a step, and how often each of them is then taken."""
    pairs = state * mdp.n_actions + action
    m = len(pairs)
    leave = sparse.coo_array((np.ones(m), (state, np.arange(m))), shape=(mdp.n_states, m)).tocsr()
    balance = (leave - mdp.transition_matrix[pairs].T).tocsr()[np.unique(state)]
    system = sparse.vstack([balance, sparse.csr_array(np.ones((1, m)))])
    right = np.zeros(system.shape[0])
    right[-1] = 1.0
    result = linprog(-mdp.rewards[state, action], A_eq=system, b_eq=right, method="highs")
    if result.x is None:
        raise DegenerateError(f"MDP: what going round earns could not be found: {result.message}")
    return -float(result.fun), result.x


def _refuse(mdp: MDP, state: int) -> None:
    raise DegenerateError(
        f"MDP: with discount=1 rewards grow without limit: going round from state {mdp.states[state]!r} for ever earns "
        "more and more. Give a discount below 1."
    )


def ending_actions(mdp: MDP, allowed: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    """(S,) of the allowed actions one that leads nearer to an end, wherever one does; else the action given.

    Followed by chance, such actions end from everywhere sooner or later, while others that are as good may go round for
    ever.
    """
    A = mdp.n_actions
    settled, policy = mdp.terminal.copy(), otherwise.copy()
    while not settled.all():
        leads = (
            (mdp.transition_matrix @ settled.astype(float) > 0).reshape(-1, A) & allowed & ~settled[:, None]
        )
        new = leads.any(axis=1)
        if not new.any():
            break
        policy[new] = np.argmax(leads[new], axis=1)
        settled |= new
    return policy
