"""Decision processes read from what others hold: Gymnasium's tables of outcomes, ends that come with a transition."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from assay.errors import DataError

__all__ = ["END", "end_of", "outcomes_of_gymnasium"]

END = "end"  # the name of a state that is added, where a process ends on the way to a state that others pass through


def end_of(
    after: np.ndarray, terminated: np.ndarray, goes_on: np.ndarray
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Where transitions lead, if some of them end the process.

    A state that is only ever reached at the end is terminal. Where the process may also go on from it, what ends leads
    to a state of its own, number n, instead.

    Parameters
    ----------
    after : (m,) next states      terminated : (m,) whether the process ended there
    goes_on : (n,) bool, states from which the process goes on or in which it starts

    Returns
    -------
    after : (m,) next states      terminal : numbers of terminal states      added : whether state n is among them
    """
    n, passed = len(goes_on), goes_on.copy()
    passed[after[~terminated]] = True
    absorbing = ~passed[after] & terminated
    elsewhere = terminated & ~absorbing
    terminal = np.unique(after[absorbing])
    if not elsewhere.any():
        return after, terminal, False
    return np.where(elsewhere, n, after), np.append(terminal, n), True


def outcomes_of_gymnasium(environment: Any) -> dict[str, Any]:
    """The arguments of an MDP from an environment that shows its table ``P[state][action]`` of outcomes.

    Each outcome is (probability, next state, reward, terminated), as in Gymnasium's FrozenLake, Taxi and CliffWalking.
    """
    inner = getattr(environment, "unwrapped", environment)
    table = getattr(inner, "P", None)
    if table is None:
        raise DataError(
            f"MDP: {type(inner).__name__} has no table P of outcomes. Let an agent learn in it instead: "
            "QLearning().fit(environment)."
        )
    try:
        states, actions = len(table), len(table[0])
        if any(len(table[s]) != actions for s in range(states)):
            raise DataError("MDP: P must have the same actions in every state.")
        rows = [
            (s, a, float(p), int(after), float(reward), bool(ended))
            for s in range(states)
            for a in range(actions)
            for p, after, reward, ended in table[s][a]
        ]
    except (KeyError, IndexError, TypeError, ValueError):
        raise DataError(
            "MDP: P must have for each state from 0 and each action from 0 a list of (probability, next state, reward, "
            "terminated)."
        ) from None
    s, a, p, after, reward, ended = (np.array(column) for column in zip(*rows))
    if not ((after >= 0) & (after < states)).all():
        raise DataError(f"MDP: next states in P must be from 0 to {states - 1}.")
    start = np.asarray(getattr(inner, "initial_state_distrib", np.zeros(0)), dtype=np.float64)
    goes_on = np.zeros(states, dtype=bool)
    goes_on[s[~((after == s) & ended)]] = True
    if len(start) == states:
        goes_on |= start > 0
    after, terminal, added = end_of(after, ended, goes_on)
    S = states + added
    chances, earned = [], []
    for action in range(actions):
        of = a == action
        place = (s[of], after[of])
        chance = sparse.coo_array(
            (p[of], place), shape=(S, S)
        ).tocsr()  # both have the same entries in the same order
        total = sparse.coo_array((p[of] * reward[of], place), shape=(S, S)).tocsr()
        total.data = np.divide(total.data, chance.data, out=np.zeros(total.nnz), where=chance.data > 0)
        chances.append(chance)
        earned.append(total)
    return {
        "transitions": chances,
        "rewards": earned,
        "terminal": [END if t == states else t for t in terminal.tolist()],
        "start": np.append(start, 0.0)[:S] if len(start) == states else None,
        "states": [*range(states), END] if added else None,
    }
